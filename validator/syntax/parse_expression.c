/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Expressions, from the inside out: comprehensions, atoms (names, constants, what stands in
 * brackets), what follows an atom (attributes, calls, subscripts), operators up to lambda, by
 * precedence.
 */
#include "validator/syntax/parse_internal.h"

#include "validator/limits.h"

static uint32_t parse_disjunction(struct parser *p); /* no lambda, no conditional */

/* ---- comprehensions and generators ---- */

/* Whether `for` or `async for` begins a comprehension here. */
static bool parse_at_comprehension(const struct parser *p)
{
    const struct token *token = parse_token(p);

    return token->kind == TOKEN_NAME && (token->id == KEYWORD_FOR || (token->id == KEYWORD_ASYNC &&
                                                                      token[1].kind == TOKEN_NAME &&
                                                                      token[1].id == KEYWORD_FOR));
}

/* One `for ... in ... if ...`. */
static uint32_t parse_comprehension(struct parser *p)
{
    uint32_t node = parse_new(p, NODE_COMPREHENSION, parse_token(p)->start), part;
    struct siblings parts = {0};

    if (!node)
        return NODE_NONE;
    if (parse_take_keyword(p, KEYWORD_ASYNC))
        parse_node(p, node)->flags |= NODE_ASYNC;
    p->at++;
    part = parse_star_targets(p);
    parse_append(p, &parts, part);
    if (!part || !parse_expect_keyword(p, KEYWORD_IN, "'in', as in for NAME in VALUES,") ||
        !(part = parse_disjunction(p)))
        return NODE_NONE;
    parse_append(p, &parts, part);
    while (parse_take_keyword(p, KEYWORD_IF)) {
        part = parse_disjunction(p);
        if (!part)
            return NODE_NONE;
        parse_append(p, &parts, part);
    }
    return parse_adopt(p, node, &parts);
}

static bool parse_comprehensions(struct parser *p, struct siblings *to)
{
    while (parse_at_comprehension(p)) {
        uint32_t node = parse_comprehension(p);

        if (!node)
            return false;
        parse_append(p, to, node);
    }
    return true;
}

static uint32_t parse_make_comprehension(struct parser *p, enum node_kind kind, uint32_t at,
                                         struct siblings *parts)
{
    uint32_t node;

    if (!parse_comprehensions(p, parts) || !(node = parse_new(p, kind, at)))
        return NODE_NONE;
    return parse_adopt(p, node, parts);
}

/* ---- atoms: names, constants, groups, tuples, lists, dictionaries, sets ---- */

static const char value_wanted[] = "a value";

/* star_named_expression */
static uint32_t parse_element(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node;

    if (!parse_take_op(p, '*'))
        return parse_named_expression(p);
    node = parse_bitwise_or(p);
    return node ? parse_wrap(p, NODE_STARRED, start, node) : NODE_NONE;
}

/* Elements behind the first one up to the closing bracket, which stays, or the end of an f-string's
 * field. */
static bool parse_elements(struct parser *p, struct siblings *elements, unsigned close)
{
    while (parse_take_op(p, ',') && !parse_is_op(p, close) && parse_token(p)->kind != TOKEN_END) {
        uint32_t node = parse_element(p);

        if (!node)
            return false;
        parse_append(p, elements, node);
    }
    return true;
}

/* What stands between '(' and ')', neither of which is taken: a value in brackets, a tuple, a
 * generator. An f-string's field is read so as well. */
uint32_t parse_group_content(struct parser *p, uint32_t at, bool *tuple_or_generator)
{
    struct siblings elements = {0};
    uint32_t node;

    *tuple_or_generator = false;
    if (parse_is_keyword(p, KEYWORD_YIELD))
        return parse_yield(p);
    if (parse_is_op(p, ')')) {
        *tuple_or_generator = true;
        return parse_new(p, NODE_TUPLE, at);
    }
    node = parse_element(p);
    if (!node)
        return NODE_NONE;
    parse_append(p, &elements, node);
    if (parse_at_comprehension(p) && parse_node(p, node)->kind != NODE_STARRED) {
        *tuple_or_generator = true;
        return parse_make_comprehension(p, NODE_GENERATOR, at, &elements);
    }
    if (!parse_is_op(p, ',')) {
        if (parse_node(p, node)->kind == NODE_STARRED)
            return parse_fail(p, parse_node(p, node)->at,
                              "'*' cannot stand alone in brackets. For a tuple write a comma "
                              "behind it: (*a,).");
        return node;
    }
    *tuple_or_generator = true;
    if (!parse_elements(p, &elements, ')') || !(node = parse_new(p, NODE_TUPLE, at)))
        return NODE_NONE;
    return parse_adopt(p, node, &elements);
}

