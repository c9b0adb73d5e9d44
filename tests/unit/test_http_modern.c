/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "/mcp" of the revision without sessions: headers that repeat the body, a connection that ends and
 * cancels, both eras on one connection.
 */
#include "tests/unit/http_fixture.h"

#define HEADERS(method) MCP_HEADERS "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " method "\r\n"
#define META                                                                                       \
    "\"_meta\":{\"progressToken\":7,\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","   \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define MODERN(method, params)                                                                     \
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"" method "\",\"params\":{" params META "}}"
#define DISCOVER MODERN("server/discover", "")

static void test_requests(void **state)
{
    static const char wait[] = MODERN("tools/call", "\"name\":\"wait\",\"arguments\":{\"ms\":1},");
    const struct fixture *fixture = *state;
    struct answer answer;

    request_once(fixture, &answer, "POST", "/mcp", HEADERS("server/discover"), DISCOVER);
    assert_int_equal(answer.status, 200);
    assert_string_equal(header(&answer, "content-type"), "application/json");
    assert_null(header(&answer, "mcp-session-id"));
    assert_non_null(strstr(answer.body, "\"supportedVersions\":[\"2026-07-28\"]"));
    free(answer.body);
    /* A session id means nothing here. */
    expect(fixture, "POST", "/mcp", HEADERS("tools/list") "Mcp-Session-Id: 123\r\n",
           MODERN("tools/list", ""), 200, "\"resultType\":\"complete\"");
    expect(fixture, "POST", "/mcp", HEADERS("tools/call") "Mcp-Name: \t wait \t\r\n", wait, 200,
           "waited 1 ms");
    expect(fixture, "POST", "/mcp", HEADERS("tools/call") "mcp-name: =?base64?d2FpdA==?=\r\n", wait,
           200, "waited 1 ms");
    expect(fixture, "POST", "/mcp", HEADERS("tools/call"), wait, 400, "-32020");
    expect(fixture, "POST", "/mcp", HEADERS("tools/list") "Mcp-Name: wait\r\n", wait, 400,
           "-32020");
    expect(fixture, "POST", "/mcp", MCP_HEADERS, wait, 400, "-32020");
    expect(fixture, "POST", "/mcp", HEADERS("tools/list"),
           "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{}}", 400, "-32602");
    expect(fixture, "POST", "/mcp", HEADERS("ping"), MODERN("ping", ""), 404, "-32601");
    expect(fixture, "POST", "/mcp", HEADERS("initialize"), MODERN("initialize", ""), 404, "-32601");
    expect(fixture, "POST", "/mcp", HEADERS("notifications/cancelled"),
           "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
           "4}}",
           202, NULL);
    expect(fixture, "GET", "/mcp", "MCP-Protocol-Version: 2026-07-28\r\n", NULL, 405, NULL);
    expect(fixture, "DELETE", "/mcp", "MCP-Protocol-Version: 2026-07-28\r\nMcp-Session-Id: 123\r\n",
           NULL, 405, NULL);
}

/* The arguments that the tool's schema marks. */
static void test_param_headers(void **state)
{
    static const struct {
        const char *arguments, *headers;
        int status;
    } rows[] = {
        {"{\"place\":\"here\",\"count\":42}", "Mcp-Param-Place: here\r\nmcp-param-COUNT: 42\r\n",
         200},
        {"{\"place\":\"h\xC3\xA9\"}", "Mcp-Param-Place: =?base64?aMOp?=\r\n", 200},
        {"{\"place\":\"here\"}", "", 400},
        {"{\"place\":\"here\"}", "Mcp-Param-Place: there\r\n", 400},
        {"{\"place\":\"Hello\"}", "Mcp-Param-Place: =?base64?SGVsbG8?=\r\n", 400},
        {"{\"place\":\"Hello\"}", "Mcp-Param-Place: =?base64?SGVs!!!bG8=?=\r\n", 400},
        {"{\"place\":\"SGVsbG8=\"}", "Mcp-Param-Place: SGVsbG8=\r\n", 200},
        {"{\"place\":\"=?base64?SGVsbG8=\"}", "Mcp-Param-Place: =?base64?SGVsbG8=\r\n", 200},
        {"{\"count\":42}", "Mcp-Param-Count: 43\r\n", 400},
        {"{\"count\":42}", "Mcp-Param-Count: 42.0\r\n", 200},
        {"{\"count\":42}", "Mcp-Param-Count: 42x\r\n", 400},
        {"{\"place\":null}", "", 200},
        {"{}", "", 200},
    };
    char headers[600], body[600];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(headers, sizeof headers, HEADERS("tools/call") "Mcp-Name: marked\r\n%s",
                 rows[i].headers);
        snprintf(body, sizeof body, MODERN("tools/call", "\"name\":\"marked\",\"arguments\":%s,"),
                 rows[i].arguments);
        expect(*state, "POST", "/mcp", headers, body, rows[i].status,
               rows[i].status == 200 ? "marked" : "-32020");
    }
}

/* The end of its connection cancels a call, whether progress has been sent or not. */
static void test_the_client_leaves(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct answer answer;

    for (int i = 0; i < 2; i++) {
        atomic_store(&fake_cancelled, 0);
        client_open(&client, fixture->port);
        write_call(&client, HEADERS("tools/call") "Mcp-Name: wait\r\n",
                   MODERN("tools/call", "\"name\":\"wait\",\"arguments\":{\"ms\":60000},"));
        wait_running(1);
        if (i == 1) {
            assert_true(read_head(&client, &answer)); /* into the stream */
            assert_string_equal(header(&answer, "content-type"), "text/event-stream");
            assert_string_equal(header(&answer, "x-accel-buffering"), "no");
        }
        expect(fixture, "GET", "/metrics", "", NULL, 200, "\nlectern_mcp_calls 1\n");
        client_close(&client);
        wait_running(0);
        assert_int_equal(atomic_load(&fake_cancelled), 1);
    }
}

static void test_both_eras_on_a_connection(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct answer answer;

    client_open(&client, fixture->port);
    for (int i = 0; i < 3; i++) {
        request(&client, &answer, "POST", "/mcp", HEADERS("server/discover"), DISCOVER);
        assert_int_equal(answer.status, 200);
        free(answer.body);
        request(&client, &answer, "POST", "/mcp", fixture->mcp, PING);
        assert_int_equal(answer.status, 200);
        assert_null(strstr(answer.body, "resultType"));
        free(answer.body);
        request(&client, &answer, "POST", "/mcp", MCP_HEADERS, INITIALIZE);
        assert_int_equal(answer.status, 200);
        assert_non_null(header(&answer, "mcp-session-id"));
        free(answer.body);
    }
    client_close(&client);
}

/* The server stops while calls of this era are under way. */
static void test_stop(void **state)
{
    struct fixture *fixture = *state;
    struct client client;

    client_open(&client, fixture->port);
    write_call(&client, HEADERS("tools/call") "Mcp-Name: wait\r\n",
               MODERN("tools/call", "\"name\":\"wait\",\"arguments\":{\"ms\":60000},"));
    wait_running(1);
    fixture->drain_ms = 50;
    stop(fixture);
    wait_running(0);
    assert_int_equal(atomic_load(&fake_cancelled), 1);
    client_close(&client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HTTP_TEST(test_requests),
        HTTP_TEST(test_param_headers),
        HTTP_TEST(test_the_client_leaves),
        MCP_TEST(test_both_eras_on_a_connection),
        HTTP_TEST(test_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
