/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bytes as text and back: base64url without padding and hex, and what is neither.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/encode.h"

static void test_hex_goes_both_ways(void **state)
{
    unsigned char bytes[256], back[256];
    char text[2 * sizeof bytes + 1];

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    hex_write(text, bytes, sizeof bytes);
    assert_int_equal(strlen(text), 2 * sizeof bytes);
    assert_memory_equal(text, "000102", 6);
    assert_true(hex_read(text, strlen(text), back, sizeof back));
    assert_memory_equal(back, bytes, sizeof bytes);
    assert_true(hex_read("aBCd", 4, back, 2));
    assert_memory_equal(back, "\xAB\xCD", 2);
}

static void test_what_is_no_hex_is_refused(void **state)
{
    static const char *const wrong[] = {"", "0", "000", "00000", "0g00", " 100", "+100", "0x00"};
    unsigned char back[2];

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(hex_read(wrong[i], strlen(wrong[i]), back, sizeof back));
    for (int c = -128; c < 128; c++) {
        const char digit[2] = {(char)c, '\0'};

        assert_int_equal(hex_digit((char)c) >= 0,
                         c && strspn(digit, "0123456789abcdefABCDEF") == 1);
    }
}

static void test_base64url_goes_both_ways(void **state)
{
    static const char *const rows[][2] = {
        {"", ""}, {"f", "Zg"}, {"fo", "Zm8"}, {"foo", "Zm9v"}, {"\xFB\xFF", "-_8"}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buf BUF_AUTO text = {0}, BUF_AUTO bytes = {0};

        buf_adds(&text, "before ");
        base64url_write(&text, rows[i][0], strlen(rows[i][0]));
        assert_string_equal(text.data + strlen("before "), rows[i][1]);
        buf_adds(&bytes, "before ");
        assert_int_equal(base64url_read(&bytes, rows[i][1], strlen(rows[i][1])), 0);
        assert_string_equal(bytes.data + strlen("before "), rows[i][0]);
    }
}

static void test_what_is_no_base64url_is_refused(void **state)
{
    static const char *const wrong[] = {"Z", "Zh", "Zm9", "Zg==", "Zg\n", "+/8", "Zm9vZ"};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct buf BUF_AUTO bytes = {0};

        assert_int_equal(base64url_read(&bytes, wrong[i], strlen(wrong[i])), -1);
        assert_int_equal(bytes.len, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hex_goes_both_ways),
        cmocka_unit_test(test_what_is_no_hex_is_refused),
        cmocka_unit_test(test_base64url_goes_both_ways),
        cmocka_unit_test(test_what_is_no_base64url_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
