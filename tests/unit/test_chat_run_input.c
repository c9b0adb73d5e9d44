/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a page sends up: what is taken of it, and what each mistake is answered.
 */
#include "tests/unit/session_fixture.h"

#include "mcp/chat/run_input.h"
#include "tests/fuzz/play_run_input.h"
#include "tests/unit/regression_inputs.h"

static int take(const char *text, struct run_input *input, struct error *err)
{
    *err = (struct error){0};
    return run_input_read(text, strlen(text), input, err);
}

#define ASK(messages, more) "{\"threadId\":\"t\",\"runId\":\"r\",\"messages\":" messages more "}"
#define QUESTION            "[{\"id\":\"1\",\"role\":\"user\",\"content\":\"Why?\"}]"

static void test_a_question(void **state)
{
    struct run_input input;
    struct error err;
    json_auto_t *wanted =
        parse("[{\"id\":\"1\",\"content\":\"Why?\"},{\"id\":\"5\",\"content\":\"a\\nb\"}]");

    (void)state;
    assert_int_equal(
        take(ASK("[{\"id\":\"1\",\"role\":\"user\",\"content\":\"Why?\"},"
                 "{\"id\":\"2\",\"role\":\"assistant\",\"toolCalls\":[]},"
                 "{\"id\":\"3\",\"role\":\"tool\",\"content\":\"x\",\"toolCallId\":\"c\"},"
                 "{\"id\":\"4\",\"role\":\"user\",\"content\":\" \\n\"},"
                 "{\"id\":\"1\",\"role\":\"user\",\"content\":\"again\"},"
                 "{\"id\":\"9\",\"role\":\"activity\",\"content\":{}},"
                 "{\"id\":\"5\",\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
                 "{\"type\":\"text\",\"text\":\"b\"}]}]",
                 ",\"tools\":[],\"state\":null,\"protocolVersion\":\"1.0\",\"context\":["
                 "{\"description\":\"node_id\",\"value\":\"N007\"},"
                 "{\"description\":\"weather\",\"value\":\"fine\"}]"),
             &input, &err),
        0);
    assert_false(input.stop);
    assert_string_equal(input.thread_id, "t");
    assert_string_equal(input.run_id, "r");
    assert_true(same_json(input.messages, wanted));
    assert_null(input.resume);
    assert_int_equal(input.approvals, APPROVALS_DESTRUCTIVE);
    assert_non_null(strstr(input.where.data, "N007"));
    assert_non_null(strstr(input.where.data, "{\"description\":\"weather\",\"value\":\"fine\"}"));
    run_input_finish(&input);
    assert_int_equal(
        take(ASK(QUESTION, ",\"forwardedProps\":{\"lectern\":{\"approvals\":\"every\"}}"), &input,
             &err),
        0);
    assert_int_equal(input.approvals, APPROVALS_EVERY);
    assert_int_equal(input.where.len, 0);
    assert_int_equal(input.solve, -1);
    run_input_finish(&input);
    for (int solve = 0; solve < 2; solve++) {
        assert_int_equal(
            take(solve ? ASK(QUESTION, ",\"forwardedProps\":{\"lectern\":{\"solve\":true}}")
                       : ASK(QUESTION, ",\"forwardedProps\":{\"lectern\":{\"solve\":false}}"),
                 &input, &err),
            0);
        assert_int_equal(input.solve, solve);
        run_input_finish(&input);
    }
}

static void test_answers(void **state)
{
    struct run_input input;
    const struct run_answer *answers = input.answers;
    struct error err;

    (void)state;
    assert_int_equal(
        take(ASK("[]", ",\"resume\":[{\"interruptId\":\"a\",\"status\":\"resolved\",\"payload\":{"
                       "\"approved\":true}},{\"interruptId\":\"b\",\"status\":\"resolved\","
                       "\"payload\":{\"approved\":false,\"reason\":\"too much\"}},"
                       "{\"interruptId\":\"c\",\"status\":\"cancelled\",\"payload\":{\"approved\":"
                       "true}}]"),
             &input, &err),
        0);
    assert_int_equal(input.answer_count, 3);
    assert_string_equal(answers[0].interrupt_id, "a");
    assert_true(answers[0].approved);
    assert_null(answers[0].reason);
    assert_false(answers[1].approved);
    assert_string_equal(answers[1].reason, "too much");
    assert_false(answers[2].approved);
    run_input_finish(&input);
}

/* A page keeps what was refused in its history. Where it answers, and where it asks the next
 * question, that is no fault any more. */
