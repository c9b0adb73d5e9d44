/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The server as http.c and the exchanges' files share it, with libwebsockets' types.
 */
#ifndef LECTERN_TRANSPORT_HTTP_SERVER_H
#define LECTERN_TRANSPORT_HTTP_SERVER_H

#include <libwebsockets.h>

#include "mcp/transport/http_connections.h"
#include "mcp/transport/http_port.h"
#include "mcp/transport/http_internal.h"
#include "mcp/transport/lws_workarounds.h"

#define HTTP_CHUNK_SIZE ((size_t)64 << 10) /* bytes of one write */

struct http_server {
    struct http_services services;
    struct http_config config; /* the port as bound */
    struct http_port *port;
    struct http_connections *connections;
    struct sync *sync;
    struct lws_context *context;
    struct lws_vhost *vhost;
    int pipe_fd;      /* of the context, for its end; -1 where it is not known */
    size_t open;      /* that libwebsockets has not let go yet */
    size_t exchanges; /* under way */
    size_t bodies;    /* bytes of request bodies held */
    size_t answers;   /* bytes of answers held, those to reads */
    bool draining;
    unsigned char scratch[LWS_PRE + HTTP_CHUNK_SIZE];

    uv_timer_t connections_timer; /* lent to them */
    uv_timer_t timer; /* housekeeping; then the drain's deadline and the ticks of taking down */
    unsigned ticks;
    uint64_t pages_end_ms; /* by then the chat's runs have told their end, or never will */
    uint64_t deadline_ms;  /* of the drain; then of the chat's runs */
    bool closed;
    bool abandoned; /* it never came to serve: freed once it is closed */
    void (*on_closed)(void *user);
    void (*on_stuck)(void *user);
    void *on_closed_user; /* of both */
};

/* What libwebsockets keeps for each connection. */
struct connection {
    struct exchange *exchange; /* the request under way, or NULL */
    struct web_socket *socket; /* a WebSocket's; else NULL */
};

/* libwebsockets' callbacks. -1 closes the connection. */
int exchange_on_event(struct http_server *http, struct lws *wsi, enum lws_callback_reasons reason,
                      struct connection *connection, const void *in, size_t len);
int web_socket_on_upgrade(struct http_server *http,
                          struct lws *wsi); /* -1: refused, and answered */
int web_socket_on_event(struct http_server *http, struct lws *wsi, enum lws_callback_reasons reason,
                        struct connection *connection, const void *in, size_t len);

/* For the chat and the sync, whose user is the socket. */
void web_socket_wake(void *user);    /* something waits for the client */
void web_socket_go_away(void *user); /* the server ends: closes it once it has what waits */

/* http_request.c: what a request's headers say. */
void server_request_read(struct lws *wsi, struct server_request *request);
/* Whether it may come at all: 0, or 400 or 403 with what is wrong. *cross_origin: it is a page of
 * another origin that may. */
int server_request_check(const struct http_config *config, const struct server_request *request,
                         bool *cross_origin, struct error *err);

#endif
