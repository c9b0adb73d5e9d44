/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/agent/output.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/store/entities/outline.h"

#define NUMBERS_NAMED 5u   /* in the error of output_check_numbers */
#define TOLERANCE     1e-9 /* relative, between a number and its text */
#define TITLE_SHOWN   80u  /* bytes */
#define DEPTH_MAX     64u  /* of a value that is searched */

static const char *const type_words[] = {
    [VALUE_NUMBER] = "a number", [VALUE_TEXT] = "text",     [VALUE_TRUTH] = "true or false",
    [VALUE_LIST] = "an array",   [VALUE_MAP] = "an object", [VALUE_ANY] = "any value",
};

/* ---- the lines ---- */

/* The next line that is not blank, from the end: *end is moved before it. */
static const char *line_before(const char *text, size_t *end, size_t *len)
{
    size_t last = *end, first;

    while (last > 0 && isspace((unsigned char)text[last - 1]))
        last--;
    first = last;
    while (first > 0 && text[first - 1] != '\n')
        first--;
    *end = first;
    *len = last - first;
    return *len > 0 ? text + first : NULL;
}

static void take_step(const struct plan *plan, const json_t *line, json_t *values)
{
    for (size_t i = 0; i < plan->step_count; i++) {
        const struct planned_step *step = &plan->steps[i];
        json_t *value = json_object_get(line, step->name);

        if (value && value_fits(step->type, value) && !json_object_get(values, step->name))
            json_object_set(values, step->name, value);
    }
}

json_t *output_values(const struct plan *plan, const char *text, size_t len, struct buf *faults)
{
    json_t *values = json_object();
    const char *line;
    size_t end = len, line_len;
    const struct planned_step *only = plan->step_count == 1 ? &plan->steps[0] : NULL;
    bool last = true, alone = false;

    while (values && (line = line_before(text, &end, &line_len))) {
        json_auto_t *value = json_read(line, line_len, "a line", NULL);

        if (last && only && value && value_fits(only->type, value)) {
            /* {"STEP": VALUE} is meant as for several steps, unless the step is an object. */
            alone = !(only->type != VALUE_MAP && json_object_size(value) == 1 &&
                      json_object_get(value, only->name));
            if (alone)
                json_object_set(values, only->name, value);
        }
        if (!alone)
            take_step(plan, value, values);
        last = false;
        if (json_object_size(values) == plan->step_count)
            break;
    }
    for (size_t i = 0; faults && values && i < plan->step_count; i++) {
        const struct planned_step *step = &plan->steps[i];

        if (!json_object_get(values, step->name))
            buf_addf(faults,
                     "%sThe step '%s' has no result. Print it as JSON, %s: print(json.dumps(%s))",
                     faults->len > 0 ? " " : "", step->name, type_words[step->type],
                     only ? "VALUE" : "{NAME: VALUE}");
    }
    return values;
}

json_t *output_open(const struct plan *plan, const json_t *values)
{
    json_t *open = json_array();

    for (size_t i = 0; i < plan->step_count; i++) {
        if (!json_object_get(values, plan->steps[i].name))
            json_array_append_new(
                open, json_sprintf("%s: %s", plan->steps[i].name, plan->steps[i].compute));
    }
    return open;
}

/* ---- node ids ---- */

struct id_search {
    json_t *known, *found, *seen;
};

static void find_id(struct id_search *search, const char *text)
{
    if (!json_object_get(search->known, text) || json_object_get(search->seen, text) ||
        json_array_size(search->found) >= OUTPUT_NODE_IDS_MAX)
        return;
    json_object_set_new(search->seen, text, json_true());
    json_array_append_new(search->found, json_string(text));
}

static void find_ids(struct id_search *search, const json_t *value, unsigned depth)
{
    const char *key;
    json_t *item;
    size_t i;

    if (json_is_string(value))
        find_id(search, json_string_value(value));
    if (depth == DEPTH_MAX)
        return;
    json_array_foreach((json_t *)value, i, item) find_ids(search, item, depth + 1);
    json_object_foreach((json_t *)value, key, item)
    {
        find_id(search, key);
        find_ids(search, item, depth + 1);
    }
}

json_t *output_node_ids(const json_t *value, const struct outline *outline)
{
    struct id_search search = {json_object(), json_array(), json_object()};

    for (size_t i = 0; i < outline->node_count; i++)
        json_object_set_new(search.known, outline->nodes[i].id, json_true());
    find_ids(&search, value, 0);
    json_decref(search.known);
    json_decref(search.seen);
    return search.found;
}

/* ---- texts ---- */

/* {id: title} */
static json_t *titles_of(const struct outline *outline)
{
    json_t *titles = json_object();

    for (size_t i = 0; i < outline->node_count; i++)
        json_object_set_new(titles, outline->nodes[i].id, json_string(outline->nodes[i].title));
    return titles;
}

