/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a request says: the table of routes and the one that its path means, its query and its body,
 * read by the fields of that route. Each segment of a path is decoded by itself, so that a node id
 * may hold any character, the slash as %2F. The rows of a subject are in its file. Pure.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/encode.h"
#include "helpers/base/fields.h"
#include "helpers/base/json.h"
#include "mcp/api/rest_internal.h"

/* Decodes in place; false for an invalid encoding, or a NUL. */
static bool decode(char *text, bool query)
{
    bool valid;

    percent_decode(text, query, &valid);
    return valid;
}

/* ---- the path ---- */

static const struct rest_route *const subjects[] = {
    rest_service_routes,      rest_session_routes,   rest_import_routes, rest_node_routes,
    rest_relationship_routes, rest_component_routes, rest_change_routes, rest_graph_routes,
    rest_history_routes,      rest_find_routes,      rest_task_routes,
};
#define SUBJECTS (sizeof subjects / sizeof subjects[0])

const struct rest_route *rest_routes_next(struct rest_routes *at)
{
    at->row = at->row ? at->row + 1 : subjects[0];
    if (!at->row->method && at->subject + 1 < SUBJECTS)
        at->row = subjects[++at->subject];
    return at->row->method ? at->row : NULL;
}

/* Decodes each segment; false if the path is too long, has too many segments, or is not validly
 * encoded. */
static bool split(struct rest_path *path, const char *encoded)
{
    size_t len = strlen(encoded);
    char *at = path->text;

    path->count = 0;
    if (len >= sizeof path->text || *encoded != '/')
        return false;
    memcpy(path->text, encoded, len + 1);
    while (at) {
        char *segment = at + 1;

        at = strchr(segment, '/');
        if (at)
            *at = '\0';
        if (path->count == REST_SEGMENTS_CAP || !decode(segment, false))
            return false;
        path->segments[path->count++] = segment;
    }
    return true;
}

static bool capture(const char *name, size_t len, const char *segment, struct rest_call *call)
{
    if (!*segment)
        return false;
    if (!call)
        return true;
    if (strncmp(name, "{sid}", len) == 0)
        call->session = segment;
    else if (strncmp(name, "{nid}", len) == 0)
        call->node = segment;
    else
        call->item = segment;
    return true;
}

/* Sets what the pattern captures, if call is not NULL. */
static bool matches(const char *pattern, const struct rest_path *path, struct rest_call *call)
{
    for (size_t i = 0; i < path->count; i++) {
        size_t len;

        if (*pattern != '/')
            return false;
        pattern++;
        len = strcspn(pattern, "/");
        if (*pattern == '{') {
            if (!capture(pattern, len, path->segments[i], call))
                return false;
        } else if (strlen(path->segments[i]) != len ||
                   memcmp(pattern, path->segments[i], len) != 0) {
            return false;
        }
        pattern += len;
    }
    return !*pattern;
}

const struct rest_route *rest_find(const char *method, const char *path, char *allow, size_t size)
{
    const struct rest_route *route;
    struct rest_routes at = {0};
    struct rest_path segments;

    *allow = '\0';
    if (!split(&segments, path))
        return NULL;
    while ((route = rest_routes_next(&at))) {
        size_t len = strlen(allow);

        if (!matches(route->pattern, &segments, NULL))
            continue;
        if (strcmp(route->method, method) == 0)
            return route;
        if (!strstr(allow, route->method))
            snprintf(allow + len, size - len, "%s%s", len > 0 ? ", " : "", route->method);
    }
    return NULL;
}

bool rest_take_path(struct rest_call *call, const char *path)
{
    return split(&call->path, path) && matches(call->route->pattern, &call->path, call);
}

/* ---- the query ---- */

static bool take_part(const char *part, size_t len, char *to, size_t size)
{
    if (len >= size)
        return false;
    memcpy(to, part, len);
    to[len] = '\0';
    return decode(to, true);
}

/* Decodes the next name and value of the query at *at, and advances *at. Returns 1, 0 at the end,
 * or -1 with ERROR_INVALID for an invalid encoding or one that does not fit. */
static int next(const char **at, char name[REST_NAME_MAX], char value[REST_QUERY_MAX],
                struct error *err)
{
    const char *part = *at + strspn(*at, "&");
    size_t len = strcspn(part, "&"), name_len = strcspn(part, "=&");
    const char *equals = name_len < len ? part + name_len + 1 : part + len;

    *at = part + len;
    if (len == 0)
        return 0;
    if (!take_part(part, name_len, name, REST_NAME_MAX))
        return error_set_at(err, "query.", "a name behind the '?' is too long, or badly encoded");
    if (!take_part(equals, (size_t)(part + len - equals), value, REST_QUERY_MAX)) {
        char loc[ERROR_LOC_CAP];

        snprintf(loc, sizeof loc, "query.%s", name);
        return error_set_at(err, loc, "%s is longer than %d bytes, or badly encoded", name,
                            REST_QUERY_MAX - 1);
    }
    return 1;
}

/* Members that the query has several times are arrays. */
static int keep(const struct fields *fields, json_t *members, const char *name, const char *value)
{
    const struct field *row = fields_find(fields, name);
    json_t *list;

    if (row && row->type == FIELD_ARRAY) {
        list = json_object_get(members, name);
        if (!list && json_object_set_new(members, name, json_array()) == 0)
            list = json_object_get(members, name);
        return json_array_append_new(list, json_string(value));
    }
    if (json_object_get(members, name)) /* the first counts */
        return 0;
    return json_object_set_new(members, name, json_string(value));
}

int rest_take_query(struct rest_call *call, struct error *err)
{
    static const struct fields none = {.name = "the query", .noun = "parameter"};
    const struct fields *fields = call->route->query ? call->route->query : &none;
    char name[REST_NAME_MAX], value[REST_QUERY_MAX];
    const char *at = call->request->query;
    json_auto_t *members = NULL;
    struct validation_errors problems;
    int more = 0;

    if (!call->route->query && !*at)
        return 0;
    members = json_object();
    while (members && (more = next(&at, name, value, err)) > 0) {
        if (keep(fields, members, name, value) != 0)
            return error_set_at(err, "query.", "'%s' is not UTF-8", name);
    }
    if (more < 0)
        return -1;
    validation_begin(&problems, "query");
    if (members)
        call->asked = fields_take(fields, members, NULL, &problems);
    if (!call->asked)
        return error_set(err, ERROR_MEMORY, "out of memory for the query");
    return validation_end(&problems, NULL, err);
}

int64_t rest_asked_whole(const struct rest_call *call, const char *name, int64_t otherwise)
{
    const json_t *value = json_object_get(call->asked, name);

    return value ? json_integer_value(value) : otherwise;
}

/* ---- the body ---- */

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
    if (json_is_array(call->body) && name_alone(body)) /* {"order": [3, 1, 2]} of the array alone */
        call->body = json_pack("{s:o}", name_alone(body), call->body);
    if (!call->body)
        return error_set(err, ERROR_MEMORY, "out of memory for the request body");
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

/* ---- members of the body, and numbers in the path, that are not stored ---- */

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
