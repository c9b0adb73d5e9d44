/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "/mcp-sync" on libwebsockets: frames to messages and back, over sync.h. On the loop's thread.
 */
#ifndef LECTERN_TRANSPORT_SYNC_SOCKET_H
#define LECTERN_TRANSPORT_SYNC_SOCKET_H

#include "mcp/transport/http_server.h"

#define SYNC_PATH     "/mcp-sync"
#define SYNC_PING_S   30 /* without a sign of life, a client is asked for one */
#define SYNC_HANGUP_S 50 /* and without one by then it is closed */

#define SYNC_CLOSE_S 2 /* for the client's answer to a close frame */

/* Before the upgrade, Host and Origin being right: 0, or the status of a refusal and why. */
int sync_socket_check(struct http_server *server, struct lws *wsi,
                      const struct http_request *request, struct error *err);

/* libwebsockets' callbacks. -1 closes the connection. */
int sync_socket_on_open(struct http_server *server, struct lws *wsi, struct connection *connection);
int sync_socket_on_bytes(struct connection *connection, const char *bytes, size_t len);
int sync_socket_on_writable(struct connection *connection);
int sync_socket_on_close_frame(struct connection *connection);
void sync_socket_on_closed(struct connection *connection);

void sync_socket_wake(void *user); /* sync_create's */
/* Tells every client that the server goes away, and closes. */
void sync_socket_close_all(struct http_server *server);

#endif
