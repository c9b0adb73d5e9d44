/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The digests of submissions: which programs and answers count as the same. tests/oracle compares
 * the digests of programs with CPython's trees.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/buf.h"
#include "mcp/exercise/digest.h"
#include "validator/limits.h"

#define ITEMS(list) (sizeof(list) / sizeof *(list))

struct pair {
    const char *first, *second;
    bool same;
};

static void check_pairs(const struct pair *pairs, size_t count, bool code)
{
    for (size_t i = 0; i < count; i++) {
        const char *texts[] = {pairs[i].first, pairs[i].second};
        char digests[2][SHA256_TEXT_SIZE];
        struct error err = {0};

        for (int j = 0; j < 2; j++)
            if ((code ? digest_code(texts[j], strlen(texts[j]), digests[j], &err)
                      : digest_answer(texts[j], digests[j], &err)) < 0)
                fail_msg("%s: %s", texts[j], err.text);
        if ((strcmp(digests[0], digests[1]) == 0) != pairs[i].same)
            fail_msg("'%s' and '%s' must%s be the same", texts[0], texts[1],
                     pairs[i].same ? "" : " not");
    }
}

static void test_code(void **state)
{
    static const struct pair pairs[] = {
        {"def f(x):\n    return x + 1\n", "# mine\ndef f( x ):\n\n  return (x+1)\n", true},
        {"def f(x):\n    return x + 1\n", "def f(y):\n    return y + 1\n", false},
        {"print('a')\n", "print(\"a\",)\r\n", true},
        {"import os\n", "import  os # refused by the policy, which does not matter here", true},
        {"a < b < c\n", "a < b <= c\n", false},
    };

    (void)state;
    check_pairs(pairs, ITEMS(pairs), true);
}

static void test_answers(void **state)
{
    static const struct pair pairs[] = {
        {"A Stack.", " a\n stack ", true},
        {"a stack", "a queue", false},
        {"\xEF\xBC\xA1", "a", true},
        {"x\xC2\xB2", "x2", false},
        {"", "  ", true},
        {"5!", "5", false},
    };

    (void)state;
    check_pairs(pairs, ITEMS(pairs), false);
}

static void check_refusal(const char *code, size_t len, const char *part)
{
    char digest[SHA256_TEXT_SIZE] = "untouched";
    struct error err = {0};

    assert_int_equal(digest_code(code, len, digest, &err), -1);
    assert_int_equal(err.kind, ERROR_INVALID);
    if (!strstr(err.text, part))
        fail_msg("no '%s' in: %s", part, err.text);
    assert_string_equal(digest, "untouched");
}

static void test_no_program(void **state)
{
    size_t len = VALIDATOR_SOURCE_CAP + 1;
    char *large = malloc(len);

    (void)state;
    assert_non_null(large);
    memset(large, '\n', len);
    check_refusal("x = 1\nif x\n", 11, "line 2");
    check_refusal("x = '\xFF'\n", 8, "line 1");
    check_refusal(large, len, "at most");
    free(large);
}

/* As many `elif` as the parser accepts. */
static void test_long_chain(void **state)
{
    struct buf BUF_AUTO code = {0};
    char digest[SHA256_TEXT_SIZE];
    struct error err = {0};

    (void)state;
    buf_adds(&code, "if a:b\n");
    for (int i = 0; i < VALIDATOR_TREE_CAP - 10; i++)
        buf_adds(&code, "elif a:b\n");
    if (digest_code(code.data, code.len, digest, &err) < 0)
        fail_msg("%s", err.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_code),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_no_program),
        cmocka_unit_test(test_long_chain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
