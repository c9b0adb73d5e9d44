/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of operations, and reading one by it: every member is known, there where it is needed,
 * and of its kind.
 */
#include "mcp/session/change_operations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/nearest.h"
#include "mcp/session/text.h"

#define WORD_SHOWN 64 /* bytes of a client's own word in an error */

/* Rows of members. A number may come as text, as models send it. */
#define NEEDED(member, kind, ...)   FIELD(member, kind, .required = true, __VA_ARGS__)
#define MAY_HAVE(member, kind, ...) FIELD(member, kind, __VA_ARGS__)
#define PLACE                       FIELD_WHOLE, .least = 1, .most = INFINITY, .flags = FIELD_AS_TEXT

#define NODE               NEEDED("node_id", FIELD_TEXT, .flags = FIELD_NAME)
#define REVISION           MAY_HAVE("expected_revision", PLACE)
#define COMPONENT_ID       MAY_HAVE("component_id", FIELD_TEXT)
#define COMPONENT_ORDER    MAY_HAVE("component_order", PLACE, .also = "order")
#define EXPLANATION        MAY_HAVE("explanation", FIELD_TEXT)
#define CONFIDENCE(member) MAY_HAVE(member, FIELD_NUMBER)
#define FROM(macro)        macro("from_node_id", FIELD_TEXT, .flags = FIELD_NAME, .also = "from")
#define TO(macro)          macro("to_node_id", FIELD_TEXT, .flags = FIELD_NAME, .also = "to")
#define TYPE               MAY_HAVE("relationship_type", FIELD_TEXT, .also = "type")
#define RELATIONSHIP       MAY_HAVE("id", PLACE), FROM(MAY_HAVE), TO(MAY_HAVE), TYPE

const struct change_operation change_operations[] = {
    {.name = "create_node",
     .members = {NEEDED("node_id", FIELD_TEXT), NEEDED("title", FIELD_TEXT)},
     .further = true,
     .touches_graph = true,
     .apply = change_create_node},
    {.name = "rename_node",
     .members = {NODE, NEEDED("title", FIELD_TEXT, .also = "new_title"), REVISION},
     .touches_graph = true,
     .reads = STORE_TEXTS_PART,
     .apply = change_rename_node},
    {.name = "edit_node",
     .members = {NODE, MAY_HAVE("title", FIELD_TEXT), REVISION},
     .further = true,
     .touches_graph = true,
     .reads = STORE_TEXTS_PART,
     .apply = change_edit_node},
    {.name = "delete_node",
     .members = {NODE, REVISION},
     .touches_graph = true,
     .reads = STORE_COMPONENTS_PART | STORE_TEXTS_PART,
     .apply = change_delete_node},
    {.name = "merge_nodes",
     .members = {NODE, NEEDED("into_node_id", FIELD_TEXT, .flags = FIELD_NAME, .also = "into"),
                 REVISION},
     .touches_graph = true,
     .reads = STORE_COMPONENTS_PART | STORE_TEXTS_PART,
     .apply = change_merge_nodes},
    {.name = "create_component",
     .members = {NODE, NEEDED("component_type", FIELD_TEXT, .also = "type"),
                 NEEDED("parameters", FIELD_OBJECT), MAY_HAVE("position", PLACE),
                 CONFIDENCE("confidence")},
     .reads = STORE_COMPONENTS_PART,
     .apply = change_create_component},
    {.name = "edit_component",
     .members = {NODE, COMPONENT_ID, COMPONENT_ORDER,
                 NEEDED("new_parameters", FIELD_OBJECT, .also = "parameters"), REVISION},
     .reads = STORE_COMPONENTS_PART,
     .apply = change_edit_component},
    {.name = "delete_component",
     .members = {NODE, COMPONENT_ID, COMPONENT_ORDER, REVISION},
     .reads = STORE_COMPONENTS_PART,
     .apply = change_delete_component},
    {.name = "reorder_components",
     .members = {NODE, NEEDED("order", FIELD_ARRAY)},
     .reads = STORE_COMPONENTS_PART,
     .apply = change_reorder_components},
    {.name = "create_relationship",
     .members = {FROM(NEEDED), TO(NEEDED), TYPE, EXPLANATION, CONFIDENCE("confidence_score")},
     .touches_graph = true,
     .apply = change_create_relationship},
    {.name = "edit_relationship",
     .members = {RELATIONSHIP, MAY_HAVE("new_type", FIELD_TEXT), EXPLANATION,
                 CONFIDENCE("confidence_score")},
     .touches_graph = true,
     .apply = change_edit_relationship},
    {.name = "delete_relationship",
     .members = {RELATIONSHIP},
     .touches_graph = true,
     .apply = change_delete_relationship},
};
const size_t change_operation_count = sizeof change_operations / sizeof change_operations[0];

