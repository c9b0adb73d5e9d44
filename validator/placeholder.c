/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recognises placeholders: from the syntax tree, so that the words of a text that a program works
 * on do not count; and from comments, which the tree does not have. A pure function.
 */
#include "validator/validator.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "validator/report.h"
#include "validator/syntax/ast.h"
#include "validator/syntax/tokenizer.h"

/* The words of a comment in the place of code: words at its beginning, in capitals; and
 * words anywhere in it. */
static const char *const marks[] = {"TODO", "FIXME"};
static const char *const phrases[] = {
    "your code here",    "your code goes here",      "code goes here",   "add code here",
    "add your code",     "insert code here",         "implement here",   "implement me",
    "implement this",    "implementation here",      "rest of the code", "rest of the program",
    "to be implemented", "implementation goes here",
};

static bool contains(const char *text, size_t len, const char *phrase)
{
    const size_t size = strlen(phrase);

    for (size_t i = 0; i + size <= len; i++)
        if (strncasecmp(text + i, phrase, size) == 0)
            return true;
    return false;
}

static bool is_mark(const char *text, size_t len)
{
    while (len > 0 && strchr("# \t", *text)) {
        text++;
        len--;
    }
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const size_t size = strlen(marks[i]);

        if (len >= size && memcmp(text, marks[i], size) == 0 &&
            (len == size || !keyword_is_name_byte((unsigned char)text[size])))
            return true;
    }
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (contains(text, len, phrases[i]))
            return true;
    return false;
}

static bool has_mark(const char *source, size_t len)
{
    struct tokenizer tokenizer;
    struct token token;
    enum token_kind kind;

    tokenizer_init(&tokenizer, source, len);
    tokenizer.trivia = true;
    do {
        kind = tokenizer_next(&tokenizer, &token);
        if (kind == TOKEN_COMMENT && is_mark(source + token.start, token.length))
            return true;
    } while (kind != TOKEN_END && (kind != TOKEN_ERROR || tokenizer_resume(&tokenizer)));
    return false;
}

static bool is_ellipsis(const struct ast *ast, uint32_t statement)
{
    const struct node *row = ast_node(ast, statement), *value = ast_node(ast, row->child);

    return row->kind == NODE_EXPRESSION && value->kind == NODE_CONSTANT && value->op == OP_ELLIPSIS;
}

static bool is_docstring(const struct ast *ast, uint32_t statement)
{
    const struct node *row = ast_node(ast, statement);

    return row->kind == NODE_EXPRESSION && ast_node(ast, row->child)->kind == NODE_STRING;
}

/* Whether the statements are `...` alone, or behind a docstring. */
static bool is_gap(const struct ast *ast, uint32_t first)
{
    if (first && is_docstring(ast, first))
        first = ast_node(ast, first)->next;
    return first && is_ellipsis(ast, first) && !ast_node(ast, first)->next;
}

/* raise NotImplementedError, and raise NotImplementedError(...). */
static bool is_not_implemented(const struct ast *ast, uint32_t statement)
{
    uint32_t value = ast_node(ast, statement)->child;
    const char *name;
    size_t len;

    if (ast_node(ast, statement)->kind != NODE_RAISE || !value)
        return false;
    if (ast_node(ast, value)->kind == NODE_CALL)
        value = ast_node(ast, value)->child;
    if (ast_node(ast, value)->kind != NODE_NAME)
        return false;
    name = ast_name(ast, value, &len);
    return len == strlen("NotImplementedError") && memcmp(name, "NotImplementedError", len) == 0;
}

/* The reason in a node or below it; classes are left out. Statements hold statements at most as
 * deep as the tokenizer's levels of indentation. */
static const char *find_gap(const struct ast *ast, uint32_t node)
{
    for (uint32_t child = ast_node(ast, node)->child; child; child = ast_node(ast, child)->next) {
        const struct node *row = ast_node(ast, child);
        const char *why = NULL;

        if (is_not_implemented(ast, child))
            return "The program raises NotImplementedError in the place of code.";
        if ((row->kind == NODE_BLOCK || row->kind == NODE_ELSE || row->kind == NODE_FINALLY) &&
            is_gap(ast, row->child))
            return "The body of a block or a function is `...` alone.";
        if (row->kind <= NODE_BROKEN && row->kind != NODE_CLASS && row->kind != NODE_EXPRESSION)
            why = find_gap(ast, child);
        if (why)
            return why;
    }
    return NULL;
}

/* Whether no statement of the module computes or prints anything. */
static bool is_idle(const struct ast *ast)
{
    for (uint32_t child = ast_node(ast, 0)->child; child; child = ast_node(ast, child)->next) {
        const struct node *row = ast_node(ast, child);

        if (row->kind != NODE_PASS && row->kind != NODE_IMPORT && row->kind != NODE_IMPORT_FROM &&
            row->kind != NODE_FUNCTION && row->kind != NODE_CLASS && !is_ellipsis(ast, child) &&
            !is_docstring(ast, child))
            return false;
    }
    return true;
}

const char *validator_placeholder(const char *source, size_t len)
{
    struct verdict *verdict;
    struct report report = {.source = source, .len = len};
    struct ast ast;
    const char *why = NULL;

    if (validator_is_blank(source, len))
        return "The program is empty.";
    if (len > VALIDATOR_SOURCE_CAP)
        return NULL;
    if (has_mark(source, len))
        return "A comment stands in the place of code (\"TODO\", \"your code here\").";
    verdict = calloc(1, sizeof *verdict);
    if (!verdict)
        return NULL;
    report.verdict = verdict;
    ast_init(&ast, source, len);
    parser_parse(&ast, &report);
    if (!ast.failed && !ast.broken)
        why = is_idle(&ast) ? "The program does nothing but import, define and pass."
                            : find_gap(&ast, 0);
    ast_finish(&ast);
    free(verdict);
    return why;
}
