/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The HTTP client against a server of a few lines, on a Unix socket of its own: each test says what
 * it answers.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "helpers/base/http.h"

struct server {
    char folder[64], path[96];
    int listener;
    pthread_t thread;
    const char *answer; /* what it sends once it has seen a whole head; NULL: nothing, until the
                           other side leaves */
    char seen[4096];    /* the last request */
    bool echo;          /* goes on to send back what comes */
};

static void *serve(void *arg)
{
    struct server *server = arg;
    int fd = accept(server->listener, NULL, NULL);
    size_t len = 0;
    char byte[256];
    ssize_t got;

    while (fd >= 0 && len < sizeof server->seen - 1 && !strstr(server->seen, "\r\n\r\n")) {
        got = read(fd, server->seen + len, 1);
        if (got <= 0)
            break;
        len += (size_t)got;
    }
    if (fd >= 0 && server->answer)
        assert_int_equal(write(fd, server->answer, strlen(server->answer)), strlen(server->answer));
    while ((server->echo || !server->answer) && (got = read(fd, byte, sizeof byte)) > 0)
        assert_int_equal(write(fd, byte, (size_t)got), got);
    if (fd >= 0)
        close(fd);
    return NULL;
}

static void start(struct server *server, const char *answer, bool echo)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    memset(server, 0, sizeof *server);
    strcpy(server->folder, "/tmp/lectern-http-XXXXXX");
    assert_non_null(mkdtemp(server->folder));
    snprintf(server->path, sizeof server->path, "%s/socket", server->folder);
    strcpy(address.sun_path, server->path);
    server->answer = answer;
    server->echo = echo;
    server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(server->listener, 1), 0);
    pthread_create(&server->thread, NULL, serve, server);
}

static void stop(struct server *server)
{
    shutdown(server->listener, SHUT_RDWR); /* where nobody came, nobody will */
    pthread_join(server->thread, NULL);
    close(server->listener);
    unlink(server->path);
    rmdir(server->folder);
}

static int fetch(struct server *server, const char *answer, struct http_request *request,
                 struct http_response *response, char *header, struct error *err)
{
    struct http_client *client = http_client_create(err);
    const char *value;
    int rc;

    start(server, answer, false);
    request->url = "http://localhost/v1/thing?a=b";
    request->unix_socket = server->path;
    rc = http_send(client, request, response, err);
    value = rc == 0 ? http_client_header(client, "Api-Version") : NULL;
    snprintf(header, 64, "%s", value ? value : "");
    http_client_destroy(client);
    stop(server);
    return rc;
}

static void test_get(void **state)
{
    static const char *const headers[] = {"X-Mine: 1", NULL};
    struct http_request request = {.headers = headers};
    struct http_response response = {0};
    struct error err = {0};
    struct server server;
    char header[64];

    (void)state;
    assert_int_equal(fetch(&server,
                           "HTTP/1.1 404 Not Found\r\nApi-Version: 1.41\r\nContent-Length: 5\r\n"
                           "Connection: close\r\n\r\nhello",
                           &request, &response, header, &err),
                     0);
    assert_int_equal(response.status, 404);
    assert_string_equal(response.body.data, "hello");
    assert_string_equal(header, "1.41");
    assert_memory_equal(server.seen, "GET /v1/thing?a=b HTTP/1.1\r\n", 28);
    assert_non_null(strstr(server.seen, "X-Mine: 1\r\n"));
    http_response_finish(&response);
}

static void test_post(void **state)
{
    static const char *const headers[] = {"Content-Type: application/json", NULL};
    struct http_request request = {
        .method = "POST", .headers = headers, .body = "{}", .body_len = 2};
    struct http_response response = {0};
    struct error err = {0};
    struct server server;
    char header[64];

    (void)state;
    assert_int_equal(fetch(&server, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
                           &request, &response, header, &err),
                     0);
    assert_int_equal(response.status, 204);
    assert_non_null(strstr(server.seen, "Content-Length: 2\r\n"));
    assert_non_null(strstr(server.seen, "Content-Type: application/json\r\n"));
    assert_null(strstr(server.seen, "Expect:"));
    http_response_finish(&response);
    request.body = NULL;
    request.body_len = 0;
    request.headers = NULL;
    assert_int_equal(fetch(&server, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
                           &request, &response, header, &err),
                     0);
    assert_non_null(strstr(server.seen, "Content-Length: 0\r\n"));
    assert_null(strstr(server.seen, "Content-Type:"));
    http_response_finish(&response);
}

static void check_failure(const char *answer, struct http_request request, enum error_kind kind)
{
    struct http_response response = {0};
    struct error err = {0};
    struct server server;
    char header[64];

    assert_int_equal(fetch(&server, answer, &request, &response, header, &err), -1);
    assert_string_equal(error_kind_name(err.kind), error_kind_name(kind));
    assert_true(err.text[0] != '\0');
    http_response_finish(&response);
}

static int refuse_bytes(void *user, const char *bytes, size_t len)
{
    (void)user, (void)bytes, (void)len;
    return 1;
}

