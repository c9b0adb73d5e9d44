/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Operators, from lambda down to the operand of a power, by precedence.
 */
#include "validator/syntax/parse.h"

enum precedence {
    PRECEDENCE_NONE,
    PRECEDENCE_OR,
    PRECEDENCE_AND,
    PRECEDENCE_NOT,
    PRECEDENCE_COMPARE,
    PRECEDENCE_BIT_OR,
    PRECEDENCE_BIT_XOR,
    PRECEDENCE_BIT_AND,
    PRECEDENCE_SHIFT,
    PRECEDENCE_SUM,
    PRECEDENCE_TERM,
    PRECEDENCE_FACTOR,
};

static const uint8_t op_precedence[256] = {
    ['<'] = PRECEDENCE_COMPARE,
    ['>'] = PRECEDENCE_COMPARE,
    [OP_EQUAL] = PRECEDENCE_COMPARE,
    [OP_NOT_EQUAL] = PRECEDENCE_COMPARE,
    [OP_LESS_EQUAL] = PRECEDENCE_COMPARE,
    [OP_GREATER_EQUAL] = PRECEDENCE_COMPARE,
    ['|'] = PRECEDENCE_BIT_OR,
    ['^'] = PRECEDENCE_BIT_XOR,
    ['&'] = PRECEDENCE_BIT_AND,
    [OP_SHIFT_LEFT] = PRECEDENCE_SHIFT,
    [OP_SHIFT_RIGHT] = PRECEDENCE_SHIFT,
    ['+'] = PRECEDENCE_SUM,
    ['-'] = PRECEDENCE_SUM,
    ['*'] = PRECEDENCE_TERM,
    ['/'] = PRECEDENCE_TERM,
    ['%'] = PRECEDENCE_TERM,
    ['@'] = PRECEDENCE_TERM,
    [OP_FLOOR_DIVIDE] = PRECEDENCE_TERM,
};

static const uint8_t keyword_precedence[KEYWORD_YIELD + 1] = {
    [KEYWORD_OR] = PRECEDENCE_OR,
    [KEYWORD_AND] = PRECEDENCE_AND,
    [KEYWORD_IN] = PRECEDENCE_COMPARE,
    [KEYWORD_IS] = PRECEDENCE_COMPARE,
};

/* How tightly the operator at this place binds; NONE where there is none. */
static unsigned precedence_here(const struct parser *p)
{
    const struct token *token = parse_token(p);

    if (token->kind == TOKEN_OP)
        return op_precedence[token->id];
    if (token->kind != TOKEN_NAME)
        return PRECEDENCE_NONE;
    if (token->id == KEYWORD_NOT) /* not in */
        return token[1].kind == TOKEN_NAME && token[1].id == KEYWORD_IN ? PRECEDENCE_COMPARE
                                                                        : PRECEDENCE_NONE;
    return keyword_precedence[token->id];
}

static uint32_t parse_operators(struct parser *p, unsigned lowest);

/* power: await_primary ['**' factor] */
static uint32_t parse_power(struct parser *p)
{
    uint32_t start = parse_token(p)->start;
    bool awaits = parse_take_keyword(p, KEYWORD_AWAIT);
    uint32_t base = parse_primary(p);
    struct siblings operands = {base, base};
    uint32_t node;

    if (base && awaits)
        base = operands.first = operands.last = parse_wrap(p, NODE_AWAIT, start, base);
    if (!base || !parse_is_op(p, OP_POWER))
        return base;
    node = parse_new(p, NODE_BINARY, parse_token(p)->start);
    p->at++;
    if (!node || !parse_enter(p))
        return NODE_NONE;
    parse_append(p, &operands, parse_operators(p, PRECEDENCE_FACTOR));
    parse_leave(p);
    if (!operands.last)
        return NODE_NONE;
    parse_node(p, node)->op = OP_POWER;
    return parse_adopt(p, node, &operands);
}

static uint32_t parse_prefix(struct parser *p, unsigned op, unsigned operand_precedence)
{
    uint32_t start = parse_token(p)->start, operand, node;

    p->at++;
    if (!parse_enter(p))
        return NODE_NONE;
    operand = parse_operators(p, operand_precedence);
    parse_leave(p);
    if (!operand || !(node = parse_wrap(p, NODE_UNARY, start, operand)))
        return NODE_NONE;
    parse_node(p, node)->op = (uint8_t)op;
    return node;
}

