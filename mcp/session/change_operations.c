/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of operations, and reading one by it: every member is known, there where it is needed,
 * and of its kind.
 */
#include "mcp/session/change_operations.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/nearest.h"
#include "mcp/session/problems.h"
#include "mcp/session/text.h"

#define WORD_SHOWN     64 /* bytes of a client's own word in an error */
#define SLIP_EDITS_MAX 2  /* a field so near to a member's name is that name misspelt */

#define NODE                                                                                       \
    {                                                                                              \
        "node_id", CHANGE_NODE, true, NULL                                                         \
    }
#define REVISION                                                                                   \
    {                                                                                              \
        "expected_revision", CHANGE_WHOLE, false, NULL                                             \
    }
#define COMPONENT_ID                                                                               \
    {                                                                                              \
        "component_id", CHANGE_TEXT, false, NULL                                                   \
    }
#define COMPONENT_ORDER                                                                            \
    {                                                                                              \
        "component_order", CHANGE_WHOLE, false, "order"                                            \
    }
#define RELATIONSHIP                                                                               \
    {"id", CHANGE_WHOLE, false, NULL}, {"from_node_id", CHANGE_NODE, false, "from"},               \
        {"to_node_id", CHANGE_NODE, false, "to"},                                                  \
    {                                                                                              \
        "relationship_type", CHANGE_TEXT, false, "type"                                            \
    }

const struct change_operation change_operations[] = {
    {.name = "create_node",
     .takes = "node_id, title, fields?",
     .members = {{"node_id", CHANGE_TEXT, true, NULL}, {"title", CHANGE_TEXT, true, NULL}},
     .further = true,
     .touches_graph = true,
     .apply = change_create_node},
    {.name = "rename_node",
     .takes = "node_id, title",
     .members = {NODE, {"title", CHANGE_TEXT, true, "new_title"}, REVISION},
     .touches_graph = true,
     .apply = change_rename_node},
    {.name = "edit_node",
     .takes = "node_id, fields",
     .members = {NODE, {"title", CHANGE_TEXT, false, NULL}, REVISION},
     .further = true,
     .touches_graph = true,
     .apply = change_edit_node},
    {.name = "delete_node",
     .takes = "node_id",
     .members = {NODE, REVISION},
     .touches_graph = true,
     .apply = change_delete_node},
    {.name = "merge_nodes",
     .takes = "node_id, into_node_id",
     .members = {NODE, {"into_node_id", CHANGE_NODE, true, "into"}, REVISION},
     .touches_graph = true,
     .apply = change_merge_nodes},
    {.name = "create_component",
     .takes = "node_id, component_type, parameters, position?",
     .members = {NODE,
                 {"component_type", CHANGE_TEXT, true, "type"},
                 {"parameters", CHANGE_OBJECT, true, NULL},
                 {"position", CHANGE_WHOLE, false, NULL},
                 {"confidence", CHANGE_NUMBER, false, NULL}},
     .apply = change_create_component},
    {.name = "edit_component",
     .takes = "node_id, component_order or component_id, new_parameters",
     .members = {NODE,
                 COMPONENT_ID,
                 COMPONENT_ORDER,
                 {"new_parameters", CHANGE_OBJECT, true, "parameters"},
                 REVISION},
     .apply = change_edit_component},
    {.name = "delete_component",
     .takes = "node_id, component_order or component_id",
     .members = {NODE, COMPONENT_ID, COMPONENT_ORDER, REVISION},
     .apply = change_delete_component},
    {.name = "reorder_components",
     .takes = "node_id, order ([3,1,2]: old places)",
     .members = {NODE, {"order", CHANGE_ARRAY, true, NULL}},
     .apply = change_reorder_components},
    {.name = "create_relationship",
     .takes = "from_node_id, to_node_id, relationship_type?, explanation?",
     .members = {{"from_node_id", CHANGE_NODE, true, "from"},
                 {"to_node_id", CHANGE_NODE, true, "to"},
                 {"relationship_type", CHANGE_TEXT, false, "type"},
                 {"explanation", CHANGE_TEXT, false, NULL},
                 {"confidence_score", CHANGE_NUMBER, false, NULL}},
     .touches_graph = true,
     .apply = change_create_relationship},
    {.name = "edit_relationship",
     .takes = "id, or both ends and relationship_type; new_type?, explanation?",
     .members = {RELATIONSHIP,
                 {"new_type", CHANGE_TEXT, false, NULL},
                 {"explanation", CHANGE_TEXT, false, NULL},
                 {"confidence_score", CHANGE_NUMBER, false, NULL}},
     .touches_graph = true,
     .apply = change_edit_relationship},
    {.name = "delete_relationship",
     .takes = "id, or both ends and relationship_type",
     .members = {RELATIONSHIP},
     .touches_graph = true,
     .apply = change_delete_relationship},
};
const size_t change_operation_count = sizeof change_operations / sizeof change_operations[0];

