/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scopes, bindings and what names mean, by tables of programs. What Python itself says of scopes is
 * compared through the compiler's verdict in tests/oracle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validator/facts/facts.h"
#include "validator/report.h"
#include "validator/syntax/ast.h"

struct read {
    struct ast ast;
    struct facts facts;
};

static struct verdict verdict;

static void read_program(struct read *read, const char *source, size_t len)
{
    struct report report = {.source = source, .len = len, .verdict = &verdict};

    memset(&verdict, 0, sizeof verdict);
    ast_init(&read->ast, source, len);
    parser_parse(&read->ast, &report);
    facts_init(&read->facts, &read->ast);
    assert_false(read->facts.failed);
    if (verdict.diagnostic_count)
        fail_msg("%s: %s", source, verdict.diagnostics[0].text);
}

static void finish(struct read *read)
{
    facts_finish(&read->facts);
    ast_finish(&read->ast);
}

static void add_symbol(struct buf *to, const struct ast *ast, uint32_t symbol)
{
    size_t len;
    const char *text = symbols_text(&ast->symbols, symbol, &len);

    buf_add(to, text, len);
}

/* "a:0 b:-": each site's name with the scope of what it means. */
static void show_sites(struct buf *to, const struct read *read, const struct site_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct site *site = &list->rows[i];

        if (i)
            buf_adds(to, " ");
        add_symbol(to, &read->ast, read->ast.nodes[site->node].name);
        if (site->binding == FACTS_NONE)
            buf_adds(to, ":-");
        else
            buf_addf(to, ":%u", read->facts.bindings[site->binding].scope);
    }
}

/* "0m x=A; 1f(0) a=P": each scope with its kind, the one around, and its bindings with their flags.
 */
static void show_scopes(struct buf *to, const struct read *read)
{
    static const char kinds[] = "mcflk", flags[] = "PAIDGNTS";

    for (uint32_t s = 0; s < read->facts.scope_count; s++) {
        const struct scope *scope = &read->facts.scopes[s];

        buf_addf(to, "%s%u%c", s ? "; " : "", s, kinds[scope->kind]);
        if (s)
            buf_addf(to, "(%u)", scope->parent);
        for (uint32_t b = scope->first_binding; b != FACTS_NONE; b = read->facts.bindings[b].next) {
            buf_adds(to, " ");
            add_symbol(to, &read->ast, read->facts.bindings[b].symbol);
            buf_adds(to, "=");
            for (int bit = 0; flags[bit]; bit++)
                if (read->facts.bindings[b].flags & 1 << bit)
                    buf_addc(to, flags[bit]);
        }
    }
}

struct row {
    const char *source, *shown;
};

static void check(const struct row *rows, size_t count,
                  void (*show)(struct buf *to, const struct read *read))
{
    for (size_t i = 0; i < count; i++) {
        struct buf BUF_AUTO shown = {0};
        struct read read;

        read_program(&read, rows[i].source, strlen(rows[i].source));
        show(&shown, &read);
        if (strcmp(shown.data ? shown.data : "", rows[i].shown) != 0)
            fail_msg("%s\n  gives  %s\n  wanted %s", rows[i].source, shown.data ? shown.data : "",
                     rows[i].shown);
        finish(&read);
    }
}

#define CHECK(rows, show) check(rows, sizeof(rows) / sizeof(rows)[0], show)

