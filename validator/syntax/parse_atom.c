/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names, constants, and what stands in brackets of its own: groups, tuples, lists, dictionaries,
 * sets.
 */
#include "validator/syntax/parse.h"

#include "validator/limits.h"

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

uint32_t parse_atom(struct parser *p)
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
