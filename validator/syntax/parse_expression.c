/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Expressions, from the inside out: comprehensions, atoms (names, constants, parenthesized forms),
 * what follows an atom (attributes, calls, subscripts), and operators up to lambda, by precedence.
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
    uint32_t start = parse_token(p)->start, node;
    bool is_async = parse_take_keyword(p, KEYWORD_ASYNC);
    struct siblings parts = {0};

    p->at++;
    if (!parse_append(p, &parts, parse_star_targets(p)) ||
        !parse_expect_keyword(p, KEYWORD_IN, "'in', as in for NAME in VALUES,") ||
        !parse_append(p, &parts, parse_disjunction(p)))
        return NODE_NONE;
    while (parse_take_keyword(p, KEYWORD_IF))
        if (!parse_append(p, &parts, parse_disjunction(p)))
            return NODE_NONE;
    node = parse_finish(p, NODE_COMPREHENSION, start, &parts);
    if (node && is_async)
        parse_node(p, node)->flags |= NODE_ASYNC;
    return node;
}

/* The comprehension of what has been read and the `for ... in ...` that follow. */
static uint32_t parse_make_comprehension(struct parser *p, enum node_kind kind, uint32_t at,
                                         struct siblings *parts)
{
    while (parse_at_comprehension(p))
        if (!parse_append(p, parts, parse_comprehension(p)))
            return NODE_NONE;
    return parse_finish(p, kind, at, parts);
}

/* ---- atoms: names, constants, groups, tuples, lists, dictionaries, sets ---- */

static const char value_wanted[] = "a value";

/* star_named_expression */
uint32_t parse_element(struct parser *p)
{
    uint32_t start = parse_token(p)->start;

    if (parse_take_op(p, '*'))
        return parse_wrap(p, NODE_STARRED, start, parse_bitwise_or(p));
    return parse_named_expression(p);
}

/* Elements behind the first one up to the closing bracket, which stays, or the end of an f-string's
 * field. */
static bool parse_elements(struct parser *p, struct siblings *elements, unsigned close)
{
    while (parse_take_op(p, ',') && !parse_is_op(p, close) && parse_token(p)->kind != TOKEN_END)
        if (!parse_append(p, elements, parse_element(p)))
            return false;
    return true;
}

/* What stands between '(' and ')', neither of which is taken: a value in brackets, a tuple, a
 * generator. An f-string's field is read so as well. */
uint32_t parse_group_content(struct parser *p, uint32_t at)
{
    struct siblings elements = {0};
    const struct node *first;

    if (parse_is_keyword(p, KEYWORD_YIELD))
        return parse_yield(p);
    if (parse_is_op(p, ')'))
        return parse_new(p, NODE_TUPLE, at);
    if (!parse_append(p, &elements, parse_element(p)))
        return NODE_NONE;
    first = parse_node(p, elements.first);
    if (parse_at_comprehension(p) && first->kind != NODE_STARRED)
        return parse_make_comprehension(p, NODE_GENERATOR, at, &elements);
    if (parse_is_op(p, ','))
        return parse_elements(p, &elements, ')') ? parse_finish(p, NODE_TUPLE, at, &elements)
                                                 : NODE_NONE;
    if (first->kind == NODE_STARRED)
        return parse_fail(p, first->at,
                          "'*' cannot stand alone in brackets. For a tuple write a comma "
                          "behind it: (*a,).");
    return elements.first;
}

static uint32_t parse_group(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node;

    p->at++;
    node = parse_group_content(p, start);
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
    if (!parse_append(p, &elements, parse_element(p)))
        return NODE_NONE;
    if (parse_at_comprehension(p) && parse_node(p, elements.first)->kind != NODE_STARRED)
        node = parse_make_comprehension(p, NODE_LIST_COMPREHENSION, start, &elements);
    else if (parse_elements(p, &elements, ']'))
        node = parse_finish(p, NODE_LIST, start, &elements);
    else
        return NODE_NONE;
    return node && parse_expect_op(p, ']', "',' or ']'") ? node : NODE_NONE;
}

/* `key: value` or `**mapping`. */
static bool parse_pair(struct parser *p, struct siblings *pairs)
{
    uint32_t start = parse_token(p)->start;

    if (parse_take_op(p, OP_POWER))
        return parse_append(p, pairs,
                            parse_wrap(p, NODE_DOUBLE_STARRED, start, parse_bitwise_or(p)));
    return parse_append(p, pairs, parse_expression(p)) &&
           parse_expect_op(p, ':', "':' between a key and its value") &&
           parse_append(p, pairs, parse_expression(p));
}

