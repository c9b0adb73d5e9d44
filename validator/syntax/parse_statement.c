/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sequences of statements and the blocks that hold them. Here the reading is taken up again after
 * a statement that is no Python, so that all problems of a program are reported at once.
 */
#include "validator/syntax/parse_internal.h"

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
    uint32_t at = p->tokens[start].start, node, first, block;
    struct siblings parts = {0};

    if (p->ast->failed || p->ast->symbols.crowded)
        return false;
    skip_line(p);
    p->quiet = false;
    if (parse_token(p)->kind != TOKEN_INDENT) {
        node = parse_new(p, NODE_BROKEN, at);
        parse_append(p, to, node);
        return node;
    }
    p->at--; /* the block begins with the line's end */
    node = parse_new(p, kind, at);
    first = node ? placeholder(p, kind, at) : NODE_NONE;
    if (first)
        parse_append(p, &parts, first);
    block = node ? parse_block(p, NODE_BLOCK) : NODE_NONE;
    if (!block)
        return false;
    parse_append(p, &parts, block);
    parse_append(p, to, parse_adopt(p, node, &parts));
    return to->last;
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
    uint32_t node;

    if (parse_token(p)->kind == TOKEN_INDENT) {
        parse_fail(p, parse_token(p)->start, "%s", indented(p));
        return false;
    }
    if (!parse_is_compound(p))
        return parse_simple_line(p, to);
    node = parse_compound(p);
    if (!node)
        return false;
    parse_append(p, to, node);
    return true;
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

bool parse_statements(struct parser *p, struct siblings *to, bool in_block)
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
    uint32_t node = parse_new(p, kind, parse_token(p)->start);
    struct siblings statements = {0};

    if (!node)
        return NODE_NONE;
    if (parse_token(p)->kind != TOKEN_NEWLINE) {
        if (!parse_simple_line(p, &statements))
            return NODE_NONE;
        return parse_adopt(p, node, &statements);
    }
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
    return parse_adopt(p, node, &statements);
}
