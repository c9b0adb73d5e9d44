/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The head of an HTTP/1.1 request (RFC 9112), parsed and checked before libwebsockets sees it. A
 * pure function of its bytes.
 */
#ifndef LECTERN_TRANSPORT_HTTP_HEAD_H
#define LECTERN_TRANSPORT_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/base/buf.h"

#define HTTP_HEAD_CAP       16384 /* bytes of a request's head */
#define HTTP_HEAD_LINES_CAP 64    /* header fields; libwebsockets has room for 95 */
#define HTTP_HEAD_PARTS_CAP 16    /* parameters in the query of a WebSocket, which need room too */

/* Fields that only our own code reads. libwebsockets does not get them, as its parser takes them
 * letter by letter, unless one of them is repeated or the request is of a WebSocket. */
#define HTTP_OWN_FIELDS(ROW)                                                                       \
    ROW(ACCEPT, "accept")                                                                          \
    ROW(ACCEPT_ENCODING, "accept-encoding")                                                        \
    ROW(CONTENT_TYPE, "content-type")                                                              \
    ROW(MCP_SESSION, "mcp-session-id")                                                             \
    ROW(MCP_VERSION, "mcp-protocol-version")                                                       \
    ROW(MCP_METHOD, "mcp-method")                                                                  \
    ROW(MCP_NAME, "mcp-name")
enum http_own_field {
#define HTTP_OWN_FIELD(id, name) HTTP_OWN_##id,
    HTTP_OWN_FIELDS(HTTP_OWN_FIELD)
#undef HTTP_OWN_FIELD
        HTTP_OWN_COUNT
};
struct http_own_value {
    const char *at; /* NULL: not there, or libwebsockets has it */
    size_t len;
};

/* path, query and the values of own are borrowed from the input. */
struct http_head {
    int status;         /* 0, or the status that refuses the request */
    const char *wrong;  /* the reason, if status is not 0: static */
    const char *method; /* static: "GET" */
    const char *path;   /* as sent, still encoded */
    const char *query;  /* after the '?', or empty */
    size_t path_len, query_len;
    uint64_t length; /* of the body */
    bool chunked;    /* the end of the body is unknown */
    bool websocket;
    struct http_own_value own[HTTP_OWN_COUNT];
};

/* The length of the head at the beginning of text, including its empty line; 0 if it is
 * incomplete. */
size_t http_head_end(const char *text, size_t len);
/* Whether text can be the beginning of a head. */
bool http_head_plausible(const char *text, size_t len);

/* Parses one complete head. Appends to `to` what libwebsockets receives instead: the same request
 * in an unambiguous form, with the fields that are read through libwebsockets, or an empty one if
 * the head is refused. */
void http_head_read(const char *text, size_t len, struct http_head *head, struct buf *to);
/* For a head that is refused before it is complete. */
void http_head_refuse(struct http_head *head, int status, const char *wrong, struct buf *to);

#endif
