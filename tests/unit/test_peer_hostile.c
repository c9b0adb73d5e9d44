/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages of both eras, cut, spliced and changed at random, on one peer: each is answered once or
 * not at all, with JSON that is right, and nothing is left behind. LECTERN_SEED repeats a run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "tests/unit/peer_fixture.h"

#define ROUNDS   3000
#define TEXT_CAP 2048

static const char *const texts[] = {
    INITIALIZE("2025-11-25"),
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
    CALL("2", "echo", "{\"text\":\"a\"}"),
    CALL_WITH_TOKEN("\"x\"", "tell", "{}", "\"t\""),
    CALL("3", "ask", "{}"),
    CANCEL("3"),
    LEGACY("resources/read", "\"uri\":\"fake://item/1\""),
    LEGACY("resources/subscribe", "\"uri\":\"fake://text\""),
    LEGACY("resources/list", "\"cursor\":\"100\""),
    LEGACY("prompts/get", "\"name\":\"greet\",\"arguments\":{\"who\":\"Ada\"}"),
    LEGACY("completion/complete",
           "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"fake://item/{id}\"},"
           "\"argument\":{\"name\":\"id\",\"value\":\"a\"}"),
    MODERN("server/discover", META),
    MODERN("tools/call", "\"name\":\"ask\",\"inputResponses\":{\"name\":{\"action\":\"accept\","
                         "\"content\":{\"name\":\"A\"}}},\"requestState\":\"x\"," META_WITH(
                             "2026-07-28", "\"elicitation\":{}")),
    MODERN("subscriptions/listen",
           "\"notifications\":{\"resourceSubscriptions\":[\"fake://text\"]}," META),
    "{\"jsonrpc\":\"2.0\",\"id\":\"ask-1\",\"result\":{\"action\":\"accept\",\"content\":{}}}",
};
#define TEXTS (sizeof texts / sizeof texts[0])

/* One of the texts, the beginning of one and the end of another, or with some bytes changed. */
static size_t make(char text[TEXT_CAP], unsigned *seed)
{
    static const char bytes[] = "{}[]\",:0-e\\u\xC3\xFF\x01 ntf";
    size_t one = (size_t)rand_r(seed) % TEXTS, other = (size_t)rand_r(seed) % TEXTS;
    size_t len = strlen(texts[one]), cut = (size_t)rand_r(seed) % (len + 1), rest;

    memcpy(text, texts[one], len);
    if (rand_r(seed) % 4 == 0) {
        rest = (size_t)rand_r(seed) % strlen(texts[other]);
        memcpy(text + cut, texts[other] + rest, strlen(texts[other]) - rest);
        len = cut + strlen(texts[other]) - rest;
    }
    for (int i = rand_r(seed) % 4; i > 0; i--)
        text[(size_t)rand_r(seed) % len] = bytes[(size_t)rand_r(seed) % (sizeof bytes - 1)];
    return len;
}

/* Parses what is sent, as a client would; counts the responses. */
struct counter {
    struct peer_reply reply; /* first */
    size_t responses, ends;
};

static void count_send(struct peer_reply *reply, const char *json, size_t len,
                       enum peer_output kind)
{
    struct counter *counter = (struct counter *)reply;
    json_auto_t *read = json_read(json, len, "what is sent", NULL);

    assert_non_null(read);
    assert_int_equal(counter->ends, 0);
    counter->responses += kind == PEER_RESPONSE;
}

static void count_end(struct peer_reply *reply, bool accepted)
{
    struct counter *counter = (struct counter *)reply;

    (void)accepted;
    assert_int_equal(++counter->ends, 1);
    assert_true(counter->responses <= 1);
}

static void test_mutants(void **state)
{
    struct fixture *fixture = *state;
    const char *given = getenv("LECTERN_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);
    struct counter *counters = calloc(ROUNDS, sizeof *counters);
    struct error err = {0};
    struct message message;
    char text[TEXT_CAP];

    print_message("LECTERN_SEED=%u\n", seed);
    for (size_t i = 0; i < ROUNDS; i++) {
        size_t len = make(text, &seed);

        counters[i].reply =
            (struct peer_reply){.streams = true, .send = count_send, .end = count_end};
        message_read(&message, NULL, text, len);
        peer_receive(fixture->peer, &message, NULL, &counters[i].reply);
        message_finish(&message);
        if (rand_r(&seed) % 8 == 0)
            uv_run(&fixture->loop, UV_RUN_NOWAIT);
        if (rand_r(&seed) % 64 == 0) { /* a new client */
            peer_destroy(fixture->peer);
            fixture->peer = peer_create(fixture->host, "test", NULL, &err);
        }
    }
    peer_destroy(fixture->peer);
    fixture->peer = NULL;
    for (size_t i = 0; i < ROUNDS; i++)
        assert_int_equal(counters[i].ends, 1);
    while (uv_run(&fixture->loop, UV_RUN_NOWAIT) && atomic_load(&fake_running) > 0)
        uv_sleep(1);
    free(counters);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_mutants, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
