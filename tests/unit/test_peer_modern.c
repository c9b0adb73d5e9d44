/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The revision without sessions: what each request must say, what each result says, and the headers
 * that repeat it. Both eras on one peer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/peer_fixture.h"

#define META_OF(version) META_WITH(version, "")

static const json_t *modern_result(struct fixture *fixture, struct mailbag *bag, const char *text)
{
    const json_t *result = json_object_get(ask(fixture, bag, text), "result");
    const json_t *server =
        json_object_get(json_object_get(result, "_meta"), "io.modelcontextprotocol/serverInfo");

    assert_int_equal(bag->status, 200);
    assert_string_equal(json_get_string(result, "resultType"), "complete");
    assert_string_equal(json_get_string(server, "name"), "lectern");
    assert_string_equal(json_get_string(server, "version"), LECTERN_VERSION);
    return result;
}

static void test_discover(void **state)
{
    struct fixture *fixture = *state;
    const json_t *result, *versions;
    struct mailbag bag;

    result = modern_result(fixture, &bag, MODERN("server/discover", META));
    versions = json_object_get(result, "supportedVersions");
    assert_int_equal(json_array_size(versions), 1);
    assert_string_equal(json_string_value(json_array_get(versions, 0)), "2026-07-28");
    assert_true(json_is_object(json_object_get(json_object_get(result, "capabilities"), "tools")));
    assert_non_null(json_get_string(result, "instructions"));
    assert_true(json_integer_value(json_object_get(result, "ttlMs")) > 0);
    assert_string_equal(json_get_string(result, "cacheScope"), "private");
    bag_finish(&bag);
    assert_null(peer_client(fixture->peer)->version); /* nothing is kept of it */
}

static void test_tools(void **state)
{
    struct fixture *fixture = *state;
    const json_t *result, *content;
    struct mailbag bag;

    result = modern_result(fixture, &bag, MODERN("tools/list", META));
    assert_int_equal(json_array_size(json_object_get(result, "tools")), 6);
    assert_non_null(json_object_get(result, "ttlMs"));
    bag_finish(&bag);
    result = modern_result(
        fixture, &bag, MODERN("tools/call", "\"name\":\"wait\",\"arguments\":{\"ms\":1}," META));
    content = json_array_get(json_object_get(result, "content"), 0);
    assert_string_equal(json_get_string(content, "text"), "waited 1 ms for mcp:modern-one");
    assert_null(json_object_get(result, "ttlMs"));
    bag_finish(&bag);
    /* Absent arguments are none. A tool's failure and the server's name share _meta. */
    result = modern_result(fixture, &bag, MODERN("tools/call", "\"name\":\"echo\"," META));
    assert_true(json_is_false(json_object_get(result, "isError")));
    bag_finish(&bag);
    result = modern_result(
        fixture, &bag,
        MODERN("tools/call", "\"name\":\"echo\",\"arguments\":{\"fail\":true}," META));
    assert_true(json_is_true(json_object_get(result, "isError")));
    assert_true(json_is_object(json_object_get(json_object_get(result, "_meta"), "lectern/error")));
    bag_finish(&bag);
}

static void test_what_is_missing(void **state)
{
    static const char *const params[] = {
        "",
        "\"_meta\":{}",
        "\"_meta\":{\"io.modelcontextprotocol/clientCapabilities\":{}}",
        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}",
        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":7,"
        "\"io.modelcontextprotocol/clientCapabilities\":{}}",
        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":[]}",
    };
    char text[400];

    for (size_t i = 0; i < sizeof params / sizeof params[0]; i++) {
        snprintf(text, sizeof text, MODERN("server/discover", "%s"), params[i]);
        expect_error(*state, text, -32602, 400, "_meta");
    }
}

static void test_versions(void **state)
{
    static const char *const versions[] = {"2025-11-25", "v999", "2026-07-29"};
    struct fixture *fixture = *state;
    const json_t *error, *data, *supported;
    struct mailbag bag;
    char text[600];

    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        snprintf(text, sizeof text, MODERN("tools/list", META_OF("%s")), versions[i]);
        error = json_object_get(ask(fixture, &bag, text), "error");
        assert_int_equal(json_integer_value(json_object_get(error, "code")), -32022);
        assert_int_equal(bag.status, 400);
        data = json_object_get(error, "data");
        supported = json_object_get(data, "supported");
        assert_string_equal(json_get_string(data, "requested"), versions[i]);
        assert_int_equal(json_array_size(supported), 1);
        assert_string_equal(json_string_value(json_array_get(supported, 0)), "2026-07-28");
        bag_finish(&bag);
    }
}

static void test_methods_of_the_other_era(void **state)
{
    static const char *const gone[] = {
        "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
        "no/such"};
    struct fixture *fixture = *state;
    char text[600];

    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) {
        snprintf(text, sizeof text, MODERN("%s", META), gone[i]);
        expect_error(fixture, text, -32601, 404, "unknown method");
    }
}

/* ---- headers ---- */

static const char *no_param(const struct peer_headers *headers, const char *name)
{
    (void)headers;
    (void)name;
    return NULL;
}

