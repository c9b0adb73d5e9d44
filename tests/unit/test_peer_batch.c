/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Batches of messages that do not end the usual way. Their contents are in
 * tests/contract/test_mcp.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/peer_fixture.h"

#define NOTE    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"
#define PING    "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}"
#define ENDLESS CALL("5", "report", "{\"ms\":60000}")

static int setup_with_batches(void **state)
{
    struct mailbag bag;

    setup(state);
    ask(*state, &bag, INITIALIZE("2025-03-26"));
    bag_finish(&bag);
    return 0;
}

static void test_nothing_to_answer(void **state)
{
    struct mailbag bag;

    tell(*state, &bag, "[" NOTE ",{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}," NOTE "]");
    assert_true(bag.ended && bag.accepted);
    assert_int_equal(bag.count, 0);
}

/* What was cancelled has no answer; the rest has. */
static void test_cancel(void **state)
{
    struct mailbag bag, alone, note;

    tell(*state, &bag, "[" PING "," ENDLESS "]");
    assert_false(bag.ended);
    tell(*state, &note, CANCEL("5"));
    wait_for(*state, &bag);
    assert_int_equal(json_array_size(bag.sent[0]), 1);
    assert_string_equal(json_get_string(json_array_get(bag.sent[0], 0), "id"), "p");
    bag_finish(&bag);
    tell(*state, &alone, "[" ENDLESS "," CANCEL("5") "]");
    wait_for(*state, &alone);
    assert_true(alone.accepted);
    assert_int_equal(alone.count, 0);
}

/* The calls of a batch go on after their client is gone; nothing is sent to it. */
static void test_forgotten(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag bag;

    tell(fixture, &bag,
         "[" PING "," CALL("1", "wait", "{\"ms\":50}") "," CALL("2", "wait", "{\"ms\":100}") "]");
    peer_forget(fixture->peer, &bag.reply);
    while (peer_calls(fixture->peer) > 0)
        uv_run(&fixture->loop, UV_RUN_ONCE);
    assert_int_equal(bag.count, 0);
    assert_false(bag.ended);
    assert_int_equal(atomic_load(&fake_cancelled), 0);
}

static void test_destroyed(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag bag;
    struct error err = {0};
    size_t calls = 1, streams;

    tell(fixture, &bag, "[" PING "," ENDLESS "]");
    peer_destroy(fixture->peer);
    assert_true(bag.ended);
    bag_finish(&bag);
    while (calls > 0) {
        uv_run(&fixture->loop, UV_RUN_ONCE);
        host_count(fixture->host, &calls, &streams);
    }
    fixture->peer = peer_create(fixture->host, "test", NULL, &err);
}

/* Each answer that has no room any more becomes an error with its request's id. */
static void test_too_large_together(void **state)
{
    struct mailbag bag;
    size_t errors = 0;
    const json_t *answers;

    answers =
        ask(*state, &bag,
            "[" CALL("1", "echo", "{\"image_bytes\":4000000}") "," CALL(
                "2", "echo",
                "{\"image_bytes\":4000000}") "," CALL("3", "echo",
                                                      "{\"image_bytes\":4000000}") "," PING "]");
    assert_int_equal(json_array_size(answers), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *error = json_object_get(json_array_get(answers, i), "error");

        if (!error)
            continue;
        errors++;
        assert_int_equal(json_integer_value(json_object_get(error, "code")), MESSAGE_REFUSED);
        assert_true(json_is_integer(json_object_get(json_array_get(answers, i), "id")));
    }
    assert_int_equal(errors, 1);
    bag_finish(&bag);
}

int main(void)
{
#define WITH_BATCHES(test) cmocka_unit_test_setup_teardown(test, setup_with_batches, teardown)
    const struct CMUnitTest tests[] = {
        WITH_BATCHES(test_nothing_to_answer),  WITH_BATCHES(test_cancel),
        WITH_BATCHES(test_forgotten),          WITH_BATCHES(test_destroyed),
        WITH_BATCHES(test_too_large_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
