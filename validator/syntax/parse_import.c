/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Import statements.
 */
#include "validator/syntax/parse.h"

/* The symbol of a dotted name; *first is that of its first part. The name mostly stands in the
 * source as it is wanted. */
static uint32_t parse_dotted(struct parser *p, uint32_t *first)
{
    uint32_t start = parse_token(p)->start, end, symbol;
    size_t from = p->value.len, len;
    bool contiguous = true;
    const char *text;

    *first = symbol = parse_symbol(p);
    end = p->tokens[p->at - 1].start + p->tokens[p->at - 1].length;
    if (!symbol || !parse_is_op(p, '.'))
        return symbol;
    text = symbols_text(&p->ast->symbols, symbol, &len);
    contiguous = !(p->tokens[p->at - 1].flags & TOKEN_NON_ASCII);
    buf_add(&p->value, text, len);
    while (parse_is_op(p, '.')) {
        contiguous = contiguous && parse_token(p)->start == end;
        p->at++;
        if (!parse_is_name(p))
            return parse_expected(p, "a module's name");
        contiguous = contiguous && parse_token(p)->start == end + 1 &&
                     !(parse_token(p)->flags & TOKEN_NON_ASCII);
        end = parse_token(p)->start + parse_token(p)->length;
        symbol = parse_symbol(p);
        if (!symbol)
            return SYMBOL_NONE;
        text = symbols_text(&p->ast->symbols, symbol, &len);
        buf_addc(&p->value, '.');
        buf_add(&p->value, text, len);
    }
    if (contiguous)
        symbol = symbols_add(&p->ast->symbols, start, end - start, false);
    else if (!p->value.failed)
        symbol = symbols_add_text(&p->ast->symbols, p->value.data + from, p->value.len - from);
    p->ast->failed = p->ast->failed || p->value.failed;
    p->value.len = from;
    return symbol;
}

/* The name that an import gives: behind `as`, or its own. */
static uint32_t parse_bound_name(struct parser *p, uint32_t at, uint32_t own)
{
    uint32_t node;

    if (parse_take_keyword(p, KEYWORD_AS)) {
        if (!parse_is_name(p))
            return parse_expected(p, "a name behind 'as'");
        node = parse_new_named(p, NODE_BINDING);
        if (node)
            parse_node(p, node)->flags |= NODE_AS;
        return node;
    }
    node = parse_new(p, NODE_BINDING, at);
    if (node)
        parse_node(p, node)->name = own;
    return node;
}

static uint32_t new_alias(struct parser *p, uint32_t at, uint32_t name, uint32_t own)
{
    struct siblings only = {0};
    uint32_t node, bound;

    if (!name || !(bound = parse_bound_name(p, at, own)) || !(node = parse_new(p, NODE_ALIAS, at)))
        return NODE_NONE;
    parse_append(p, &only, bound);
    parse_node(p, node)->name = name;
    return parse_adopt(p, node, &only);
}

uint32_t parse_import(struct parser *p)
{
    uint32_t node = parse_new(p, NODE_IMPORT, parse_token(p)->start), alias;
    struct siblings aliases = {0};

    do {
        uint32_t at, name, first;

        p->at++;
        if (!node || !parse_is_name(p))
            return parse_expected(p, "a module's name");
        at = parse_token(p)->start;
        name = parse_dotted(p, &first);
        alias = new_alias(p, at, name, first);
        if (!alias)
            return NODE_NONE;
        parse_append(p, &aliases, alias);
    } while (parse_is_op(p, ','));
    return parse_adopt(p, node, &aliases);
}

static uint32_t parse_member(struct parser *p)
{
    uint32_t at = parse_token(p)->start, name;

    if (!parse_is_name(p))
        return parse_expected(p, "a name to import");
    name = parse_symbol(p);
    return new_alias(p, at, name, name);
}

static uint32_t parse_star_member(struct parser *p)
{
    uint32_t node = parse_new(p, NODE_ALIAS, parse_token(p)->start);

    p->at++;
    if (!node)
        return NODE_NONE;
    parse_node(p, node)->name = symbols_add_text(&p->ast->symbols, "*", 1);
    return parse_node(p, node)->name ? node : NODE_NONE;
}

static bool parse_members(struct parser *p, struct siblings *members)
{
    bool brackets = parse_take_op(p, '(');

    do {
        uint32_t node;

        if (brackets && members->first && parse_is_op(p, ')'))
            break;
        node = parse_member(p);
        if (!node)
            return false;
        parse_append(p, members, node);
    } while (parse_take_op(p, ','));
    return !brackets || parse_expect_op(p, ')', "',' or ')'");
}

uint32_t parse_import_from(struct parser *p)
{
    uint32_t node = parse_new(p, NODE_IMPORT_FROM, parse_token(p)->start), name = 0, first;
    struct siblings members = {0};
    unsigned level = 0;

    p->at++;
    if (!node)
        return NODE_NONE;
    for (; parse_is_op(p, '.') || parse_is_op(p, OP_ELLIPSIS); p->at++)
        level += parse_is_op(p, '.') ? 1 : 3;
    if (parse_is_name(p)) {
        name = parse_dotted(p, &first);
        if (!name)
            return NODE_NONE;
    } else if (level == 0) {
        return parse_expected(p, "a module's name");
    }
    parse_node(p, node)->name = name;
    parse_node(p, node)->op = level > UINT8_MAX ? UINT8_MAX : (uint8_t)level;
    if (!parse_expect_keyword(p, KEYWORD_IMPORT, "'import', as in from MODULE import NAME,"))
        return NODE_NONE;
    if (parse_is_op(p, '*'))
        parse_append(p, &members, parse_star_member(p));
    else if (!parse_members(p, &members))
        return NODE_NONE;
    return members.first ? parse_adopt(p, node, &members) : NODE_NONE;
}
