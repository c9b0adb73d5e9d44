/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a caller is told of a failure: its category, whether to send the call again or to change it,
 * and what is known of its cause.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/json.h"
#include "mcp/tool/failure.h"

#define AGAIN  true, false /* retryable, repairable */
#define CHANGE false, true
#define NEVER  false, false

static void expect(const struct failure *failure, const char *category, bool retryable,
                   bool repairable)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *value = NULL;
    struct failure again;

    failure_write(failure, "some_tool", &text);
    value = json_read(text.data, text.len, "the failure", NULL);
    assert_non_null(value);
    assert_string_equal(json_get_string(value, "errorCategory"), category);
    assert_int_equal(json_is_true(json_object_get(value, "isRetryable")), retryable);
    assert_int_equal(json_is_true(json_object_get(value, "isRepairable")), repairable);
    assert_string_equal(json_get_string(json_object_get(value, "context"), "tool"), "some_tool");
    failure_read(&again, value);
    assert_int_equal(again.category, failure->category);
    assert_string_equal(again.message, failure->message);
    assert_string_equal(again.error_type, failure->error_type);
    assert_int_equal(again.line, failure->line);
    assert_int_equal(again.column, failure->column);
    assert_int_equal(again.retry_after_s, failure->retry_after_s);
}

static void every_kind_of_error_has_a_category(void **state)
{
    static const struct {
        enum error_kind kind;
        const char *category;
        bool retryable, repairable;
    } kinds[] = {
        {ERROR_MALFORMED, "validation", CHANGE},
        {ERROR_INVALID, "validation", CHANGE},
        {ERROR_UNAUTHORIZED, "not_found", CHANGE},
        {ERROR_FORBIDDEN, "forbidden", NEVER},
        {ERROR_NOT_FOUND, "not_found", CHANGE},
        {ERROR_CONFLICT, "conflict", CHANGE},
        {ERROR_STALE, "conflict", CHANGE},
        {ERROR_TOO_LARGE, "validation", CHANGE},
        {ERROR_BUSY, "busy", AGAIN},
        {ERROR_TIMEOUT, "engine", AGAIN}, /* of a service, not of the code */
        {ERROR_CANCELLED, "cancelled", AGAIN},
        {ERROR_UNAVAILABLE, "engine", AGAIN},
        {ERROR_IO, "engine", AGAIN},
        {ERROR_MEMORY, "engine", AGAIN},
        {ERROR_INTERNAL, "internal", NEVER},
        {ERROR_ATTEMPTS_FAILED, "runtime", CHANGE},
        {ERROR_NO_ANSWER, "runtime", CHANGE},
    };

    (void)state;
    assert_int_equal(sizeof kinds / sizeof kinds[0], ERROR_FORBIDDEN);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct failure failure;
        struct error err;

        error_set(&err, kinds[i].kind, "why");
        failure_of_error(&failure, &err);
        expect(&failure, kinds[i].category, kinds[i].retryable, kinds[i].repairable);
        assert_string_equal(failure.message, "why");
    }
}

static void every_end_of_a_run_has_a_category(void **state)
{
    static const struct {
        enum execution_status status;
        const char *category;
        bool retryable, repairable;
        const char *limit;
        long value;
    } ends[] = {
        {EXECUTION_RUNTIME, "runtime", CHANGE, NULL, 0},
        {EXECUTION_TIMEOUT, "timeout", CHANGE, "timeout_seconds", 7},
        {EXECUTION_MEMORY, "memory", CHANGE, "memory_mb", 0},
        {EXECUTION_OUTPUT, "output", CHANGE, "output_bytes", EXECUTION_OUTPUT_LIMIT},
        {EXECUTION_CANCELLED, "cancelled", AGAIN, NULL, 0},
        {EXECUTION_CRASH, "runtime", CHANGE, NULL, 0},
        {EXECUTION_BUSY, "busy", AGAIN, "waiting_seconds", EXECUTION_WAIT_MS_MAX / 1000},
        {EXECUTION_ENGINE, "engine", AGAIN, NULL, 0},
        {EXECUTION_DISAGREEMENT, "validation", CHANGE, NULL, 0},
    };

    (void)state;
    assert_int_equal(sizeof ends / sizeof ends[0], EXECUTION_STATUS_COUNT - 1);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const struct execution_result result = {.status = ends[i].status, .memory_mb = 300};
        long value = ends[i].value ? ends[i].value : 300;
        struct failure failure;

        failure_of_result(&failure, &result, 7);
        expect(&failure, ends[i].category, ends[i].retryable, ends[i].repairable);
        assert_int_equal(failure.limit != NULL, ends[i].limit != NULL);
        if (ends[i].limit) {
            assert_string_equal(failure.limit, ends[i].limit);
            assert_int_equal(failure.limit_value, value);
        }
    }
}

static void no_failure_is_null(void **state)
{
    const struct execution_result result = {.status = EXECUTION_OK};
    struct buf BUF_AUTO text = {0};
    struct failure failure;

    (void)state;
    failure_of_result(&failure, &result, 5);
    failure_write(&failure, NULL, &text);
    assert_string_equal(text.data, "null");
}

/* Of a traceback the message is what the exception itself says. */
static void the_message_is_the_exception(void **state)
{
    static const struct {
        const char *error, *type, *message;
    } cases[] = {
        {"Traceback (most recent call last):\n  File \"<code>\", line 2, in <module>\n"
         "KeyError: 'x'\nHint: there are y and z",
         "KeyError", "KeyError: 'x'"},
        {"KeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:\n\n"
         "  File \"<code>\", line 4, in <module>\npandas.errors.MergeError: two\nlines",
         "MergeError", "pandas.errors.MergeError: two\nlines"},
        {"ValueError\nHint: none", "ValueError", "ValueError"},
        {"something else", "KeyError", "something else"},
        {"something else", NULL, "something else"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct execution_result result = {.status = EXECUTION_RUNTIME,
                                                .error = cases[i].error,
                                                .error_type = cases[i].type,
                                                .error_line = 4};
        struct failure failure;

        failure_of_result(&failure, &result, 5);
        assert_string_equal(failure.message, cases[i].message);
        assert_string_equal(failure.error_type, cases[i].type ? cases[i].type : "");
        assert_int_equal(failure.line, 4);
    }
}

/* Bytes that are no UTF-8, as from outside, make no broken JSON. */
static void any_bytes_are_told(void **state)
{
    struct buf BUF_AUTO text = {0};
    struct failure failure;
    json_auto_t *value = NULL;
    struct error err;

    (void)state;
    error_set_at(&err, "components.2.type", "no type '\xff\"'");
    failure_of_error(&failure, &err);
    failure_write(&failure, "t", &text);
    value = json_read(text.data, text.len, "the failure", NULL);
    assert_non_null(value);
    assert_string_equal(json_get_string(json_object_get(value, "context"), "argument"),
                        "components.2.type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_error_has_a_category),
        cmocka_unit_test(every_end_of_a_run_has_a_category),
        cmocka_unit_test(no_failure_is_null),
        cmocka_unit_test(the_message_is_the_exception),
        cmocka_unit_test(any_bytes_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
