/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A model's answer out of its events: a whole stream cut at every byte, tables of short streams
 * with what they become or why they fail, and each allocation failing in turn.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/json.h"
#include "mcp/model/model_stream.h"
#include "mcp/model/model_message.h"
#include "tests/fuzz/play_model_stream.h"
#include "tests/unit/failing_allocations.h"
#include "tests/unit/regression_inputs.h"

#define RUNS_CAP 3000

/* What was told, as one text; pieces of one block are put together. */
struct told {
    char text[1 << 15];
    size_t len;
    char last; /* kind of the piece before */
};

static struct told told;
static struct model_message message;

static void note(char kind, size_t block, const char *text, size_t len)
{
    assert_true(len > 0 || kind == '<' || kind == '>');
    if (kind != told.last || kind == '<' || kind == '>')
        told.len += (size_t)snprintf(told.text + told.len, sizeof told.text - told.len, " %zu%c",
                                     block, kind);
    told.last = kind;
    assert_true(told.len + len < sizeof told.text);
    memcpy(told.text + told.len, text, len);
    told.len += len;
    told.text[told.len] = '\0';
}

/* Whole characters only: what is told can stand in JSON by itself. */
static void note_whole(char kind, size_t block, const char *text, size_t len)
{
#ifdef COUNTS_ALLOCATIONS
    bool was = watching;

    watching = false;
#endif
    json_t *string = json_stringn(text, len);

    assert_non_null(string);
    json_decref(string);
#ifdef COUNTS_ALLOCATIONS
    watching = was;
#endif
    note(kind, block, text, len);
}

static void on_text_begin(void *user, size_t block)
{
    (void)user;
    note('<', block, "text ", 5);
}

static void on_text(void *user, size_t block, const char *text, size_t len)
{
    (void)user;
    note_whole('"', block, text, len);
}

static void on_thinking_begin(void *user, size_t block)
{
    (void)user;
    note('<', block, "thinking ", 9);
}

static void on_thinking(void *user, size_t block, const char *text, size_t len)
{
    (void)user;
    note_whole('~', block, text, len);
}

static void on_call_begin(void *user, size_t block, const char *id, const char *name)
{
    (void)user;
    note('<', block, id, strlen(id));
    note('<', block, name, strlen(name));
}

static void on_call_arguments(void *user, size_t block, const char *json, size_t len)
{
    (void)user;
    note_whole('=', block, json, len);
}

static void on_block_end(void *user, size_t block)
{
    (void)user;
    note('>', block, "", 0);
}

static bool is_taken(void *user, const char *id)
{
    (void)user;
    return strcmp(id, "taken__1") == 0;
}

static const struct model_listener listener = {on_text_begin, on_text,       on_thinking_begin,
                                               on_thinking,   on_call_begin, on_call_arguments,
                                               on_block_end,  is_taken};

static int on_event(void *user, const char *name, const char *data, size_t len, struct error *err)
{
    (void)user;
    return model_message_event(&message, &listener, NULL, name, data, len, err);
}

/* Feeds the stream in parts of `step` bytes, the first of `first`. message is to be finished. */
static int play(const char *bytes, size_t first, size_t step, struct error *err)
{
    struct model_stream stream;
    size_t len = strlen(bytes), at = 0;
    int rc = 0;

    memset(&told, 0, sizeof told);
    model_message_init(&message);
    model_stream_init(&stream, on_event, NULL);
    while (rc == 0 && at < len) {
        size_t part = at == 0 && first > 0 ? first : step;

        if (part > len - at)
            part = len - at;
        rc = model_stream_feed(&stream, bytes + at, part, err);
        at += part;
    }
    model_stream_finish(&stream);
    return rc;
}

static void check_content(bool partial, const char *expected, size_t expected_broken)
{
    BUF_AUTO struct buf text = {0};
    json_auto_t *broken = json_array();
    json_t *content = model_message_content(&message, partial, broken);

    if (!expected) {
        assert_null(content);
        return;
    }
    assert_non_null(content);
    json_write(&text, content);
    assert_string_equal(text.data, expected);
    assert_int_equal(json_array_size(broken), expected_broken);
    json_decref(content);
}

#define START                                                                                      \
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\","       \
    "\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m-1\",\"content\":[],"                \
    "\"usage\":{\"input_tokens\":10,\"cache_creation_input_tokens\":20,"                           \
    "\"cache_read_input_tokens\":30,\"output_tokens\":1}}}\n\n"
