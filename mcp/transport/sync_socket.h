/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "/mcp-sync" as a kind of WebSocket, over sync.h and, for the original CMS's chat, legacy_chat.h.
 * On the loop's thread.
 */
#ifndef LECTERN_TRANSPORT_SYNC_SOCKET_H
#define LECTERN_TRANSPORT_SYNC_SOCKET_H

#include "mcp/transport/web_socket.h"

#define SYNC_PATH "/mcp-sync"

void sync_socket_wake(void *user); /* sync_create's */
/* Tells every client that the server goes away, and closes. */
void sync_socket_close_all(struct http_server *http);

#endif
