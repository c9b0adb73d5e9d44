/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/fields.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/nearest.h"
#include "helpers/base/utf8.h"

#define NAME_SHOWN          64 /* bytes of a client's own word in an error */
#define MISSPELT_EDITS_MAX  2
#define MISSPELT_EDIT_CHARS 3                  /* one edit in so many characters */
#define WHOLE_MAX           9007199254740992.0 /* 2^53: doubles beyond skip whole numbers */

/* ---- finding rows ---- */

static bool is_row(const struct field *row)
{
    return row && row->name;
}

static const struct field *next_row(const struct fields *fields, const struct field *row)
{
    row = row ? row + 1 : fields->rows;
    return is_row(row) ? row : NULL;
}

const struct field *fields_find(const struct fields *fields, const char *name)
{
    const struct field *row = NULL;

    while ((row = next_row(fields, row))) {
        if (strcmp(row->name, name) == 0)
            return row;
    }
    while ((fields->flags & FIELDS_ALSO) && (row = next_row(fields, row))) {
        if (row->also && strcmp(row->also, name) == 0)
            return row;
    }
    return NULL;
}

static bool is_near(const char *name, size_t distance)
{
    return distance <= MISSPELT_EDITS_MAX && distance * MISSPELT_EDIT_CHARS <= strlen(name);
}

/* Whether one is the beginning or the end of the other, up to a "_": "id" of "node_id". */
static bool is_part(const char *a, const char *b)
{
    const char *name = strlen(a) > strlen(b) ? a : b, *part = name == a ? b : a;
    size_t rest = strlen(name) - strlen(part);

    if (rest < 2)
        return false;
    return (name[rest - 1] == '_' && strcasecmp(name + rest, part) == 0) ||
           (name[strlen(part)] == '_' && strncasecmp(name, part, strlen(part)) == 0);
}

static const struct field *row_with_part(const struct fields *fields, const char *name,
                                         const json_t *object)
{
    const struct field *row = NULL, *best = NULL;

    while ((row = next_row(fields, row))) {
        if (!(row->flags & (FIELD_GIVEN_BACK | FIELD_UNLISTED)) && is_part(name, row->name) &&
            !json_object_get(object, row->name) &&
            (!best || (row->required && !best->required) ||
             (row->required == best->required && strlen(row->name) < strlen(best->name))))
            best = row;
    }
    return best;
}

/* The row whose name was meant, among those that the object does not have. */
static const struct field *nearest_row(const struct fields *fields, const char *name,
                                       const json_t *object)
{
    const struct field *row = NULL, *best = NULL;
    struct nearest search;
    const char *before = NULL;

    nearest_begin(&search, name);
    while ((row = next_row(fields, row))) {
        if (json_object_get(object, row->name) || (row->flags & FIELD_GIVEN_BACK))
            continue;
        nearest_feed(&search, row->name);
        best = search.best != before ? row : best;
        before = search.best;
    }
    return best;
}

/* ---- what a value must be ---- */

static bool is_bounded(const struct field *row)
{
    return row->least != 0 || row->most != 0;
}

void field_describe(const struct field *row, struct buf *to)
{
    static const char *const words[] = {
        [FIELD_ANY] = "any value",        [FIELD_TEXT] = "text",
        [FIELD_WHOLE] = "a whole number", [FIELD_NUMBER] = "a number",
        [FIELD_FLAG] = "true or false",   [FIELD_OBJECT] = "an object",
        [FIELD_ARRAY] = "an array",       [FIELD_MAP] = "an object",
    };

    if (row->of && row->of->describe) {
        row->of->describe(row, to);
        return;
    }
    if (row->choices || (row->of && row->of->choice)) {
        const char *name;

        for (size_t i = 0; (name = row->choices ? row->choices[i] : row->of->choice(i)); i++)
            buf_addf(to, "%s%s", i > 0 ? ", " : "one of ", name);
        return;
    }
    buf_adds(to, words[row->type]);
    if (row->type == FIELD_ARRAY && row->item == FIELD_TEXT)
        buf_adds(to, " of text");
    if ((row->type != FIELD_WHOLE && row->type != FIELD_NUMBER) || !is_bounded(row))
        return;
    buf_addf(to, " from %.15g", row->least);
    if (isinf(row->most))
        buf_adds(to, " on");
    else
        buf_addf(to, " to %.15g", row->most);
}

