/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Filters the input of libwebsockets 4.1.6: it gets one request at a time, in an unambiguous form,
 * and nothing of the next one before the answer is sent; what a client sends early stays in the
 * kernel. On the loop's thread.
 */
#ifndef LECTERN_TRANSPORT_LWS_WORKAROUNDS_H
#define LECTERN_TRANSPORT_LWS_WORKAROUNDS_H

#include <stdbool.h>

#include <libwebsockets.h>
#include <uv.h>

#include "mcp/transport/http/http_head.h"

struct http_connections;

/* Version 4.1.6. Symptom: the handles of a context close over some turns of the loop after
 * lws_context_destroy(), and nothing says when the last one has. Two turns are enough for handles
 * that close one after the other. */
#define HTTP_TICKS_UNTIL_CLOSED 8

/* Version 4.1.6. Symptom: lws_close_reason() and -1 end a connection without a close frame, so the
 * frame is written as any other. Its number is private to libwebsockets: the header of 4.1 only
 * says that 4 is omitted from the enum. */
#define HTTP_WRITE_CLOSE_FRAME ((enum lws_write_protocol)4)

/* The connections to filter on this thread, from the first connection until the end. */
void http_receive_begin(struct http_connections *connections);
void http_receive_end(struct http_connections *connections);

/* The head of the current request of libwebsockets. Its path and query are valid only in the
 * callback that begins the request. */
const struct http_head *http_connection_head(struct lws *wsi);
/* The answer can be written: libwebsockets only writes while it reads. streams: the answer ends
 * with its connection. */
void http_connection_answers(struct lws *wsi, bool streams);
/* Instead of lws_callback_on_writable: without asking epoll first, where that is possible. */
void http_connection_writes(struct lws *wsi);
/* libwebsockets closes the connection: to be called in its last callback before it does. */
void http_connection_closes(struct lws *wsi);
/* The head of a stream of events is sent, which may stay open for long: frees what held the head of
 * its request. http_connection_head is not valid any more. */
void http_connection_stays_open(struct lws *wsi);
/* The answer is sent, and the next request begins. */
void http_connection_expects(struct lws *wsi);
/* Discards further input: the connection closes after its answer. */
void http_connection_discards(struct lws *wsi);
/* Answered; the connection closes once the client has closed its end, or after a timeout. */
void http_connection_lingers(struct lws *wsi);
/* The connection is a WebSocket from now on. */
void http_connection_upgraded(struct lws *wsi);

/* Answers a WebSocket upgrade with an error in the format of the session API. headers: further
 * ones, each "name: value\r\n"; or "". */
void http_refuse_upgrade(struct lws *wsi, int status, const char *headers, const char *text);

/* The descriptor of the event pipe of the last context created on the loop; -1 if unknown. */
int http_find_pipe(uv_loop_t *loop);
/* The first of two lws_context_destroy(). Takes NULL. */
void http_close_context(struct lws_context *context, int pipe_fd);

#endif
