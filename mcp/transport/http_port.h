/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Listening sockets: bound, watched on the loop, and who has the port where it is taken.
 */
#ifndef LECTERN_TRANSPORT_HTTP_PORT_H
#define LECTERN_TRANSPORT_HTTP_PORT_H

#include <uv.h>

#include "helpers/base/error.h"

struct http_port;

/* on_connection gets each accepted socket, non-blocking, and owns it. */
struct http_port *http_port_open(uv_loop_t *loop, const char *host, int port,
                                 void (*on_connection)(void *user, int fd), void *user,
                                 struct error *err);
int http_port_number(const struct http_port *port);
void http_port_close(
    struct http_port *port); /* the memory goes with the loop's close callbacks. Takes NULL */

#endif
