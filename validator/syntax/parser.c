/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a text to a tree: the tokens and nodes that all rules use, then sequences of statements.
 */
#include "validator/syntax/parse_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validator/limits.h"

/* First guesses, so that ordinary programs need no second allocation: a token for three bytes, a
 * node for five. */
#define FIRST_TOKENS(len) ((uint32_t)((len) / 3 + 64))
#define FIRST_NODES(len)  ((uint32_t)((len) / 5 + 64))

/* Marks and characters that mostly stand in many places are reported once. */
static bool is_reported(const struct parser *p, const char *text)
{
    if (strncmp(text, "The character", 13) != 0 && strncmp(text, "'`'", 3) != 0)
        return false;
    for (uint32_t i = 0; i < p->error_count; i++)
        if (strcmp(p->errors[i].text, text) == 0)
            return true;
    return false;
}

static bool is_last(const struct verdict *verdict, const char *text)
{
    size_t count = verdict->diagnostic_count;

    return count > 0 && strcmp(verdict->diagnostics[count - 1].text, text) == 0;
}

void parse_report_unreadable(struct parser *p, size_t at, const char *text,
                             const struct tokenizer_edit *edits, unsigned edit_count)
{
    report_add(p->report, "syntax", at, "%s", text);
    for (unsigned i = 0; i < edit_count; i++)
        report_correct(p->report, edits[i].at, edits[i].len, "%s", edits[i].with);
}

/* Behind a TOKEN_ERROR: whether there is more to read. What was wrong is kept until the reading
 * comes there; an indentation is reported at once, and its token dropped. */
static bool go_on(struct parser *p, struct tokenizer *t)
{
    struct unreadable *error = &p->errors[p->error_count];

    if (p->error_count == VALIDATOR_DIAGNOSTICS_CAP || t->lost || t->field)
        return false;
    p->ast->broken = true;
    if (t->in_place) {
        if (!is_last(p->report->verdict, t->error)) /* the lines of one block */
            report_add(p->report, "syntax", t->error_at, "%s", t->error);
        p->count--;
    } else {
        error->token = p->count - 1;
        error->at = t->error_at;
        memcpy(error->edits, t->edits, sizeof error->edits);
        error->edit_count = t->edit_count;
        snprintf(error->text, sizeof error->text, "%s", is_reported(p, t->error) ? "" : t->error);
        p->error_count++;
    }
    return tokenizer_resume(t);
}

/* Up to TOKEN_END or the last TOKEN_ERROR, which is kept as well. */
bool parse_add_tokens(struct parser *p, struct tokenizer *tokenizer)
{
    enum token_kind kind;

    do {
        struct token *token;

        if (!ast_grow((void **)&p->tokens, p->count, &p->size, sizeof *p->tokens,
                      FIRST_TOKENS(p->ast->len))) {
            p->ast->failed = true;
            return false;
        }
        token = &p->tokens[p->count++];
        *token = (struct token){0};
        kind = tokenizer_common(tokenizer, token) ? token->kind : tokenizer_next(tokenizer, token);
    } while (kind != TOKEN_END && (kind != TOKEN_ERROR || go_on(p, tokenizer)));
    return true;
}

uint32_t parse_new(struct parser *p, enum node_kind kind, uint32_t at)
{
    struct ast *ast = p->ast;

    if (!ast_grow((void **)&ast->nodes, ast->count, &ast->size, sizeof *ast->nodes,
                  FIRST_NODES(ast->len))) {
        ast->failed = true;
        return NODE_NONE;
    }
    ast->nodes[ast->count] = (struct node){.kind = (uint8_t)kind, .at = at};
    return ast->count++;
}

bool parse_is_text(const struct parser *p, const char *text)
{
    const struct token *token = parse_token(p);

    return token->kind == TOKEN_NAME && token->id == KEYWORD_NONE &&
           token->length == strlen(text) &&
           memcmp(p->ast->source + token->start, text, token->length) == 0;
}

uint32_t parse_symbol(struct parser *p)
{
    const struct token *token = parse_token(p);

    p->at++;
    return symbols_add(&p->ast->symbols, token->start, token->length,
                       token->flags & TOKEN_NON_ASCII);
}

uint32_t parse_new_named(struct parser *p, enum node_kind kind)
{
    uint32_t node = parse_new(p, kind, parse_token(p)->start);

    if (node == NODE_NONE)
        return NODE_NONE;
    parse_node(p, node)->name = parse_symbol(p);
    return parse_node(p, node)->name == SYMBOL_NONE ? NODE_NONE : node;
}

bool parse_append(struct parser *p, struct siblings *siblings, uint32_t node)
{
    if (!node)
        return false;
    if (siblings->first == NODE_NONE)
        siblings->first = node;
    else
        parse_node(p, siblings->last)->next = node;
    siblings->last = node;
    return true;
}

