/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Comprehensions and generators.
 */
#include "validator/syntax/parse.h"

/* Whether `for` or `async for` begins a comprehension here. */
bool parse_at_comprehension(const struct parser *p)
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

bool parse_comprehensions(struct parser *p, struct siblings *to)
{
    while (parse_at_comprehension(p)) {
        uint32_t node = parse_comprehension(p);

        if (!node)
            return false;
        parse_append(p, to, node);
    }
    return true;
}

uint32_t parse_make_comprehension(struct parser *p, enum node_kind kind, uint32_t at,
                                  struct siblings *parts)
{
    uint32_t node;

    if (!parse_comprehensions(p, parts) || !(node = parse_new(p, kind, at)))
        return NODE_NONE;
    return parse_adopt(p, node, parts);
}