static void test_what_was_refused_is_let_go(void **state)
{
    static const char *const refused[] = {
        "{\"id\":\"b\",\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"x\"},"
        "{\"type\":\"image\",\"source\":{\"type\":\"url\",\"value\":\"http://x/y.png\"}}]}",
        "{\"id\":\"b\",\"role\":\"user\",\"content\":7}",
        "{\"id\":\"b\",\"role\":\"user\"}",
        "{\"role\":\"user\",\"content\":\"x\"}",
        "{\"id\":\"b\",\"content\":\"x\"}",
        "7",
    };
    static const char *const more[] = {
        "],\"resume\":[{\"interruptId\":\"a\",\"status\":\"cancelled\"}]}",
        ",{\"id\":\"2\",\"role\":\"user\",\"content\":\"Next?\"}]}",
        "]}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        for (size_t k = 0; k < sizeof more / sizeof more[0]; k++) {
            struct buf text BUF_AUTO = {0};
            struct run_input input;
            struct error err;
            int rc;

            buf_addf(&text, "{\"threadId\":\"t\",\"runId\":\"r\",\"messages\":[%s%s", refused[i],
                     more[k]);
            rc = take(text.data, &input, &err);
            if (rc != (k == 2 ? -1 : 0))
                fail_msg("%s: %s", text.data, err.text);
            assert_int_equal(json_array_size(input.messages), k == 1);
            run_input_finish(&input);
        }
    }
}

static void test_stop(void **state)
{
    struct run_input input;
    struct error err;

    (void)state;
    assert_int_equal(take("{\"type\":\"lectern.stop\",\"runId\":\"r7\"}", &input, &err), 0);
    assert_true(input.stop);
    assert_string_equal(input.run_id, "r7");
    run_input_finish(&input);
}

static const struct {
    const char *text;
    enum error_kind kind;
    const char *says;
} mistakes[] = {
    {"", ERROR_MALFORMED, "the frame"},
    {"{\"threadId\":", ERROR_MALFORMED, "line"},
    {"[]", ERROR_INVALID, "object"},
    {"{}", ERROR_INVALID, "threadId"},
    {"{\"type\":\"context_update\"}", ERROR_INVALID, "lectern.stop"},
    {"{\"type\":\"lectern.stop\"}", ERROR_INVALID, "runId"},
    {"{\"threadId\":\"\",\"runId\":\"r\",\"messages\":[]}", ERROR_INVALID, "threadId"},
    {"{\"threadId\":\"a\\u0000b\",\"runId\":\"r\",\"messages\":[]}", ERROR_INVALID, "control"},
    {"{\"threadId\":\"t\",\"runId\":7,\"messages\":[]}", ERROR_INVALID, "runId"},
    {"{\"threadId\":\"t\",\"runId\":\"r\"}", ERROR_INVALID, "messages"},
    {ASK("[]", ""), ERROR_INVALID, "ask something"},
    {ASK("[{\"id\":\"1\",\"role\":\"user\",\"content\":\"  \"}]", ""), ERROR_INVALID,
     "ask something"},
    {ASK("[{\"id\":\"1\",\"content\":\"x\"}]", ""), ERROR_INVALID, "messages.0.role: is needed"},
    {ASK("[7]", ""), ERROR_INVALID, "messages.0"},
    {ASK("[{\"role\":\"user\",\"content\":\"x\"}]", ""), ERROR_INVALID, "id"},
    {ASK("[{\"id\":\"1\",\"role\":\"user\"}]", ""), ERROR_INVALID, "messages.0.content: is needed"},
    {ASK("[{\"id\":\"1\",\"role\":\"user\",\"content\":[{\"type\":\"image\"}]}]", ""),
     ERROR_INVALID, "messages.0.content.0.type: must be one of text, not 'image'"},
    {ASK(QUESTION, ",\"resume\":{}"), ERROR_INVALID, "resume"},
    {ASK(QUESTION, ",\"resume\":[{\"interruptId\":\"a\",\"status\":\"done\"}]"), ERROR_INVALID,
     "resume.0.status"},
    {ASK(QUESTION, ",\"resume\":[{\"status\":\"cancelled\"}]"), ERROR_INVALID, "interruptId"},
    {ASK(QUESTION, ",\"resume\":[{\"interruptId\":\"a\",\"status\":\"resolved\"}]"), ERROR_INVALID,
     "approved"},
    {ASK(QUESTION, ",\"resume\":[{\"interruptId\":\"a\",\"status\":\"resolved\",\"payload\":{"
                   "\"approved\":\"yes\"}}]"),
     ERROR_INVALID, "approved"},
    {ASK(QUESTION, ",\"resume\":[{\"interruptId\":\"a\",\"status\":\"resolved\",\"payload\":{"
                   "\"approved\":false,\"reason\":7}}]"),
     ERROR_INVALID, "reason"},
    {ASK(QUESTION, ",\"resume\":[{\"interruptId\":\"a\",\"status\":\"cancelled\"},{"
                   "\"interruptId\":\"a\",\"status\":\"cancelled\"}]"),
     ERROR_INVALID, "twice"},
    {ASK(QUESTION, ",\"contxt\":[]"), ERROR_INVALID, "did you mean 'context'?"},
    {"{\"thread_id\":\"t\",\"runId\":\"r\",\"messages\":[]}", ERROR_INVALID,
     "did you mean 'threadId'?"},
    {ASK(QUESTION, ",\"context\":{}"), ERROR_INVALID, "context"},
    {ASK(QUESTION, ",\"context\":[{\"description\":\"screen\"}]"), ERROR_INVALID, "context.0"},
    {ASK(QUESTION, ",\"forwardedProps\":{\"lectern\":{\"aprovals\":\"every\"}}"), ERROR_INVALID,
     "did you mean 'approvals'?"},
    {ASK(QUESTION, ",\"forwardedProps\":{\"lectern\":5}"), ERROR_INVALID,
     "forwardedProps.lectern must be an object with the members approvals"},
    {ASK("[]", ",\"resume\":[{\"interruptId\":\"a\",\"status\":\"resolved\",\"payload\":{"
               "\"approved\":true,\"edited\":{}}}]"),
     ERROR_INVALID, "unknown member 'edited'"},
    {"{\"type\":\"lectern.stop\",\"runid\":\"r\"}", ERROR_INVALID, "did you mean 'runId'?"},
    {ASK(QUESTION, ",\"forwardedProps\":{\"lectern\":{\"approvals\":\"never\"}}"), ERROR_INVALID,
     "approvals"},
    {ASK(QUESTION, ",\"forwardedProps\":{\"lectern\":{\"solve\":1}}"), ERROR_INVALID, "solve"},
};