/* What CPython's tree has no node for adds no level: the caps are compared with its. */
static bool is_level(enum node_kind kind)
{
    return kind != NODE_BLOCK && kind != NODE_ELSE && kind != NODE_FINALLY &&
           kind != NODE_DECORATOR && kind != NODE_ELIF;
}

uint32_t parse_adopt(struct parser *p, uint32_t parent, const struct siblings *siblings)
{
    struct node *node = parse_node(p, parent);
    unsigned height = 0, level = is_level(node->kind);

    for (uint32_t child = siblings->first; child; child = parse_node(p, child)->next)
        if (parse_node(p, child)->height + level > height)
            height = parse_node(p, child)->height + level;
    node->child = siblings->first;
    node->height = (uint16_t)height;
    if (height > VALIDATOR_TREE_CAP)
        return parse_fail(p, node->at,
                          "This nests too deeply. Work the value out in steps, with a "
                          "variable for each.");
    return parent;
}

uint32_t parse_finish(struct parser *p, enum node_kind kind, uint32_t at,
                      const struct siblings *children)
{
    uint32_t node = parse_new(p, kind, at);

    return node ? parse_adopt(p, node, children) : NODE_NONE;
}

uint32_t parse_wrap(struct parser *p, enum node_kind kind, uint32_t at, uint32_t child)
{
    return child ? parse_finish(p, kind, at, &(struct siblings){child, child}) : NODE_NONE;
}

bool parse_enter(struct parser *p)
{
    if (p->depth >= VALIDATOR_TREE_CAP)
        return parse_fail(p, parse_token(p)->start,
                          "Too many operators in a row. Work the value out in steps.");
    p->depth++;
    return true;
}

bool parse_expect_op(struct parser *p, unsigned op, const char *what)
{
    if (parse_take_op(p, op))
        return true;
    return parse_expected(p, what);
}

bool parse_expect_keyword(struct parser *p, enum keyword keyword, const char *what)
{
    if (parse_take_keyword(p, keyword))
        return true;
    return parse_expected(p, what);
}

/* ---- statements and the blocks that hold them. After one that is no Python the reading is taken
 * up again, so that all problems of a program are reported at once. ---- */

static bool parse_statements(struct parser *p, struct siblings *to, bool in_block);

/* Behind the end of this logical line. */
static void skip_line(struct parser *p)
{
    while (parse_token(p)->kind != TOKEN_NEWLINE && !parse_is_end(p))
        p->at++;
    if (parse_token(p)->kind == TOKEN_NEWLINE)
        p->at++;
}

/* The kind of statement whose block is read although its header is broken: what stands in the
 * block is then checked in the right scope. */
static enum node_kind broken_kind(const struct token *token)
{
    enum keyword keyword = token->id == KEYWORD_ASYNC ? token[1].id : token->id;

    if (token->kind != TOKEN_NAME)
        return NODE_IF;
    if (keyword == KEYWORD_DEF)
        return NODE_FUNCTION;
    if (keyword == KEYWORD_CLASS)
        return NODE_CLASS;
    return keyword == KEYWORD_FOR || keyword == KEYWORD_WHILE ? NODE_WHILE : NODE_IF;
}

/* What the node of a broken header has before its block. */
static uint32_t placeholder(struct parser *p, enum node_kind kind, uint32_t at)
{
    if (kind == NODE_FUNCTION)
        return parse_new(p, NODE_PARAMETERS, at);
    return kind == NODE_CLASS ? NODE_NONE : parse_new(p, NODE_NUMBER, at);
}

/* Goes on behind a statement that began at token `start` and could not be read. */
static bool recover(struct parser *p, uint32_t start, struct siblings *to)
{
    enum node_kind kind = broken_kind(&p->tokens[start]);
    uint32_t at = p->tokens[start].start;
    struct siblings parts = {0};

    if (p->ast->failed || p->ast->symbols.crowded)
        return false;
    skip_line(p);
    p->quiet = false;
    if (parse_token(p)->kind != TOKEN_INDENT)
        return parse_append(p, to, parse_new(p, NODE_BROKEN, at));
    p->at--; /* the block begins with the line's end */
    parse_append(p, &parts, placeholder(p, kind, at));
    return parse_append(p, &parts, parse_block(p, NODE_BLOCK)) &&
           parse_append(p, to, parse_finish(p, kind, at, &parts));
}

/* Clauses that can only go on a statement before them. */
static bool is_clause(const struct parser *p)
{
    const struct token *token = parse_token(p);

    return token->kind == TOKEN_NAME &&
           (token->id == KEYWORD_ELIF || token->id == KEYWORD_ELSE || token->id == KEYWORD_EXCEPT ||
            token->id == KEYWORD_FINALLY);
}

