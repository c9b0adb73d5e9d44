/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statements of one line. The left side of an assignment is parsed as an expression and converted
 * to a target when its '=' is found, so that nothing is parsed twice.
 */
#include "validator/syntax/parse_internal.h"

/* ---- what can be assigned to or deleted ---- */

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

    return parse_fail(p, row->at,
                      context == CONTEXT_DELETE
                          ? "Not %s: del takes names, items and attributes: del x[0]."
                          : "Nothing can be assigned to %s. The left side is a name, an item or an "
                            "attribute; to compare write '=='.",
                      describe(row));
}

static bool parse_make_target(struct parser *p, uint32_t node, enum context context)
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
static bool parse_is_single_target(const struct parser *p, uint32_t node)
{
    uint8_t kind = p->ast->nodes[node].kind;

    return kind == NODE_NAME || kind == NODE_ATTRIBUTE || kind == NODE_SUBSCRIPT;
}

uint32_t parse_star_target(struct parser *p)
{
    uint32_t start = parse_token(p)->start;
    bool star = parse_take_op(p, '*');
    uint32_t node = parse_primary(p);

    if (star)
        node = parse_wrap(p, NODE_STARRED, start, node);
    return node && parse_make_target(p, node, CONTEXT_STORE) ? node : NODE_NONE;
}

uint32_t parse_star_targets(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node = parse_star_target(p);
    struct siblings targets = {node, node};

    if (!node || !parse_is_op(p, ','))
        return node;
    while (parse_take_op(p, ',') && !parse_is_keyword(p, KEYWORD_IN))
        if (!parse_append(p, &targets, parse_star_target(p)))
            return NODE_NONE;
    node = parse_finish(p, NODE_TUPLE, start, &targets);
    if (node)
        parse_node(p, node)->op = CONTEXT_STORE;
    return node;
}

/* ---- imports ---- */

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
    uint32_t node = name ? parse_wrap(p, NODE_ALIAS, at, parse_bound_name(p, at, own)) : NODE_NONE;

    if (node)
        parse_node(p, node)->name = name;
    return node;
}

static uint32_t parse_import(struct parser *p)
{
    uint32_t start = parse_token(p)->start;
    struct siblings aliases = {0};

    do {
        uint32_t at, name, first;

        p->at++;
        if (!parse_is_name(p))
            return parse_expected(p, "a module's name");
        at = parse_token(p)->start;
        name = parse_dotted(p, &first);
        if (!parse_append(p, &aliases, new_alias(p, at, name, first)))
            return NODE_NONE;
    } while (parse_is_op(p, ','));
    return parse_finish(p, NODE_IMPORT, start, &aliases);
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
        if (brackets && members->first && parse_is_op(p, ')'))
            break;
        if (!parse_append(p, members, parse_member(p)))
            return false;
    } while (parse_take_op(p, ','));
    return !brackets || parse_expect_op(p, ')', "',' or ')'");
}

static uint32_t parse_import_from(struct parser *p)
{
    uint32_t start = parse_token(p)->start, name = SYMBOL_NONE, first, node;
    struct siblings members = {0};
    unsigned level = 0;

    p->at++;
    for (; parse_is_op(p, '.') || parse_is_op(p, OP_ELLIPSIS); p->at++)
        level += parse_is_op(p, '.') ? 1 : 3;
    if (parse_is_name(p)) {
        name = parse_dotted(p, &first);
        if (!name)
            return NODE_NONE;
    } else if (level == 0)
        return parse_expected(p, "a module's name");
    if (!parse_expect_keyword(p, KEYWORD_IMPORT, "'import', as in from MODULE import NAME,"))
        return NODE_NONE;
    if (parse_is_op(p, '*') ? !parse_append(p, &members, parse_star_member(p))
                            : !parse_members(p, &members))
        return NODE_NONE;
    node = parse_finish(p, NODE_IMPORT_FROM, start, &members);
    if (node) {
        parse_node(p, node)->name = name;
        parse_node(p, node)->op = level > UINT8_MAX ? UINT8_MAX : (uint8_t)level;
    }
    return node;
}

/* ---- the statements ---- */

