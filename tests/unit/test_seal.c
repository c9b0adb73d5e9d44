/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sealed bytes: what was sealed opens, and nothing else does: no other bit, length, alphabet, key
 * or purpose.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/seal.h"

#define LONGEST 200u

static const unsigned char key[SEAL_KEY_SIZE] = {1, 2, 3};
static unsigned char bytes[LONGEST];

static int fill_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 37);
    return 0;
}

static bool opens(const char *text, size_t len)
{
    struct buf BUF_AUTO to = {0};
    int rc = seal_open(&to, key, "test", text, len);

    if (rc < 0)
        assert_int_equal(to.len, 0);
    return rc == 0;
}

static void test_what_was_sealed_opens(void **state)
{
    (void)state;
    for (size_t len = 0; len <= LONGEST; len++) {
        struct buf BUF_AUTO text = {0}, BUF_AUTO to = {0};

        seal(&text, key, "test", bytes, len);
        assert_false(text.failed);
        assert_int_equal(text.len, SEAL_TEXT_LEN(len));
        assert_int_equal(strspn(text.data, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                           "0123456789-_"),
                         text.len);
        assert_int_equal(seal_open(&to, key, "test", text.data, text.len), 0);
        assert_int_equal(to.len, len);
        if (len > 0)
            assert_memory_equal(to.data, bytes, len);
    }
}

/* As Python's hmac and base64 make it. */
static void test_a_known_answer(void **state)
{
    unsigned char known[SEAL_KEY_SIZE];
    struct buf BUF_AUTO text = {0};

    (void)state;
    memset(known, 0x0b, sizeof known);
    seal(&text, known, "purpose", "Hi There", 8);
    assert_string_equal(text.data, "SGkgVGhlcmXo06hInKa2BokSr2ofXIL-hRJCWdur1o-UxShI2xbz3g");
}

static void test_each_bit_counts(void **state)
{
    (void)state;
    for (size_t len = 60; len < 63; len++) { /* with 0, 2 and 4 bits that are left over */
        struct buf BUF_AUTO text = {0};

        seal(&text, key, "test", bytes, len);
        for (size_t at = 0; at < text.len; at++) {
            for (unsigned bit = 0; bit < 8; bit++) {
                text.data[at] = (char)(text.data[at] ^ 1 << bit);
                assert_false(opens(text.data, text.len));
                text.data[at] = (char)(text.data[at] ^ 1 << bit);
            }
        }
        assert_true(opens(text.data, text.len));
    }
}

static void test_each_length_counts(void **state)
{
    struct buf BUF_AUTO text = {0};

    (void)state;
    seal(&text, key, "test", bytes, 61);
    for (size_t len = 0; len < text.len; len++)
        assert_false(opens(text.data, len));
    for (size_t from = 1; from < text.len; from++)
        assert_false(opens(text.data + from, text.len - from));
    buf_adds(&text, "A=");
    for (size_t more = 1; more <= 2; more++)
        assert_false(opens(text.data, text.len - 2 + more));
}

static void test_the_alphabet_counts(void **state)
{
    struct buf BUF_AUTO text = {0};

    (void)state;
    seal(&text, key, "test", bytes, LONGEST);
    for (int c = 0; c < 256; c++) {
        char kept = text.data[5];

        text.data[5] = (char)c;
        assert_int_equal(opens(text.data, text.len), (char)c == kept);
        text.data[5] = kept;
    }
}

static void test_key_and_purpose_count(void **state)
{
    unsigned char other[SEAL_KEY_SIZE];
    struct buf BUF_AUTO text = {0}, BUF_AUTO to = {0}, BUF_AUTO shifted = {0};

    (void)state;
    seal(&text, key, "test", bytes, 40);
    for (size_t bit = 0; bit < 8 * sizeof key; bit++) {
        memcpy(other, key, sizeof key);
        other[bit / 8] = (unsigned char)(other[bit / 8] ^ 1u << bit % 8);
        assert_int_equal(seal_open(&to, other, "test", text.data, text.len), -1);
    }
    assert_int_equal(seal_open(&to, key, "tes", text.data, text.len), -1);
    assert_int_equal(seal_open(&to, key, "test2", text.data, text.len), -1);
    assert_int_equal(seal_open(&to, key, "", text.data, text.len), -1);
    /* Where the purpose ends is authenticated too. */
    seal(&shifted, key, "testa", "b", 1);
    assert_int_equal(seal_open(&to, key, "test", shifted.data, shifted.len), -1);
    assert_int_equal(to.len, 0);
}

static void test_a_small_buffer(void **state)
{
    struct buf BUF_AUTO text = {0}, BUF_AUTO small = {0};

    (void)state;
    seal(&text, key, "test", bytes, 40);
    buf_init(&small, 39);
    assert_int_equal(seal_open(&small, key, "test", text.data, text.len), -1);
    buf_clear(&small);
    seal(&small, key, "test", bytes, 40);
    assert_true(small.failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_sealed_opens), cmocka_unit_test(test_a_known_answer),
        cmocka_unit_test(test_each_bit_counts),       cmocka_unit_test(test_each_length_counts),
        cmocka_unit_test(test_the_alphabet_counts),   cmocka_unit_test(test_key_and_purpose_count),
        cmocka_unit_test(test_a_small_buffer),
    };

    return cmocka_run_group_tests(tests, fill_bytes, NULL);
}