static bool in_bounds(const struct field *row, double number)
{
    return !is_bounded(row) || (number >= row->least && number <= row->most);
}

static bool is_whole(const json_t *value)
{
    double real = json_real_value(value);

    return json_is_integer(value) ||
           (json_is_real(value) && fabs(real) <= WHOLE_MAX && real == floor(real));
}

/* ---- checking values ---- */

/* What a value must be, and where it is. */
struct checked {
    const struct field *row;
    const char *name; /* as it was sent */
    const json_t *object;
    struct validation_errors *problems;
};

static void wrong_kind(const struct checked *checked, const json_t *value, bool same_kind)
{
    struct buf BUF_AUTO wanted = {0};

    buf_init(&wanted, ERROR_TEXT_CAP / 2);
    field_describe(checked->row, &wanted);
    validation_add(checked->problems, checked->name, "must be %s%s%s",
                   wanted.data ? wanted.data : "", same_kind ? "" : ", not ",
                   same_kind ? "" : json_kind(value));
}

static void check_choice(const struct checked *checked, const char *text)
{
    const char *const *choices = checked->row->choices;
    struct buf BUF_AUTO wanted = {0};
    struct nearest search;

    nearest_begin(&search, text);
    for (size_t i = 0; choices[i]; i++) {
        if (strcmp(choices[i], text) == 0)
            return;
        nearest_feed(&search, choices[i]);
    }
    buf_init(&wanted, ERROR_TEXT_CAP / 2);
    field_describe(checked->row, &wanted);
    validation_add(checked->problems, checked->name, "must be %s, not '%.*s'%s%s%s",
                   wanted.data ? wanted.data : "", utf8_shown(text, NAME_SHOWN), text,
                   search.best ? "; did you mean '" : "", search.best ? search.best : "",
                   search.best ? "'?" : "");
}

static bool has_control(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7F)
            return true;
    }
    return false;
}

static void check_text(const struct checked *checked, const json_t *value)
{
    const struct field *row = checked->row;
    const char *text = json_string_value(value), *wrong = NULL;
    size_t len = json_string_length(value);

    if (!text)
        wrong_kind(checked, value, false);
    else if (row->choices)
        check_choice(checked, text);
    else if (row->most > 0 && (double)len > row->most)
        validation_add(checked->problems, checked->name, "is longer than %.0f bytes", row->most);
    else if ((double)len < row->least)
        wrong = "must not be empty";
    else if ((row->flags & FIELD_LINE) && has_control(text, len))
        wrong = "holds a control character";
    else if (!(row->flags & FIELD_NUL) && memchr(text, '\0', len))
        wrong = "holds a NUL character";
    if (wrong)
        validation_add(checked->problems, checked->name, "%s", wrong);
}

static void check_items(const struct checked *checked, const json_t *array)
{
    struct field row = *checked->row;
    char name[NAME_SHOWN * 2];
    const json_t *item;
    size_t i;

    row.type = row.item;
    json_array_foreach((json_t *)array, i, item)
    {
        snprintf(name, sizeof name, "%.*s.%zu", NAME_SHOWN, checked->name, i);
        check_text(&(struct checked){&row, name, NULL, checked->problems}, item);
    }
}

static void check_value(const struct checked *checked, const json_t *value)
{
    const struct field *row = checked->row;
    bool good = true, same_kind = json_is_number(value);

    if (row->of && row->of->check) {
        row->of->check(row, value, checked->object, checked->name, checked->problems);
        return;
    }
    switch (row->type) {
    case FIELD_ANY:
        break;
    case FIELD_TEXT:
        check_text(checked, value);
        break;
    case FIELD_WHOLE:
        good = is_whole(value) && in_bounds(row, json_number_value(value));
        break;
    case FIELD_NUMBER:
        good = json_is_number(value) && in_bounds(row, json_number_value(value));
        break;
    case FIELD_FLAG:
        good = json_is_boolean(value);
        same_kind = false;
        break;
    case FIELD_OBJECT:
    case FIELD_MAP:
        good = json_is_object(value);
        same_kind = false;
        break;
    case FIELD_ARRAY:
        good = json_is_array(value);
        same_kind = false;
        if (row->item == FIELD_TEXT)
            check_items(checked, value);
        break;
    }
    if (!good)
        wrong_kind(checked, value, same_kind);
}