static void test_failures(void **state)
{
    static const char large[] =
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\n0123456789";
    struct cancel *cancel = cancel_create(NULL);

    (void)state;
    cancel_fire(cancel);
    check_failure(large, (struct http_request){.response_cap = 9}, ERROR_TOO_LARGE);
    check_failure(large, (struct http_request){.on_bytes = refuse_bytes}, ERROR_CANCELLED);
    check_failure(NULL, (struct http_request){.total_ms = 100}, ERROR_TIMEOUT);
    check_failure(NULL, (struct http_request){.cancel = cancel}, ERROR_CANCELLED);
    check_failure("garbage\r\n\r\n", (struct http_request){0}, ERROR_IO);
    cancel_unref(cancel);
}

static int take_bytes(void *user, const char *bytes, size_t len)
{
    buf_add(user, bytes, len);
    return 0;
}

/* Bytes are handed on where the answer is what was asked for; an error's are kept. */
static void test_bytes_by_status(void **state)
{
    static const struct {
        const char *answer, *handed, *kept;
    } cases[] = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "hi", ""},
        {"HTTP/1.1 529 No\r\nContent-Length: 2\r\n\r\nno", "", "no"},
        {"HTTP/1.1 301 No\r\nContent-Length: 2\r\n\r\nno", "", "no"},
        {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 OK\r\nContent-Length: 2\r\n\r\nhi", "hi", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        BUF_AUTO struct buf handed = {0};
        struct http_request request = {.on_bytes = take_bytes, .user = &handed};
        struct http_response response = {0};
        struct error err = {0};
        struct server server;
        char header[64];

        assert_int_equal(fetch(&server, cases[i].answer, &request, &response, header, &err), 0);
        assert_string_equal(handed.data ? handed.data : "", cases[i].handed);
        assert_string_equal(response.body.data ? response.body.data : "", cases[i].kept);
        assert_int_equal(response.fault, HTTP_FAULT_NONE);
        http_response_finish(&response);
    }
}

static void *fire_soon(void *cancel)
{
    usleep(100000);
    cancel_fire(cancel);
    return NULL;
}

/* A silent connection ends at once. */
static void test_cancel_wakes(void **state)
{
    struct cancel *token = cancel_create(NULL);
    struct http_request request = {.cancel = token};
    struct http_response response = {0};
    struct error err = {0};
    struct server server;
    pthread_t thread;
    char header[64];

    (void)state;
    pthread_create(&thread, NULL, fire_soon, token);
    assert_int_equal(fetch(&server, NULL, &request, &response, header, &err), -1);
    assert_int_equal(err.kind, ERROR_CANCELLED);
    pthread_join(thread, NULL);
    http_response_finish(&response);
    cancel_unref(token);
}

/* A lost answer's status is known, and where it broke off. */
static void test_lost(void **state)
{
    struct http_request request = {0};
    struct http_response response = {0};
    struct error err = {0};
    struct server server;
    char header[64];

    (void)state;
    assert_int_equal(fetch(&server, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi", &request,
                           &response, header, &err),
                     -1);
    assert_int_equal(err.kind, ERROR_IO);
    assert_int_equal(response.status, 200);
    assert_int_equal(response.fault, HTTP_FAULT_LATER);
    http_response_finish(&response);
}

