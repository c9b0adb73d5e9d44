/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One request and its answer. The request is checked by its headers first (Host and Origin, format,
 * size, the check of its path). If it is refused there, its body is still read and discarded, so
 * that the client can read the answer; only if the body has no length or exceeds the cap, the
 * answer is sent at once and the connection closes. Then the handler of the path answers, now or
 * later. Runs on the loop's thread.
 */
#include <stdlib.h>
#include <string.h>

#include "mcp/protocol/client.h"
#include "mcp/transport/http/http_server.h"

/* ---- life ---- */

static void release_body(struct exchange *exchange)
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

static void free_exchange(struct exchange *exchange)
{
    if (exchange->on_gone)
        exchange->on_gone(exchange->on_gone_user);
    exchange->http->exchanges--;
    exchange->http->answers -= exchange->counted;
    sign_in_end(exchange);
    release_body(exchange);
    buf_finish(&exchange->out);
    free(exchange->request);
    free(exchange);
}

size_t exchange_connections(const struct exchange *exchange)
{
    return http_connections_count(exchange->http->connections);
}

/* ---- the request ---- */

static const struct http_route *const routes[] = {
    &http_route_mcp,          &http_route_page,     &http_route_page_files, &http_route_metrics,
    &http_route_execute,      &http_route_learners, &http_route_health,     &http_route_sign_in,
    &http_route_sign_in_link, &http_route_resource};

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

bool http_serves_editors(const struct http_server *http)
{
    return http->services.server->toolsets & TOOLSET_BIT(TOOLSET_EDITOR);
}

static size_t body_cap(const struct exchange *exchange)
{
    return exchange->route->body_cap ? exchange->route->body_cap : exchange->http->config.body_cap;
}

static void work(struct exchange *exchange)
{
    exchange->state = EXCHANGE_WORKING;
    lws_set_timeout(exchange->wsi, NO_PENDING_TIMEOUT, 0);
    if (exchange->signing_in)
        return;
    if (exchange->status != 0) {
        exchange_begin_answer(exchange);
        return;
    }
    exchange->route->handle(exchange);
}

/* Its identity is known. */
static void admit(struct exchange *exchange)
{
    if (exchange->status == 0 &&
        (exchange->route->open || exchange_needs(exchange, exchange->route->scopes)) &&
        exchange->route->check)
        exchange->route->check(exchange);
    if (exchange->state == EXCHANGE_WORKING)
        work(exchange);
}

/* What the headers alone decide. */
static void check(struct exchange *exchange)
{
    struct http_server *http = exchange->http;
    const struct server_request *request = exchange->request;
    struct error err = {0};
    int refused = server_request_check(&http->config, request, &exchange->cross_origin, &err);

    if (request->wrong) /* first, as the gate shows what it refuses */
        exchange_error(exchange, request->wrong_status, "%s", request->wrong);
    else if (refused != 0)
        exchange_error(exchange, refused, "%s", err.text);
    else if (http->draining)
        exchange_error(exchange, 503, "the server is stopping");
    else if ((exchange->route->of_editors || !exchange->route->path) && !http_serves_editors(http))
        exchange_error(exchange, 404, HTTP_NO_EDITORS);
    else if (request->chunked)
        exchange_error(exchange, 411, "chunked bodies are not supported: send a Content-Length");
    else if (request->length > body_cap(exchange))
        exchange_error(exchange, 413, "the body has %llu bytes; the limit of this path is %zu",
                       (unsigned long long)request->length, body_cap(exchange));
    else if (request->preflight && exchange->cross_origin)
        exchange_answer(exchange, 204, NULL, NULL);
    else
        sign_in_begin(exchange, admit);
}

static int on_body(struct exchange *exchange, const char *bytes, size_t len)
{
    struct http_server *http = exchange->http;

    if (uv_now(http->services.server->loop) > exchange->body_deadline_ms)
        return -1;
    exchange->continue_waits = false;
    if (exchange->state != EXCHANGE_RECEIVING || exchange->status != 0)
        return 0; /* refused: discarded */
    if (http->bodies + len > HTTP_BODIES_CAP && exchange->request->length > HTTP_BODY_SMALL) {
        release_body(exchange);
        exchange_error(exchange, 503, "too many large bodies at once: send it again in a moment");
        return 0;
    }
    buf_add(&exchange->body, bytes, len);
    if (exchange->body.failed)
        return -1;
    http->bodies += len;
    return 0;
}

/* The end of the body cannot be found, or is not worth waiting for. */
static bool is_unreadable(const struct exchange *exchange)
{
    const struct server_request *request = exchange->request;

    return request->unreadable || request->chunked || request->length > body_cap(exchange);
}

static int on_request(struct http_server *http, struct lws *wsi, struct connection *connection)
{
    struct exchange *exchange = calloc(1, sizeof *exchange);

    if (!exchange)
        return -1;
    exchange->request = malloc(sizeof *exchange->request); /* server_request_read fills it */
    if (!exchange->request) {
        free(exchange);
        return -1;
    }
    connection->exchange = exchange;
    http->exchanges++;
    exchange->http = http;
    exchange->services = &http->services;
    exchange->wsi = wsi;
    exchange->identity = &identity_everyone;
    server_request_read(wsi, exchange->request);
    exchange->route = find_route(exchange->request->path);
    exchange->closes = http->draining;
    buf_init(&exchange->body, body_cap(exchange));
    exchange->body_deadline_ms =
        uv_now(http->services.server->loop) + (uint64_t)HTTP_BODY_TIMEOUT_S * 1000;
    check(exchange);
    if (is_unreadable(exchange)) {
        exchange->closes = true;
        exchange->state = EXCHANGE_WORKING;
        http_connection_discards(wsi);
        exchange_begin_answer(exchange);
        return 0;
    }
    if (exchange->request->length == 0) {
        work(exchange);
        return 0;
    }
    lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, HTTP_BODY_STALL_S);
    if (exchange->request->expects_continue && exchange->status == 0) {
        exchange->continue_waits = true;
        http_connection_writes(wsi);
    }
    return 0;
}

int exchange_on_event(struct http_server *http, struct lws *wsi, enum lws_callback_reasons reason,
                      struct connection *connection, const void *in, size_t len)
{
    struct exchange *exchange = connection ? connection->exchange : NULL;

    if (reason == LWS_CALLBACK_HTTP)
        return connection && !exchange ? on_request(http, wsi, connection) : -1;
    if (!exchange)
        return 0;
    switch (reason) {
    case LWS_CALLBACK_HTTP_BODY:
        return on_body(exchange, in, len);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        if (exchange->state == EXCHANGE_RECEIVING)
            work(exchange);
        return 0;
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return exchange_on_writable(exchange);
    default: /* HTTP_DROP_PROTOCOL, CLOSED_HTTP */
        connection->exchange = NULL;
        free_exchange(exchange);
        http_connection_expects(wsi);
        return 0;
    }
}
