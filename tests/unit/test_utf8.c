/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/utf8.h"

#define EURO "\xE2\x82\xAC"

static void cuts_between_characters(void **state)
{
    static const char text[] = "a" EURO EURO "b";

    (void)state;
    for (size_t cap = 0; cap <= sizeof text; cap++) {
        size_t cut = utf8_cut(text, sizeof text - 1, cap);

        assert_true(cut <= cap || cut == sizeof text - 1);
        assert_true(cut == 0 || cut == 1 || cut == 4 || cut == 7 || cut == 8);
        assert_int_equal(utf8_shown(text, cap), cut);
    }
    assert_int_equal(utf8_cut(text, sizeof text - 1, 3), 1);
    assert_int_equal(utf8_cut(text, sizeof text - 1, 6), 4);
    assert_int_equal(utf8_cut(text, sizeof text - 1, 8), 8);
    assert_int_equal(utf8_shown("", 5), 0);
}

static void marks_the_cut(void **state)
{
    char text[12] = "abcdefg" EURO "x";

    (void)state;
    utf8_mark_cut(text, sizeof text);
    assert_string_equal(text, "abcdefg...");
}

static void counts_characters(void **state)
{
    static const char text[] = "a" EURO EURO "b";

    (void)state;
    assert_int_equal(utf8_count(text, 8), 4);
    assert_int_equal(utf8_count(text, 0), 0);
    assert_int_equal(utf8_offset(text, 8, 0), 0);
    assert_int_equal(utf8_offset(text, 8, 2), 4);
    assert_int_equal(utf8_offset(text, 8, 3), 7);
    assert_int_equal(utf8_offset(text, 8, 4), 8);
    assert_int_equal(utf8_skip(text, 8, 1), 1);
    assert_int_equal(utf8_skip(text, 8, 2), 4);
    assert_int_equal(utf8_skip(text, 6, 5), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_between_characters),
        cmocka_unit_test(marks_the_cut),
        cmocka_unit_test(counts_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
