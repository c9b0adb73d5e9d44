/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One table of the types that have a tag, and walks over values. Both sides of a comparison are
 * first brought into one order, because sets and dicts have none.
 */
#include "mcp/exercise/python_value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "validator/python_literal.h"

#define RELATIVE   1e-6
#define ABSOLUTE   1e-9
#define POINT_LAST 0x10FFFF
#define WHOLE_MAX  9007199254740992.0 /* 2^53: beyond it not every int has a float */

const char *const comparisons[COMPARE_COUNT + 1] = {"exact", "unordered", "approximate", NULL};

/* ---- tags ---- */

static bool is_items(const json_t *value)
{
    json_t *item;
    size_t i;

    json_array_foreach((json_t *)value, i, item)
    {
        if (!python_value_is_valid(item))
            return false;
    }
    return json_is_array(value);
}

static bool is_pairs(const json_t *value)
{
    json_t *pair;
    size_t i;

    json_array_foreach((json_t *)value, i, pair)
    {
        if (json_array_size(pair) != 2 || !is_items(pair))
            return false;
    }
    return json_is_array(value);
}

static bool is_digits(const json_t *value)
{
    const char *text = json_string_value(value);

    if (!text || strlen(text) != json_string_length(value))
        return false;
    text += *text == '-';
    return *text && strspn(text, "0123456789") == strlen(text);
}

static bool is_not_finite(const json_t *value)
{
    const char *text = json_string_value(value);

    return text &&
           (strcmp(text, "nan") == 0 || strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0);
}

static bool is_float(const json_t *value)
{
    return json_is_real(value) || is_not_finite(json_object_get(value, "float"));
}

static bool is_complex(const json_t *value)
{
    return json_array_size(value) == 2 && is_float(json_array_get(value, 0)) &&
           is_float(json_array_get(value, 1));
}

static bool is_hex(const json_t *value)
{
    const char *text = json_string_value(value);
    size_t len = json_string_length(value);

    return text && len % 2 == 0 && strspn(text, "0123456789abcdef") == len;
}

static bool is_points(const json_t *value)
{
    json_t *point;
    size_t i;

    json_array_foreach((json_t *)value, i, point)
    {
        if (!json_is_integer(point) || json_integer_value(point) < 0 ||
            json_integer_value(point) > POINT_LAST)
            return false;
    }
    return json_is_array(value);
}

static bool is_type_name(const json_t *value)
{
    return json_is_string(value);
}

enum tag {
    TAG_INT,
    TAG_FLOAT,
    TAG_COMPLEX,
    TAG_BYTES,
    TAG_STR,
    TAG_TUPLE,
    TAG_SET,
    TAG_FROZENSET,
    TAG_DICT,
    TAG_OTHER,
    TAG_COUNT
};

static const struct {
    const char *name;
    bool (*is_valid)(const json_t *value);
} tags[TAG_COUNT] = {
    [TAG_INT] = {"int", is_digits},          [TAG_FLOAT] = {"float", is_not_finite},
    [TAG_COMPLEX] = {"complex", is_complex}, [TAG_BYTES] = {"bytes", is_hex},
    [TAG_STR] = {"str", is_points},          [TAG_TUPLE] = {"tuple", is_items},
    [TAG_SET] = {"set", is_items},           [TAG_FROZENSET] = {"frozenset", is_items},
    [TAG_DICT] = {"dict", is_pairs},         [TAG_OTHER] = {"other", is_type_name},
};

/* The tag of an object, and its content; TAG_COUNT for one that has none. */
static enum tag tag_of(const json_t *value, json_t **content)
{
    for (enum tag tag = 0; tag < TAG_COUNT && json_object_size(value) == 1; tag++) {
        *content = json_object_get(value, tags[tag].name);
        if (*content)
            return tag;
    }
    return TAG_COUNT;
}

bool python_value_is_valid(const json_t *value)
{
    json_t *content;
    enum tag tag;

    if (json_is_array(value))
        return is_items(value);
    if (!json_is_object(value))
        return value != NULL;
    tag = tag_of(value, &content);
    return tag < TAG_COUNT && tags[tag].is_valid(content);
}