static void write_text(const char *text, const json_t *titles, struct buf *to)
{
    const char *title = json_get_string(titles, text);

    buf_adds(to, text);
    if (title && *title)
        buf_addf(to, " \"%.*s\"", utf8_shown(title, TITLE_SHOWN), title);
}

static void write_value(const json_t *value, const json_t *titles, unsigned depth, struct buf *to)
{
    const size_t count = json_array_size(value) + json_object_size(value);
    const bool within = depth > 0 && count > 0;
    const size_t end = to->len + OUTPUT_VALUE_SHOWN;
    const char *key;
    json_t *item;
    size_t i, shown = 0;

    if (json_is_string(value)) {
        write_text(json_string_value(value), titles, to);
        return;
    }
    if (count == 0 || depth == DEPTH_MAX) {
        json_write(to, value);
        return;
    }
    buf_adds(to, within ? "(" : "");
    json_array_foreach((json_t *)value, i, item)
    {
        if (to->len > end)
            break;
        buf_adds(to, shown++ > 0 ? ", " : "");
        write_value(item, titles, depth + 1, to);
    }
    json_object_foreach((json_t *)value, key, item)
    {
        if (to->len > end)
            break;
        buf_adds(to, shown++ > 0 ? ", " : "");
        write_text(key, titles, to);
        buf_adds(to, ": ");
        write_value(item, titles, depth + 1, to);
    }
    if (shown < count)
        buf_addf(to, " and %zu more", count - shown);
    buf_adds(to, within ? ")" : "");
}

void output_write(const json_t *values, const struct outline *outline, struct buf *to)
{
    json_auto_t *titles = titles_of(outline);
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)values, name, value)
    {
        buf_addf(to, "%s%s: ", to->len > 0 ? "\n" : "", name);
        write_value(value, titles, 0, to);
    }
}

/* The number at a digit, with commas between thousands; returns the text after it. */
static const char *read_number(const char *text, double *number)
{
    char digits[40];
    size_t len = 0;

    for (; *text && len + 1 < sizeof digits; text++) {
        if (*text == ',' && isdigit((unsigned char)text[1]))
            continue;
        if (!isdigit((unsigned char)*text) && !(*text == '.' && isdigit((unsigned char)text[1])))
            break;
        digits[len++] = *text;
    }
    digits[len] = '\0';
    *number = strtod(digits, NULL);
    return text;
}

static bool has_number(const json_t *value, double number, unsigned depth)
{
    const char *key;
    json_t *item;
    size_t i;
    double own = json_is_number(value) ? fabs(json_number_value(value)) : NAN;

    /* A share may be said in percent, and a long number rounded. */
    if (fabs(own - number) <= TOLERANCE * number || fabs(own * 100 - number) <= TOLERANCE * number)
        return true;
    if (own != floor(own) && fabs(own - number) <= 0.005 * fabs(own) + TOLERANCE)
        return true;
    if ((double)(json_array_size(value) + json_object_size(value)) == number &&
        (json_is_array(value) || json_is_object(value)))
        return true;
    if (depth == DEPTH_MAX)
        return false;
    json_array_foreach((json_t *)value, i, item)
    {
        if (has_number(item, number, depth + 1))
            return true;
    }
    json_object_foreach((json_t *)value, key, item)
    {
        if (has_number(item, number, depth + 1))
            return true;
    }
    return false;
}

/* Whether the digits of a number stand in the text, as those of "4.1" do in "4.1 Fractions". */
static bool has_digits(const char *text, const char *digits, size_t len)
{
    for (const char *at = text; *at; at++) {
        if (strncmp(at, digits, len) == 0 && !isdigit((unsigned char)at[len]) &&
            (at == text || !isdigit((unsigned char)at[-1])))
            return true;
    }
    return false;
}

int output_check_numbers(const char *text, const struct plan *plan, const json_t *values,
                         struct error *err)
{
    struct buf BUF_AUTO known = {0}, BUF_AUTO wrong = {0};
    size_t count = 0;

    json_write(&known, values);
    json_write(&known, plan->value);
    if (known.failed)
        return error_set(err, ERROR_MEMORY, "out of memory for an answer");
    for (const char *at = text; *at;) {
        const char *begin = at;
        double number;

        if (!isdigit((unsigned char)*at)) {
            at++;
            continue;
        }
        at = read_number(at, &number);
        if (has_number(values, number, 0) || has_digits(known.data, begin, (size_t)(at - begin)))
            continue;
        if (count++ < NUMBERS_NAMED)
            buf_addf(&wrong, "%s%.*s", count > 1 ? ", " : "", (int)(at - begin), begin);
    }
    return count == 0 ? 0
                      : error_set(err, ERROR_INVALID,
                                  "The text has numbers that are not among the values: %s",
                                  wrong.data ? wrong.data : "");
}
