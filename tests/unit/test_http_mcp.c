/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The HTTP server: MCP sessions and streams, cancelled calls, clients that leave.
 */
#include "tests/unit/http_fixture.h"

static void test_session(void **state)
{
    const struct fixture *fixture = *state;
    char text[1024];

    expect(fixture, "POST", "/mcp", fixture->mcp, PING, 200, "\"id\":2");
    expect(fixture, "POST", "/mcp", fixture->mcp,
           "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", 202, NULL);
    expect(fixture, "POST", "/mcp", fixture->mcp, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
           202, NULL);
    expect(fixture, "POST", "/mcp", fixture->mcp, CALL("3", "echo", "{\"text\":\"hello\"}"), 200,
           "hello");
    expect(fixture, "POST", "/mcp", fixture->mcp, "{", 400, "-32700");
    expect(fixture, "POST", "/mcp", fixture->mcp, "[" PING "]", 400, "batches");
    expect(fixture, "POST", "/mcp", fixture->mcp, INITIALIZE, 400, "already");
    expect(fixture, "POST", "/mcp", MCP_HEADERS, PING, 400, "Mcp-Session-Id");
    expect(fixture, "POST", "/mcp", MCP_HEADERS, CALL("3", "echo", "{}"), 400, "initialize");
    expect(fixture, "POST", "/mcp", MCP_HEADERS,
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}", 400,
           "protocolVersion");
    expect(fixture, "POST", "/mcp", MCP_HEADERS "Mcp-Session-Id: 0123\r\n", PING, 404,
           "initialize");
    snprintf(text, sizeof text, "%s", fixture->mcp);
    memcpy(strstr(text, "2025-11-25"), "2099-01-01", strlen("2099-01-01"));
    expect(fixture, "POST", "/mcp", text, PING, 400, "MCP-Protocol-Version");
    expect(fixture, "DELETE", "/mcp", "", NULL, 400, "Mcp-Session-Id");
    expect(fixture, "DELETE", "/mcp", "Mcp-Session-Id: 0123\r\n", NULL, 404, NULL);
    expect(fixture, "DELETE", "/mcp", fixture->mcp, NULL, 204, NULL);
    expect(fixture, "DELETE", "/mcp", fixture->mcp, NULL, 404, NULL);
    expect(fixture, "POST", "/mcp", fixture->mcp, PING, 404, "initialize");
    expect(fixture, "DELETE", "/mcp", fixture->mcp, "{}", 404, NULL); /* with a body */
}

/* There is no table of sessions that could be full. */
static void test_many_sessions(void **state)
{
    const struct fixture *fixture = *state;
    char first[512], headers[512];

    initialize(fixture, first);
    for (int i = 0; i < 2000; i++)
        initialize(fixture, headers);
    expect(fixture, "POST", "/mcp", first, PING, 200, NULL);
    expect(fixture, "POST", "/mcp", headers, PING, 200, NULL);
}

/* Each character of the id counts. */
static void test_changed_ids(void **state)
{
    const struct fixture *fixture = *state;
    char headers[512], *id;

    memcpy(headers, fixture->mcp, sizeof headers);
    id = strstr(headers, "Mcp-Session-Id: ") + strlen("Mcp-Session-Id: ");
    for (; *id != '\r'; id++) {
        char kept = *id;

        *id = kept == 'A' ? 'B' : 'A';
        expect(fixture, "POST", "/mcp", headers, PING, 404, "initialize");
        *id = kept;
    }
    expect(fixture, "POST", "/mcp", headers, PING, 200, NULL);
    memcpy(id - 1, "\r\n", 3); /* its last character is missing */
    expect(fixture, "POST", "/mcp", headers, PING, 404, "initialize");
}

static void test_progress_makes_a_stream(void **state)
{
    const struct fixture *fixture = *state;
    char headers[512];
    struct answer answer;
    const char *progress, *result;

    memcpy(headers, fixture->mcp, sizeof headers);
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
    char with_accept[600];
    struct answer answer;
    const char *data;

    for (size_t i = 0; i < sizeof accepts / sizeof accepts[0]; i++) {
        snprintf(with_accept, sizeof with_accept, JSON "%s%s", accepts[i],
                 strstr(fixture->mcp, "MCP-Protocol-Version"));
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

static void test_cancellation(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct answer answer;

    begin_call(fixture, &client, CALL("5", "wait", "{\"ms\":60000}"));
    expect(fixture, "POST", "/mcp", fixture->mcp, CALL("5", "echo", "{}"), 400, "under way");
    expect(fixture, "POST", "/mcp", fixture->mcp, CANCEL("5"), 202, NULL);
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

    for (int i = 0; i < 3; i++) {
        atomic_store(&fake_released, false);
        begin_call(fixture, &client, CALL_WITH_TOKEN("5", "wait", "{\"ms\":-1}"));
        if (i == 1)
            assert_true(read_head(&client, &answer)); /* into the stream */
        client_close(&client);
        expect(fixture, "GET", "/health", "", NULL, 200, NULL);
        atomic_store(&fake_released, true);
        wait_running(0);
        assert_int_equal(atomic_load(&fake_cancelled), 0);
        /* The tool has ended, its call perhaps not yet: another id. */
        expect(fixture, "POST", "/mcp", fixture->mcp,
               CALL("6", "echo", "{\"text\":\"still here\"}"), 200, "still here");
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

    begin_call(fixture, &client, CALL("5", "wait", "{\"ms\":60000}"));
    expect(fixture, "DELETE", "/mcp", fixture->mcp, NULL, 204, NULL);
    read_answer(&client, &answer);
    assert_int_equal(answer.status, 404);
    free(answer.body);
    client_close(&client);
    wait_running(0);
    assert_int_equal(atomic_load(&fake_cancelled), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MCP_TEST(test_session),
        HTTP_TEST(test_many_sessions),
        MCP_TEST(test_changed_ids),
        MCP_TEST(test_progress_makes_a_stream),
        MCP_TEST(test_large_images),
        MCP_TEST(test_cancellation),
        MCP_TEST(test_client_that_leaves),
        MCP_TEST(test_delete_with_a_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