#define EVENT(name, members) "event: " name "\ndata: {\"type\":\"" name "\"," members "}\n\n"
#define BLOCK(index, members)                                                                      \
    EVENT("content_block_start", "\"index\":" #index ",\"content_block\":{" members "}")
#define TEXT_BLOCK(index) BLOCK(index, "\"type\":\"text\",\"text\":\"\"")
#define CALL_BLOCK(index)                                                                          \
    BLOCK(index, "\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"run\",\"input\":{}")
#define DELTA(index, members)                                                                      \
    EVENT("content_block_delta", "\"index\":" #index ",\"delta\":{" members "}")
#define TEXT(index, text)     DELTA(index, "\"type\":\"text_delta\",\"text\":\"" text "\"")
#define THINKING(index, text) DELTA(index, "\"type\":\"thinking_delta\",\"thinking\":\"" text "\"")
#define INPUT(index, text)                                                                         \
    DELTA(index, "\"type\":\"input_json_delta\",\"partial_json\":\"" text "\"")
#define STOP(index) EVENT("content_block_stop", "\"index\":" #index)
#define END_FOR(reason)                                                                            \
    EVENT("message_delta", "\"delta\":{\"stop_reason\":\"" reason "\"},"                           \
                           "\"usage\":{\"output_tokens\":5}")                                      \
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
#define END END_FOR("end_turn")

static const char whole[] =
    ": hello\n\n" START "event: ping\ndata: {\"type\": \"ping\"}\n\n"
    "event: of_tomorrow\ndata: no JSON\n\n" BLOCK(
        0, "\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"") THINKING(0, "hm\xC3\xA4 ")
        THINKING(0, "\xF0\x9F\xA6\x84") DELTA(0,
                                              "\"type\":\"signature_delta\",\"signature\":\"QUJD\"")
            DELTA(0, "\"type\":\"signature_delta\",\"signature\":\"RA==\"") STOP(0) BLOCK(
                1, "\"type\":\"redacted_thinking\",\"data\":\"xyz\"") STOP(1) TEXT_BLOCK(2)
                TEXT(2, "Look: ") TEXT(2, "") TEXT(2, "\\ud83e") TEXT(2, "\\udd84!") STOP(2) BLOCK(
                    3, "\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"run\",\"input\":{}")
                    BLOCK(4, "\"type\":\"tool_use\",\"id\":\"c2\",\"name\":\"look\",\"input\":{}")
                        INPUT(3, "") INPUT(3, "{\\\"code\\\": \\\"print(") INPUT(3, "'\\\\ud83e")
                            INPUT(3, "\\\\udd84')\\\"}") STOP(4) STOP(3)
                                BLOCK(5, "\"type\":\"of_tomorrow\",\"x\":1")
                                    DELTA(5, "\"type\":\"tomorrow_delta\",\"x\":2") STOP(5)
                                        END_FOR("tool_use");
static const char whole_told[] =
    " 0<thinking  0~hm\xC3\xA4 \xF0\x9F\xA6\x84 0> 2<text  2\"Look: \xF0\x9F\xA6\x84! 2> 3<c1 3<run"
    " 4<c2 4<look 3={\"code\": \"print('\\ud83e\\udd84')\"} 4> 3>";
static const char whole_content[] =
    "[{\"type\":\"thinking\",\"thinking\":\"hm\xC3\xA4 "
    "\xF0\x9F\xA6\x84\",\"signature\":\"QUJDRA==\"},"
    "{\"type\":\"redacted_thinking\",\"data\":\"xyz\"},"
    "{\"type\":\"text\",\"text\":\"Look: \xF0\x9F\xA6\x84!\"},"
    "{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"run\",\"input\":{\"code\":\"print('"
    "\xF0\x9F\xA6\x84')\"}},"
    "{\"type\":\"tool_use\",\"id\":\"c2\",\"name\":\"look\",\"input\":{}}]";

static void check_whole(void)
{
    assert_true(message.ended);
    assert_string_equal(told.text, whole_told);
    check_content(false, whole_content, 0);
    assert_string_equal(message.id, "msg_1");
    assert_string_equal(message.model, "m-1");
    assert_int_equal(message.stop, MODEL_STOP_TOOL_USE);
    assert_int_equal(model_usage_input(&message.usage), 60);
    assert_int_equal(message.usage.output, 5);
}

static void test_whole_at_every_cut(void **state)
{
    struct error err = {0};

    (void)state;
    for (size_t first = 0; first <= sizeof whole; first++) {
        assert_int_equal(play(whole, first, sizeof whole, &err), 0);
        check_whole();
        model_message_finish(&message);
    }
    for (size_t step = 1; step < 9; step++) {
        assert_int_equal(play(whole, 0, step, &err), 0);
        check_whole();
        model_message_finish(&message);
    }
}

/* The same stream ends at every byte: never a failure, never a half thing in what is kept. */
static void test_ends_anywhere(void **state)
{
    char *cut = strdup(whole);

    (void)state;
    assert_non_null(cut);
    for (size_t len = sizeof whole - 2; len > 0; len--) {
        struct error err = {0};
        json_t *content, *block;
        size_t i;

        cut[len] = '\0';
        assert_int_equal(play(cut, 0, sizeof whole, &err), 0);
        assert_false(message.ended);
        check_content(false, NULL, 0);
        content = model_message_content(&message, true, NULL);
        assert_non_null(content);
        json_array_foreach(content, i, block)
        {
            const char *type = json_get_string(block, "type");

            if (strcmp(type, "thinking") == 0)
                assert_string_equal(json_get_string(block, "signature"), "QUJDRA==");
            if (strcmp(type, "tool_use") == 0 && strcmp(json_get_string(block, "id"), "c1") == 0)
                assert_int_equal(json_object_size(json_object_get(block, "input")), 1);
            if (strcmp(type, "text") == 0)
                assert_memory_equal(json_get_string(block, "text"), "Look: ", 6);
        }
        json_decref(content);
        model_message_finish(&message);
    }
    free(cut);
}

static const struct {
    const char *stream, *told, *content; /* content: of what came, partial where it did not end */
    size_t broken;                       /* calls */
    enum model_stop stop;
} good[] = {
    {START END, "", "[]", 0, MODEL_STOP_END_TURN},
    {START END_FOR("pause_turn"), "", "[]", 0, MODEL_STOP_PAUSE_TURN},
    {START END_FOR("model_context_window_exceeded"), "", "[]", 0, MODEL_STOP_CONTEXT_WINDOW},
    {START END_FOR("stop_sequence"), "", "[]", 0, MODEL_STOP_SEQUENCE},
    {START END_FOR("weary"), "", "[]", 0, MODEL_STOP_UNKNOWN},
    /* halves of characters */
    {START TEXT_BLOCK(0) TEXT(0, "a\\ud83e") TEXT(0, "b") STOP(0) END,
     " 0<text  0\"a\xEF\xBF\xBD"
     "b 0>",
     "[{\"type\":\"text\",\"text\":\"a\xEF\xBF\xBD"
     "b\"}]",
     0, MODEL_STOP_END_TURN},
    {START TEXT_BLOCK(0) TEXT(0, "\\ud83e") TEXT(0, "\\ud83e") TEXT(0, "") TEXT(0, "\\udd84")
         STOP(0) END,
     " 0<text  0\"\xEF\xBF\xBD\xF0\x9F\xA6\x84 0>",
     "[{\"type\":\"text\",\"text\":\"\xEF\xBF\xBD\xF0\x9F\xA6\x84\"}]", 0, MODEL_STOP_END_TURN},
    {START TEXT_BLOCK(0) TEXT(0, "\\udd84\\uD83E") STOP(0) END,
     " 0<text  0\"\xEF\xBF\xBD\xEF\xBF\xBD 0>",
     "[{\"type\":\"text\",\"text\":\"\xEF\xBF\xBD\xEF\xBF\xBD\"}]", 0, MODEL_STOP_END_TURN},
    {START TEXT_BLOCK(0) TEXT(0, "a\\u0000b\\\\u0000\\u00e4") STOP(0) END,
     " 0<text  0\"a\xEF\xBF\xBD"
     "b\\u0000\xC3\xA4 0>",
     "[{\"type\":\"text\",\"text\":\"a\xEF\xBF\xBD"
     "b\\\\u0000\xC3\xA4\"}]",
     0, MODEL_STOP_END_TURN},
    {START CALL_BLOCK(0) INPUT(0, "{\\\"a\\\":\\\"\\ud83e") INPUT(0, "\\udd84\\\\ud83e\\\"}")
         STOP(0) END_FOR("tool_use"),
     " 0<c1 0<run 0={\"a\":\"\xF0\x9F\xA6\x84\\ud83e\"} 0>",
     "[{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"run\",\"input\":{\"a\":\"\xF0\x9F\xA6\x84"
     "\xEF\xBF\xBD\"}}]",
     0, MODEL_STOP_TOOL_USE},
    /* input that is none, or comes whole */
    {START TEXT_BLOCK(0) TEXT(0, "x") STOP(0) CALL_BLOCK(1) INPUT(1, "{\\\"a\\\":") STOP(1)
         END_FOR("max_tokens"),
     " 0<text  0\"x 0> 1<c1 1<run 1={\"a\": 1>",
     "[{\"type\":\"text\",\"text\":\"x\"},{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"run\","
     "\"input\":{}}]",
     1, MODEL_STOP_MAX_TOKENS},
    {START CALL_BLOCK(7) INPUT(7, "[1]") STOP(7) END_FOR("tool_use"), " 0<c1 0<run 0=[1] 0>",
     "[{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"run\",\"input\":{}}]", 1,
     MODEL_STOP_TOOL_USE},
    {START BLOCK(0, "\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"run\",\"input\":{\"a\":1}")
         STOP(0) END_FOR("tool_use"),
     " 0<c1 0<run 0={\"a\":1} 0>",
     "[{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"run\",\"input\":{\"a\":1}}]", 0,
     MODEL_STOP_TOOL_USE},
    /* text that begins at once; blank text is left out, the numbers are those of what is kept */
    {START BLOCK(0, "\"type\":\"text\",\"text\":\"\\n\"") STOP(0) CALL_BLOCK(1) INPUT(1, "1")
         STOP(1) END_FOR("tool_use"),
     " 0<text  0\"\n 0> 1<c1 1<run 1=1 1>",
     "[{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"run\",\"input\":{}}]", 1,
     MODEL_STOP_TOOL_USE},
    /* calls the service makes itself are not told, and kept */
    {START BLOCK(0, "\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"search\",\"input\":{}")
         INPUT(0, "{\\\"q\\\":1}") STOP(0) END,
     "", "[{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"search\",\"input\":{\"q\":1}}]", 0,
     MODEL_STOP_END_TURN},
    /* of types that nobody knows: whole, it is kept; in pieces, it would not be whole */
    {START BLOCK(0, "\"type\":\"found\",\"a\":1") STOP(0) BLOCK(1, "\"type\":\"mystery\",\"a\":1")
         DELTA(1, "\"type\":\"mystery_delta\",\"b\":2") STOP(1) TEXT_BLOCK(2)
             DELTA(2, "\"type\":\"new_delta\"") TEXT(2, "x") STOP(2) END,
     " 2<text  2\"x 2>", "[{\"type\":\"found\",\"a\":1},{\"type\":\"text\",\"text\":\"x\"}]", 0,
     MODEL_STOP_END_TURN},
    /* ids that come twice, or that no service takes back */
    {START CALL_BLOCK(0) STOP(0) CALL_BLOCK(1) INPUT(1, "[]") STOP(1)
         BLOCK(2, "\"type\":\"tool_use\",\"id\":\"taken: 1\",\"name\":\"run\",\"input\":{}") STOP(2)
             END_FOR("tool_use"),
     " 0<c1 0<run 0> 1<c1_2 1<run 1=[] 1> 2<taken__1_2 2<run 2>",
     "[{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"run\",\"input\":{}},{\"type\":\"tool_use\","
     "\"id\":\"c1_2\",\"name\":\"run\",\"input\":{}},{\"type\":\"tool_use\",\"id\":\"taken__1_2\","
     "\"name\":\"run\",\"input\":{}}]",
     1, MODEL_STOP_TOOL_USE},
    {START TEXT_BLOCK(0) TEXT(0, "x")
         DELTA(0, "\"type\":\"citations_delta\",\"citation\":{\"n\":1}")
             DELTA(0, "\"type\":\"citations_delta\",\"citation\":{\"n\":2}") STOP(0) END,
     " 0<text  0\"x 0>", "[{\"type\":\"text\",\"text\":\"x\",\"citations\":[{\"n\":1},{\"n\":2}]}]",
     0, MODEL_STOP_END_TURN},
    /* a service that signs nothing */
    {START BLOCK(0, "\"type\":\"thinking\",\"thinking\":\"\"") THINKING(0, "x") STOP(0) END,
     " 0<thinking  0~x 0>", "[{\"type\":\"thinking\",\"thinking\":\"x\"}]", 0, MODEL_STOP_END_TURN},
    {START BLOCK(0, "\"type\":\"thinking\",\"thinking\":\"\"") THINKING(0, "x") STOP(0),
     " 0<thinking  0~x 0>", "[]", 0, MODEL_STOP_UNKNOWN},
    /* the data's type counts where the event has no name; what comes behind the end does not */
    {START
     "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\","
     "\"text\":\"a\"}}\n\ndata: [DONE]\n\ndata: 7\n\n" STOP(0) END TEXT(0, "late") "event: error\n"
                                                                                   "data: {}\n\n",
     " 0<text  0\"a 0>", "[{\"type\":\"text\",\"text\":\"a\"}]", 0, MODEL_STOP_END_TURN},
    {"event: ping\ndata: {}\n\n", "", "[]", 0, MODEL_STOP_UNKNOWN},
};

static void test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct error err = {0};

        assert_int_equal(play(good[i].stream, 0, 1000000, &err), 0);
        assert_string_equal(told.text, good[i].told);
        check_content(!message.ended, good[i].content, good[i].broken);
        assert_int_equal(message.stop, good[i].stop);
        model_message_finish(&message);
    }
}

static const struct {
    const char *stream;
    enum error_kind kind;
    const char *words; /* in the error */
} bad[] = {
    {TEXT(0, "x"), ERROR_MALFORMED, "before message_start"},
    {START START, ERROR_MALFORMED, "second message_start"},
    {"event: message_start\ndata: {}\n\n", ERROR_MALFORMED, "without a message"},
    {"event: message_start\ndata: []\n\n", ERROR_MALFORMED, "not an object"},
    {START "event: content_block_start\ndata: {\"index\":0,\n\n", ERROR_MALFORMED, "not JSON"},
    {START "event: message_stop\ndata: \xFF\n\n", ERROR_MALFORMED, "not JSON"},
    {START TEXT(0, "x"), ERROR_MALFORMED, "not open"},
    {START TEXT_BLOCK(0) STOP(0) TEXT(0, "x"), ERROR_MALFORMED, "not open"},
    {START STOP(0), ERROR_MALFORMED, "not open"},
    {START TEXT_BLOCK(0) STOP(0) STOP(0), ERROR_MALFORMED, "not open"},
    {START TEXT_BLOCK(0) TEXT_BLOCK(0), ERROR_MALFORMED, "twice"},
    {START TEXT_BLOCK(0) END, ERROR_MALFORMED, "within a content block"},
    {START TEXT_BLOCK(0) INPUT(0, "{}"), ERROR_MALFORMED, "another kind"},
    {START CALL_BLOCK(0) TEXT(0, "x"), ERROR_MALFORMED, "another kind"},
    {START TEXT_BLOCK(0) DELTA(0, "\"type\":\"text_delta\",\"text\":7"), ERROR_MALFORMED, "text"},
    {START BLOCK(0, "\"type\":\"tool_use\",\"name\":\"run\""), ERROR_MALFORMED, "without an id"},
    {START BLOCK(0, "\"type\":\"tool_use\",\"id\":\"c\""), ERROR_MALFORMED, "without a name"},
    {START EVENT("content_block_start", "\"content_block\":{\"type\":\"text\"}"), ERROR_MALFORMED,
     "index"},
    {START EVENT("error", "\"error\":{\"type\":\"overloaded_error\",\"message\":\"Over\\u0007\"}"),
     ERROR_BUSY, "(it says \"Over\\x07\")"},
    {EVENT("error", "\"error\":{\"type\":\"rate_limit_error\",\"message\":\"x\"}"), ERROR_BUSY,
     "limits the requests"},
    {START EVENT("error", "\"error\":{\"type\":\"api_error\"}"), ERROR_UNAVAILABLE,
     "internal error"},
    {START EVENT("error",
                 "\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too "
                 "long: 7\"}"),
     ERROR_TOO_LARGE, "too long"},
    {START "event: error\ndata: {}\n\n", ERROR_UNAVAILABLE, "internal error"},
};

static void test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error err = {0};

        assert_int_equal(play(bad[i].stream, 0, 1000000, &err), -1);
        assert_string_equal(error_kind_name(err.kind), error_kind_name(bad[i].kind));
        assert_non_null(strstr(err.text, bad[i].words));
        model_message_finish(&message);
    }
}

