/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is new of a run: its place, its start, the newest of its output, never more than its cap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/utf8.h"
#include "mcp/analysis/analysis.h"

#define EURO  "\xE2\x82\xAC"
#define LINES 100000

static struct analysis analysis;

static int setup(void **state)
{
    (void)state;
    memset(&analysis, 0, sizeof analysis);
    analysis_init(&analysis);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    analysis_finish(&analysis);
    return 0;
}

static void expect(const char *text)
{
    struct buf BUF_AUTO got = {0};

    assert_true(analysis_progress(&analysis, &got, NULL));
    assert_int_equal(got.len, strlen(text));
    assert_memory_equal(got.data, text, got.len);
}

static void expect_nothing(void)
{
    struct buf BUF_AUTO got = {0};

    assert_false(analysis_progress(&analysis, &got, &got));
    assert_int_equal(got.len, 0);
}

static void tells_each_change_once(void **state)
{
    (void)state;
    expect_nothing();
    analysis_on_queued(&analysis, 3);
    expect("waiting for a sandbox: place 3");
    analysis_on_queued(&analysis, 3);
    expect_nothing();
    analysis_on_queued(&analysis, 2);
    analysis_on_queued(&analysis, 1);
    expect("waiting for a sandbox: place 1");
    analysis_on_started(&analysis);
    expect("running");
    analysis_on_output(&analysis, 1, "a\n", 2);
    analysis_on_output(&analysis, 1, "b\n", 2);
    expect("a\nb\n");
    expect_nothing();
}

/* Apart for who asks so, and all of it. */
static void tells_output_apart(void **state)
{
    struct buf BUF_AUTO words = {0}, printed = {0};
    char line[32];

    (void)state;
    analysis_on_queued(&analysis, 1);
    analysis_on_output(&analysis, 1, "early\n", 6);
    assert_true(analysis_progress(&analysis, &words, &printed));
    assert_string_equal(words.data, "waiting for a sandbox: place 1");
    assert_string_equal(printed.data, "early\n");
    buf_clear(&words);
    buf_clear(&printed);
    analysis_on_started(&analysis);
    assert_true(analysis_progress(&analysis, &words, &printed));
    assert_string_equal(words.data, "running");
    assert_int_equal(printed.len, 0);
    buf_clear(&words);
    for (int i = 0; i < 2000; i++) {
        snprintf(line, sizeof line, "line %d\n", i);
        analysis_on_output(&analysis, 1, line, strlen(line));
    }
    assert_true(analysis_progress(&analysis, &words, &printed));
    assert_int_equal(words.len, 0);
    assert_memory_equal(printed.data, "line 0\nline 1\n", 14);
    assert_string_equal(printed.data + printed.len - strlen("line 1999\n"), "line 1999\n");
    buf_clear(&printed);
    for (int i = 0; i < LINES; i++) {
        snprintf(line, sizeof line, "line %d\n", i);
        analysis_on_output(&analysis, 1, line, strlen(line));
    }
    assert_true(analysis_progress(&analysis, &words, &printed));
    assert_memory_equal(printed.data, "... line 9", 10); /* from a line's beginning */
    assert_in_range(printed.len, ANALYSIS_PROGRESS_SIZE - 100, ANALYSIS_PROGRESS_SIZE + 4);
    assert_false(analysis_progress(&analysis, &words, &printed));
}

static void keeps_the_newest(void **state)
{
    struct buf BUF_AUTO got = {0};
    char line[32];

    (void)state;
    for (int i = 0; i < LINES; i++) {
        snprintf(line, sizeof line, "line %d\n", i);
        analysis_on_output(&analysis, 1, line, strlen(line));
    }
    assert_true(analysis_progress(&analysis, &got, NULL));
    assert_in_range(utf8_count(got.data, got.len), ANALYSIS_PROGRESS_SHOWN - 100,
                    ANALYSIS_PROGRESS_SHOWN + 4);
    assert_memory_equal(got.data, "... line 9", 10); /* from a line's beginning */
    assert_string_equal(got.data + got.len - strlen("line 99999\n"), "line 99999\n");
    expect_nothing();
}

/* One long line, in pieces of any size, is cut between two characters. */
static void cuts_between_characters(void **state)
{
    static char many[3 * 29000 + 1];

    (void)state;
    for (size_t i = 0; i < sizeof many - 1; i++)
        many[i] = EURO[i % 3];
    for (size_t piece = 1; piece <= 29000; piece += 4321) {
        struct buf BUF_AUTO got = {0};

        analysis_on_output(&analysis, 1, "abcde", 5);
        analysis_on_output(&analysis, 1, many, 3 * piece);
        analysis_on_output(&analysis, 1, many, 30000);
        assert_true(analysis_progress(&analysis, &got, NULL));
        assert_memory_equal(got.data, "... " EURO, 7);
        assert_int_equal(utf8_count(got.data, got.len), ANALYSIS_PROGRESS_SHOWN + 4);
        assert_int_equal(got.len, 4 + 3 * ANALYSIS_PROGRESS_SHOWN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tells_each_change_once, setup, teardown),
        cmocka_unit_test_setup_teardown(tells_output_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(keeps_the_newest, setup, teardown),
        cmocka_unit_test_setup_teardown(cuts_between_characters, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
