/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `match`, its cases and their patterns.
 */
#include "validator/syntax/parse_internal.h"

/* ---- patterns ---- */

static uint32_t parse_pattern(struct parser *p);
static uint32_t parse_maybe_star(struct parser *p);

/* A number alone, as an expression. */
static uint32_t take_number(struct parser *p, bool *imaginary)
{
    const struct token *token = parse_token(p);
    char last;

    if (token->kind != TOKEN_NUMBER)
        return parse_expected(p, "a number");
    last = p->ast->source[token->start + token->length - 1];
    *imaginary = last == 'j' || last == 'J';
    if (token[1].kind == TOKEN_OP &&
        (token[1].id == '.' || token[1].id == '(' || token[1].id == '['))
        return parse_fail(p, token[1].start,
                          "A pattern does not compute. Compare in a guard: case x if x == value:");
    return parse_primary(p);
}

static uint32_t negate(struct parser *p, uint32_t at, uint32_t operand)
{
    uint32_t node = parse_wrap(p, NODE_UNARY, at, operand);

    if (node)
        parse_node(p, node)->op = '-';
    return node;
}

/* ['-'] NUMBER [('+' | '-') NUMBER] */
static uint32_t parse_number_expression(struct parser *p)
{
    uint32_t start = parse_token(p)->start, number, node;
    bool minus = parse_take_op(p, '-'), imaginary = false;
    struct siblings parts = {0};
    uint8_t op;

    number = take_number(p, &imaginary);
    if (minus)
        number = negate(p, start, number);
    if (!parse_append(p, &parts, number) || (!parse_is_op(p, '+') && !parse_is_op(p, '-')))
        return number;
    op = parse_token(p)->id;
    p->at++;
    if (imaginary)
        return parse_fail(p, start, "A complex number in a pattern begins with its real part.");
    if (!parse_append(p, &parts, take_number(p, &imaginary)))
        return NODE_NONE;
    if (!imaginary)
        return parse_fail(p, parse_node(p, parts.last)->at,
                          "A pattern does not compute: only a complex number, 1 + 2j, has a sign "
                          "between. Compare in a guard: case x if x == a + b:");
    node = parse_finish(p, NODE_BINARY, start, &parts);
    if (node)
        parse_node(p, node)->op = op;
    return node;
}

/* NAME ('.' NAME)*, as an expression. */
static uint32_t parse_dotted_expression(struct parser *p)
{
    uint32_t node = parse_new_named(p, NODE_NAME);

    while (node && parse_is_op(p, '.'))
        node = parse_attribute(p, node);
    return node;
}

/* literal_expr: what a pattern, or the key of a mapping pattern, may be by its first token.
 * NODE_NONE with *there false where no literal begins. */
static uint32_t parse_literal(struct parser *p, bool *there)
{
    *there = true;
    if (parse_token(p)->kind == TOKEN_NUMBER || parse_is_op(p, '-'))
        return parse_number_expression(p);
    if (parse_token(p)->kind == TOKEN_STRING)
        return parse_strings(p);
    if (parse_is_keyword(p, KEYWORD_NONE_VALUE) || parse_is_keyword(p, KEYWORD_TRUE) ||
        parse_is_keyword(p, KEYWORD_FALSE))
        return parse_constant(p);
    *there = false;
    return NODE_NONE;
}

/* A name that takes a value; `_` takes none. */
static uint32_t parse_capture(struct parser *p, enum node_kind kind, bool wildcard_allowed)
{
    uint32_t start = parse_token(p)->start;

    if (!parse_is_name(p))
        return parse_expected(p, "a name");
    if (parse_is_text(p, "_")) {
        if (!wildcard_allowed)
            return parse_fail(p, start, "'_' takes no value here. Choose another name.");
        p->at++;
        return parse_new(p, kind, start);
    }
    return parse_new_named(p, kind);
}

static uint32_t parse_class_argument(struct parser *p, bool *keyword)
{
    uint32_t start = parse_token(p)->start, node;

    if (!parse_is_name(p) || !parse_next_is_op(p, '=')) {
        if (*keyword)
            return parse_fail(p, start,
                              "A pattern without a name follows one with a name. Move it before.");
        return parse_pattern(p);
    }
    *keyword = true;
    node = parse_new_named(p, NODE_MATCH_KEYWORD);
    p->at++;
    return node ? parse_adopt_one(p, node, parse_pattern(p)) : NODE_NONE;
}

