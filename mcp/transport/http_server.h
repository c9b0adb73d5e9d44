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
#include "mcp/transport/http_sessions.h"
#include "mcp/transport/lws_workarounds.h"

#define HTTP_CHUNK_SIZE ((size_t)64 << 10) /* bytes of one write */

struct http_server {
    struct server *server;
    struct http_gate gate;
    struct mcp_sessions *sessions;
    struct http_port *port;
    struct http_connections *connections;
    size_t body_cap; /* of requests to the session API */
    struct sync *sync;
    struct chat *chat;
    struct rest_cache
        *rest_answers; /* jobs on the work queues use it until the work queues are gone */
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

/* libwebsockets' callbacks for plain requests (http_exchange.c). -1
 * closes the connection. */
int exchange_on_request(struct http_server *http, struct lws *wsi, struct connection *connection);
int exchange_on_body(struct exchange *exchange, const char *bytes, size_t len);
int exchange_on_body_end(struct exchange *exchange);
int exchange_on_writable(struct exchange *exchange);
void exchange_gone(struct exchange *exchange);

/* http_request.c: what a request's headers say. */
void server_request_read(struct lws *wsi, struct server_request *request);

#endif
