/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The HTTP server over real sockets, for its tests: the server's loop runs on a thread of its own,
 * with a store; the client writes its requests by hand, as it has to send what no library would.
 */
#ifndef LECTERN_TEST_HTTP_FIXTURE_H
#define LECTERN_TEST_HTTP_FIXTURE_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "mcp/auth/auth.h"
#include "mcp/store/store.h"
#include "mcp/transport/http/http_port.h"
#include "mcp/transport/mcp/ended_ids.h"
#include "mcp/transport/transport.h"
#include "tests/unit/fake_tools.h"

#define CLIENT_CAP     ((size_t)32 << 20)
#define READ_CAPACITY  4
#define BODY_CAP       17825792 /* bytes, more than by default */
#define DRAIN_MS       3000
#define ALLOWED_ORIGIN "https://cms.example"

struct fixture {
    uv_loop_t loop;
    uv_async_t stop;
    struct server server;
    struct http_server *http;
    char folder[64], url[128];
    char tokens[128]; /* the path of the token file */
    struct auth *auth;
    pthread_t thread;
    int port;
    unsigned drain_ms;
    bool stopping;
    int loop_closed;
    char mcp[512]; /* the headers of an MCP session (MCP_TEST) */
};

/* ---- the server ---- */

static inline void *open_writer(void *arg, struct error *err)
{
    return store_open(arg, STORE_WRITE, err);
}

static inline void *open_reader(void *arg, struct error *err)
{
    return store_open(arg, STORE_READ, err);
}

static inline void close_store(void *context)
{
    store_close(context);
}

static inline void on_closed(void *user)
{
    struct fixture *fixture = user;

    workq_destroy(fixture->server.store.sql);
    workq_destroy(fixture->server.store.read);
    loop_queue_destroy(fixture->server.loop_queue);
    ended_ids_destroy(fixture->server.store.ended);
    uv_close((uv_handle_t *)&fixture->stop, NULL);
}

static inline void on_stuck(void *user)
{
    (void)user;
    abort(); /* there is no chat here */
}

static inline void on_stop(uv_async_t *async)
{
    struct fixture *fixture = async->data;

    http_server_close(fixture->http, fixture->drain_ms, on_closed, on_stuck, fixture);
}

static inline void *serve(void *arg)
{
    struct fixture *fixture = arg;

    uv_run(&fixture->loop, UV_RUN_DEFAULT);
    http_server_destroy(fixture->http);
    auth_destroy(fixture->auth);
    fixture->loop_closed = uv_loop_close(&fixture->loop);
    return NULL;
}

/* A test with sign-in defines the lines of its token file before it includes this. */
#ifndef TOKENS
#define TOKENS NULL
#endif

/* In one step, as the server may read the file at any time. */
static inline void write_tokens(const struct fixture *fixture, const char *lines)
{
    char path[sizeof fixture->tokens + 4];
    int fd;

    snprintf(path, sizeof path, "%s.new", fixture->tokens);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, lines, strlen(lines)), strlen(lines));
    close(fd);
    assert_int_equal(rename(path, fixture->tokens), 0);
}

static inline void open_auth(struct fixture *fixture, const char *lines)
{
    const struct auth_config config = {.token_file = fixture->tokens};
    struct error err = {0};

    snprintf(fixture->tokens, sizeof fixture->tokens, "%s/tokens", fixture->folder);
    if (!lines)
        return;
    write_tokens(fixture, lines);
    fixture->auth = auth_create(&config, &fixture->loop, NULL, &err);
    assert_non_null(fixture->auth);
}

