/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Notifications that no call causes: subscriptions of the modern era, the stream of a legacy
 * client, and what a call tells while it runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/peer_fixture.h"

#define LISTEN(id, filter)                                                                         \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"subscriptions/listen\",\"params\":{"          \
    "\"notifications\":{" filter "}," META "}}"

/* A host whose lists change, as that of the conformance program. */
static int setup_changing(void **state)
{
    struct fixture *fixture;
    struct error err = {0};

    setup(state);
    fixture = *state;
    peer_destroy(fixture->peer);
    host_destroy(fixture->host);
    fixture->host = host_create(&fixture->server, true, &err);
    fixture->peer = peer_create(fixture->host, "test", NULL, &err);
    return 0;
}

static void run_for(struct fixture *fixture, unsigned ms)
{
    uint64_t end = uv_hrtime() + ms * 1000000ull;

    while (uv_hrtime() < end) {
        uv_run(&fixture->loop, UV_RUN_NOWAIT);
        uv_sleep(5);
    }
}

static const char *method_at(const struct mailbag *bag, size_t i)
{
    assert_true(i < bag->count);
    assert_false(bag->response[i]);
    return json_get_string(bag->sent[i], "method");
}

static const json_t *id_at(const struct mailbag *bag, size_t i)
{
    return json_object_get(json_object_get(json_object_get(bag->sent[i], "params"), "_meta"),
                           "io.modelcontextprotocol/subscriptionId");
}

/* All that changes, by the tool `tell`. */
static void change(struct fixture *fixture)
{
    struct mailbag bag;

    result_of(fixture, &bag,
              "{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"tools/call\",\"params\":{"
              "\"name\":\"tell\"," META "}}");
    bag_finish(&bag);
    run_for(fixture, 200);
}

static void test_listen(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag all, one, note;
    const json_t *filter;

    tell(fixture, &all,
         LISTEN("\"all\"", "\"toolsListChanged\":true,\"promptsListChanged\":true,"
                           "\"resourcesListChanged\":true,\"resourceSubscriptions\":["
                           "\"fake://text\",\"fake://other\"]"));
    tell(fixture, &one, LISTEN("8", "\"promptsListChanged\":true,\"toolsListChanged\":false"));
    assert_string_equal(method_at(&all, 0), "notifications/subscriptions/acknowledged");
    filter = json_object_get(json_object_get(all.sent[0], "params"), "notifications");
    assert_int_equal(json_object_size(filter), 4);
    assert_int_equal(json_array_size(json_object_get(filter, "resourceSubscriptions")), 2);
    filter = json_object_get(json_object_get(one.sent[0], "params"), "notifications");
    assert_int_equal(json_object_size(filter), 1);
    change(fixture);
    assert_int_equal(all.count, 5);
    for (size_t i = 0; i < all.count; i++)
        assert_string_equal(json_string_value(id_at(&all, i)), "all");
    assert_string_equal(method_at(&all, 1), "notifications/tools/list_changed");
    assert_string_equal(method_at(&all, 2), "notifications/prompts/list_changed");
    assert_string_equal(method_at(&all, 3), "notifications/resources/list_changed");
    assert_string_equal(method_at(&all, 4), "notifications/resources/updated");
    assert_string_equal(json_get_string(json_object_get(all.sent[4], "params"), "uri"),
                        "fake://text");
    assert_int_equal(one.count, 2);
    assert_string_equal(method_at(&one, 1), "notifications/prompts/list_changed");
    assert_int_equal(json_integer_value(id_at(&one, 1)), 8);
    expect_error(fixture, LISTEN("8", ""), -32600, 400, "under way");
    /* A cancel ends it without a response, a lost transport without a word, the server's end with
     * a result. */
    tell(fixture, &note, CANCEL("8"));
    assert_true(one.ended);
    assert_int_equal(one.count, 2);
    change(fixture);
    assert_int_equal(one.count, 2);
    assert_int_equal(all.count, 9);
    tell(fixture, &note, LISTEN("9", "\"toolsListChanged\":true"));
    peer_forget(fixture->peer, &note.reply);
    change(fixture);
    assert_int_equal(note.count, 1);
    bag_finish(&note);
    bag_finish(&one);
    peer_destroy(fixture->peer);
    fixture->peer = NULL;
    assert_true(all.ended);
    assert_true(all.response[all.count - 1]);
    filter = json_object_get(all.sent[all.count - 1], "result");
    assert_string_equal(json_get_string(filter, "resultType"), "complete");
    assert_string_equal(
        json_get_string(json_object_get(filter, "_meta"), "io.modelcontextprotocol/subscriptionId"),
        "all");
    bag_finish(&all);
}