static void expect_header(struct fixture *fixture, const char *text, const char *version,
                          const char *method, const char *name, const char *refused)
{
    const struct peer_headers headers = {version, method, name, no_param};
    struct mailbag bag;

    fixture->headers = &headers;
    if (refused) {
        expect_error(fixture, text, -32020, 400, refused);
    } else {
        modern_result(fixture, &bag, text);
        bag_finish(&bag);
    }
    fixture->headers = NULL;
}

static void test_headers(void **state)
{
    static const char list[] = MODERN("tools/list", META);
    static const char echo[] = MODERN("tools/call", "\"name\":\"echo\"," META);
    static const char other[] = MODERN("server/discover", META_OF("v9"));
    const char *now = "2026-07-28";

    expect_header(*state, list, now, "tools/list", "", NULL);
    expect_header(*state, list, "", "tools/list", "", "MCP-Protocol-Version");
    expect_header(*state, list, "2025-11-25", "tools/list", "", "MCP-Protocol-Version");
    expect_header(*state, other, now, "server/discover", "", "MCP-Protocol-Version");
    expect_header(*state, list, now, "", "", "Mcp-Method");
    expect_header(*state, list, now, "tools/call", "", "Mcp-Method");
    expect_header(*state, list, now, "TOOLS/LIST", "", "Mcp-Method");
    expect_header(*state, echo, now, "tools/call", "echo", NULL);
    expect_header(*state, echo, now, "tools/call", "", "Mcp-Name");
    expect_header(*state, echo, now, "tools/call", "wait", "Mcp-Name");
    expect_header(*state, echo, now, "tools/call", "=?base64?ZWNobw==?=", NULL);
    expect_header(*state, echo, now, "tools/call", "=?base64?ZWNobw?=", "Mcp-Name");
    expect_header(*state, echo, now, "tools/call", "=?base64?ZWNo!bw=?=", "Mcp-Name");
    expect_header(*state, echo, now, "tools/call", "=?base64?ZWNobw==", "Mcp-Name");
    expect_header(*state, echo, now, "tools/call", "=?base64?=", "Mcp-Name");
}

/* A POST whose header names the revision, but whose body does not. */
static void test_only_the_header_is_modern(void **state)
{
    const struct peer_headers headers = {"2026-07-28", "tools/list", "", no_param};
    struct fixture *fixture = *state;
    struct mailbag bag;

    fixture->headers = &headers;
    expect_error(fixture, MODERN("tools/list", ""), -32602, 400, "_meta");
    ask(fixture, &bag, INITIALIZE("2025-11-25")); /* of one era only */
    assert_int_equal(bag.status, 200);
    bag_finish(&bag);
    fixture->headers = NULL;
}

/* ---- both eras at once ---- */

static void test_both_eras(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag bag, call;
    const json_t *result;

    tell(fixture, &call,
         MODERN("tools/call", "\"name\":\"wait\",\"arguments\":{\"ms\":100}," META));
    ask(fixture, &bag, INITIALIZE("2025-06-18"));
    bag_finish(&bag);
    result = json_object_get(ask(fixture, &bag, CALL("7", "wait", "{\"ms\":1}")), "result");
    assert_null(json_object_get(result, "resultType"));
    assert_string_equal(
        json_get_string(json_array_get(json_object_get(result, "content"), 0), "text"),
        "waited 1 ms for mcp:unit-test-");
    bag_finish(&bag);
    modern_result(fixture, &bag,
                  "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"server/discover\","
                  "\"params\":{" META "}}");
    bag_finish(&bag);
    wait_for(fixture, &call);
    result = json_object_get(call.sent[0], "result");
    assert_string_equal(json_get_string(result, "resultType"), "complete");
    bag_finish(&call);
    assert_string_equal(peer_client(fixture->peer)->version, "2025-06-18");
}

/* On a shared channel a notification cancels, with or without _meta; no initialize before. */
static void test_cancel(void **state)
{
    static const char *const cancels[] = {
        CANCEL("1"), "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
                     "\"requestId\":1," META "}}"};
    struct fixture *fixture = *state;
    struct mailbag bag, note;

    for (size_t i = 0; i < sizeof cancels / sizeof cancels[0]; i++) {
        atomic_store(&fake_cancelled, 0);
        tell(fixture, &bag,
             MODERN("tools/call", "\"name\":\"report\",\"arguments\":{\"ms\":60000}," META));
        tell(fixture, &note, cancels[i]);
        assert_true(note.accepted);
        wait_for(fixture, &bag);
        assert_int_equal(bag.count, 0);
        assert_int_equal(atomic_load(&fake_cancelled), 1);
    }
}

int main(void)
{
#define WITH_PEER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_PEER(test_discover),
        WITH_PEER(test_tools),
        WITH_PEER(test_what_is_missing),
        WITH_PEER(test_versions),
        WITH_PEER(test_methods_of_the_other_era),
        WITH_PEER(test_headers),
        WITH_PEER(test_only_the_header_is_modern),
        WITH_PEER(test_both_eras),
        WITH_PEER(test_cancel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
