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
        if (!strcmp(row->name, name))
            return row;
    }
    while ((fields->flags & FIELDS_ALSO) && (row = next_row(fields, row))) {
        if (row->also && !strcmp(row->also, name))
            return row;
    }
    return NULL;
}

static bool is_near(const char *name, size_t distance)
{
    return distance <= MISSPELT_EDITS_MAX && distance * MISSPELT_EDIT_CHARS <= strlen(name);
}

const char *fields_misspelt(const char *name, const char *const *names, const json_t *object)
{
    struct nearest search;

    nearest_begin(&search, name);
    for (; *names; names++) {
        if (!json_object_get(object, *names))
            nearest_feed(&search, *names);
    }
    return search.best && is_near(name, nearest_distance(name, search.best)) ? search.best : NULL;
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
        [FIELD_ARRAY] = "an array",
    };

    if (row->choices) {
        buf_adds(to, "one of ");
        for (size_t i = 0; row->choices[i]; i++)
            buf_addf(to, "%s%s", i > 0 ? ", " : "", row->choices[i]);
        return;
    }
    buf_adds(to, words[row->type]);
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

/* Whether a value is a whole number, of any bounds; text that is one is taken where the row says
 * so. */
static bool read_whole(const struct field *row, const json_t *value, json_int_t *number)
{
    const char *text = json_string_value(value);
    double real = json_real_value(value);
    char *end;

    if (json_is_integer(value)) {
        *number = json_integer_value(value);
        return true;
    }
    if (json_is_real(value)) {
        bool whole = fabs(real) <= WHOLE_MAX && real == floor(real);

        *number = whole ? (json_int_t)real : 0;
        return whole;
    }
    if (!text || !*text || !(row->flags & FIELD_AS_TEXT))
        return false;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return errno == 0 && !*end;
}

/* ---- checking values ---- */

/* What a value must be, and where it is. */
struct checked {
    const struct field *row;
    const char *name; /* as it was sent */
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
        if (!strcmp(choices[i], text))
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

static void check_value(const struct checked *checked, const json_t *value)
{
    const struct field *row = checked->row;
    json_int_t whole;
    bool good = true, same_kind = false;

    switch (row->type) {
    case FIELD_ANY:
        break;
    case FIELD_TEXT:
        check_text(checked, value);
        break;
    case FIELD_WHOLE:
        good = read_whole(row, value, &whole) && in_bounds(row, (double)whole);
        same_kind = json_is_number(value);
        break;
    case FIELD_NUMBER:
        good = json_is_number(value) && in_bounds(row, json_number_value(value));
        same_kind = json_is_number(value);
        break;
    case FIELD_FLAG:
        good = json_is_boolean(value);
        break;
    case FIELD_OBJECT:
        good = json_is_object(value);
        break;
    case FIELD_ARRAY:
        good = json_is_array(value);
        break;
    }
    if (!good)
        wrong_kind(checked, value, same_kind);
}

/* ---- checking names ---- */

void fields_list(const struct fields *fields, struct buf *to)
{
    const struct field *row = NULL;

    while ((row = next_row(fields, row))) {
        if (!(row->flags & FIELD_GIVEN_BACK))
            buf_addf(to, "%s%s", to->len > 0 ? ", " : "", row->name);
    }
}

static void say_unknown(const struct fields *fields, const char *name, const struct field *meant,
                        struct validation_errors *problems)
{
    struct buf BUF_AUTO names = {0};
    char shown[NAME_SHOWN + 1];

    snprintf(shown, sizeof shown, "%.*s", utf8_shown(name, NAME_SHOWN), name);
    if (meant) {
        validation_add(problems, shown, "unknown member '%s'; did you mean '%s'?", shown,
                       meant->name);
        return;
    }
    buf_init(&names, ERROR_TEXT_CAP / 2);
    fields_list(fields, &names);
    validation_add(problems, shown, "unknown member '%s' of %s, which has %s%s", shown,
                   fields->name, names.len > 0 ? "the members " : "none",
                   names.len > 0 ? names.data : "");
}

/* A name that no row has. */
static void check_unknown(const struct fields *fields, const char *name, const json_t *object,
                          const json_t *kept, struct validation_errors *problems)
{
    const struct field *meant = nearest_row(fields, name, object);
    bool misspelt = meant && is_near(name, nearest_distance(name, meant->name));

    if (!(fields->flags & FIELDS_OPEN) || (misspelt && !json_object_get(kept, name)))
        say_unknown(fields, name, meant, problems);
}

static void say_needed(const struct field *row, struct validation_errors *problems)
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

    if (value && again && !json_equal((json_t *)value, (json_t *)again)) {
        validation_add(problems, other, "and %s differ, send one of them", row->name);
        return;
    }
    if (!value && !again) {
        if (row->required && !(fields->flags & FIELDS_CHANGE))
            say_needed(row, problems);
        return;
    }
    if (!json_is_null(value ? value : again) || row->required)
        check_value(&(struct checked){row, value ? row->name : other, problems},
                    value ? value : again);
}

void fields_check(const struct fields *fields, const json_t *object, const json_t *kept,
                  struct validation_errors *problems)
{
    const struct field *row = NULL;
    const char *name;
    json_t *value;

    while ((row = next_row(fields, row)))
        check_row(fields, row, object, problems);
    json_object_foreach((json_t *)object, name, value)
    {
        if (!fields_find(fields, name))
            check_unknown(fields, name, object, kept, problems);
    }
}

/* ---- taking ---- */

static int take(const struct field *row, const char *name, json_t *value, json_t *to)
{
    json_int_t whole;

    if (!row)
        return json_object_set(to, name, value);
    if (json_is_null(value) && !(row->flags & FIELD_NULL))
        return 0;
    if (row->type == FIELD_WHOLE && read_whole(row, value, &whole))
        return json_object_set_new(to, row->name, json_integer(whole));
    return json_object_set(to, row->name, value);
}

json_t *fields_take(const struct fields *fields, const json_t *object, const json_t *kept,
                    struct validation_errors *problems)
{
    json_t *to = json_object();
    const char *name;
    json_t *value;
    int rc = 0;

    fields_check(fields, object, kept, problems);
    json_object_foreach((json_t *)object, name, value) rc |=
        take(fields_find(fields, name), name, value, to);
    if (rc == 0)
        return to;
    json_decref(to);
    return NULL;
}