static void test_listen_made_up(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag bags[PEER_LISTENS_CAP], bag, legacy;
    struct error err = {0};
    char text[600];

    bag_init(&legacy); /* as stdio has it for each client; it takes no place */
    assert_int_equal(peer_open_stream(fixture->peer, &legacy.reply, &err), 0);
    expect_error(fixture, MODERN("subscriptions/listen", META), -32602, 200, "notifications");
    expect_error(fixture, LISTEN("1", "\"resourceSubscriptions\":7"), -32602, 200, "URIs");
    expect_error(fixture, LISTEN("1", "\"resourceSubscriptions\":[7]"), -32602, 200, "URIs");
    tell_without_streams(fixture, &bag, LISTEN("1", ""));
    assert_true(bag.response[0]);
    bag_finish(&bag);
    for (int i = 0; i < PEER_LISTENS_CAP; i++) {
        snprintf(text, sizeof text, LISTEN("%d", ""), i);
        tell(fixture, &bags[i], text);
        assert_int_equal(bags[i].count, 1);
    }
    expect_error(fixture, LISTEN("99", ""), -32000, 200, "streams");
    peer_destroy(fixture->peer);
    fixture->peer = NULL;
    for (int i = 0; i < PEER_LISTENS_CAP; i++)
        bag_finish(&bags[i]);
    bag_finish(&legacy);
}

/* What does not change here is not promised. */
static void test_listen_in_the_product(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag bag;
    const json_t *filter;

    tell(fixture, &bag, LISTEN("1", "\"toolsListChanged\":true,\"resourcesListChanged\":true"));
    filter = json_object_get(json_object_get(bag.sent[0], "params"), "notifications");
    assert_int_equal(json_object_size(filter), 0);
    change(fixture);
    assert_int_equal(bag.count, 1);
    peer_forget(fixture->peer, &bag.reply);
    bag_finish(&bag);
}

static void test_legacy(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag first, second, bag;
    struct error err = {0};

    bag_init(&first);
    assert_int_equal(peer_open_stream(fixture->peer, &first.reply, &err), 0);
    change(fixture);
    assert_int_equal(first.count, 0); /* before initialize */
    ask(fixture, &bag, INITIALIZE("2025-11-25"));
    bag_finish(&bag);
    change(fixture);
    assert_int_equal(first.count, 3);
    assert_string_equal(method_at(&first, 0), "notifications/tools/list_changed");
    assert_null(id_at(&first, 0));
    assert_false(peer_is_idle(fixture->peer));
    /* A second stream takes the place of the first. */
    bag_init(&second);
    assert_int_equal(peer_open_stream(fixture->peer, &second.reply, &err), 0);
    assert_true(first.ended);
    assert_int_equal(first.count, 3);
    assert_int_equal(json_object_size(result_of(
                         fixture, &bag, LEGACY("resources/subscribe", "\"uri\":\"fake://text\""))),
                     0);
    bag_finish(&bag);
    expect_error(fixture, LEGACY("resources/subscribe", "\"uri\":\"no://such\""), -32002, 200,
                 "no://such");
    change(fixture);
    assert_int_equal(second.count, 4);
    assert_string_equal(method_at(&second, 3), "notifications/resources/updated");
    ask(fixture, &bag, LEGACY("resources/unsubscribe", "\"uri\":\"fake://text\""));
    bag_finish(&bag);
    change(fixture);
    assert_int_equal(second.count, 7);
    peer_forget(fixture->peer, &second.reply);
    assert_true(peer_is_idle(fixture->peer));
    change(fixture);
    assert_int_equal(second.count, 7);
    bag_finish(&first);
    bag_finish(&second);
}

/* ---- what a call tells ---- */

static void test_notes(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag bag, set;
    const json_t *params;

    tell(fixture, &bag, CALL_WITH_TOKEN("5", "tell", "{}", "\"t\""));
    wait_for(fixture, &bag);
    assert_int_equal(bag.count, 5);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(method_at(&bag, (size_t)i), "notifications/progress");
        params = json_object_get(bag.sent[i], "params");
        assert_string_equal(json_get_string(params, "progressToken"), "t");
        assert_true(json_number_value(json_object_get(params, "progress")) == i);
        assert_true(json_number_value(json_object_get(params, "total")) == 4);
        assert_string_equal(json_get_string(params, "message"), "counting");
    }
    assert_string_equal(method_at(&bag, 3), "notifications/message");
    params = json_object_get(bag.sent[3], "params");
    assert_string_equal(json_get_string(params, "level"), "info");
    assert_string_equal(json_get_string(params, "data"), "something");
    params = json_object_get(json_object_get(bag.sent[4], "result"), "content");
    assert_int_equal(json_array_size(params), 1); /* no empty text beside it */
    assert_string_equal(json_get_string(json_array_get(params, 0), "type"), "audio");
    bag_finish(&bag);
    /* The level that the client wants; without a token no progress. */
    assert_int_equal(json_object_size(result_of(fixture, &set,
                                                LEGACY("logging/setLevel", "\"level\":\"error\""))),
                     0);
    bag_finish(&set);
    expect_error(fixture, LEGACY("logging/setLevel", "\"level\":\"loud\""), -32602, 200, "warning");
    ask(fixture, &bag, CALL("5", "tell", "{}"));
    bag_finish(&bag);
    /* The modern era has no log messages. */
    ask(fixture, &bag, MODERN("tools/call", "\"name\":\"tell\"," META));
    bag_finish(&bag);
}

int main(void)
{
#define INITIALIZED(test) cmocka_unit_test_setup_teardown(test, setup_initialized, teardown)
#define CHANGING(test)    cmocka_unit_test_setup_teardown(test, setup_changing, teardown)
    const struct CMUnitTest tests[] = {
        CHANGING(test_listen),
        CHANGING(test_listen_made_up),
        INITIALIZED(test_listen_in_the_product),
        CHANGING(test_legacy),
        INITIALIZED(test_notes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
