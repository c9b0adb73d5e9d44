/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The HTTP server: libwebsockets 4.1.6 on our own loop, fed with sockets that http_port.c accepts.
 * Runs on the loop's thread.
 *
 * Taking down: listening stops, answers under way drain until the deadline, the MCP clients end
 * (which cancels their calls), and libwebsockets' context is destroyed in two steps, as its handles
 * close over some turns of the loop and it does not say when the last is closed.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/transport/http_server.h"

#define HEADERS_CAP      16384 /* bytes of one request's headers */
#define READ_SIZE        32768 /* bytes of one read */
#define DESCRIPTORS_LOW  4096  /* the limit wanted: connections, containers, the store */
#define DESCRIPTORS_HIGH 65536 /* libwebsockets' tables have a slot for each up to the limit */
#define HOUSEKEEPING_MS  30000
#define DRAIN_TICK_MS    20
#define TICKS_UNTIL_CLOSED                                                                         \
    8 /* turns of the loop; two are enough for handles closed in sequence                          \
       */

static void on_log(int level, const char *line)
{
    size_t len = strcspn(line, "\n");

    log_line(level == LLL_ERR ? LOG_WARNING : LOG_DEBUG, "libwebsockets", "%.*s", (int)len, line);
}

/* ---- what cannot become a plain request ---- */

/* An error without an exchange: one write, headers and body. */
static void refuse_upgrade(struct http_server *server, struct lws *wsi, int status,
                           const char *text)
{
    unsigned char *start = server->scratch + LWS_PRE, *p = start;
    unsigned char *end = start + HTTP_CHUNK_SIZE;
    struct buf BUF_AUTO body = {0};

    buf_init(&body, HTTP_CHUNK_SIZE / 2);
    buf_adds(&body, "{\"detail\":");
    json_write_string(&body, text, strlen(text));
    buf_addc(&body, '}');
    if (body.failed ||
        lws_add_http_common_headers(wsi, (unsigned)status, "application/json", body.len, &p, end) ||
        lws_finalize_http_header(wsi, &p, end))
        return;
    memcpy(p, body.data, body.len);
    p += body.len;
    if (lws_write(wsi, start, (size_t)(p - start), LWS_WRITE_HTTP_HEADERS) < 0)
        log_debug("http", "the refusal of an upgrade could not be sent");
}

/* No path serves WebSockets yet, so each upgrade is refused; Host and Origin first. 1: answered. */
static int on_upgrade(struct http_server *server, struct lws *wsi, char *kind)
{
    struct http_request *request;
    struct gate_verdict verdict;

    if (lws_hdr_total_length(wsi, WSI_TOKEN_UPGRADE) == 0)
        return -1; /* libwebsockets has answered it already */
    if (strcasecmp(kind, "websocket") != 0) {
        /* h2c: a client that offers it takes plain HTTP/1.1 as well. Accepting would take the
         * connection where nothing here is checked, so the offer is struck out. */
        kind[0] = '-';
        return 0;
    }
    request = calloc(1, sizeof *request);
    if (!request)
        return -1;
    http_request_read(wsi, "", 0, request);
    gate_check(&server->gate, *request->host ? request->host : NULL,
               *request->origin ? request->origin : NULL, &verdict);
    if (verdict.status != 0)
        refuse_upgrade(server, wsi, verdict.status, verdict.error.text);
    else
        refuse_upgrade(server, wsi, request->wrong ? 400 : 404,
                       request->wrong ? request->wrong
                                      : "no path here speaks WebSocket; MCP is at POST /mcp");
    free(request);
    return 1;
}

/* ---- libwebsockets' callback ---- */

static int on_plain(struct http_server *server, struct lws *wsi, enum lws_callback_reasons reason,
                    struct connection *connection, void *in, size_t len)
{
    struct exchange *exchange = connection ? connection->exchange : NULL;

    if (reason == LWS_CALLBACK_HTTP)
        return connection && !exchange ? exchange_on_request(server, wsi, connection, in, len) : -1;
    if (!exchange)
        return 0;
    switch (reason) {
    case LWS_CALLBACK_HTTP_BODY:
        return exchange_on_body(exchange, in, len);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        return exchange_on_body_end(exchange);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return exchange_on_writable(exchange);
    default: /* HTTP_DROP_PROTOCOL, CLOSED_HTTP */
        connection->exchange = NULL;
        exchange_gone(exchange);
        return 0;
    }
}

static int on_lws(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                  size_t len)
{
    struct http_server *server = lws_context_user(lws_get_context(wsi));

    switch (reason) {
    case LWS_CALLBACK_WSI_CREATE:
        server->connections++;
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        server->connections--;
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return on_upgrade(server, wsi, in);
    case LWS_CALLBACK_HTTP:
    case LWS_CALLBACK_HTTP_BODY:
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
    case LWS_CALLBACK_HTTP_WRITEABLE:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
    case LWS_CALLBACK_CLOSED_HTTP:
        return on_plain(server, wsi, reason, user, in, len);
    case LWS_CALLBACK_RAW_ADOPT: /* CONNECT turns a connection raw */
    case LWS_CALLBACK_RAW_RX:
    case LWS_CALLBACK_ESTABLISHED:
        return -1;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = on_lws, .per_session_data_size = sizeof(struct connection)},
    {.name = NULL},
};

