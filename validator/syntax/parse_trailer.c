/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What follows an atom: attributes, calls with their arguments, subscripts.
 */
#include "validator/syntax/parse.h"

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
                           "A generator beside other arguments stands in brackets of its own: "
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
