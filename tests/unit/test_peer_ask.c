/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A tool that asks: by the result and a second call in one era, by requests of the server in the
 * other. The state that travels with the client is sealed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/peer_fixture.h"

#define FORM "\"elicitation\":{}"
#define ASK(id, more)                                                                              \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"ask\","   \
    "\"arguments\":{}," more META_WITH("2026-07-28", FORM) "}}"
#define ANSWER(key, content)                                                                       \
    "\"inputResponses\":{\"" key "\":{\"action\":\"accept\",\"content\":{" content "}}},"

static const json_t *required(struct fixture *fixture, struct mailbag *bag, const char *text,
                              const char *key)
{
    const json_t *result = result_of(fixture, bag, text), *request;

    assert_string_equal(json_get_string(result, "resultType"), "input_required");
    assert_null(json_object_get(result, "ttlMs"));
    request = json_object_get(json_object_get(result, "inputRequests"), key);
    assert_string_equal(json_get_string(request, "method"), "elicitation/create");
    assert_non_null(json_get_string(json_object_get(request, "params"), "message"));
    return result;
}

static void text_is(const json_t *result, const char *text)
{
    assert_string_equal(
        json_get_string(json_array_get(json_object_get(result, "content"), 0), "text"), text);
}

static void test_rounds(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag bag;
    const json_t *result;
    char text[2000];

    result = required(fixture, &bag, ASK("1", ""), "name");
    assert_null(json_object_get(result, "requestState"));
    bag_finish(&bag);
    required(fixture, &bag, ASK("2", ANSWER("other", "\"x\":1")), "name"); /* asked again */
    bag_finish(&bag);
    result = required(fixture, &bag, ASK("3", ANSWER("name", "\"name\":\"Ada\"")), "sure");
    snprintf(text, sizeof text, ASK("4", "\"requestState\":\"%s\"," ANSWER("sure", "")),
             json_get_string(result, "requestState"));
    bag_finish(&bag);
    result = result_of(fixture, &bag, text);
    assert_string_equal(json_get_string(result, "resultType"), "complete");
    text_is(result, "Ada, accept");
    bag_finish(&bag);
}

/* For other arguments, another tool, or with a byte changed, the state is refused. */
static void test_sealed_state(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag bag;
    const json_t *result;
    char sealed[1000], text[3000];
    struct identity other;
    size_t len;

    result = required(fixture, &bag, ASK("3", ANSWER("name", "\"name\":\"Ada\"")), "sure");
    len = (size_t)snprintf(sealed, sizeof sealed, "%s", json_get_string(result, "requestState"));
    bag_finish(&bag);
    for (size_t i = 0; i < len; i++) {
        sealed[i] ^= 1;
        snprintf(text, sizeof text, ASK("4", "\"requestState\":\"%s\"," ANSWER("sure", "")),
                 sealed[i] == '"' || sealed[i] == '\\' ? "x" : sealed);
        expect_error(fixture, text, -32602, 200, "requestState");
        sealed[i] ^= 1;
    }
    snprintf(text, sizeof text, ASK("4", "\"requestState\":\"%s-more\"," ANSWER("sure", "")),
             sealed);
    expect_error(fixture, text, -32602, 200, "requestState");
    snprintf(text, sizeof text,
             MODERN("tools/call", "\"name\":\"ask\",\"arguments\":{\"text\":\"x\"},"
                                  "\"requestState\":\"%s\"," META_WITH("2026-07-28", FORM)),
             sealed);
    expect_error(fixture, text, -32602, 200, "requestState");
    snprintf(text, sizeof text,
             MODERN("tools/call", "\"name\":\"echo\",\"requestState\":\"%s\"," META), sealed);
    expect_error(fixture, text, -32602, 200, "requestState");
    expect_error(fixture, ASK("1", "\"requestState\":7,"), -32602, 200, "requestState");
    /* Somebody else. */
    other = identity_everyone;
    memcpy(other.id, "0123", sizeof "0123");
    peer_identify(fixture->peer, &other);
    snprintf(text, sizeof text, ASK("4", "\"requestState\":\"%s\"," ANSWER("sure", "")), sealed);
    expect_error(fixture, text, -32602, 200, "requestState");
    peer_identify(fixture->peer, &identity_everyone);
    result_of(fixture, &bag, text);
    bag_finish(&bag);
    /* Another server has another key. */
    fixture->server.seal_key[0] ^= 1;
    snprintf(text, sizeof text, ASK("4", "\"requestState\":\"%s\"," ANSWER("sure", "")), sealed);
    expect_error(fixture, text, -32602, 200, "requestState");
}

static void test_answers_made_up(void **state)
{
    expect_error(*state, ASK("1", "\"inputResponses\":null,"), -32602, 200, "inputResponses");
    expect_error(*state, ASK("1", "\"inputResponses\":[],"), -32602, 200, "inputResponses");
    expect_error(*state, ASK("1", "\"inputResponses\":{\"name\":12345},"), -32602, 200,
                 "inputResponses");
}

