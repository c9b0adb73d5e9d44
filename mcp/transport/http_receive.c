/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The request of an exchange. It is checked by its headers first (Host and Origin, form, size, its
 * path's own check). What is refused there still has its body read and thrown away, so that the
 * client gets to read the answer; only a body without a length or over the cap is answered at once
 * and the connection closed. Then the path's handler answers, now or later. Runs on the loop's
 * thread.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/log.h"
#include "mcp/transport/http_exchange.h"

static const struct http_route *const routes[] = {&http_route_mcp, &http_route_page,
                                                  &http_route_page_files, &http_route_metrics,
                                                  &http_route_execute};

static bool has_path(const struct http_route *route, const char *path)
{
    size_t len = strlen(route->path);

    return strncmp(path, route->path, len) == 0 &&
           (path[len] == '\0' || (route->below && path[len] == '/'));
}

static const struct http_route *find_route(const char *path)
{
    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
        if (has_path(routes[i], path))
            return routes[i];
    }
    return &http_route_rest;
}

static size_t body_cap(const struct exchange *exchange)
{
    return exchange->route->body_cap ? exchange->route->body_cap : exchange->http->body_cap;
}

/* What the headers alone decide. */
static void check(struct exchange *exchange)
{
    struct http_server *http = exchange->http;
    const struct server_request *request = &exchange->request;

    server_request_check(&http->gate, request, &exchange->gate);
    if (request->wrong) /* first, as the gate shows what it refuses */
        exchange_error(exchange, request->wrong_status, "%s", request->wrong);
    else if (exchange->gate.status != 0)
        exchange_error(exchange, exchange->gate.status, "%s", exchange->gate.error.text);
    else if (http->draining)
        exchange_error(exchange, 503, "the server is stopping");
    else if (request->chunked)
        exchange_error(exchange, 411,
                       "a body in chunks is not taken: send it with a Content-Length");
    else if (request->length > body_cap(exchange))
        exchange_error(exchange, 413, "the body has %llu bytes; this path takes at most %zu",
                       (unsigned long long)request->length, body_cap(exchange));
    else if (request->preflight && exchange->gate.cross_origin)
        exchange_answer(exchange, 204, NULL, NULL);
    else if (exchange->route->check)
        exchange->route->check(exchange);
}

static void work(struct exchange *exchange)
{
    exchange->state = EXCHANGE_WORKING;
    lws_set_timeout(exchange->wsi, NO_PENDING_TIMEOUT, 0);
    if (exchange->status != 0) {
        exchange_begin_answer(exchange);
        return;
    }
    exchange->route->handle(exchange);
}

int exchange_on_body(struct exchange *exchange, const char *bytes, size_t len)
{
    struct http_server *http = exchange->http;

    if (uv_now(http->server->loop) > exchange->body_deadline_ms)
        return -1;
    exchange->continue_waits = false;
    if (exchange->state != EXCHANGE_RECEIVING || exchange->status != 0)
        return 0; /* refused: thrown away */
    if (http->bodies + len > HTTP_BODIES_CAP) {
        exchange_release_body(exchange);
        exchange_error(exchange, 503, "too many large bodies at once: send it again in a moment");
        return 0;
    }
    buf_add(&exchange->body, bytes, len);
    if (exchange->body.failed)
        return -1;
    http->bodies += len;
    return 0;
}

int exchange_on_body_end(struct exchange *exchange)
{
    if (exchange->state == EXCHANGE_RECEIVING)
        work(exchange);
    return 0;
}

/* The end of the body cannot be found, or is not worth waiting for. */
static bool is_unreadable(const struct exchange *exchange)
{
    const struct server_request *request = &exchange->request;

    return request->unreadable || request->chunked || request->length > body_cap(exchange);
}

int exchange_on_request(struct http_server *http, struct lws *wsi, struct connection *connection)
{
    struct exchange *exchange = calloc(1, sizeof *exchange);

    if (!exchange)
        return -1;
    connection->exchange = exchange;
    http->exchanges++;
    exchange->http = http;
    exchange->wsi = wsi;
    server_request_read(wsi, &exchange->request);
    exchange->route = find_route(exchange->request.path);
    exchange->closes = http->draining;
    buf_init(&exchange->body, body_cap(exchange));
    exchange->body_deadline_ms = uv_now(http->server->loop) + (uint64_t)HTTP_BODY_TIMEOUT_S * 1000;
    check(exchange);
    if (is_unreadable(exchange)) {
        exchange->closes = exchange->lingers = true;
        exchange->state = EXCHANGE_WORKING;
        http_connection_discards(wsi);
        exchange_begin_answer(exchange);
        return 0;
    }
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
