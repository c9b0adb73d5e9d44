/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statements with blocks: definitions with their parameters, with, try, conditions and loops, and
 * the table of all of them.
 */
#include "validator/syntax/parse_internal.h"

#include "validator/limits.h"

/* ---- parameters of def and lambda, and the order they may stand in ---- */

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
    uint16_t flags = 0;

    if (annotations && parse_take_op(p, ':')) {
        uint32_t start = parse_token(p)->start;
        bool starred = star && parse_take_op(p, '*'); /* *args: *Types */

        if (!parse_append(p, &parts,
                          starred ? parse_wrap(p, NODE_STARRED, start, parse_bitwise_or(p))
                                  : parse_expression(p)))
            return NODE_NONE;
        flags |= NODE_HAS_ANNOTATION;
    }
    if (parse_is_op(p, '=')) {
        if (!default_allowed)
            return parse_fail(p, parse_token(p)->start,
                              "A parameter with '*' or '**' takes no default. Leave it away.");
        p->at++;
        if (!parse_append(p, &parts, parse_expression(p)))
            return NODE_NONE;
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
    if (order->slash || order->star || !order->any)
        return parse_fail(p, parse_token(p)->start,
                          "'/' stands once, behind at least one parameter and before '*'.");
    p->at++;
    order->slash = true;
    for (uint32_t node = parameters->first; node; node = parse_node(p, node)->next)
        parse_node(p, node)->op = PARAMETER_POSITIONAL;
    return true;
}

static const char name_missing[] =
    "Behind '*' alone a named parameter must follow. Delete the '*'.";

/* One of the list. False after an error. */
static bool parse_one(struct parser *p, struct order *order, struct siblings *parameters)
{
    uint32_t at = parse_token(p)->start;

    if (order->double_star)
        return parse_fail(p, at, "Nothing can follow the parameter with '**'. Move it to the end.");
    if (parse_is_op(p, '/'))
        return take_slash(p, order, parameters);
    if (parse_is_op(p, '*')) {
        if (order->star)
            return parse_fail(p, at, "'*' stands once among the parameters. Delete one.");
        p->at++;
        order->star = true;
        order->bare_star = parse_is_op(p, ',');
        return order->bare_star ||
               parse_append(p, parameters, parse_starred(p, order, PARAMETER_STAR));
    }
    if (parse_is_op(p, OP_POWER)) {
        if (order->bare_star)
            return parse_fail(p, at, "%s", name_missing);
        p->at++;
        order->double_star = true;
        return parse_append(p, parameters, parse_starred(p, order, PARAMETER_DOUBLE_STAR));
    }
    if (parse_is_name(p))
        return parse_append(p, parameters, parse_plain(p, order));
    return parse_expected(p, "a parameter's name");
}

uint32_t parse_parameters(struct parser *p, unsigned close, bool lambda)
{
    struct siblings parameters = {0};
    struct order order = {.lambda = lambda};
    uint32_t start = parse_token(p)->start;

    while (!parse_is_op(p, close)) {
        if (!parse_one(p, &order, &parameters))
            return NODE_NONE;
        order.any = true;
        if (!parse_take_op(p, ','))
            break;
    }
    if (order.bare_star)
        return parse_fail(p, parse_token(p)->start, "%s", name_missing);
    return parse_finish(p, NODE_PARAMETERS, start, &parameters);
}

/* ---- parts of a statement ---- */

/* Takes the ':' of a header. Where only it is missing before an indented block, that is said and
 * the block read all the same. */
static bool take_colon(struct parser *p)
{
    if (parse_take_op(p, ':'))
        return true;
    if (parse_token(p)->kind != TOKEN_NEWLINE || parse_token(p)[1].kind != TOKEN_INDENT)
        return parse_expected(p, "':'");
    parse_fail(p, parse_token(p)->start, "A ':' is missing at the end of this line.");
    report_correct(p->report, parse_token(p)[-1].start + parse_token(p)[-1].length, 0, ":");
    p->quiet = false;
    return true;
}

/* ':' and a block, appended. */
static bool append_block(struct parser *p, struct siblings *parts, enum node_kind kind)
{
    return take_colon(p) && parse_append(p, parts, parse_block(p, kind));
}

