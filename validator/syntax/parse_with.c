/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `with`, whose items may stand in brackets.
 */
#include "validator/syntax/parse.h"

static uint32_t parse_with_item(struct parser *p)
{
    uint32_t node = parse_new(p, NODE_WITH_ITEM, parse_token(p)->start);
    struct siblings parts = {0};

    if (!node || !parse_append_part(p, &parts, parse_expression(p)))
        return NODE_NONE;
    if (parse_take_keyword(p, KEYWORD_AS)) {
        if (!parse_append_part(p, &parts, parse_star_target(p)))
            return NODE_NONE;
        if (!parse_is_op(p, ',') && !parse_is_op(p, ')') && !parse_is_op(p, ':'))
            return parse_expected(p, "':'");
    }
    return parse_adopt(p, node, &parts);
}

/* Whether the '(' here holds items, `with (a as b, c as d):`, and no value: an `as` that no inner
 * bracket holds tells it. */
static bool at_bracketed_items(const struct parser *p)
{
    const struct token *token = parse_token(p);
    unsigned depth = 0;

    if (!parse_is_op(p, '('))
        return false;
    for (;; token++) {
        if (token->kind == TOKEN_END || token->kind == TOKEN_ERROR || token->kind == TOKEN_NEWLINE)
            return false;
        if (token->kind == TOKEN_NAME && token->id == KEYWORD_AS && depth == 1)
            return true;
        if (token->kind != TOKEN_OP)
            continue;
        if (token->id == '(' || token->id == '[' || token->id == '{')
            depth++;
        else if ((token->id == ')' || token->id == ']' || token->id == '}') && --depth == 0)
            return false;
    }
}

/* Whether the only item is a tuple that CPython takes for items in brackets: `with (a, b):`, but
 * not `with ((a, b)):` or `with (*a, b):`. */
static bool is_tuple_of_items(struct parser *p, const struct siblings *parts, uint32_t open)
{
    const struct node *tuple = parse_node(p, parse_node(p, parts->first)->child);

    if (parts->first != parts->last || !parse_is_op(p, ':') || tuple->kind != NODE_TUPLE ||
        tuple->at != open || tuple->next || !tuple->child)
        return false;
    for (uint32_t element = tuple->child; element; element = parse_node(p, element)->next) {
        const struct node *row = parse_node(p, element);

        if (row->kind == NODE_STARRED ||
            (row->kind == NODE_WALRUS && !(row->flags & NODE_PARENTHESIZED)))
            return false;
    }
    return true;
}

static bool unfold_tuple(struct parser *p, struct siblings *parts)
{
    uint32_t element = parse_node(p, parse_node(p, parts->first)->child)->child, next;

    *parts = (struct siblings){0};
    for (; element; element = next) {
        next = parse_node(p, element)->next;
        parse_node(p, element)->next = NODE_NONE;
        if (!parse_append_part(p, parts,
                               parse_wrap(p, NODE_WITH_ITEM, parse_node(p, element)->at, element)))
            return false;
    }
    return true;
}

uint32_t parse_with(struct parser *p)
{
    uint32_t node = parse_new(p, NODE_WITH, parse_token(p)->start), open;
    struct siblings parts = {0};
    bool brackets;

    p->at++;
    open = parse_token(p)->start;
    brackets = at_bracketed_items(p);
    p->at += brackets;
    if (!node)
        return NODE_NONE;
    do {
        if (brackets && parts.first && parse_is_op(p, ')'))
            break;
        if (!parse_append_part(p, &parts, parse_with_item(p)))
            return NODE_NONE;
    } while (parse_take_op(p, ','));
    if (!brackets && is_tuple_of_items(p, &parts, open) && !unfold_tuple(p, &parts))
        return NODE_NONE;
    if ((brackets && !parse_expect_op(p, ')', "',' or ')'")) ||
        !parse_append_block(p, &parts, NODE_BLOCK))
        return NODE_NONE;
    return parse_adopt(p, node, &parts);
}
