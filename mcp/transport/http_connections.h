/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The connections of a server: what each has sent of its request, and which of them give way when
 * there are too many. libwebsockets 4.1.6 gets one request at a time, and nothing of the next
 * before the answer is out: what a client sends early waits in the kernel (http_connections.c). On
 * the loop's thread.
 */
#ifndef LECTERN_TRANSPORT_HTTP_CONNECTIONS_H
#define LECTERN_TRANSPORT_HTTP_CONNECTIONS_H

#include <libwebsockets.h>

#include "mcp/transport/http_head.h"

struct http_connections;

struct http_connections *http_connections_create(void);              /* NULL without memory */
void http_connections_destroy(struct http_connections *connections); /* takes NULL */

/* Takes an accepted socket into libwebsockets. At HTTP_CONNECTIONS_CAP, and for one address at
 * HTTP_ADDRESS_CONNECTIONS_CAP, the connection that has been idle longest is closed for it: one
 * without a whole request first, then one between two requests. Where none is idle the new one is
 * closed, and -1 returned. */
int http_connections_add(struct http_connections *connections, struct lws_vhost *vhost, int fd);
/* Closes the connections whose client left while a later request of it waits unread: only a look
 * at the socket finds that. To be called from time to time. */
void http_connections_close_left(struct http_connections *connections);
/* How many idle ones were closed since this was last asked. */
size_t http_connections_take_dropped(struct http_connections *connections);

/* The head of the request that libwebsockets has now; until its answer is out. */
const struct http_head *http_connection_head(struct lws *wsi);
/* The answer can be written: libwebsockets writes only while it reads. streams: it ends with its
 * connection. */
void http_connection_answers(struct lws *wsi, bool streams);
/* The answer is out, and the next request begins. */
void http_connection_expects(struct lws *wsi);
/* What still comes is thrown away: the connection closes after its answer. */
void http_connection_discards(struct lws *wsi);
/* The connection is a WebSocket from now on. */
void http_connection_upgraded(struct lws *wsi);
/* libwebsockets is done with it. */
void http_connection_closed(struct lws *wsi);

#endif