/* Behind the first pair of a dict. */
static uint32_t parse_dict_rest(struct parser *p, uint32_t start, struct siblings *pairs)
{
    if (parse_at_comprehension(p) && parse_node(p, pairs->first)->kind != NODE_DOUBLE_STARRED)
        return parse_make_comprehension(p, NODE_DICT_COMPREHENSION, start, pairs);
    while (parse_take_op(p, ',') && !parse_is_op(p, '}'))
        if (!parse_pair(p, pairs))
            return NODE_NONE;
    return parse_finish(p, NODE_DICT, start, pairs);
}

/* Behind the first element of a set. */
static uint32_t parse_set_rest(struct parser *p, uint32_t start, struct siblings *elements)
{
    if (parse_at_comprehension(p) && parse_node(p, elements->first)->kind != NODE_STARRED)
        return parse_make_comprehension(p, NODE_SET_COMPREHENSION, start, elements);
    return parse_elements(p, elements, '}') ? parse_finish(p, NODE_SET, start, elements)
                                            : NODE_NONE;
}

/* Between '{' and '}', neither of which is taken here. */
static uint32_t parse_brace_content(struct parser *p, uint32_t start)
{
    struct siblings elements = {0};
    const struct node *first;

    if (parse_is_op(p, OP_POWER))
        return parse_pair(p, &elements) ? parse_dict_rest(p, start, &elements) : NODE_NONE;
    if (!parse_append(p, &elements, parse_element(p)))
        return NODE_NONE;
    first = parse_node(p, elements.first);
    if (!parse_is_op(p, ':') || first->kind == NODE_STARRED ||
        (first->kind == NODE_WALRUS && !(first->flags & NODE_PARENTHESIZED)))
        return parse_set_rest(p, start, &elements);
    p->at++;
    return parse_append(p, &elements, parse_expression(p)) ? parse_dict_rest(p, start, &elements)
                                                           : NODE_NONE;
}

static uint32_t parse_braces(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node;

    p->at++;
    if (parse_take_op(p, '}'))
        return parse_new(p, NODE_DICT, start);
    node = parse_brace_content(p, start);
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

uint32_t parse_constant(struct parser *p)
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
    struct siblings parts = {lower, lower};
    uint16_t flags = lower ? NODE_HAS_LOWER : 0;
    uint32_t node;

    p->at++;
    for (uint16_t flag = NODE_HAS_UPPER;; flag = NODE_HAS_STEP) {
        if (!parse_is_op(p, ':') && !parse_is_op(p, ']') && !parse_is_op(p, ',')) {
            if (!parse_append(p, &parts, parse_expression(p)))
                return NODE_NONE;
            flags |= flag;
        }
        if (flag == NODE_HAS_STEP || !parse_take_op(p, ':'))
            break;
    }
    node = parse_finish(p, NODE_SLICE, start, &parts);
    if (node)
        parse_node(p, node)->flags |= flags;
    return node;
}

static uint32_t parse_index(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node;

    if (parse_is_op(p, ':'))
        return parse_slice_rest(p, start, NODE_NONE);
    if (parse_take_op(p, '*'))
        return parse_wrap(p, NODE_STARRED, start, parse_expression(p));
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
    uint32_t at = parse_node(p, base)->at, start, index;

    p->at++;
    start = parse_token(p)->start;
    index = parse_index(p);
    if (!parse_append(p, &elements, index))
        return NODE_NONE;
    if (parse_is_op(p, ',') || parse_node(p, index)->kind == NODE_STARRED) {
        while (parse_take_op(p, ',') && !parse_is_op(p, ']'))
            if (!parse_append(p, &elements, parse_index(p)))
                return NODE_NONE;
        index = parse_finish(p, NODE_TUPLE, start, &elements);
    }
    if (!index || !parse_expect_op(p, ']', "',' or ']'"))
        return NODE_NONE;
    parse_append(p, &parts, index);
    return parse_finish(p, NODE_SUBSCRIPT, at, &parts);
}

/* What an argument may be behind others (Grammar: args, kwargs). */
struct argument_order {
    bool keyword, double_star;
};