const char *python_value_type(const json_t *value)
{
    json_t *content;
    enum tag tag;

    switch (json_typeof(value)) {
    case JSON_NULL:
        return "NoneType";
    case JSON_TRUE:
    case JSON_FALSE:
        return "bool";
    case JSON_STRING:
        return "str";
    case JSON_INTEGER:
        return "int";
    case JSON_REAL:
        return "float";
    case JSON_ARRAY:
        return "list";
    case JSON_OBJECT:
        break;
    }
    tag = tag_of(value, &content);
    return tag == TAG_OTHER  ? json_string_value(content)
           : tag < TAG_COUNT ? tags[tag].name
                             : "object";
}

/* ---- reading an author's JSON ---- */

static json_t *read_items(const json_t *array, struct error *err)
{
    json_t *items = json_array(), *item;
    size_t i;

    json_array_foreach((json_t *)array, i, item)
    {
        json_t *read = python_value_read(item, err);

        if (!read) {
            json_decref(items);
            return NULL;
        }
        json_array_append_new(items, read);
    }
    return items;
}

static json_t *read_dict(const json_t *object, struct error *err)
{
    json_t *pairs = json_array(), *value;
    const char *key;

    json_object_foreach((json_t *)object, key, value)
    {
        json_t *read = python_value_read(value, err);

        if (!read) {
            json_decref(pairs);
            return NULL;
        }
        json_array_append_new(pairs, json_pack("[s, o]", key, read));
    }
    return json_pack("{s:o}", tags[TAG_DICT].name, pairs);
}

json_t *python_value_read(const json_t *authored, struct error *err)
{
    const json_t *literal = json_object_get(authored, "py");

    if (json_is_array(authored))
        return read_items(authored, err);
    if (!json_is_object(authored))
        return json_incref((json_t *)authored);
    if (json_object_size(authored) == 1 && json_is_string(literal))
        return python_literal_read(json_string_value(literal), json_string_length(literal), err);
    return read_dict(authored, err);
}

/* ---- comparing ---- */

struct keyed {
    char *key; /* the item as text; owned */
    json_t *item;
};

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct keyed *)a)->key, ((const struct keyed *)b)->key);
}

/* Takes the array; returns it with its items in the order of their texts. */
static json_t *sorted(json_t *array)
{
    size_t count = json_array_size(array);
    struct keyed *rows = calloc(count + 1, sizeof *rows);
    json_t *made = json_array();

    for (size_t i = 0; rows && i < count; i++) {
        struct buf text = {0};

        rows[i].item = json_array_get(array, i);
        json_write(&text, rows[i].item);
        buf_addc(&text, '\0');
        rows[i].key = buf_steal(&text, NULL);
        if (!rows[i].key)
            count = i; /* out of memory: the shorter array equals none */
    }
    if (rows)
        qsort(rows, count, sizeof *rows, by_key);
    for (size_t i = 0; rows && i < count; i++) {
        json_array_append(made, rows[i].item);
        free(rows[i].key);
    }
    free(rows);
    json_decref(array);
    return made;
}

/* The value with its sets and dicts in one order, and each whole float as an int, which equals it
 * in Python; a new reference. */
static json_t *ordered(const json_t *value)
{
    json_t *content, *made, *item;
    enum tag tag;
    size_t i;

    if (json_is_real(value) && fabs(json_real_value(value)) <= WHOLE_MAX &&
        json_real_value(value) == floor(json_real_value(value)))
        return json_integer((json_int_t)json_real_value(value));
    if (json_is_array(value)) {
        made = json_array();
        json_array_foreach((json_t *)value, i, item)
        {
            json_array_append_new(made, ordered(item));
        }
        return made;
    }
    tag = json_is_object(value) ? tag_of(value, &content) : TAG_COUNT;
    if (tag != TAG_COMPLEX && tag != TAG_TUPLE && tag != TAG_SET && tag != TAG_FROZENSET &&
        tag != TAG_DICT)
        return json_incref((json_t *)value);
    made = ordered(content);
    if (tag == TAG_SET || tag == TAG_FROZENSET || tag == TAG_DICT)
        made = sorted(made);
    return json_pack("{s:o}", tags[tag].name, made);
}