static void test_scopes(void **state)
{
    static const struct row rows[] = {
        {"", "0m"},
        {"x = y", "0m x=A"},
        {"a, (b, [c, *d]) = e.f = g[0] = 1", "0m a=A b=A c=A d=A"},
        {"for i in x: pass\nelse: j = 1", "0m i=A j=A"},
        {"with a as b, c as (d, e): pass", "0m b=A d=A e=A"},
        {"try: pass\nexcept E as e: pass", "0m e=A"},
        {"import a.b, c.d as e\nfrom f import g, h as i\nfrom j import *", "0m a=I e=I g=I i=I"},
        {"x += 1\ndel y\n(z := 1)", "0m x=A y=A z=A"},
        {"x: int\ny: int = 1\n(z): int\n(w): int = 1", "0m x=T y=AT w=A"},
        {"x: int = 1\nx = 2\nimport x\ndef x(): pass", "0m x=AIDT; 1f(0)"},
        {"def f(a, /, b, *c, d=1, **e): g = 1", "0m f=D; 1f(0) a=P b=P c=P d=P e=P g=A"},
        {"class A(B): x = 1", "0m A=D; 1c(0) x=A"},
        {"lambda a, *b: a", "0m; 1l(0) a=P b=P"},
        {"[x for x in y]", "0m; 1k(0) x=A"},
        {"[x for x in y for z in x if z]", "0m; 1k(0) x=A z=A"},
        {"[y := x for x in z]", "0m y=A; 1k(0) x=A"},
        {"def f(): return [[y := x for x in z] for z in w]",
         "0m f=D; 1f(0) y=A; 2k(1) z=A; 3k(2) x=A"},
        {"[lambda: (y := x) for x in z]", "0m; 1k(0) x=A; 2l(1) y=A"},
        {"[a for a in [b for b in c]]", "0m; 1k(0) a=A; 2k(0) b=A"},
        {"def f():\n global x\n x = 1", "0m f=D x=S; 1f(0) x=AG"},
        {"global x\nx = 1", "0m x=AG"},
        {"def f():\n x = 1\n def g():\n  nonlocal x\n  x = 2",
         "0m f=D; 1f(0) x=AS g=D; 2f(1) x=AN"},
        {"def f(a=lambda: 1, b: (lambda: 2) = 3): pass", "0m f=D; 1f(0) a=P b=P; 2l(0); 3l(0)"},
        {"@(lambda: 1)\nclass A(lambda: 2): pass", "0m A=D; 1c(0); 2l(0); 3l(0)"},
        {"match x:\n case [a, *b]: pass\n case {1: c, **d}: pass\n case A(e, f=g) as h: pass\n"
         " case _: pass",
         "0m a=A b=A c=A d=A h=A e=A g=A"},
    };

    (void)state;
    CHECK(rows, show_scopes);
}

static void show_names(struct buf *to, const struct read *read)
{
    show_sites(to, read, &read->facts.names);
}

static void test_names(void **state)
{
    static const struct row rows[] = {
        {"x = y", "x:0 y:-"},
        {"print(x)\nx = 1", "print:- x:0 x:0"},
        {"x = 1\ndef f(a):\n return a + x + y", "x:0 a:1 x:0 y:-"},
        {"def f():\n def g(): return x\n x = 1", "x:1 x:1"},
        {"x = 0\ndef f(x=x): return x", "x:0 x:0 x:1"},
        {"x = 0\nclass A:\n x = x\n def f(self): return x", "x:0 x:1 x:1 x:0"},
        {"class A:\n x = 1\n y = [x for i in x]\n z = lambda: x", "x:1 y:1 x:- i:2 x:1 z:1 x:-"},
        {"class A:\n x = 1\n class B:\n  y = x", "x:1 y:2 x:-"},
        {"def f():\n x = 1\n class A:\n  x = 2\n  def g(): return x", "x:1 x:2 x:1"},
        {"x = 0\n[x for x in x]", "x:0 x:1 x:1 x:0"},
        {"x = 0\n[x for y in x for x in x]", "x:0 x:1 y:1 x:0 x:1 x:1"},
        {"[y := x for x in z]\ny", "y:0 x:1 x:1 z:- y:0"},
        {"def f():\n global x\n x = 1\n def g(): return x", "x:0 x:0"},
        {"def f():\n x = 1\n def g():\n  nonlocal x\n  x = 2\n  def h(): return x", "x:1 x:1 x:1"},
        {"def f():\n x = 1\n def g():\n  global x\n  def h(): return x", "x:1 x:0"},
        {"def f():\n x = 1\n class A:\n  nonlocal x\n  x = 2", "x:1 x:1"},
        {"def f():\n nonlocal x\n x = 1", "x:-"},
        {"x = 0\ndef f(a: x) -> x:\n x = 1", "x:0 x:0 x:0 x:1"},
        {"x = 0\n@x\ndef f():\n x = 1\n@x\nclass A(x, k=x):\n x = 1",
         "x:0 x:0 x:1 x:0 x:0 x:0 x:2"},
        {"lambda x, y=x: x", "x:- x:1"},
        {"f'{x} {x!r:>{x}}'\nx = 1", "x:0 x:0 x:0 x:0"},
        {"a(b)[c].d = e", "a:- b:- c:- e:-"},
    };

    (void)state;
    CHECK(rows, show_names);
}