/* Takes `in`, `not in`, `is`, `is not` or a sign. */
static void take_comparison(struct parser *p, struct node *node, bool first)
{
    const struct token *token = parse_token(p);

    if (first) {
        node->op = token->id;
        node->flags |= token->kind == TOKEN_NAME ? NODE_WORD : 0;
    }
    p->at++;
    if (token->kind == TOKEN_NAME && token->id == KEYWORD_NOT)
        p->at++;
    else if (token->kind == TOKEN_NAME && token->id == KEYWORD_IS)
        parse_take_keyword(p, KEYWORD_NOT);
}

/* a < b < c, and a or b or c: one node with all operands. */
static uint32_t parse_chain(struct parser *p, uint32_t left, unsigned precedence)
{
    struct siblings operands = {left, left};
    bool compares = precedence == PRECEDENCE_COMPARE, first = true;
    uint32_t node = parse_new(p, compares ? NODE_COMPARE : NODE_BOOLEAN, parse_token(p)->start);
    uint32_t operand;

    if (!node)
        return NODE_NONE;
    parse_node(p, node)->op = parse_token(p)->id;
    for (; precedence_here(p) == precedence; first = false) {
        if (compares)
            take_comparison(p, parse_node(p, node), first);
        else
            p->at++;
        operand = parse_operators(p, precedence + 1);
        if (!operand)
            return NODE_NONE;
        parse_append(p, &operands, operand);
    }
    return parse_adopt(p, node, &operands);
}

static uint32_t parse_binary(struct parser *p, uint32_t left, unsigned precedence)
{
    struct siblings operands = {left, left};
    uint32_t node = parse_new(p, NODE_BINARY, parse_token(p)->start), right;

    if (!node)
        return NODE_NONE;
    parse_node(p, node)->op = parse_token(p)->id;
    p->at++;
    right = parse_operators(p, precedence + 1);
    if (!right)
        return NODE_NONE;
    parse_append(p, &operands, right);
    return parse_adopt(p, node, &operands);
}

/* An expression of operators that bind at least as tightly as `lowest`. */
static uint32_t parse_operators(struct parser *p, unsigned lowest)
{
    const struct token *token = parse_token(p);
    unsigned precedence, tightest = PRECEDENCE_TERM;
    uint32_t left;

    if (token->kind == TOKEN_OP && (token->id == '-' || token->id == '+' || token->id == '~')) {
        left = parse_prefix(p, token->id, PRECEDENCE_FACTOR);
    } else if (token->kind == TOKEN_NAME && token->id == KEYWORD_NOT && lowest <= PRECEDENCE_NOT) {
        left = parse_prefix(p, KEYWORD_NOT, PRECEDENCE_NOT);
        tightest = PRECEDENCE_AND;
    } else {
        left = parse_power(p);
    }
    while (left && (precedence = precedence_here(p)) >= lowest && precedence != PRECEDENCE_NONE &&
           precedence <= tightest) {
        bool chains = precedence == PRECEDENCE_COMPARE || precedence <= PRECEDENCE_AND;

        left = chains ? parse_chain(p, left, precedence) : parse_binary(p, left, precedence);
    }
    return left;
}

uint32_t parse_disjunction(struct parser *p)
{
    return parse_operators(p, PRECEDENCE_OR);
}

uint32_t parse_bitwise_or(struct parser *p)
{
    return parse_operators(p, PRECEDENCE_BIT_OR);
}

static uint32_t parse_lambda(struct parser *p)
{
    uint32_t node = parse_new(p, NODE_LAMBDA, parse_token(p)->start), body;
    struct siblings parts = {0};

    p->at++;
    if (!node)
        return NODE_NONE;
    parse_append(p, &parts, parse_parameters(p, ':', true));
    if (!parts.last || !parse_expect_op(p, ':', "':' behind the lambda's parameters"))
        return NODE_NONE;
    body = parse_expression(p);
    if (!body)
        return NODE_NONE;
    parse_append(p, &parts, body);
    return parse_adopt(p, node, &parts);
}

