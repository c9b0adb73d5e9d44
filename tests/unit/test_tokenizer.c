/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tokenizer alone: tables of texts with the tokens they give, and of texts it refuses. The
 * comparison with CPython's own is in tests/oracle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validator/syntax/literal.h"

#define SHOWN_CAP 4096

/* "NAME(x) OP(=) NUMBER(1) NEWLINE": the tokens of a text; ends in "ERROR(...)" where it is
 * refused. */
static void show(const char *source, size_t len, char *to)
{
    struct tokenizer tokenizer;
    struct token token;
    enum token_kind kind;
    size_t used = 0;

    to[0] = '\0';
    tokenizer_init(&tokenizer, source, len);
    while ((kind = tokenizer_next(&tokenizer, &token)) != TOKEN_END) {
        assert_true(token.start + token.length <= len);
        used += (size_t)snprintf(to + used, SHOWN_CAP - used, "%s%s", used ? " " : "",
                                 token_kind_name(kind));
        if (kind == TOKEN_ERROR) {
            snprintf(to + used, SHOWN_CAP - used, "(%s)", tokenizer.error);
            return;
        }
        if (kind == TOKEN_NAME || kind == TOKEN_NUMBER || kind == TOKEN_STRING || kind == TOKEN_OP)
            used += (size_t)snprintf(to + used, SHOWN_CAP - used, "(%.*s)", (int)token.length,
                                     source + token.start);
    }
}