static bool ends_statement(const struct parser *p)
{
    return parse_token(p)->kind == TOKEN_NEWLINE || parse_is_op(p, ';');
}

static uint32_t parse_augmented(struct parser *p, uint32_t target)
{
    struct siblings parts = {target, target};
    uint8_t op = parse_token(p)->id;
    uint32_t node;

    if (!parse_is_single_target(p, target))
        return parse_fail(p, parse_node(p, target)->at,
                          "Only a name, an item or an attribute can be changed in place. Write "
                          "x = x + 1 for each.");
    parse_make_target(p, target, CONTEXT_STORE);
    p->at++;
    if (!parse_append(p, &parts, parse_yield_or_stars(p)))
        return NODE_NONE;
    node = parse_finish(p, NODE_AUGMENTED, parse_node(p, target)->at, &parts);
    if (node)
        parse_node(p, node)->op = op;
    return node;
}

/* `(x).y: int` is refused, `(x()).y: int` is not: once CPython's grammar has read a target in
 * brackets at the start of the statement, it takes nothing behind them but the ':'. */
static bool begins_with_target_in_brackets(struct parser *p, uint32_t target)
{
    const struct node *node = parse_node(p, target);

    while (node->kind == NODE_ATTRIBUTE || node->kind == NODE_SUBSCRIPT ||
           node->kind == NODE_CALL) {
        node = parse_node(p, node->child);
        if (node->flags & NODE_PARENTHESIZED)
            return node->kind == NODE_NAME || node->kind == NODE_ATTRIBUTE ||
                   node->kind == NODE_SUBSCRIPT;
    }
    return false;
}

static uint32_t parse_annotated(struct parser *p, uint32_t target)
{
    struct siblings parts = {target, target};
    uint32_t node;

    if (!parse_is_single_target(p, target))
        return parse_expected(p, "the end of the line");
    if (!(parse_node(p, target)->flags & NODE_PARENTHESIZED) &&
        begins_with_target_in_brackets(p, target))
        return parse_fail(p, parse_node(p, target)->at,
                          "Python takes no annotation of this target. Leave out the brackets.");
    parse_make_target(p, target, CONTEXT_STORE);
    p->at++;
    if (!parse_append(p, &parts, parse_expression(p)) ||
        (parse_take_op(p, '=') && !parse_append(p, &parts, parse_yield_or_stars(p))))
        return NODE_NONE;
    node = parse_finish(p, NODE_ANNOTATED, parse_node(p, target)->at, &parts);
    if (node)
        parse_node(p, node)->flags |= parse_node(p, target)->flags & NODE_PARENTHESIZED;
    return node;
}

static uint32_t parse_assignment(struct parser *p, uint32_t first)
{
    struct siblings parts = {first, first};

    while (parse_take_op(p, '=')) {
        const struct node *target = parse_node(p, parts.last);

        if (target->kind == NODE_YIELD || target->kind == NODE_YIELD_FROM ||
            !parse_make_target(p, parts.last, CONTEXT_STORE))
            return parse_fail(p, target->at, "Nothing can be assigned to a yield expression.");
        if (!parse_append(p, &parts, parse_yield_or_stars(p)))
            return NODE_NONE;
    }
    return parse_finish(p, NODE_ASSIGN, parse_node(p, first)->at, &parts);
}

static uint32_t parse_expression_statement(struct parser *p)
{
    uint32_t node = parse_star_expressions(p);
    const struct token *token = parse_token(p);

    if (!node)
        return NODE_NONE;
    if (token->kind == TOKEN_OP) {
        if (token->id == '=')
            return parse_assignment(p, node);
        if (token->id == ':')
            return parse_annotated(p, node);
        if (token->id >= OP_ASSIGN_FIRST && token->id <= OP_ASSIGN_LAST)
            return parse_augmented(p, node);
    }
    return parse_wrap(p, NODE_EXPRESSION, parse_node(p, node)->at, node);
}

static uint32_t parse_yield_statement(struct parser *p)
{
    uint32_t start = parse_token(p)->start;

    return parse_wrap(p, NODE_EXPRESSION, start, parse_yield(p));
}

