/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What stands between libwebsockets 4.1.6 and this server: libwebsockets gets one request at a
 * time, in one reading, and nothing of the next before the answer is out; what a client sends early
 * waits in the kernel. On the loop's thread.
 */
#ifndef LECTERN_TRANSPORT_LWS_WORKAROUNDS_H
#define LECTERN_TRANSPORT_LWS_WORKAROUNDS_H

#include <stdbool.h>

#include <libwebsockets.h>
#include <uv.h>

#include "mcp/transport/http_head.h"

struct http_connections;

/* Version 4.1.6. Symptom: the handles of a context close over some turns of the loop after
 * lws_context_destroy(), and nothing says when the last one has. Two turns are enough for handles
 * that close one after the other. */
#define HTTP_TICKS_UNTIL_CLOSED 8

/* Version 4.1.6. Symptom: lws_close_reason() and -1 end a connection without a close frame, so the
 * frame is written as any other. Its number is private to libwebsockets: the header of 4.1 only
 * says that 4 is omitted from the enum. */
#define HTTP_WRITE_CLOSE_FRAME ((enum lws_write_protocol)4)

/* Which connections are looked at on this thread; from the first one on, until the end. */
void http_receive_begin(struct http_connections *connections);
void http_receive_end(struct http_connections *connections);

/* The head of the request that libwebsockets has now; until its answer is out. */
const struct http_head *http_connection_head(struct lws *wsi);
/* The answer can be written: libwebsockets writes only while it reads. streams: it ends with its
 * connection. */
void http_connection_answers(struct lws *wsi, bool streams);
/* The answer is out, and the next request begins. */
void http_connection_expects(struct lws *wsi);
/* What still comes is thrown away: the connection closes after its answer. */
void http_connection_discards(struct lws *wsi);
/* It is answered, and closes once the client has left or at a timeout. */
void http_connection_lingers(struct lws *wsi);
/* The connection is a WebSocket from now on. */
void http_connection_upgraded(struct lws *wsi);

/* Answers a WebSocket upgrade with an error in the session API's form. */
void http_refuse_upgrade(struct lws *wsi, int status, const char *text);

/* The descriptor of the event pipe of the context that was created last on the loop; -1: unknown.
 */
int http_find_pipe(uv_loop_t *loop);
/* The first of two lws_context_destroy(). Takes NULL. */
void http_close_context(struct lws_context *context, int pipe_fd);

#endif
