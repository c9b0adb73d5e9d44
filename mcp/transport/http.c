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
#include "mcp/session/rest_cache.h"
#include "mcp/transport/chat_socket.h"
#include "mcp/transport/http_server.h"
#include "mcp/transport/sync.h"
#include "mcp/transport/sync_socket.h"

#define HOUSEKEEPING_MS 1000
#define DRAIN_TICK_MS   20
/* Turns of the loop; two are enough for handles that close one after the other. */
#define TICKS_UNTIL_CLOSED 8

static void on_connection(void *user, int fd)
{
    struct http_server *server = user;

    http_connections_add(server->connections, server->vhost, fd);
}

static void on_housekeeping(uv_timer_t *timer)
{
    struct http_server *server = timer->data;
    size_t dropped = http_connections_take_dropped(server->connections);

    if (dropped > 0)
        log_warning("http", "%zu idle connections were closed to make room for new ones", dropped);
    http_connections_close_left(server->connections);
    mcp_sessions_expire(server->sessions);
}

static void free_server(struct http_server *server)
{
    rest_cache_destroy(server->rest_answers);
    free(server);
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct http_server *server = handle->data;

    server->closed = true;
    if (server->abandoned)
        free_server(server);
    else
        server->on_closed(server->on_closed_user);
}

/* A run that waits for what nobody can end, a service behind the store for instance. */
static void give_up_runs(struct http_server *server)
{
    if (uv_now(server->parts->loop) < server->deadline_ms)
        return;
    log_error("http", "%zu cancelled runs of the chat did not end within %d ms",
              chat_runs(server->chat), HTTP_RUNS_END_MS);
    uv_timer_stop(&server->timer);
    server->on_stuck(server->on_closed_user);
}

/* After the first step of destroying, each connection's handle closes in its own turn; once none is
 * left, some more turns see the context's own. */
static void on_closing_tick(uv_timer_t *timer)
{
    struct http_server *server = timer->data;

    /* A cancelled run ends soon, and stands on what is taken down behind this. */
    if (server->chat && chat_runs(server->chat) > 0) {
        give_up_runs(server);
        return;
    }
    if (server->open > 0 || ++server->ticks < TICKS_UNTIL_CLOSED)
        return;
    uv_timer_stop(timer);
    lws_context_destroy(server->context);
    server->context = NULL;
    sync_destroy(server->sync);
    server->sync = NULL;
    chat_destroy(server->chat);
    server->chat = NULL;
    http_connections_destroy(server->connections);
    server->connections = NULL;
    uv_close((uv_handle_t *)timer, on_timer_closed);
}

static void take_down(struct http_server *server)
{
    http_port_close(server->port);
    server->port = NULL;
    mcp_sessions_destroy(server->sessions);
    server->sessions = NULL;
    http_context_close(server);
    uv_update_time(server->parts->loop);
    server->deadline_ms = uv_now(server->parts->loop) + HTTP_RUNS_END_MS;
    uv_timer_start(&server->timer, on_closing_tick, 1, 1);
}

static void on_drain_tick(uv_timer_t *timer)
{
    struct http_server *server = timer->data;

    if (chat_runs(server->chat) == 0 || uv_now(timer->loop) >= server->pages_end_ms)
        chat_socket_close_all(server); /* what waits for a page goes out first */
    if ((server->exchanges > 0 || sync_clients(server->sync) > 0 || chat_pages(server->chat) > 0) &&
        uv_now(timer->loop) < server->deadline_ms)
        return;
    if (server->exchanges > 0)
        log_warning("http", "%zu answers were not finished in time", server->exchanges);
    take_down(server);
}

void http_server_close(struct http_server *server, unsigned deadline_ms,
                       void (*on_closed)(void *user), void (*on_stuck)(void *user), void *user)
{
    if (server->draining)
        return;
    server->draining = true;
    server->on_closed = on_closed;
    server->on_stuck = on_stuck;
    server->on_closed_user = user;
    http_port_close(server->port);
    server->port = NULL;
    sync_socket_close_all(server);
    chat_cancel_all(server->chat); /* pages are closed once they were told so */
    uv_update_time(server->parts->loop);
    server->deadline_ms = uv_now(server->parts->loop) + deadline_ms;
    uv_ref((uv_handle_t *)&server->timer);
    server->pages_end_ms = uv_now(server->parts->loop) + deadline_ms / 2;
    uv_timer_start(&server->timer, on_drain_tick, DRAIN_TICK_MS, DRAIN_TICK_MS);
}

static int start(struct http_server *server, const struct http_config *config, struct error *err)
{
    const struct chat_config chat = {.model = config->model};

    server->port =
        http_port_open(server->parts->loop, config->host, config->port, on_connection, server, err);
    if (!server->port)
        return -1;
    server->gate.port = http_port_number(server->port);
    server->connections = http_connections_create();
    if (!server->connections)
        return error_set(err, ERROR_MEMORY, "out of memory for the HTTP server");
    server->rest_answers = rest_cache_create(err);
    if (!server->rest_answers)
        return -1;
    server->sync = sync_create(server->parts->feed, sync_socket_wake, err);
    if (!server->sync)
        return -1;
    server->chat = chat_create(server->parts, &chat, chat_socket_wake, err);
    if (!server->chat)
        return -1;
    server->sessions = mcp_sessions_create(server->parts, err);
    return server->sessions ? http_context_create(server, err) : -1;
}

struct http_server *http_server_create(struct server_parts *parts, const struct http_config *config,
                                       struct error *err)
{
    struct http_server *server = calloc(1, sizeof *server);

    if (!server) {
        error_set(err, ERROR_MEMORY, "out of memory for the HTTP server");
        return NULL;
    }
    signal(SIGPIPE, SIG_IGN); /* a client that left is an error of write */
    server->parts = parts;
    server->pipe_fd = -1;
    server->body_cap = config->body_cap ? config->body_cap : HTTP_BODY_CAP;
    server->gate = (struct http_gate){.host = config->host,
                                      .allow_origins = config->allow_origins,
                                      .allow_hosts = config->allow_hosts};
    uv_timer_init(parts->loop, &server->timer);
    server->timer.data = server;
    if (start(server, config, err) < 0) {
        server->abandoned = true;
        take_down(server);
        return NULL;
    }
    uv_timer_start(&server->timer, on_housekeeping, HOUSEKEEPING_MS, HOUSEKEEPING_MS);
    uv_unref((uv_handle_t *)&server->timer);
    return server;
}

int http_server_port(const struct http_server *server)
{
    return server->gate.port;
}

void http_server_destroy(struct http_server *server)
{
    if (!server)
        return;
    if (!server->closed)
        log_error("http", "the server was destroyed before it was closed");
    free_server(server);
}
