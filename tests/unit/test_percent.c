/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Percent-encoding: whole escapes, broken ones, and what a query has besides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "helpers/base/encode.h"

static const struct {
    const char *text, *decoded;
    size_t len;
    bool plus, valid;
} rows[] = {
    {"", "", 0, false, true},
    {"a/b", "a/b", 3, false, true},
    {"%41%62%c3%A9", "Ab\xc3\xa9", 4, false, true},
    {"a+b", "a+b", 3, false, true},
    {"a+b%2B", "a b+", 4, true, true},
    {"%", "%", 1, false, false},
    {"%4", "%4", 2, false, false},
    {"%g1%1g", "%g1%1g", 6, false, false},
    {"%\x10\x11", "%\x10\x11", 3, false, false}, /* | 0x20 makes digits of these */
    {"%%41", "%A", 2, false, false},
    {"%2541", "%41", 3, false, true},
    {"a%00b", "a\0b", 3, false, false},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[32];
        bool valid;

        strcpy(text, rows[i].text);
        assert_int_equal(percent_decode(text, rows[i].plus, &valid), rows[i].len);
        assert_memory_equal(text, rows[i].decoded, rows[i].len + 1);
        assert_int_equal(valid, rows[i].valid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