/* ---- life ---- */

static void on_connection(void *user, int fd)
{
    struct http_server *server = user;

    if (server->connections >= HTTP_CONNECTIONS_CAP) {
        log_warning("http", "%d connections are open: one more was closed", HTTP_CONNECTIONS_CAP);
        close(fd);
        return;
    }
    if (!lws_adopt_socket_vhost(server->vhost, fd)) /* which closes it then */
        log_warning("http", "a connection could not be taken");
}

/* libwebsockets allocates by the limit: where it is "infinity", as in some containers, that kills;
 * where it is 1024, connections and containers run out. */
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

static int create_context(struct http_server *server, struct error *err)
{
    void *loops[] = {server->parts->loop};
    struct lws_context_creation_info info = {
        .options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
        .foreign_loops = loops,
        .user = server,
        .pt_serv_buf_size = READ_SIZE,
        .max_http_header_data2 = HEADERS_CAP,
        .max_http_header_pool = HTTP_CONNECTIONS_CAP,
        .timeout_secs = HTTP_BODY_STALL_S,
        .server_string = "lectern",
    };
    struct lws_context_creation_info vhost = {
        .port = CONTEXT_PORT_NO_LISTEN_SERVER,
        .vhost_name = "lectern",
        .protocols = protocols,
        .timeout_secs_ah_idle = HTTP_HEADERS_TIMEOUT_S,
        .keepalive_timeout = HTTP_KEEPALIVE_TIMEOUT_S,
    };

    lws_set_log_level(LLL_ERR | LLL_WARN, on_log);
    server->context = lws_create_context(&info);
    if (!server->context)
        return error_set(err, ERROR_INTERNAL,
                         "libwebsockets did not start; is the package libwebsockets-evlib-uv "
                         "installed?");
    server->vhost = lws_create_vhost(server->context, &vhost);
    return server->vhost ? 0 : error_set(err, ERROR_INTERNAL, "libwebsockets made no vhost");
}

static void on_housekeeping(uv_timer_t *timer)
{
    struct http_server *server = timer->data;

    mcp_sessions_expire(server->sessions);
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct http_server *server = handle->data;

    server->closed = true;
    if (server->abandoned)
        free(server);
    else
        server->on_closed(server->on_closed_user);
}

/* After the first step of destroying, each connection's handle closes in its own turn; once none is
 * left, some more turns see the context's own. */
static void on_closing_tick(uv_timer_t *timer)
{
    struct http_server *server = timer->data;

    if (server->connections > 0 || ++server->ticks < TICKS_UNTIL_CLOSED)
        return;
    uv_timer_stop(timer);
    lws_context_destroy(server->context);
    server->context = NULL;
    uv_close((uv_handle_t *)timer, on_timer_closed);
}

static void take_down(struct http_server *server)
{
    http_port_close(server->port);
    server->port = NULL;
    mcp_sessions_destroy(server->sessions);
    server->sessions = NULL;
    lws_context_destroy(server->context);
    uv_timer_start(&server->timer, on_closing_tick, 1, 1);
}

static void on_drain_tick(uv_timer_t *timer)
{
    struct http_server *server = timer->data;

    if (server->exchanges > 0 && uv_now(timer->loop) < server->deadline_ms)
        return;
    if (server->exchanges > 0)
        log_warning("http", "%zu answers were not finished in time", server->exchanges);
    take_down(server);
}

void http_server_close(struct http_server *server, unsigned deadline_ms,
                       void (*on_closed)(void *user), void *user)
{
    if (server->draining)
        return;
    server->draining = true;
    server->on_closed = on_closed;
    server->on_closed_user = user;
    http_port_close(server->port);
    server->port = NULL;
    uv_update_time(server->parts->loop);
    server->deadline_ms = uv_now(server->parts->loop) + deadline_ms;
    uv_ref((uv_handle_t *)&server->timer);
    uv_timer_start(&server->timer, on_drain_tick, 0, DRAIN_TICK_MS);
}

static int start(struct http_server *server, const struct http_config *config, struct error *err)
{
    server->port =
        http_port_open(server->parts->loop, config->host, config->port, on_connection, server, err);
    if (!server->port)
        return -1;
    server->gate.port = http_port_number(server->port);
    server->sessions = mcp_sessions_create(server->parts, err);
    return server->sessions ? create_context(server, err) : -1;
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
    set_descriptor_limit();
    server->parts = parts;
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
    free(server);
}