static void show_attributes(struct buf *to, const struct read *read)
{
    show_sites(to, read, &read->facts.attributes);
}

static void test_attributes(void **state)
{
    static const struct row rows[] = {
        {"import a\na.b.c", "c:0 b:0"},     {"a.b().c", "c:- b:-"},
        {"import a\na.b().c", "c:- b:0"},   {"import a\na.b[a.c].d", "d:- b:0 c:0"},
        {"def f(x): x.y = x.z", "y:1 z:1"}, {"'a'.join(x)", "join:-"},
    };

    (void)state;
    CHECK(rows, show_attributes);
}

static void show_other(struct buf *to, const struct read *read)
{
    show_sites(to, read, &read->facts.other);
}

static void test_other(void **state)
{
    static const struct row rows[] = {
        {"def f(a, b, *, c): pass", "f:0 a:1 b:1 c:1"},
        {"def f(a, b, a, c): pass", "f:0 a:1 b:1 a:- c:1"},
        {"class A(k=1): pass", "A:0 k:-"},
        {"f(k=1)", "k:-"},
        {"import a.b as c, d\nfrom e import f", "c:0 d:0 f:0"},
        {"def f():\n global g\n import g", "f:0 g:0 g:0"},
        {"try: pass\nexcept E: pass\nexcept F as g: pass", "g:0"},
        {"match x:\n case A(b=[c, *d]) as e: pass", "e:0 :- b:- c:0 d:0"},
    };

    (void)state;
    CHECK(rows, show_other);
}

static void test_lists(void **state)
{
    static const char source[] = "import a, b\nfrom c import d\nf(g('x'), f'{y(1)} z')\n'w'";
    struct read read;

    (void)state;
    read_program(&read, source, strlen(source));
    assert_int_equal(read.facts.imports.count, 3);
    assert_int_equal(read.facts.calls.count, 3);
    assert_int_equal(read.facts.strings.count, 3);
    for (uint32_t i = 1; i < read.facts.calls.count; i++)
        assert_true(read.ast.nodes[read.facts.calls.rows[i - 1].node].at <
                    read.ast.nodes[read.facts.calls.rows[i].node].at);
    for (uint32_t i = 0; i < read.facts.imports.count; i++) {
        const struct site *site = &read.facts.imports.rows[i];

        assert_int_equal(read.ast.nodes[site->node].kind, NODE_ALIAS);
        assert_int_not_equal(site->binding, FACTS_NONE);
    }
    finish(&read);
}

/* A program that is no Python is read as far as it goes. */
static void test_broken(void **state)
{
    static const char source[] = "x = 1\ny = = 2\ndef f():\n  return x\n";
    struct report report = {.source = source, .len = strlen(source), .verdict = &verdict};
    struct read read;

    (void)state;
    memset(&verdict, 0, sizeof verdict);
    ast_init(&read.ast, source, strlen(source));
    parser_parse(&read.ast, &report);
    facts_init(&read.facts, &read.ast);
    assert_true(read.ast.broken);
    assert_true(read.facts.names.count >= 2);
    finish(&read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scopes),     cmocka_unit_test(test_names),
        cmocka_unit_test(test_attributes), cmocka_unit_test(test_other),
        cmocka_unit_test(test_lists),      cmocka_unit_test(test_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