static void test_refusal(void **state)
{
    struct error err = {0};

    (void)state;
    assert_int_equal(
        play(START EVENT(
                 "message_delta",
                 "\"delta\":{\"stop_reason\":\"refusal\",\"stop_details\":{\"category\":"
                 "\"cyber\",\"explanation\":\"no\"}},\"usage\":{\"input_tokens\":null,"
                 "\"output_tokens\":9223372036854775807}") "event: message_stop\ndata: {}\n\n",
             0, 1000000, &err),
        0);
    assert_int_equal(message.stop, MODEL_STOP_REFUSAL);
    assert_string_equal(json_get_string(message.stop_details, "category"), "cyber");
    assert_int_equal(message.usage.input, 10);
    assert_int_equal(message.usage.output, 1); /* no count */
    model_message_finish(&message);
}

static int one_event(const char *name, const char *data, struct error *err)
{
    return model_message_event(&message, &listener, NULL, name, data, strlen(data), err);
}

static void test_caps(void **state)
{
    static const struct model_listener nobody = {0};
    char data[256];
    struct error err = {0};
    BUF_AUTO struct buf large = {0};
    int rc = 0;

    (void)state;
    assert_int_equal(play(START, 0, 1000000, &err), 0);
    for (unsigned i = 0; i < MODEL_BLOCKS_CAP; i++) {
        snprintf(data, sizeof data,
                 "{\"index\":%u,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}", i);
        assert_int_equal(one_event("content_block_start", data, &err), 0);
    }
    snprintf(data, sizeof data, "{\"index\":%u,\"content_block\":{\"type\":\"text\"}}",
             MODEL_BLOCKS_CAP);
    assert_int_equal(one_event("content_block_start", data, &err), -1);
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    model_message_finish(&message);

    assert_int_equal(play(START TEXT_BLOCK(0), 0, 1000000, &err), 0);
    buf_adds(&large, "{\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"");
    for (size_t i = 0; i < (1 << 16); i++)
        buf_adds(&large, "xxxxxxxxxxxxxxxx");
    buf_adds(&large, "\"}}");
    memset(&err, 0, sizeof err);
    for (int i = 0; i < 4; i++) {
        rc = model_message_event(&message, &nobody, NULL, "content_block_delta", large.data,
                                 large.len, &err);
        assert_int_equal(rc, i < 3 ? 0 : -1);
    }
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    model_message_finish(&message);
}

#ifdef COUNTS_ALLOCATIONS

/* Each allocation fails in turn: the answer is whole, or an error is told; nothing leaks. */
static void test_each_allocation_fails(void **state)
{
    long runs;

    (void)state;
    for (runs = 1; runs < RUNS_CAP; runs++) {
        struct error err = {0};
        json_t *content = NULL;
        json_t *broken = json_array();
        bool failed;
        int rc;

        live = 0;
        fail_at = runs;
        watching = true;
        rc = play(whole, 0, 1000000, &err);
        if (rc == 0)
            content = model_message_content(&message, false, broken);
        failed = fail_at == 0;
        fail_at = 0;
        watching = false;
        assert_true(rc == 0 || err.kind != ERROR_NONE);
        if (content && json_array_size(broken) ==
                           0) { /* a call's input that could not be read is told as broken */
            BUF_AUTO struct buf text = {0};

            json_write(&text, content);
            assert_string_equal(text.data, whole_content);
        }
        watching = true;
        json_decref(content);
        json_array_clear(broken);
        model_message_finish(&message);
        watching = false;
        json_decref(broken);
        assert_int_equal(live, 0);
        if (!failed) {
            assert_int_equal(rc, 0);
            break;
        }
    }
    assert_true(runs > 50 && runs < RUNS_CAP);
}

#endif

/* What the fuzzer found or was led to keeps its promises; they are asserted where it is played. */
static void test_regression(void **state)
{
    (void)state;
    replay_inputs("tests/fuzz/regression/model_stream", play_model_stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_at_every_cut),
        cmocka_unit_test(test_ends_anywhere),
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_refusal),
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_regression),
#ifdef COUNTS_ALLOCATIONS
        cmocka_unit_test(test_each_allocation_fails),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
