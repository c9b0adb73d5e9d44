/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A peer without sockets: messages in, messages out, on a real loop with real lanes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/peer_fixture.h"

static void test_initialize(void **state)
{
    struct fixture *fixture = *state;
    const json_t *result, *info;
    struct mailbag bag;

    assert_null(peer_client(fixture->peer)->version);
    result = json_object_get(ask(fixture, &bag, INITIALIZE("2025-03-26")), "result");
    info = json_object_get(result, "serverInfo");
    assert_string_equal(json_get_string(result, "protocolVersion"), "2025-03-26");
    assert_string_equal(json_get_string(info, "name"), "lectern");
    assert_string_equal(json_get_string(info, "version"), LECTERN_VERSION);
    assert_non_null(json_get_string(info, "title"));
    assert_non_null(json_get_string(result, "instructions"));
    assert_true(json_is_object(json_object_get(json_object_get(result, "capabilities"), "tools")));
    assert_string_equal(json_get_string(bag.sent[0], "id"), "i");
    assert_string_equal(peer_client(fixture->peer)->version, "2025-03-26");
    bag_finish(&bag);
    expect_error(fixture, INITIALIZE("2025-03-26"), -32600, 400, "already");
}

static void test_unknown_version_gets_the_newest(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag bag;

    ask(fixture, &bag, INITIALIZE("1999-01-01"));
    bag_finish(&bag);
    assert_string_equal(peer_client(fixture->peer)->version, "2025-11-25");
    assert_string_equal(protocol_version_find("2024-11-05"), "2024-11-05");
    assert_null(protocol_version_find("2026-07-28"));
}

