/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What can be assigned to or deleted. An assignment's left side is read as an expression and made
 * a target when its '=' is seen, so that nothing is read twice.
 */
#include "validator/syntax/parse.h"

/* What a target that is none is called in a message. */
static const char *describe(const struct node *node)
{
    static const char *const descriptions[NODE_KIND_COUNT] = {
        [NODE_CALL] = "a call",
        [NODE_NUMBER] = "a number",
        [NODE_STRING] = "a text",
        [NODE_JOINED] = "an f-string",
        [NODE_CONSTANT] = "a constant",
        [NODE_COMPARE] = "a comparison",
        [NODE_BINARY] = "an expression with an operator",
        [NODE_UNARY] = "an expression with an operator",
        [NODE_BOOLEAN] = "an expression with an operator",
        [NODE_CONDITIONAL] = "a conditional expression",
        [NODE_LAMBDA] = "a lambda",
        [NODE_DICT] = "a dictionary",
        [NODE_SET] = "a set",
        [NODE_LIST_COMPREHENSION] = "a comprehension",
        [NODE_SET_COMPREHENSION] = "a comprehension",
        [NODE_DICT_COMPREHENSION] = "a comprehension",
        [NODE_GENERATOR] = "a generator",
        [NODE_AWAIT] = "an await expression",
        [NODE_YIELD] = "a yield expression",
        [NODE_YIELD_FROM] = "a yield expression",
        [NODE_WALRUS] = "an expression with ':='",
        [NODE_STARRED] = "a value with '*'",
        [NODE_TUPLE] = "a tuple",
        [NODE_LIST] = "a list",
    };

    return descriptions[node->kind] ? descriptions[node->kind] : "this expression";
}

static bool refuse(struct parser *p, uint32_t node, enum context context)
{
    const struct node *row = parse_node(p, node);

    parse_fail(p, row->at,
               context == CONTEXT_DELETE
                   ? "Not %s: del takes names, items and attributes: del x[0]."
                   : "Nothing can be assigned to %s. The left side is a name, an item or an "
                     "attribute; to compare write '=='.",
               describe(row));
    return false;
}

bool parse_make_target(struct parser *p, uint32_t node, enum context context)
{
    switch (parse_node(p, node)->kind) {
    case NODE_NAME:
    case NODE_ATTRIBUTE:
    case NODE_SUBSCRIPT:
        break;
    case NODE_STARRED:
        if (context == CONTEXT_DELETE)
            return refuse(p, node, context);
        if (parse_node(p, parse_node(p, node)->child)->kind == NODE_STARRED ||
            !parse_make_target(p, parse_node(p, node)->child, context))
            return false;
        break;
    case NODE_TUPLE:
    case NODE_LIST:
        for (uint32_t child = parse_node(p, node)->child; child; child = parse_node(p, child)->next)
            if (!parse_make_target(p, child, context))
                return false;
        break;
    default:
        return refuse(p, node, context);
    }
    parse_node(p, node)->op = (uint8_t)context;
    return true;
}

/* What an augmented or annotated assignment takes. */
bool parse_is_single_target(const struct parser *p, uint32_t node)
{
    uint8_t kind = p->ast->nodes[node].kind;

    return kind == NODE_NAME || kind == NODE_ATTRIBUTE || kind == NODE_SUBSCRIPT;
}

uint32_t parse_star_target(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node;

    if (parse_take_op(p, '*')) {
        node = parse_primary(p);
        node = node ? parse_wrap(p, NODE_STARRED, start, node) : NODE_NONE;
    } else {
        node = parse_primary(p);
    }
    return node && parse_make_target(p, node, CONTEXT_STORE) ? node : NODE_NONE;
}

uint32_t parse_star_targets(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node = parse_star_target(p);
    struct siblings targets = {node, node};

    if (!node || !parse_is_op(p, ','))
        return node;
    while (parse_take_op(p, ',') && !parse_is_keyword(p, KEYWORD_IN)) {
        node = parse_star_target(p);
        if (!node)
            return NODE_NONE;
        parse_append(p, &targets, node);
    }
    node = parse_new(p, NODE_TUPLE, start);
    if (!node)
        return NODE_NONE;
    parse_node(p, node)->op = CONTEXT_STORE;
    return parse_adopt(p, node, &targets);
}