static uint32_t parse_group(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node;
    bool tuple_or_generator;

    p->at++;
    node = parse_group_content(p, start, &tuple_or_generator);
    if (!node || !parse_expect_op(p, ')', "',' or ')'"))
        return NODE_NONE;
    parse_node(p, node)->flags |= NODE_PARENTHESIZED;
    return node;
}

static uint32_t parse_list(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node;
    struct siblings elements = {0};

    p->at++;
    if (parse_take_op(p, ']'))
        return parse_new(p, NODE_LIST, start);
    node = parse_element(p);
    if (!node)
        return NODE_NONE;
    parse_append(p, &elements, node);
    if (parse_at_comprehension(p) && parse_node(p, node)->kind != NODE_STARRED)
        node = parse_make_comprehension(p, NODE_LIST_COMPREHENSION, start, &elements);
    else if (parse_elements(p, &elements, ']') && (node = parse_new(p, NODE_LIST, start)))
        node = parse_adopt(p, node, &elements);
    else
        return NODE_NONE;
    return node && parse_expect_op(p, ']', "',' or ']'") ? node : NODE_NONE;
}

/* `key: value` or `**mapping`. */
static bool parse_pair(struct parser *p, struct siblings *pairs)
{
    uint32_t start = parse_token(p)->start, node;

    if (parse_take_op(p, OP_POWER)) {
        node = parse_bitwise_or(p);
        node = node ? parse_wrap(p, NODE_DOUBLE_STARRED, start, node) : NODE_NONE;
        parse_append(p, pairs, node);
        return node;
    }
    node = parse_expression(p);
    parse_append(p, pairs, node);
    if (!node || !parse_expect_op(p, ':', "':' between a key and its value"))
        return false;
    node = parse_expression(p);
    parse_append(p, pairs, node);
    return node;
}

static uint32_t parse_dict(struct parser *p, uint32_t start, struct siblings *pairs)
{
    uint32_t node;

    while (parse_take_op(p, ',') && !parse_is_op(p, '}'))
        if (!parse_pair(p, pairs))
            return NODE_NONE;
    node = parse_new(p, NODE_DICT, start);
    return node ? parse_adopt(p, node, pairs) : NODE_NONE;
}

/* Behind the first pair of a dict. */
static uint32_t parse_dict_rest(struct parser *p, uint32_t start, struct siblings *pairs)
{
    if (parse_at_comprehension(p) && parse_node(p, pairs->first)->kind != NODE_DOUBLE_STARRED)
        return parse_make_comprehension(p, NODE_DICT_COMPREHENSION, start, pairs);
    return parse_dict(p, start, pairs);
}

/* Behind the first element of a set, or the first key of a dict. */
static uint32_t parse_set_rest(struct parser *p, uint32_t start, struct siblings *elements)
{
    uint8_t kind = parse_node(p, elements->first)->kind;
    uint32_t node;

    if (parse_at_comprehension(p) && kind != NODE_STARRED)
        return parse_make_comprehension(p, NODE_SET_COMPREHENSION, start, elements);
    if (!parse_elements(p, elements, '}') || !(node = parse_new(p, NODE_SET, start)))
        return NODE_NONE;
    return parse_adopt(p, node, elements);
}

static uint32_t parse_braces(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node;
    struct siblings elements = {0};

    p->at++;
    if (parse_take_op(p, '}'))
        return parse_new(p, NODE_DICT, start);
    if (parse_is_op(p, OP_POWER)) {
        node = parse_pair(p, &elements) ? parse_dict_rest(p, start, &elements) : NODE_NONE;
    } else {
        node = parse_element(p);
        if (!node)
            return NODE_NONE;
        parse_append(p, &elements, node);
        if (parse_is_op(p, ':') && parse_node(p, node)->kind != NODE_STARRED &&
            (parse_node(p, node)->kind != NODE_WALRUS ||
             parse_node(p, node)->flags & NODE_PARENTHESIZED)) {
            p->at++;
            node = parse_expression(p);
            parse_append(p, &elements, node);
            node = node ? parse_dict_rest(p, start, &elements) : NODE_NONE;
        } else {
            node = parse_set_rest(p, start, &elements);
        }
    }
    return node && parse_expect_op(p, '}', "',' or '}'") ? node : NODE_NONE;
}

