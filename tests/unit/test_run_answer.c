/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a model is shown of a run: how its output is cut, when standard error is worth showing,
 * figures behind the text.
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
#include "helpers/base/utf8.h"
#include "mcp/analysis/run_answer.h"
#include "mcp/tool/arguments.h"

#define EURO "\xE2\x82\xAC"

static const struct run_answer_limits usual = {.stdout_characters = 100, .stderr_characters = 40};

static struct execution_result result_of(const char *out, const char *err)
{
    return (struct execution_result){
        .stdout_text = out,
        .stdout_len = strlen(out),
        .stdout_head = strlen(out),
        .stderr_text = err,
        .stderr_len = strlen(err),
        .stderr_head = strlen(err),
        .seconds = 0.5,
    };
}

static void begin(struct tool_call *call)
{
    memset(call, 0, sizeof *call);
    call->tool = &tool_execute_code;
    buf_init(&call->text, TOOL_ANSWER_CAP);
}

static void expect(const struct execution_result *result, const struct run_answer_limits *limits,
                   const char *text)
{
    struct tool_call call;

    begin(&call);
    run_answer_write(result, limits, &call);
    assert_string_equal(call.text.data, text);
    tool_call_finish(&call);
}

static void what_fits_is_whole(void **state)
{
    struct execution_result result = result_of("one\ntwo", "");

    (void)state;
    expect(&result, &usual, "one\ntwo\n[ok, 0.500 s]");
    result.value = "42";
    expect(&result, &usual, "one\ntwo\n42\n[ok, 0.500 s]");
    result.value_bound = true;
    expect(&result, &usual, "one\ntwo\n[ok, 0.500 s]");
    result.stdout_len = 0;
    expect(&result, &usual, "42\n[ok, 0.500 s]");
    result = result_of("", "");
    expect(&result, &usual,
           "The code ran and printed nothing; print() what you want to see.\n[ok, 0.500 s]");
}

static char *repeat(const char *what, size_t count)
{
    size_t len = strlen(what);
    char *text = malloc(len * count + 1);

    for (size_t i = 0; i < count; i++)
        memcpy(text + i * len, what, len);
    text[len * count] = '\0';
    return text;
}

/* Head and tail stay, in characters and not in bytes, and what is missing is said exactly. */
static void the_middle_is_left_out(void **state)
{
    char *text = repeat(EURO, 1234 + 100), *head = repeat(EURO, 75), *tail = repeat(EURO, 25);
    struct execution_result result = result_of(text, "");
    char wanted[2000];

    (void)state;
    snprintf(wanted, sizeof wanted,
             "%s\n... 1,234 characters left out ...\n%s\n[ok, 0.500 s, 1,234 characters of output "
             "left out: print at most 100 characters in a call]",
             head, tail);
    expect(&result, &usual, wanted);
    result.stdout_len = result.stdout_head = 300; /* as many as are shown */
    snprintf(wanted, sizeof wanted, "%s%s\n[ok, 0.500 s]", head, tail);
    result.stdout_text = text;
    result.stdout_len = 300;
    expect(&result, &usual, wanted);
    free(text);
    free(head);
    free(tail);
}

/* What the executor has cut is known in bytes alone; the place of its cut is respected. */
static void what_was_cut_before_is_counted(void **state)
{
    struct execution_result result = result_of("begin\nEND", "");

    (void)state;
    result.stdout_head = 6;
    result.stdout_cut = 5000000;
    expect(&result, &usual,
           "begin\n... 5,000,000 bytes left out ...\nEND\n[ok, 0.500 s, 5,000,000 bytes of output "
           "left out: print at most 100 characters in a call]");
    char *head = repeat("a", 300), *tail = repeat("z", 200), *both = malloc(501);
    char wanted[400];

    snprintf(both, 501, "%s%s", head, tail);
    result = result_of(both, "");
    result.stdout_head = 300;
    result.stdout_cut = 1000;
    snprintf(wanted, sizeof wanted,
             "%.75s\n... 1,400 bytes left out ...\n%.25s\n[ok, 0.500 s, 1,400 bytes of output left "
             "out: print at most 100 characters in a call]",
             head, tail);
    expect(&result, &usual, wanted);
    free(head);
    free(tail);
    free(both);
}

static void a_short_beginning_leaves_room_for_the_end(void **state)
{
    char *tail = repeat("z", 200), *both = malloc(204);
    struct execution_result result;
    char wanted[400];

    (void)state;
    snprintf(both, 204, "abc%s", tail);
    result = result_of(both, "");
    result.stdout_head = 3;
    result.stdout_cut = 10;
    snprintf(wanted, sizeof wanted,
             "abc\n... 113 bytes left out ...\n%.97s\n[ok, 0.500 s, 113 bytes of output left out: "
             "print at most 100 characters in a call]",
             tail);
    expect(&result, &usual, wanted);
    free(tail);
    free(both);
}

static void standard_error_only_where_it_says_something(void **state)
{
    struct execution_result result = result_of("x", " \n\t\n");

    (void)state;
    expect(&result, &usual, "x\n[ok, 0.500 s]");
    result = result_of("x", "mind this");
    expect(&result, &usual, "x\n[stderr]\nmind this\n[ok, 0.500 s]");
    result.status = EXECUTION_RUNTIME;
    result.error = "line 1: KeyError: 'a'";
    result.exit_code = 1;
    expect(&result, &usual,
           "x\n[stderr]\nmind this\nline 1: KeyError: 'a'\n[runtime, 0.500 s, exit code 1]");
    char *long_text = repeat("e", 50);
    result = result_of("", long_text);
    expect(
        &result, &usual,
        "[stderr]\neeeeeeeeeeeeeeeeeeeeeeeeeeeeee\n... 10 characters left out ...\neeeeeeeeee\n"
        "[ok, 0.500 s, 10 characters of stderr left out: print at most 40 characters in a call]");
    free(long_text);
}