/* ---- checking names ---- */

void fields_list(const struct fields *fields, struct buf *to)
{
    const struct field *row = NULL;
    const char *comma = "";

    while ((row = next_row(fields, row))) {
        if (row->flags & (FIELD_GIVEN_BACK | FIELD_UNLISTED))
            continue;
        buf_addf(to, "%s%s", comma, row->name);
        comma = ", ";
    }
}

static void write_unknown(const struct fields *fields, const char *name, const struct field *meant,
                          struct validation_errors *problems)
{
    const char *noun = fields->noun ? fields->noun : "member";
    struct buf BUF_AUTO names = {0};
    char shown[NAME_SHOWN + 1];

    snprintf(shown, sizeof shown, "%.*s", utf8_shown(name, NAME_SHOWN), name);
    if (meant) {
        validation_add(problems, shown, "unknown %s '%s'; did you mean '%s'?", noun, shown,
                       meant->name);
        return;
    }
    if (fields->flags & FIELDS_NAMED) {
        validation_add(problems, shown, "unknown %s '%s'", noun, shown);
        return;
    }
    buf_init(&names, ERROR_TEXT_CAP / 2);
    fields_list(fields, &names);
    validation_add(problems, shown, "unknown %s '%s' of %s, which has %s%s%s%s", noun, shown,
                   fields->name, names.len > 0 ? "the " : "none", names.len > 0 ? noun : "",
                   names.len > 0 ? "s " : "", names.len > 0 ? names.data : "");
}

/* A name that no row has. */
static void check_unknown(const struct fields *fields, const char *name, const json_t *object,
                          const json_t *kept, struct validation_errors *problems)
{
    const struct field *part = row_with_part(fields, name, object);
    const struct field *meant = part ? part : nearest_row(fields, name, object);
    bool misspelt = meant && is_near(name, nearest_distance(name, meant->name));

    if ((!(fields->flags & FIELDS_OPEN) || misspelt) && !json_object_get(kept, name))
        write_unknown(fields, name, meant, problems);
}

bool fields_resemble(const struct fields *fields, const char *name, const json_t *object)
{
    const struct field *row = NULL;
    bool found = false;

    while (!found && (row = next_row(fields, row)))
        found = !json_object_get(object, row->name) &&
                (is_part(name, row->name) || is_near(name, nearest_distance(name, row->name)));
    return found;
}

bool field_is_missing(const struct field *row, const json_t *object)
{
    return row->required && !json_object_get(object, row->name) &&
           !(row->instead && json_object_get(object, row->instead));
}

static void write_needed(const struct field *row, struct validation_errors *problems)
{
    struct buf BUF_AUTO wanted = {0};

    buf_init(&wanted, ERROR_TEXT_CAP / 2);
    field_describe(row, &wanted);
    validation_add(problems, row->name, "is needed, send %s%s%s", wanted.data ? wanted.data : "",
                   row->documentation ? ": " : "", row->documentation ? row->documentation : "");
}

/* A row's member, by its own name or by the other one. */
static void check_row(const struct fields *fields, const struct field *row, const json_t *object,
                      struct validation_errors *problems)
{
    const char *other = fields->flags & FIELDS_ALSO ? row->also : NULL;
    const json_t *value = json_object_get(object, row->name);
    const json_t *again = other ? json_object_get(object, other) : NULL;

    if (!(row->flags & FIELD_NULL) && json_is_null(again))
        again = NULL;
    if (!(row->flags & FIELD_NULL) && again && json_is_null(value))
        value = NULL;
    if (value && again && !json_equal((json_t *)value, (json_t *)again)) {
        validation_add(problems, other, "and %s differ, send one of them", row->name);
        return;
    }
    if (!value && !again) {
        if (field_is_missing(row, object) && !(fields->flags & FIELDS_CHANGE))
            write_needed(row, problems);
        return;
    }
    if (row->instead && json_object_get(object, row->instead)) {
        validation_add(problems, row->name, "and %s exclude each other, send one of them",
                       row->instead);
        return;
    }
    if (!json_is_null(value ? value : again) || row->required)
        check_value(&(struct checked){row, value ? row->name : other, object, problems},
                    value ? value : again);
}

void fields_check_rows(const struct fields *fields, const json_t *object,
                       struct validation_errors *problems)
{
    const struct field *row = NULL;