static void test_tokens(void **state)
{
    static const struct {
        const char *source, *tokens;
    } rows[] = {
        {"", ""},
        {"\n", ""},
        {"x = 1", "NAME(x) OP(=) NUMBER(1) NEWLINE"},
        {"x # c\n# d\n\ny\n", "NAME(x) NEWLINE NAME(y) NEWLINE"},
        {"if x:\n  y\nz\n",
         "NAME(if) NAME(x) OP(:) NEWLINE INDENT NAME(y) NEWLINE DEDENT NAME(z) NEWLINE"},
        {"if x:\n\ty", "NAME(if) NAME(x) OP(:) NEWLINE INDENT NAME(y) NEWLINE DEDENT"},
        {"if x:\n  y\n# c", "NAME(if) NAME(x) OP(:) NEWLINE INDENT NAME(y) NEWLINE DEDENT"},
        {"(a,\n b)\n", "OP(() NAME(a) OP(,) NAME(b) OP()) NEWLINE"},
        {"a + \\\n b\r\n", "NAME(a) OP(+) NAME(b) NEWLINE"},
        {"a\rb\r", "NAME(a) NEWLINE NAME(b) NEWLINE"},
        {"\xEF\xBB\xBFx", "NAME(x) NEWLINE"},
        {"1if x else 2", "NUMBER(1) NAME(if) NAME(x) NAME(else) NUMBER(2) NEWLINE"},
        {"1else", "NUMBER(1) NAME(else) NEWLINE"},
        {"0b1and x", "NUMBER(0b1) NAME(and) NAME(x) NEWLINE"},
        {"0_0 0x_fF 0o17 1_0.5e-3J .5 1. 1.e5 09.5 00",
         "NUMBER(0_0) NUMBER(0x_fF) NUMBER(0o17) NUMBER(1_0.5e-3J) NUMBER(.5) "
         "NUMBER(1.) NUMBER(1.e5) NUMBER(09.5) NUMBER(00) NEWLINE"},
        {"1..x", "NUMBER(1.) OP(.) NAME(x) NEWLINE"},
        {"a**=b//c->d:=e...f.g", "NAME(a) OP(**=) NAME(b) OP(//) NAME(c) OP(->) NAME(d) OP(:=) "
                                 "NAME(e) OP(...) NAME(f) OP(.) "
                                 "NAME(g) NEWLINE"},
        {"'a\\'b' \"\" '''x\ny'''", "STRING('a\\'b') STRING(\"\") STRING('''x\ny''') NEWLINE"},
        {"rb'x' Fr\"{a}\" u''", "STRING(rb'x') STRING(Fr\"{a}\") STRING(u'') NEWLINE"},
        {"bu'x'", "NAME(bu) STRING('x') NEWLINE"},
        {"x = '''a'''''", "NAME(x) OP(=) STRING('''a''') STRING('') NEWLINE"},
        {"'a\\\r\nb'", "STRING('a\\\r\nb') NEWLINE"},
        {"na\xC3\xAFve = 1", "NAME(na\xC3\xAFve) OP(=) NUMBER(1) NEWLINE"},
        {"\xE2\x84\x98 = a\xC2\xB7", "NAME(\xE2\x84\x98) OP(=) NAME(a\xC2\xB7) NEWLINE"},
        {"\fx\n", "NAME(x) NEWLINE"},
    };
    char shown[SHOWN_CAP];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        show(rows[i].source, strlen(rows[i].source), shown);
        assert_string_equal(shown, rows[i].tokens);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *source, *part; /* of the message */
    } rows[] = {
        {"1_", "only between two digits"},
        {"1__0", "only between two digits"},
        {"0x", "A digit must follow"},
        {"0777", "no leading zeros"},
        {"0_7", "no leading zeros"},
        {"0b102", "digits 0 and 1"},
        {"0o8", "A digit must follow"},
        {"12abc", "A letter follows"},
        {"1jj", "A letter follows"},
        {"1e", "A letter follows"},
        {"1e+", "A digit must follow"},
        {"1lambda", "A letter follows"},
        {"1\xC3\xA9", "A letter follows"},
        {"'abc", "not closed on its line"},
        {"'a\nb'", "not closed on its line"},
        {"'''a", "never closed"},
        {"b'\xC3\xA9'", "ASCII characters only"},
        {"(", "never closed"},
        {")", "closes nothing"},
        {"(]", "cannot close the '('"},
        {"([)]", "cannot close the '['"},
        {"if x:\n        a\n    b\n", "matches no block"},
        {"if x:\n        a\n\tb\n", "Tabs and spaces"},
        {"x \\ \ny", "last character of its line"},
        {"x \\", "ends behind this backslash"},
        {"a <> b", "Write '!='"},
        {"a && b", "Write 'and'"},
        {"a || b", "Write 'or'"},
        {"i++\n", "Write '+= 1'"},
        {"a ? b", "if CONDITION else"},
        {"!a", "notebook's"},
        {"if !a: b", "Write 'not'"},
        {"$a", "without '$'"},
        {"`a`", "Markdown"},
        {"\xE2\x80\x9C a", "straight quotes"},
        {"x\xC2\xA0= 1", "no-break space"},
        {"\xC2\xB7"
         "a",
         "cannot stand here"},
        {"x\xC2\xB2", "cannot stand here"},
        {"\xEF\xBC\x91", "cannot stand here"},
        {"\xF0\x91\xBC\x84", "cannot stand here"},
        {"\xFF", "not UTF-8"},
        {"a\xC0\xAF", "not UTF-8"},
        {"a \x01", "control character"},
    };
    char shown[SHOWN_CAP];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        show(rows[i].source, strlen(rows[i].source), shown);
        if (!strstr(shown, "ERROR(") || !strstr(shown, rows[i].part))
            fail_msg("%s: gave %s", rows[i].source, shown);
    }
    show("x = 1\0y", 7, shown);
    assert_non_null(strstr(shown, "ERROR("));
}

/* 200 brackets and 99 indents are taken, one more of each is not, as CPython does. */
static void test_limits(void **state)
{
    struct buf BUF_AUTO text = {0};
    char shown[SHOWN_CAP * 4];

    (void)state;
    for (int depth = VALIDATOR_DEPTH_CAP; depth <= VALIDATOR_DEPTH_CAP + 1; depth++) {
        buf_init(&text, 0);
        for (int i = 0; i < depth; i++)
            buf_addc(&text, '[');
        for (int i = 0; i < depth; i++)
            buf_addc(&text, ']');
        show(text.data, text.len, shown);
        assert_int_equal(strstr(shown, "ERROR(More than 200") != NULL, depth > VALIDATOR_DEPTH_CAP);
        buf_finish(&text);
    }
    for (int depth = VALIDATOR_INDENT_CAP - 1; depth <= VALIDATOR_INDENT_CAP; depth++) {
        buf_init(&text, 0);
        for (int i = 0; i <= depth; i++)
            buf_addf(&text, "%*s%s\n", i, "", i == depth ? "x" : "if x:");
        show(text.data, text.len, shown);
        assert_int_equal(strstr(shown, "ERROR(More than 99") != NULL,
                         depth >= VALIDATOR_INDENT_CAP);
        buf_finish(&text);
    }
}