static uint32_t parse_keyword_argument(struct parser *p)
{
    uint32_t node = parse_new_named(p, NODE_KEYWORD);

    p->at++;
    return node ? parse_adopt_one(p, node, parse_expression(p)) : NODE_NONE;
}

static uint32_t parse_argument(struct parser *p, struct argument_order *order)
{
    uint32_t start = parse_token(p)->start, node;

    if (parse_take_op(p, OP_POWER)) {
        order->double_star = true;
        return parse_wrap(p, NODE_DOUBLE_STARRED, start, parse_expression(p));
    }
    if (parse_is_op(p, '*')) {
        if (order->double_star)
            return parse_fail(p, start, "'*' cannot follow '**' in a call. Put it before.");
        p->at++;
        return parse_wrap(p, NODE_STARRED, start, parse_expression(p));
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
        enum node_kind kind = parse_node(p, node)->kind;

        if (node && parse_at_comprehension(p) && kind != NODE_STARRED && kind != NODE_KEYWORD &&
            kind != NODE_DOUBLE_STARRED) {
            struct siblings parts = {node, node};

            node = parse_make_comprehension(p, NODE_GENERATOR, start, &parts);
            if (node && (!first || !generator_allowed || !parse_is_op(p, ')')))
                return parse_fail(p, start,
                                  "A generator beside other arguments needs its own brackets: "
                                  "f((x for x in xs), y).");
        }
        if (!parse_append(p, to, node))
            return false;
        if (!parse_take_op(p, ','))
            break;
    }
    return parse_expect_op(p, ')', "',' or ')'");
}

static uint32_t parse_call(struct parser *p, uint32_t function)
{
    struct siblings parts = {function, function};
    uint32_t at = parse_node(p, function)->at;

    p->at++;
    return parse_arguments(p, &parts, true) ? parse_finish(p, NODE_CALL, at, &parts) : NODE_NONE;
}

