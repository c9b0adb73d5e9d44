/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/buf.h"

static void grows_and_formats(void **state)
{
    struct buf BUF_AUTO buf = {0};
    char wide[2000];

    (void)state;
    buf_init(&buf, 0);
    buf_adds(&buf, "a");
    buf_addc(&buf, 'b');
    buf_addf(&buf, "%d-%s", 7, "c");
    assert_string_equal(buf.data, "ab7-c");
    memset(wide, 'w', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    buf_addf(&buf, "<%s>", wide);
    assert_int_equal(buf.len, 5 + sizeof wide - 1 + 2);
    assert_int_equal(buf.data[buf.len], '\0');
    assert_int_equal(buf.data[buf.len - 1], '>');
}

/* Those that are not left to printf, beside printf. */
#define SAME_AS_PRINTF(...)                                                                        \
    do {                                                                                           \
        struct buf BUF_AUTO same = {0};                                                            \
        char wanted[200];                                                                          \
        snprintf(wanted, sizeof wanted, __VA_ARGS__);                                              \
        buf_addf(&same, __VA_ARGS__);                                                              \
        assert_string_equal(same.data, wanted);                                                    \
    } while (0)

static void formats_as_printf_does(void **state)
{
    struct buf BUF_AUTO full = {0};

    (void)state;
    SAME_AS_PRINTF("plain");
    SAME_AS_PRINTF("100 %% of %s, %c%c", "all", 'o', 'k');
    SAME_AS_PRINTF("%d %d %d %u %u", INT_MIN, INT_MAX, 0, UINT_MAX, 0u);
    SAME_AS_PRINTF("%ld %ld %lu %zu", LONG_MIN, LONG_MAX, ULONG_MAX, SIZE_MAX);
    SAME_AS_PRINTF("%s%s|%5d|%-3u|%.2f|%.*s|%lld|%x", "", "a", 7, 8u, 0.5, 2, "cut", 9LL, 255u);
    buf_init(&full, 8);
    buf_addf(&full, "%d-", 12);
    buf_addf(&full, "%s and %s", "much", "more");
    assert_true(full.failed);
    assert_string_equal(full.data, "12-");
    assert_int_equal(full.len, 3);
}

static void writes_integers(void **state)
{
    struct buf BUF_AUTO buf = {0};

    (void)state;
    buf_addi(&buf, 0);
    buf_addc(&buf, ' ');
    buf_addi(&buf, -10);
    buf_addc(&buf, ' ');
    buf_addi(&buf, INT64_MAX);
    buf_addc(&buf, ' ');
    buf_addi(&buf, INT64_MIN);
    assert_string_equal(buf.data, "0 -10 9223372036854775807 -9223372036854775808");
}

static void stops_at_the_cap_and_stays_stopped(void **state)
{
    struct buf BUF_AUTO buf = {0};
    struct error err = {0};

    (void)state;
    buf_init(&buf, 4);
    buf_adds(&buf, "abcd");
    assert_int_equal(buf_check(&buf, "the text", &err), 0);
    buf_addc(&buf, 'e');
    assert_int_equal(buf_check(&buf, "the text", &err), -1);
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    buf_adds(&buf, "");
    assert_string_equal(buf.data, "abcd");
    assert_null(buf_steal(&buf, NULL));
    buf_clear(&buf);
    buf_adds(&buf, "new");
    assert_string_equal(buf.data, "new");
}

static void a_zeroed_one_works(void **state)
{
    struct buf BUF_AUTO buf = {0};

    (void)state;
    buf_adds(&buf, "text");
    assert_int_equal(buf_check(&buf, "the text", NULL), 0);
    assert_string_equal(buf.data, "text");
}

static void steals(void **state)
{
    struct buf BUF_AUTO buf = {0};
    size_t len = 99;
    char *data;

    (void)state;
    buf_init(&buf, 0);
    data = buf_steal(&buf, &len);
    assert_string_equal(data, "");
    assert_int_equal(len, 0);
    free(data);
    buf_add(&buf, "x\0y", 3);
    data = buf_steal(&buf, &len);
    assert_int_equal(len, 3);
    assert_memory_equal(data, "x\0y", 4);
    assert_null(buf.data);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_and_formats),  cmocka_unit_test(formats_as_printf_does),
        cmocka_unit_test(writes_integers),    cmocka_unit_test(stops_at_the_cap_and_stays_stopped),
        cmocka_unit_test(a_zeroed_one_works), cmocka_unit_test(steals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