static uint32_t parse_number(struct parser *p)
{
    const struct token *token = parse_token(p);
    size_t digits = 0;

    if (token->flags & TOKEN_DECIMAL_INT && token->length > VALIDATOR_DIGITS_CAP) {
        for (uint32_t i = 0; i < token->length; i++)
            digits += p->ast->source[token->start + i] != '_';
        if (digits > VALIDATOR_DIGITS_CAP)
            return parse_fail(p, token->start,
                              "A number of more than %d digits. Write it as a power or in "
                              "hexadecimal.",
                              VALIDATOR_DIGITS_CAP);
    }
    p->at++;
    return parse_new(p, NODE_NUMBER, token->start);
}

static uint32_t parse_constant(struct parser *p)
{
    const struct token *token = parse_token(p);
    uint32_t node = parse_new(p, NODE_CONSTANT, token->start);

    p->at++;
    if (node)
        parse_node(p, node)->op = token->id;
    return node;
}

static uint32_t parse_atom(struct parser *p)
{
    const struct token *token = parse_token(p);

    switch (token->kind) {
    case TOKEN_NAME:
        if (token->id == KEYWORD_NONE)
            return parse_new_named(p, NODE_NAME);
        if (token->id == KEYWORD_NONE_VALUE || token->id == KEYWORD_TRUE ||
            token->id == KEYWORD_FALSE)
            return parse_constant(p);
        break;
    case TOKEN_NUMBER:
        return parse_number(p);
    case TOKEN_STRING:
        return parse_strings(p);
    case TOKEN_OP:
        if (token->id == '(')
            return parse_group(p);
        if (token->id == '[')
            return parse_list(p);
        if (token->id == '{')
            return parse_braces(p);
        if (token->id == OP_ELLIPSIS)
            return parse_constant(p);
        break;
    default:
        break;
    }
    return parse_expected(p, value_wanted);
}

/* what follows an atom: attributes, calls with their arguments, subscripts */

/* slice: [lower] ':' [upper] [':' [step]], its first part read already or not there. */
static uint32_t parse_slice_rest(struct parser *p, uint32_t start, uint32_t lower)
{
    uint32_t node = parse_new(p, NODE_SLICE, start), part;
    struct siblings parts = {lower, lower};
    uint16_t flags = lower ? NODE_HAS_LOWER : 0;

    p->at++;
    if (!node)
        return NODE_NONE;
    for (uint16_t flag = NODE_HAS_UPPER;; flag = NODE_HAS_STEP) {
        if (!parse_is_op(p, ':') && !parse_is_op(p, ']') && !parse_is_op(p, ',')) {
            part = parse_expression(p);
            if (!part)
                return NODE_NONE;
            parse_append(p, &parts, part);
            flags |= flag;
        }
        if (flag == NODE_HAS_STEP || !parse_take_op(p, ':'))
            break;
    }
    parse_node(p, node)->flags |= flags;
    return parse_adopt(p, node, &parts);
}

static uint32_t parse_index(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node;

    if (parse_is_op(p, ':'))
        return parse_slice_rest(p, start, NODE_NONE);
    if (parse_take_op(p, '*')) {
        node = parse_expression(p);
        return node ? parse_wrap(p, NODE_STARRED, start, node) : NODE_NONE;
    }
    node = parse_named_expression(p);
    if (!node || !parse_is_op(p, ':'))
        return node;
    if (parse_node(p, node)->kind == NODE_WALRUS &&
        !(parse_node(p, node)->flags & NODE_PARENTHESIZED))
        return parse_expected(p, "']'");
    return parse_slice_rest(p, start, node);
}

static uint32_t parse_subscript(struct parser *p, uint32_t base)
{
    struct siblings parts = {base, base}, elements = {0};
    uint32_t at = parse_node(p, base)->at, start, node;

    p->at++;
    start = parse_token(p)->start;
    node = parse_index(p);
    if (!node)
        return NODE_NONE;
    if (parse_is_op(p, ',') || parse_node(p, node)->kind == NODE_STARRED) {
        parse_append(p, &elements, node);
        while (parse_take_op(p, ',') && !parse_is_op(p, ']')) {
            node = parse_index(p);
            if (!node)
                return NODE_NONE;
            parse_append(p, &elements, node);
        }
        node = parse_new(p, NODE_TUPLE, start);
        if (!node || !parse_adopt(p, node, &elements))
            return NODE_NONE;
    }
    if (!parse_expect_op(p, ']', "',' or ']'"))
        return NODE_NONE;
    parse_append(p, &parts, node);
    node = parse_new(p, NODE_SUBSCRIPT, at);
    return node ? parse_adopt(p, node, &parts) : NODE_NONE;
}

