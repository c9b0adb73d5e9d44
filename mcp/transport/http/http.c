/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The HTTP server: libwebsockets 4.1.6, called from our loop by http_front.c, with sockets that
 * http_port.c accepts. Runs on the loop's thread.
 *
 * Taking down: listening stops, answers under way drain until the deadline, the MCP clients end
 * (which cancels their calls), and libwebsockets closes the connections.
 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "helpers/base/log.h"
#include "mcp/auth/token_file.h"
#include "mcp/chat/chat.h"
#include "mcp/transport/http/http_port.h"
#include "mcp/transport/http/http_server.h"
#include "mcp/transport/websocket/sync.h"

#define HOUSEKEEPING_MS 30000
#define SPARE_MEMORY    ((size_t)2 << 20) /* bytes that malloc may keep for later */
#define PING_S                                                                                     \
    30 /* after this time without a sign of life, a ping is sent to the client of a WebSocket */
#define HANGUP_S      50 /* and without one by then it is closed */
#define DRAIN_TICK_MS 20
/* Bytes of one request's headers, with what libwebsockets adds to each. */
#define HEADERS_CAP      (HTTP_HEAD_CAP + 16 * HTTP_HEAD_LINES_CAP)
#define SPARE_HEADERS    64    /* of connections that are closing */
#define DESCRIPTORS_LOW  8192  /* the limit wanted: connections, containers, the store */
#define DESCRIPTORS_HIGH 65536 /* libwebsockets' tables have a slot for each up to the limit */

/* ---- libwebsockets' context and callback ---- */

static int on_lws(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                  size_t len)
{
    struct http_server *http = lws_context_user(lws_get_context(wsi));

    switch (reason) {
    case LWS_CALLBACK_WSI_CREATE:
        http->open++;
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        http_connection_closes(wsi);
        http->open--;
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return web_socket_on_upgrade(http, wsi);
    case LWS_CALLBACK_HTTP:
    case LWS_CALLBACK_HTTP_BODY:
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        return exchange_on_event(http, wsi, reason, user, in, len);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        http_connection_wrote(wsi);
        return exchange_on_event(http, wsi, reason, user, in, len);
    case LWS_CALLBACK_CLOSED_HTTP:
        http_connection_closes(wsi);
        return exchange_on_event(http, wsi, reason, user, in, len);
    case LWS_CALLBACK_ESTABLISHED:
    case LWS_CALLBACK_RECEIVE:
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        return web_socket_on_event(http, wsi, reason, user, in, len);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        http_connection_wrote(wsi);
        return web_socket_on_event(http, wsi, reason, user, in, len);
    case LWS_CALLBACK_CLOSED:
        http_connection_closes(wsi);
        return web_socket_on_event(http, wsi, reason, user, in, len);
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = on_lws, .per_session_data_size = sizeof(struct connection)},
    {.name = NULL},
};

static void on_log(int level, const char *line)
{
    size_t len = strcspn(line, "\n");

    log_line(level == LLL_ERR ? LOG_WARNING : LOG_DEBUG, "libwebsockets", "%.*s", (int)len, line);
}

/* libwebsockets allocates by the limit: "infinity", as in some containers, uses all memory; at 1024
 * there are too few descriptors for connections and containers. */
static void set_descriptor_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return;
    if (limit.rlim_cur >= DESCRIPTORS_LOW && limit.rlim_cur <= DESCRIPTORS_HIGH)
        return;
    limit.rlim_cur = limit.rlim_cur > DESCRIPTORS_HIGH ? DESCRIPTORS_HIGH : DESCRIPTORS_LOW;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
        log_warning("http", "setrlimit: %s", strerrordesc_np(errno));
}