static struct fields members_of(const struct change_operation *operation)
{
    return (struct fields){.name = operation->name,
                           .rows = operation->members,
                           .flags = FIELDS_ALSO | (operation->further ? FIELDS_OPEN : 0)};
}

void change_operation_list(const struct change_operation *operation, struct buf *to)
{
    buf_addf(to, "%s takes ", operation->name);
    for (const struct field *row = operation->members; row->name; row++)
        buf_addf(to, "%s%s%s", row > operation->members ? ", " : "", row->name,
                 row->required ? "" : "?");
    buf_adds(to, operation->further ? ", fields?" : "");
}

/* ---- schemas ---- */

static void write_operation(const struct change_operation *operation, struct buf *to)
{
    const char *const name[] = {operation->name, NULL};
    struct field rows[CHANGE_MEMBERS_CAP + 2] = {NEEDED("op", FIELD_TEXT, .choices = name)};
    struct fields fields = members_of(operation);

    memcpy(rows + 1, operation->members, sizeof operation->members);
    fields.rows = rows;
    fields_schema(&fields, "", NULL, to);
}

static void write_operations(const struct field *row, const void *context, struct buf *to)
{
    (void)row;
    (void)context;
    buf_adds(to, "{\"type\":\"object\",\"anyOf\":[");
    for (size_t i = 0; i < change_operation_count; i++) {
        buf_adds(to, i > 0 ? "," : "");
        write_operation(&change_operations[i], to);
    }
    buf_adds(to, "]}");
}

static void write_brief(const struct field *row, const void *context, struct buf *to)
{
    (void)row;
    (void)context;
    buf_adds(to, "{\"type\":\"object\",\"properties\":{\"op\":{\"type\":\"string\",\"enum\":[");
    for (size_t i = 0; i < change_operation_count; i++)
        buf_addf(to, "%s\"%s\"", i > 0 ? "," : "", change_operations[i].name);
    buf_adds(to,
             "]}},\"required\":[\"op\"],\"description\":\""
             "Members as in the tools. create_node: node_id, title, fields?; rename_node: title; "
             "edit_node: fields; merge_nodes: into_node_id; reorder_components: order "
             "([3,1,2], old places); edit_relationship, delete_relationship: id, or ends and "
             "type; new_type?\"}");
}

const struct fields change_set_operation = {"an operation", .schema = "Operation",
                                            .write_schema = write_operations};
const struct fields change_set_operation_brief = {"an operation", .write_schema = write_brief};

/* ---- which operation ---- */

static const struct change_operation *find(const char *name)
{
    for (size_t i = 0; name && i < change_operation_count; i++) {
        if (strcmp(change_operations[i].name, name) == 0)
            return &change_operations[i];
    }
    return NULL;
}

bool change_operation_touches_graph(const json_t *item)
{
    const struct change_operation *operation = find(json_get_string(item, "op"));

    return operation && operation->touches_graph;
}

void change_operation_add_parts(const json_t *item, json_t *parts)
{
    const struct change_operation *operation = find(json_get_string(item, "op"));

    if (!operation || operation->reads == 0)
        return;
    for (const struct field *row = operation->members; row->name; row++) {
        const char *id = json_get_string(item, row->name);
        json_int_t before;

        if (!id && row->also)
            id = json_get_string(item, row->also);
        if (!id || !(row->flags & FIELD_NAME))
            continue;
        before = json_integer_value(json_object_get(parts, id));
        json_object_set_new(parts, id, json_integer(before | operation->reads));
    }
}