/* false: it is no int or float. */
static bool number_of(const json_t *value, double *number)
{
    const char *text;

    if (json_is_number(value)) {
        *number = json_number_value(value);
        return true;
    }
    text = json_get_string(value, tags[TAG_INT].name);
    text = text ? text : json_get_string(value, tags[TAG_FLOAT].name);
    if (text)
        *number = strtod(text, NULL);
    return text != NULL;
}

static bool is_near(double a, double b)
{
    double largest = fabs(a) > fabs(b) ? fabs(a) : fabs(b);

    return a == b || (isnan(a) && isnan(b)) ||
           (isfinite(a) && isfinite(b) &&
            fabs(a - b) <= (RELATIVE * largest > ABSOLUTE ? RELATIVE * largest : ABSOLUTE));
}

static bool same(const json_t *expected, const json_t *given, enum comparison comparison)
{
    json_t *a = NULL, *b = NULL;
    double one, other;
    enum tag tag;

    if (comparison == COMPARE_APPROXIMATE && number_of(expected, &one) && number_of(given, &other))
        return is_near(one, other);
    if (json_typeof(expected) != json_typeof(given))
        return false;
    if (json_is_array(expected)) {
        if (json_array_size(expected) != json_array_size(given))
            return false;
        for (size_t i = 0; i < json_array_size(expected); i++)
            if (!same(json_array_get(expected, i), json_array_get(given, i), comparison))
                return false;
        return true;
    }
    if (!json_is_object(expected))
        return json_equal((json_t *)expected, (json_t *)given);
    tag = tag_of(expected, &a);
    return tag < TAG_OTHER && tag_of(given, &b) == tag && same(a, b, comparison);
}

/* The items of a list or tuple in the order of their texts; takes the value. */
static json_t *without_order(json_t *value)
{
    json_t *items;

    if (json_is_array(value))
        return sorted(value);
    items = json_incref(json_object_get(value, tags[TAG_TUPLE].name));
    if (!items)
        return value;
    json_decref(value);
    return json_pack("{s:o}", tags[TAG_TUPLE].name, sorted(items));
}

bool python_value_equal(const json_t *expected, const json_t *given, enum comparison comparison)
{
    json_t *a = ordered(expected), *b = ordered(given);
    bool equal;

    if (comparison == COMPARE_UNORDERED) {
        a = without_order(a);
        b = without_order(b);
    }
    equal = a && b && same(a, b, comparison);
    json_decref(a);
    json_decref(b);
    return equal;
}

/* ---- showing ---- */

static void show_value(const json_t *value, struct buf *to);

static void show_text(const char *text, size_t len, const char *prefix, struct buf *to)
{
    char quote = memchr(text, '\'', len) && !memchr(text, '"', len) ? '"' : '\'';

    buf_addf(to, "%s%c", prefix, quote);
    for (size_t at = 0; at < len; at++) {
        unsigned char byte = (unsigned char)text[at];

        if (byte == (unsigned char)quote || byte == '\\')
            buf_addf(to, "\\%c", byte);
        else if (byte == '\n' || byte == '\t' || byte == '\r')
            buf_addf(to, "\\%c", byte == '\n' ? 'n' : byte == '\t' ? 't' : 'r');
        else if (byte < ' ' || byte == 0x7F)
            buf_addf(to, "\\x%02x", byte);
        else
            buf_addc(to, (char)byte);
    }
    buf_addc(to, quote);
}

static void show_items(const json_t *items, const char *before, const char *after, struct buf *to)
{
    buf_adds(to, before);
    for (size_t i = 0; i < json_array_size(items) && !to->failed; i++) {
        buf_adds(to, i > 0 ? ", " : "");
        show_value(json_array_get(items, i), to);
    }
    buf_adds(to, after);
}

