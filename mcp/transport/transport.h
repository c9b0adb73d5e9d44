/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The transports: HTTP with SSE (libwebsockets) and stdio. Only this folder uses libwebsockets.
 * Both run on the thread of server->loop.
 */
#ifndef LECTERN_TRANSPORT_H
#define LECTERN_TRANSPORT_H

#include <stdbool.h>

#include "helpers/base/error.h"
#include "mcp/server.h"

#define HTTP_CONNECTIONS_CAP 1024
#define HTTP_ADDRESS_CONNECTIONS_CAP                                                               \
    768 /* so that one address leaves room for others; a proxy has one address */
#define HTTP_BODY_CAP    ((size_t)16 << 20)
#define HTTP_RUNS_END_MS 5000 /* for a cancelled run to end when the server stops */

struct auth;
struct model;

struct http_config {  /* the texts are borrowed for the life of the server */
    const char *host; /* "127.0.0.1"; another than loopback only by an explicit option */
    int port;         /* 0: any free one */
    const char *const *allow_origins; /* additional origins, NULL-terminated, or NULL */
    const char *const *allow_hosts;   /* additional Host names, NULL-terminated, or NULL */
    size_t body_cap;                  /* bytes of a request to the session API; 0: HTTP_BODY_CAP */
    struct model *model;              /* for the chat; NULL: no chat */
    bool chat_solve;                  /* struct chat_config */
    struct auth *auth;                /* NULL: no sign-in */
    bool tls;                         /* clients speak TLS with it */
    const char *tls_cert, *tls_key;   /* files in PEM form; NULL: no TLS */
    const char *public_url; /* where clients reach the server, without a slash at its end; NULL: the
                               Host of each request */
};

struct http_server;

/* ERROR_CONFLICT if the port is in use: the text names the process, and says how to choose another
 * port. */
struct http_server *http_server_create(struct server *server, const struct http_config *config,
                                       struct error *err);
int http_server_port(const struct http_server *http);
/* Stops accepting, cancels the chat's runs, lets answers drain until deadline_ms, then closes and
 * calls on_closed on the loop. If a cancelled run has not ended HTTP_RUNS_END_MS after the drain,
 * calls on_stuck instead: the run uses what would be freed next, so the process must exit without
 * cleaning up. */
void http_server_close(struct http_server *http, unsigned deadline_ms,
                       void (*on_closed)(void *user), void (*on_stuck)(void *user), void *user);
void http_server_destroy(struct http_server *http); /* after on_closed. Takes NULL */

struct stdio_server;

/* MCP on two file descriptors. on_end is called after the end of the input, when all answers are
 * written. */
struct stdio_server *stdio_server_create(struct server *server, int in, int out,
                                         const char *bound_session, const char *bound_learner,
                                         void (*on_end)(void *user), void *user, struct error *err);
void stdio_server_destroy(struct stdio_server *http); /* takes NULL */

#endif
