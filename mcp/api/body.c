/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bodies of the routes: which members each takes, by the name that its schema has in
 * schema.c. Members of a body, and numbers of a path, that say how to write and are no part of
 * what is kept.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/fields.h"
#include "helpers/base/json.h"
#include "mcp/session/change_set.h"
#include "mcp/session/entity.h"
#include "mcp/api/rest_internal.h"

/* ---- the table ---- */

#define GIVEN_BACK(member)                                                                         \
    {                                                                                              \
        .name = member, .flags = FIELD_GIVEN_BACK                                                  \
    }

static const struct field session_new[] = {
    {.name = "title", .type = FIELD_TEXT, .most = TITLE_MAX},
    {0},
};

static const struct field positions_change[] = {
    {.name = "positions",
     .type = FIELD_OBJECT,
     .required = true,
     .documentation = "{\"N001\": {\"x\": 100.5, \"y\": 200.3}}"},
    GIVEN_BACK("session_id"),
    {0},
};

static const struct field relationships_new[] = {
    {.name = "relationships",
     .type = FIELD_ARRAY,
     .required = true,
     .documentation = "[{\"from\", \"to\", \"type\", \"explanation\"}, ...]"},
    GIVEN_BACK("session_id"),
    GIVEN_BACK("total"),
    {0},
};

static const struct field components_new[] = {
    {.name = "components",
     .type = FIELD_ARRAY,
     .required = true,
     .documentation = "[{type, order, parameters, confidence}, ...], the node's whole sequence"},
    {.name = "suggested_template", .type = FIELD_TEXT, .most = TITLE_MAX, .flags = FIELD_NULL},
    {.name = "overall_confidence", .type = FIELD_NUMBER, .most = 1, .flags = FIELD_NULL},
    {.name = "node_id", .type = FIELD_TEXT},
    GIVEN_BACK("session_id"),
    GIVEN_BACK("title"),
    GIVEN_BACK("total_components"),
    {0},
};

static const struct field order[] = {
    {.name = "order",
     .type = FIELD_ARRAY,
     .required = true,
     .documentation = "[3, 1, 2], the old places in their new sequence"},
    {0},
};

static const struct field undo[] = {
    {.name = "change_set", .type = FIELD_TEXT, .documentation = "the last where none is said"},
    {0},
};

static const struct field restore[] = {
    {.name = "version",
     .type = FIELD_WHOLE,
     .required = true,
     .least = 0,
     .most = INFINITY,
     .documentation = "one of those in the history"},
    {0},
};

static const struct field change_set[] = {
    {.name = "operations",
     .type = FIELD_ARRAY,
     .required = true,
     .documentation = "[{\"op\": \"delete_node\", \"node_id\": \"N003\"}, ...]"},
    {.name = "dry_run", .type = FIELD_FLAG},
    {.name = "keep_going", .type = FIELD_FLAG},
    {.name = "expected_version", .type = FIELD_WHOLE, .least = 1, .most = INFINITY},
    {0},
};

static const struct rest_body {
    const char *name; /* of its schema */
    struct fields fields;
    const char *alone; /* the member that may be sent without an object around it; or NULL */
    bool entity;       /* checked with what is stored: entity.h */
} bodies[] = {
    {"SessionNew", {"a new session", session_new, 0}, NULL, false},
    {"SessionChange", {"a session", entity_session_rows, 0}, NULL, false},
    {"NodeNew", {.name = "a node"}, NULL, true},
    {"NodeChange", {.name = "a node"}, NULL, true},
    {"NodeTextsChange", {.name = "the content of a node"}, NULL, true},
    {"PositionsChange", {"a body of positions", positions_change, 0}, NULL, false},
    {"RelationshipNew", {.name = "a relationship"}, NULL, true},
    {"RelationshipChange", {.name = "a relationship"}, NULL, true},
    {"RelationshipsNew", {"a list of relationships", relationships_new, 0}, "relationships", false},
    {"ComponentsNew", {"a sequence of components", components_new, 0}, "components", false},
    {"ComponentInsert", {.name = "a component"}, NULL, true},
    {"ComponentChange", {.name = "a component"}, NULL, true},
    {"Order", {"a new order", order, 0}, "order", false},
    {"Undo", {"undo", undo, 0}, NULL, false},
    {"Restore", {"restore", restore, 0}, NULL, false},
    {"ChangeSet", {"a change set", change_set, 0}, NULL, false},
};

static const struct rest_body *find_body(const char *name)
{
    static const struct rest_body none = {.fields = {.name = "this request"}};

    for (size_t i = 0; name && i < sizeof bodies / sizeof bodies[0]; i++) {
        if (!strcmp(bodies[i].name, name + (*name == '?')))
            return &bodies[i];
    }
    return &none;
}

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

int rest_take_body(struct rest_call *call, struct error *err)
{
    const struct rest_body *body = find_body(call->route->body);
    struct problems problems;
    json_t *taken;

    if (!call->body || body->entity)
        return 0;
    if (body->alone && json_is_array(call->body) && put_around(call, body->alone, err) != 0)
        return -1;
    problems_begin(&problems, "");
    if (!json_is_object(call->body)) {
        struct buf BUF_AUTO names = {0};

        buf_init(&names, ERROR_TEXT_CAP / 2);
        fields_list(&body->fields, &names);
        return error_set_at(err, "", "the body must be a JSON object%s%s, not %s",
                            names.len > 0 ? " with the members " : "",
                            names.len > 0 ? names.data : "", json_kind(call->body));
    }
    taken = fields_take(&body->fields, call->body, NULL, &problems);
    json_decref(call->body);
    call->body = taken;
    if (problems_end(&problems, NULL, err) != 0)
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
    const struct fields fields = {"the body", rows, FIELDS_OPEN};
    json_t *value = json_object_get(call->body, name);
    json_auto_t *one = value ? json_pack("{s:O}", name, value) : NULL, *taken = NULL;
    struct problems problems;

    if (!value)
        return 0;
    problems_begin(&problems, "");
    taken = fields_take(&fields, one, NULL, &problems);
    if (problems_end(&problems, NULL, err) != 0)
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
