/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One request and its answer on libwebsockets 4.1.6: its life, and answering as the handlers see
 * it. Runs on the loop's thread.
 */
#include "mcp/transport/http_exchange.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/protocol/message.h"

#define JSON_TYPE   "application/json"
#define EVENTS_TYPE "text/event-stream"

struct server *exchange_server(struct exchange *exchange)
{
    return exchange->http->server;
}

const struct chat *exchange_chat(struct exchange *exchange)
{
    return exchange->http->chat;
}

struct mcp_sessions *exchange_sessions(struct exchange *exchange)
{
    return exchange->http->sessions;
}

struct rest_cache *exchange_answers(struct exchange *exchange)
{
    return exchange->http->rest_answers;
}

const struct server_request *exchange_request(const struct exchange *exchange)
{
    return &exchange->request;
}

void exchange_set_rest_route(struct exchange *exchange, const struct rest_route *route)
{
    exchange->rest_route = route;
}

const struct rest_route *exchange_rest_route(const struct exchange *exchange)
{
    return exchange->rest_route;
}

const struct buf *exchange_body(const struct exchange *exchange)
{
    return &exchange->body;
}

bool exchange_answered(const struct exchange *exchange)
{
    return exchange->status != 0;
}

bool exchange_streams(const struct exchange *exchange)
{
    return exchange->streaming;
}

void exchange_set_on_gone(struct exchange *exchange, void (*on_gone)(void *user), void *user)
{
    exchange->on_gone = on_gone;
    exchange->on_gone_user = user;
}

void exchange_set_etag(struct exchange *exchange, const char *etag)
{
    snprintf(exchange->etag, sizeof exchange->etag, "%s", etag);
}

void exchange_set_replayed(struct exchange *exchange)
{
    exchange->replayed = true;
}

void exchange_set_allow(struct exchange *exchange, const char *methods)
{
    snprintf(exchange->allow, sizeof exchange->allow, "%s", methods);
}

void exchange_set_mcp_session(struct exchange *exchange, const char *id)
{
    snprintf(exchange->mcp_session, sizeof exchange->mcp_session, "%s", id);
}

void exchange_set_retry_after(struct exchange *exchange, unsigned seconds)
{
    exchange->retry_after_s = seconds;
}

void exchange_set_headers(struct exchange *exchange, const struct http_header *headers)
{
    exchange->headers = headers;
}

/* ---- life ---- */

void exchange_release_body(struct exchange *exchange)
{
    exchange->http->bodies -= exchange->body.len;
    buf_finish(&exchange->body);
}

struct buf exchange_take_body(struct exchange *exchange)
{
    struct buf body = exchange->body;

    exchange->http->bodies -= body.len;
    memset(&exchange->body, 0, sizeof exchange->body);
    return body;
}

void exchange_gone(struct exchange *exchange)
{
    if (exchange->on_gone)
        exchange->on_gone(exchange->on_gone_user);
    exchange->http->exchanges--;
    exchange->http->answers -= exchange->counted;
    exchange_release_body(exchange);
    buf_finish(&exchange->out);
    free(exchange);
}

/* Asks for the writable callback. */
static void want_to_write(struct exchange *exchange)
{
    http_connection_answers(exchange->wsi, exchange->streaming);
    lws_callback_on_writable(exchange->wsi);
}

/* ---- answering, for the handlers ---- */

/* The answer goes out as soon as the request is in. */
void exchange_begin_answer(struct exchange *exchange)
{
    exchange->on_gone = NULL;
    if (exchange->state != EXCHANGE_WORKING)
        return;
    exchange->state = EXCHANGE_ANSWERING;
    lws_set_timeout(exchange->wsi, PENDING_TIMEOUT_HTTP_CONTENT, HTTP_WRITE_STALL_S);
    want_to_write(exchange);
}

/* Whether so much is held for slow readers that the answer to one more read is better made again
 * later. What a write has to tell always goes out. */
static bool is_too_much(struct exchange *exchange, size_t len)
{
    struct http_server *http = exchange->http;

    if (strcmp(exchange->request.method, "GET") != 0 || len <= HTTP_CHUNK_SIZE)
        return false;
    if (http->answers > HTTP_ANSWERS_CAP || len > HTTP_ANSWERS_CAP - http->answers)
        return http->answers > 0; /* a single one of any length goes */
    return false;
}

void exchange_answer(struct exchange *exchange, int status, const char *content_type,
                     struct buf *body)
{
    if (exchange->status != 0) {
        buf_finish(body);
        return;
    }
    if (body && is_too_much(exchange, body->len)) {
        buf_finish(body);
        exchange->etag[0] = '\0';
        exchange->headers = NULL;
        exchange_error(exchange, 503,
                       "too many large answers are being read at once: send it again in a moment");
        return;
    }
    if (body && strcmp(exchange->request.method, "GET") == 0) {
        exchange->counted = body->len;
        exchange->http->answers += body->len;
    }
    exchange->status = status;
    exchange->content_type = content_type;
    if (body) {
        buf_finish(&exchange->out);
        exchange->out = *body;
        memset(body, 0, sizeof *body);
    }
    exchange_begin_answer(exchange);
}

static void write_detail(struct buf *to, const char *text)
{
    buf_adds(to, "{\"detail\":");
    json_write_string(to, text, strlen(text));
    buf_addc(to, '}');
}

void exchange_error(struct exchange *exchange, int status, const char *format, ...)
{
    struct buf body;
    char text[ERROR_TEXT_CAP];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    buf_init(&body, 0);
    if (strcmp(exchange->route->error_form, "rpc") == 0)
        message_error(&body, NULL, MESSAGE_REFUSED, text);
    else
        write_detail(&body, text);
    if (body.failed)
        buf_clear(&body);
    exchange_answer(exchange, status, JSON_TYPE, &body);
}

static void begin_stream(struct exchange *exchange)
{
    exchange->streaming = true;
    exchange->status = 200;
    exchange->content_type = EVENTS_TYPE;
    exchange->closes = true;
    exchange->state = EXCHANGE_ANSWERING;
    buf_init(&exchange->out, 0);
}

void exchange_send_event(struct exchange *exchange, const char *json, size_t len, bool droppable)
{
    size_t unread = exchange->out.len - exchange->written;

    if (droppable && unread > HTTP_STREAM_MARK)
        return;
    if (!exchange->streaming)
        begin_stream(exchange);
    if (unread == 0)
        lws_set_timeout(exchange->wsi, PENDING_TIMEOUT_HTTP_CONTENT, HTTP_WRITE_STALL_S);
    if (exchange->written > 0) { /* what is out makes room */
        memmove(exchange->out.data, exchange->out.data + exchange->written, unread);
        exchange->out.len = unread;
        exchange->written = 0;
    }
    buf_adds(&exchange->out, "event: message\ndata: ");
    buf_add(&exchange->out, json, len);
    buf_adds(&exchange->out, "\n\n");
    want_to_write(exchange);
}

void exchange_end_stream(struct exchange *exchange)
{
    exchange->stream_ended = true;
    exchange->on_gone = NULL;
    want_to_write(exchange);
}
