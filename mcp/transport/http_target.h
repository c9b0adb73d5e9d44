/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The target of each request as the client wrote it. libwebsockets 4.1.6 hands out a path that is
 * decoded already and has its dots and slashes tidied up, in which the node id "a%2Fb" cannot be
 * told from two segments. So the first line of a request is read on its way into libwebsockets
 * (http_target.c). On the loop's thread.
 */
#ifndef LECTERN_TRANSPORT_HTTP_TARGET_H
#define LECTERN_TRANSPORT_HTTP_TARGET_H

#include <stddef.h>

struct http_targets;

struct http_targets *http_targets_create(void);          /* NULL without memory */
void http_targets_destroy(struct http_targets *targets); /* takes NULL */

/* A request begins with the next byte of this connection, which libwebsockets receives on this
 * thread. */
void http_targets_expect(struct http_targets *targets, int fd);

enum http_target_found {
    HTTP_TARGET_FOUND,
    HTTP_TARGET_UNKNOWN, /* the request came from libwebsockets' own buffer (pipelining) */
    HTTP_TARGET_DIFFERS, /* from what libwebsockets has made of it, or is too long */
};

/* The path as sent, still encoded, and the query behind its '?'. */
enum http_target_found http_targets_find(const struct http_targets *targets, int fd,
                                         const char *method, const char *decoded_path, char *path,
                                         size_t path_size, char *query, size_t query_size);

#endif