/* A clause of its own keyword, if it is here. False after an error. */
static bool append_clause(struct parser *p, struct siblings *parts, enum keyword keyword,
                          enum node_kind kind)
{
    return !parse_take_keyword(p, keyword) || append_block(p, parts, kind);
}

/* ---- with, whose items may stand in brackets ---- */

static uint32_t parse_with_item(struct parser *p)
{
    uint32_t start = parse_token(p)->start;
    struct siblings parts = {0};

    if (!parse_append(p, &parts, parse_expression(p)))
        return NODE_NONE;
    if (parse_take_keyword(p, KEYWORD_AS)) {
        if (!parse_append(p, &parts, parse_star_target(p)))
            return NODE_NONE;
        if (!parse_is_op(p, ',') && !parse_is_op(p, ')') && !parse_is_op(p, ':'))
            return parse_expected(p, "':'");
    }
    return parse_finish(p, NODE_WITH_ITEM, start, &parts);
}

/* Whether the '(' here holds items, `with (a as b, c as d):`, and no value: an `as` that no inner
 * bracket holds shows it. */
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
        if (!parse_append(p, parts,
                          parse_wrap(p, NODE_WITH_ITEM, parse_node(p, element)->at, element)))
            return false;
    }
    return true;
}

static uint32_t parse_with(struct parser *p)
{
    uint32_t start = parse_token(p)->start, open;
    struct siblings parts = {0};
    bool brackets;

    p->at++;
    open = parse_token(p)->start;
    brackets = at_bracketed_items(p);
    p->at += brackets;
    do {
        if (brackets && parts.first && parse_is_op(p, ')'))
            break;
        if (!parse_append(p, &parts, parse_with_item(p)))
            return NODE_NONE;
    } while (parse_take_op(p, ','));
    if (!brackets && is_tuple_of_items(p, &parts, open) && !unfold_tuple(p, &parts))
        return NODE_NONE;
    if ((brackets && !parse_expect_op(p, ')', "',' or ')'")) ||
        !append_block(p, &parts, NODE_BLOCK))
        return NODE_NONE;
    return parse_finish(p, NODE_WITH, start, &parts);
}

/* ---- try and its handlers ---- */

/* Behind `except` or `except *`. */
/* except ValueError, e: is Python 2's; a name in capitals may be a second class. */
static uint32_t fail_at_comma(struct parser *p, uint32_t handler)
{
    const struct token *comma = parse_token(p);
    const char first = p->ast->source[comma[1].start];

    parse_fail(p, parse_node(p, handler)->at,
               "Put several exceptions in parentheses, and the name behind 'as': except (A, B) as "
               "e:");
    if (comma[1].kind == TOKEN_NAME && comma[2].kind == TOKEN_OP && comma[2].id == ':' &&
        first >= 'a' && first <= 'z')
        report_correct(p->report, comma->start, 1, " as");
    return NODE_NONE;
}

static uint32_t parse_handler(struct parser *p, bool star)
{
    uint32_t node = parse_new(p, NODE_HANDLER, p->tokens[p->at - 1].start);
    struct siblings parts = {0};

    if (!node)
        return NODE_NONE;
    if (star || !parse_is_op(p, ':')) {
        if (!parse_append(p, &parts, parse_expression(p)))
            return NODE_NONE;
        parse_node(p, node)->flags |= NODE_HAS_TYPE;
        if (parse_is_op(p, ','))
            return fail_at_comma(p, node);
        if (parse_take_keyword(p, KEYWORD_AS)) {
            if (!parse_is_name(p))
                return parse_expected(p, "a name behind 'as'");
            parse_node(p, node)->at = parse_token(p)->start;
            parse_node(p, node)->name = parse_symbol(p);
            if (!parse_node(p, node)->name)
                return NODE_NONE;
        }
    }
    return append_block(p, &parts, NODE_BLOCK) ? parse_adopt(p, node, &parts) : NODE_NONE;
}

static bool append_handlers(struct parser *p, struct siblings *parts, bool *star)
{
    bool first = true;

    for (; parse_take_keyword(p, KEYWORD_EXCEPT); first = false) {
        bool starred = parse_take_op(p, '*');

        if (!first && starred != *star)
            return parse_fail(p, p->tokens[p->at - 1].start,
                              "'except' and 'except*' cannot stand in one try. Write one kind.");
        *star = starred;
        if (!parse_append(p, parts, parse_handler(p, starred)))
            return false;
    }
    return true;
}

