/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parameters of def and lambda, and the order they may stand in.
 */
#include "validator/syntax/parse.h"

struct order {
    bool lambda;
    bool slash;       /* '/' was there */
    bool star;        /* '*' or *args was */
    bool bare_star;   /* '*' alone, and no parameter behind it yet */
    bool double_star; /* **kwargs was: nothing may follow */
    bool defaulted;   /* a positional parameter has a default */
    bool any;
};

/* [':' annotation] ['=' default] behind the name. */
static uint32_t parse_details(struct parser *p, uint32_t node, bool annotations, bool star,
                              bool default_allowed)
{
    struct siblings parts = {0};
    uint32_t part, start;
    uint16_t flags = 0;

    if (annotations && parse_take_op(p, ':')) {
        start = parse_token(p)->start;
        if (star && parse_take_op(p, '*')) { /* *args: *Types */
            part = parse_bitwise_or(p);
            part = part ? parse_wrap(p, NODE_STARRED, start, part) : NODE_NONE;
        } else {
            part = parse_expression(p);
        }
        if (!part)
            return NODE_NONE;
        parse_append(p, &parts, part);
        flags |= NODE_HAS_ANNOTATION;
    }
    if (parse_is_op(p, '=')) {
        if (!default_allowed)
            return parse_fail(p, parse_token(p)->start,
                              "A parameter with '*' or '**' takes no default. Leave it away.");
        p->at++;
        part = parse_expression(p);
        if (!part)
            return NODE_NONE;
        parse_append(p, &parts, part);
        flags |= NODE_HAS_DEFAULT;
    }
    parse_node(p, node)->flags |= flags;
    return parse_adopt(p, node, &parts);
}

static uint32_t parse_plain(struct parser *p, struct order *order)
{
    uint32_t node = parse_new_named(p, NODE_PARAMETER);
    enum parameter_kind kind = order->star ? PARAMETER_KEYWORD : PARAMETER_PLAIN;

    if (!node || !parse_details(p, node, !order->lambda, false, true))
        return NODE_NONE;
    parse_node(p, node)->op = (uint8_t)kind;
    order->bare_star = false;
    if (parse_node(p, node)->flags & NODE_HAS_DEFAULT)
        order->defaulted = order->defaulted || !order->star;
    else if (order->defaulted && !order->star)
        return parse_fail(p, parse_node(p, node)->at,
                          "A parameter without a default follows one with a default. Move it "
                          "before.");
    return node;
}

static uint32_t parse_starred(struct parser *p, struct order *order, enum parameter_kind kind)
{
    uint32_t node;

    if (!parse_is_name(p))
        return parse_expected(p, "a parameter's name");
    node = parse_new_named(p, NODE_PARAMETER);
    if (!node)
        return NODE_NONE;
    parse_node(p, node)->op = (uint8_t)kind;
    return parse_details(p, node, !order->lambda, kind == PARAMETER_STAR, false);
}

/* At '/': what stands before it is positional only. */
static bool take_slash(struct parser *p, struct order *order, const struct siblings *parameters)
{
    if (order->slash || order->star || !order->any) {
        parse_fail(p, parse_token(p)->start,
                   "'/' stands once, behind at least one parameter and before '*'.");
        return false;
    }
    p->at++;
    order->slash = true;
    for (uint32_t node = parameters->first; node; node = parse_node(p, node)->next)
        parse_node(p, node)->op = PARAMETER_POSITIONAL;
    return true;
}

/* One of the list. False after an error. */
static bool parse_one(struct parser *p, struct order *order, struct siblings *parameters)
{
    uint32_t node = NODE_NONE, at = parse_token(p)->start;

    if (order->double_star) {
        parse_fail(p, at, "Nothing can follow the parameter with '**'. Move it to the end.");
        return false;
    }
    if (parse_is_op(p, '/'))
        return take_slash(p, order, parameters);
    if (parse_is_op(p, '*')) {
        if (order->star) {
            parse_fail(p, at, "'*' stands once among the parameters. Delete one.");
            return false;
        }
        p->at++;
        order->star = true;
        order->bare_star = parse_is_op(p, ',');
        if (order->bare_star)
            return true;
        node = parse_starred(p, order, PARAMETER_STAR);
    } else if (parse_is_op(p, OP_POWER)) {
        if (order->bare_star) {
            parse_fail(p, at, "Behind '*' alone a named parameter must follow. Delete the '*'.");
            return false;
        }
        p->at++;
        order->double_star = true;
        node = parse_starred(p, order, PARAMETER_DOUBLE_STAR);
    } else if (parse_is_name(p)) {
        node = parse_plain(p, order);
    } else {
        parse_expected(p, "a parameter's name");
    }
    parse_append(p, parameters, node);
    return node != NODE_NONE;
}

uint32_t parse_parameters(struct parser *p, unsigned close, bool lambda)
{
    struct siblings parameters = {0};
    struct order order = {.lambda = lambda};
    uint32_t list = parse_new(p, NODE_PARAMETERS, parse_token(p)->start);

    while (list && !parse_is_op(p, close)) {
        if (!parse_one(p, &order, &parameters))
            return NODE_NONE;
        order.any = true;
        if (!parse_take_op(p, ','))
            break;
    }
    if (order.bare_star)
        return parse_fail(p, parse_token(p)->start,
                          "Behind '*' alone a named parameter must follow. Delete the '*'.");
    return list ? parse_adopt(p, list, &parameters) : NODE_NONE;
}