static uint32_t parse_class_pattern(struct parser *p, uint32_t class_name)
{
    struct siblings parts = {class_name, class_name};
    uint32_t at = parse_node(p, class_name)->at;
    bool keyword = false;

    p->at++;
    while (!parse_is_op(p, ')')) {
        if (!parse_append(p, &parts, parse_class_argument(p, &keyword)))
            return NODE_NONE;
        if (!parse_take_op(p, ','))
            break;
    }
    return parse_expect_op(p, ')', "',' or ')'") ? parse_finish(p, NODE_MATCH_CLASS, at, &parts)
                                                 : NODE_NONE;
}

/* A name: a capture, a value with dots, or a class. */
static uint32_t parse_name_pattern(struct parser *p)
{
    uint32_t name;

    /* `_` is always the wildcard: no name of a class, nor of what has a value. */
    if ((!parse_next_is_op(p, '.') && !parse_next_is_op(p, '(')) || parse_is_text(p, "_"))
        return parse_capture(p, NODE_MATCH_AS, true);
    name = parse_dotted_expression(p);
    if (!name || !parse_is_op(p, '('))
        return parse_wrap(p, NODE_MATCH_VALUE, parse_node(p, name)->at, name);
    return parse_class_pattern(p, name);
}

/* Patterns up to the closing sign, which is not taken. */
static bool parse_sequence_rest(struct parser *p, struct siblings *patterns)
{
    while (parse_take_op(p, ',')) {
        if (parse_is_op(p, ')') || parse_is_op(p, ']') || parse_is_op(p, ':') ||
            parse_is_keyword(p, KEYWORD_IF))
            break;
        if (!parse_append(p, patterns, parse_maybe_star(p)))
            return false;
    }
    return true;
}

/* '[' ... ']', or '(' ... ')' where one pattern alone is itself. */
static uint32_t parse_bracket_pattern(struct parser *p, unsigned close)
{
    uint32_t start = parse_token(p)->start, node;
    struct siblings patterns = {0};
    bool comma;

    p->at++;
    if (parse_take_op(p, close))
        return parse_new(p, NODE_MATCH_SEQUENCE, start);
    node = parse_maybe_star(p);
    if (!parse_append(p, &patterns, node))
        return NODE_NONE;
    comma = parse_is_op(p, ',');
    if (!parse_sequence_rest(p, &patterns) ||
        !parse_expect_op(p, close, close == ')' ? "',' or ')'" : "',' or ']'"))
        return NODE_NONE;
    if (close == ']' || comma)
        return parse_finish(p, NODE_MATCH_SEQUENCE, start, &patterns);
    if (parse_node(p, node)->kind == NODE_MATCH_STAR)
        return parse_fail(p, parse_node(p, node)->at,
                          "'*' cannot stand alone in brackets. Write a comma behind it: (*a,).");
    return node;
}

static bool parse_mapping_key(struct parser *p, struct siblings *parts)
{
    bool there;
    uint32_t key = parse_literal(p, &there);

    if (!there && parse_is_name(p) && parse_next_is_op(p, '.'))
        key = parse_dotted_expression(p);
    else if (!there)
        parse_expected(p, "a key (a text, a number or a dotted name)");
    return parse_append(p, parts, key) &&
           parse_expect_op(p, ':', "':' between a key and its pattern");
}

static uint32_t parse_mapping_pattern(struct parser *p)
{
    uint32_t start = parse_token(p)->start;
    struct siblings parts = {0};
    bool rest = false;

    p->at++;
    while (!rest && !parse_is_op(p, '}')) {
        rest = parse_take_op(p, OP_POWER);
        if (!rest && !parse_mapping_key(p, &parts))
            return NODE_NONE;
        if (!parse_append(p, &parts,
                          rest ? parse_capture(p, NODE_MATCH_STAR, false) : parse_pattern(p)))
            return NODE_NONE;
        if (!parse_take_op(p, ','))
            break;
    }
    return parse_expect_op(p, '}', "',' or '}'")
               ? parse_finish(p, NODE_MATCH_MAPPING, start, &parts)
               : NODE_NONE;
}

