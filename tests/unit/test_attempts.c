/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The attempts at the code of one question: which programs were tried before, which ends count, and
 * the advice after each failure.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/agent/attempts.h"

static struct attempts attempts;

static int set_up(void **state)
{
    (void)state;
    memset(&attempts, 0, sizeof attempts);
    attempts_init(&attempts, ATTEMPTS_DEFAULT);
    return 0;
}

static void digest_of(const char *code, char digest[SHA256_TEXT_SIZE])
{
    attempts_digest(code, strlen(code), NULL, digest);
}

/* One attempt with this program, which ends so. */
static void attempt(const char *code, enum failure_category category, const char *message)
{
    struct failure failure = {.category = category, .line = 3};
    char digest[SHA256_TEXT_SIZE];

    snprintf(failure.message, sizeof failure.message, "%s", message);
    digest_of(code, digest);
    attempts_take(&attempts, digest, &failure);
    attempts_close(&attempts);
}

static const struct attempts_program *tried(const char *code)
{
    char digest[SHA256_TEXT_SIZE];

    digest_of(code, digest);
    return attempts_find(&attempts, digest);
}

static void expect_advice(enum attempts_advice advice, const char *first, const char *second)
{
    struct buf BUF_AUTO words = {0};

    attempts_write_advice(&attempts, &words);
    assert_int_equal(attempts_advise(&attempts), advice);
    assert_non_null(strstr(words.data, first));
    assert_non_null(strstr(words.data, second));
}

static void test_same_program(void **state)
{
    struct buf BUF_AUTO words = {0};

    (void)state;
    attempt("x = [1,2]\nprint(x[9])", FAILURE_RUNTIME, "IndexError: list index out of range\nmore");
    assert_non_null(tried("# a comment\nx = [ 1, 2 ]\n\nprint( x[9] )\n"));
    assert_null(tried("x = [1,2]\nprint(x[8])"));
    attempts_write_repeat(tried("x = [1,2]\nprint(x[9])"), &words);
    assert_non_null(strstr(words.data, "with: line 3: IndexError: list index out of range"));
    assert_null(strstr(words.data, "more"));
}

/* Without a tree the bytes count. */
static void test_no_python(void **state)
{
    (void)state;
    attempt("print 1", FAILURE_VALIDATION, "syntax error");
    assert_non_null(tried("print 1"));
    assert_null(tried("print  1"));
}

static void test_other_input(void **state)
{
    char plain[SHA256_TEXT_SIZE], with[SHA256_TEXT_SIZE], again[SHA256_TEXT_SIZE];

    (void)state;
    digest_of("f()", plain);
    attempts_digest("f()", 3, "[\"Other\"]", with);
    attempts_digest("f( )", 4, "[\"Other\"]", again);
    assert_string_not_equal(plain, with);
    assert_string_equal(with, again);
}

static void test_what_counts(void **state)
{
    static const enum failure_category none[] = {FAILURE_BUSY, FAILURE_ENGINE, FAILURE_CANCELLED,
                                                 FAILURE_FORBIDDEN, FAILURE_INTERNAL};
    static const enum failure_category counted[] = {
        FAILURE_VALIDATION, FAILURE_NOT_FOUND, FAILURE_CONFLICT, FAILURE_RUNTIME,
        FAILURE_TIMEOUT,    FAILURE_MEMORY,    FAILURE_OUTPUT};

    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        attempt("f()", none[i], "");
        assert_int_equal(attempts_failed(&attempts), 0);
        assert_null(tried("f()"));
    }
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++) {
        set_up(state);
        attempt("f()", counted[i], "");
        assert_int_equal(attempts_failed(&attempts), 1);
        assert_non_null(tried("f()"));
    }
}

static void test_advice(void **state)
{
    (void)state;
    attempt("a()", FAILURE_RUNTIME, "A");
    expect_advice(ATTEMPTS_REPAIR, "Attempt 2 of 3 is next", "Correct the cause");
    attempt("b()", FAILURE_RUNTIME, "B");
    expect_advice(ATTEMPTS_OTHER_WAY, "Attempt 3 of 3 is next", "another approach");
    attempts_take_repeat(&attempts);
    expect_advice(ATTEMPTS_NONE_LEFT, "Attempt 3 of 3 was the last", "open points");
    attempts_close(&attempts);
    assert_false(attempts_left(&attempts));
    assert_int_equal(attempts_failed(&attempts), 3);
}

