/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Listening sockets: binds them, watches them on the loop, and finds out which process has a port
 * that is in use.
 */
#ifndef LECTERN_TRANSPORT_HTTP_PORT_H
#define LECTERN_TRANSPORT_HTTP_PORT_H

#include <uv.h>

#include "helpers/base/error.h"

struct http_port;

/* on_connection becomes the owner of each accepted, non-blocking socket. */
struct http_port *http_port_open(uv_loop_t *loop, const char *host, int port,
                                 void (*on_connection)(void *user, int fd), void *user,
                                 struct error *err);
int http_port_number(const struct http_port *port);
void http_port_close(struct http_port *port); /* freed in the loop's close callbacks; takes NULL */

#endif
