/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `match`, its cases and their patterns.
 */
#include "validator/syntax/parse_internal.h"

#include <string.h>

/* ---- patterns ---- */

static uint32_t parse_pattern(struct parser *p);
static uint32_t parse_maybe_star(struct parser *p);

static bool parse_is_text(const struct parser *p, const char *text)
{
    const struct token *token = parse_token(p);

    return token->kind == TOKEN_NAME && token->id == KEYWORD_NONE &&
           token->length == strlen(text) &&
           memcmp(p->ast->source + token->start, text, token->length) == 0;
}

static uint32_t wrap_value(struct parser *p, uint32_t value)
{
    return value ? parse_wrap(p, NODE_MATCH_VALUE, parse_node(p, value)->at, value) : NODE_NONE;
}

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
                          "A pattern does not compute. Compare in a guard: case "
                          "x if x == value:");
    return parse_primary(p);
}

static uint32_t negate(struct parser *p, uint32_t at, uint32_t operand)
{
    uint32_t node = operand ? parse_wrap(p, NODE_UNARY, at, operand) : NODE_NONE;

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
    if (!number || (!parse_is_op(p, '+') && !parse_is_op(p, '-')))
        return number;
    op = parse_token(p)->id;
    p->at++;
    if (imaginary)
        return parse_fail(p, start, "A complex number in a pattern begins with its real part.");
    parse_append(p, &parts, number);
    number = take_number(p, &imaginary);
    if (!number)
        return NODE_NONE;
    if (!imaginary)
        return parse_fail(p, parse_node(p, number)->at,
                          "A pattern does not compute: only a complex number, 1 + 2j, has a sign "
                          "between. Compare in a guard: case x if x == a + b:");
    parse_append(p, &parts, number);
    node = parse_new(p, NODE_BINARY, start);
    if (!node)
        return NODE_NONE;
    parse_node(p, node)->op = op;
    return parse_adopt(p, node, &parts);
}

/* NAME ('.' NAME)*, as an expression. */
static uint32_t parse_dotted_expression(struct parser *p)
{
    uint32_t node = parse_new_named(p, NODE_NAME);

    while (node && parse_take_op(p, '.')) {
        struct siblings only = {node, node};

        if (!parse_is_name(p))
            return parse_expected(p, "a name behind '.'");
        node = parse_new_named(p, NODE_ATTRIBUTE);
        node = node ? parse_adopt(p, node, &only) : NODE_NONE;
    }
    return node;
}

/* literal_expr: what a pattern, or the key of a mapping pattern, may be by its first token.
 * NODE_NONE with *there false where no literal begins. */
static uint32_t parse_literal(struct parser *p, bool *there)
{
    const struct token *token = parse_token(p);

    *there = true;
    if (token->kind == TOKEN_NUMBER || parse_is_op(p, '-'))
        return parse_number_expression(p);
    if (token->kind == TOKEN_STRING)
        return parse_strings(p);
    if (parse_is_keyword(p, KEYWORD_NONE_VALUE) || parse_is_keyword(p, KEYWORD_TRUE) ||
        parse_is_keyword(p, KEYWORD_FALSE)) {
        uint32_t node = parse_new(p, NODE_CONSTANT, token->start);

        if (node)
            parse_node(p, node)->op = token->id;
        p->at++;
        return node;
    }
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
    uint32_t start = parse_token(p)->start, node, pattern;
    struct siblings only = {0};

    if (!parse_is_name(p) || !parse_next_is_op(p, '=')) {
        if (*keyword)
            return parse_fail(p, start,
                              "A pattern without a name follows one with a name. Move it before.");
        return parse_pattern(p);
    }
    *keyword = true;
    node = parse_new_named(p, NODE_MATCH_KEYWORD);
    p->at++;
    pattern = node ? parse_pattern(p) : NODE_NONE;
    if (!pattern)
        return NODE_NONE;
    parse_append(p, &only, pattern);
    return parse_adopt(p, node, &only);
}

static uint32_t parse_class_pattern(struct parser *p, uint32_t class_name)
{
    struct siblings parts = {class_name, class_name};
    uint32_t node = parse_new(p, NODE_MATCH_CLASS, parse_node(p, class_name)->at), argument;
    bool keyword = false;

    p->at++;
    while (node && !parse_is_op(p, ')')) {
        argument = parse_class_argument(p, &keyword);
        if (!argument)
            return NODE_NONE;
        parse_append(p, &parts, argument);
        if (!parse_take_op(p, ','))
            break;
    }
    if (!node || !parse_expect_op(p, ')', "',' or ')'"))
        return NODE_NONE;
    return parse_adopt(p, node, &parts);
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
        return wrap_value(p, name);
    return parse_class_pattern(p, name);
}

