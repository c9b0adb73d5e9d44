/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "/chat?session_id=SID&thread_id=TID&editor=NAME" as a kind of WebSocket, over chat.h. Whether
 * there is such a session is asked on a work queue, after the upgrade: a page of one that is not
 * there gets a RUN_ERROR and is closed. On the loop's thread.
 */
#ifndef LECTERN_TRANSPORT_CHAT_SOCKET_H
#define LECTERN_TRANSPORT_CHAT_SOCKET_H

#include "mcp/transport/web_socket.h"

#define CHAT_PATH "/chat"

void chat_socket_wake(void *user); /* chat_create's */
/* Tells every page that the server goes away, and closes. */
void chat_socket_close_all(struct http_server *http);

#endif