    while ((row = next_row(fields, row)))
        check_row(fields, row, object, problems);
}

void fields_check_names(const struct fields *fields, const json_t *object, const json_t *kept,
                        struct validation_errors *problems)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)object, name, value)
    {
        if (!fields_find(fields, name))
            check_unknown(fields, name, object, kept, problems);
    }
}

void fields_check(const struct fields *fields, const json_t *object, const json_t *kept,
                  struct validation_errors *problems)
{
    fields_check_rows(fields, object, problems);
    fields_check_names(fields, object, kept, problems);
}

/* ---- taking ---- */

static json_t *whole_of_text(const char *text)
{
    json_int_t number;
    char *end;

    if ((*text < '0' || *text > '9') && *text != '-')
        return NULL;
    errno = 0;
    number = strtoll(text, &end, 10);
    return !*end && errno == 0 ? json_integer(number) : NULL;
}

/* What a text stands for where the row is of another type; NULL: nothing of that type. */
static json_t *read_text(const struct field *row, const json_t *value)
{
    const char *text = json_string_value(value);
    json_t *read;

    switch (row->type) {
    case FIELD_WHOLE:
        return whole_of_text(text);
    case FIELD_FLAG:
        if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
            return NULL;
        return json_boolean(*text == 't');
    case FIELD_OBJECT:
    case FIELD_ARRAY:
        if (row->item == FIELD_TEXT && *text != '[')
            return json_pack("[O]", value); /* one text for an array of one */
        read = json_read(text, json_string_length(value), row->name, NULL);
        if (json_is_object(read) || json_is_array(read))
            return read;
        json_decref(read);
        return NULL;
    default:
        return NULL;
    }
}

static json_t *convert(const struct fields *fields, const struct field *row, json_t *value);

/* An item of an array, which may be the text of an object, and its members may be texts too. */
static json_t *convert_item(const struct fields *of, json_t *item)
{
    json_t *object = json_is_string(item) ? json_read(json_string_value(item),
                                                      json_string_length(item), of->name, NULL)
                                          : json_copy(item);
    const char *name;
    json_t *value;
    void *next;

    if (!json_is_object(object)) {
        json_decref(object);
        return json_incref(item);
    }
    json_object_foreach_safe(object, next, name, value)
    {
        if (of->rows)
            json_object_set_new(object, name, convert(of, fields_find(of, name), value));
    }
    return object;
}

static json_t *convert_items(const struct fields *of, json_t *array)
{
    json_t *items = json_array(), *item;
    size_t i;

    json_array_foreach(array, i, item)
    {
        json_array_append_new(items, convert_item(of, item));
    }
    json_decref(array);
    return items;
}

/* The value in its own type: a new reference. What cannot be read stays, for the check to name. */
static json_t *convert(const struct fields *fields, const struct field *row, json_t *value)
{
    const bool has_items = row && row->type == FIELD_ARRAY && row->of;
    json_t *read = NULL;

    if (row && json_is_string(value) &&
        ((fields->flags & FIELDS_AS_TEXT) || (row->flags & FIELD_AS_TEXT)))
        read = read_text(row, value);
    else if (row && row->type == FIELD_WHOLE && json_is_real(value) && is_whole(value))
        read = json_integer((json_int_t)json_real_value(value));
    if (!read && row && (row->flags & FIELD_ONE) &&
        (json_is_string(value) || json_is_number(value)))
        read = json_pack("[O]", value);
    if (!read)
        read = json_incref(value);
    if (has_items && json_is_array(read) && (row->of->flags & FIELDS_AS_TEXT))
        read = convert_items(row->of, read);
    return read;
}

static bool is_given(const struct field *row, const json_t *value)
{
    return !row || !json_is_null(value) || (row->flags & FIELD_NULL);
}

json_t *fields_take(const struct fields *fields, const json_t *object, const json_t *kept,
                    struct validation_errors *problems)
{
    json_auto_t *sent = json_object();
    json_t *to = json_object();
    const char *name;
    json_t *value;
    int rc = sent && to ? 0 : -1;

    json_object_foreach((json_t *)object, name, value) rc |=
        json_object_set_new(sent, name, convert(fields, fields_find(fields, name), value));
    if (rc == 0)
        fields_check(fields, sent, kept, problems);
    json_object_foreach(sent, name, value)
    {
        const struct field *row = fields_find(fields, name);

        if (is_given(row, value))
            rc |= json_object_set(to, row ? row->name : name, value);
    }
    if (rc == 0)
        return to;
    json_decref(to);
    return NULL;
}

