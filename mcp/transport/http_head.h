/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The head of an HTTP/1.1 request (RFC 9112): read and checked before libwebsockets sees it. A pure
 * function of its bytes.
 */
#ifndef LECTERN_TRANSPORT_HTTP_HEAD_H
#define LECTERN_TRANSPORT_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/base/buf.h"

#define HTTP_HEAD_CAP       16384 /* bytes of a request's head */
#define HTTP_HEAD_LINES_CAP 64    /* its fields; libwebsockets has room for 95 */
#define HTTP_HEAD_PARTS_CAP 16    /* parameters in the query of a WebSocket, which need room too */

/* path and query are borrowed from the text that was read. */
struct http_head {
    int status;         /* 0, or the status that refuses the request */
    const char *wrong;  /* then why: static */
    const char *method; /* static: "GET" */
    const char *path;   /* as it was sent, still encoded */
    const char *query;  /* behind the '?', or empty */
    size_t path_len, query_len;
    uint64_t length; /* of the body */
    bool chunked;    /* the body's end cannot be found */
    bool websocket;
};

/* Where a head ends that begins with text: how many bytes it has with its empty line, or 0 where
 * more must come. */
size_t http_head_end(const char *text, size_t len);
/* Whether text can be the beginning of a head. */
bool http_head_plausible(const char *text, size_t len);

/* Reads one whole head. Adds to `to` what libwebsockets gets in its place: the same request with
 * one reading only, or an empty one where the head is refused. */
void http_head_read(const char *text, size_t len, struct http_head *head, struct buf *to);
/* One that is refused before it is whole. */
void http_head_refuse(struct http_head *head, int status, const char *wrong, struct buf *to);

#endif