static int create_context(struct http_server *http, struct error *err)
{
    struct lws_context_creation_info info = {
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
        .user = http,
        .pt_serv_buf_size = HTTP_READ_SIZE,
        .max_http_header_data2 = HEADERS_CAP,
        .max_http_header_pool = HTTP_CONNECTIONS_CAP + SPARE_HEADERS,
        .timeout_secs = HTTP_BODY_STALL_S,
        .server_string = "lectern",
    };
    static const lws_retry_bo_t idle = {.secs_since_valid_ping = PING_S,
                                        .secs_since_valid_hangup = HANGUP_S};
    struct lws_context_creation_info vhost = {
        .port = CONTEXT_PORT_NO_LISTEN_SERVER,
        .vhost_name = "lectern",
        .protocols = protocols,
        .timeout_secs_ah_idle = HTTP_HEADERS_TIMEOUT_S,
        .keepalive_timeout = HTTP_KEEPALIVE_TIMEOUT_S,
        .retry_and_idle_policy = &idle,
    };

    set_descriptor_limit();
    lws_set_log_level(LLL_ERR | LLL_WARN, on_log);
    http->context = lws_create_context(&info);
    if (!http->context)
        return error_set(err, ERROR_INTERNAL, "libwebsockets did not start");
    http->vhost = lws_create_vhost(http->context, &vhost);
    if (!http->vhost)
        return error_set(err, ERROR_INTERNAL, "libwebsockets made no vhost");
    http_front_tick(http->context); /* it completes its start then */
    return 0;
}

/* ---- taking down ---- */

static void on_tick(uv_timer_t *timer)
{
    struct http_server *http = timer->data;

    http_front_tick(http->context);
    if (http->open == 0)
        uv_timer_stop(timer);
}

static void on_connection(void *user, int fd)
{
    struct http_server *http = user;

    http_connections_add(http->connections, http->vhost, http->tls, fd);
    if (!uv_is_active((uv_handle_t *)&http->tick))
        uv_timer_start(&http->tick, on_tick, HTTP_TICK_MS, HTTP_TICK_MS);
}

/* What many requests at once needed stays with malloc, which gives back only the end of its heap.
 */
static void give_memory_back(struct http_server *http)
{
    size_t spare = mallinfo2().fordblks;

    if (spare > http->spare + SPARE_MEMORY) {
        malloc_trim(0);
        http->spare = mallinfo2().fordblks; /* which counts what the kernel has back, too */
    } else if (spare < http->spare) {
        http->spare = spare;
    }
}

static void on_housekeeping(uv_timer_t *timer)
{
    struct http_server *http = timer->data;
    size_t dropped = http_connections_take_dropped(http->connections);

    if (dropped > 0)
        log_warning("http", "%zu idle connections were closed to make room for new ones", dropped);
    give_memory_back(http);
    mcp_sessions_expire(http->services.sessions);
}

/* What stays open for longer than a request ends with the token that opened it. */
static void on_sign_in_timer(uv_timer_t *timer)
{
    struct http_server *http = timer->data;

    mcp_sessions_renew(http->services.sessions);
    sync_each(http->sync, web_socket_renew);
    chat_each(http->services.chat, web_socket_renew);
}

