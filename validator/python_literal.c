/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parser's tree of one expression, converted bottom-up.
 */
#include "validator/python_literal.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/buf.h"
#include "helpers/base/utf8.h"
#include "validator/report.h"
#include "validator/syntax/ast.h"
#include "validator/syntax/literal.h"
#include "validator/syntax/tokenizer.h"

#define DEPTH_CAP  100 /* levels of a value */
#define NUMBER_CAP 4400

static const char not_literal[] =
    "only a literal can stand here: a number, a text, None, True, False, or a list, tuple, set or "
    "dict of these, such as (1, 'a') or {1: [2, 3]}";

static json_t *refuse(struct error *err, const char *why)
{
    error_set(err, ERROR_INVALID, "%s", why);
    return NULL;
}

static json_t *tagged(const char *tag, json_t *value)
{
    return value ? json_pack("{s:o}", tag, value) : NULL;
}

/* digits: without underscores, NUL-terminated. */
static json_t *whole_number(const char *digits, bool negative, struct error *err)
{
    char text[NUMBER_CAP + 2];
    bool decimal = digits[0] != '0' || !isalpha((unsigned char)digits[1]);
    unsigned long long number;
    char *end;

    errno = 0;
    if (decimal)
        number = strtoull(digits, &end, 10);
    else
        number = strtoull(digits + 2, &end,
                          tolower((unsigned char)digits[1]) == 'x'   ? 16
                          : tolower((unsigned char)digits[1]) == 'o' ? 8
                                                                     : 2);
    if (errno == 0 && number <= INT64_MAX)
        return json_integer(negative ? -(json_int_t)number : (json_int_t)number);
    if (!decimal)
        return refuse(err, "write a number of more than 63 bits in decimal digits");
    digits += strspn(digits, "0");
    snprintf(text, sizeof text, "%s%s", negative ? "-" : "", digits);
    return tagged("int", json_string(text));
}

static json_t *real_number(double number)
{
    if (isfinite(number))
        return json_real(number);
    return tagged("float", json_string(isnan(number) ? "nan" : number > 0 ? "inf" : "-inf"));
}

static json_t *number_of(const struct ast *ast, uint32_t node, bool negative, struct error *err)
{
    const char *at = ast->source + ast_node(ast, node)->at, *wrong = NULL;
    char text[NUMBER_CAP + 1];
    size_t wrong_at, used = 0, len;
    bool decimal, hex;
    double real;

    len = number_scan(at, ast->len - ast_node(ast, node)->at, &decimal, &wrong, &wrong_at);
    if (len > NUMBER_CAP)
        return refuse(err, "this number has too many digits");
    for (size_t i = 0; i < len; i++)
        if (at[i] != '_')
            text[used++] = at[i];
    text[used] = '\0';
    hex = used > 1 && text[0] == '0' && isalpha((unsigned char)text[1]) && !strchr("eEjJ", text[1]);
    if (hex || strspn(text, "0123456789") == used)
        return whole_number(text, negative, err);
    real = strtod(text, NULL);
    real = negative ? -real : real;
    if (text[used - 1] != 'j' && text[used - 1] != 'J')
        return real_number(real);
    return tagged("complex",
                  json_pack("[o, o]", json_real(negative ? -0.0 : 0.0), real_number(real)));
}

/* A text with lone surrogates is a list of its code points, because JSON cannot say them. */
static json_t *code_points(const char *text, size_t len)
{
    json_t *points = json_array();

    for (size_t at = 0, used; at < len; at += used) {
        uint32_t point;

        used = utf8_decode(text + at, len - at, &point);
        if (used == 0) { /* a surrogate, in three bytes */
            used = 3;
            point = (((unsigned char)text[at] & 0xFu) << 12) |
                    (((unsigned char)text[at + 1] & 0x3Fu) << 6) |
                    ((unsigned char)text[at + 2] & 0x3Fu);
        }
        json_array_append_new(points, json_integer(point));
    }
    return points;
}

static json_t *text_of(const struct ast *ast, uint32_t node)
{
    size_t len;
    const char *text = ast_text(ast, node, &len);
    unsigned flags = ast_node(ast, node)->flags;
    struct buf BUF_AUTO hex = {0};

    if (flags & NODE_SURROGATE)
        return tagged("str", code_points(text, len));
    if (!(flags & NODE_BYTES))
        return json_stringn(text, len);
    buf_adds(&hex, "");
    for (size_t at = 0, used; at < len; at += used) {
        uint32_t byte;

        used = utf8_decode(text + at, len - at, &byte);
        buf_addf(&hex, "%02x", byte);
    }
    return hex.failed ? NULL : tagged("bytes", json_stringn(hex.data, hex.len));
}