static inline int setup(void **state)
{
    static const char *const origins[] = {ALLOWED_ORIGIN, NULL};
    static const char *const hosts[] = {"lectern.example", "proxy.example:444", NULL};
    struct http_config config = {
        .host = "127.0.0.1", .allow_origins = origins, .allow_hosts = hosts, .body_cap = BODY_CAP};
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error err = {0};

    snprintf(fixture->folder, sizeof fixture->folder, "/tmp/lectern-test-http-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->url, sizeof fixture->url, "sqlite:%s/store.db", fixture->folder);
    uv_loop_init(&fixture->loop);
    fixture->server.loop = &fixture->loop;
    fixture->server.toolsets = TOOLSET_BIT(TOOLSET_EDITOR);
    fixture->server.loop_queue = loop_queue_create(&fixture->loop, &err);
    fixture->server.store.sql = workq_create(&(struct workq_config){.name = "sql",
                                                                    .threads = 1,
                                                                    .capacity = 256,
                                                                    .open = open_writer,
                                                                    .close = close_store,
                                                                    .arg = fixture->url},
                                             fixture->server.loop_queue, &err);
    assert_non_null(fixture->server.store.sql);
    fixture->server.store.read = workq_create(&(struct workq_config){.name = "read",
                                                                     .threads = 2,
                                                                     .capacity = READ_CAPACITY,
                                                                     .open = open_reader,
                                                                     .close = close_store,
                                                                     .arg = fixture->url},
                                              fixture->server.loop_queue, &err);
    assert_non_null(fixture->server.store.read);
    fixture->server.store.ended =
        ended_ids_create(fixture->url, fixture->server.store.sql, fixture->server.loop_queue, &err);
    assert_non_null(fixture->server.store.ended);
    memset(fixture->server.seal_key, 'k', sizeof fixture->server.seal_key);
    fixture->server.analyses.profile = validator_profile_find("data-science");
    fixture->server.analyses.timeout_seconds = 5;
    snprintf(fixture->server.analyses.executor_error,
             sizeof fixture->server.analyses.executor_error, "no sandbox in this test");
    open_auth(fixture, TOKENS);
    config.auth = fixture->auth;
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

static inline void stop(struct fixture *fixture)
{
    if (!fixture->stopping)
        uv_async_send(&fixture->stop);
    fixture->stopping = true;
}

static inline int teardown(void **state)
{
    struct fixture *fixture = *state;
    static const char *const files[] = {"store.db", "store.db-wal", "store.db-shm", "tokens"};
    char path[128];

    stop(fixture);
    if (fixture->thread) /* 0: the test has joined it */
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

static inline void client_open(struct client *client, int port)
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

static inline void client_close(struct client *client)
{
    close(client->fd);
    free(client->data);
}

/* How much went out; less than len where the server closed. */
static inline size_t client_write(struct client *client, const char *bytes, size_t len)
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
static inline bool client_fill(struct client *client)
{
    ssize_t n;

    do /* the kernel interrupts this thread when another one closes an io_uring that it has made */
        n = recv(client->fd, client->data + client->len, CLIENT_CAP - 1 - client->len, 0);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return false;
    client->len += (size_t)n;
    client->data[client->len] = '\0';
    return true;
}

static inline void client_take(struct client *client, size_t len)
{
    memmove(client->data, client->data + len, client->len - len + 1);
    client->len -= len;
}

static inline const char *header(struct answer *answer, const char *name)
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
static inline bool read_head(struct client *client, struct answer *answer)
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

static inline void read_body(struct client *client, struct answer *answer, bool head_only)
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

static inline void read_answer(struct client *client, struct answer *answer)
{
    assert_true(read_head(client, answer));
    read_body(client, answer, false);
}

/* One request on a connection; extra headers end in "\r\n" each. */
static inline void request(struct client *client, struct answer *answer, const char *method,
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
static inline void request_once(const struct fixture *fixture, struct answer *answer,
                                const char *method, const char *path, const char *headers,
                                const char *body)
{
    struct client client;

    client_open(&client, fixture->port);
    request(&client, answer, method, path, headers, body);
    client_close(&client);
}

static inline void expect(const struct fixture *fixture, const char *method, const char *path,
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
static inline void initialize(const struct fixture *fixture, char headers[512])
{
    struct answer answer;

    request_once(fixture, &answer, "POST", "/mcp", MCP_HEADERS, INITIALIZE);
    assert_int_equal(answer.status, 200);
    assert_non_null(header(&answer, "mcp-session-id"));
    snprintf(headers, 512,
             MCP_HEADERS "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: %.300s\r\n",
             answer.value);
    free(answer.body);
}

static inline void write_call(struct client *client, const char *headers, const char *call)
{
    char text[2048];

    snprintf(text, sizeof text,
             "POST /mcp HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %zu\r\n\r\n%s", headers,
             strlen(call), call);
    client_write(client, text, strlen(text));
}

static inline void wait_running(int count)
{
    for (int i = 0; i < 5000 && atomic_load(&fake_running) != count; i++)
        usleep(1000);
    assert_int_equal(atomic_load(&fake_running), count);
}

static inline void create_session(const struct fixture *fixture, char sid[SESSION_ID_SIZE])
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

static inline int setup_mcp(void **state)
{
    struct fixture *fixture;

    if (setup(state) != 0)
        return -1;
    fixture = *state;
    initialize(fixture, fixture->mcp);
    return 0;
}

/* A connection with a call under way, whose tool waits. */
static inline void begin_call(const struct fixture *fixture, struct client *client,
                              const char *call)
{
    client_open(client, fixture->port);
    write_call(client, fixture->mcp, call);
    wait_running(1);
}

#define HTTP_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
#define MCP_TEST(test)  cmocka_unit_test_setup_teardown(test, setup_mcp, teardown)

#endif
