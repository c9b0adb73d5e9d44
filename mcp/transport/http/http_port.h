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

/* TLS in front of the HTTP server: OpenSSL speaks with the client, and the server gets a loopback
 * socket with the plain bytes of each connection. (libwebsockets' own TLS reads past the filter of
 * lws_workarounds.h.) The files are read again when they change. On the loop's thread. */

#define TLS_CONNECTIONS_CAP 2048  /* those that are closing included */
#define TLS_CHECK_MS        1000u /* between two looks whether the files have changed */
#define TLS_LINGER_MS       3000u /* for the client to take the end of an answer */

struct tls;

/* cert, key: files in PEM form, borrowed. on_connection becomes the owner of plain_fd; client_fd
 * says who it is. NULL with ERROR_INVALID where the files cannot be used. */
struct tls *tls_create(uv_loop_t *loop, const char *cert, const char *key,
                       void (*on_connection)(void *user, int plain_fd, int client_fd), void *user,
                       struct error *err);
/* Becomes the owner of the socket. */
void tls_accept(struct tls *tls, int fd);
/* Ends all connections; freed after the loop has run its close callbacks. Takes NULL. */
void tls_destroy(struct tls *tls);

#endif
