/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The HTTP server over real sockets: who is let in, what is refused, MCP sessions, streams, the
 * session API on lanes with a store, and taking it all down. The server's loop runs on a thread of
 * its own; the client here writes its requests by hand, as it has to send what no library would.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "mcp/store/store.h"
#include "mcp/transport/http_port.h"
#include "mcp/transport/transport.h"
#include "tests/unit/fake_tools.h"

#define CLIENT_CAP     ((size_t)32 << 20)
#define SLOW_READERS   45 /* of 7 MB each: more than HTTP_ANSWERS_CAP */
#define READ_CAPACITY  4
#define PARALLEL       50
#define BODY_CAP       17825792 /* bytes, more than by default */
#define DRAIN_MS       3000
#define ALLOWED_ORIGIN "https://cms.example"

struct fixture {
    uv_loop_t loop;
    uv_async_t stop;
    struct server server;
    struct http_server *http;
    char folder[64], url[128];
    pthread_t thread;
    int port;
    unsigned drain_ms;
    bool stopping;
    int loop_closed;
};

/* ---- the server ---- */

static void *open_writer(void *arg, struct error *err)
{
    return store_open(arg, STORE_WRITE, err);
}

static void *open_reader(void *arg, struct error *err)
{
    return store_open(arg, STORE_READ, err);
}

static void close_store(void *context)
{
    store_close(context);
}

static void on_closed(void *user)
{
    struct fixture *fixture = user;

    workq_destroy(fixture->server.sql);
    workq_destroy(fixture->server.read);
    loop_queue_destroy(fixture->server.loop_queue);
    uv_close((uv_handle_t *)&fixture->stop, NULL);
}

static void on_stuck(void *user)
{
    (void)user;
    abort(); /* there is no chat here */
}

static void on_stop(uv_async_t *async)
{
    struct fixture *fixture = async->data;

    http_server_close(fixture->http, fixture->drain_ms, on_closed, on_stuck, fixture);
}

static void *serve(void *arg)
{
    struct fixture *fixture = arg;

    uv_run(&fixture->loop, UV_RUN_DEFAULT);
    http_server_destroy(fixture->http);
    fixture->loop_closed = uv_loop_close(&fixture->loop);
    return NULL;
}