/* What an argument may be behind others (Grammar: args, kwargs). */
struct argument_order {
    bool keyword, double_star;
};

static uint32_t parse_keyword_argument(struct parser *p)
{
    uint32_t node = parse_new_named(p, NODE_KEYWORD), value;
    struct siblings only = {0};

    p->at++;
    value = node ? parse_expression(p) : NODE_NONE;
    if (!value)
        return NODE_NONE;
    parse_append(p, &only, value);
    return parse_adopt(p, node, &only);
}

static uint32_t parse_argument(struct parser *p, struct argument_order *order)
{
    uint32_t start = parse_token(p)->start, node;

    if (parse_take_op(p, OP_POWER)) {
        order->double_star = true;
        node = parse_expression(p);
        return node ? parse_wrap(p, NODE_DOUBLE_STARRED, start, node) : NODE_NONE;
    }
    if (parse_is_op(p, '*')) {
        if (order->double_star)
            return parse_fail(p, start, "'*' cannot follow '**' in a call. Put it before.");
        p->at++;
        node = parse_expression(p);
        return node ? parse_wrap(p, NODE_STARRED, start, node) : NODE_NONE;
    }
    if (parse_is_name(p) && parse_next_is_op(p, '=')) {
        order->keyword = true;
        return parse_keyword_argument(p);
    }
    node = parse_named_expression(p);
    if (node && (order->keyword || order->double_star) && !parse_is_op(p, '='))
        return parse_fail(p, start,
                          "A plain argument follows a named one. Put it before the named ones, or "
                          "give it a name, too.");
    return node;
}

bool parse_arguments(struct parser *p, struct siblings *to, bool generator_allowed)
{
    struct argument_order order = {false, false};
    bool first = true;

    for (; !parse_is_op(p, ')'); first = false) {
        uint32_t start = parse_token(p)->start, node = parse_argument(p, &order);

        if (!node)
            return false;
        if (parse_at_comprehension(p) && parse_node(p, node)->kind != NODE_STARRED &&
            parse_node(p, node)->kind != NODE_KEYWORD &&
            parse_node(p, node)->kind != NODE_DOUBLE_STARRED) {
            struct siblings parts = {node, node};

            node = parse_make_comprehension(p, NODE_GENERATOR, start, &parts);
            if (!node)
                return false;
            if (!first || !generator_allowed || !parse_is_op(p, ')')) {
                parse_fail(p, start,
                           "A generator beside other arguments needs its own brackets: "
                           "f((x for x in xs), y).");
                return false;
            }
        }
        parse_append(p, to, node);
        if (!parse_take_op(p, ','))
            break;
    }
    return parse_expect_op(p, ')', "',' or ')'");
}

static uint32_t parse_call(struct parser *p, uint32_t function)
{
    struct siblings parts = {function, function};
    uint32_t node = parse_new(p, NODE_CALL, parse_node(p, function)->at);

    p->at++;
    if (!node || !parse_arguments(p, &parts, true))
        return NODE_NONE;
    return parse_adopt(p, node, &parts);
}

static uint32_t parse_attribute(struct parser *p, uint32_t base)
{
    struct siblings only = {base, base};
    uint32_t node;

    p->at++;
    if (!parse_is_name(p))
        return parse_expected(p, "a name behind '.'");
    node = parse_new_named(p, NODE_ATTRIBUTE);
    return node ? parse_adopt(p, node, &only) : NODE_NONE;
}

uint32_t parse_primary(struct parser *p)
{
    uint32_t node = parse_atom(p);

    while (node && parse_token(p)->kind == TOKEN_OP) {
        uint8_t op = parse_token(p)->id;

        if (op == '.')
            node = parse_attribute(p, node);
        else if (op == '(')
            node = parse_call(p, node);
        else if (op == '[')
            node = parse_subscript(p, node);
        else
            break;
    }
    return node;
}

/* ---- operators, from lambda down to the operand of a power, by precedence ---- */

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

static uint32_t parse_disjunction(struct parser *p)
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