static json_t *value_of(const struct ast *ast, uint32_t node, unsigned depth, struct error *err);

static json_t *items_of(const struct ast *ast, uint32_t node, unsigned depth, struct error *err)
{
    json_t *items = json_array();

    for (uint32_t child = ast_node(ast, node)->child; child != NODE_NONE;
         child = ast_node(ast, child)->next) {
        json_t *item = value_of(ast, child, depth, err);

        if (!item) {
            json_decref(items);
            return NULL;
        }
        json_array_append_new(items, item);
    }
    return items;
}

/* Keys and values follow one another in the tree. */
static json_t *dict_of(const struct ast *ast, uint32_t node, unsigned depth, struct error *err)
{
    json_auto_t *items = NULL;
    json_t *pairs;

    for (uint32_t child = ast_node(ast, node)->child; child != NODE_NONE;
         child = ast_node(ast, child)->next)
        if (ast_node(ast, child)->kind == NODE_DOUBLE_STARRED)
            return refuse(err, not_literal);
    items = items_of(ast, node, depth, err);
    if (!items)
        return NULL;
    pairs = json_array();
    for (size_t i = 0; i + 1 < json_array_size(items); i += 2)
        json_array_append_new(
            pairs, json_pack("[O, O]", json_array_get(items, i), json_array_get(items, i + 1)));
    return tagged("dict", pairs);
}

/* set() is the one call: the empty set has no display. */
static bool is_empty_set(const struct ast *ast, uint32_t node)
{
    uint32_t function = ast_node(ast, node)->child;
    size_t len;
    const char *name = ast_name(ast, function, &len);

    return ast_node(ast, function)->kind == NODE_NAME && len == 3 && memcmp(name, "set", 3) == 0 &&
           ast_node(ast, function)->next == NODE_NONE;
}

static json_t *value_of(const struct ast *ast, uint32_t node, unsigned depth, struct error *err)
{
    const struct node *row = ast_node(ast, node);

    if (depth == DEPTH_CAP)
        return refuse(err, "this value nests too deep");
    switch (row->kind) {
    case NODE_NUMBER:
        return number_of(ast, node, false, err);
    case NODE_STRING:
        return text_of(ast, node);
    case NODE_UNARY:
        if ((row->op == '-' || row->op == '+') && ast_node(ast, row->child)->kind == NODE_NUMBER)
            return number_of(ast, row->child, row->op == '-', err);
        break;
    case NODE_CONSTANT:
        if (row->op == KEYWORD_NONE_VALUE)
            return json_null();
        if (row->op == KEYWORD_TRUE || row->op == KEYWORD_FALSE)
            return json_boolean(row->op == KEYWORD_TRUE);
        break;
    case NODE_LIST:
        return items_of(ast, node, depth + 1, err);
    case NODE_TUPLE:
        return tagged("tuple", items_of(ast, node, depth + 1, err));
    case NODE_SET:
        return tagged("set", items_of(ast, node, depth + 1, err));
    case NODE_DICT:
        return dict_of(ast, node, depth + 1, err);
    case NODE_CALL:
        if (is_empty_set(ast, node))
            return tagged("set", json_array());
        break;
    default:
        break;
    }
    return refuse(err, not_literal);
}

/* The one expression of the program, or NODE_NONE. */
static uint32_t expression_of(const struct ast *ast)
{
    uint32_t statement = ast_node(ast, 0)->child;

    if (statement == NODE_NONE || ast_node(ast, statement)->next != NODE_NONE ||
        ast_node(ast, statement)->kind != NODE_EXPRESSION)
        return NODE_NONE;
    return ast_node(ast, statement)->child;
}

json_t *python_literal_read(const char *text, size_t len, struct error *err)
{
    struct verdict *verdict = calloc(1, sizeof *verdict);
    struct report report = {.verdict = verdict};
    json_t *value = NULL;
    struct ast ast;

    while (len > 0 && isspace((unsigned char)*text)) {
        text++;
        len--;
    }
    report.source = text;
    report.len = len;
    if (!verdict) {
        error_set(err, ERROR_MEMORY, "out of memory for a literal");
    } else if (len > PYTHON_LITERAL_CAP) {
        error_set(err, ERROR_INVALID, "a literal of more than %zu bytes", PYTHON_LITERAL_CAP);
    } else {
        ast_init(&ast, text, len);
        parser_parse(&ast, &report);
        if (ast.failed)
            error_set(err, ERROR_MEMORY, "out of memory for a literal");
        else if (ast.broken || expression_of(&ast) == NODE_NONE)
            refuse(err, not_literal);
        else
            value = value_of(&ast, expression_of(&ast), 0, err);
        ast_finish(&ast);
    }
    free(verdict);
    return value;
}