static uint32_t parse_closed_pattern(struct parser *p)
{
    bool there;
    uint32_t literal = parse_literal(p, &there);

    if (there)
        return parse_wrap(p, NODE_MATCH_VALUE, parse_node(p, literal)->at, literal);
    if (parse_is_name(p))
        return parse_name_pattern(p);
    if (parse_is_op(p, '('))
        return parse_bracket_pattern(p, ')');
    if (parse_is_op(p, '['))
        return parse_bracket_pattern(p, ']');
    if (parse_is_op(p, '{'))
        return parse_mapping_pattern(p);
    return parse_expected(p, "a pattern");
}

static uint32_t parse_or_pattern(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node = parse_closed_pattern(p);
    struct siblings patterns = {node, node};

    if (!node || !parse_is_op(p, '|'))
        return node;
    while (parse_take_op(p, '|'))
        if (!parse_append(p, &patterns, parse_closed_pattern(p)))
            return NODE_NONE;
    return parse_finish(p, NODE_MATCH_OR, start, &patterns);
}

static uint32_t parse_pattern(struct parser *p)
{
    uint32_t node, as;

    if (!parse_enter(p))
        return NODE_NONE;
    node = parse_or_pattern(p);
    parse_leave(p);
    if (!node || !parse_take_keyword(p, KEYWORD_AS))
        return node;
    as = parse_capture(p, NODE_MATCH_AS, false);
    return as ? parse_adopt_one(p, as, node) : NODE_NONE;
}

static uint32_t parse_maybe_star(struct parser *p)
{
    if (parse_take_op(p, '*'))
        return parse_capture(p, NODE_MATCH_STAR, true);
    return parse_pattern(p);
}

static uint32_t parse_pattern_line(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node = parse_maybe_star(p);
    struct siblings patterns = {node, node};

    if (!node)
        return NODE_NONE;
    if (parse_is_op(p, ','))
        return parse_sequence_rest(p, &patterns)
                   ? parse_finish(p, NODE_MATCH_SEQUENCE, start, &patterns)
                   : NODE_NONE;
    if (parse_node(p, node)->kind == NODE_MATCH_STAR)
        return parse_fail(p, start, "'*' cannot stand alone in a case. Write case [*rest]:");
    return node;
}

/* ---- match and case ---- */

static uint32_t parse_case(struct parser *p)
{
    uint32_t at = parse_token(p)->start, start;
    struct siblings parts = {0};

    if (!parse_is_text(p, "case"))
        return parse_expected(p, "'case'");
    p->at++;
    if (!parse_append(p, &parts, parse_pattern_line(p)))
        return NODE_NONE;
    start = parse_token(p)->start;
    if (parse_take_keyword(p, KEYWORD_IF) &&
        !parse_append(p, &parts, parse_wrap(p, NODE_GUARD, start, parse_named_expression(p))))
        return NODE_NONE;
    if (!parse_expect_op(p, ':', "':'") || !parse_append(p, &parts, parse_block(p, NODE_BLOCK)))
        return NODE_NONE;
    return parse_finish(p, NODE_CASE, at, &parts);
}

/* subject_expr: a tuple needs a comma. */
static uint32_t parse_subject(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node = parse_element(p);
    struct siblings elements = {node, node};
    bool starred = parse_node(p, node)->kind == NODE_STARRED;

    if (!node)
        return NODE_NONE;
    if (!parse_is_op(p, ','))
        return starred ? parse_expected(p, "',' behind the value with '*'") : node;
    while (parse_take_op(p, ',') && !parse_is_op(p, ':'))
        if (!parse_append(p, &elements, parse_element(p)))
            return NODE_NONE;
    return parse_finish(p, NODE_TUPLE, start, &elements);
}

/* parse_is_compound has seen that the line ends in ':' before a block. */
uint32_t parse_match(struct parser *p)
{
    uint32_t start = parse_token(p)->start;
    struct siblings parts = {0};

    p->at++;
    if (!parse_append(p, &parts, parse_subject(p)) || !parse_expect_op(p, ':', "':'"))
        return NODE_NONE;
    if (parse_token(p)->kind != TOKEN_NEWLINE)
        return parse_expected(p, "the end of the line");
    p->at += 2;
    do {
        if (!parse_append(p, &parts, parse_case(p)))
            return NODE_NONE;
    } while (parse_token(p)->kind != TOKEN_DEDENT && parse_token(p)->kind != TOKEN_END &&
             parse_token(p)->kind != TOKEN_ERROR);
    p->at += parse_token(p)->kind == TOKEN_DEDENT;
    return parse_finish(p, NODE_MATCH, start, &parts);
}
