/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statements of one line.
 */
#include "validator/syntax/parse.h"

/* Makes the siblings children of a new node. */
static uint32_t finish(struct parser *p, enum node_kind kind, uint32_t at,
                       const struct siblings *parts)
{
    uint32_t node = parse_new(p, kind, at);

    return node ? parse_adopt(p, node, parts) : NODE_NONE;
}

static bool ends_statement(const struct parser *p)
{
    return parse_token(p)->kind == TOKEN_NEWLINE || parse_is_op(p, ';');
}

static uint32_t parse_augmented(struct parser *p, uint32_t target)
{
    struct siblings parts = {target, target};
    uint8_t op = parse_token(p)->id;
    uint32_t value, node;

    if (!parse_is_single_target(p, target))
        return parse_fail(p, parse_node(p, target)->at,
                          "Only a name, an item or an attribute can be changed in place. Write "
                          "x = x + 1 for each.");
    parse_make_target(p, target, CONTEXT_STORE);
    p->at++;
    value = parse_yield_or_stars(p);
    if (!value)
        return NODE_NONE;
    parse_append(p, &parts, value);
    node = finish(p, NODE_AUGMENTED, parse_node(p, target)->at, &parts);
    if (node)
        parse_node(p, node)->op = op;
    return node;
}

/* `(x).y: int` is refused, `(x()).y: int` is not: once CPython's grammar has read a target in
 * brackets at the start of the statement, it takes nothing behind them but the ':'. */
static bool begins_with_target_in_brackets(struct parser *p, uint32_t target)
{
    const struct node *node = parse_node(p, target);

    while (node->kind == NODE_ATTRIBUTE || node->kind == NODE_SUBSCRIPT ||
           node->kind == NODE_CALL) {
        node = parse_node(p, node->child);
        if (node->flags & NODE_PARENTHESIZED)
            return node->kind == NODE_NAME || node->kind == NODE_ATTRIBUTE ||
                   node->kind == NODE_SUBSCRIPT;
    }
    return false;
}

static uint32_t parse_annotated(struct parser *p, uint32_t target)
{
    struct siblings parts = {target, target};
    uint32_t part, node;

    if (!parse_is_single_target(p, target))
        return parse_expected(p, "the end of the line");
    if (!(parse_node(p, target)->flags & NODE_PARENTHESIZED) &&
        begins_with_target_in_brackets(p, target))
        return parse_fail(p, parse_node(p, target)->at,
                          "Python takes no annotation of this target. Leave out the brackets.");
    parse_make_target(p, target, CONTEXT_STORE);
    p->at++;
    part = parse_expression(p);
    if (!part)
        return NODE_NONE;
    parse_append(p, &parts, part);
    if (parse_take_op(p, '=')) {
        part = parse_yield_or_stars(p);
        if (!part)
            return NODE_NONE;
        parse_append(p, &parts, part);
    }
    node = finish(p, NODE_ANNOTATED, parse_node(p, target)->at, &parts);
    if (node)
        parse_node(p, node)->flags |= parse_node(p, target)->flags & NODE_PARENTHESIZED;
    return node;
}

static uint32_t parse_assignment(struct parser *p, uint32_t first)
{
    struct siblings parts = {first, first};
    uint32_t node = first;

    while (parse_take_op(p, '=')) {
        if (parse_node(p, node)->kind == NODE_YIELD ||
            parse_node(p, node)->kind == NODE_YIELD_FROM ||
            !parse_make_target(p, node, CONTEXT_STORE))
            return parse_fail(p, parse_node(p, node)->at,
                              "Nothing can be assigned to a yield expression.");
        node = parse_yield_or_stars(p);
        if (!node)
            return NODE_NONE;
        parse_append(p, &parts, node);
    }
    return finish(p, NODE_ASSIGN, parse_node(p, first)->at, &parts);
}

static uint32_t parse_expression_statement(struct parser *p)
{
    uint32_t node = parse_star_expressions(p);
    const struct token *token = parse_token(p);

    if (!node)
        return NODE_NONE;
    if (token->kind == TOKEN_OP) {
        if (token->id == '=')
            return parse_assignment(p, node);
        if (token->id == ':')
            return parse_annotated(p, node);
        if (token->id >= OP_ASSIGN_FIRST && token->id <= OP_ASSIGN_LAST)
            return parse_augmented(p, node);
    }
    return parse_wrap(p, NODE_EXPRESSION, parse_node(p, node)->at, node);
}

static uint32_t parse_yield_statement(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node = parse_yield(p);

    return node ? parse_wrap(p, NODE_EXPRESSION, start, node) : NODE_NONE;
}