static void free_server(struct http_server *http)
{
    rest_cache_destroy(http->services.rest_answers);
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

/* A run waits for something that cannot be ended, such as a service behind the store. */
static void give_up_runs(struct http_server *http)
{
    if (uv_now(http->services.server->loop) < http->deadline_ms)
        return;
    log_error("http", "%zu cancelled runs of the chat did not end within %d ms",
              chat_runs(http->services.chat), HTTP_RUNS_END_MS);
    uv_timer_stop(&http->timer);
    http->on_stuck(http->on_closed_user);
}

static void on_closing_tick(uv_timer_t *timer)
{
    struct http_server *http = timer->data;

    /* A cancelled run ends soon, and uses what is freed next. */
    if (http->services.chat && chat_runs(http->services.chat) > 0) {
        give_up_runs(http);
        return;
    }
    uv_timer_stop(timer);
    tls_destroy(http->tls);
    http->tls = NULL;
    sync_destroy(http->sync);
    http->sync = NULL;
    chat_destroy(http->services.chat);
    http->services.chat = NULL;
    http_connections_destroy(http->connections);
    http->connections = NULL;
    uv_close((uv_handle_t *)timer, on_timer_closed);
}

static void take_down(struct http_server *http)
{
    http_port_close(http->port);
    http->port = NULL;
    mcp_sessions_destroy(http->services.sessions);
    http->services.sessions = NULL;
    lws_context_destroy(http->context);
    http->context = NULL;
    uv_close((uv_handle_t *)&http->tick, NULL);
    uv_close((uv_handle_t *)&http->connections_timer, NULL);
    uv_close((uv_handle_t *)&http->sign_in_timer, NULL);
    uv_close((uv_handle_t *)&http->end_of_turn, NULL);
    uv_close((uv_handle_t *)&http->no_wait, NULL);
    uv_update_time(http->services.server->loop);
    http->deadline_ms = uv_now(http->services.server->loop) + HTTP_RUNS_END_MS;
    uv_timer_start(&http->timer, on_closing_tick, 1, 1);
}

static void on_drain_tick(uv_timer_t *timer)
{
    struct http_server *http = timer->data;

    if (chat_runs(http->services.chat) == 0 || uv_now(timer->loop) >= http->pages_end_ms)
        chat_each(http->services.chat,
                  web_socket_go_away); /* what waits for a page goes out first */
    if ((http->exchanges > 0 || http_connections_unsent(http->connections) ||
         sync_clients(http->sync) > 0 || chat_pages(http->services.chat) > 0) &&
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
    sync_each(http->sync, web_socket_go_away);
    mcp_sessions_drain(http->services.sessions);
    chat_cancel_all(http->services.chat); /* pages are closed after they received that */
    uv_update_time(http->services.server->loop);
    http->deadline_ms = uv_now(http->services.server->loop) + deadline_ms;
    uv_ref((uv_handle_t *)&http->timer);
    http->pages_end_ms = uv_now(http->services.server->loop) + deadline_ms / 2;
    uv_timer_start(&http->timer, on_drain_tick, DRAIN_TICK_MS, DRAIN_TICK_MS);
}

static int start(struct http_server *http, struct error *err)
{
    struct http_config *config = &http->config;
    const struct chat_config chat = {.model = config->model, .solve = config->chat_solve};

    http->port = http_port_open(http->services.server->loop, config->host, config->port,
                                on_connection, http, err);
    if (!http->port)
        return -1;
    config->port = http_port_number(http->port);
    http->connections =
        http_connections_create(&http->connections_timer, &http->end_of_turn, &http->no_wait);
    if (!http->connections)
        return error_set(err, ERROR_MEMORY, "out of memory for the HTTP server");
    if (config->tls_cert && !(http->tls = tls_create(http->services.server->loop, config->tls_cert,
                                                     config->tls_key, err)))
        return -1;
    http->services.rest_answers = rest_cache_create(err);
    if (!http->services.rest_answers)
        return -1;
    http->sync = sync_create(http->services.server->store.feed, web_socket_wake, err);
    if (!http->sync)
        return -1;
    http->services.chat = chat_create(http->services.server, &chat, web_socket_wake, err);
    if (!http->services.chat)
        return -1;
    http->services.sessions = mcp_sessions_create(http->services.server, err);
    return http->services.sessions ? create_context(http, err) : -1;
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
    http->services.server = server;
    http->config = *config;
    if (config->body_cap == 0)
        http->config.body_cap = HTTP_BODY_CAP;
    uv_timer_init(server->loop, &http->timer);
    http->timer.data = http;
    uv_timer_init(server->loop, &http->connections_timer);
    uv_unref((uv_handle_t *)&http->connections_timer);
    uv_timer_init(server->loop, &http->sign_in_timer);
    uv_unref((uv_handle_t *)&http->sign_in_timer);
    http->sign_in_timer.data = http;
    uv_check_init(server->loop, &http->end_of_turn);
    uv_unref((uv_handle_t *)&http->end_of_turn);
    uv_idle_init(server->loop, &http->no_wait);
    uv_unref((uv_handle_t *)&http->no_wait);
    uv_timer_init(server->loop, &http->tick);
    uv_unref((uv_handle_t *)&http->tick);
    http->tick.data = http;
    if (start(http, err) < 0) {
        http->abandoned = true;
        take_down(http);
        return NULL;
    }
    if (config->auth)
        uv_timer_start(&http->sign_in_timer, on_sign_in_timer, TOKEN_FILE_CHECK_MS,
                       TOKEN_FILE_CHECK_MS);
    uv_timer_start(&http->timer, on_housekeeping, HOUSEKEEPING_MS, HOUSEKEEPING_MS);
    uv_unref((uv_handle_t *)&http->timer);
    return http;
}

int http_server_port(const struct http_server *http)
{
    return http->config.port;
}

void http_server_destroy(struct http_server *http)
{
    if (!http)
        return;
    if (!http->closed)
        log_error("http", "the server was destroyed before it was closed");
    free_server(http);
}
