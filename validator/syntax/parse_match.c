/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `match` and its cases.
 */
#include "validator/syntax/parse.h"

static uint32_t parse_case(struct parser *p)
{
    uint32_t node = parse_new(p, NODE_CASE, parse_token(p)->start), part, start;
    struct siblings parts = {0};

    if (!parse_is_text(p, "case"))
        return parse_expected(p, "'case'");
    p->at++;
    part = node ? parse_pattern_line(p) : NODE_NONE;
    if (!part)
        return NODE_NONE;
    parse_append(p, &parts, part);
    start = parse_token(p)->start;
    if (parse_take_keyword(p, KEYWORD_IF)) {
        part = parse_named_expression(p);
        part = part ? parse_wrap(p, NODE_GUARD, start, part) : NODE_NONE;
        if (!part)
            return NODE_NONE;
        parse_append(p, &parts, part);
    }
    part = parse_expect_op(p, ':', "':'") ? parse_block(p, NODE_BLOCK) : NODE_NONE;
    if (!part)
        return NODE_NONE;
    parse_append(p, &parts, part);
    return parse_adopt(p, node, &parts);
}

/* subject_expr: a tuple needs a comma. */
static uint32_t parse_subject(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node;
    struct siblings elements = {0};

    for (;;) {
        uint32_t at = parse_token(p)->start;

        if (parse_take_op(p, '*')) {
            node = parse_bitwise_or(p);
            node = node ? parse_wrap(p, NODE_STARRED, at, node) : NODE_NONE;
        } else {
            node = parse_named_expression(p);
        }
        if (!node)
            return NODE_NONE;
        parse_append(p, &elements, node);
        if (!parse_take_op(p, ',')) {
            if (elements.first == node && parse_node(p, node)->kind != NODE_STARRED)
                return node;
            break;
        }
        if (parse_is_op(p, ':'))
            break;
    }
    if (elements.first == elements.last && parse_node(p, node)->kind == NODE_STARRED &&
        !(p->tokens[p->at - 1].kind == TOKEN_OP && p->tokens[p->at - 1].id == ','))
        return parse_expected(p, "',' behind the value with '*'");
    node = parse_new(p, NODE_TUPLE, start);
    return node ? parse_adopt(p, node, &elements) : NODE_NONE;
}

/* parse_is_compound has seen that the line ends in ':' before a block. */
uint32_t parse_match(struct parser *p)
{
    uint32_t node = parse_new(p, NODE_MATCH, parse_token(p)->start), part;
    struct siblings parts = {0};

    p->at++;
    part = node ? parse_subject(p) : NODE_NONE;
    if (!part || !parse_expect_op(p, ':', "':'"))
        return NODE_NONE;
    parse_append(p, &parts, part);
    if (parse_token(p)->kind != TOKEN_NEWLINE)
        return parse_expected(p, "the end of the line");
    p->at += 2;
    do {
        part = parse_case(p);
        if (!part)
            return NODE_NONE;
        parse_append(p, &parts, part);
    } while (parse_token(p)->kind != TOKEN_DEDENT && parse_token(p)->kind != TOKEN_END &&
             parse_token(p)->kind != TOKEN_ERROR);
    p->at += parse_token(p)->kind == TOKEN_DEDENT;
    return parse_adopt(p, node, &parts);
}
