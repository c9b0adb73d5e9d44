/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the compiler refuses of programs that the parser takes: a table of programs with the line
 * and a part of the message, and one of programs that are taken although they look alike.
 * tests/oracle compares with CPython itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validator/report.h"
#include "validator/rule/compile_internal.h"
#include "validator/syntax/ast.h"

#define NEST_CAP 24

static struct verdict verdict;

static void check(const char *source, size_t len)
{
    struct report report = {.source = source, .len = len, .verdict = &verdict};
    struct facts facts;
    struct ast ast;

    memset(&verdict, 0, sizeof verdict);
    ast_init(&ast, source, len);
    parser_parse(&ast, &report);
    if (verdict.diagnostic_count)
        fail_msg("the parser refuses %.200s: %s", source, verdict.diagnostics[0].text);
    facts_init(&facts, &ast);
    assert_true(compile_check(&facts, &report));
    report_finish(&report);
    facts_finish(&facts);
    ast_finish(&ast);
}

static void test_refused(void **state)
{
    static const struct {
        const char *source;
        size_t line;
        const char *says;
    } rows[] = {
        {"return 1", 1, "outside a function"},
        {"class A: return", 1, "outside a function"},
        {"def f():\n class A: return", 2, "outside a function"},
        {"yield x", 1, "outside a function"},
        {"class A: yield", 1, "outside a function"},
        {"[x for x in (yield)]", 1, "outside a function"},
        {"def f(): [(yield) for x in y]", 1, "comprehension"},
        {"def f(): [x for x in y for z in (yield)]", 1, "comprehension"},
        {"async def f(): yield from x", 1, "yield from"},
        {"await x", 1, "outside an async function"},
        {"def f(): await x", 1, "outside an async function"},
        {"async def f(): lambda: (await x)", 1, "outside an async function"},
        {"async def f():\n class A: await x", 2, "outside an async function"},
        {"[await x for x in y]", 1, "outside an async function"},
        {"def f(): return {x: y async for x in y}", 1, "outside an async function"},
        {"[[x async for x in y] for z in w]", 1, "outside an async function"},
        {"async for x in y: pass", 1, "'for' without async"},
        {"def f():\n async with x: pass", 2, "'with' without async"},
        {"async def f():\n yield 1\n return 2", 3, "that yields"},
        {"break", 1, "outside a loop"},
        {"if x: continue", 1, "outside a loop"},
        {"while x:\n def f(): break", 2, "outside a loop"},
        {"while x: pass\nelse: break", 2, "outside a loop"},
        {"while x:\n try: pass\n except* E: break", 3, "except*"},
        {"def f():\n try: pass\n except* E:\n  for x in y: return", 4, "except*"},
        {"try: pass\nexcept: pass\nexcept E: pass", 2, "must be the last one"},
        {"def f(a, b, a): pass", 1, "two parameters 'a'"},
        {"lambda a, *a: a", 1, "two parameters 'a'"},
        {"f(a=1, b=2, a=3)", 1, "'a' is given twice"},
        {"class A(b=1, b=2): pass", 1, "'b' is given twice"},
        {"x = 1\nglobal x", 2, "assigned before"},
        {"def f():\n print(x)\n global x", 3, "used before"},
        {"def f():\n x: int\n global x", 3, "annotated before"},
        {"def f(x):\n global x", 2, "is a parameter"},
        {"def f(x):\n nonlocal x", 2, "is a parameter"},
        {"def f():\n global x\n x: int", 3, "cannot be annotated"},
        {"class A:\n def f(s):\n  super()\n  nonlocal __class__", 4, "used before"},
        {"nonlocal x", 1, "outside a function"},
        {"def f():\n nonlocal x", 2, "No function around"},
        {"class A:\n x = 1\n def f(s):\n  nonlocal x", 4, "No function around"},
        {"def f():\n global x, y\n nonlocal y", 2, "both nonlocal and global"},
        {"def f(): from x import *", 1, "import *"},
        {"class A: from x import *", 1, "import *"},
        {"__debug__ = 1", 1, "__debug__"},
        {"x.__debug__ = 1", 1, "__debug__"},
        {"del __debug__", 1, "__debug__"},
        {"def f(__debug__): pass", 1, "__debug__"},
        {"f(__debug__=1)", 1, "__debug__"},
        {"import a as __debug__", 1, "__debug__"},
        {"match x:\n case A(__debug__=1): pass", 2, "__debug__"},
        {"x = *a", 1, "cannot stand alone"},
        {"def f(): return *a", 1, "cannot stand alone"},
        {"*a = b", 1, "list or tuple"},
        {"for *a in b: pass", 1, "list or tuple"},
        {"a, *b, *c = d", 1, "Two starred"},
        {"[(*a, *b), c] = d", 1, "Two starred"},
        {"[x := 1 for x in y]", 1, "loop variable"},
        {"[[x := 1 for z in w] for x in y]", 1, "loop variable"},
        {"[1 for y in z if (x := 1) for x in y]", 1, "would change 'x'"},
        {"[1 for y in (x := z)]", 1, "loops over"},
        {"[1 for y in [lambda: (x := 1)]]", 1, "loops over"},
        {"class A: [x := 1 for y in z]", 1, "class body"},
        {"x = 1\nfrom __future__ import division", 2, "beginning"},
        {"def f():\n from __future__ import division", 2, "beginning"},
        {"from __future__ import braces", 1, "no feature 'braces'"},
        {"from __future__ import nope", 1, "no feature 'nope'"},
        {"from __future__ import annotations\nx: (yield)", 2, "annotation"},
        {"from __future__ import annotations\ndef f(a: (await b)): pass", 2, "annotation"},
        {"from __future__ import annotations\nx: (y := 1)", 2, "annotation"},
        {"match x:\n case a: pass\n case b: pass", 2, "takes every value"},
        {"match x:\n case _: pass\n case b: pass", 2, "takes every value"},
        {"match x:\n case (_ | 1): pass", 2, "takes every value"},
        {"match x:\n case 1 | a: pass", 2, "bind different names"},
        {"match x:\n case [a, b] | [a, c]: pass", 2, "bind different names"},
        {"match x:\n case [a, a]: pass", 2, "bound twice"},
        {"match x:\n case [a, ([b] | {1: b}), b]: pass", 2, "bound twice"},
        {"match x:\n case {1: a, **a}: pass", 2, "bound twice"},
        {"match x:\n case [*a, *_]: pass", 2, "Two starred"},
        {"match x:\n case A(b=1, b=2): pass", 2, "asked for twice"},
        {"match x:\n case {1: a, 1.0: b}: pass", 2, "key stands twice"},
        {"match x:\n case {'a' 'b': a, 'ab': b}: pass", 2, "key stands twice"},
        {"match x:\n case {-1: a, -0x1: b}: pass", 2, "key stands twice"},
        {"match x:\n case {2j: a, 2.0j: b}: pass", 2, "key stands twice"},
        {"match x:\n case {None: a, None: b}: pass", 2, "key stands twice"},
        {"match x:\n case {18446744073709551616: a, 18446744073709551616.0: b}: pass", 2,
         "key stands twice"},
        {"match x:\n case f'a': pass", 2, "f-string cannot be a pattern"},
        {"match x:\n case {f'a': b}: pass", 2, "f-string cannot be a key"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check(rows[i].source, strlen(rows[i].source));
        if (verdict.diagnostic_count != 1)
            fail_msg("%s: %zu diagnostics", rows[i].source, verdict.diagnostic_count);
        assert_string_equal(verdict.diagnostics[0].code, "syntax");
        if (verdict.diagnostics[0].line != rows[i].line ||
            !strstr(verdict.diagnostics[0].text, rows[i].says))
            fail_msg("%s: line %zu: %s", rows[i].source, verdict.diagnostics[0].line,
                     verdict.diagnostics[0].text);
    }
}

static void test_taken(void **state)
{
    static const char *const rows[] = {
        "def f():\n x: (await y)",
        "def f():\n x: g(a=1, a=2)",
        "from __future__ import annotations\nx: g(a=1, a=2)",
        "lambda: (yield)",
        "(await x for x in y)",
        "([x async for x in y] for z in w)",
        "async def f(): return [[await x for x in y] for z in w]",
        "async def f():\n yield 1\n return",
        "for x in y:\n try: pass\n finally: continue",
        "while x:\n try: pass\n except* E:\n  while y: break",
        "def f():\n import x\n global x",
        "def f():\n (x): int\n global x",
        "class A:\n def f(s): nonlocal __class__",
        "def f():\n x = 1\n class A:\n  global x\n  def g(s): nonlocal x",
        "def f():\n [x := 1 for y in z]\n def g(): nonlocal x",
        "global x\nx: int",
        "[lambda: (y := 1) for y in z]",
        "del x.__debug__\nx.__debug__ += 1\nprint(__debug__)",
        "import __debug__.x as y",
        "'doc'\nfrom __future__ import division; from __future__ import annotations",
        "def f(*a: *b): pass",
        "a[*b], c = *d, *e",
        "match x:\n case a if a: pass\n case 1 | _: pass",
        "match x:\n case [a] | (a, 1): pass\n case {1: a, 2: b, b'a': c, 'a': d}: pass\n case "
        "{x.y: a, x.y: b}: pass",
        "match x:\n case [1 | _, *_] | A(b=1, d=_): pass\ndef f():\n x: (await y)\n yield\n return",
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check(rows[i], strlen(rows[i]));
        if (!verdict.accepted)
            fail_msg("%s: %s", rows[i], verdict.diagnostics[0].text);
    }
}

/* All problems of a program are told, in its order. */
static void test_all_at_once(void **state)
{
    static const char source[] =
        "return 1\nf(a=1, a=2)\nbreak\ndef g(x, x):\n yield\n nonlocal z\n";
    static const size_t lines[] = {1, 2, 3, 4, 6};

    (void)state;
    check(source, strlen(source));
    assert_int_equal(verdict.diagnostic_count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(verdict.diagnostics[i].line, lines[i]);
}

/* Twenty blocks and no more: loops, with and try count, if does not. */
static void test_nested_blocks(void **state)
{
    static const struct {
        const char *head; /* '@': indentation */
        size_t most;
    } rows[] = {
        {"for x in y:", 20},          {"with x:", 20},
        {"if x:", NEST_CAP},          {"try: pass\n@except x:", 10},
        {"try: pass\n@finally:", 20}, {"try: pass\n@except x: pass\n@else:", NEST_CAP},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t depth = 1; depth <= NEST_CAP; depth++) {
            struct buf BUF_AUTO source = {0};

            for (size_t level = 0; level < depth; level++) {
                buf_addf(&source, "%*s", (int)level, "");
                for (const char *c = rows[i].head; *c; c++)
                    if (*c == '@')
                        buf_addf(&source, "%*s", (int)level, "");
                    else
                        buf_addc(&source, *c);
                buf_adds(&source, "\n");
            }
            buf_addf(&source, "%*spass\n", (int)depth, "");
            check(source.data, source.len);
            if (verdict.accepted != (depth <= rows[i].most))
                fail_msg("%zu of %s", depth, rows[i].head);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_taken),
        cmocka_unit_test(test_all_at_once),
        cmocka_unit_test(test_nested_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