static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct run_input input;
        struct error err;

        if (take(mistakes[i].text, &input, &err) != -1 || err.kind != mistakes[i].kind ||
            !strstr(err.text, mistakes[i].says))
            fail_msg("%s: %d %s", mistakes[i].text, err.kind, err.text);
        run_input_finish(&input);
    }
}

static void test_long_ones(void **state)
{
    size_t len = RUN_INPUT_CAP + 1;
    char *text = malloc(len);
    json_auto_t *given = parse(ASK(QUESTION, ""));
    json_t *messages = json_object_get(given, "messages");
    struct run_input input;
    struct error err = {0};
    struct buf frame BUF_AUTO = {0};

    (void)state;
    assert_non_null(text);
    memset(text, 'x', len);
    assert_int_equal(run_input_read(text, len, &input, &err), -1);
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    run_input_finish(&input);
    json_object_set_new(json_array_get(messages, 0), "content",
                        json_stringn(text, RUN_INPUT_TEXT_MAX + 1));
    json_write(&frame, given);
    assert_int_equal(take(frame.data, &input, &err), -1);
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    assert_non_null(strstr(err.text, "65536"));
    run_input_finish(&input);
    /* It stays in the page's history; the next question is heard all the same. */
    json_array_append_new(
        messages, json_pack("{s:s, s:s, s:s}", "id", "2", "role", "user", "content", "shorter"));
    buf_clear(&frame);
    json_write(&frame, given);
    assert_int_equal(take(frame.data, &input, &err), 0);
    assert_int_equal(json_array_size(input.messages), 1);
    assert_string_equal(json_get_string(json_array_get(input.messages, 0), "content"), "shorter");
    run_input_finish(&input);
    free(text);
}

/* A history is looked through once, not once for each message of it, and of a longer one the
 * newest. */
static void test_many_messages(void **state)
{
    struct buf frame BUF_AUTO = {0};
    struct run_input input;
    struct error err = {0};

    (void)state;
    for (unsigned over = 0; over < 2; over++) {
        unsigned all = RUN_INPUT_MESSAGES + over;
        char newest[16];

        buf_clear(&frame);
        buf_adds(&frame, "{\"threadId\":\"t\",\"runId\":\"r\",\"messages\":[");
        for (unsigned i = 0; i < all; i++)
            buf_addf(&frame, "%s{\"id\":\"%u\",\"role\":\"user\",\"content\":\"%u\"}",
                     i > 0 ? "," : "", over ? i : i % (RUN_INPUT_MESSAGES / 2), i);
        buf_adds(&frame, "]}");
        assert_int_equal(take(frame.data, &input, &err), 0);
        assert_int_equal(json_array_size(input.messages),
                         over ? RUN_INPUT_MESSAGES : RUN_INPUT_MESSAGES / 2);
        snprintf(newest, sizeof newest, "%u", over ? all - 1 : all / 2 - 1);
        assert_string_equal(
            json_get_string(json_array_get(input.messages, json_array_size(input.messages) - 1),
                            "id"),
            newest);
        run_input_finish(&input);
    }
}