static int say_unknown(const json_t *op, struct error *err)
{
    struct buf BUF_AUTO names = {0};
    struct nearest search;
    char shown[WORD_SHOWN];

    buf_init(&names, ERROR_TEXT_CAP / 2);
    nearest_begin(&search, json_is_string(op) ? json_string_value(op) : "");
    for (size_t i = 0; i < change_operation_count; i++) {
        nearest_feed(&search, change_operations[i].name);
        buf_addf(&names, "%s%s", i > 0 ? ", " : "", change_operations[i].name);
    }
    if (!op)
        return error_set_at(err, "op", "op is needed, one of %s", names.data);
    if (!json_is_string(op))
        return error_set_at(err, "op", "op must be text, not %s: one of %s", json_kind(op),
                            names.data);
    text_cut_line(shown, sizeof shown, json_string_value(op));
    if (search.best)
        return error_set_at(err, "op", "there is no op '%s'; did you mean '%s'? There are %s",
                            shown, search.best, names.data);
    return error_set_at(err, "op", "there is no op '%s'. There are %s", shown, names.data);
}

/* ---- its members ---- */

/* What an earlier operation made; a new reference, NULL where value is no "$2". */
static json_t *made_by(const char *value, const json_t *results, bool component)
{
    const json_t *result;
    char *end;
    unsigned long at;

    if (!value || value[0] != '$' || value[1] < '0' || value[1] > '9')
        return NULL;
    at = strtoul(value + 1, &end, 10);
    result = *end ? NULL : json_array_get(results, at);
    return json_incref(json_object_get(result, component ? "component_id" : "id"));
}

/* The members that were sent, with what "$2" stands for; a new reference, or NULL. */
static json_t *sent_members(const struct change_operation *operation, const json_t *item,
                            const json_t *results)
{
    json_t *members = json_copy((json_t *)item);
    bool component = false;

    if (!members)
        return NULL;
    json_object_del(members, "op");
    for (const struct field *row = operation->members; row->name; row++) {
        json_t *made = NULL;

        component = strcmp(row->name, "component_id") == 0;
        if (component || strcmp(row->name, "id") == 0)
            made = made_by(json_get_string(members, row->name), results, component);
        if (made)
            json_object_set_new(members, row->name, made);
    }
    return members;
}

const struct change_operation *change_operation_read(const json_t *item, const json_t *results,
                                                     json_t **given, struct error *err)
{
    const struct change_operation *operation = find(json_get_string(item, "op"));
    json_auto_t *sent = NULL;
    struct validation_errors problems;
    struct fields fields;
    struct buf BUF_AUTO advice = {0};

    *given = NULL;
    if (!json_is_object(item)) {
        error_set_at(err, "",
                     "an operation must be an object such as {\"op\": \"delete_node\", "
                     "\"node_id\": \"N003\"}, not %s",
                     json_kind(item));
        return NULL;
    }
    if (!operation) {
        say_unknown(json_object_get(item, "op"), err);
        return NULL;
    }
    fields = members_of(operation);
    validation_begin(&problems, "");
    sent = sent_members(operation, item, results);
    if (sent)
        *given = fields_take(&fields, sent, NULL, &problems);
    if (!*given) {
        error_set(err, ERROR_MEMORY, "out of memory for an operation");
        return NULL;
    }
    if (problems.count > 0) {
        buf_init(&advice, ERROR_TEXT_CAP / 2);
        change_operation_list(operation, &advice);
    }
    if (validation_end(&problems, advice.data, err) == 0)
        return operation;
    json_decref(*given);
    *given = NULL;
    return NULL;
}

int change_operation_resolve(const struct change_operation *operation, struct store *store,
                             const char *sid, json_t *given, struct error *err)
{
    for (const struct field *row = operation->members; row->name; row++) {
        const char *name = json_get_string(given, row->name), *id;
        struct buf BUF_AUTO found = {0};

        if (!(row->flags & FIELD_NAME) || !name)
            continue;
        if (store_node_id(store, sid, name, row->name, &found, &id, err) < 0)
            return -1;
        if (id != name && json_object_set_new(given, row->name, json_string(id)) != 0)
            return error_set(err, ERROR_MEMORY, "out of memory for an operation");
    }
    return 0;
}