/* Behind `value if`. */
static uint32_t parse_conditional(struct parser *p, uint32_t value)
{
    uint32_t node = parse_new(p, NODE_CONDITIONAL, parse_node(p, value)->at), part;
    struct siblings parts = {value, value};

    if (!node || !(part = parse_disjunction(p)))
        return NODE_NONE;
    parse_append(p, &parts, part);
    if (!parse_expect_keyword(p, KEYWORD_ELSE, "'else', as in A if CONDITION else B,") ||
        !(part = parse_expression(p)))
        return NODE_NONE;
    parse_append(p, &parts, part);
    return parse_adopt(p, node, &parts);
}

uint32_t parse_expression(struct parser *p)
{
    uint32_t node;

    if (!parse_enter(p))
        return NODE_NONE;
    if (parse_is_keyword(p, KEYWORD_LAMBDA)) {
        node = parse_lambda(p);
    } else {
        node = parse_disjunction(p);
        if (node && parse_take_keyword(p, KEYWORD_IF))
            node = parse_conditional(p, node);
    }
    parse_leave(p);
    return node;
}

uint32_t parse_named_expression(struct parser *p)
{
    struct siblings parts = {0};
    uint32_t node, value;

    if (!parse_is_name(p) || !parse_next_is_op(p, OP_WALRUS))
        return parse_expression(p);
    node = parse_new(p, NODE_WALRUS, parse_token(p)->start);
    parse_append(p, &parts, node ? parse_new_named(p, NODE_NAME) : NODE_NONE);
    if (!parts.last)
        return NODE_NONE;
    parse_node(p, parts.last)->op = CONTEXT_STORE;
    p->at++;
    value = parse_expression(p);
    if (!value)
        return NODE_NONE;
    parse_append(p, &parts, value);
    return parse_adopt(p, node, &parts);
}

static uint32_t parse_star_expression(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node;

    if (!parse_take_op(p, '*'))
        return parse_expression(p);
    node = parse_bitwise_or(p);
    return node ? parse_wrap(p, NODE_STARRED, start, node) : NODE_NONE;
}

/* Whether the list of expressions has ended behind a comma: only what can begin one goes on. */
static bool ends_list(const struct parser *p)
{
    const struct token *token = parse_token(p);

    if (token->kind == TOKEN_NAME)
        return token->id != KEYWORD_NONE && token->id != KEYWORD_NONE_VALUE &&
               token->id != KEYWORD_TRUE && token->id != KEYWORD_FALSE &&
               token->id != KEYWORD_NOT && token->id != KEYWORD_LAMBDA &&
               token->id != KEYWORD_AWAIT;
    if (token->kind == TOKEN_OP)
        return token->id != '(' && token->id != '[' && token->id != '{' && token->id != '-' &&
               token->id != '+' && token->id != '~' && token->id != '*' && token->id != OP_ELLIPSIS;
    return token->kind != TOKEN_NUMBER && token->kind != TOKEN_STRING;
}

uint32_t parse_star_expressions(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node = parse_star_expression(p);
    struct siblings elements = {node, node};

    if (!node || !parse_is_op(p, ','))
        return node;
    while (parse_take_op(p, ',') && !ends_list(p)) {
        node = parse_star_expression(p);
        if (!node)
            return NODE_NONE;
        parse_append(p, &elements, node);
    }
    node = parse_new(p, NODE_TUPLE, start);
    return node ? parse_adopt(p, node, &elements) : NODE_NONE;
}

uint32_t parse_yield(struct parser *p)
{
    uint32_t start = parse_token(p)->start, value;

    p->at++;
    if (parse_take_keyword(p, KEYWORD_FROM)) {
        value = parse_expression(p);
        return value ? parse_wrap(p, NODE_YIELD_FROM, start, value) : NODE_NONE;
    }
    if (ends_list(p))
        return parse_new(p, NODE_YIELD, start);
    value = parse_star_expressions(p);
    return value ? parse_wrap(p, NODE_YIELD, start, value) : NODE_NONE;
}

uint32_t parse_yield_or_stars(struct parser *p)
{
    return parse_is_keyword(p, KEYWORD_YIELD) ? parse_yield(p) : parse_star_expressions(p);
}
