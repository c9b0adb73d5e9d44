/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The front of a connection stands between a client and libwebsockets. libwebsockets gets one
 * request at a time, in an unambiguous form, and nothing of the next one before the answer is
 * written. On the loop's thread.
 */
#ifndef LECTERN_TRANSPORT_HTTP_FRONT_H
#define LECTERN_TRANSPORT_HTTP_FRONT_H

#include <stdbool.h>

#include <libwebsockets.h>

#define HTTP_TICK_MS 500 /* the accuracy of the timeouts of libwebsockets */

struct http_connection;
struct http_head;

/* Reads a new connection from now on. -1: the loop cannot watch its sockets, and it was ended. */
int http_front_begin(struct http_connection *connection);
/* Ends it at once, with its request; it is freed in the loop's close callbacks. */
void http_front_end(struct http_connection *connection);

/* Serves the timeouts and pings of libwebsockets, each HTTP_TICK_MS while it has a connection. */
void http_front_tick(struct lws_context *context);

/* The rest is called in the callbacks of libwebsockets, and for an exchange. */

/* The head of the current request of libwebsockets. Its path and query are valid until its answer
 * is written; of a stream, until its own head is. */
const struct http_head *http_connection_head(struct lws *wsi);
/* The answer begins. streams: it ends with its connection. */
void http_connection_answers(struct lws *wsi, bool streams);
/* Instead of lws_callback_on_writable, for the writable callback. */
void http_connection_writes(struct lws *wsi);
/* libwebsockets has written something: it is sent in this turn of the loop. */
void http_connection_wrote(struct lws *wsi);
/* The head of a stream of events is written, which may stay open for long: frees the memory of its
 * request's head. http_connection_head is not valid any more. */
void http_connection_stays_open(struct lws *wsi);
/* The answer is written, and the next request begins. */
void http_connection_expects(struct lws *wsi);
/* Discards further input: the connection closes after its answer. */
void http_connection_discards(struct lws *wsi);
/* The connection is a WebSocket from now on. */
void http_connection_upgraded(struct lws *wsi);
/* libwebsockets closes the connection: in its last callbacks. What it has written is still sent. */
void http_connection_closes(struct lws *wsi);

#endif
