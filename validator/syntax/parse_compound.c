/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statements with blocks: the table of them, conditions and loops.
 */
#include "validator/syntax/parse.h"

#include <string.h>

#include "validator/limits.h"

/* Takes the ':' of a header. Where only it is missing before an indented block, that is said and
 * the block read all the same. */
static bool take_colon(struct parser *p)
{
    if (parse_take_op(p, ':'))
        return true;
    if (parse_token(p)->kind != TOKEN_NEWLINE || parse_token(p)[1].kind != TOKEN_INDENT)
        return parse_expected(p, "':'");
    parse_fail(p, parse_token(p)->start, "A ':' is missing at the end of this line.");
    p->quiet = false;
    return true;
}

/* ':' and a block, appended. */
bool parse_append_block(struct parser *p, struct siblings *parts, enum node_kind kind)
{
    uint32_t block = take_colon(p) ? parse_block(p, kind) : NODE_NONE;

    if (!block)
        return false;
    parse_append(p, parts, block);
    return true;
}

bool parse_append_part(struct parser *p, struct siblings *parts, uint32_t node)
{
    if (!node)
        return false;
    parse_append(p, parts, node);
    return true;
}

/* A clause of its own keyword, if it is here. False after an error. */
bool parse_append_clause(struct parser *p, struct siblings *parts, enum keyword keyword,
                         enum node_kind kind)
{
    return !parse_take_keyword(p, keyword) || parse_append_block(p, parts, kind);
}

static uint32_t parse_elif(struct parser *p)
{
    uint32_t node = parse_new(p, NODE_ELIF, parse_token(p)->start);
    struct siblings parts = {0};

    p->at++;
    if (!node || !parse_append_part(p, &parts, parse_named_expression(p)) ||
        !parse_append_block(p, &parts, NODE_BLOCK))
        return NODE_NONE;
    return parse_adopt(p, node, &parts);
}

static uint32_t parse_if(struct parser *p)
{
    uint32_t node = parse_new(p, NODE_IF, parse_token(p)->start);
    struct siblings parts = {0};
    unsigned elifs = 0;

    p->at++;
    if (!node || !parse_append_part(p, &parts, parse_named_expression(p)) ||
        !parse_append_block(p, &parts, NODE_BLOCK))
        return NODE_NONE;
    for (; parse_is_keyword(p, KEYWORD_ELIF); elifs++) {
        uint32_t elif = parse_elif(p);

        if (!parse_append_part(p, &parts, elif))
            return NODE_NONE;
        /* CPython nests each in the one before. */
        parse_node(p, elif)->height = (uint16_t)(parse_node(p, elif)->height + elifs + 1);
        if (elifs >= VALIDATOR_TREE_CAP)
            return parse_fail(p, parse_node(p, elif)->at,
                              "Too many branches. Look the value up in a dictionary.");
    }
    if (!parse_append_clause(p, &parts, KEYWORD_ELSE, NODE_ELSE))
        return NODE_NONE;
    return parse_adopt(p, node, &parts);
}

static uint32_t parse_while(struct parser *p)
{
    uint32_t node = parse_new(p, NODE_WHILE, parse_token(p)->start);
    struct siblings parts = {0};

    p->at++;
    if (!node || !parse_append_part(p, &parts, parse_named_expression(p)) ||
        !parse_append_block(p, &parts, NODE_BLOCK) ||
        !parse_append_clause(p, &parts, KEYWORD_ELSE, NODE_ELSE))
        return NODE_NONE;
    return parse_adopt(p, node, &parts);
}

static uint32_t parse_for(struct parser *p)
{
    uint32_t node = parse_new(p, NODE_FOR, parse_token(p)->start);
    struct siblings parts = {0};

    p->at++;
    if (!node || !parse_append_part(p, &parts, parse_star_targets(p)) ||
        !parse_expect_keyword(p, KEYWORD_IN, "'in', as in for NAME in VALUES:,") ||
        !parse_append_part(p, &parts, parse_star_expressions(p)) ||
        !parse_append_block(p, &parts, NODE_BLOCK) ||
        !parse_append_clause(p, &parts, KEYWORD_ELSE, NODE_ELSE))
        return NODE_NONE;
    return parse_adopt(p, node, &parts);
}

static uint32_t parse_async(struct parser *p)
{
    const struct token *next = parse_token(p) + 1;
    uint32_t node;

    if (next->kind == TOKEN_NAME && next->id == KEYWORD_DEF)
        return parse_undecorated(p);
    p->at++;
    if (parse_is_keyword(p, KEYWORD_FOR))
        node = parse_for(p);
    else if (parse_is_keyword(p, KEYWORD_WITH))
        node = parse_with(p);
    else
        return parse_expected(p, "def, for or with behind 'async'");
    if (node)
        parse_node(p, node)->flags |= NODE_ASYNC;
    return node;
}

typedef uint32_t compound_rule(struct parser *p);

static compound_rule *const rules[KEYWORD_YIELD + 1] = {
    [KEYWORD_ASYNC] = parse_async,     [KEYWORD_CLASS] = parse_undecorated,
    [KEYWORD_DEF] = parse_undecorated, [KEYWORD_FOR] = parse_for,
    [KEYWORD_IF] = parse_if,           [KEYWORD_TRY] = parse_try,
    [KEYWORD_WHILE] = parse_while,     [KEYWORD_WITH] = parse_with,
};

/* `match` is a keyword only at the start of a line that ends in ':' and has a block behind it. */
static bool at_match(const struct parser *p)
{
    const struct token *token = parse_token(p);

    if (token->kind != TOKEN_NAME || token->id != KEYWORD_NONE || token->length != 5 ||
        memcmp(p->ast->source + token->start, "match", 5) != 0)
        return false;
    while (token->kind != TOKEN_NEWLINE && token->kind != TOKEN_END && token->kind != TOKEN_ERROR)
        token++;
    return token->kind == TOKEN_NEWLINE && token[-1].kind == TOKEN_OP && token[-1].id == ':' &&
           token[1].kind == TOKEN_INDENT;
}

bool parse_is_compound(const struct parser *p)
{
    const struct token *token = parse_token(p);

    if (token->kind == TOKEN_OP)
        return token->id == '@';
    return token->kind == TOKEN_NAME && (rules[token->id] || at_match(p));
}

uint32_t parse_compound(struct parser *p)
{
    const struct token *token = parse_token(p);

    if (token->kind == TOKEN_OP)
        return parse_decorated(p);
    return rules[token->id] ? rules[token->id](p) : parse_match(p);
}
