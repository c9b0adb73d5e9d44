/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The request of an exchange. It is judged by its headers first (Host and Origin, form, size, its
 * path's own check). What is refused there still has its body read and thrown away, so that the
 * client gets to read the answer; only a body without a length or over the cap is answered at once
 * and the connection closed. Then the path's handler answers, now or later. Runs on the loop's
 * thread.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/log.h"
#include "mcp/transport/http_exchange.h"
#include "mcp/transport/http_taken.h"

#define REPEATS_CAP 100000 /* of the end of one body: more is a loop inside libwebsockets */

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

void exchange_note_taken(struct exchange *exchange)
{
    uint64_t taken = http_bytes_taken(lws_get_socket_fd(exchange->wsi));

    lws_set_opaque_user_data(exchange->wsi, (void *)(uintptr_t)taken);
}

/* A request with a body that libwebsockets reads from its own buffer, and wrongly (http_taken.c).
 * The end of a connection counts as one byte taken. */
static bool is_misread(struct lws *wsi, const struct http_request *request)
{
    uint64_t last = (uint64_t)(uintptr_t)lws_get_opaque_user_data(wsi);

    if (last == 0 || (request->length == 0 && !request->wrong &&
                      (request->has_length || !http_request_has_body_method(request))))
        return false;
    return http_bytes_taken(lws_get_socket_fd(wsi)) <= last + 1;
}

static size_t body_cap(const struct exchange *exchange)
{
    return exchange->route->body_cap ? exchange->route->body_cap : exchange->server->body_cap;
}

/* What the headers alone decide. */
static void judge(struct exchange *exchange)
{
    struct http_server *server = exchange->server;
    const struct http_request *request = &exchange->request;

    gate_check(&server->gate, *request->host ? request->host : NULL,
               *request->origin ? request->origin : NULL, &exchange->gate);
    if (request->wrong) /* first, as the gate shows what it refuses */
        exchange_error(exchange, 400, "%s", request->wrong);
    else if (exchange->gate.status != 0)
        exchange_error(exchange, exchange->gate.status, "%s", exchange->gate.error.text);
    else if (server->draining)
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
    if (exchange->request.length == 0)
        exchange_stop_reading_soon(exchange);
    exchange->route->handle(exchange);
}

/* The end of the body cannot be found, or is not worth waiting for: answer, and close after it. */
bool exchange_body_unreadable(const struct exchange *exchange)
{
    const struct http_request *request = &exchange->request;

    return request->chunked || (request->wrong && !request->has_length) ||
           request->length > body_cap(exchange);
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
        exchange_release_body(exchange);
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
    exchange_note_taken(exchange);
    if (exchange->state == EXCHANGE_WORKING)
        exchange_stop_reading(exchange);
    return ++exchange->repeats < REPEATS_CAP ? 0 : -1;
}

/* Answered at once, as the connection cannot go on. */
static void refuse_misread(struct exchange *exchange)
{
    exchange->closes = true;
    exchange_error(exchange, 503,
                   "a request with a body cannot follow another before that one is answered: send "
                   "it again");
    if (exchange_write_piece(exchange) < 0)
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
    http_request_read(server->targets, wsi, path, len, &exchange->request);
    exchange->route = find_route(exchange->request.path);
    exchange->closes = server->draining;
    buf_init(&exchange->body, body_cap(exchange));
    exchange->body_deadline_ms = uv_now(server->parts->loop) + (uint64_t)HTTP_BODY_TIMEOUT_S * 1000;
    if (is_misread(wsi, &exchange->request)) {
        refuse_misread(exchange);
        return -1;
    }
    judge(exchange);
    if (exchange_body_unreadable(exchange)) {
        exchange->closes = true;
        exchange->state = EXCHANGE_WORKING;
        exchange_begin_answer(exchange);
        return 0;
    }
    /* Without a length libwebsockets waits for a body that never comes, so such a connection does
     * not go on after its answer. */
    if (!exchange->request.has_length && http_request_has_body_method(&exchange->request))
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