static void test_before_initialize(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag bag;

    assert_int_equal(
        json_object_size(json_object_get(
            ask(fixture, &bag, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"), "result")),
        0);
    bag_finish(&bag);
    expect_error(fixture, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", -32600, 400,
                 "initialize first");
    expect_error(fixture, CALL("1", "echo", "{}"), -32600, 400, "initialize first");
    expect_error(fixture, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\"}", -32601, 404,
                 "unknown method");
    expect_error(fixture, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}", -32602, 400,
                 "protocolVersion");
}

static void test_wrong_messages(void **state)
{
    static const struct {
        const char *text;
        int code, status;
        const char *says;
    } wrong[] = {
        {"{", -32700, 400, "line 1"},
        {"", -32700, 400, "JSON"},
        {"\xff", -32700, 400, "JSON"},
        {"7", -32600, 400, "object"},
        {"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600, 400, "batches"},
        {"{\"id\":1,\"method\":\"ping\"}", -32600, 400, "jsonrpc"},
        {"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600, 400, "2.0"},
        {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600, 400, "id"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", -32600, 400, "id"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", -32600, 400, "method"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1}", -32600, 400, "method"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}", -32602, 400, "object"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tool/list\"}", -32601, 200, "tools/list"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xC3\xA4\xC3\xA4\xC3\xA4\"}", -32601, 200,
         "unknown method"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"notifications/initialized\"}", -32600, 400,
         "without an id"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}",
         -32602, 200, "cursor"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", -32602, 200, "name"},
        {CALL("1", "ecco", "{}"), -32602, 200, "echo, wait, report"},
        {CALL("1", "echo", "[]"), -32602, 200, "arguments"},
        {CALL_WITH_TOKEN("1", "echo", "{}", "true"), -32602, 200, "progressToken"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect_error(*state, wrong[i].text, wrong[i].code, wrong[i].status, wrong[i].says);
}

static void test_over_the_cap(void **state)
{
    struct fixture *fixture = *state;
    size_t len = MESSAGE_IN_CAP + 1;
    char *text = malloc(len);
    struct mailbag bag;

    memset(text, ' ', len);
    receive(fixture, &bag, text, len);
    assert_true(bag.ended);
    assert_int_equal(bag.status, 413);
    bag_finish(&bag);
    free(text);
}

static void test_what_is_not_answered(void **state)
{
    static const char *const texts[] = {
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/no-such\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"tools/list\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}",
        CANCEL("99"),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}",
    };
    struct mailbag bag;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        tell(*state, &bag, texts[i]);
        assert_true(bag.ended);
        assert_true(bag.accepted);
        assert_int_equal(bag.count, 0);
    }
}

static void test_tools_list(void **state)
{
    struct mailbag bag;
    const json_t *list = json_object_get(
        json_object_get(
            ask(*state, &bag, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"),
            "result"),
        "tools");

    assert_int_equal(json_array_size(list), 6);
    assert_string_equal(json_get_string(json_array_get(list, 0), "name"), "echo");
    assert_true(json_is_object(json_object_get(json_array_get(list, 0), "inputSchema")));
    bag_finish(&bag);
}

static const char *text_of(const json_t *response, bool *is_error)
{
    const json_t *result = json_object_get(response, "result");

    *is_error = json_is_true(json_object_get(result, "isError"));
    return json_get_string(json_array_get(json_object_get(result, "content"), 0), "text");
}

static void test_tools_call(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag bag;
    bool is_error;

    assert_string_equal(
        text_of(ask(fixture, &bag, CALL("\"a\"", "echo", "{\"text\":\"\xE2\x82\xAC\"}")),
                &is_error),
        "\xE2\x82\xAC");
    assert_false(is_error);
    assert_string_equal(json_get_string(bag.sent[0], "id"), "a");
    bag_finish(&bag);
    assert_string_equal(
        text_of(ask(fixture, &bag,
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
                    "\"echo\"}}"),
                &is_error),
        "-");
    bag_finish(&bag);
    assert_string_equal(
        text_of(ask(fixture, &bag, CALL("2", "echo", "{\"fail\":true}")), &is_error),
        "you asked for it");
    assert_true(is_error);
    bag_finish(&bag);
    /* The client's name stands in the change log, made a plain word. */
    assert_string_equal(text_of(ask(fixture, &bag, CALL("3", "wait", "{\"ms\":1}")), &is_error),
                        "waited 1 ms for mcp:unit-test-");
    bag_finish(&bag);
    assert_int_equal(peer_calls(fixture->peer), 0);
}

static void test_ids_under_way(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag first, second;

    tell(fixture, &first, CALL("1", "wait", "{\"ms\":200}"));
    assert_int_equal(peer_calls(fixture->peer), 1);
    expect_error(fixture, CALL("1", "echo", "{}"), -32600, 400, "under way");
    ask(fixture, &second, CALL("\"1\"", "echo", "{}")); /* a text is another id */
    bag_finish(&second);
    wait_for(fixture, &first);
    bag_finish(&first);
    ask(fixture, &second, CALL("1", "echo", "{}"));
    bag_finish(&second);
}

static void test_too_many_calls(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag *bags = calloc(PEER_CALLS_CAP, sizeof *bags);
    char text[200];

    atomic_store(&fake_released, false);
    for (int i = 0; i < PEER_CALLS_CAP; i++) {
        snprintf(text, sizeof text, CALL("%d", "wait", "{\"ms\":-1}"), i);
        tell(fixture, &bags[i], text);
    }
    expect_error(fixture, CALL("\"one more\"", "echo", "{}"), -32000, 200, "under way");
    atomic_store(&fake_released, true);
    for (int i = 0; i < PEER_CALLS_CAP; i++) {
        wait_for(fixture, &bags[i]);
        assert_int_equal(bags[i].count, 1);
        bag_finish(&bags[i]);
    }
    free(bags);
}

static void check_cancel(struct fixture *fixture, const char *call)
{
    struct mailbag bag, note;

    atomic_store(&fake_cancelled, 0);
    tell(fixture, &bag, call);
    for (int i = 0; i < 5; i++) { /* let the lane take it */
        uv_run(&fixture->loop, UV_RUN_NOWAIT);
        uv_sleep(20);
    }
    tell(fixture, &note, CANCEL("5"));
    assert_true(note.accepted);
    tell(fixture, &note, CANCEL("5")); /* a second one changes nothing */
    wait_for(fixture, &bag);
    assert_int_equal(bag.count, 0);
    assert_int_equal(atomic_load(&fake_cancelled), 1);
    assert_int_equal(peer_calls(fixture->peer), 0);
}

static void test_cancel(void **state)
{
    check_cancel(*state, CALL("5", "wait", "{\"ms\":60000}"));
    check_cancel(*state, CALL("5", "report", "{\"ms\":60000}"));
    check_cancel(*state, CALL_WITH_TOKEN("5", "report", "{\"ms\":60000}", "1"));
}

/* Returns how many came; the first not before first_ms, and no more than one for each time that
 * this has passed. */
static size_t check_progress(struct fixture *fixture, const char *call, unsigned first_ms,
                             const char *says)
{
    double last = 0, value;
    const json_t *params;
    struct mailbag bag;
    size_t count;
    uint64_t before = uv_hrtime();

    atomic_store(&fake_released, false);
    tell(fixture, &bag, call);
    while (!bag.ended) {
        uv_run(&fixture->loop, UV_RUN_ONCE);
        if (bag.count == 1 && !bag.response[0]) {
            assert_true(uv_hrtime() - before > (first_ms - 10) * 1000000ull);
            atomic_store(&fake_released, true);
        }
    }
    assert_true(bag.response[bag.count - 1]);
    for (size_t i = 0; i + 1 < bag.count; i++) {
        assert_false(bag.response[i]);
        assert_string_equal(json_get_string(bag.sent[i], "method"), "notifications/progress");
        params = json_object_get(bag.sent[i], "params");
        assert_string_equal(json_get_string(params, "progressToken"), "tok");
        assert_non_null(strstr(json_get_string(params, "message"), says));
        value = json_number_value(json_object_get(params, "progress"));
        assert_true(value > last);
        last = value;
    }
    count = bag.count - 1;
    assert_true(count * (first_ms - 10) <= (uv_hrtime() - before) / 1000000);
    bag_finish(&bag);
    return count;
}

/* A tool's news from the first tick on and once a tick at most; the running time from 1 s on, only
 * rising; nothing without a token or for quick calls. */
static void test_progress(void **state)
{
    assert_true(check_progress(*state, CALL_WITH_TOKEN("1", "report", "{\"ms\":1000}", "\"tok\""),
                               250, "ms to go") > 0);
    assert_true(check_progress(*state, CALL_WITH_TOKEN("1", "wait", "{\"ms\":-1}", "\"tok\""), 1000,
                               "wait has been under way for ") > 0);
    check_progress(*state, CALL_WITH_TOKEN("1", "report", "{\"ms\":100}", "\"tok\""), 250, "");
    assert_int_equal(check_progress(*state, CALL("1", "report", "{\"ms\":600}"), 250, ""), 0);
}

static void test_forgotten_reply(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag bag;

    tell(fixture, &bag, CALL_WITH_TOKEN("1", "wait", "{\"ms\":100}", "1"));
    peer_forget(fixture->peer, &bag.reply);
    while (peer_calls(fixture->peer) > 0)
        uv_run(&fixture->loop, UV_RUN_ONCE);
    assert_int_equal(bag.count, 0);
    assert_false(bag.ended);
    assert_int_equal(atomic_load(&fake_cancelled), 0); /* the call went on */
}

static void test_destroyed_with_calls(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag bag, bag2;
    struct error err = {0};

    tell(fixture, &bag, CALL("1", "wait", "{\"ms\":60000}"));
    tell(fixture, &bag2, CALL_WITH_TOKEN("2", "report", "{\"ms\":60000}", "1"));
    while (atomic_load(&fake_running) == 0) /* the lane has taken it */
        uv_sleep(1);
    peer_destroy(fixture->peer);
    fixture->peer = NULL;
    assert_true(bag.ended && bag2.ended);
    assert_int_equal(bag.count + bag2.count, 0);
    peer_destroy(NULL);
    for (int i = 0; i < 20; i++) { /* the calls end, and the peer's memory goes */
        uv_run(&fixture->loop, UV_RUN_NOWAIT);
        uv_sleep(10);
    }
    assert_int_equal(atomic_load(&fake_cancelled), 2);
    fixture->peer = peer_create(fixture->host, "test", NULL, &err);
}

int main(void)
{
#define WITH_PEER(test)   cmocka_unit_test_setup_teardown(test, setup, teardown)
#define INITIALIZED(test) cmocka_unit_test_setup_teardown(test, setup_initialized, teardown)
    const struct CMUnitTest tests[] = {
        WITH_PEER(test_initialize),        WITH_PEER(test_unknown_version_gets_the_newest),
        WITH_PEER(test_before_initialize), INITIALIZED(test_wrong_messages),
        WITH_PEER(test_over_the_cap),      INITIALIZED(test_what_is_not_answered),
        INITIALIZED(test_tools_list),      INITIALIZED(test_tools_call),
        INITIALIZED(test_ids_under_way),   INITIALIZED(test_too_many_calls),
        INITIALIZED(test_cancel),          INITIALIZED(test_progress),
        INITIALIZED(test_forgotten_reply), INITIALIZED(test_destroyed_with_calls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
