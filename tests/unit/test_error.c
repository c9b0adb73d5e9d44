/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/error.h"

static void sets_and_wraps(void **state)
{
    struct error err = {0};

    (void)state;
    assert_int_equal(error_set(&err, ERROR_NOT_FOUND, "no node '%s'", "N9"), -1);
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_int_equal(error_wrap(&err, "item %d", 3), -1);
    assert_string_equal(err.text, "item 3: no node 'N9'");
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_int_equal(error_set_at(&err, "body.title", "wants a text"), -1);
    assert_int_equal(err.kind, ERROR_INVALID);
    assert_string_equal(err.loc, "body.title");
    error_errno(&err, ENOENT, "open %s", "x");
    assert_string_equal(err.text, "open x: No such file or directory");
    assert_string_equal(err.loc, "");
    assert_int_equal(error_set(NULL, ERROR_IO, "nobody asks"), -1);
}

/* A cut text ends in "..." and never inside a character. */
static void cuts_at_a_character(void **state)
{
    char longest[3 * ERROR_TEXT_CAP];
    struct error err = {0};

    (void)state;
    for (size_t shift = 0; shift < 3; shift++) {
        size_t len;

        memset(longest, 'x', shift);
        for (size_t i = shift; i + 3 < sizeof longest; i += 3)
            memcpy(longest + i, "\xE2\x82\xAC", 4);
        error_set(&err, ERROR_INVALID, "%s", longest);
        len = strlen(err.text);
        assert_true(len < ERROR_TEXT_CAP);
        assert_string_equal(err.text + len - 3, "...");
        assert_int_equal((len - 3 - shift) % 3, 0);
    }
}

static void names_every_kind(void **state)
{
    (void)state;
    for (int kind = ERROR_NONE; kind <= ERROR_INTERNAL; kind++)
        assert_string_not_equal(error_kind_name((enum error_kind)kind), "unknown");
    assert_string_equal(error_kind_name((enum error_kind)999), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_and_wraps),
        cmocka_unit_test(cuts_at_a_character),
        cmocka_unit_test(names_every_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