/* What is wrong with the indentation here, which nothing asked for. */
static const char *indented(const struct parser *p)
{
    const struct token *next = parse_token(p) + 1;

    if (p->at == 0)
        return "The first line is indented. Begin it, and all lines of its level, without blanks.";
    if (next->kind == TOKEN_OP && next->id == '.')
        return "A line cannot begin with '.'. Put the whole chain in brackets: x = (df.head() and "
               "the next lines).";
    return "This line is indented more than the one before, which opens no block. Indent both "
           "alike.";
}

static bool parse_statement(struct parser *p, struct siblings *to)
{
    if (parse_token(p)->kind == TOKEN_INDENT)
        return parse_fail(p, parse_token(p)->start, "%s", indented(p));
    return parse_is_compound(p) ? parse_append(p, to, parse_compound(p)) : parse_simple_line(p, to);
}

/* An indented block that nothing opened. It is read, so that its own problems show. */
static bool parse_stray_block(struct parser *p, struct siblings *to)
{
    p->at++;
    p->quiet = false;
    if (!parse_statements(p, to, true))
        return false;
    p->at += parse_token(p)->kind == TOKEN_DEDENT;
    return true;
}

static bool parse_statements(struct parser *p, struct siblings *to, bool in_block)
{
    bool broken = false; /* the statement before this one was */

    for (;;) {
        const struct token *token = parse_token(p);
        uint32_t start = p->at;

        if (parse_is_end(p))
            return true;
        if (token->kind == TOKEN_DEDENT) {
            if (in_block)
                return true;
            p->at++;
            continue;
        }
        p->quiet = broken && is_clause(p);
        if (parse_statement(p, to)) {
            broken = false;
            continue;
        }
        broken = true;
        if (p->tokens[start].kind == TOKEN_INDENT) {
            if (!parse_stray_block(p, to))
                return false;
        } else if (!recover(p, start, to)) {
            return false;
        }
    }
}

uint32_t parse_block(struct parser *p, enum node_kind kind)
{
    uint32_t start = parse_token(p)->start;
    struct siblings statements = {0};

    if (parse_token(p)->kind != TOKEN_NEWLINE)
        return parse_simple_line(p, &statements) ? parse_finish(p, kind, start, &statements)
                                                 : NODE_NONE;
    if (parse_token(p)[1].kind == TOKEN_ERROR && p->at + 1 < p->last) {
        parse_leave_unreported(p, p->tokens[p->at - 1].start);
        return NODE_NONE;
    }
    if (parse_token(p)[1].kind != TOKEN_INDENT)
        return parse_fail(p, p->tokens[p->at - 1].start,
                          "Behind this ':' an indented block must follow. Indent the next lines by "
                          "four spaces, or write pass; a comment alone is not a block.");
    p->at += 2;
    if (!parse_statements(p, &statements, true))
        return NODE_NONE;
    p->at += parse_token(p)->kind == TOKEN_DEDENT;
    return parse_finish(p, kind, start, &statements);
}

/* ---- the whole ---- */

static void read_program(struct parser *p, struct tokenizer *tokenizer)
{
    struct siblings statements = {0};
    uint32_t module = parse_new(p, NODE_MODULE, 0);

    if (p->ast->failed || !parse_add_tokens(p, tokenizer))
        return;
    p->last = p->count - 1;
    if (p->tokens[p->last].kind == TOKEN_ERROR) {
        p->ast->broken = true;
        p->unreadable = tokenizer->error_at;
        parse_report_unreadable(p, tokenizer->error_at, tokenizer->error, tokenizer->edits,
                                tokenizer->edit_count);
    }
    parse_statements(p, &statements, false);
    parse_adopt(p, module, &statements);
}

void parser_parse(struct ast *ast, struct report *report)
{
    struct parser parser;
    struct tokenizer tokenizer;

    memset(&parser, 0, offsetof(struct parser, errors)); /* the errors are not read before set */
    parser.ast = ast;
    parser.report = report;
    parser.unreadable = SIZE_MAX;
    parser.error_count = 0;
    parser.quiet = false;

    buf_init(&parser.value, VALIDATOR_PARSE_CAP * 4);
    tokenizer_init(&tokenizer, ast->source, ast->len);
    read_program(&parser, &tokenizer);
    free(parser.tokens);
    buf_finish(&parser.value);
    ast->failed = ast->failed || ast->symbols.failed;
    if (ast->symbols.crowded) {
        ast->broken = true;
        report_add_whole(report, "limit", "The names of this program are too alike. Rename them.");
    }
}