/* Patterns up to the closing sign, which is not taken. */
static bool parse_sequence_rest(struct parser *p, struct siblings *patterns)
{
    while (parse_take_op(p, ',')) {
        uint32_t node;

        if (parse_is_op(p, ')') || parse_is_op(p, ']') || parse_is_op(p, ':') ||
            parse_is_keyword(p, KEYWORD_IF))
            break;
        node = parse_maybe_star(p);
        if (!node)
            return false;
        parse_append(p, patterns, node);
    }
    return true;
}

static uint32_t new_sequence(struct parser *p, uint32_t at, const struct siblings *patterns)
{
    uint32_t node = parse_new(p, NODE_MATCH_SEQUENCE, at);

    return node ? parse_adopt(p, node, patterns) : NODE_NONE;
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
    if (!node)
        return NODE_NONE;
    parse_append(p, &patterns, node);
    comma = parse_is_op(p, ',');
    if (!parse_sequence_rest(p, &patterns) ||
        !parse_expect_op(p, close, close == ')' ? "',' or ')'" : "',' or ']'"))
        return NODE_NONE;
    if (close == ')' && !comma) {
        if (parse_node(p, node)->kind == NODE_MATCH_STAR)
            return parse_fail(
                p, parse_node(p, node)->at,
                "'*' cannot stand alone in brackets. Write a comma behind it: (*a,).");
        return node;
    }
    return new_sequence(p, start, &patterns);
}

static bool parse_mapping_key(struct parser *p, struct siblings *parts)
{
    bool there;
    uint32_t key = parse_literal(p, &there);

    if (!there && parse_is_name(p) && parse_next_is_op(p, '.'))
        key = parse_dotted_expression(p);
    else if (!there)
        parse_expected(p, "a key (a text, a number or a dotted name)");
    if (!key)
        return false;
    parse_append(p, parts, key);
    return parse_expect_op(p, ':', "':' between a key and its pattern");
}

static uint32_t parse_mapping_pattern(struct parser *p)
{
    uint32_t node = parse_new(p, NODE_MATCH_MAPPING, parse_token(p)->start), pattern;
    struct siblings parts = {0};
    bool rest = false;

    p->at++;
    while (node && !rest && !parse_is_op(p, '}')) {
        rest = parse_take_op(p, OP_POWER);
        if (!rest && !parse_mapping_key(p, &parts))
            return NODE_NONE;
        pattern = rest ? parse_capture(p, NODE_MATCH_STAR, false) : parse_pattern(p);
        if (!pattern)
            return NODE_NONE;
        parse_append(p, &parts, pattern);
        if (!parse_take_op(p, ','))
            break;
    }
    if (!node || !parse_expect_op(p, '}', "',' or '}'"))
        return NODE_NONE;
    return parse_adopt(p, node, &parts);
}

static uint32_t parse_closed_pattern(struct parser *p)
{
    bool there;
    uint32_t literal = parse_literal(p, &there);

    if (there)
        return wrap_value(p, literal);
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
    while (parse_take_op(p, '|')) {
        node = parse_closed_pattern(p);
        if (!node)
            return NODE_NONE;
        parse_append(p, &patterns, node);
    }
    node = parse_new(p, NODE_MATCH_OR, start);
    return node ? parse_adopt(p, node, &patterns) : NODE_NONE;
}

static uint32_t parse_pattern(struct parser *p)
{
    uint32_t node, as;
    struct siblings only = {0};

    if (!parse_enter(p))
        return NODE_NONE;
    node = parse_or_pattern(p);
    parse_leave(p);
    if (!node || !parse_take_keyword(p, KEYWORD_AS))
        return node;
    as = parse_capture(p, NODE_MATCH_AS, false);
    if (!as)
        return NODE_NONE;
    parse_append(p, &only, node);
    return parse_adopt(p, as, &only);
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
    if (!parse_is_op(p, ',')) {
        if (parse_node(p, node)->kind == NODE_MATCH_STAR)
            return parse_fail(p, start, "'*' cannot stand alone in a case. Write case [*rest]:");
        return node;
    }
    return parse_sequence_rest(p, &patterns) ? new_sequence(p, start, &patterns) : NODE_NONE;
}

/* ---- match and case ---- */

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
