/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Functions and classes, with their decorators.
 */
#include "validator/syntax/parse.h"

static uint32_t parse_function(struct parser *p, struct siblings *parts)
{
    uint32_t node, start;

    p->at++;
    if (!parse_is_name(p))
        return parse_expected(p, "the function's name");
    node = parse_new_named(p, NODE_FUNCTION);
    if (!node || !parse_expect_op(p, '(', "'(' with the parameters") ||
        !parse_append_part(p, parts, parse_parameters(p, ')', false)) ||
        !parse_expect_op(p, ')', "',' or ')'"))
        return NODE_NONE;
    start = parse_token(p)->start;
    if (parse_take_op(p, OP_ARROW)) {
        uint32_t type = parse_expression(p);

        if (!type || !parse_append_part(p, parts, parse_wrap(p, NODE_RETURNS, start, type)))
            return NODE_NONE;
    }
    return parse_append_block(p, parts, NODE_BLOCK) ? parse_adopt(p, node, parts) : NODE_NONE;
}

static uint32_t parse_class(struct parser *p, struct siblings *parts)
{
    uint32_t node;

    p->at++;
    if (!parse_is_name(p))
        return parse_expected(p, "the class's name");
    node = parse_new_named(p, NODE_CLASS);
    if (!node || (parse_take_op(p, '(') && !parse_arguments(p, parts, false)) ||
        !parse_append_block(p, parts, NODE_BLOCK))
        return NODE_NONE;
    return parse_adopt(p, node, parts);
}

/* def, async def or class behind its decorators. */
static uint32_t parse_definition(struct parser *p, struct siblings *parts)
{
    bool async = parse_is_keyword(p, KEYWORD_ASYNC);
    uint32_t node;

    if (async && parse_token(p)[1].kind == TOKEN_NAME && parse_token(p)[1].id == KEYWORD_DEF)
        p->at++;
    if (parse_is_keyword(p, KEYWORD_CLASS))
        return parse_class(p, parts);
    if (!parse_is_keyword(p, KEYWORD_DEF))
        return parse_expected(p, "def or class behind the decorator");
    node = parse_function(p, parts);
    if (node && async)
        parse_node(p, node)->flags |= NODE_ASYNC;
    return node;
}

uint32_t parse_decorated(struct parser *p)
{
    struct siblings parts = {0};

    while (parse_is_op(p, '@')) {
        uint32_t start = parse_token(p)->start, decorator;

        p->at++;
        decorator = parse_named_expression(p);
        if (!decorator ||
            !parse_append_part(p, &parts, parse_wrap(p, NODE_DECORATOR, start, decorator)))
            return NODE_NONE;
        if (parse_token(p)->kind != TOKEN_NEWLINE)
            return parse_expected(p, "the end of the line");
        p->at++;
    }
    return parse_definition(p, &parts);
}

uint32_t parse_undecorated(struct parser *p)
{
    struct siblings parts = {0};

    return parse_definition(p, &parts);
}