/* A text that was cut within a character is JSON with half of it; its client sends it each time. */
static void test_half_characters(void **state)
{
    struct run_input input;
    struct error err;

    (void)state;
    assert_int_equal(
        take("{\"threadId\":\"t\\ud83d\",\"runId\":\"\\uDE00r\",\"messages\":[{\"id\":\"m\\ud83d\","
             "\"role\":\"user\",\"content\":\"cut \\ud83d\"},{\"id\":\"n\",\"role\":\"user\","
             "\"content\":\"whole \\ud83d\\ude00 \\\\ud83d\"}],\"context\":[{\"description\":"
             "\"screen\",\"value\":\"\\udc00\"}]}",
             &input, &err),
        0);
    assert_int_equal(err.kind, ERROR_NONE);
    assert_string_equal(input.thread_id, "t\xEF\xBF\xBD");
    assert_string_equal(input.run_id, "\xEF\xBF\xBDr");
    assert_string_equal(json_get_string(json_array_get(input.messages, 0), "id"), "m\xEF\xBF\xBD");
    assert_string_equal(json_get_string(json_array_get(input.messages, 0), "content"),
                        "cut \xEF\xBF\xBD");
    assert_string_equal(json_get_string(json_array_get(input.messages, 1), "content"),
                        "whole \xF0\x9F\x98\x80 \\ud83d");
    assert_non_null(strstr(input.where.data, "\xEF\xBF\xBD"));
    run_input_finish(&input);
    /* What is no JSON stays none, half a character or not. */
    assert_int_equal(take("{\"threadId\":\"\\ud83d\",", &input, &err), -1);
    assert_int_equal(err.kind, ERROR_MALFORMED);
    run_input_finish(&input);
}

/* What the fuzzer found or was led to keeps its promises; they are asserted where it is played. */
static void test_regression(void **state)
{
    (void)state;
    replay_inputs("tests/fuzz/regression/run_input", play_run_input);
}

/* Whatever comes, it is taken or told, and nothing is read beyond its end. */
static void test_torn_and_mixed_inputs(void **state)
{
    static const char *const good[] = {
        ASK(QUESTION, ",\"resume\":[{\"interruptId\":\"a\",\"status\":\"resolved\",\"payload\":{"
                      "\"approved\":true,\"reason\":\"r\"}}],\"context\":[{\"description\":"
                      "\"node_id\",\"value\":\"N1\"}],\"forwardedProps\":{\"lectern\":{"
                      "\"approvals\":\"every\"}}"),
        ASK("[{\"id\":\"1\",\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}]",
            ""),
        "{\"type\":\"lectern.stop\",\"runId\":\"r\"}",
    };
    static const char *const words[] = {"null", "[]", "{}", "7",       "\"\"",     "true",
                                        "\"",   ",",  ":",  "\\u0000", "\xf0\x9f", "\"id\""};
    unsigned chance = 11, taken = 0;

    (void)state;
    for (int round = 0; round < 60000; round++) {
        const char *from = good[round % 3];
        struct buf text BUF_AUTO = {0};
        struct run_input input;
        struct error err = {0};
        char *exact;
        size_t at;

        chance = chance * 1103515245u + 12345u;
        at = chance / 65536u % (strlen(from) + 1);
        buf_add(&text, from, at);
        chance = chance * 1103515245u + 12345u;
        buf_adds(&text, words[chance / 65536u % (sizeof words / sizeof words[0])]);
        chance = chance * 1103515245u + 12345u;
        at += chance / 65536u % 8;
        if (at < strlen(from) && round % 5 != 0)
            buf_adds(&text, from + at);
        exact = malloc(text.len); /* no byte more, for the sanitizer */
        assert_non_null(exact);
        memcpy(exact, text.data, text.len);
        if (run_input_read(exact, text.len, &input, &err) == 0)
            taken++;
        else
            assert_true(err.kind != ERROR_NONE && *err.text);
        run_input_finish(&input);
        free(exact);
    }
    assert_true(taken > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_question),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_long_ones),
        cmocka_unit_test(test_torn_and_mixed_inputs),
        cmocka_unit_test(test_many_messages),
        cmocka_unit_test(test_regression),
        cmocka_unit_test(test_what_was_refused_is_let_go),
        cmocka_unit_test(test_half_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
