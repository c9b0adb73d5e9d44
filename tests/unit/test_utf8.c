/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/buf.h"
#include "helpers/base/utf8.h"
#include "tests/unit/failing_allocations.h"

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

/* Every first byte, alone and with what a character of its length goes on with. */
static void decodes_each_kind_of_byte(void **state)
{
    (void)state;
    for (unsigned first = 0; first <= 0xFF; first++) {
        const char bytes[] = {(char)first, '\xA5', '\xA5', '\xA5'};
        size_t wanted = first < 0x80                     ? 1
                        : first >= 0xC2 && first <= 0xDF ? 2
                        : first >= 0xE0 && first <= 0xEF ? 3
                        : first >= 0xF1 && first <= 0xF3 ? 4
                                                         : 0;
        uint32_t character = 0;

        if (first == 0xED) /* of A5: a surrogate */
            wanted = 0;
        if (first == 0xF0) /* of A5: U+25965 */
            wanted = 4;
        for (size_t len = 0; len <= sizeof bytes; len++)
            assert_int_equal(utf8_decode(bytes, len, &character), len < wanted ? 0 : wanted);
        if (wanted == 1)
            assert_int_equal(character, first);
    }
}

static void decodes_the_edges(void **state)
{
    static const struct {
        const char *bytes;
        size_t used;
        uint32_t character;
    } cases[] = {
        {"\x7F", 1, 0x7F},
        {"\xC1\xBF", 0, 0}, /* a longer form of it */
        {"\xC2\x80", 2, 0x80},
        {"\xDF\xBF", 2, 0x7FF},
        {"\xE0\x9F\xBF", 0, 0},
        {"\xE0\xA0\x80", 3, 0x800},
        {"\xED\x9F\xBF", 3, 0xD7FF},
        {"\xED\xA0\x80", 0, 0}, /* the first surrogate */
        {"\xED\xBF\xBF", 0, 0}, /* the last */
        {"\xEE\x80\x80", 3, 0xE000},
        {"\xEF\xBF\xBF", 3, 0xFFFF},
        {"\xF0\x8F\xBF\xBF", 0, 0},
        {"\xF0\x90\x80\x80", 4, 0x10000},
        {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF},
        {"\xF4\x90\x80\x80", 0, 0}, /* above the last one */
        {"\xE2\x82x", 0, 0},
        {"\xE2x\xAC", 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t character = 0;

        /* The NUL behind it ends a cut one too. */
        assert_int_equal(utf8_decode(cases[i].bytes, UTF8_LEN_MAX, &character), cases[i].used);
        assert_int_equal(character, cases[i].character);
    }
}

#define BAD UTF8_REPLACEMENT

static void cleans_what_is_no_text(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        const char *clean;
    } cases[] = {
        {"", 0, ""},
        {"plain", 5, "plain"},
        {"a" EURO "b", 5, "a" EURO "b"},
        {"a\0b", 3, "a" BAD "b"},
        {"\0", 1, BAD},
        {"\x80" EURO, 4, BAD EURO},
        {"a\xFF\xFE", 3, "a" BAD BAD},
        {"\xE2\x82", 2, BAD BAD}, /* cut */
        {"\xE2\x82x", 3, BAD BAD "x"},
        {"\xE2" EURO, 4, BAD EURO},
        {"\xED\xA0\x80", 3, BAD BAD BAD}, /* a surrogate */
        {"\xC0\x80", 2, BAD BAD},         /* a longer form of NUL */
        {"\xF0\x9F\xA6\x93!", 5, "\xF0\x9F\xA6\x93!"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf BUF_AUTO clean = {0};

        buf_adds(&clean, "<");
        assert_true(utf8_clean(cases[i].bytes, cases[i].len, 3 * cases[i].len, &clean));
        assert_string_equal(clean.data + 1, cases[i].clean);
        assert_int_equal(clean.len, 1 + strlen(cases[i].clean));
    }
}

static void cleans_up_to_its_cap(void **state)
{
    static const char text[] = "a" EURO "\xFF"
                               "b";
    /* Of a, the Euro sign, U+FFFD and b. */
    static const size_t lengths[] = {0, 1, 1, 1, 4, 4, 4, 7, 8, 8};

    (void)state;
    for (size_t cap = 0; cap < sizeof lengths / sizeof lengths[0]; cap++) {
        struct buf BUF_AUTO clean = {0};

        assert_int_equal(utf8_clean(text, sizeof text - 1, cap, &clean), cap >= 8);
        assert_int_equal(clean.len, lengths[cap]);
        assert_memory_equal(clean.len > 0 ? clean.data : "", "a" EURO BAD "b", clean.len);
    }
}

static void cleans_into_a_full_buf(void **state)
{
    struct buf clean;

    (void)state;
    buf_init(&clean, 4);
    utf8_clean("a" EURO "b", 5, 100, &clean);
    assert_true(clean.failed);
    assert_true(clean.len <= 4);
    buf_finish(&clean);
}

#ifdef COUNTS_ALLOCATIONS
static void cleans_without_memory(void **state)
{
    struct buf clean = {0};

    (void)state;
    fail_at = 1;
    watching = true;
    utf8_clean("a\xFF", 2, 100, &clean);
    watching = false;
    fail_at = 0;
    assert_true(clean.failed);
    assert_int_equal(clean.len, 0);
    assert_int_equal(live, 0);
    buf_finish(&clean);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_between_characters), cmocka_unit_test(marks_the_cut),
        cmocka_unit_test(counts_characters),       cmocka_unit_test(decodes_each_kind_of_byte),
        cmocka_unit_test(decodes_the_edges),       cmocka_unit_test(cleans_what_is_no_text),
        cmocka_unit_test(cleans_up_to_its_cap),    cmocka_unit_test(cleans_into_a_full_buf),
#ifdef COUNTS_ALLOCATIONS
        cmocka_unit_test(cleans_without_memory),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
