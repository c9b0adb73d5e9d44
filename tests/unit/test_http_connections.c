/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The HTTP server: many connections at once, half-open ones among them.
 */
#include <errno.h>

#include "tests/unit/http_fixture.h"

#define PARALLEL 50

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        HTTP_TEST(test_parallel_clients),
        HTTP_TEST(test_half_open_connections),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