/* "text(a) field(b!r) field(c/1)": the pieces of an f-string. */
static void show_pieces(const char *source, char *to)
{
    struct tokenizer tokenizer;
    struct token token;
    struct fstring fstring;
    struct fstring_piece piece;
    size_t used = 0;

    to[0] = '\0';
    tokenizer_init(&tokenizer, source, strlen(source));
    assert_int_equal(tokenizer_next(&tokenizer, &token), TOKEN_STRING);
    fstring_init(&fstring, source, &token);
    while (fstring_next(&fstring, &piece) != FSTRING_END) {
        used += (size_t)snprintf(to + used, SHOWN_CAP - used, "%s", used ? " " : "");
        if (piece.kind == FSTRING_ERROR) {
            snprintf(to + used, SHOWN_CAP - used, "ERROR(%s)", fstring.error);
            return;
        }
        used += (size_t)snprintf(to + used, SHOWN_CAP - used, "%s(%.*s",
                                 piece.kind == FSTRING_TEXT ? "text" : "field",
                                 (int)(piece.end - piece.start), source + piece.start);
        if (piece.conversion)
            used += (size_t)snprintf(to + used, SHOWN_CAP - used, "!%c", piece.conversion);
        used += (size_t)snprintf(to + used, SHOWN_CAP - used, "%s%s)",
                                 piece.shows_source ? "=" : "", piece.level ? "/1" : "");
    }
}

static void test_fstrings(void **state)
{
    static const struct {
        const char *source, *pieces;
    } rows[] = {
        {"f''", ""},
        {"f'a{b}c'", "text(a) field(b) text(c)"},
        {"f'{a!r:>{w}}|{b=}'", "field(a!r) text(>/1) field(w/1) text(|) field(b!r=)"},
        {"f'{{x}} {a != b} {c == d:e}'",
         "text({{x}} ) field(a != b) text( ) field(c == d) text(e/1)"},
        {"f'{d[\"k\"]} { {1: 2}[1] }'", "field(d[\"k\"]) text( ) field( {1: 2}[1] )"},
        {"f'\\N{BULLET}{x}'", "text(\\N{BULLET}) field(x)"},
        {"rf'\\N{x}'", "text(\\N) field(x)"},
        {"f'{x:%d {y}}'", "field(x) text(%d /1) field(y/1)"},
        {"f'{'", "ERROR(This f-string ends"},
        {"f'}'", "ERROR(A single"},
        {"f'{}'", "ERROR(An empty"},
        {"f'{x!z}'", "ERROR(Behind '!'"},
        {"f'{a:{b:{c}}}'", "field(a) field(b/1) ERROR(Fields"},
        {"f'{\"\\n\"}'", "ERROR(Python 3.11 allows no backslash"},
        {"f'{x # y}'", "ERROR(Python 3.11 allows no '#'"},
        {"f'{(]}'", "ERROR(A bracket"},
        {"f'{x'", "ERROR(A field"},
        {"f'{(x}'", "ERROR(A bracket"},
        {"f'{\"}'", "ERROR(A string or bracket"},
    };
    char shown[SHOWN_CAP];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        show_pieces(rows[i].source, shown);
        if (strstr(rows[i].pieces, "ERROR("))
            shown[strlen(rows[i].pieces)] = '\0';
        assert_string_equal(shown, rows[i].pieces);
    }
}

/* The array: partners of brackets and blocks, fields behind their string, normalised names. */
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_fstrings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
