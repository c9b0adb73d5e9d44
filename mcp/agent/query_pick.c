/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Takes the part of a query's data that answers a question.
 */
#include "mcp/agent/plan_rules.h"

#include <stdlib.h>
#include <string.h>

/* A member of an object or a position of a list, borrowed; NULL if there is none. */
static json_t *member(const json_t *value, const char *name, size_t len)
{
    size_t at = 0;

    if (json_is_object(value))
        return json_object_getn(value, name, len);
    for (size_t i = 0; i < len; i++) {
        if (name[i] < '0' || name[i] > '9' || at > 1000000)
            return NULL;
        at = at * 10 + (size_t)(name[i] - '0');
    }
    return len > 0 ? json_array_get(value, at) : NULL;
}

static json_t *find(const json_t *data, const char *path)
{
    const json_t *value = data;

    while (value && path && *path) {
        const size_t len = strcspn(path, ".");

        value = member(value, path, len);
        path += len + (path[len] == '.');
    }
    return (json_t *)value;
}

/* The fields of a row as a list, or the only one of them; NULL if the row lacks one. A row that is
 * a list must have nothing beside the fields: a step with several nodes is not one of them. */
static json_t *take_fields(const json_t *row, const json_t *fields)
{
    const size_t count = json_array_size(fields);
    json_auto_t *list = json_array();

    if (json_is_array(row) && json_array_size(row) != count)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const json_t *name = json_array_get(fields, i);

        if (json_array_append(list,
                              member(row, json_string_value(name), json_string_length(name))) < 0)
            return NULL;
    }
    return json_incref(count == 1 ? json_array_get(list, 0) : list);
}

static int compare(const json_t *a, const json_t *b)
{
    double difference;

    if (json_is_string(a) && json_is_string(b))
        return strcmp(json_string_value(a), json_string_value(b));
    if (json_is_array(a) && json_is_array(b)) {
        for (size_t i = 0; i < json_array_size(a) && i < json_array_size(b); i++) {
            int order = compare(json_array_get(a, i), json_array_get(b, i));

            if (order != 0)
                return order;
        }
        return (json_array_size(a) > json_array_size(b)) -
               (json_array_size(a) < json_array_size(b));
    }
    difference = json_number_value(a) - json_number_value(b);
    return (difference > 0) - (difference < 0);
}

static int compare_items(const void *a, const void *b)
{
    return compare(*(json_t *const *)a, *(json_t *const *)b);
}

/* [id, number]: the highest number first. */
static int compare_rows(const void *a, const void *b)
{
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    int order = compare(json_array_get(y, 1), json_array_get(x, 1));

    return order != 0 ? order : compare(json_array_get(x, 0), json_array_get(y, 0));
}

static bool is_ranking(const json_t *list)
{
    const json_t *row = json_array_get(list, 0);

    return json_array_size(row) == 2 && json_is_number(json_array_get(row, 1));
}

/* A new list of the same items in order, those of inner lists too; NULL if out of memory. */
static json_t *sort(const json_t *list)
{
    const size_t count = json_array_size(list);
    json_t **items = calloc(count + 1, sizeof(json_t *));
    json_t *sorted = items ? json_array() : NULL;

    for (size_t i = 0; items && i < count; i++)
        items[i] = json_array_get(list, i);
    if (sorted)
        qsort(items, count, sizeof *items, is_ranking(list) ? compare_rows : compare_items);
    for (size_t i = 0; sorted && i < count; i++)
        json_array_append(sorted, items[i]);
    free(items);
    return sorted;
}

static json_t *as_map(const json_t *list)
{
    json_t *map = json_object();

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        const char *key = json_string_value(json_array_get(row, 0));

        if (!key || json_object_set(map, key, json_array_get(row, 1)) < 0) {
            json_decref(map);
            return NULL;
        }
    }
    return map;
}

static json_t *as_truth(const json_t *value)
{
    return json_boolean(!json_is_null(value) && !json_is_false(value) &&
                        (!json_is_array(value) || json_array_size(value) > 0));
}

/* The rows with their fields, or the fields of an object. */
static json_t *shape(json_t *value, const struct plan_query *query)
{
    json_t *rows;

    if (!query->fields)
        return json_incref(value);
    if (json_is_object(value))
        return take_fields(value, query->fields);
    rows = json_array();
    for (size_t i = 0; i < json_array_size(value); i++)
        if (json_array_append_new(rows, take_fields(json_array_get(value, i), query->fields)) < 0) {
            json_decref(rows);
            return NULL;
        }
    return rows;
}

/* Whether the query says that its answer is not the whole one. */
static bool is_incomplete(const json_t *data)
{
    return json_integer_value(json_object_get(data, "cut")) > 0 ||
           json_is_true(json_object_get(data, "full")) ||
           json_integer_value(json_object_get(data, "cycle_groups_not_judged")) > 0;
}

json_t *query_pick(const json_t *data, const struct plan_query *query, struct error *err)
{
    json_t *found = find(data, query->pick), *value;

    if (!found || (json_is_array(found) ? is_incomplete(data) : query->count)) {
        error_set_at(err, "plan.query.pick", "the query %s gives no complete '%s'", query->name,
                     query->pick ? query->pick : "");
        return NULL;
    }
    value = shape(found, query);
    if (value && query->sorted && json_is_array(value)) {
        json_t *sorted = sort(value);

        json_decref(value);
        value = sorted;
    }
    while (value && query->first && json_array_size(value) > query->first)
        json_array_remove(value, json_array_size(value) - 1);
    if (value && (query->count || query->form != QUERY_AS_IT_IS)) {
        json_t *last = query->count               ? json_integer((json_int_t)json_array_size(value))
                       : query->form == QUERY_MAP ? as_map(value)
                       : query->form == QUERY_SINGLE ? json_incref(json_array_get(value, 0))
                                                     : as_truth(value);

        json_decref(value);
        value = last;
    }
    if (!value)
        error_set_at(err, "plan.query.fields", "the rows of the query %s lack the fields",
                     query->name);
    return value;
}
