/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libwebsockets 4.1.6 for this server: its context on our loop, its callback, and which upgrades
 * are refused. Runs on the loop's thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/transport/http_server.h"
#include "mcp/transport/web_socket.h"

/* Bytes of one request's headers, with what libwebsockets adds to each. */
#define HEADERS_CAP      (HTTP_HEAD_CAP + 16 * HTTP_HEAD_LINES_CAP)
#define SPARE_HEADERS    64    /* of connections that are closing */
#define READ_SIZE        32768 /* bytes of one read */
#define DESCRIPTORS_LOW  4096  /* the limit wanted: connections, containers, the store */
#define DESCRIPTORS_HIGH 65536 /* libwebsockets' tables have a slot for each up to the limit */

/* ---- what cannot become a plain request ---- */

/* An error without an exchange: one write, headers and body. libwebsockets does not know the
 * request's version yet, and would say HTTP/1.0, which WebSocket clients do not take. */
static void refuse_upgrade(struct http_server *http, struct lws *wsi, int status, const char *text)
{
    unsigned char *start = http->scratch + LWS_PRE;
    struct buf BUF_AUTO body = {0};
    struct buf BUF_AUTO whole = {0};

    buf_adds(&body, "{\"detail\":");
    json_write_string(&body, text, strlen(text));
    buf_addc(&body, '}');
    buf_init(&whole, HTTP_CHUNK_SIZE);
    buf_addf(&whole,
             "HTTP/1.1 %d Refused\r\nserver: lectern\r\ncontent-type: application/json\r\n"
             "content-length: %zu\r\nx-content-type-options: nosniff\r\n"
             "cross-origin-resource-policy: same-origin\r\nconnection: close\r\n%s\r\n",
             status, body.len, status == 503 ? "retry-after: 1\r\n" : "");
    buf_add(&whole, body.data, body.len);
    if (!body.failed && !whole.failed) {
        memcpy(start, whole.data, whole.len);
        if (lws_write(wsi, start, whole.len, LWS_WRITE_HTTP_HEADERS) < 0)
            log_debug("http", "the refusal of an upgrade could not be sent");
    }
}

/* Host and Origin first. 0: it goes on, -1: refused, and answered. */
static int on_upgrade(struct http_server *http, struct lws *wsi)
{
    struct server_request *request;
    struct gate_verdict verdict;
    struct error err = {0};
    int status;

    if (lws_hdr_total_length(wsi, WSI_TOKEN_UPGRADE) == 0)
        return -1; /* libwebsockets has answered it already */
    request = calloc(1, sizeof *request);
    if (!request)
        return -1;
    server_request_read(wsi, request);
    server_request_check(&http->gate, request, &verdict);
    status = request->wrong ? 400 : verdict.status;
    if (status != 0)
        error_set(&err, ERROR_INVALID, "%s", request->wrong ? request->wrong : verdict.error.text);
    else
        status = web_socket_check(http, wsi, request, &err);
    if (status != 0)
        refuse_upgrade(http, wsi, status, err.text);
    free(request);
    return status != 0 ? -1 : 0;
}

/* ---- libwebsockets' callback ---- */

static int on_plain(struct http_server *http, struct lws *wsi, enum lws_callback_reasons reason,
                    struct connection *connection, void *in, size_t len)
{
    struct exchange *exchange = connection ? connection->exchange : NULL;

    if (reason == LWS_CALLBACK_HTTP)
        return connection && !exchange ? exchange_on_request(http, wsi, connection) : -1;
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
        http_connection_expects(wsi);
        return 0;
    }
}

static int on_lws(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                  size_t len)
{
    struct http_server *http = lws_context_user(lws_get_context(wsi));

    switch (reason) {
    case LWS_CALLBACK_WSI_CREATE:
        http->open++;
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        http_connection_closed(wsi);
        http->open--;
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return on_upgrade(http, wsi);
    case LWS_CALLBACK_HTTP:
    case LWS_CALLBACK_HTTP_BODY:
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
    case LWS_CALLBACK_HTTP_WRITEABLE:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
    case LWS_CALLBACK_CLOSED_HTTP:
        return on_plain(http, wsi, reason, user, in, len);
    case LWS_CALLBACK_ESTABLISHED:
        http_connection_upgraded(wsi);
        return user ? web_socket_on_open(http, wsi, user) : -1;
    case LWS_CALLBACK_RECEIVE:
        return web_socket_on_bytes(user, in, len);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return web_socket_on_writable(user);
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        return web_socket_on_close_frame(user);
    case LWS_CALLBACK_CLOSED:
        web_socket_on_closed(user);
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = on_lws, .per_session_data_size = sizeof(struct connection)},
    {.name = NULL},
};

/* ---- the context ---- */

static void on_log(int level, const char *line)
{
    size_t len = strcspn(line, "\n");

    log_line(level == LLL_ERR ? LOG_WARNING : LOG_DEBUG, "libwebsockets", "%.*s", (int)len, line);
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

/* Handles are walked in the order of their making, so the last one polled is the one asked for. */
static void find_last_polled(uv_handle_t *handle, void *arg)
{
    uv_os_fd_t fd;

    if (handle->type == UV_POLL && uv_fileno(handle, &fd) == 0)
        *(int *)arg = fd;
}

int http_context_create(struct http_server *http, struct error *err)
{
    void *loops[] = {http->server->loop};
    struct lws_context_creation_info info = {
        .options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
        .foreign_loops = loops,
        .user = http,
        .pt_serv_buf_size = READ_SIZE,
        .max_http_header_data2 = HEADERS_CAP,
        .max_http_header_pool = HTTP_CONNECTIONS_CAP + SPARE_HEADERS,
        .timeout_secs = HTTP_BODY_STALL_S,
        .server_string = "lectern",
    };
    static const lws_retry_bo_t idle = {.secs_since_valid_ping = WEB_SOCKET_PING_S,
                                        .secs_since_valid_hangup = WEB_SOCKET_HANGUP_S};
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
        return error_set(err, ERROR_INTERNAL,
                         "libwebsockets did not start; is the package libwebsockets-evlib-uv "
                         "installed?");
    uv_walk(http->server->loop, find_last_polled, &http->pipe_fd);
    http->vhost = lws_create_vhost(http->context, &vhost);
    return http->vhost ? 0 : error_set(err, ERROR_INTERNAL, "libwebsockets made no vhost");
}

/* libwebsockets 4.1.6 closes the descriptor of its event pipe here, and the same number once more
 * when the handle has closed, by when another thread may own it. So the number is taken again at
 * once, for the second close to find. */
void http_context_close(struct http_server *http)
{
    int keeper, taken;

    if (!http->context)
        return;
    keeper = fcntl(http->pipe_fd, F_DUPFD_CLOEXEC, 0);
    lws_context_destroy(http->context);
    if (keeper < 0)
        return;
    taken = fcntl(keeper, F_DUPFD_CLOEXEC, http->pipe_fd);
    if (taken >= 0 && taken != http->pipe_fd)
        close(taken);
    close(keeper);
}
