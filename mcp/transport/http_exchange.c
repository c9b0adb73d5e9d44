/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One request and its answer on libwebsockets 4.1.6. Runs on the loop's thread.
 *
 * A request is judged by its headers first (Host and Origin, form, size, its path's own check).
 * What is refused there still has its body read and thrown away, so that the client gets to read
 * the answer; only a body without a length or over the cap is answered at once and the connection
 * closed. Then the path's handler answers, now or later.
 *
 * While a handler works, reading is stopped where libwebsockets would spin on bytes it does not
 * take: at once for a request without body, else when the next request comes early (pipelining).
 * Its writable callback only comes while reading is on, so that answering switches it on again.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/protocol/message.h"
#include "mcp/transport/http_server.h"
#include "mcp/transport/http_taken.h"

#define JSON_TYPE   "application/json"
#define EVENTS_TYPE "text/event-stream"
#define REPEATS_CAP 100000 /* of the end of one body: more is a loop inside libwebsockets */

enum exchange_state {
    EXCHANGE_RECEIVING, /* the body */
    EXCHANGE_WORKING,   /* the handler has it */
    EXCHANGE_ANSWERING,
    EXCHANGE_LINGERING, /* answered; the client gets time to read it before the connection closes */
    EXCHANGE_DONE,
};

struct exchange {
    struct http_server *server;
    struct lws *wsi;
    const struct http_route *route;
    struct http_request request;
    struct gate_verdict gate;
    enum exchange_state state;
    struct buf body;
    uint64_t body_deadline_ms;
    bool reading_stopped;
    unsigned repeats;
    void (*on_gone)(void *user);
    void *on_gone_user;

    /* the answer */
    int status; /* 0: none yet */
    const char *content_type;
    struct buf out; /* the body, or the events not yet written */
    size_t written;
    bool continue_waits; /* "100 Continue" goes first */
    bool headers_sent;
    bool streaming, stream_ended;
    bool closes;
    char etag[72];
    char allow[96];
    char mcp_session[64];
};

static const struct http_route *const routes[] = {&http_route_mcp, &http_route_page,
                                                  &http_route_rest};

struct server_parts *exchange_parts(struct exchange *exchange)
{
    return exchange->server->parts;
}

struct mcp_sessions *exchange_sessions(struct exchange *exchange)
{
    return exchange->server->sessions;
}

const struct http_request *exchange_request(const struct exchange *exchange)
{
    return &exchange->request;
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

void exchange_set_allow(struct exchange *exchange, const char *methods)
{
    snprintf(exchange->allow, sizeof exchange->allow, "%s", methods);
}

void exchange_set_mcp_session(struct exchange *exchange, const char *id)
{
    snprintf(exchange->mcp_session, sizeof exchange->mcp_session, "%s", id);
}

/* ---- life ---- */

static void release_body(struct exchange *exchange)
{
    exchange->server->bodies -= exchange->body.len;
    buf_finish(&exchange->body);
}

struct buf exchange_take_body(struct exchange *exchange)
{
    struct buf body = exchange->body;

    exchange->server->bodies -= body.len;
    memset(&exchange->body, 0, sizeof exchange->body);
    return body;
}

void exchange_gone(struct exchange *exchange)
{
    if (exchange->on_gone)
        exchange->on_gone(exchange->on_gone_user);
    exchange->server->exchanges--;
    release_body(exchange);
    buf_finish(&exchange->out);
    free(exchange);
}

static void stop_reading(struct exchange *exchange)
{
    if (!exchange->reading_stopped)
        lws_rx_flow_control(exchange->wsi, 0);
    exchange->reading_stopped = true;
}

/* Asks for the writable callback, which comes only while reading is on. */
static void want_to_write(struct exchange *exchange)
{
    if (exchange->reading_stopped)
        lws_rx_flow_control(exchange->wsi, 1);
    exchange->reading_stopped = false;
    lws_callback_on_writable(exchange->wsi);
}

/* ---- answering, for the handlers ---- */

/* The answer goes out as soon as the request is in. */
static void begin_answer(struct exchange *exchange)
{
    exchange->on_gone = NULL;
    if (exchange->state != EXCHANGE_WORKING)
        return;
    exchange->state = EXCHANGE_ANSWERING;
    lws_set_timeout(exchange->wsi, PENDING_TIMEOUT_HTTP_CONTENT, HTTP_WRITE_STALL_S);
    want_to_write(exchange);
}

void exchange_answer(struct exchange *exchange, int status, const char *content_type,
                     struct buf *body)
{
    if (exchange->status != 0) {
        buf_finish(body);
        return;
    }
    exchange->status = status;
    exchange->content_type = content_type;
    if (body) {
        buf_finish(&exchange->out);
        exchange->out = *body;
        memset(body, 0, sizeof *body);
    }
    begin_answer(exchange);
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
        message_error(&body, NULL, MESSAGE_REFUSED, text, NULL);
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

/* ---- the request ---- */

static const struct http_route *find_route(const char *path)
{
    size_t i = 0;

    while (routes[i]->path && strcmp(routes[i]->path, path) != 0)
        i++;
    return routes[i];
}

static void answer_preflight(struct exchange *exchange)
{
    exchange_answer(exchange, 204, NULL, NULL);
}

static bool has_body_method(const struct http_request *request)
{
    return strcmp(request->method, "POST") == 0 || strcmp(request->method, "PUT") == 0 ||
           strcmp(request->method, "PATCH") == 0;
}

/* The connection's own pointer holds how much was taken when its last answer ended. */
static void note_taken(struct lws *wsi)
{
    lws_set_opaque_user_data(wsi, (void *)(uintptr_t)http_bytes_taken(lws_get_socket_fd(wsi)));
}

/* A request with a body that libwebsockets reads from its own buffer, and wrongly (http_taken.c).
 * The end of a connection counts as one byte taken. */
static bool is_misread(struct lws *wsi, const struct http_request *request)
{
    uint64_t last = (uint64_t)(uintptr_t)lws_get_opaque_user_data(wsi);

    if (last == 0 || (request->length == 0 && !request->wrong &&
                      (request->has_length || !has_body_method(request))))
        return false;
    return http_bytes_taken(lws_get_socket_fd(wsi)) <= last + 1;
}

/* What the headers alone decide. */
static void judge(struct exchange *exchange)
{
    struct http_server *server = exchange->server;
    const struct http_request *request = &exchange->request;

    gate_check(&server->gate, *request->host ? request->host : NULL,
               *request->origin ? request->origin : NULL, &exchange->gate);
    if (exchange->gate.status != 0)
        exchange_error(exchange, exchange->gate.status, "%s", exchange->gate.error.text);
    else if (request->wrong)
        exchange_error(exchange, 400, "%s", request->wrong);
    else if (server->draining)
        exchange_error(exchange, 503, "the server is stopping");
    else if (request->chunked)
        exchange_error(exchange, 411,
                       "a body in chunks is not taken: send it with a Content-Length");
    else if (request->length > exchange->route->body_cap)
        exchange_error(exchange, 413, "the body has %llu bytes; this path takes at most %zu",
                       (unsigned long long)request->length, exchange->route->body_cap);
    else if (request->preflight && exchange->gate.cross_origin)
        answer_preflight(exchange);
    else if (exchange->route->check)
        exchange->route->check(exchange);
}

static void work(struct exchange *exchange)
{
    exchange->state = EXCHANGE_WORKING;
    lws_set_timeout(exchange->wsi, NO_PENDING_TIMEOUT, 0);
    if (exchange->status != 0) {
        begin_answer(exchange);
        return;
    }
    if (exchange->request.length == 0)
        stop_reading(exchange);
    exchange->route->handle(exchange);
}

/* The end of the body cannot be found, or is not worth waiting for: answer, and close after it. */
static bool body_unreadable(const struct exchange *exchange)
{
    const struct http_request *request = &exchange->request;

    return request->chunked || (request->wrong && !request->has_length) ||
           request->length > exchange->route->body_cap;
}

int exchange_on_body(struct exchange *exchange, const char *bytes, size_t len)
{
    struct http_server *server = exchange->server;

    if (uv_now(server->parts->loop) > exchange->body_deadline_ms)
        return -1;
    exchange->continue_waits = false;
    if (exchange->state != EXCHANGE_RECEIVING || exchange->status != 0)
        return 0; /* refused: thrown away */
    if (server->bodies + len > HTTP_BODIES_CAP) {
        release_body(exchange);
        exchange_error(exchange, 503, "too many large bodies at once: send it again in a moment");
        return 0;
    }
    buf_add(&exchange->body, bytes, len);
    if (exchange->body.failed)
        return -1;
    server->bodies += len;
    return 0;
}

int exchange_on_body_end(struct exchange *exchange)
{
    if (exchange->state == EXCHANGE_RECEIVING) {
        work(exchange);
        return 0;
    }
    /* It is told again for each byte of a next request that comes early. Nothing can follow a
     * stream, which ends with its connection. */
    if (exchange->streaming || exchange->state == EXCHANGE_LINGERING)
        return -1;
    note_taken(exchange->wsi);
    if (exchange->state == EXCHANGE_WORKING)
        stop_reading(exchange);
    return ++exchange->repeats < REPEATS_CAP ? 0 : -1;
}

/* ---- writing ---- */

static int add_header(struct exchange *exchange, const char *name, const char *value,
                      unsigned char **p, unsigned char *end)
{
    return lws_add_http_header_by_name(exchange->wsi, (const unsigned char *)name,
                                       (const unsigned char *)value, (int)strlen(value), p, end);
}

static int add_cors(struct exchange *exchange, unsigned char **p, unsigned char *end)
{
    if (!exchange->gate.cross_origin)
        return 0;
    if (add_header(exchange, "access-control-allow-origin:", exchange->request.origin, p, end) ||
        add_header(exchange, "vary:", "Origin", p, end) ||
        add_header(exchange, "access-control-expose-headers:", "Mcp-Session-Id, ETag, Retry-After",
                   p, end))
        return -1;
    if (!exchange->request.preflight)
        return 0;
    return add_header(exchange,
                      "access-control-allow-methods:", "GET, POST, PUT, PATCH, DELETE, OPTIONS", p,
                      end) ||
           add_header(exchange, "access-control-allow-headers:",
                      "Accept, Authorization, Content-Type, If-Match, Last-Event-ID, "
                      "Mcp-Session-Id, MCP-Protocol-Version, X-Session-ID",
                      p, end) ||
           add_header(exchange, "access-control-max-age:", "600", p, end);
}

static int add_optional(struct exchange *exchange, unsigned char **p, unsigned char *end)
{
    const struct {
        const char *name, *value;
    } optional[] = {{"etag:", exchange->etag},
                    {"allow:", exchange->allow},
                    {"mcp-session-id:", exchange->mcp_session}};
    char seconds[16];

    for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++) {
        if (*optional[i].value && add_header(exchange, optional[i].name, optional[i].value, p, end))
            return -1;
    }
    snprintf(seconds, sizeof seconds, "%d", HTTP_RETRY_AFTER_S);
    if ((exchange->status == 503 || exchange->status == 429) &&
        add_header(exchange, "retry-after:", seconds, p, end))
        return -1;
    return exchange->closes && !exchange->streaming
               ? add_header(exchange, "connection:", "close", p, end)
               : 0;
}

/* 204 has no body and says no length; a stream's end is its connection's. */
static int add_headers(struct exchange *exchange, unsigned char **p, unsigned char *end)
{
    struct lws *wsi = exchange->wsi;
    unsigned status = (unsigned)exchange->status;
    int rc;

    if (exchange->status == 204)
        rc = lws_add_http_header_status(wsi, status, p, end);
    else
        rc = lws_add_http_common_headers(
            wsi, status, exchange->content_type,
            exchange->streaming ? LWS_ILLEGAL_HTTP_CONTENT_LEN : exchange->out.len, p, end);
    return rc || add_header(exchange, "x-content-type-options:", "nosniff", p, end) ||
           add_header(exchange, "cache-control:", "no-store", p, end) ||
           add_optional(exchange, p, end) || add_cors(exchange, p, end) ||
           lws_finalize_http_header(wsi, p, end);
}

static bool has_no_body(const struct exchange *exchange)
{
    return exchange->status == 204 || strcmp(exchange->request.method, "HEAD") == 0;
}

/* The next piece: the headers first, and as much of the body as one write takes. */
static int write_piece(struct exchange *exchange)
{
    unsigned char *start = exchange->server->scratch + LWS_PRE, *p = start;
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
    return 0;
}

/* What follows the last byte of an answer. */
static int finish(struct exchange *exchange)
{
    struct lws *wsi = exchange->wsi;

    if (body_unreadable(exchange) && has_body_method(&exchange->request)) {
        /* Closing on bytes not yet read would reset the connection before the client has read the
         * answer: say that nothing more comes, and give it a moment. */
        exchange->state = EXCHANGE_LINGERING;
        shutdown(lws_get_socket_fd(wsi), SHUT_WR);
        lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, HTTP_LINGER_S);
        exchange->body_deadline_ms = uv_now(exchange->server->parts->loop) + HTTP_LINGER_S * 1000u;
        return 0;
    }
    exchange->state = EXCHANGE_DONE;
    if (exchange->closes)
        return -1;
    note_taken(wsi);
    return lws_http_transaction_completed(wsi) ? -1 : 0; /* the exchange is gone after it */
}

static int write_continue(struct exchange *exchange)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
    unsigned char *start = exchange->server->scratch + LWS_PRE;

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
        lws_set_timeout(exchange->wsi, PENDING_TIMEOUT_HTTP_CONTENT, HTTP_WRITE_STALL_S);
        lws_callback_on_writable(exchange->wsi);
        return 0;
    }
    if (exchange->streaming && !exchange->stream_ended) {
        lws_set_timeout(exchange->wsi, NO_PENDING_TIMEOUT, 0); /* until the next event */
        return 0;
    }
    return finish(exchange);
}