static void begin_schema(struct buf *to)
{
    buf_adds(to, "{\"type\":\"object\",\"properties\":{\"op\":{\"type\":\"string\",\"enum\":[");
    for (size_t i = 0; i < change_operation_count; i++)
        buf_addf(to, "%s\"%s\"", i > 0 ? "," : "", change_operations[i].name);
    buf_adds(to, "]}},\"required\":[\"op\"],\"description\":\"");
}

void change_set_operation_schema_beside_tools(struct buf *to)
{
    begin_schema(to);
    buf_adds(to,
             "Members as in the tools. create_node: node_id, title, fields?; rename_node: title; "
             "edit_node: fields; merge_nodes: into_node_id; reorder_components: order "
             "([3,1,2], old places); edit_relationship, delete_relationship: id, or ends and "
             "type; new_type?\"}");
}

void change_set_operation_schema(struct buf *to)
{
    begin_schema(to);
    for (size_t i = 0; i < change_operation_count; i++)
        buf_addf(to, "%s: %s. ", change_operations[i].name, change_operations[i].takes);
    buf_adds(to, "All but create: expected_revision?\"}");
}

/* ---- which operation ---- */

static const struct change_operation *find(const char *name)
{
    for (size_t i = 0; name && i < change_operation_count; i++) {
        if (!strcmp(change_operations[i].name, name))
            return &change_operations[i];
    }
    return NULL;
}

bool change_operation_touches_graph(const json_t *item)
{
    const struct change_operation *operation = find(json_get_string(item, "op"));

    return operation && operation->touches_graph;
}

static int say_unknown(const char *op, struct error *err)
{
    struct buf BUF_AUTO names = {0};
    struct nearest search;
    char shown[WORD_SHOWN];

    buf_init(&names, ERROR_TEXT_CAP / 2);
    nearest_begin(&search, op ? op : "");
    for (size_t i = 0; i < change_operation_count; i++) {
        nearest_feed(&search, change_operations[i].name);
        buf_addf(&names, "%s%s", i > 0 ? ", " : "", change_operations[i].name);
    }
    if (!op)
        return error_set_at(err, "op", "op is needed, one of %s", names.data);
    return error_set_at(err, "op", "there is no op '%s'%s%s%s There are %s",
                        text_cut_line(shown, sizeof shown, op),
                        search.best ? "; did you mean " : ".", search.best ? search.best : "",
                        search.best ? "?" : "", names.data);
}

/* ---- its members ---- */

static bool is_row(const struct change_operation *operation, size_t i)
{
    return i < CHANGE_MEMBERS_CAP && operation->members[i].name;
}

static const struct change_member *find_member(const struct change_operation *operation,
                                               const char *name)
{
    for (size_t i = 0; is_row(operation, i); i++) {
        if (!strcmp(operation->members[i].name, name))
            return &operation->members[i];
    }
    for (size_t i = 0; is_row(operation, i); i++) {
        if (operation->members[i].also && !strcmp(operation->members[i].also, name))
            return &operation->members[i];
    }
    return NULL;
}

/* The id that an earlier operation made; a new reference, NULL where value is no "$2". */
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

/* A whole number from 1 on; text that is one is taken too, as models send it. */
static json_t *whole(const json_t *value)
{
    double real = json_real_value(value);
    long long number = json_integer_value(value);
    char *end;

    if (json_is_real(value) && real >= 1 && real <= 1e15 && real == (double)(long long)real)
        number = (long long)real;
    if (json_is_string(value)) {
        errno = 0;
        number = strtoll(json_string_value(value), &end, 10);
        if (errno != 0 || *end)
            number = 0;
    }
    return number > 0 ? json_integer(number) : NULL;
}

/* The member's value in its own kind; a new reference, NULL where it is none. */
static json_t *value_of(const struct change_member *member, json_t *value, const json_t *results)
{
    json_t *made = NULL;

    if (!strcmp(member->name, "component_id") || !strcmp(member->name, "id"))
        made = made_by(json_string_value(value), results, member->kind == CHANGE_TEXT);
    if (made)
        return made;
    switch (member->kind) {
    case CHANGE_TEXT:
    case CHANGE_NODE:
        return json_is_string(value) &&
                       strlen(json_string_value(value)) == json_string_length(value)
                   ? json_incref(value)
                   : NULL;
    case CHANGE_WHOLE:
        return whole(value);
    case CHANGE_NUMBER:
        return json_is_number(value) ? json_incref(value) : NULL;
    case CHANGE_OBJECT:
        return json_is_object(value) ? json_incref(value) : NULL;
    case CHANGE_ARRAY:
        return json_is_array(value) ? json_incref(value) : NULL;
    }
    return NULL;
}

