/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading a body by the fields of its route. Members of a body, and numbers of a path, that say how
 * to write and are no part of what is kept.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/fields.h"
#include "helpers/base/json.h"
#include "mcp/api/rest_internal.h"

/* {"order": [3, 1, 2]} of the array alone. */
static int put_around(struct rest_call *call, const char *name, struct error *err)
{
    json_t *object = json_object();

    if (!object || json_object_set(object, name, call->body) != 0) {
        json_decref(object);
        return error_set(err, ERROR_MEMORY, "out of memory for the request body");
    }
    json_decref(call->body);
    call->body = object;
    return 0;
}

static const char *name_alone(const struct fields *body)
{
    const struct field *row = body->rows;

    while (row && row->name && !(row->flags & FIELD_ALONE))
        row++;
    return row ? row->name : NULL;
}

int rest_take_body(struct rest_call *call, struct error *err)
{
    static const struct fields none = {.name = "this request"};
    const struct fields *body = call->route->body ? call->route->body : &none;
    struct validation_errors problems;
    json_t *taken;

    if (!call->body || call->route->flags & ROUTE_STORED)
        return 0;
    if (json_is_array(call->body) && name_alone(body) &&
        put_around(call, name_alone(body), err) < 0)
        return -1;
    validation_begin(&problems, "");
    if (!json_is_object(call->body)) {
        struct buf BUF_AUTO names = {0};

        buf_init(&names, ERROR_TEXT_CAP / 2);
        fields_list(body, &names);
        return error_set_at(err, "", "the body must be a JSON object%s%s, not %s",
                            names.len > 0 ? " with the members " : "",
                            names.len > 0 ? names.data : "", json_kind(call->body));
    }
    taken = fields_take(body, call->body, NULL, &problems);
    json_decref(call->body);
    call->body = taken;
    if (validation_end(&problems, NULL, err) < 0)
        return -1;
    return taken ? 0 : error_set(err, ERROR_MEMORY, "out of memory for the request body");
}

/* ---- members that are no part of what is kept ---- */

int rest_take_number(struct rest_call *call, const char *name, int64_t *number, struct error *err)
{
    const struct field rows[] = {
        {.name = name, .type = FIELD_WHOLE, .least = 1, .most = INFINITY},
        {0},
    };
    const struct fields fields = {.name = "the body", .rows = rows, .flags = FIELDS_OPEN};
    json_t *value = json_object_get(call->body, name);
    json_auto_t *one = value ? json_pack("{s:O}", name, value) : NULL, *taken = NULL;
    struct validation_errors problems;

    if (!value)
        return 0;
    validation_begin(&problems, "");
    taken = fields_take(&fields, one, NULL, &problems);
    if (validation_end(&problems, NULL, err) < 0)
        return -1;
    *number = json_integer_value(json_object_get(taken, name));
    json_object_del(call->body, name);
    return 0;
}

int rest_take_path_id(struct rest_call *call, const char *name, const char *id, struct error *err)
{
    const json_t *value = json_object_get(call->body, name);

    if (!value)
        return 0;
    if (!json_is_string(value) || strcmp(json_string_value(value), id) != 0)
        return error_set_at(err, name, "%s must be the one of the path, or left out", name);
    json_object_del(call->body, name);
    return 0;
}

int rest_path_number(const struct rest_call *call, const char *name, int64_t *number,
                     struct error *err)
{
    char loc[ERROR_LOC_CAP];
    char *end;

    errno = 0;
    *number = strtoll(call->item, &end, 10);
    if (!*end && errno == 0 && *number >= 1 && call->item[0] >= '0' && call->item[0] <= '9')
        return 0;
    snprintf(loc, sizeof loc, "path.%s", name);
    return error_set_at(err, loc, "%s in the path must be a whole number from 1 on", name);
}