static const char try_alone[] =
    "This try has neither except nor finally. Add: except Exception as e: print(e).";

/* catch E as e: is reported by itself, and the try before it needs no report. */
static bool at_catch(const struct parser *p)
{
    return parse_is_text(p, "catch") && parse_token(p)[1].kind == TOKEN_NAME;
}

static uint32_t parse_try(struct parser *p)
{
    uint32_t start = parse_token(p)->start, body, node;
    struct siblings parts = {0};
    bool star = false, complete;

    p->at++;
    if (!append_block(p, &parts, NODE_BLOCK))
        return NODE_NONE;
    body = parts.last;
    if (!append_handlers(p, &parts, &star))
        return NODE_NONE;
    if (parts.last == body && parse_is_keyword(p, KEYWORD_ELSE))
        parse_fail(p, start, "%s", try_alone);
    if (!append_clause(p, &parts, KEYWORD_ELSE, NODE_ELSE))
        return NODE_NONE;
    complete = parts.last != body || parse_is_keyword(p, KEYWORD_FINALLY);
    if (!append_clause(p, &parts, KEYWORD_FINALLY, NODE_FINALLY))
        return NODE_NONE;
    if (!complete && at_catch(p))
        parse_leave_unreported(p, start);
    else if (!complete) /* the block was read: go on behind it */
        parse_fail(p, start, "%s", try_alone);
    p->quiet = false;
    node = parse_finish(p, NODE_TRY, start, &parts);
    if (node && star)
        parse_node(p, node)->flags |= NODE_STAR;
    return node;
}

/* ---- functions and classes, with their decorators ---- */

static uint32_t parse_function(struct parser *p, struct siblings *parts)
{
    uint32_t node, start;

    p->at++;
    if (!parse_is_name(p))
        return parse_expected(p, "the function's name");
    node = parse_new_named(p, NODE_FUNCTION);
    if (!node || !parse_expect_op(p, '(', "'(' with the parameters") ||
        !parse_append(p, parts, parse_parameters(p, ')', false)) ||
        !parse_expect_op(p, ')', "',' or ')'"))
        return NODE_NONE;
    start = parse_token(p)->start;
    if (parse_take_op(p, OP_ARROW) &&
        !parse_append(p, parts, parse_wrap(p, NODE_RETURNS, start, parse_expression(p))))
        return NODE_NONE;
    return append_block(p, parts, NODE_BLOCK) ? parse_adopt(p, node, parts) : NODE_NONE;
}