static void say_stranger(struct problems *problems, const struct change_operation *operation,
                         const char *name)
{
    struct nearest search;
    char shown[WORD_SHOWN];

    nearest_begin(&search, name);
    for (size_t i = 0; is_row(operation, i); i++)
        nearest_feed(&search, operation->members[i].name);
    problems_add(problems, text_cut_line(shown, sizeof shown, name),
                 "is no member of %s%s%s%s; it takes %s", operation->name,
                 search.best ? ", did you mean " : "", search.best ? search.best : "",
                 search.best ? "?" : "", operation->takes);
}

/* Where fields of one's own are taken, a slip of the pen would become one. */
static bool is_slip(const struct change_operation *operation, const char *name)
{
    for (size_t i = 0; is_row(operation, i); i++) {
        if (nearest_distance(operation->members[i].name, name) <= SLIP_EDITS_MAX)
            return true;
    }
    return false;
}

static void take_member(const struct change_operation *operation, const char *name, json_t *value,
                        const json_t *results, json_t *given, struct problems *problems)
{
    static const char *const wanted[] = {
        [CHANGE_TEXT] = "text",
        [CHANGE_NODE] = "text",
        [CHANGE_WHOLE] = "a whole number from 1 on",
        [CHANGE_NUMBER] = "a number",
        [CHANGE_OBJECT] = "an object",
        [CHANGE_ARRAY] = "an array",
    };
    const struct change_member *member = find_member(operation, name);
    json_t *taken;

    if (!member && (!operation->further || is_slip(operation, name))) {
        say_stranger(problems, operation, name);
        return;
    }
    if (!member) {
        json_object_set(given, name, value);
        return;
    }
    if (json_is_null(value)) /* models send that for "not given" */
        return;
    taken = value_of(member, value, results);
    if (!taken)
        problems_add(problems, name, "must be %s, not %s", wanted[member->kind], json_kind(value));
    else if (json_object_get(given, member->name))
        problems_add(problems, name, "is %s again, send one of them", member->name);
    else
        json_object_set(given, member->name, taken);
    json_decref(taken);
}

static bool is_sent(const json_t *item, const char *name)
{
    const json_t *value = name ? json_object_get(item, name) : NULL;

    return value && !json_is_null(value);
}

const struct change_operation *change_operation_read(const json_t *item, const json_t *results,
                                                     json_t **given, struct error *err)
{
    const struct change_operation *operation = find(json_get_string(item, "op"));
    struct problems problems;
    const char *name;
    json_t *value;

    *given = NULL;
    if (!json_is_object(item)) {
        error_set_at(err, "",
                     "an operation must be an object such as {\"op\": \"delete_node\", "
                     "\"node_id\": \"N003\"}, not %s",
                     json_kind(item));
        return NULL;
    }
    if (!operation) {
        say_unknown(json_get_string(item, "op"), err);
        return NULL;
    }
    *given = json_object();
    if (!*given) {
        error_set(err, ERROR_MEMORY, "out of memory for an operation");
        return NULL;
    }
    problems_begin(&problems, "");
    json_object_foreach((json_t *)item, name, value)
    {
        if (strcmp(name, "op") != 0)
            take_member(operation, name, value, results, *given, &problems);
    }
    for (size_t i = 0; is_row(operation, i); i++) {
        if (operation->members[i].needed && !is_sent(item, operation->members[i].name) &&
            !is_sent(item, operation->members[i].also))
            problems_add(&problems, operation->members[i].name, "is needed; %s takes %s",
                         operation->name, operation->takes);
    }
    if (problems_end(&problems, NULL, err) == 0)
        return operation;
    json_decref(*given);
    *given = NULL;
    return NULL;
}

int change_operation_resolve(const struct change_operation *operation, struct store *store,
                             const char *sid, json_t *given, struct error *err)
{
    for (size_t i = 0; is_row(operation, i); i++) {
        const struct change_member *member = &operation->members[i];
        const char *name = json_get_string(given, member->name), *id;
        struct buf found BUF_AUTO = {0};

        if (member->kind != CHANGE_NODE || !name)
            continue;
        if (store_node_id(store, sid, name, member->name, &found, &id, err) < 0)
            return -1;
        if (id != name && json_object_set_new(given, member->name, json_string(id)) != 0)
            return error_set(err, ERROR_MEMORY, "out of memory for an operation");
    }
    return 0;
}
