/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The HTTP server: libwebsockets 4.1.6 on our own loop, fed with sockets that http_port.c accepts.
 * Runs on the loop's thread.
 *
 * Taking down: listening stops, answers under way drain until the deadline, the MCP clients end
 * (which cancels their calls), and libwebsockets' context is destroyed in two steps, as its handles
 * close over some turns of the loop and it does not say when the last is closed.
 */
#include <signal.h>
#include <stdlib.h>

#include "helpers/base/log.h"
#include "mcp/chat/chat.h"
#include "mcp/api/cache.h"
#include "mcp/transport/chat_socket.h"
#include "mcp/transport/http_server.h"
#include "mcp/transport/sync.h"
#include "mcp/transport/sync_socket.h"

#define HOUSEKEEPING_MS 30000
#define DRAIN_TICK_MS   20
/* Turns of the loop; two are enough for handles that close one after the other. */
#define TICKS_UNTIL_CLOSED 8

static void on_connection(void *user, int fd)
{
    struct http_server *http = user;

    http_connections_add(http->connections, http->vhost, fd);
}

static void on_housekeeping(uv_timer_t *timer)
{
    struct http_server *http = timer->data;
    size_t dropped = http_connections_take_dropped(http->connections);

    if (dropped > 0)
        log_warning("http", "%zu idle connections were closed to make room for new ones", dropped);
    mcp_sessions_expire(http->sessions);
}

static void free_server(struct http_server *http)
{
    rest_cache_destroy(http->rest_answers);
    free(http);
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct http_server *http = handle->data;

    http->closed = true;
    if (http->abandoned)
        free_server(http);
    else
        http->on_closed(http->on_closed_user);
}

/* A run that waits for what nobody can end, a service behind the store for instance. */
static void give_up_runs(struct http_server *http)
{
    if (uv_now(http->server->loop) < http->deadline_ms)
        return;
    log_error("http", "%zu cancelled runs of the chat did not end within %d ms",
              chat_runs(http->chat), HTTP_RUNS_END_MS);
    uv_timer_stop(&http->timer);
    http->on_stuck(http->on_closed_user);
}

/* After the first step of destroying, each connection's handle closes in its own turn; once none is
 * left, some more turns see the context's own. */
static void on_closing_tick(uv_timer_t *timer)
{
    struct http_server *http = timer->data;

    /* A cancelled run ends soon, and stands on what is taken down behind this. */
    if (http->chat && chat_runs(http->chat) > 0) {
        give_up_runs(http);
        return;
    }
    if (http->open > 0 || ++http->ticks < TICKS_UNTIL_CLOSED)
        return;
    uv_timer_stop(timer);
    lws_context_destroy(http->context);
    http->context = NULL;
    sync_destroy(http->sync);
    http->sync = NULL;
    chat_destroy(http->chat);
    http->chat = NULL;
    http_connections_destroy(http->connections);
    http->connections = NULL;
    uv_close((uv_handle_t *)timer, on_timer_closed);
}

static void take_down(struct http_server *http)
{
    http_port_close(http->port);
    http->port = NULL;
    mcp_sessions_destroy(http->sessions);
    http->sessions = NULL;
    http_context_close(http);
    uv_close((uv_handle_t *)&http->connections_timer, NULL);
    uv_update_time(http->server->loop);
    http->deadline_ms = uv_now(http->server->loop) + HTTP_RUNS_END_MS;
    uv_timer_start(&http->timer, on_closing_tick, 1, 1);
}

static void on_drain_tick(uv_timer_t *timer)
{
    struct http_server *http = timer->data;

    if (chat_runs(http->chat) == 0 || uv_now(timer->loop) >= http->pages_end_ms)
        chat_socket_close_all(http); /* what waits for a page goes out first */
    if ((http->exchanges > 0 || sync_clients(http->sync) > 0 || chat_pages(http->chat) > 0) &&
        uv_now(timer->loop) < http->deadline_ms)
        return;
    if (http->exchanges > 0)
        log_warning("http", "%zu answers were not finished in time", http->exchanges);
    take_down(http);
}

void http_server_close(struct http_server *http, unsigned deadline_ms,
                       void (*on_closed)(void *user), void (*on_stuck)(void *user), void *user)
{
    if (http->draining)
        return;
    http->draining = true;
    http->on_closed = on_closed;
    http->on_stuck = on_stuck;
    http->on_closed_user = user;
    http_port_close(http->port);
    http->port = NULL;
    sync_socket_close_all(http);
    chat_cancel_all(http->chat); /* pages are closed once they were told so */
    uv_update_time(http->server->loop);
    http->deadline_ms = uv_now(http->server->loop) + deadline_ms;
    uv_ref((uv_handle_t *)&http->timer);
    http->pages_end_ms = uv_now(http->server->loop) + deadline_ms / 2;
    uv_timer_start(&http->timer, on_drain_tick, DRAIN_TICK_MS, DRAIN_TICK_MS);
}

static int start(struct http_server *http, const struct http_config *config, struct error *err)
{
    const struct chat_config chat = {.model = config->model};

    http->port =
        http_port_open(http->server->loop, config->host, config->port, on_connection, http, err);
    if (!http->port)
        return -1;
    http->gate.port = http_port_number(http->port);
    http->connections = http_connections_create(&http->connections_timer);
    if (!http->connections)
        return error_set(err, ERROR_MEMORY, "out of memory for the HTTP server");
    http->rest_answers = rest_cache_create(err);
    if (!http->rest_answers)
        return -1;
    http->sync = sync_create(http->server->feed, sync_socket_wake, err);
    if (!http->sync)
        return -1;
    http->chat = chat_create(http->server, &chat, chat_socket_wake, err);
    if (!http->chat)
        return -1;
    http->sessions = mcp_sessions_create(http->server, err);
    return http->sessions ? http_context_create(http, err) : -1;
}

struct http_server *http_server_create(struct server *server, const struct http_config *config,
                                       struct error *err)
{
    struct http_server *http = calloc(1, sizeof *http);

    if (!http) {
        error_set(err, ERROR_MEMORY, "out of memory for the HTTP server");
        return NULL;
    }
    signal(SIGPIPE, SIG_IGN); /* a client that left is an error of write */
    http->server = server;
    http->pipe_fd = -1;
    http->body_cap = config->body_cap ? config->body_cap : HTTP_BODY_CAP;
    http->gate = (struct http_gate){.host = config->host,
                                    .allow_origins = config->allow_origins,
                                    .allow_hosts = config->allow_hosts};
    uv_timer_init(server->loop, &http->timer);
    http->timer.data = http;
    uv_timer_init(server->loop, &http->connections_timer);
    uv_unref((uv_handle_t *)&http->connections_timer);
    if (start(http, config, err) < 0) {
        http->abandoned = true;
        take_down(http);
        return NULL;
    }
    uv_timer_start(&http->timer, on_housekeeping, HOUSEKEEPING_MS, HOUSEKEEPING_MS);
    uv_unref((uv_handle_t *)&http->timer);
    return http;
}

int http_server_port(const struct http_server *http)
{
    return http->gate.port;
}

void http_server_destroy(struct http_server *http)
{
    if (!http)
        return;
    if (!http->closed)
        log_error("http", "the server was destroyed before it was closed");
    free_server(http);
}