/* ---- the beginning ---- */

/* Answered at once, as the connection cannot go on. */
static void refuse_misread(struct exchange *exchange)
{
    exchange->closes = true;
    exchange_error(exchange, 503,
                   "a request with a body cannot follow another before that one is answered: send "
                   "it again");
    if (write_piece(exchange) < 0)
        log_debug("http", "the refusal of an early request could not be sent");
}

int exchange_on_request(struct http_server *server, struct lws *wsi, struct connection *connection,
                        const char *path, size_t len)
{
    struct exchange *exchange = calloc(1, sizeof *exchange);

    if (!exchange)
        return -1;
    connection->exchange = exchange;
    server->exchanges++;
    exchange->server = server;
    exchange->wsi = wsi;
    http_request_read(wsi, path, len, &exchange->request);
    exchange->route = find_route(exchange->request.path);
    exchange->closes = server->draining;
    buf_init(&exchange->body, exchange->route->body_cap);
    exchange->body_deadline_ms = uv_now(server->parts->loop) + HTTP_BODY_TIMEOUT_S * 1000u;
    if (is_misread(wsi, &exchange->request)) {
        refuse_misread(exchange);
        return -1;
    }
    judge(exchange);
    if (body_unreadable(exchange)) {
        exchange->closes = true;
        exchange->state = EXCHANGE_WORKING;
        begin_answer(exchange);
        return 0;
    }
    /* Without a length libwebsockets waits for a body that never comes, so such a connection does
     * not go on after its answer. */
    if (!exchange->request.has_length && has_body_method(&exchange->request))
        exchange->closes = true;
    if (exchange->request.length == 0) {
        work(exchange);
        return 0;
    }
    lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, HTTP_BODY_STALL_S);
    if (exchange->request.expects_continue && exchange->status == 0) {
        exchange->continue_waits = true;
        lws_callback_on_writable(wsi);
    }
    return 0;
}