static void show_dict(const json_t *pairs, struct buf *to)
{
    buf_addc(to, '{');
    for (size_t i = 0; i < json_array_size(pairs) && !to->failed; i++) {
        const json_t *pair = json_array_get(pairs, i);

        buf_adds(to, i > 0 ? ", " : "");
        show_value(json_array_get(pair, 0), to);
        buf_adds(to, ": ");
        show_value(json_array_get(pair, 1), to);
    }
    buf_addc(to, '}');
}

static void show_bytes(const char *hex, struct buf *to)
{
    buf_adds(to, "b'");
    for (size_t i = 0; hex[i] && hex[i + 1]; i += 2) {
        const char digits[] = {hex[i], hex[i + 1], '\0'};
        int byte = (int)strtol(digits, NULL, 16);

        if (byte >= ' ' && byte < 0x7F && byte != '\'' && byte != '\\')
            buf_addc(to, (char)byte);
        else
            buf_addf(to, "\\x%s", digits);
    }
    buf_addc(to, '\'');
}

static void show_points(const json_t *points, struct buf *to)
{
    buf_addc(to, '\'');
    for (size_t i = 0; i < json_array_size(points); i++) {
        json_int_t point = json_integer_value(json_array_get(points, i));

        if (point >= ' ' && point < 0x7F && point != '\'' && point != '\\')
            buf_addc(to, (char)point);
        else
            buf_addf(to, point > 0xFFFF ? "\\U%08llx" : "\\u%04llx", (unsigned long long)point);
    }
    buf_addc(to, '\'');
}

static void show_tagged(enum tag tag, const json_t *content, struct buf *to)
{
    size_t count = json_array_size(content);
    double imaginary;

    switch (tag) {
    case TAG_INT:
        buf_adds(to, json_string_value(content));
        break;
    case TAG_FLOAT:
        buf_adds(to, json_string_value(content));
        break;
    case TAG_COMPLEX:
        buf_addc(to, '(');
        show_value(json_array_get(content, 0), to);
        number_of(json_array_get(content, 1), &imaginary);
        buf_adds(to, signbit(imaginary) ? "" : "+");
        show_value(json_array_get(content, 1), to);
        buf_adds(to, "j)");
        break;
    case TAG_BYTES:
        show_bytes(json_string_value(content), to);
        break;
    case TAG_STR:
        show_points(content, to);
        break;
    case TAG_TUPLE:
        show_items(content, "(", count == 1 ? ",)" : ")", to);
        break;
    case TAG_SET:
        show_items(content, count > 0 ? "{" : "set(", count > 0 ? "}" : ")", to);
        break;
    case TAG_FROZENSET:
        show_items(content, count > 0 ? "frozenset({" : "frozenset(", count > 0 ? "})" : ")", to);
        break;
    case TAG_DICT:
        show_dict(content, to);
        break;
    case TAG_OTHER:
        buf_addf(to, "<an object of type %s>", json_string_value(content));
        break;
    case TAG_COUNT:
        break;
    }
}

static void show_value(const json_t *value, struct buf *to)
{
    json_t *content = NULL;
    enum tag tag = json_is_object(value) ? tag_of(value, &content) : TAG_COUNT;

    if (json_is_null(value))
        buf_adds(to, "None");
    else if (json_is_boolean(value))
        buf_adds(to, json_is_true(value) ? "True" : "False");
    else if (json_is_string(value))
        show_text(json_string_value(value), json_string_length(value), "", to);
    else if (json_is_array(value))
        show_items(value, "[", "]", to);
    else if (json_is_number(value))
        json_write(to, value);
    else
        show_tagged(tag, content, to);
}

void python_value_show(const json_t *value, size_t cap, struct buf *to)
{
    struct buf BUF_AUTO text = {0};

    buf_init(&text, cap);
    buf_adds(&text, "");
    show_value(value, &text);
    buf_add(to, text.data, utf8_cut(text.data, text.len, text.len));
    buf_adds(to, text.failed ? "..." : "");
}