uint32_t parse_attribute(struct parser *p, uint32_t base)
{
    uint32_t node;

    p->at++;
    if (!parse_is_name(p))
        return parse_expected(p, "a name behind '.'");
    node = parse_new_named(p, NODE_ATTRIBUTE);
    return node ? parse_adopt_one(p, node, base) : NODE_NONE;
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

/* A node of that operator, with what stands at its two sides or behind it. */
static uint32_t finish_operator(struct parser *p, enum node_kind kind, uint32_t at, unsigned op,
                                const struct siblings *operands)
{
    uint32_t node = parse_finish(p, kind, at, operands);

    if (node)
        parse_node(p, node)->op = (uint8_t)op;
    return node;
}

/* power: await_primary ['**' factor] */
static uint32_t parse_power(struct parser *p)
{
    uint32_t start = parse_token(p)->start, base, exponent;
    bool awaits = parse_take_keyword(p, KEYWORD_AWAIT);
    struct siblings operands;

    base = parse_primary(p);
    if (awaits)
        base = parse_wrap(p, NODE_AWAIT, start, base);
    if (!base || !parse_is_op(p, OP_POWER))
        return base;
    operands = (struct siblings){base, base};
    start = parse_token(p)->start;
    p->at++;
    if (!parse_enter(p))
        return NODE_NONE;
    exponent = parse_operators(p, PRECEDENCE_FACTOR);
    parse_leave(p);
    return parse_append(p, &operands, exponent)
               ? finish_operator(p, NODE_BINARY, start, OP_POWER, &operands)
               : NODE_NONE;
}

static uint32_t parse_prefix(struct parser *p, unsigned op, unsigned operand_precedence)
{
    uint32_t start = parse_token(p)->start, operand;

    p->at++;
    if (!parse_enter(p))
        return NODE_NONE;
    operand = parse_operators(p, operand_precedence);
    parse_leave(p);
    return operand ? finish_operator(p, NODE_UNARY, start, op, &(struct siblings){operand, operand})
                   : NODE_NONE;
}

/* Takes an operator, of one word or two: `not in`, `is not`. */
static void take_operator(struct parser *p)
{
    bool two = parse_is_keyword(p, KEYWORD_NOT);

    if (parse_take_keyword(p, KEYWORD_IS))
        parse_take_keyword(p, KEYWORD_NOT);
    else
        p->at += two ? 2 : 1;
}

/* Adds the text of the operator that ends here, which began at the token `from`, to p->value. */
static void add_operator(struct parser *p, uint32_t from)
{
    for (; from < p->at; from++) {
        buf_addc(&p->value, ' ');
        buf_add(&p->value, p->ast->source + p->tokens[from].start, p->tokens[from].length);
    }
    p->ast->failed |= p->value.failed;
}

/* a < b < c, and a or b or c: one node with all operands. */
static uint32_t parse_chain(struct parser *p, uint32_t left, unsigned precedence)
{
    enum node_kind kind = precedence == PRECEDENCE_COMPARE ? NODE_COMPARE : NODE_BOOLEAN;
    const struct token first = *parse_token(p);
    struct siblings operands = {left, left};
    size_t from = p->value.len;
    uint32_t node, at;

    while (precedence_here(p) == precedence) {
        at = p->at;
        take_operator(p);
        if (kind == NODE_COMPARE)
            add_operator(p, at);
        if (!parse_append(p, &operands, parse_operators(p, precedence + 1)))
            return NODE_NONE;
    }
    node = finish_operator(p, kind, first.start, first.id, &operands);
    if (node && kind == NODE_COMPARE) {
        parse_node(p, node)->flags |= first.kind == TOKEN_NAME ? NODE_WORD : 0;
        parse_node(p, node)->name =
            p->ast->failed ? SYMBOL_NONE
                           : symbols_add_text(&p->ast->symbols, p->value.data + from + 1,
                                              p->value.len - from - 1);
        p->value.len = from;
    }
    return node;
}

static uint32_t parse_binary(struct parser *p, uint32_t left, unsigned precedence)
{
    const struct token sign = *parse_token(p);
    struct siblings operands = {left, left};

    p->at++;
    return parse_append(p, &operands, parse_operators(p, precedence + 1))
               ? finish_operator(p, NODE_BINARY, sign.start, sign.id, &operands)
               : NODE_NONE;
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
    uint32_t start = parse_token(p)->start;
    struct siblings parts = {0};

    p->at++;
    if (!parse_append(p, &parts, parse_parameters(p, ':', true)) ||
        !parse_expect_op(p, ':', "':' behind the lambda's parameters") ||
        !parse_append(p, &parts, parse_expression(p)))
        return NODE_NONE;
    return parse_finish(p, NODE_LAMBDA, start, &parts);
}

/* Behind `value if`. */
static uint32_t parse_conditional(struct parser *p, uint32_t value)
{
    uint32_t at = parse_node(p, value)->at;
    struct siblings parts = {value, value};

    if (!parse_append(p, &parts, parse_disjunction(p)) ||
        !parse_expect_keyword(p, KEYWORD_ELSE, "'else', as in A if CONDITION else B,") ||
        !parse_append(p, &parts, parse_expression(p)))
        return NODE_NONE;
    return parse_finish(p, NODE_CONDITIONAL, at, &parts);
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
    uint32_t start = parse_token(p)->start;
    struct siblings parts = {0};

    if (!parse_is_name(p) || !parse_next_is_op(p, OP_WALRUS))
        return parse_expression(p);
    if (!parse_append(p, &parts, parse_new_named(p, NODE_NAME)))
        return NODE_NONE;
    parse_node(p, parts.first)->op = CONTEXT_STORE;
    p->at++;
    return parse_append(p, &parts, parse_expression(p))
               ? parse_finish(p, NODE_WALRUS, start, &parts)
               : NODE_NONE;
}

static uint32_t parse_star_expression(struct parser *p)
{
    uint32_t start = parse_token(p)->start;

    if (parse_take_op(p, '*'))
        return parse_wrap(p, NODE_STARRED, start, parse_bitwise_or(p));
    return parse_expression(p);
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
    while (parse_take_op(p, ',') && !ends_list(p))
        if (!parse_append(p, &elements, parse_star_expression(p)))
            return NODE_NONE;
    return parse_finish(p, NODE_TUPLE, start, &elements);
}

uint32_t parse_yield(struct parser *p)
{
    uint32_t start = parse_token(p)->start;

    p->at++;
    if (parse_take_keyword(p, KEYWORD_FROM))
        return parse_wrap(p, NODE_YIELD_FROM, start, parse_expression(p));
    if (ends_list(p))
        return parse_new(p, NODE_YIELD, start);
    return parse_wrap(p, NODE_YIELD, start, parse_star_expressions(p));
}

uint32_t parse_yield_or_stars(struct parser *p)
{
    return parse_is_keyword(p, KEYWORD_YIELD) ? parse_yield(p) : parse_star_expressions(p);
}
