/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of an exchange: what its handler makes of it, whole or as events, and how it is
 * written, one piece each time the connection can take one. Runs on the loop's thread.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "mcp/protocol/message.h"
#include "mcp/transport/http/http_server.h"

#define JSON_TYPE   "application/json"
#define EVENTS_TYPE "text/event-stream"
/* For a year a browser speaks TLS alone with this host (RFC 6797, 6.1). */
#define STRICT_TRANSPORT "max-age=31536000"

/* Asks for the writable callback. */
static void want_to_write(struct exchange *exchange)
{
    http_connection_answers(exchange->wsi, exchange->streaming);
    http_connection_writes(exchange->wsi);
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

/* Whether slow readers have so much pending that the answer to another read should be computed
 * later. The answer to a write is always sent. */
static bool is_too_much(struct exchange *exchange, size_t len)
{
    struct http_server *http = exchange->http;

    if (strcmp(exchange->request->method, "GET") != 0 || len <= HTTP_CHUNK_SIZE)
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
    if (body && strcmp(exchange->request->method, "GET") == 0) {
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

bool exchange_takes(struct exchange *exchange, const char *method, const char *refusal)
{
    const char *given = exchange->request->method;
    bool reads = strcmp(method, "GET") == 0;

    if (strcmp(given, method) == 0 || (reads && strcmp(given, "HEAD") == 0))
        return true;
    snprintf(exchange->allow, sizeof exchange->allow, "%s%s, OPTIONS", method,
             reads ? ", HEAD" : "");
    if (strcmp(given, "OPTIONS") == 0)
        exchange_answer(exchange, 204, NULL, NULL);
    else
        exchange_error(exchange, 405, "%s", refusal);
    return false;
}

static bool is_json_type(const char *type)
{
    size_t len = strcspn(type, "; \t");

    return (len == strlen("application/json") && strncasecmp(type, "application/json", len) == 0) ||
           (len > strlen("+json") && strncasecmp(type + len - strlen("+json"), "+json", 5) == 0);
}

bool exchange_takes_json(struct exchange *exchange)
{
    const struct server_request *request = exchange->request;

    if (request->length == 0 || is_json_type(request->content_type))
        return true;
    exchange_error(exchange, 415,
                   "the body must be JSON: send it with Content-Type: application/json");
    return false;
}

bool exchange_header(const struct exchange *exchange, const char *name, char *value, size_t size)
{
    return server_request_header(exchange->wsi, name, value, size);
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

/* Makes room for more of it. */
static void continue_stream(struct exchange *exchange)
{
    size_t unread = exchange->out.len - exchange->written;

    if (!exchange->streaming)
        begin_stream(exchange);
    if (unread == 0)
        lws_set_timeout(exchange->wsi, PENDING_TIMEOUT_HTTP_CONTENT, HTTP_WRITE_STALL_S);
    if (exchange->written > 0) { /* what is out makes room */
        memmove(exchange->out.data, exchange->out.data + exchange->written, unread);
        exchange->out.len = unread;
        exchange->written = 0;
    }
}

void exchange_send_text(struct exchange *exchange, const char *text, size_t len)
{
    continue_stream(exchange);
    buf_add(&exchange->out, text, len);
    want_to_write(exchange);
}

void exchange_send_event(struct exchange *exchange, const char *id, const char *json, size_t len,
                         bool droppable)
{
    if (droppable && exchange->out.len - exchange->written > HTTP_STREAM_MARK)
        return;
    continue_stream(exchange);
    if (id)
        buf_addf(&exchange->out, "id: %s\n", id);
    buf_adds(&exchange->out, "event: message\ndata: ");
    buf_add(&exchange->out, json, len);
    buf_adds(&exchange->out, "\n\n");
    want_to_write(exchange);
}

void exchange_end_stream(struct exchange *exchange)
{
    exchange->stream_ended = true;
    want_to_write(exchange);
}

/* ---- writing the answer: one piece each time the connection can take one ---- */

static int add_header(struct exchange *exchange, const char *name, const char *value,
                      unsigned char **p, unsigned char *end)
{
    return lws_add_http_header_by_name(exchange->wsi, (const unsigned char *)name,
                                       (const unsigned char *)value, (int)strlen(value), p, end);
}

/* The status line and all headers. 204 and 304 have no body and say no length; a stream's end is
 * its connection's. */
static int add_headers(struct exchange *exchange, unsigned char **p, unsigned char *end)
{
    const unsigned status = (unsigned)exchange->status;
    const bool cors = exchange->cross_origin, preflight = cors && exchange->request->preflight;
    const bool later = status == 503 || status == 429;
    char seconds[16] = "";
    const struct {
        bool sent;
        const char *name, *value;
    } rows[] = {
        {true, "x-content-type-options:", "nosniff"},
        {true, "cross-origin-resource-policy:", "same-origin"},
        {exchange->http->config.tls_cert, "strict-transport-security:", STRICT_TRANSPORT},
        {!exchange->headers, "cache-control:", "no-store"},
        {*exchange->etag, "etag:", exchange->etag},
        {*exchange->allow, "allow:", exchange->allow},
        {exchange->replayed, "idempotency-replayed:", "true"},
        {*exchange->mcp_session, "mcp-session-id:", exchange->mcp_session},
        {later, "retry-after:", seconds},
        {exchange->authenticate, "www-authenticate:", exchange->authenticate},
        {exchange->identity == &exchange->signed_in && exchange->route == &http_route_rest,
         "lectern-scope:", identity_scope_names(exchange->identity->scopes)},
        {exchange->set_cookie, "set-cookie:", exchange->set_cookie},
        {exchange->closes && !exchange->streaming, "connection:", "close"},
        {exchange->streaming, "x-accel-buffering:", "no"}, /* a proxy passes on each event */
        {cors, "access-control-allow-origin:", exchange->request->origin},
        {cors, "vary:", "Origin"},
        {cors, "access-control-expose-headers:",
         "Mcp-Session-Id, ETag, Allow, Retry-After, Idempotency-Replayed, Lectern-Scope, "
         "WWW-Authenticate"},
        {preflight, "access-control-allow-methods:", "GET, POST, PUT, PATCH, DELETE, OPTIONS"},
        {preflight, "access-control-allow-headers:",
         "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, "
         "Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Session-Id, MCP-Protocol-Version, X-Editor, "
         "X-Session-ID"},
        {preflight, "access-control-max-age:", "600"},
    };
    int rc;

    if (later)
        snprintf(seconds, sizeof seconds, "%u",
                 exchange->retry_after_s ? exchange->retry_after_s : HTTP_RETRY_AFTER_S);
    if (status == 204 || status == 304)
        rc = lws_add_http_header_status(exchange->wsi, status, p, end);
    else
        rc = lws_add_http_common_headers(
            exchange->wsi, status, exchange->content_type,
            exchange->streaming ? LWS_ILLEGAL_HTTP_CONTENT_LEN : exchange->out.len, p, end);
    for (size_t i = 0; rc == 0 && i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].sent)
            rc = add_header(exchange, rows[i].name, rows[i].value, p, end);
    }
    for (const struct http_header *row = exchange->headers; rc == 0 && row && row->name; row++)
        rc = add_header(exchange, row->name, row->value, p, end);
    return rc || lws_finalize_http_header(exchange->wsi, p, end) ? -1 : 0;
}

static bool has_no_body(const struct exchange *exchange)
{
    return exchange->status == 204 || exchange->status == 304 ||
           strcmp(exchange->request->method, "HEAD") == 0;
}

/* The next piece: the headers first, and as much of the body as one write takes. */
static int write_piece(struct exchange *exchange)
{
    unsigned char *start = exchange->http->scratch + LWS_PRE, *p = start;
    unsigned char *end = start + HTTP_CHUNK_SIZE;
    size_t rest = exchange->out.len - exchange->written;

    enum lws_write_protocol kind = LWS_WRITE_HTTP;

    if (!exchange->headers_sent) {
        kind = LWS_WRITE_HTTP_HEADERS;
        if (add_headers(exchange, &p, end))
            return -1;
        exchange->headers_sent = true;
        if (has_no_body(exchange))
            exchange->written = exchange->out.len;
        rest = exchange->out.len - exchange->written;
    }
    if (rest > (size_t)(end - p))
        rest = (size_t)(end - p);
    if (rest > 0)
        memcpy(p, exchange->out.data + exchange->written, rest);
    exchange->written += rest;
    p += rest;
    if (p > start && lws_write(exchange->wsi, start, (size_t)(p - start), kind) < 0)
        return -1;
    if (kind == LWS_WRITE_HTTP_HEADERS && exchange->streaming) {
        http_connection_stays_open(exchange->wsi);
        free(exchange->request);
        exchange->request = NULL;
    }
    return 0;
}

/* What follows the last byte of an answer. */
static int finish(struct exchange *exchange)
{
    struct lws *wsi = exchange->wsi;

    exchange->on_gone = NULL;
    if (exchange->streaming && exchange->on_written)
        exchange->on_written(exchange->on_gone_user);
    exchange->state = EXCHANGE_DONE;
    if (exchange->closes)
        return -1;
    if (lws_http_transaction_completed(wsi)) /* this frees the exchange */
        return -1;
    http_connection_writes(wsi); /* it waits for that before it reads the next request */
    return 0;
}

static int write_continue(struct exchange *exchange)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
    unsigned char *start = exchange->http->scratch + LWS_PRE;

    exchange->continue_waits = false;
    memcpy(start, text, sizeof text - 1);
    return lws_write(exchange->wsi, start, sizeof text - 1, LWS_WRITE_HTTP_HEADERS) < 0 ? -1 : 0;
}

int exchange_on_writable(struct exchange *exchange)
{
    if (exchange->continue_waits)
        return write_continue(exchange);
    if (exchange->state != EXCHANGE_ANSWERING)
        return 0;
    if (!exchange->headers_sent || exchange->written < exchange->out.len) {
        if (write_piece(exchange) < 0)
            return -1;
        /* An answer that is out ends here and now: a client that has read it may send its next
         * request at once, which libwebsockets must not read before this one is completed. Only a
         * connection that closes waits until the rest has left libwebsockets' own buffer. */
        if (exchange->streaming || exchange->written < exchange->out.len ||
            (exchange->closes && lws_partial_buffered(exchange->wsi))) {
            lws_set_timeout(exchange->wsi, PENDING_TIMEOUT_HTTP_CONTENT, HTTP_WRITE_STALL_S);
            http_connection_writes(exchange->wsi);
            return 0;
        }
    }
    if (exchange->streaming && !exchange->stream_ended) {
        buf_finish(&exchange->out); /* an open stream mostly has nothing to say */
        exchange->written = 0;
        lws_set_timeout(exchange->wsi, NO_PENDING_TIMEOUT, 0); /* until the next event */
        return 0;
    }
    return finish(exchange);
}