static void a_wish_that_was_cut_is_said(void **state)
{
    struct execution_result result = result_of("x", "");
    struct run_answer_limits limits = usual;

    (void)state;
    limits.timeout_cut_to = 5;
    expect(&result, &limits, "x\n[ok, 0.500 s, timeout_seconds limited to 5]");
}

static json_t *as_json(const struct tool_call *call)
{
    struct buf BUF_AUTO text = {0};
    struct error err = {0};
    json_t *value;

    buf_addc(&text, '{');
    tool_call_result(call, "", &text);
    buf_addc(&text, '}');
    value = json_read(text.data, text.len, "the result", &err);
    if (!value)
        fail_msg("%s", err.text);
    return value;
}

static void figures_are_images_behind_the_text(void **state)
{
    const struct execution_artifact figures[] = {{"image/png", "QUJD", 4},
                                                 {"image/png", "REVG", 4}};
    struct execution_result result = result_of("", "");
    struct tool_call call;
    json_t *value, *content;

    (void)state;
    result.artifacts = figures;
    result.artifact_count = 1;
    expect(&result, &usual, "[ok, 0.500 s, 1 figure]");
    result.artifact_count = 2;
    begin(&call);
    run_answer_write(&result, &usual, &call);
    assert_string_equal(call.text.data, "[ok, 0.500 s, 2 figures]");
    value = as_json(&call);
    content = json_object_get(value, "content");
    assert_int_equal(json_array_size(content), 3);
    assert_string_equal(json_get_string(json_array_get(content, 0), "type"), "text");
    assert_string_equal(json_get_string(json_array_get(content, 2), "type"), "image");
    assert_string_equal(json_get_string(json_array_get(content, 2), "data"), "REVG");
    assert_string_equal(json_get_string(json_array_get(content, 2), "mimeType"), "image/png");
    json_decref(value);
    tool_call_finish(&call);
}

static void figures_have_a_cap(void **state)
{
    struct execution_artifact figures[TOOL_IMAGES_CAP + 1];
    size_t large = TOOL_IMAGE_BYTES / 2 - 100;
    char *base64 = malloc(large + 1);
    struct execution_result result = result_of("", "");

    (void)state;
    for (size_t i = 0; i <= TOOL_IMAGES_CAP; i++)
        figures[i] = (struct execution_artifact){"image/png", "QUJD", 4};
    result.artifacts = figures;
    result.artifact_count = TOOL_IMAGES_CAP + 1;
    expect(&result, &usual,
           "[ok, 0.500 s, 8 figures, 1 more left out: make fewer or smaller ones]");
    memset(base64, 'A', large);
    base64[large] = '\0';
    for (size_t i = 0; i < 3; i++)
        figures[i] = (struct execution_artifact){"image/png", base64, large};
    result.artifact_count = 3;
    expect(&result, &usual,
           "[ok, 0.500 s, 2 figures, 1 more left out: make fewer or smaller ones]");
    free(base64);
}

/* However much the executor keeps and however high the caps are set, the answer has room. */
static void the_largest_answer_has_room(void **state)
{
    const struct run_answer_limits most = {.stdout_characters = 64000, .stderr_characters = 16000};
    char *out = repeat("x", EXECUTION_STDOUT_CAP + EXECUTION_TAIL_CAP);
    char *err = repeat("y", EXECUTION_STDERR_CAP + EXECUTION_TAIL_CAP);
    char *other = repeat("z", 256 << 10);
    struct execution_result result = result_of(out, err);
    struct tool_call call;

    (void)state;
    result.value = result.error = other;
    begin(&call);
    run_answer_write(&result, &most, &call);
    assert_false(call.text.failed);
    assert_int_equal(call.text.data[call.text.len - 1], ']');
    tool_call_finish(&call);
    free(out);
    free(err);
    free(other);
}

static void busy_says_when_to_come_back(void **state)
{
    struct execution_result result = result_of("", "");
    struct run_answer_limits limits = usual;
    struct tool_call call;
    const json_t *error;
    json_t *value;

    (void)state;
    result.status = EXECUTION_BUSY;
    result.error = "no sandbox was free within 30 s";
    limits.retry_after_s = 7;
    begin(&call);
    run_answer_write(&result, &limits, &call);
    assert_string_equal(call.text.data, "no sandbox was free within 30 s\nNothing ran. Send it "
                                        "again in 7 s.\n[busy, 0.500 s]");
    failure_of_result(&call.failure, &result, 5);
    call.failure.retry_after_s = 7;
    value = as_json(&call);
    assert_true(json_is_true(json_object_get(value, "isError")));
    error = json_object_get(json_object_get(value, "_meta"), "lectern/error");
    assert_string_equal(json_get_string(error, "errorCategory"), "busy");
    assert_true(json_is_true(json_object_get(error, "isRetryable")));
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(error, "context"), "retryAfterSeconds")),
        7);
    json_decref(value);
    tool_call_finish(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_is_whole),
        cmocka_unit_test(the_middle_is_left_out),
        cmocka_unit_test(what_was_cut_before_is_counted),
        cmocka_unit_test(a_short_beginning_leaves_room_for_the_end),
        cmocka_unit_test(standard_error_only_where_it_says_something),
        cmocka_unit_test(a_wish_that_was_cut_is_said),
        cmocka_unit_test(figures_are_images_behind_the_text),
        cmocka_unit_test(figures_have_a_cap),
        cmocka_unit_test(the_largest_answer_has_room),
        cmocka_unit_test(busy_says_when_to_come_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
