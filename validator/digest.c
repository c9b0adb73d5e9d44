/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The digest of a program's tree. Each node is written as its kind, its operator, the flags that
 * belong to the meaning, and its text with the length before it; then its children, and an end. So
 * two trees that differ have different bytes.
 */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "validator/report.h"
#include "validator/syntax/ast.h"
#include "validator/syntax/literal.h"
#include "validator/validator.h"

#define NODE_END 0xFF /* no kind */

_Static_assert(NODE_KIND_COUNT <= NODE_END, "a kind is a byte, and no end");

struct digester {
    const struct ast *ast;
    struct sha256 *state;
};

static void begin_node(const struct digester *digester, enum node_kind kind, unsigned op,
                       unsigned flags, size_t len)
{
    const unsigned char head[] = {(unsigned char)kind,        (unsigned char)op,
                                  (unsigned char)flags,       (unsigned char)(flags >> 8),
                                  (unsigned char)len,         (unsigned char)(len >> 8),
                                  (unsigned char)(len >> 16), (unsigned char)(len >> 24)};

    sha256_add(digester->state, head, sizeof head);
}

static void end_nodes(const struct digester *digester, size_t count)
{
    const unsigned char end = NODE_END;

    for (; count > 0; count--)
        sha256_add(digester->state, &end, 1);
}

/* Of the brackets only those around the name of an annotation have a meaning: (x): int. */
static unsigned meaning_of_flags(const struct ast *ast, const struct node *node)
{
    unsigned flags = node->flags & ~(unsigned)(NODE_SURROGATE | NODE_FORMATTED);

    if (node->kind != NODE_ANNOTATED || ast_node(ast, node->child)->kind != NODE_NAME)
        flags &= ~(unsigned)NODE_PARENTHESIZED;
    return flags;
}

/* A number has no value in the tree: its text without underscores, in small letters. */
static void add_number(const struct digester *digester, const struct node *node)
{
    const char *text = digester->ast->source + node->at, *error = NULL;
    size_t error_at = 0, len, used = 0;
    bool decimal;
    char lower;

    len = number_scan(text, digester->ast->len - node->at, &decimal, &error, &error_at);
    for (size_t i = 0; i < len; i++)
        used += text[i] != '_';
    begin_node(digester, NODE_NUMBER, 0, 0, used);
    for (size_t i = 0; i < len; i++) {
        lower = (char)tolower((unsigned char)text[i]);
        if (lower != '_')
            sha256_add(digester->state, &lower, 1);
    }
}

static void add_node(const struct digester *digester, uint32_t at);

/* Keywords may stand between the other arguments, whose order Python's tree keeps apart. */
static bool is_keyword_argument(const struct node *parent, const struct node *child)
{
    return (parent->kind == NODE_CALL || parent->kind == NODE_CLASS) &&
           (child->kind == NODE_KEYWORD || child->kind == NODE_DOUBLE_STARRED);
}

/* `elif` is an `if` in an `else`. */
static void add_if(const struct digester *digester, uint32_t at)
{
    const struct ast *ast = digester->ast;
    uint32_t child = ast_node(ast, at)->child;
    size_t open = 1;

    begin_node(digester, NODE_IF, 0, 0, 0);
    for (; child; child = ast_node(ast, child)->next) {
        const struct node *node = ast_node(ast, child);

        if (node->kind != NODE_ELIF) {
            add_node(digester, child);
            continue;
        }
        begin_node(digester, NODE_ELSE, 0, 0, 0);
        begin_node(digester, NODE_IF, 0, 0, 0);
        add_node(digester, node->child);
        add_node(digester, ast_node(ast, node->child)->next);
        open += 2;
    }
    end_nodes(digester, open);
}

static void add_node(const struct digester *digester, uint32_t at)
{
    const struct ast *ast = digester->ast;
    const struct node *node = ast_node(ast, at);
    const char *text;
    size_t len;

    if (node->kind == NODE_IF) {
        add_if(digester, at);
        return;
    }
    if (node->kind == NODE_NUMBER) {
        add_number(digester, node);
    } else {
        text = node->kind == NODE_STRING ? ast_text(ast, at, &len) : ast_name(ast, at, &len);
        begin_node(digester, node->kind, node->op, meaning_of_flags(ast, node), len);
        sha256_add(digester->state, text, len);
    }
    for (int keywords = 0; keywords <= 1; keywords++)
        for (uint32_t child = node->child; child; child = ast_node(ast, child)->next)
            if (is_keyword_argument(node, ast_node(ast, child)) == keywords)
                add_node(digester, child);
    end_nodes(digester, 1);
}

bool validator_digest(const char *source, size_t len, struct verdict *verdict,
                      char digest[SHA256_TEXT_SIZE])
{
    struct report report = {.source = source, .len = len, .verdict = verdict};
    struct digester digester = {.state = sha256_create()};
    struct ast ast;

    memset(verdict, 0, sizeof *verdict);
    ast_init(&ast, source, len);
    if (len > VALIDATOR_SOURCE_CAP) {
        report_add_whole(&report, "too-long", "The program has %zu bytes; at most %zu are taken.",
                         len, VALIDATOR_SOURCE_CAP);
    } else {
        parser_parse(&ast, &report);
        if (ast.failed)
            report_add_whole(&report, "no-memory",
                             "There was no memory to read the program. Send it again.");
        else if (ast.broken && verdict->diagnostic_count == 0)
            report_add(&report, "syntax", ast.unreported_at,
                       "This cannot be read as Python 3.11. Rewrite the line.");
    }
    report_finish(&report);
    if (verdict->accepted) {
        digester.ast = &ast;
        add_node(&digester, 0);
        sha256_end(digester.state, digest);
    }
    ast_finish(&ast);
    sha256_destroy(digester.state);
    return verdict->accepted;
}
