/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * TLS on the socket of a client, over OpenSSL; it is http_front.c that reads and writes. The files
 * are read again when they change. On the loop's thread.
 */
#ifndef LECTERN_TRANSPORT_TLS_H
#define LECTERN_TRANSPORT_TLS_H

#include <stdbool.h>
#include <sys/types.h>

#include <uv.h>

#include "helpers/base/error.h"

#define TLS_CHECK_MS 1000u /* between two looks whether the files have changed */

struct tls;
struct ssl_st; /* OpenSSL's SSL: one client */

/* cert, key: files in PEM form, borrowed. NULL with ERROR_INVALID where the files cannot be used.
 */
struct tls *tls_create(const uv_loop_t *loop, const char *cert, const char *key, struct error *err);
void tls_destroy(struct tls *tls); /* clients may outlive it; takes NULL */

/* For an accepted socket, which stays the caller's. NULL without memory. */
struct ssl_st *tls_client_create(struct tls *tls, int fd);
void tls_client_destroy(struct ssl_st *client); /* takes NULL */

/* Like recv() and send() on a non-blocking socket; the first calls negotiate. Whatever is wrong
 * with the input of the client is the end of its input. */
ssize_t tls_client_read(struct ssl_st *client, char *bytes, size_t len);
ssize_t tls_client_write(struct ssl_st *client, const char *bytes, size_t len);
/* Bytes are decrypted or buffered that no event of the socket will announce. */
bool tls_client_holds_input(const struct ssl_st *client);
/* The last call could not write all it had to. */
bool tls_client_wants_write(const struct ssl_st *client);
/* Says to the client that nothing more comes. */
void tls_client_end(struct ssl_st *client);

#endif