static uint32_t parse_return(struct parser *p)
{
    uint32_t start = parse_token(p)->start;

    p->at++;
    if (ends_statement(p))
        return parse_new(p, NODE_RETURN, start);
    return parse_wrap(p, NODE_RETURN, start, parse_star_expressions(p));
}

static uint32_t parse_word(struct parser *p)
{
    const struct token *token = parse_token(p);
    enum node_kind kind = token->id == KEYWORD_PASS    ? NODE_PASS
                          : token->id == KEYWORD_BREAK ? NODE_BREAK
                                                       : NODE_CONTINUE;

    p->at++;
    return parse_new(p, kind, token->start);
}

/* A keyword, an expression, and perhaps a second one behind `,` or a word. */
static uint32_t parse_pair(struct parser *p, enum node_kind kind, bool comma)
{
    uint32_t start = parse_token(p)->start;
    struct siblings parts = {0};

    p->at++;
    if (!parse_append(p, &parts, parse_expression(p)) ||
        ((comma ? parse_take_op(p, ',') : parse_take_keyword(p, KEYWORD_FROM)) &&
         !parse_append(p, &parts, parse_expression(p))))
        return NODE_NONE;
    return parse_finish(p, kind, start, &parts);
}

static uint32_t parse_assert(struct parser *p)
{
    return parse_pair(p, NODE_ASSERT, true);
}

static uint32_t parse_raise(struct parser *p)
{
    uint32_t start = parse_token(p)->start;

    if (parse_token(p)[1].kind != TOKEN_NEWLINE &&
        !(parse_token(p)[1].kind == TOKEN_OP && parse_token(p)[1].id == ';'))
        return parse_pair(p, NODE_RAISE, false);
    p->at++;
    return parse_new(p, NODE_RAISE, start);
}

static uint32_t parse_delete(struct parser *p)
{
    uint32_t start = parse_token(p)->start;
    struct siblings targets = {0};

    p->at++;
    do {
        if (!parse_append(p, &targets, parse_primary(p)) ||
            !parse_make_target(p, targets.last, CONTEXT_DELETE))
            return NODE_NONE;
    } while (parse_take_op(p, ',') && !ends_statement(p));
    return parse_finish(p, NODE_DELETE, start, &targets);
}

static uint32_t parse_names(struct parser *p)
{
    const struct token token = *parse_token(p);
    struct siblings names = {0};

    do {
        p->at++;
        if (!parse_is_name(p))
            return parse_expected(p, "a name");
        if (!parse_append(p, &names, parse_new_named(p, NODE_BINDING)))
            return NODE_NONE;
    } while (parse_is_op(p, ','));
    return parse_finish(p, token.id == KEYWORD_GLOBAL ? NODE_GLOBAL : NODE_NONLOCAL, token.start,
                        &names);
}

typedef uint32_t statement_rule(struct parser *p);

static statement_rule *const rules[KEYWORD_YIELD + 1] = {
    [KEYWORD_ASSERT] = parse_assert,    [KEYWORD_BREAK] = parse_word,
    [KEYWORD_CONTINUE] = parse_word,    [KEYWORD_DEL] = parse_delete,
    [KEYWORD_FROM] = parse_import_from, [KEYWORD_GLOBAL] = parse_names,
    [KEYWORD_IMPORT] = parse_import,    [KEYWORD_NONLOCAL] = parse_names,
    [KEYWORD_PASS] = parse_word,        [KEYWORD_RAISE] = parse_raise,
    [KEYWORD_RETURN] = parse_return,    [KEYWORD_YIELD] = parse_yield_statement,
};

static uint32_t parse_simple(struct parser *p)
{
    const struct token *token = parse_token(p);

    if (token->kind == TOKEN_NAME && rules[token->id])
        return rules[token->id](p);
    return parse_expression_statement(p);
}

/* simple_stmts: statements with ';' between them, up to the end of the line. */
bool parse_simple_line(struct parser *p, struct siblings *to)
{
    do {
        if (!parse_append(p, to, parse_simple(p)))
            return false;
    } while (parse_take_op(p, ';') && parse_token(p)->kind != TOKEN_NEWLINE);
    if (parse_token(p)->kind != TOKEN_NEWLINE)
        return parse_expected(p, "the end of the line");
    p->at++;
    return true;
}