/* ---- schemas ---- */

struct schema {
    struct buf *to;
    const char *refs; /* NULL: the short form */
    const void *context;
};

static void write_choices(const char *const *names, bool or_null, struct buf *to)
{
    buf_adds(to, ",\"enum\":[");
    for (size_t i = 0; names[i]; i++) {
        buf_adds(to, i > 0 ? "," : "");
        json_write_string(to, names[i], strlen(names[i]));
    }
    buf_adds(to, or_null ? ",null]" : "]");
}

static void write_object(const struct schema *schema, const struct fields *fields,
                         const struct field *row);

/* A value that has members of its own: there, or by the name of their schema. */
static void write_of(const struct schema *schema, const struct field *row, bool or_null)
{
    struct buf *to = schema->to;

    buf_adds(to, or_null ? "{\"oneOf\":[" : "");
    if (schema->refs && row->of->schema)
        buf_addf(to, "{\"$ref\":\"%s%s\"}", schema->refs, row->of->schema);
    else
        write_object(schema, row->of, row);
    buf_adds(to, or_null ? ",{\"type\":\"null\"}]}" : "");
}

/* The short form says the most that a number may be: models send no negative ones. */
/* An object of any members, for models. Gemini refuses an object without properties, and where
 * others than those named are forbidden, the JSON text can be sent. */
static const char any_object[] =
    "\"anyOf\":[{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}}},"
    "{\"type\":\"string\",\"description\":\"JSON\"}]";

static void write_bounds(const struct schema *schema, const struct field *row)
{
    bool text = row->type == FIELD_TEXT;

    if (!is_bounded(row) || !schema->refs ||
        (!text && row->type != FIELD_WHOLE && row->type != FIELD_NUMBER))
        return;
    if (!text || row->least > 0)
        buf_addf(schema->to, ",\"%s\":%.15g", text ? "minLength" : "minimum", row->least);
    if (row->most > 0 && !isinf(row->most))
        buf_addf(schema->to, ",\"%s\":%.15g", text ? "maxLength" : "maximum", row->most);
}

static const char *const json_types[] = {
    [FIELD_ANY] = NULL,        [FIELD_TEXT] = "string",  [FIELD_WHOLE] = "integer",
    [FIELD_NUMBER] = "number", [FIELD_FLAG] = "boolean", [FIELD_OBJECT] = "object",
    [FIELD_ARRAY] = "array",   [FIELD_MAP] = "object",
};

static void write_type(const struct schema *schema, const struct field *row, bool or_null)
{
    bool or_text = schema->refs && (row->flags & FIELD_AS_TEXT);
    const char *type = json_types[row->type];

    if (!type || (row->choices && schema->refs)) /* the choices say it */
        return;
    buf_addf(schema->to, ",\"type\":%s\"%s\"%s%s%s", or_null || or_text ? "[" : "", type,
             or_text ? ",\"string\"" : "", or_null ? ",\"null\"" : "",
             or_null || or_text ? "]" : "");
}

static void write_items(const struct schema *schema, const struct field *row)
{
    buf_addf(schema->to, ",\"%s\":", row->type == FIELD_MAP ? "additionalProperties" : "items");
    if (row->of)
        write_of(schema, row, row->flags & FIELD_NULLS);
    else
        buf_addf(schema->to, row->item == FIELD_ANY ? "{}" : "{\"type\":\"%s\"}",
                 json_types[row->item]);
}

/* or_null: where the value may be null, for "not given" or as a value. */
static void write_row(const struct schema *schema, const struct field *row, bool or_null)
{
    bool has_items = row->type == FIELD_ARRAY || row->type == FIELD_MAP;
    struct buf *to = schema->to;
    size_t start = to->len;

    if (row->of && !has_items) {
        write_of(schema, row, or_null);
        return;
    }
    if (row->type == FIELD_OBJECT && !schema->refs)
        buf_addf(to, ",%s", any_object);
    else
        write_type(schema, row, or_null);
    if (row->choices)
        write_choices(row->choices, or_null, to);
    else
        write_bounds(schema, row);
    if (has_items && (row->of || row->item != FIELD_ANY))
        write_items(schema, row);
    if (row->documentation)
        json_write_member(schema->to, "description", row->documentation);
    if (to->len == start)
        buf_addc(to, '{');
    else if (to->data)
        to->data[start] = '{'; /* in place of the first comma */
    buf_addc(to, '}');
}

