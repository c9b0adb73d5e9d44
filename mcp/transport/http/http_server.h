/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The server as shared by http.c and the files of the exchanges, with the types of
 * libwebsockets.
 */
#ifndef LECTERN_TRANSPORT_HTTP_SERVER_H
#define LECTERN_TRANSPORT_HTTP_SERVER_H

#include <libwebsockets.h>

#include "mcp/transport/http/http_connections.h"
#include "mcp/transport/http/http_front.h"
#include "mcp/transport/http/http_internal.h"
#include "mcp/transport/http/http_port.h"
#include "mcp/transport/http/lws_workarounds.h"
#include "mcp/transport/http/tls.h"

#define HTTP_CHUNK_SIZE ((size_t)64 << 10) /* bytes of one write */

struct http_server {
    struct http_services services;
    struct http_config config; /* with the port as bound */
    struct http_port *port;
    struct tls *tls; /* NULL: plain HTTP */
    struct http_connections *connections;
    struct sync *sync;
    struct lws_context *context;
    struct lws_vhost *vhost;
    size_t open;      /* not yet released by libwebsockets */
    size_t exchanges; /* under way */
    size_t bodies;    /* bytes of all request bodies in memory */
    size_t answers;   /* bytes of all pending answers to reads */
    size_t spare;     /* bytes that malloc had free when they were last given back, or less */
    bool draining;
    unsigned char scratch[LWS_PRE + HTTP_CHUNK_SIZE];

    uv_timer_t connections_timer; /* this and the next two are borrowed by connections */
    uv_check_t end_of_turn;
    uv_idle_t no_wait;
    uv_timer_t tick; /* while libwebsockets has a connection */
    uv_timer_t sign_in_timer;
    /* Housekeeping; then the deadline of the drain and the ticks of the shutdown */
    uv_timer_t timer;
    uint64_t pages_end_ms; /* until then the ends of the chat's runs can be sent */
    uint64_t deadline_ms;  /* of the drain; then of the chat's runs */
    bool closed;
    bool abandoned; /* never started serving: freed once it is closed */
    void (*on_closed)(void *user);
    void (*on_stuck)(void *user);
    void *on_closed_user; /* of both */
};

/* Whether it has the tools of the editor; otherwise 404 with the text. */
bool http_serves_editors(const struct http_server *http);
#define HTTP_NO_EDITORS                                                                            \
    "this server has only its tools, at /mcp: for the session API, the page and the "              \
    "chat, start it with lectern serve --toolset all"

/* The libwebsockets user data of a connection. */
struct connection {
    struct exchange *exchange; /* the current request, or NULL */
    struct web_socket *socket; /* of a WebSocket, else NULL */
};

/* The callbacks of libwebsockets. -1 closes the connection. */
int exchange_on_event(struct http_server *http, struct lws *wsi, enum lws_callback_reasons reason,
                      struct connection *connection, const void *in, size_t len);
/* http_answer.c: the answer goes out as soon as the request is in; and the connection can take a
 * piece of it. */
void exchange_begin_answer(struct exchange *exchange);
int exchange_on_writable(struct exchange *exchange);
int web_socket_on_upgrade(struct http_server *http,
                          struct lws *wsi); /* -1: refused, and answered */
int web_socket_on_event(struct http_server *http, struct lws *wsi, enum lws_callback_reasons reason,
                        struct connection *connection, const void *in, size_t len);

/* For the chat and the sync, whose user is the socket. */
void web_socket_wake(void *user); /* something waits for the client */
/* The server stops: closes the socket after what waits is sent. */
void web_socket_go_away(void *user);
/* Closes the socket if its token is not good any more. */
void web_socket_renew(void *user);

/* http_sign_in.c: of an upgrade to a WebSocket, which cannot wait: 0 with its identity, which may
 * read, or the status of a refusal with err, and the lines of its headers in *headers ("name:
 * value\r\n"). */
int sign_in_of_upgrade(const struct http_server *http, struct lws *wsi,
                       const struct server_request *request, bool cross_origin,
                       struct identity *identity, struct buf *headers, struct error *err);
/* The same once more after the upgrade, which has counted as a request. false: it is refused. */
bool sign_in_after_upgrade(const struct http_server *http, struct lws *wsi, bool cross_origin,
                           struct identity *identity);

/* http_request.c: parses the headers of a request. */
void server_request_read(struct lws *wsi, struct server_request *request);
/* See exchange_header. */
bool server_request_header(struct lws *wsi, const char *name, char *value, size_t size);
/* Whether the request is allowed: 0, or 400 or 403 with err. *cross_origin: it is from an allowed
 * page of another origin. */
int server_request_check(const struct http_config *config, const struct server_request *request,
                         bool *cross_origin, struct error *err);

#endif
