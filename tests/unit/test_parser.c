/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the parser takes and refuses, and what it reads out of a program. The rows are those on
 * which it once differed from CPython 3.11, or which stand for a rule of the grammar;
 * tests/oracle holds it against CPython itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/oracle/facts_line.h"
#include "validator/report.h"
#include "validator/syntax/ast.h"
#include "validator/validator.h"

static const struct row {
    const char *source;
    const char *facts; /* a part of the facts as JSON, "" for any; NULL: refused */
} rows[] = {
    /* Bytes. */
    {"x = '\xC3'\n", NULL},
    {"x = r'''\x80'''\n", NULL},
    {"x = '\\\xD0\x9F'\n", "\"strings\":[\"\\\\\xD0\x9F\"]"},
    {"# \xFF\nx\n", ""},

    /* Line ends. */
    {"'''\r'''\n", "\"strings\":[\"\\n\"]"},
    {"'''\r\na\r\r\nb'''\n", "\"strings\":[\"\\na\\n\\nb\"]"},
    {"f'''\r\n{\rx\r=}'''\n", "\"strings\":[\"\\n\\nx\\n=\"]"},
    {"r'\\\r'\n", "\"strings\":[\"\\\\\\n\"]"},
    {"x\\\n", NULL},
    {"x\\\r\n", ""}, /* Python sees one more line end behind CR LF at the end */
    {"\\\r\n", ""},

    /* Escapes. */
    {"b'\\777'\n", "\"strings\":[\"\xC3\xBF\"]"},
    {"'\\777'\n", "\"strings\":[\"\xC7\xBF\"]"},
    {"'\\ud800'\n", "\"strings\":null"},
    {"'\\N{B}'\n", NULL},
    {"f'\\N{B}'\n", NULL},
    {"'\\N{bullet}\\N{line feed}'\n", "\"strings\":[\"\xE2\x80\xA2\\n\"]"},
    {"'\\N{NUL}'\n", "\"strings\":[\"\\u0000\"]"},
    {"'\\N{HANGUL SYLLABLE GANJ}'\n", "\"strings\":[\"\xEA\xB0\x85\"]"},
    {"'\\N{HANGUL SYLLABLE A}'\n", "\"strings\":[\"\xEC\x95\x84\"]"},
    {"'\\N{hangul syllable a}'\n", NULL},
    {"'\\N{HANGUL SYLLABLE AX}'\n", NULL},
    {"'\\N{CJK UNIFIED IDEOGRAPH-4E00}'\n", "\"strings\":[\"\xE4\xB8\x80\"]"},
    {"'\\N{CJK UNIFIED IDEOGRAPH-4e00}'\n", NULL},
    {"'\\N{CJK UNIFIED IDEOGRAPH-E000}'\n", NULL},

    /* Formats within formats. */
    {"f'{e:{w:0}.{1}}'\n", "\"strings\":[\".\",\"0\"]"},
    {"f'{a:{b:x}{c!r:y}z}{d:w}v'\n", "\"strings\":[\"v\",\"w\",\"x\",\"y\",\"z\"]"},
    {"f'{a:{b:{c}}}'\n", NULL},
    /* Targets with an annotation. */
    {"(x): int\n", ""},
    {"(x).y: int\n", NULL},
    {"((x[0]))().y: int\n", NULL},
    {"(x()).y: int\n", ""},
    {"(x.y): int\n", ""},
    {"x.y[(z)]: int\n", ""},

    /* Patterns. */
    {"match x:\n case _.e: pass\n", NULL},
    {"match x:\n case _(): pass\n", NULL},
    {"match x:\n case a._: pass\n", "\"attributes\":[\"_\"]"},
    {"match x:\n case A(_=_.b): pass\n", NULL},
    {"match x:\n case A(_=_): pass\n", "\"other\":[\"_\"]"},
    {"match x:\n case {_.a: _}: pass\n", "\"attributes\":[\"a\"]"},

    {"f'{a:}' 'b'\n", "\"strings\":[\"b\"]"},
};

/* How many nodes of a kind a program has. */
static const struct {
    const char *source;
    enum node_kind kind;
    unsigned count;
} counts[] = {
    {"with (a, b): c\n", NODE_WITH_ITEM, 2},
    {"with (a,): c\n", NODE_WITH_ITEM, 1},
    {"with (a,): c\n", NODE_TUPLE, 0},
    {"with ((a, b)): c\n", NODE_WITH_ITEM, 1},
    {"with ((a, b), c): d\n", NODE_WITH_ITEM, 2},
    {"with (*a, b): c\n", NODE_WITH_ITEM, 1},
    {"with (a := 1, b): c\n", NODE_WITH_ITEM, 1},
    {"with ((a := 1), b): c\n", NODE_WITH_ITEM, 2},
    {"with (a, b) as c: d\n", NODE_WITH_ITEM, 1},
    {"with (a, b), c: d\n", NODE_WITH_ITEM, 2},
    {"with (): c\n", NODE_WITH_ITEM, 1},
    {"with (a as b, c): d\n", NODE_WITH_ITEM, 2},
};

static unsigned count_kind(const struct ast *ast, uint32_t node, enum node_kind kind)
{
    unsigned count = ast_node(ast, node)->kind == kind;

    for (uint32_t child = ast_node(ast, node)->child; child; child = ast_node(ast, child)->next)
        count += count_kind(ast, child, kind);
    return count;
}

static void test_counts(void **state)
{
    static struct verdict verdict;

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const char *source = counts[i].source;
        struct report report = {.source = source, .len = strlen(source), .verdict = &verdict};
        struct ast ast;

        ast_init(&ast, source, strlen(source));
        parser_parse(&ast, &report);
        assert_false(ast.broken || ast.failed);
        if (count_kind(&ast, 0, counts[i].kind) != counts[i].count)
            fail_msg("%s: not %u", source, counts[i].count);
        ast_finish(&ast);
    }
}

static void check_row(const struct row *row)
{
    static struct verdict verdict;
    /* Of its exact size, so that a sanitizer sees a read behind it. */
    size_t len = strlen(row->source);
    char *source = malloc(len);
    struct report report = {.source = source, .len = len, .verdict = &verdict};
    struct buf BUF_AUTO facts = {0};
    struct error err = {0};
    struct ast ast;

    assert_non_null(source);
    memcpy(source, row->source, len);
    memset(&verdict, 0, sizeof verdict);
    ast_init(&ast, source, len);
    parser_parse(&ast, &report);
    assert_false(ast.failed);
    if (!row->facts && !ast.broken)
        fail_msg("taken: %s", row->source);
    if (row->facts && ast.broken)
        fail_msg("refused: %s: %s", row->source, verdict.diagnostics[0].text);
    if (row->facts) {
        assert_int_equal(facts_line("", source, len, &facts, &err), 0);
        if (!strstr(facts.data, row->facts))
            fail_msg("%s: %s", row->source, facts.data);
    } else {
        assert_true(verdict.diagnostic_count > 0);
    }
    ast_finish(&ast);
    free(source);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_counts)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