static void test_loopback(void **state)
{
    static const struct {
        const char *url;
        bool loopback;
    } cases[] = {
        {"http://localhost", true},
        {"http://LOCALHOST:11434/v1", true},
        {"https://127.0.0.1:8080", true},
        {"http://127.9.8.7", true},
        {"http://[::1]:80/x", true},
        {"http://me:x@localhost/", true},
        {"http://localhost@evil", false},
        {"http://localhost.example", false},
        {"http://127.0.0.1.example", false},
        {"http://10.0.0.1", false},
        {"http://128.0.0.1", false},
        {"", false},
        {"nonsense", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(http_is_loopback(cases[i].url), cases[i].loopback);
}

static void test_nobody_there(void **state)
{
    struct http_request request = {.url = "http://localhost/", .unix_socket = "/nowhere/socket"};
    struct http_client *client = http_client_create(NULL);
    struct http_response response = {0};
    struct error err = {0};

    (void)state;
    assert_int_equal(http_send(client, &request, &response, &err), -1);
    assert_int_equal(err.kind, ERROR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "/nowhere/socket"));
    assert_int_equal(response.status, 0);
    assert_int_equal(response.fault, HTTP_FAULT_CONNECT);
    http_response_finish(&response);
    request.url = "ftp://localhost/";
    request.unix_socket = NULL;
    memset(&err, 0, sizeof err);
    assert_int_equal(http_send(client, &request, &response, &err), -1);
    assert_int_equal(err.kind, ERROR_INVALID);
    http_response_finish(&response);
    assert_null(http_tunnel_open(&request, &err));
    http_client_destroy(client);
}

static size_t receive_all(struct http_tunnel *tunnel, char *to, size_t wanted)
{
    size_t len = 0;

    while (len < wanted) {
        struct pollfd poll_fd = {.fd = http_tunnel_fd(tunnel), .events = POLLIN};
        ssize_t got = http_tunnel_receive(tunnel, to + len, wanted - len);

        if (got > 0)
            len += (size_t)got;
        else if (got == 0 || errno != EAGAIN || poll(&poll_fd, 1, 5000) != 1)
            break;
    }
    return len;
}

/* What came together with the head is not lost; then both directions, then the end. */
static void test_many_at_once(void **state)
{
    static const char *const answers[] = {
        "HTTP/1.1 200 OK\r\nETag: \"one\"\r\nContent-Length: 3\r\n\r\none", NULL,
        "HTTP/1.1 404 No\r\nContent-Length: 5\r\n\r\nthree"};
    struct http_client *client = http_client_create(NULL);
    struct http_request requests[4] = {0};
    struct http_response responses[4];
    struct error errors[4];
    struct server servers[3];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        start(&servers[i], answers[i], false);
        requests[i] =
            (struct http_request){.url = "http://localhost/x", .unix_socket = servers[i].path};
    }
    requests[1].total_ms = 300; /* it never answers */
    requests[3] = (struct http_request){.url = "http://localhost/x", .unix_socket = "/nowhere"};
    http_send_many(client, requests, responses, errors, 4, 2); /* two wait */
    assert_int_equal(errors[0].kind, ERROR_NONE);
    assert_int_equal(responses[0].status, 200);
    assert_string_equal(responses[0].etag, "\"one\"");
    assert_string_equal(responses[0].body.data, "one");
    assert_int_equal(errors[1].kind, ERROR_TIMEOUT);
    assert_int_equal(errors[2].kind, ERROR_NONE);
    assert_int_equal(responses[2].status, 404);
    assert_string_equal(responses[2].etag, "");
    assert_string_equal(responses[2].body.data, "three");
    assert_int_equal(errors[3].kind, ERROR_UNAVAILABLE);
    for (size_t i = 0; i < 4; i++)
        http_response_finish(&responses[i]);
    http_client_destroy(client);
    for (size_t i = 0; i < 3; i++)
        stop(&servers[i]);
}

static void test_tunnel(void **state)
{
    struct http_request request = {.method = "POST",
                                   .url = "http://me:secret@localhost/attach?stream=1"};
    struct error err = {0};
    struct http_tunnel *tunnel;
    struct server server;
    char text[64] = "";

    (void)state;
    start(&server, "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\n\r\nearly", true);
    request.unix_socket = server.path;
    tunnel = http_tunnel_open(&request, &err);
    assert_non_null(tunnel);
    assert_memory_equal(server.seen, "POST /attach?stream=1 HTTP/1.1\r\nHost: localhost\r\n", 49);
    assert_non_null(strstr(server.seen, "Upgrade: tcp\r\n"));
    assert_int_equal(receive_all(tunnel, text, 3), 3);
    assert_int_equal(receive_all(tunnel, text + 3, 2), 2);
    assert_string_equal(text, "early");
    assert_int_equal(http_tunnel_send(tunnel, "ping", 4), 4);
    assert_int_equal(receive_all(tunnel, text, 4), 4);
    assert_memory_equal(text, "ping", 4);
    assert_int_equal(http_tunnel_receive(tunnel, text, sizeof text), -1);
    assert_int_equal(errno, EAGAIN);
    http_tunnel_close(tunnel);
    stop(&server);
}

static void check_no_tunnel(const char *answer, enum error_kind kind)
{
    struct http_request request = {
        .method = "POST", .url = "http://localhost/attach", .total_ms = answer ? 0 : 300};
    struct error err = {0};
    struct server server;

    start(&server, answer, false);
    request.unix_socket = server.path;
    assert_null(http_tunnel_open(&request, &err));
    assert_string_equal(error_kind_name(err.kind), error_kind_name(kind));
    stop(&server);
}

static void test_no_tunnel(void **state)
{
    (void)state;
    check_no_tunnel("HTTP/1.1 404 Not Found\r\n\r\n{\"message\":\"no such container\"}",
                    ERROR_UNAVAILABLE);
    check_no_tunnel("SSH-2.0-OpenSSH\r\n\r\n", ERROR_IO);
    check_no_tunnel("HTTP/1.1 101", ERROR_IO);
    check_no_tunnel(NULL, ERROR_TIMEOUT);
}

static void test_escaping(void **state)
{
    BUF_AUTO struct buf to = {0};

    (void)state;
    buf_init(&to, 0);
    http_add_escaped(&to, "a/b:c ä~-._");
    assert_string_equal(to.data, "a%2Fb%3Ac%20%C3%A4~-._");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_get),
        cmocka_unit_test(test_post),
        cmocka_unit_test(test_bytes_by_status),
        cmocka_unit_test(test_cancel_wakes),
        cmocka_unit_test(test_lost),
        cmocka_unit_test(test_loopback),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_nobody_there),
        cmocka_unit_test(test_many_at_once),
        cmocka_unit_test(test_tunnel),
        cmocka_unit_test(test_no_tunnel),
        cmocka_unit_test(test_escaping),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