static uint32_t parse_return(struct parser *p)
{
    uint32_t start = parse_token(p)->start, value;

    p->at++;
    if (ends_statement(p))
        return parse_new(p, NODE_RETURN, start);
    value = parse_star_expressions(p);
    return value ? parse_wrap(p, NODE_RETURN, start, value) : NODE_NONE;
}

static uint32_t parse_word(struct parser *p)
{
    const struct token *token = parse_token(p);
    enum node_kind kind = token->id == KEYWORD_PASS    ? NODE_PASS
                          : token->id == KEYWORD_BREAK ? NODE_BREAK
                                                       : NODE_CONTINUE;

    p->at++;
    return parse_new(p, kind, token->start);
}

/* A keyword, an expression, and perhaps a second one behind `,` or a word. */
static uint32_t parse_pair(struct parser *p, enum node_kind kind, bool comma)
{
    uint32_t start = parse_token(p)->start, part;
    struct siblings parts = {0};

    p->at++;
    part = parse_expression(p);
    if (!part)
        return NODE_NONE;
    parse_append(p, &parts, part);
    if (comma ? parse_take_op(p, ',') : parse_take_keyword(p, KEYWORD_FROM)) {
        part = parse_expression(p);
        if (!part)
            return NODE_NONE;
        parse_append(p, &parts, part);
    }
    return finish(p, kind, start, &parts);
}

static uint32_t parse_assert(struct parser *p)
{
    return parse_pair(p, NODE_ASSERT, true);
}

static uint32_t parse_raise(struct parser *p)
{
    uint32_t start = parse_token(p)->start;

    if (parse_token(p)[1].kind != TOKEN_NEWLINE &&
        !(parse_token(p)[1].kind == TOKEN_OP && parse_token(p)[1].id == ';'))
        return parse_pair(p, NODE_RAISE, false);
    p->at++;
    return parse_new(p, NODE_RAISE, start);
}

static uint32_t parse_delete(struct parser *p)
{
    uint32_t start = parse_token(p)->start, target;
    struct siblings targets = {0};

    p->at++;
    do {
        target = parse_primary(p);
        if (!target || !parse_make_target(p, target, CONTEXT_DELETE))
            return NODE_NONE;
        parse_append(p, &targets, target);
    } while (parse_take_op(p, ',') && !ends_statement(p));
    return finish(p, NODE_DELETE, start, &targets);
}

static uint32_t parse_names(struct parser *p)
{
    const struct token *token = parse_token(p);
    enum node_kind kind = token->id == KEYWORD_GLOBAL ? NODE_GLOBAL : NODE_NONLOCAL;
    uint32_t start = token->start, name;
    struct siblings names = {0};

    do {
        p->at++;
        if (!parse_is_name(p))
            return parse_expected(p, "a name");
        name = parse_new_named(p, NODE_BINDING);
        if (!name)
            return NODE_NONE;
        parse_append(p, &names, name);
    } while (parse_is_op(p, ','));
    return finish(p, kind, start, &names);
}

typedef uint32_t statement_rule(struct parser *p);

static statement_rule *const rules[KEYWORD_YIELD + 1] = {
    [KEYWORD_ASSERT] = parse_assert,    [KEYWORD_BREAK] = parse_word,
    [KEYWORD_CONTINUE] = parse_word,    [KEYWORD_DEL] = parse_delete,
    [KEYWORD_FROM] = parse_import_from, [KEYWORD_GLOBAL] = parse_names,
    [KEYWORD_IMPORT] = parse_import,    [KEYWORD_NONLOCAL] = parse_names,
    [KEYWORD_PASS] = parse_word,        [KEYWORD_RAISE] = parse_raise,
    [KEYWORD_RETURN] = parse_return,    [KEYWORD_YIELD] = parse_yield_statement,
};

uint32_t parse_simple(struct parser *p)
{
    const struct token *token = parse_token(p);

    if (token->kind == TOKEN_NAME && rules[token->id])
        return rules[token->id](p);
    return parse_expression_statement(p);
}

/* simple_stmts: statements with ';' between them, up to the end of the line. */
bool parse_simple_line(struct parser *p, struct siblings *to)
{
    do {
        uint32_t node = parse_simple(p);

        if (!node)
            return false;
        parse_append(p, to, node);
    } while (parse_take_op(p, ';') && parse_token(p)->kind != TOKEN_NEWLINE);
    if (parse_token(p)->kind == TOKEN_NEWLINE) {
        p->at++;
        return true;
    }
    parse_expected(p, "the end of the line");
    return false;
}
