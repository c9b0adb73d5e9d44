/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The HTTP server: shutting down, and addresses that it cannot listen on.
 */
#include "tests/unit/http_fixture.h"

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
    snprintf(process, sizeof process, "test_http_end (process %d)", (int)getpid());
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
    const struct CMUnitTest tests[] = {
        HTTP_TEST(test_shutdown_drains),
        HTTP_TEST(test_shutdown_with_calls_in_flight),
        HTTP_TEST(test_taken_port),
        cmocka_unit_test(test_wrong_host),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