static uint32_t parse_class(struct parser *p, struct siblings *parts)
{
    uint32_t node;

    p->at++;
    if (!parse_is_name(p))
        return parse_expected(p, "the class's name");
    node = parse_new_named(p, NODE_CLASS);
    if (!node || (parse_take_op(p, '(') && !parse_arguments(p, parts, false)) ||
        !append_block(p, parts, NODE_BLOCK))
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

/* The decorators, if there are any, and what they decorate. */
static uint32_t parse_decorated(struct parser *p)
{
    struct siblings parts = {0};

    while (parse_is_op(p, '@')) {
        uint32_t start = parse_token(p)->start;

        p->at++;
        if (!parse_append(p, &parts,
                          parse_wrap(p, NODE_DECORATOR, start, parse_named_expression(p))))
            return NODE_NONE;
        if (parse_token(p)->kind != TOKEN_NEWLINE)
            return parse_expected(p, "the end of the line");
        p->at++;
    }
    return parse_definition(p, &parts);
}

/* ---- conditions, loops, and the table ---- */

/* A keyword, a test and a block: of if, elif and while. */
static bool append_branch(struct parser *p, struct siblings *parts)
{
    p->at++;
    return parse_append(p, parts, parse_named_expression(p)) && append_block(p, parts, NODE_BLOCK);
}

static uint32_t parse_elif(struct parser *p)
{
    uint32_t start = parse_token(p)->start;
    struct siblings parts = {0};

    return append_branch(p, &parts) ? parse_finish(p, NODE_ELIF, start, &parts) : NODE_NONE;
}

static uint32_t parse_if(struct parser *p)
{
    uint32_t start = parse_token(p)->start;
    struct siblings parts = {0};
    unsigned elifs = 0;

    if (!append_branch(p, &parts))
        return NODE_NONE;
    for (; parse_is_keyword(p, KEYWORD_ELIF); elifs++) {
        uint32_t elif = parse_elif(p);

        if (!parse_append(p, &parts, elif))
            return NODE_NONE;
        /* CPython nests each in the one before. */
        parse_node(p, elif)->height = (uint16_t)(parse_node(p, elif)->height + elifs + 1);
        if (elifs >= VALIDATOR_TREE_CAP)
            return parse_fail(p, parse_node(p, elif)->at,
                              "Too many branches. Look the value up in a dictionary.");
    }
    if (!append_clause(p, &parts, KEYWORD_ELSE, NODE_ELSE))
        return NODE_NONE;
    return parse_finish(p, NODE_IF, start, &parts);
}

static uint32_t parse_while(struct parser *p)
{
    uint32_t start = parse_token(p)->start;
    struct siblings parts = {0};

    if (!append_branch(p, &parts) || !append_clause(p, &parts, KEYWORD_ELSE, NODE_ELSE))
        return NODE_NONE;
    return parse_finish(p, NODE_WHILE, start, &parts);
}

static uint32_t parse_for(struct parser *p)
{
    uint32_t start = parse_token(p)->start;
    struct siblings parts = {0};

    p->at++;
    if (!parse_append(p, &parts, parse_star_targets(p)) ||
        !parse_expect_keyword(p, KEYWORD_IN, "'in', as in for NAME in VALUES:,") ||
        !parse_append(p, &parts, parse_star_expressions(p)) ||
        !append_block(p, &parts, NODE_BLOCK) || !append_clause(p, &parts, KEYWORD_ELSE, NODE_ELSE))
        return NODE_NONE;
    return parse_finish(p, NODE_FOR, start, &parts);
}

static uint32_t parse_async(struct parser *p)
{
    const struct token *next = parse_token(p) + 1;
    uint32_t node;

    if (next->kind == TOKEN_NAME && next->id == KEYWORD_DEF)
        return parse_decorated(p);
    p->at++;
    if (parse_is_keyword(p, KEYWORD_FOR))
        node = parse_for(p);
    else if (parse_is_keyword(p, KEYWORD_WITH))
        node = parse_with(p);
    else
        return parse_expected(p, "def, for or with behind 'async'");
    if (node)
        parse_node(p, node)->flags |= NODE_ASYNC;
    return node;
}

typedef uint32_t compound_rule(struct parser *p);

static compound_rule *const rules[KEYWORD_YIELD + 1] = {
    [KEYWORD_ASYNC] = parse_async,   [KEYWORD_CLASS] = parse_decorated,
    [KEYWORD_DEF] = parse_decorated, [KEYWORD_FOR] = parse_for,
    [KEYWORD_IF] = parse_if,         [KEYWORD_TRY] = parse_try,
    [KEYWORD_WHILE] = parse_while,   [KEYWORD_WITH] = parse_with,
};

/* `match` is a keyword only at the start of a line that ends in ':' and has a block behind it. */
static bool at_match(const struct parser *p)
{
    const struct token *token = parse_token(p);

    if (!parse_is_text(p, "match"))
        return false;
    while (token->kind != TOKEN_NEWLINE && token->kind != TOKEN_END && token->kind != TOKEN_ERROR)
        token++;
    return token->kind == TOKEN_NEWLINE && token[-1].kind == TOKEN_OP && token[-1].id == ':' &&
           token[1].kind == TOKEN_INDENT;
}

bool parse_is_compound(const struct parser *p)
{
    const struct token *token = parse_token(p);

    if (token->kind == TOKEN_OP)
        return token->id == '@';
    return token->kind == TOKEN_NAME && (rules[token->id] || at_match(p));
}

uint32_t parse_compound(struct parser *p)
{
    const struct token *token = parse_token(p);

    if (token->kind == TOKEN_OP)
        return parse_decorated(p);
    return rules[token->id] ? rules[token->id](p) : parse_match(p);
}
