/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The ways in: HTTP with SSE (libwebsockets) and stdio. The only users of libwebsockets. Both run
 * on server->loop's thread.
 */
#ifndef LECTERN_TRANSPORT_H
#define LECTERN_TRANSPORT_H

#include <stdbool.h>

#include "helpers/base/error.h"
#include "mcp/server.h"

#define HTTP_CONNECTIONS_CAP 1024
#define HTTP_ADDRESS_CONNECTIONS_CAP                                                               \
    768                       /* of one address, so that one leaves room; a proxy has one */
#define HTTP_PEERS_CAP   256  /* MCP sessions at once */
#define HTTP_PEER_IDLE_S 3600 /* without a request or stream, an MCP session ends */
#define HTTP_BODY_CAP    ((size_t)16 << 20)
#define HTTP_RUNS_END_MS 5000 /* that a cancelled run may take to end, when the server stops */

struct model;

struct http_config {  /* texts borrowed for the server's life */
    const char *host; /* "127.0.0.1"; other than loopback only when the user said so */
    int port;         /* 0: any free one */
    const char *const *allow_origins; /* further origins, NULL-terminated, or NULL */
    const char *const *allow_hosts;   /* further Host names, NULL-terminated, or NULL */
    size_t body_cap;                  /* bytes of a request to the session API; 0: HTTP_BODY_CAP */
    struct model *model;              /* of the chat; NULL: there is none */
};

struct http_server;

/* ERROR_CONFLICT when the port is taken: the text says by which process, and how to choose another.
 */
struct http_server *http_server_create(struct server *server, const struct http_config *config,
                                       struct error *err);
int http_server_port(const struct http_server *http);
/* Stops accepting, cancels the chat's runs, lets answers drain until deadline_ms, then closes;
 * on_closed on the loop. Or on_stuck, where a cancelled run has not ended HTTP_RUNS_END_MS after
 * the drain: it stands on what would be taken down next, so that the process can only be left as
 * it is. */
void http_server_close(struct http_server *http, unsigned deadline_ms,
                       void (*on_closed)(void *user), void (*on_stuck)(void *user), void *user);
void http_server_destroy(struct http_server *http); /* after on_closed. Takes NULL */

struct stdio_server;

/* MCP on two file descriptors. on_end: end of input, and every answer is out. */
struct stdio_server *stdio_server_create(struct server *server, int in, int out,
                                         const char *bound_session, void (*on_end)(void *user),
                                         void *user, struct error *err);
void stdio_server_destroy(struct stdio_server *http); /* takes NULL */

#endif