static bool needs(const struct fields *fields, const struct field *row)
{
    bool by_another_name = row->also && (fields->flags & FIELDS_ALSO);

    return row->required && !row->instead && !by_another_name && !(fields->flags & FIELDS_CHANGE);
}

static void write_properties(const struct schema *schema, const struct fields *fields)
{
    const struct field *row = NULL;
    const char *comma = "";

    while ((row = next_row(fields, row))) {
        const char *const names[] = {row->name, fields->flags & FIELDS_ALSO ? row->also : NULL};
        bool or_null =
            row->flags & FIELD_NULL || (!(fields->flags & FIELDS_ANSWER) && !row->required);

        if (!schema->refs && (row->flags & FIELD_UNLISTED))
            continue;
        for (size_t i = 0; i < 2 && names[i]; i++) {
            buf_addf(schema->to, "%s\"%s\":", comma, names[i]);
            write_row(schema, row, or_null && schema->refs);
            comma = ",";
        }
    }
}

static void write_required(const struct schema *schema, const struct fields *fields)
{
    const struct field *row = NULL;
    bool any = false;

    while ((row = next_row(fields, row))) {
        if (!needs(fields, row))
            continue;
        buf_addf(schema->to, "%s\"%s\"", any ? "," : ",\"required\":[", row->name);
        any = true;
    }
    buf_adds(schema->to, any ? "]" : "");
}

static const struct field *row_alone(const struct fields *fields)
{
    const struct field *row = NULL;

    while ((row = next_row(fields, row)) && !(row->flags & FIELD_ALONE))
        continue;
    return row;
}

static void write_documentation(const struct schema *schema, const struct fields *fields)
{
    struct buf BUF_AUTO text = {0};

    buf_adds(&text, fields->documentation ? fields->documentation : "");
    if (fields->document)
        fields->document(schema->context, &text);
    if (text.len > 0)
        json_write_member(schema->to, "description", text.data);
}

static void write_choice(const struct schema *schema, const struct fields *fields)
{
    const char *name;

    buf_adds(schema->to, "{\"type\":\"string\",\"enum\":[");
    for (size_t i = 0; (name = fields->choice(i)); i++) {
        buf_adds(schema->to, i > 0 ? "," : "");
        json_write_string(schema->to, name, strlen(name));
    }
    buf_addc(schema->to, ']');
    write_documentation(schema, fields);
    buf_addc(schema->to, '}');
}

static void write_object(const struct schema *schema, const struct fields *fields,
                         const struct field *row)
{
    const struct field *alone = schema->refs ? row_alone(fields) : NULL;
    struct buf *to = schema->to;

    if (fields->write_schema) {
        fields->write_schema(row, schema->context, to);
        return;
    }
    if (fields->choice) {
        write_choice(schema, fields);
        return;
    }
    if (!schema->refs && row && !is_row(fields->rows)) {
        buf_addf(to, "{%s", any_object);
        write_documentation(schema, fields);
        buf_addc(to, '}');
        return;
    }
    buf_adds(to, alone ? "{\"oneOf\":[{\"type\":\"object\"" : "{\"type\":\"object\"");
    buf_adds(to, ",\"properties\":{");
    write_properties(schema, fields);
    buf_addc(to, '}');
    write_required(schema, fields);
    if (fields->flags & FIELDS_CLOSED ||
        (schema->refs && !(fields->flags & (FIELDS_OPEN | FIELDS_ANSWER))))
        buf_adds(to, ",\"additionalProperties\":false");
    write_documentation(schema, fields);
    buf_addc(to, '}');
    if (!alone)
        return;
    buf_addc(to, ',');
    write_row(schema, alone, false);
    buf_adds(to, "]}");
}

void field_schema(const struct field *row, const char *refs, struct buf *to)
{
    write_row(&(struct schema){to, refs, NULL}, row, false);
}

void fields_schema(const struct fields *fields, const char *refs, const void *context,
                   struct buf *to)
{
    write_object(&(struct schema){to, refs, context}, fields, NULL);
}
