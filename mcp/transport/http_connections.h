/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The connections of a server, and which of them are closed when there are too many. On the loop's
 * thread.
 */
#ifndef LECTERN_TRANSPORT_HTTP_CONNECTIONS_H
#define LECTERN_TRANSPORT_HTTP_CONNECTIONS_H

#include <libwebsockets.h>
#include <uv.h>

struct http_connections;

/* timer: initialized, and borrowed for as long. NULL without memory. */
struct http_connections *http_connections_create(uv_timer_t *timer);
void http_connections_destroy(struct http_connections *connections); /* takes NULL */

/* Takes an accepted socket into libwebsockets. At HTTP_CONNECTIONS_CAP, and for one address at
 * HTTP_ADDRESS_CONNECTIONS_CAP, the connection that has been idle longest is closed for it: one
 * without a whole request first, then one between two requests. Where none is idle the new one is
 * closed, and -1 returned. */
int http_connections_add(struct http_connections *connections, struct lws_vhost *vhost, int fd);
/* How many idle ones were closed since this was last asked. */
size_t http_connections_take_dropped(struct http_connections *connections);

/* libwebsockets is done with it. */
void http_connection_closed(struct lws *wsi);

#endif