static void test_bounds(void **state)
{
    (void)state;
    attempts_init(&attempts, 1);
    attempt("a()", FAILURE_RUNTIME, "A");
    expect_advice(ATTEMPTS_NONE_LEFT, "Attempt 1 of 1 was the last", "Run no more code");
    set_up(state);
    attempts_init(&attempts, ATTEMPTS_MOST);
    for (unsigned i = 0; i + 1 < ATTEMPTS_MOST; i++)
        attempt("a()", FAILURE_RUNTIME, "A");
    expect_advice(ATTEMPTS_OTHER_WAY, "Attempt 5 of 5 is next", "another approach");
}

/* Several programs side by side are one attempt, which fails with the first of them. */
static void test_side_by_side(void **state)
{
    const struct failure ok = {0}, wrong = {.category = FAILURE_RUNTIME};
    char digest[SHA256_TEXT_SIZE];

    (void)state;
    digest_of("f()", digest);
    attempts_take(&attempts, digest, &wrong);
    attempts_take(&attempts, NULL, &wrong);
    attempts_take(&attempts, digest, &ok);
    assert_int_equal(attempts_failed(&attempts), 1);
    attempts_close(&attempts);
    assert_int_equal(attempts_failed(&attempts), 1);
    assert_int_equal(tried("f()")->attempt, 1);
}

/* A success begins anew, and the failed programs stay known, until an edit. */
static void test_begins_anew(void **state)
{
    struct buf BUF_AUTO errors = {0}, log = {0};

    (void)state;
    attempt("a()", FAILURE_RUNTIME, "A");
    attempt("b()", FAILURE_NONE, "");
    assert_int_equal(attempts_failed(&attempts), 0);
    assert_int_equal(tried("a()")->attempt, 0);
    attempts_forget(&attempts);
    assert_null(tried("a()"));
    attempt("c()", FAILURE_TIMEOUT, "C");
    attempt("a()", FAILURE_MEMORY, "again");
    assert_non_null(tried("a()"));
    attempts_write_errors(&attempts, &errors);
    attempts_write_log(&attempts, &log);
    assert_string_equal(log.data, "attempt=3/3");
    assert_non_null(strstr(errors.data, "- attempt 1: line 3: C\n"));
    assert_non_null(strstr(errors.data, "- attempt 2: line 3: again\n"));
    assert_null(strstr(errors.data, ": A"));
}

/* More programs than are remembered: the oldest is forgotten, and the newest are not. */
static void test_many(void **state)
{
    char code[32];

    (void)state;
    for (unsigned i = 0; i <= ATTEMPTS_PROGRAMS_CAP; i++) {
        snprintf(code, sizeof code, "f(%u)", i);
        attempt(code, FAILURE_RUNTIME, "E");
    }
    assert_null(tried("f(0)"));
    assert_non_null(tried("f(1)"));
    assert_non_null(tried(code));
}

static void test_continued(void **state)
{
    struct attempts before;
    json_t *kept;

    attempt("a()", FAILURE_RUNTIME, "A");
    attempts_forget(&attempts);
    attempt("b()", FAILURE_TIMEOUT, "B \xc3\xbc");
    before = attempts;
    kept = attempts_json(&attempts);
    set_up(state);
    attempts_read(&attempts, kept);
    assert_memory_equal(&attempts, &before, sizeof before);
    json_decref(kept);
    set_up(state);
    attempts_read(&attempts, NULL);
    assert_int_equal(attempts.failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_same_program, set_up),
        cmocka_unit_test_setup(test_no_python, set_up),
        cmocka_unit_test_setup(test_other_input, set_up),
        cmocka_unit_test_setup(test_what_counts, set_up),
        cmocka_unit_test_setup(test_advice, set_up),
        cmocka_unit_test_setup(test_bounds, set_up),
        cmocka_unit_test_setup(test_side_by_side, set_up),
        cmocka_unit_test_setup(test_begins_anew, set_up),
        cmocka_unit_test_setup(test_many, set_up),
        cmocka_unit_test_setup(test_continued, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