static void test_undeclared(void **state)
{
    static const struct {
        const char *arguments, *capabilities, *needed;
    } rows[] = {
        {"{}", "", "elicitation"},
        {"{}", "\"sampling\":{}", "elicitation"},
        {"{}", "\"elicitation\":{\"url\":{}}", "elicitation"},
        {"{\"sample\":true}", "\"elicitation\":{}", "sampling"},
    };
    struct fixture *fixture = *state;
    struct mailbag bag;
    const json_t *error;
    char text[1000];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(text, sizeof text,
                 MODERN("tools/call",
                        "\"name\":\"ask\",\"arguments\":%s," META_WITH("2026-07-28", "%s")),
                 rows[i].arguments, rows[i].capabilities);
        error = json_object_get(ask(fixture, &bag, text), "error");
        assert_int_equal(json_integer_value(json_object_get(error, "code")), -32021);
        assert_int_equal(bag.status, 400);
        error = json_object_get(json_object_get(error, "data"), "requiredCapabilities");
        assert_true(json_is_object(json_object_get(error, rows[i].needed)));
        bag_finish(&bag);
    }
}

/* ---- requests of the server ---- */

#define OPEN(capabilities)                                                                         \
    LEGACY("initialize", "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{" capabilities "}")

static void open_legacy(struct fixture *fixture, const char *text)
{
    struct mailbag bag;

    ask(fixture, &bag, text);
    bag_finish(&bag);
}

static void run_until(struct fixture *fixture, const struct mailbag *bag, size_t count)
{
    while (bag->count < count && !bag->ended)
        uv_run(&fixture->loop, UV_RUN_ONCE);
    assert_int_equal(bag->count, count);
}

/* The server's request at this place of the bag is answered with members of a response. */
static void respond(struct fixture *fixture, const struct mailbag *bag, size_t place,
                    const char *members)
{
    const json_t *request = bag->sent[place];
    struct mailbag note;
    char text[400];

    assert_false(bag->response[place]);
    assert_string_equal(json_get_string(request, "method"), "elicitation/create");
    assert_non_null(json_get_string(json_object_get(request, "params"), "message"));
    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",%s}",
             json_get_string(request, "id"), members);
    tell(fixture, &note, text);
    assert_true(note.accepted);
    assert_int_equal(note.count, 0);
}

static void test_requests(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag bag, stray;

    open_legacy(fixture, OPEN(FORM));
    tell(fixture, &bag, CALL("5", "ask", "{}"));
    run_until(fixture, &bag, 1);
    tell(fixture, &stray, "{\"jsonrpc\":\"2.0\",\"id\":\"ask-99\",\"result\":{}}");
    assert_true(stray.accepted);
    respond(fixture, &bag, 0, "\"result\":{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}");
    run_until(fixture, &bag, 2);
    respond(fixture, &bag, 1, "\"result\":{\"action\":\"decline\"}");
    wait_for(fixture, &bag);
    assert_int_equal(bag.count, 3);
    text_is(json_object_get(bag.sent[2], "result"), "Ada, decline");
    bag_finish(&bag);
}

static void expect_failure(struct fixture *fixture, struct mailbag *bag, const char *says)
{
    const json_t *result;

    wait_for(fixture, bag);
    result = json_object_get(bag->sent[bag->count - 1], "result");
    assert_true(json_is_true(json_object_get(result, "isError")));
    assert_non_null(strstr(
        json_get_string(json_array_get(json_object_get(result, "content"), 0), "text"), says));
    bag_finish(bag);
}

static void test_requests_refused(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag bag, note;

    open_legacy(fixture, OPEN(FORM));
    tell(fixture, &bag, CALL("5", "ask", "{}"));
    run_until(fixture, &bag, 1);
    respond(fixture, &bag, 0, "\"error\":{\"code\":-1,\"message\":\"nobody is here\"}");
    expect_failure(fixture, &bag, "nobody is here");
    tell(fixture, &bag, CALL("5", "ask", "{\"sample\":true}"));
    expect_failure(fixture, &bag, "sampling");
    /* Cancelled while it waits. */
    tell(fixture, &bag, CALL("5", "ask", "{}"));
    run_until(fixture, &bag, 1);
    tell(fixture, &note, CANCEL("5"));
    wait_for(fixture, &bag);
    assert_int_equal(bag.count, 1);
    bag_finish(&bag);
    assert_int_equal(peer_calls(fixture->peer), 0);
    /* Its transport takes only responses. */
    bag_init(&bag);
    tell_without_streams(fixture, &bag, CALL("5", "ask", "{}"));
    expect_failure(fixture, &bag, "text/event-stream");
    /* And one that waits when the peer ends. */
    tell(fixture, &bag, CALL("6", "ask", "{}"));
    run_until(fixture, &bag, 1);
    bag_finish(&bag);
}

static void test_not_declared(void **state)
{
    struct fixture *fixture = *state;
    struct mailbag bag;

    open_legacy(fixture, OPEN(""));
    tell(fixture, &bag, CALL("5", "ask", "{}"));
    expect_failure(fixture, &bag, "elicitation");
}

int main(void)
{
#define WITH_PEER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_PEER(test_rounds),          WITH_PEER(test_sealed_state),
        WITH_PEER(test_answers_made_up), WITH_PEER(test_undeclared),
        WITH_PEER(test_requests),        WITH_PEER(test_requests_refused),
        WITH_PEER(test_not_declared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
