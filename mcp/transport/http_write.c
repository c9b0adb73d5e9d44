/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of an exchange, in pieces: one write each time the connection can take one. Runs on
 * the loop's thread.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "mcp/transport/http_exchange.h"

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
        add_header(exchange, "access-control-expose-headers:",
                   "Mcp-Session-Id, ETag, Allow, Retry-After, Idempotency-Replayed", p, end))
        return -1;
    if (!exchange->request.preflight)
        return 0;
    return add_header(exchange,
                      "access-control-allow-methods:", "GET, POST, PUT, PATCH, DELETE, OPTIONS", p,
                      end) ||
           add_header(
               exchange, "access-control-allow-headers:",
               "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, "
               "Last-Event-ID, "
               "Mcp-Session-Id, MCP-Protocol-Version, X-Editor, X-Session-ID",
               p, end) ||
           add_header(exchange, "access-control-max-age:", "600", p, end);
}

static int add_optional(struct exchange *exchange, unsigned char **p, unsigned char *end)
{
    const struct {
        const char *name, *value;
    } optional[] = {{"etag:", exchange->etag},
                    {"allow:", exchange->allow},
                    {"idempotency-replayed:", exchange->replayed ? "true" : ""},
                    {"mcp-session-id:", exchange->mcp_session}};
    char seconds[16];

    for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++) {
        if (*optional[i].value && add_header(exchange, optional[i].name, optional[i].value, p, end))
            return -1;
    }
    snprintf(seconds, sizeof seconds, "%u",
             exchange->retry_after_s ? exchange->retry_after_s : HTTP_RETRY_AFTER_S);
    if ((exchange->status == 503 || exchange->status == 429) &&
        add_header(exchange, "retry-after:", seconds, p, end))
        return -1;
    return exchange->closes && !exchange->streaming
               ? add_header(exchange, "connection:", "close", p, end)
               : 0;
}

static int add_own(struct exchange *exchange, unsigned char **p, unsigned char *end)
{
    if (!exchange->headers)
        return add_header(exchange, "cache-control:", "no-store", p, end);
    for (const struct http_header *row = exchange->headers; row->name; row++) {
        if (add_header(exchange, row->name, row->value, p, end))
            return -1;
    }
    return 0;
}

/* 204 and 304 have no body and say no length; a stream's end is its connection's. */
static int add_headers(struct exchange *exchange, unsigned char **p, unsigned char *end)
{
    struct lws *wsi = exchange->wsi;
    unsigned status = (unsigned)exchange->status;
    int rc;

    if (exchange->status == 204 || exchange->status == 304)
        rc = lws_add_http_header_status(wsi, status, p, end);
    else
        rc = lws_add_http_common_headers(
            wsi, status, exchange->content_type,
            exchange->streaming ? LWS_ILLEGAL_HTTP_CONTENT_LEN : exchange->out.len, p, end);
    return rc || add_header(exchange, "x-content-type-options:", "nosniff", p, end) ||
           add_header(exchange, "cross-origin-resource-policy:", "same-origin", p, end) ||
           add_own(exchange, p, end) || add_optional(exchange, p, end) ||
           add_cors(exchange, p, end) || lws_finalize_http_header(wsi, p, end);
}

static bool has_no_body(const struct exchange *exchange)
{
    return exchange->status == 204 || exchange->status == 304 ||
           strcmp(exchange->request.method, "HEAD") == 0;
}

/* The next piece: the headers first, and as much of the body as one write takes. */
int exchange_write_piece(struct exchange *exchange)
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
    return 0;
}

/* What follows the last byte of an answer. */
static int finish(struct exchange *exchange)
{
    struct lws *wsi = exchange->wsi;

    if (exchange->lingers) {
        /* Closing on bytes not yet read would reset the connection before the client has read the
         * answer: say that nothing more comes, and give it a moment. */
        exchange->state = EXCHANGE_LINGERING;
        shutdown(lws_get_socket_fd(wsi), SHUT_WR);
        lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, HTTP_LINGER_S);
        return 0;
    }
    exchange->state = EXCHANGE_DONE;
    if (exchange->closes)
        return -1;
    return lws_http_transaction_completed(wsi) ? -1 : 0; /* the exchange is gone after it */
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
        if (exchange_write_piece(exchange) < 0)
            return -1;
        /* An answer that is out ends here and now: a client that has read it may send its next
         * request at once, which libwebsockets must not read before this one is completed. Only a
         * connection that closes waits until the rest has left libwebsockets' own buffer. */
        if (exchange->streaming || exchange->written < exchange->out.len ||
            (exchange->closes && lws_partial_buffered(exchange->wsi))) {
            lws_set_timeout(exchange->wsi, PENDING_TIMEOUT_HTTP_CONTENT, HTTP_WRITE_STALL_S);
            lws_callback_on_writable(exchange->wsi);
            return 0;
        }
    }
    if (exchange->streaming && !exchange->stream_ended) {
        lws_set_timeout(exchange->wsi, NO_PENDING_TIMEOUT, 0); /* until the next event */
        return 0;
    }
    return finish(exchange);
}