static int setup(void **state)
{
    static const char *const origins[] = {ALLOWED_ORIGIN, NULL};
    static const char *const hosts[] = {"lectern.example", "proxy.example:444", NULL};
    const struct http_config config = {
        .host = "127.0.0.1", .allow_origins = origins, .allow_hosts = hosts, .body_cap = BODY_CAP};
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error err = {0};

    snprintf(fixture->folder, sizeof fixture->folder, "/tmp/lectern-test-http-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->url, sizeof fixture->url, "sqlite:%s/store.db", fixture->folder);
    uv_loop_init(&fixture->loop);
    fixture->server.loop = &fixture->loop;
    fixture->server.loop_queue = loop_queue_create(&fixture->loop, &err);
    fixture->server.sql = workq_create(&(struct workq_config){.name = "sql",
                                                              .threads = 1,
                                                              .capacity = 256,
                                                              .open = open_writer,
                                                              .close = close_store,
                                                              .arg = fixture->url},
                                       fixture->server.loop_queue, &err);
    assert_non_null(fixture->server.sql);
    fixture->server.read = workq_create(&(struct workq_config){.name = "read",
                                                               .threads = 2,
                                                               .capacity = READ_CAPACITY,
                                                               .open = open_reader,
                                                               .close = close_store,
                                                               .arg = fixture->url},
                                        fixture->server.loop_queue, &err);
    assert_non_null(fixture->server.read);
    fixture->server.profile = validator_profile_find("data-science");
    fixture->server.timeout_seconds = 5;
    snprintf(fixture->server.executor_error, sizeof fixture->server.executor_error,
             "no sandbox in this test");
    fixture->http = http_server_create(&fixture->server, &config, &err);
    if (!fixture->http)
        fail_msg("%s", err.text);
    fixture->port = http_server_port(fixture->http);
    fixture->drain_ms = DRAIN_MS;
    uv_async_init(&fixture->loop, &fixture->stop, on_stop);
    fixture->stop.data = fixture;
    atomic_store(&fake_cancelled, 0);
    atomic_store(&fake_released, false);
    assert_int_equal(pthread_create(&fixture->thread, NULL, serve, fixture), 0);
    *state = fixture;
    return 0;
}

static void stop(struct fixture *fixture)
{
    if (!fixture->stopping)
        uv_async_send(&fixture->stop);
    fixture->stopping = true;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    static const char *const files[] = {"store.db", "store.db-wal", "store.db-shm"};
    char path[128];

    stop(fixture);
    pthread_join(fixture->thread, NULL);
    assert_int_equal(fixture->loop_closed, 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", fixture->folder, files[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(fixture->folder), 0);
    free(fixture);
    return 0;
}

/* ---- the client ---- */

struct client {
    int fd;
    char *data; /* received and not yet taken */
    size_t len;
};

struct answer {
    int status;
    char head[4096];
    char *body; /* NUL-terminated */
    size_t len;
    char value[512]; /* of the header asked for last */
};

static void client_open(struct client *client, int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct timeval patience = {.tv_sec = 20};
    const int on = 1;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    client->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(client->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(client->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    assert_int_equal(connect(client->fd, (struct sockaddr *)&address, sizeof address), 0);
    client->data = malloc(CLIENT_CAP);
    client->len = 0;
}

static void client_close(struct client *client)
{
    close(client->fd);
    free(client->data);
}

/* How much went out; less than len where the server closed. */
static size_t client_write(struct client *client, const char *bytes, size_t len)
{
    size_t done = 0;
    ssize_t n;

    while (done < len) {
        n = send(client->fd, bytes + done, len - done, MSG_NOSIGNAL);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return done;
}

/* False at the end of the connection. */
static bool client_fill(struct client *client)
{
    ssize_t n = recv(client->fd, client->data + client->len, CLIENT_CAP - 1 - client->len, 0);

    if (n <= 0)
        return false;
    client->len += (size_t)n;
    client->data[client->len] = '\0';
    return true;
}

static void client_take(struct client *client, size_t len)
{
    memmove(client->data, client->data + len, client->len - len + 1);
    client->len -= len;
}

static const char *header(struct answer *answer, const char *name)
{
    char line[128];
    const char *at;

    snprintf(line, sizeof line, "\n%s: ", name);
    at = strcasestr(answer->head, line);
    if (!at)
        return NULL;
    at += strlen(line);
    snprintf(answer->value, sizeof answer->value, "%.*s", (int)strcspn(at, "\r\n"), at);
    return answer->value;
}

/* The next answer's head; false where the connection ended without one. */
static bool read_head(struct client *client, struct answer *answer)
{
    const char *end;
    size_t len;

    memset(answer, 0, sizeof *answer);
    while (client->len == 0 || !(end = strstr(client->data, "\r\n\r\n"))) {
        if (!client_fill(client))
            return false;
    }
    len = (size_t)(end - client->data) + 4;
    assert_true(len < sizeof answer->head);
    memcpy(answer->head, client->data, len);
    client_take(client, len);
    assert_int_equal(sscanf(answer->head, "HTTP/1.%*d %d", &answer->status), 1);
    return true;
}

static void read_body(struct client *client, struct answer *answer, bool head_only)
{
    const char *length = header(answer, "content-length");

    if (head_only || answer->status == 204 || answer->status == 304) {
        answer->len = 0;
    } else if (length) {
        answer->len = strtoul(length, NULL, 10);
        while (client->len < answer->len)
            assert_true(client_fill(client));
    } else {
        while (client_fill(client))
            continue;
        answer->len = client->len;
    }
    answer->body = malloc(answer->len + 1);
    memcpy(answer->body, client->data, answer->len);
    answer->body[answer->len] = '\0';
    if (client->len > 0)
        client_take(client, answer->len);
}

static void read_answer(struct client *client, struct answer *answer)
{
    assert_true(read_head(client, answer));
    read_body(client, answer, false);
}

/* One request on a connection; extra headers end in "\r\n" each. */
static void request(struct client *client, struct answer *answer, const char *method,
                    const char *path, const char *headers, const char *body)
{
    char head[4096];
    int len;

    len = snprintf(head, sizeof head, "%s %s HTTP/1.1\r\n%s%s", method, path,
                   strcasestr(headers, "host:") ? "" : "Host: localhost\r\n", headers);
    if (body)
        len += snprintf(head + len, sizeof head - (size_t)len, "Content-Length: %zu\r\n",
                        strlen(body));
    len += snprintf(head + len, sizeof head - (size_t)len, "\r\n");
    client_write(client, head, (size_t)len);
    if (body)
        client_write(client, body, strlen(body));
    assert_true(read_head(client, answer));
    read_body(client, answer, strcmp(method, "HEAD") == 0);
}

/* One request on a connection of its own. */
static void request_once(const struct fixture *fixture, struct answer *answer, const char *method,
                         const char *path, const char *headers, const char *body)
{
    struct client client;

    client_open(&client, fixture->port);
    request(&client, answer, method, path, headers, body);
    client_close(&client);
}

static void expect(const struct fixture *fixture, const char *method, const char *path,
                   const char *headers, const char *body, int status, const char *says)
{
    struct answer answer;

    request_once(fixture, &answer, method, path, headers, body);
    if (answer.status != status || (says && !strstr(answer.body, says)))
        fail_msg("%s %s %s: %d %s", method, path, headers, answer.status, answer.body);
    free(answer.body);
}

#define JSON        "Content-Type: application/json\r\n"
#define MCP_HEADERS JSON "Accept: application/json, text/event-stream\r\n"
#define INITIALIZE                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}"
#define PING "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"
#define CALL(id, tool, arguments)                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool    \
    "\",\"arguments\":" arguments "}}"
#define CALL_WITH_TOKEN(id, tool, arguments)                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool    \
    "\",\"arguments\":" arguments ",\"_meta\":{\"progressToken\":1}}}"
#define CANCEL(id)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" id "}}"

/* The headers of a new MCP session. */
static void initialize(const struct fixture *fixture, char headers[512])
{
    struct answer answer;

    request_once(fixture, &answer, "POST", "/mcp", MCP_HEADERS, INITIALIZE);
    assert_int_equal(answer.status, 200);
    assert_non_null(header(&answer, "mcp-session-id"));
    snprintf(headers, 512,
             MCP_HEADERS "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: %.64s\r\n",
             header(&answer, "mcp-session-id"));
    free(answer.body);
}

/* ---- who is let in ---- */

static void test_host_and_origin(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const paths[] = {"/", "/mcp", "/health", "/session/create", "/no/such"};
    static const struct {
        const char *host, *origin; /* %d: the port */
        bool allowed;
    } matrix[] = {
        {"localhost", NULL, true},
        {"LOCALHOST:%d", NULL, true},
        {"127.0.0.1:%d", NULL, true},
        {"[::1]:%d", NULL, true},
        {"[::1]", NULL, true},
        {"lectern.example", NULL, true},
        {"lectern.example:9", NULL, true},
        {"proxy.example:444", NULL, true},
        {"proxy.example", NULL, false},
        {"localhost:1", NULL, false},
        {"localhost.", NULL, false},
        {"localhost.evil.example", NULL, false},
        {"evil.example:%d", NULL, false},
        {"0.0.0.0:%d", NULL, false},
        {"127.0.0.1.evil.example", NULL, false},
        {"localhost:%d, evil.example", NULL, false},
        {"evil.example\r\nHost: localhost", NULL, false},
        {"localhost:%d", "http://localhost:%d", true},
        {"localhost:%d", "http://127.0.0.1:%d", true},
        {"127.0.0.1:%d", "http://[::1]:%d", true},
        {"lectern.example", "https://lectern.example", true},
        {"localhost:%d", ALLOWED_ORIGIN, true},
        {"localhost:%d", "https://cms.example.evil.example", false},
        {"localhost:%d", "https://cms.example:8443", false},
        {"localhost:%d", "http://cms.example", false},
        {"localhost:%d", "http://localhost", false},
        {"localhost:%d", "http://localhost:3000", false},
        {"localhost:%d", "https://evil.example", false},
        {"localhost:%d", "null", false},
        {"localhost:%d", "file://", false},
        {"localhost:%d", "http://localhost:%d@evil.example", false},
        {"evil.example:%d", "http://evil.example:%d", false},
        {"evil.example", ALLOWED_ORIGIN, false},
    };
    char host[128], origin[128], headers[512];
    struct answer answer;

    for (size_t p = 0; p < sizeof paths / sizeof paths[0]; p++) {
        for (size_t i = 0; i < sizeof matrix / sizeof matrix[0]; i++) {
            /* clang-format off */
            _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wformat-nonliteral\"")
            snprintf(host, sizeof host, matrix[i].host, fixture->port);
            snprintf(origin, sizeof origin, matrix[i].origin ? matrix[i].origin : "", fixture->port);
            _Pragma("GCC diagnostic pop")
                /* clang-format on */
                snprintf(headers, sizeof headers, "Host: %s\r\n%s%s%s", host,
                         *origin ? "Origin: " : "", origin, *origin ? "\r\n" : "");
            request_once(fixture, &answer, "GET", paths[p], headers, NULL);
            if ((answer.status != 403) != matrix[i].allowed)
                fail_msg("%s %s: %d %s", paths[p], headers, answer.status, answer.body);
            if (!matrix[i].allowed)
                assert_non_null(strstr(answer.body, "--allow-"));
            free(answer.body);
        }
    }
    expect(fixture, "GET", "/health", "X-Nothing: host:\r\n", NULL, 400, "Host");
    /* A message cannot show what is no UTF-8. */
    expect(fixture, "GET", "/health", "Host: localhost\xff\r\n", NULL, 400, "printable ASCII");
    expect(fixture, "GET", "/health", "Origin: http://\xff\r\n", NULL, 400, "printable ASCII");
}

/* Upgrades are for the paths that speak WebSocket; h2c falls back to HTTP/1.1, as its offer allows.
 */
static void test_upgrades(void **state)
{
    static const char ws[] = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: "
                             "13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    static const char *const protocols[] = {"", "Sec-WebSocket-Protocol: mcp\r\n",
                                            "Sec-WebSocket-Protocol: http\r\n"};
    static const char *const paths[] = {"/mcp", "/chats", "/health"};
    const struct fixture *fixture = *state;
    char headers[1024];

    for (size_t i = 0; i < 9; i++) {
        snprintf(headers, sizeof headers, "%s%s", ws, protocols[i / 3]);
        expect(fixture, "GET", paths[i % 3], headers, NULL, 404, "WebSocket");
        snprintf(headers, sizeof headers, "Host: evil.example\r\n%s%s", ws, protocols[i / 3]);
        expect(fixture, "GET", paths[i % 3], headers, NULL, 403, "--allow-host");
        snprintf(headers, sizeof headers, "Origin: http://evil.example\r\n%s%s", ws,
                 protocols[i / 3]);
        expect(fixture, "GET", paths[i % 3], headers, NULL, 403, "--allow-origin");
    }
    expect(fixture, "GET", "/chat",
           "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n", NULL, 400,
           "Sec-WebSocket-Key");
    expect(fixture, "GET", "/chat",
           "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
           NULL, 400, "Sec-WebSocket-Version: 13");
    snprintf(headers, sizeof headers, "Sec-Fetch-Site: cross-site\r\n%s", ws);
    expect(fixture, "GET", "/chat", headers, NULL, 403, "Sec-Fetch-Site");
    expect(fixture, "GET", "/health", "Connection: Upgrade\r\nUpgrade: tls/1.0\r\n", NULL, 200,
           "status");
    expect(fixture, "GET", "/health",
           "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: "
           "AAMAAABkAARAAAAAAAIAAAAA\r\n",
           NULL, 200, "status");
    expect(fixture, "GET", "/health",
           "Host: evil.example\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: "
           "h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n",
           NULL, 403, NULL);
}

/* What cannot be read is answered as any other mistake, and the connection then closed: where its
 * next request would begin is not known. */
static void test_malformed(void **state)
{
#define HEADER_FIELD(text) "GET /health HTTP/1.1\r\nHost: localhost\r\n" text "\r\n\r\n"
#define POST(text)                                                                                 \
    "POST /session/create HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" text  \
    "\r\n\r\n"
    static const struct {
        const char *text;
        size_t len; /* 0: to its NUL */
        int status;
        const char *says;
    } requests[] = {
        {HEADER_FIELD("X-A: a\0b"), sizeof HEADER_FIELD("X-A: a\0b") - 1, 400,
         "control characters"},
        {HEADER_FIELD("X-A: a\x01"), 0, 400, "control characters"},
        {HEADER_FIELD("X-A: a\rb"), 0, 400, "control characters"},
        {HEADER_FIELD("no colon"), 0, 400, "Name: value"},
        {HEADER_FIELD("X-A : a"), 0, 400, "Name: value"},
        {HEADER_FIELD(" folded: a"), 0, 400, "Name: value"},
        {HEADER_FIELD("X-A: a\r\n folded"), 0, 400, "Name: value"},
        {HEADER_FIELD(": a"), 0, 400, "Name: value"},
        {"GET /health HTTP/1.1\nHost: localhost\n\n", 0, 400, "CR LF"},
        {"GET /health HTTP/1.1\r\nHost: localhost\n\r\n", 0, 400, "CR LF"},
        {"GET /%00x HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 400, "%00"},
        {"GET /health?a=%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 400, "%00"},
        {"GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 400, "'%'"},
        {"GET /health?a=% HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 400, "'%'"},
        {"GET /a\x01 HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 400, "%XX"},
        {"GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 400, "%XX"},
        {"GET health HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 400, "'/'"},
        {"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 400, "'/'"},
        {"GET https://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 400, "'/'"},
        {"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 403, "--allow-host"},
        {"GET /health\r\nHost: localhost\r\n\r\n", 0, 400, "GET /path HTTP/1.1"},
        {"GET /health HTTP/1\r\nHost: localhost\r\n\r\n", 0, 400, "GET /path HTTP/1.1"},
        {"GET /health HTTP/2.0\r\nHost: localhost\r\n\r\n", 0, 505, "HTTP/1.1"},
        {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0, 505, "HTTP/1.1"},
        {"TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 501, "OPTIONS"},
        {"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 501, "OPTIONS"},
        {"get /health HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 501, "GET"},
        {"\x16\x03\x01\x02\x01\x01\xfc\x03\x03", 0, 400, "http://"},
        {"GET /health HTTP/1.1\r\n\r\n", 0, 400, "Host"},
        {"GET /health HTTP/1.0\r\n\r\n", 0, 400, "Host"},
        {POST("Content-Length: +2"), 0, 400, "Content-Length"},
        {POST("Content-Length: 0x2"), 0, 400, "Content-Length"},
        {POST("Content-Length: 2, 2"), 0, 400, "Content-Length"},
        {POST("Content-Length:"), 0, 400, "Content-Length"},
        {POST("Content-Length: 2\r\nContent-Length: 2"), 0, 400, "Content-Length"},
        {POST("Content-Length: 5\r\nTransfer-Encoding: chunked"), 0, 411, "Content-Length"},
        {POST("Transfer-Encoding: identity"), 0, 411, "Content-Length"},
        {POST("Transfer-Encoding : chunked"), 0, 400, "Name: value"},
        {HEADER_FIELD("Transfer-Encoding: chunked"), 0, 411, "Content-Length"},
    };
    const struct fixture *fixture = *state;
    struct client client;
    struct answer answer;
    size_t len;

    for (size_t i = 0; i < 2 * sizeof requests / sizeof requests[0]; i++) {
        size_t row = i / 2;

        client_open(&client, fixture->port);
        len = requests[row].len ? requests[row].len : strlen(requests[row].text);
        client_write(&client, requests[row].text, len);
        if (i % 2) /* who only says that nothing follows still reads */
            shutdown(client.fd, SHUT_WR);
        if (!read_head(&client, &answer))
            fail_msg("no answer to %s", requests[row].text);
        read_body(&client, &answer, false);
        if (answer.status != requests[row].status || !strstr(answer.body, requests[row].says) ||
            strncmp(answer.body, "{\"detail\":", strlen("{\"detail\":")) != 0)
            fail_msg("%s: %d %s", requests[row].text, answer.status, answer.body);
        if (answer.status != 403 && !strstr(requests[row].says, "Host")) {
            assert_string_equal(header(&answer, "connection"), "close");
            assert_false(client_fill(&client));
        }
        free(answer.body);
        client_close(&client);
    }
    expect(fixture, "GET", "http://localhost/health?a=b", "Host: ignored.example\r\n", NULL, 200,
           "status");
    expect(fixture, "GET", "/health", "", NULL, 200, "status");
#undef HEADER_FIELD
#undef POST
}

/* Too much of a head is refused, too, and not only cut off. */
static void test_long_heads(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct answer answer;
    char *text = malloc(65536);

    for (int fields = 0; fields < 2; fields++) {
        size_t used = (size_t)sprintf(text, "GET /health HTTP/1.1\r\nHost: localhost\r\n");

        if (fields) {
            for (int i = 0; i < 200; i++)
                used += (size_t)sprintf(text + used, "X-%d: a\r\n", i);
        } else {
            used += (size_t)sprintf(text + used, "X-A: ");
            memset(text + used, 'a', 40000);
            used += 40000;
        }
        used += (size_t)sprintf(text + used, "\r\n\r\n");
        client_open(&client, fixture->port);
        client_write(&client, text, used);
        read_answer(&client, &answer);
        assert_int_equal(answer.status, 431);
        assert_non_null(strstr(answer.body, "at most"));
        free(answer.body);
        client_close(&client);
    }
    free(text);
}

static void test_cors(void **state)
{
    const struct fixture *fixture = *state;
    struct answer answer;

    request_once(fixture, &answer, "OPTIONS", "/mcp",
                 "Origin: " ALLOWED_ORIGIN "\r\nAccess-Control-Request-Method: POST\r\n"
                 "Access-Control-Request-Headers: mcp-session-id\r\n",
                 NULL);
    assert_int_equal(answer.status, 204);
    assert_string_equal(header(&answer, "access-control-allow-origin"), ALLOWED_ORIGIN);
    assert_non_null(strstr(header(&answer, "access-control-allow-headers"), "Mcp-Session-Id"));
    assert_non_null(strstr(header(&answer, "access-control-allow-methods"), "DELETE"));
    free(answer.body);
    request_once(fixture, &answer, "GET", "/health", "Origin: " ALLOWED_ORIGIN "\r\n", NULL);
    assert_string_equal(header(&answer, "access-control-allow-origin"), ALLOWED_ORIGIN);
    assert_non_null(strstr(header(&answer, "access-control-expose-headers"), "ETag"));
    free(answer.body);
    request_once(fixture, &answer, "OPTIONS", "/mcp",
                 "Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n", NULL);
    assert_int_equal(answer.status, 403);
    assert_null(header(&answer, "access-control-allow-origin"));
    free(answer.body);
    request_once(fixture, &answer, "GET", "/health", "", NULL);
    assert_null(header(&answer, "access-control-allow-origin"));
    assert_string_equal(header(&answer, "x-content-type-options"), "nosniff");
    assert_string_equal(header(&answer, "cache-control"), "no-store");
    free(answer.body);
}

/* Pictures, scripts and frames of another site come without Origin. */
static void test_cross_site(void **state)
{
    static const char *const paths[] = {"/",         "/mcp",     "/health",
                                        "/sessions", "/metrics", "/ui/a.js"};
    static const char *const sites[] = {"cross-site", "same-site"};
    const struct fixture *fixture = *state;
    struct answer answer;
    char headers[256];

    for (size_t i = 0; i < 2 * sizeof paths / sizeof paths[0]; i++) {
        const char *path = paths[i / 2], *site = sites[i % 2];
        bool is_page = strcmp(path, "/") == 0;

        snprintf(headers, sizeof headers,
                 "Sec-Fetch-Site: %s\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n",
                 site);
        expect(fixture, "GET", path, headers, NULL, 403, "--allow-origin");
        snprintf(headers, sizeof headers,
                 "Sec-Fetch-Site: %s\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n",
                 site);
        expect(fixture, "GET", path, headers, NULL, 403, "--allow-origin");
        snprintf(headers, sizeof headers,
                 "Sec-Fetch-Site: %s\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n",
                 site);
        expect(fixture, "GET", path, headers, NULL, is_page ? 200 : 403,
               is_page ? "Lectern" : "--allow-origin");
        expect(fixture, "POST", path, headers, "", 403, "--allow-origin");
    }
    expect(fixture, "GET", "/health", "Sec-Fetch-Site: same-origin\r\n", NULL, 200, NULL);
    expect(fixture, "GET", "/health", "Sec-Fetch-Site: none\r\n", NULL, 200, NULL);
    expect(fixture, "GET", "/health",
           "Sec-Fetch-Site: cross-site\r\nOrigin: " ALLOWED_ORIGIN "\r\n", NULL, 200, NULL);
    request_once(fixture, &answer, "GET", "/no/such", "", NULL);
    assert_string_equal(header(&answer, "cross-origin-resource-policy"), "same-origin");
    free(answer.body);
    request_once(fixture, &answer, "GET", "/", "", NULL);
    assert_string_equal(header(&answer, "cross-origin-resource-policy"), "same-origin");
    free(answer.body);
}

/* ---- the form of requests ---- */

/* As far as it goes without a sandbox; tests/contract/test_execute.py has the rest. */
static void test_execute(void **state)
{
    const struct fixture *fixture = *state;
    struct answer answer;

    expect(fixture, "GET", "/execute", "", NULL, 405, "POST");
    expect(fixture, "POST", "/execute", JSON, "{", 422, "\"loc\":[\"body\"]");
    expect(fixture, "POST", "/execute", "Content-Type: text/plain\r\n", "x", 415, "JSON");
    expect(fixture, "POST", "/execute", JSON, "{\"code\": 1}", 422, "[\"body\",\"code\"]");
    expect(fixture, "POST", "/execute", JSON, "{\"code\": \"import os\"}", 200,
           "\"error\":\"Code analysis blocked: line 1: ");
    expect(fixture, "POST", "/execute", JSON, "{\"code\": \"a\\u0000b\"}", 200, "blocked: ");
    expect(fixture, "GET", "/metrics", "", NULL, 200,
           "lectern_validator_refusals_total{rule=\"import-not-allowed\"} 1\n");
    request_once(fixture, &answer, "POST", "/execute", JSON, "{\"code\": \"print(1)\"}");
    assert_int_equal(answer.status, 503);
    assert_string_equal(answer.body,
                        "{\"detail\":\"no sandbox in this test\",\"error_info\":{"
                        "\"errorCategory\":\"engine\",\"isRetryable\":true,\"isRepairable\":false,"
                        "\"context\":{\"message\":\"no sandbox in this test\"}}}");
    assert_string_equal(header(&answer, "retry-after"), "1");
    free(answer.body);
    request_once(fixture, &answer, "OPTIONS", "/execute", "", NULL);
    assert_int_equal(answer.status, 204);
    assert_string_equal(header(&answer, "allow"), "POST, OPTIONS");
    free(answer.body);
}

static void test_methods_and_paths(void **state)
{
    const struct fixture *fixture = *state;
    struct answer answer;

    expect(fixture, "GET", "/", "", NULL, 200, "Lectern");
    expect(fixture, "POST", "/", "", "", 405, "GET");
    expect(fixture, "GET", "/no/such", "", NULL, 404, "/no/such");
    expect(fixture, "GET", "/mcp", "", NULL, 405, "POST");
    expect(fixture, "PUT", "/mcp", MCP_HEADERS, PING, 405, "POST");
    request_once(fixture, &answer, "DELETE", "/health", "", NULL);
    assert_int_equal(answer.status, 405);
    assert_non_null(strstr(header(&answer, "allow"), "GET"));
    free(answer.body);
    request_once(fixture, &answer, "HEAD", "/health", "", NULL);
    assert_int_equal(answer.status, 200);
    assert_true(strtoul(header(&answer, "content-length"), NULL, 10) > 0);
    free(answer.body);
    request_once(fixture, &answer, "OPTIONS", "/health", "", NULL);
    assert_int_equal(answer.status, 204);
    assert_string_equal(header(&answer, "allow"), "GET, HEAD, OPTIONS");
    free(answer.body);
}

static void test_bodies(void **state)
{
    const struct fixture *fixture = *state;
    size_t len = BODY_CAP;
    char *big = malloc(len + 1), text[512];
    struct client client;
    struct answer answer;

    memset(big, ' ', len);
    big[len] = '\0';
    expect(fixture, "POST", "/mcp", "Content-Type: text/plain\r\n", PING, 415, "application/json");
    expect(fixture, "POST", "/mcp", JSON "Accept: text/html\r\n", PING, 406, "Accept");
    expect(fixture, "POST", "/session/create", "Content-Type: text/plain\r\n", "{}", 415, "JSON");
    expect(fixture, "POST", "/session/create", "", "{}", 415, "Content-Type: application/json");
    expect(fixture, "POST", "/execute", "", "{}", 415, "Content-Type: application/json");
    expect(fixture, "POST", "/session/create", "", "", 200, "session_id");
    expect(fixture, "POST", "/session/create", "", NULL, 200, "session_id");
    expect(fixture, "POST", "/mcp", MCP_HEADERS "Transfer-Encoding: chunked\r\n", NULL, 411,
           "Content-Length");
    expect(fixture, "POST", "/session/create", JSON "Transfer-Encoding: chunked\r\n", NULL, 411,
           "Content-Length");
    expect(fixture, "DELETE", "/mcp", "Transfer-Encoding: chunked\r\n", NULL, 411,
           "Content-Length");
    expect(fixture, "POST", "/mcp", MCP_HEADERS "Content-Length: -5\r\n", NULL, 400,
           "Content-Length");
    expect(fixture, "POST", "/mcp", MCP_HEADERS "Content-Length: 2\r\nContent-Length: 3\r\n", NULL,
           400, "Content-Length");
    expect(fixture, "POST", "/mcp", MCP_HEADERS "Content-Length: 99999999999999999999\r\n", NULL,
           400, "Content-Length");
    /* A body over its path's cap, written without looking at the answer first. */
    client_open(&client, fixture->port);
    snprintf(text, sizeof text,
             "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" MCP_HEADERS "Content-Length: %zu\r\n\r\n",
             len);
    client_write(&client, text, strlen(text));
    client_write(&client, big, len);
    read_answer(&client, &answer);
    assert_int_equal(answer.status, 413);
    assert_non_null(strstr(answer.body, "4194304"));
    free(answer.body);
    client_close(&client);
    expect(fixture, "POST", "/session/create", JSON "Content-Length: 17825793\r\n", NULL, 413,
           "17825792");
    /* The whole of what a path takes. */
    client_open(&client, fixture->port);
    snprintf(text, sizeof text,
             "POST /session/create HTTP/1.1\r\nHost: localhost\r\n" JSON
             "Content-Length: %zu\r\n\r\n",
             len);
    client_write(&client, text, strlen(text));
    memcpy(big, "{}", 2);
    assert_int_equal(client_write(&client, big, len), len);
    read_answer(&client, &answer);
    assert_int_equal(answer.status, 200);
    free(answer.body);
    client_close(&client);
    free(big);
}

/* curl waits a second for this line before it sends a large body. */
static void test_expect_continue(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct answer answer;
    char text[512];

    client_open(&client, fixture->port);
    snprintf(text, sizeof text,
             "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" MCP_HEADERS
             "Content-Length: %zu\r\nExpect: 100-continue\r\n\r\n",
             strlen(INITIALIZE));
    client_write(&client, text, strlen(text));
    assert_true(read_head(&client, &answer));
    assert_int_equal(answer.status, 100);
    client_write(&client, INITIALIZE, strlen(INITIALIZE));
    read_answer(&client, &answer);
    assert_int_equal(answer.status, 200);
    free(answer.body);
    client_close(&client);
}

/* Many requests on one connection, one after the other and all at once. */
static void test_keep_alive_and_pipelining(void **state)
{
    const struct fixture *fixture = *state;
    static const char get[] = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    char post[1024], headers[512];
    struct client client;
    struct answer answer;

    initialize(fixture, headers);
    client_open(&client, fixture->port);
    for (int i = 0; i < 20; i++) {
        request(&client, &answer, "GET", "/health", "", NULL);
        assert_int_equal(answer.status, 200);
        free(answer.body);
        request(&client, &answer, "POST", "/mcp", headers, PING);
        assert_int_equal(answer.status, 200);
        free(answer.body);
        request(&client, &answer, "GET", "/no/such", "", NULL);
        assert_int_equal(answer.status, 404);
        free(answer.body);
    }
    snprintf(post, sizeof post,
             "POST /mcp HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %zu\r\n\r\n%s", headers,
             strlen(CALL("3", "wait", "{\"ms\":100}")), CALL("3", "wait", "{\"ms\":100}"));
    client_write(&client, post, strlen(post));
    for (int i = 0; i < 10; i++)
        client_write(&client, get, strlen(get));
    for (int i = 0; i < 11; i++) {
        read_answer(&client, &answer);
        assert_int_equal(answer.status, 200);
        assert_non_null(strstr(answer.body, i == 0 ? "waited" : "status"));
        free(answer.body);
    }
    client_close(&client);
}

/* A client that sends its next request the moment it has the answer, headers and body apart, as
 * many do: none of it may count as come early. */
static void test_quick_next_request(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct answer answer;
    char headers[512];

    initialize(fixture, headers);
    client_open(&client, fixture->port);
    for (int i = 0; i < 1000; i++) {
        request(&client, &answer, "POST", "/mcp", headers, PING);
        assert_int_equal(answer.status, 200);
        free(answer.body);
    }
    client_close(&client);
}

/* Requests that come early are answered all the same, and in order, wherever the bytes of the one
 * end and those of the next begin. */
static void test_pipelined_bodies(void **state)
{
#define LINE(method, path) method " " path " HTTP/1.1\r\nHost: localhost\r\n" MCP_HEADERS
    static const struct {
        const char *text;
        int status;
        const char *says;
    } requests[] = {
        {LINE("GET", "/health") "\r\n", 200, "status"},
        {LINE("POST", "/session/create") "Content-Length: 2\r\n\r\n{}", 200, "session_id"},
        {LINE("POST", "/session/create") "\r\n", 200, "session_id"},
        {LINE("PUT", "/no/such") "Content-Length: 5\r\n\r\n[1,2]", 404, "/no/such"},
        {LINE("GET", "/health") "Content-Length: 2\r\n\r\n{}", 200, "status"},
        {LINE("POST", "/mcp") "Content-Length: 4\r\n\r\n{\"a\"", 400, "-32700"},
        {LINE("POST", "/execute") "Content-Length: 11\r\n\r\n{\"cod\": \"1\"", 422, "body"},
    };
    const size_t count = sizeof requests / sizeof requests[0];
    static const size_t pieces[] = {1, 7, 100, 100000};
    const struct fixture *fixture = *state;
    struct client client;
    struct answer answer;
    char text[8192];

    for (size_t i = 0; i < count * sizeof pieces / sizeof pieces[0]; i++) {
        size_t piece = pieces[i / count], len = 0;

        for (size_t j = 0; j < count; j++)
            len += (size_t)sprintf(text + len, "%s", requests[(i + j) % count].text);
        client_open(&client, fixture->port);
        for (size_t at = 0; at < len; at += piece)
            client_write(&client, text + at, len - at < piece ? len - at : piece);
        for (size_t j = 0; j < count; j++) {
            read_answer(&client, &answer);
            if (answer.status != requests[(i + j) % count].status ||
                !strstr(answer.body, requests[(i + j) % count].says))
                fail_msg("%s: %d %s", requests[(i + j) % count].text, answer.status, answer.body);
            free(answer.body);
        }
        client_close(&client);
    }
#undef LINE
}

/* A long answer, read slowly, with more requests behind it than fit into any buffer. */
static void test_many_early_requests(void **state)
{
    const struct fixture *fixture = *state;
    char headers[512], *body = malloc(300000), call[1024];
    struct client client;
    struct answer answer;
    int len;

    initialize(fixture, headers);
    client_open(&client, fixture->port);
    len = snprintf(call, sizeof call,
                   "POST /mcp HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %zu\r\n\r\n%s",
                   headers, strlen(CALL("3", "wait", "{\"ms\":300}")),
                   CALL("3", "wait", "{\"ms\":300}"));
    client_write(&client, call, (size_t)len);
    memset(body, ' ', 300000);
    memcpy(body, "{}", 2);
    for (int i = 0; i < 4; i++) {
        len = snprintf(call, sizeof call,
                       "POST /session/create HTTP/1.1\r\nHost: localhost\r\n" JSON
                       "Content-Length: 300000\r\n\r\n");
        assert_int_equal(client_write(&client, call, (size_t)len), len);
        assert_int_equal(client_write(&client, body, 300000), 300000);
    }
    for (int i = 0; i < 5; i++) {
        read_answer(&client, &answer);
        assert_int_equal(answer.status, 200);
        assert_non_null(strstr(answer.body, i == 0 ? "waited" : "session_id"));
        free(answer.body);
    }
    client_close(&client);
    free(body);
}

/* ---- MCP ---- */

static void test_session(void **state)
{
    const struct fixture *fixture = *state;
    char headers[512], text[1024];

    initialize(fixture, headers);
    expect(fixture, "POST", "/mcp", headers, PING, 200, "\"id\":2");
    expect(fixture, "POST", "/mcp", headers,
           "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", 202, NULL);
    expect(fixture, "POST", "/mcp", headers, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", 202,
           NULL);
    expect(fixture, "POST", "/mcp", headers, CALL("3", "echo", "{\"text\":\"hello\"}"), 200,
           "hello");
    expect(fixture, "POST", "/mcp", headers, "{", 400, "-32700");
    expect(fixture, "POST", "/mcp", headers, "[" PING "]", 400, "batches");
    expect(fixture, "POST", "/mcp", headers, INITIALIZE, 400, "already");
    expect(fixture, "POST", "/mcp", MCP_HEADERS, PING, 400, "Mcp-Session-Id");
    expect(fixture, "POST", "/mcp", MCP_HEADERS, CALL("3", "echo", "{}"), 400, "initialize");
    expect(fixture, "POST", "/mcp", MCP_HEADERS,
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}", 400,
           "protocolVersion");
    expect(fixture, "POST", "/mcp", MCP_HEADERS "Mcp-Session-Id: 0123\r\n", PING, 404,
           "initialize");
    snprintf(text, sizeof text, "%s", headers);
    memcpy(strstr(text, "2025-11-25"), "2099-01-01", strlen("2099-01-01"));
    expect(fixture, "POST", "/mcp", text, PING, 400, "MCP-Protocol-Version");
    expect(fixture, "POST", "/mcp", MCP_HEADERS,
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{\"_meta\":{"
           "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}",
           404, "-32601");
    expect(fixture, "DELETE", "/mcp", "", NULL, 400, "Mcp-Session-Id");
    expect(fixture, "DELETE", "/mcp", "Mcp-Session-Id: 0123\r\n", NULL, 404, NULL);
    expect(fixture, "DELETE", "/mcp", headers, NULL, 204, NULL);
    expect(fixture, "DELETE", "/mcp", headers, NULL, 404, NULL);
    expect(fixture, "POST", "/mcp", headers, PING, 404, "initialize");
    expect(fixture, "DELETE", "/mcp", headers, "{}", 404, NULL); /* with a body */
}

/* The table has an end: the longest idle session gives way, and says so to its client. */
static void test_many_sessions(void **state)
{
    const struct fixture *fixture = *state;
    char first[512], second[512], headers[512];

    initialize(fixture, first);
    initialize(fixture, second);
    expect(fixture, "POST", "/mcp", first, PING, 200, NULL);
    for (int i = 0; i < HTTP_PEERS_CAP - 1; i++)
        initialize(fixture, headers);
    expect(fixture, "POST", "/mcp", first, PING, 200, NULL);
    expect(fixture, "POST", "/mcp", second, PING, 404, NULL);
    expect(fixture, "POST", "/mcp", headers, PING, 200, NULL);
}

static void test_progress_makes_a_stream(void **state)
{
    const struct fixture *fixture = *state;
    char headers[512];
    struct answer answer;
    const char *progress, *result;

    initialize(fixture, headers);
    request_once(fixture, &answer, "POST", "/mcp", headers,
                 CALL_WITH_TOKEN("7", "report", "{\"ms\":300}"));
    assert_int_equal(answer.status, 200);
    assert_non_null(strstr(header(&answer, "content-type"), "text/event-stream"));
    progress =
        strstr(answer.body, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress");
    result = strstr(answer.body, "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\"");
    assert_true(progress && result && progress < result);
    free(answer.body);
    /* A short one stays JSON; one client takes no streams, another no JSON. */
    request_once(fixture, &answer, "POST", "/mcp", headers,
                 CALL_WITH_TOKEN("8", "wait", "{\"ms\":10}"));
    assert_string_equal(header(&answer, "content-type"), "application/json");
    free(answer.body);
    memcpy(strstr(headers, "text/event-stream"), "text/eventXstream", 17);
    request_once(fixture, &answer, "POST", "/mcp", headers,
                 CALL_WITH_TOKEN("9", "report", "{\"ms\":300}"));
    assert_string_equal(header(&answer, "content-type"), "application/json");
    free(answer.body);
    request_once(fixture, &answer, "POST", "/mcp", JSON "Accept: text/event-stream\r\n",
                 INITIALIZE);
    assert_string_equal(header(&answer, "content-type"), "text/event-stream");
    assert_non_null(header(&answer, "mcp-session-id"));
    assert_non_null(strstr(answer.body, "data: {"));
    free(answer.body);
}

/* An answer of some megabytes goes out whole, as JSON and as an event. */
static void test_large_images(void **state)
{
    static const char *const accepts[] = {"Accept: application/json\r\n",
                                          "Accept: text/event-stream\r\n"};
    const struct fixture *fixture = *state;
    char headers[512], with_accept[600];
    struct answer answer;
    const char *data;

    initialize(fixture, headers);
    for (size_t i = 0; i < sizeof accepts / sizeof accepts[0]; i++) {
        snprintf(with_accept, sizeof with_accept, JSON "%s%s", accepts[i],
                 strstr(headers, "MCP-Protocol-Version"));
        request_once(fixture, &answer, "POST", "/mcp", with_accept,
                     CALL("5", "echo", "{\"image_bytes\":7000000}"));
        assert_int_equal(answer.status, 200);
        data = strstr(answer.body, "{\"type\":\"image\",\"data\":\"");
        assert_non_null(data);
        assert_int_equal(strspn(strstr(data, "A"), "A"), 7000000);
        assert_non_null(strstr(data, "\"mimeType\":\"image/png\"}],\"isError\":false}"));
        free(answer.body);
    }
}

static void write_call(struct client *client, const char *headers, const char *call)
{
    char text[2048];

    snprintf(text, sizeof text,
             "POST /mcp HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %zu\r\n\r\n%s", headers,
             strlen(call), call);
    client_write(client, text, strlen(text));
}

static void wait_running(int count)
{
    for (int i = 0; i < 5000 && atomic_load(&fake_running) != count; i++)
        usleep(1000);
    assert_int_equal(atomic_load(&fake_running), count);
}

static void test_cancellation(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct answer answer;
    char headers[512];

    initialize(fixture, headers);
    client_open(&client, fixture->port);
    write_call(&client, headers, CALL("5", "wait", "{\"ms\":60000}"));
    wait_running(1);
    expect(fixture, "POST", "/mcp", headers, CALL("5", "echo", "{}"), 400, "under way");
    expect(fixture, "POST", "/mcp", headers, CANCEL("5"), 202, NULL);
    read_answer(&client, &answer); /* an end without a response */
    assert_int_equal(answer.status, 202);
    assert_int_equal(answer.len, 0);
    free(answer.body);
    client_close(&client);
    assert_int_equal(atomic_load(&fake_cancelled), 1);
}

/* A lost connection is no cancel: the call goes on, and the session with it. */
static void test_client_that_leaves(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct answer answer;
    char headers[512];

    initialize(fixture, headers);
    for (int i = 0; i < 3; i++) {
        client_open(&client, fixture->port);
        atomic_store(&fake_released, false);
        write_call(&client, headers, CALL_WITH_TOKEN("5", "wait", "{\"ms\":-1}"));
        wait_running(1);
        if (i == 1)
            assert_true(read_head(&client, &answer)); /* into the stream */
        client_close(&client);
        expect(fixture, "GET", "/health", "", NULL, 200, NULL);
        atomic_store(&fake_released, true);
        wait_running(0);
        assert_int_equal(atomic_load(&fake_cancelled), 0);
        expect(fixture, "POST", "/mcp", headers, CALL("5", "echo", "{\"text\":\"still here\"}"),
               200, "still here");
    }
    /* And one that leaves in the middle of its request, or of its headers. */
    client_open(&client, fixture->port);
    client_write(&client, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Le", 46);
    client_close(&client);
    client_open(&client, fixture->port);
    client_write(&client, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
                 59);
    client_close(&client);
    expect(fixture, "GET", "/health", "", NULL, 200, NULL);
}

/* DELETE in the middle of a call: the call is cancelled, and its client told. */
static void test_delete_with_a_call(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct answer answer;
    char headers[512];

    initialize(fixture, headers);
    client_open(&client, fixture->port);
    write_call(&client, headers, CALL("5", "wait", "{\"ms\":60000}"));
    wait_running(1);
    expect(fixture, "DELETE", "/mcp", headers, NULL, 204, NULL);
    read_answer(&client, &answer);
    assert_int_equal(answer.status, 404);
    free(answer.body);
    client_close(&client);
    wait_running(0);
    assert_int_equal(atomic_load(&fake_cancelled), 1);
}

/* ---- the session API on its lanes ---- */

static void create_session(const struct fixture *fixture, char sid[SESSION_ID_SIZE])
{
    struct answer answer;
    struct error err = {0};
    json_t *body;

    request_once(fixture, &answer, "POST", "/session/create", "", NULL); /* as curl -X POST */
    assert_int_equal(answer.status, 200);
    body = json_read(answer.body, answer.len, "the answer", &err);
    snprintf(sid, SESSION_ID_SIZE, "%s", json_get_string(body, "session_id"));
    json_decref(body);
    free(answer.body);
}

/* More than may be held for readers that do not read: told, and well again once they have left. */
static void check_slow_readers(const struct fixture *fixture, const char *get)
{
    struct client readers[SLOW_READERS];
    struct answer answer;
    int busy = 0;

    for (int i = 0; i < SLOW_READERS; i++) {
        client_open(&readers[i], fixture->port);
        client_write(&readers[i], get, strlen(get));
        assert_true(read_head(&readers[i], &answer));
        assert_true(answer.status == 200 || answer.status == 503);
        if (answer.status == 503) {
            read_body(&readers[i], &answer, false);
            assert_non_null(strstr(answer.body, "send it again"));
            assert_string_equal(header(&answer, "retry-after"), "1");
            free(answer.body);
            busy++;
        }
    }
    assert_true(busy > 0 && busy < SLOW_READERS / 2);
    for (int i = 0; i < SLOW_READERS; i++)
        client_close(&readers[i]);
    for (int status = 503; status == 503;) {
        client_open(&readers[0], fixture->port);
        client_write(&readers[0], get, strlen(get));
        read_answer(&readers[0], &answer);
        status = answer.status;
        free(answer.body);
        client_close(&readers[0]);
    }
}

static void test_session_api(void **state)
{
    const struct fixture *fixture = *state;
    char sid[SESSION_ID_SIZE], path[128], *body = malloc(2 << 20);
    struct client client;
    struct answer answer;
    size_t len;

    create_session(fixture, sid);
    snprintf(path, sizeof path, "/session/%s/nodes", sid);
    expect(fixture, "GET", path, "", NULL, 200, "N002");
    expect(fixture, "POST", path, JSON, "{\"node_id\":\"N100\",\"title\":\"A title\"}", 200,
           "true");
    expect(fixture, "POST", path, JSON, "{\"node_id\":\"N100\",\"title\":\"Again\"}", 409, "N100");
    /* An answer of some megabytes, to a client that takes its time. */
    for (int i = 0; i < 8; i++) {
        len = (size_t)sprintf(body, "{\"node_id\":\"B%d\",\"title\":\"Big\",\"raw_content\":\"", i);
        memset(body + len, 'x', 900000);
        memcpy(body + len + 900000, "\"}", 3);
        expect(fixture, "POST", path, JSON, body, 200, NULL);
    }
    snprintf(body, 512, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    check_slow_readers(fixture, body);
    client_open(&client, fixture->port);
    client_write(&client, body, strlen(body));
    usleep(50000);
    read_answer(&client, &answer);
    assert_int_equal(answer.status, 200);
    assert_true(answer.len > 7200000);
    assert_int_equal(answer.body[answer.len - 1], '}');
    free(answer.body);
    request(&client, &answer, "GET", "/health", "", NULL);
    assert_int_equal(answer.status, 200);
    free(answer.body);
    client_close(&client);
    free(body);
}

/* What libwebsockets decodes and tidies up before it is seen, and the headers of REST. */
static void test_targets_and_headers(void **state)
{
    static const struct {
        const char *json, *path, *shown;
    } ids[] = {{"a/b", "a%2Fb", "a/b"},
               {"..", "..", ".."},
               {"a/../b", "a%2F..%2Fb", "a/../b"},
               {"x+y", "x+y", "x+y"},
               {"x//y", "x%2f%2Fy", "x//y"},
               {"\\u00fc z", "%C3%BC%20z", "\xC3\xBC z"},
               {"50%", "50%25", "50%"},
               {"a&b;c", "a&b;c", "a&b;c"}};
    const struct fixture *fixture = *state;
    char sid[SESSION_ID_SIZE], path[256], body[256], headers[256];
    struct client client;
    struct answer answer;

    create_session(fixture, sid);
    client_open(&client, fixture->port); /* one connection: each request begins where one ended */
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        snprintf(path, sizeof path, "/session/%s/nodes", sid);
        snprintf(body, sizeof body, "{\"node_id\":\"%s\",\"title\":\"t\"}", ids[i].json);
        request(&client, &answer, "POST", path, JSON, body);
        assert_int_equal(answer.status, 200);
        free(answer.body);
        snprintf(path, sizeof path, "/session/%s/nodes/%s/components?a=%%26", sid, ids[i].path);
        snprintf(body, sizeof body, "{\"node_id\":\"%s\"", ids[i].shown);
        request(&client, &answer, "GET", path, "", NULL);
        if (answer.status != 200 || !strstr(answer.body, body))
            fail_msg("%s: %d %s", path, answer.status, answer.body);
        snprintf(headers, sizeof headers, "If-None-Match: %.40s\r\n",
                 header(&answer, "etag") ? answer.value : "");
        free(answer.body);
    }
    request(&client, &answer, "GET", path, headers, NULL);
    assert_int_equal(answer.status, 304);
    free(answer.body);
    snprintf(path, sizeof path, "/session/%s/nodes/N001/components/insert", sid);
    for (int i = 0; i < 2; i++) {
        request(&client, &answer, "POST", path, JSON "Idempotency-Key: k1\r\n",
                "{\"type\":\"heading\",\"parameters\":{\"text\":\"x\"}}");
        assert_int_equal(answer.status, 200);
        assert_non_null(strstr(answer.body, "\"total_components\":1"));
        if (i == 0)
            assert_null(header(&answer, "idempotency-replayed"));
        else
            assert_string_equal(header(&answer, "idempotency-replayed"), "true");
        free(answer.body);
    }
    client_close(&client);
    expect(fixture, "POST", path, JSON "If-Match: \"c1\"\r\n",
           "{\"type\":\"heading\",\"parameters\":{\"text\":\"x\"}}", 412, "\"current\"");
}

/* Fills the read lane, whose answer then is to come again later. */
static void test_full_workq(void **state)
{
    const struct fixture *fixture = *state;
    struct client clients[READ_CAPACITY + 2];
    struct answer answer;
    char headers[512], call[256];

    initialize(fixture, headers);
    for (int i = 0; i < READ_CAPACITY + 2; i++) {
        client_open(&clients[i], fixture->port);
        snprintf(call, sizeof call, CALL("%d", "wait", "{\"ms\":-1}"), i);
        write_call(&clients[i], headers, call);
        if (i < 2)
            wait_running(i + 1);
        snprintf(call, sizeof call, CALL("%d", "echo", "{}"), i);
        expect(fixture, "POST", "/mcp", headers, call, 400, "under way"); /* it has come */
    }
    request_once(fixture, &answer, "GET", "/sessions", "", NULL);
    assert_int_equal(answer.status, 429);
    assert_string_equal(header(&answer, "retry-after"), "1");
    free(answer.body);
    atomic_store(&fake_released, true);
    for (int i = 0; i < READ_CAPACITY + 2; i++) {
        read_answer(&clients[i], &answer);
        assert_int_equal(answer.status, 200);
        free(answer.body);
        client_close(&clients[i]);
    }
    expect(fixture, "GET", "/sessions", "", NULL, 200, NULL);
}

static void *run_client(void *arg)
{
    const struct fixture *fixture = arg;
    struct client client;
    struct answer answer;
    char headers[512];

    initialize(fixture, headers);
    client_open(&client, fixture->port);
    for (int i = 0; i < 20; i++) {
        request(&client, &answer, "POST", "/mcp", headers, PING);
        assert_int_equal(answer.status, 200);
        free(answer.body);
        do {
            request(&client, &answer, "GET", "/health", "", NULL);
            free(answer.body);
        } while (answer.status == 429);
        assert_int_equal(answer.status, 200);
    }
    client_close(&client);
    return NULL;
}

static void test_parallel_clients(void **state)
{
    pthread_t threads[PARALLEL];

    for (int i = 0; i < PARALLEL; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_client, *state), 0);
    for (int i = 0; i < PARALLEL; i++)
        pthread_join(threads[i], NULL);
}

static int connect_from(const struct fixture *fixture, uint32_t from)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(from)};
    struct sockaddr_in there = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)fixture->port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(bind(fd, (struct sockaddr *)&here, sizeof here), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&there, sizeof there), 0);
    return fd;
}

static size_t count_open(const int *fds, size_t count)
{
    size_t found = 0;
    char byte;

    for (size_t i = 0; i < count; i++)
        found += recv(fds[i], &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
    return found;
}

/* Now and then sees that the server has accepted what has connected: one that does not fit into the
 * backlog is sent again after a second. */
static void accept_all(struct client *kept, size_t i)
{
    struct answer answer;

    if (i % 50 != 0)
        return;
    request(kept, &answer, "GET", "/health", "", NULL);
    free(answer.body);
}

/* Connections that never finish their first request give way, the oldest first, and before one that
 * waits between two; a call under way does not. One address does not take all there are. */
static void test_half_open_connections(void **state)
{
    static const char *const begun[] = {"", "GET /hea",
                                        "POST /session/create HTTP/1.1\r\nHost: localhost\r\n" JSON
                                        "Content-Length: 10\r\n\r\n{"};
    const struct fixture *fixture = *state;
    const size_t many = HTTP_CONNECTIONS_CAP + 176;
    int *fds = calloc(many, sizeof *fds);
    struct client kept, calling;
    struct answer answer;
    char headers[512];

    initialize(fixture, headers);
    client_open(&calling, fixture->port);
    write_call(&calling, headers, CALL_WITH_TOKEN("5", "wait", "{\"ms\":60000}"));
    assert_true(read_head(&calling, &answer)); /* a stream */
    client_open(&kept, fixture->port);
    request(&kept, &answer, "GET", "/health", "", NULL);
    free(answer.body);
    for (size_t i = 0; i < many; i++) {
        fds[i] = connect_from(fixture, INADDR_LOOPBACK + 1 + (uint32_t)(i % 2));
        client_write(&(struct client){.fd = fds[i]}, begun[i % 3], strlen(begun[i % 3]));
        accept_all(&kept, i);
    }
    expect(fixture, "GET", "/health", "", NULL, 200, "status");
    /* So it was not for the time they have that they went. */
    assert_true(count_open(fds + many - 900, 900) == 900);
    assert_int_equal(count_open(fds, 100), 0);
    request(&kept, &answer, "GET", "/health", "", NULL);
    assert_int_equal(answer.status, 200);
    free(answer.body);
    wait_running(1);
    for (size_t i = 0; i < many; i++)
        close(fds[i]);
    for (size_t i = 0; i < many; i++)
        fds[i] = connect_from(fixture, INADDR_LOOPBACK + 1), accept_all(&kept, i);
    expect(fixture, "GET", "/health", "", NULL, 200, "status");
    assert_int_equal(count_open(fds, many), HTTP_ADDRESS_CONNECTIONS_CAP);
    assert_int_equal(
        count_open(fds + many - HTTP_ADDRESS_CONNECTIONS_CAP, HTTP_ADDRESS_CONNECTIONS_CAP),
        HTTP_ADDRESS_CONNECTIONS_CAP);
    for (size_t i = 0; i < many; i++)
        close(fds[i]);
    wait_running(1);
    client_close(&kept);
    client_close(&calling);
    free(fds);
}

/* ---- the end ---- */

/* Answers that can still come do; teardown() then finds the loop closed. */
static void test_shutdown_drains(void **state)
{
    struct fixture *fixture = *state;
    struct client client, idle;
    struct answer answer;
    char headers[512];

    initialize(fixture, headers);
    client_open(&idle, fixture->port);
    client_open(&client, fixture->port);
    write_call(&client, headers, CALL("5", "wait", "{\"ms\":500}"));
    wait_running(1);
    stop(fixture);
    read_answer(&client, &answer);
    assert_int_equal(answer.status, 200);
    assert_non_null(strstr(answer.body, "waited"));
    free(answer.body);
    client_close(&client);
    assert_false(client_fill(&idle));
    client_close(&idle);
}

static void test_shutdown_with_calls_in_flight(void **state)
{
    struct fixture *fixture = *state;
    struct client client, stream;
    struct answer answer;
    char headers[512];

    fixture->drain_ms = 300;
    initialize(fixture, headers);
    client_open(&client, fixture->port);
    client_open(&stream, fixture->port);
    write_call(&client, headers, CALL("5", "wait", "{\"ms\":60000}"));
    write_call(&stream, headers, CALL_WITH_TOKEN("6", "report", "{\"ms\":60000}"));
    wait_running(1);
    assert_true(read_head(&stream, &answer)); /* the stream has begun */
    stop(fixture);
    while (client_fill(&stream))
        continue;
    while (client_fill(&client))
        continue;
    wait_running(0);
    assert_int_equal(atomic_load(&fake_cancelled), 2);
    client_close(&client);
    client_close(&stream);
}

static void test_taken_port(void **state)
{
    const struct fixture *fixture = *state;
    const struct http_config config = {.host = "127.0.0.1", .port = fixture->port};
    struct server server = {0};
    struct error err = {0};
    uv_loop_t loop;
    char process[64];

    uv_loop_init(&loop);
    server.loop = &loop;
    assert_null(http_server_create(&server, &config, &err));
    assert_int_equal(err.kind, ERROR_CONFLICT);
    snprintf(process, sizeof process, "test_http (process %d)", (int)getpid());
    if (!strstr(err.text, process) || !strstr(err.text, "--port") ||
        !strstr(err.text, "LECTERN_PORT") || !strstr(err.text, "make run PORT="))
        fail_msg("%s", err.text);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

static void test_wrong_host(void **state)
{
    const struct http_config config = {.host = "192.0.2.1", .port = 0};
    struct server server = {0};
    struct error err = {0};
    uv_loop_t loop;

    (void)state;
    uv_loop_init(&loop);
    server.loop = &loop;
    assert_null(http_server_create(&server, &config, &err));
    assert_non_null(strstr(err.text, "192.0.2.1"));
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

int main(void)
{
#define HTTP_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        HTTP_TEST(test_host_and_origin),
        HTTP_TEST(test_upgrades),
        HTTP_TEST(test_malformed),
        HTTP_TEST(test_long_heads),
        HTTP_TEST(test_cross_site),
        HTTP_TEST(test_cors),
        HTTP_TEST(test_methods_and_paths),
        HTTP_TEST(test_execute),
        HTTP_TEST(test_bodies),
        HTTP_TEST(test_expect_continue),
        HTTP_TEST(test_keep_alive_and_pipelining),
        HTTP_TEST(test_quick_next_request),
        HTTP_TEST(test_pipelined_bodies),
        HTTP_TEST(test_many_early_requests),
        HTTP_TEST(test_session),
        HTTP_TEST(test_many_sessions),
        HTTP_TEST(test_progress_makes_a_stream),
        HTTP_TEST(test_large_images),
        HTTP_TEST(test_cancellation),
        HTTP_TEST(test_client_that_leaves),
        HTTP_TEST(test_delete_with_a_call),
        HTTP_TEST(test_session_api),
        HTTP_TEST(test_targets_and_headers),
        HTTP_TEST(test_full_workq),
        HTTP_TEST(test_parallel_clients),
        HTTP_TEST(test_half_open_connections),
        HTTP_TEST(test_shutdown_drains),
        HTTP_TEST(test_shutdown_with_calls_in_flight),
        HTTP_TEST(test_taken_port),
        cmocka_unit_test(test_wrong_host),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
