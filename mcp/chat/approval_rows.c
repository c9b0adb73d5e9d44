/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of tools that ask: which of their calls, and what such a call would do, as a change set
 * or an undoing. Arguments are read as the tools read them; what is wrong with them the look tells.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/chat/approval.h"
#include "mcp/chat/approval_look.h"

/* ---- reading arguments, as the tools take them ---- */

static bool is_set(const json_t *arguments, const char *name)
{
    const json_t *value = json_object_get(arguments, name);
    const char *text = json_string_value(value);

    return json_is_true(value) || (text && strcmp(text, "true") == 0);
}

/* An array, also where it comes as JSON text; a new reference, NULL where it is none. */
static json_t *get_array(const json_t *arguments, const char *name)
{
    json_t *value = json_object_get(arguments, name);

    if (json_is_string(value))
        value = json_read(json_string_value(value), json_string_length(value), name, NULL);
    else
        json_incref(value);
    if (json_is_array(value))
        return value;
    json_decref(value);
    return NULL;
}

static int64_t get_number(const json_t *arguments, const char *name)
{
    const json_t *value = json_object_get(arguments, name);

    if (json_is_string(value))
        return strtoll(json_string_value(value), NULL, 10);
    return json_is_real(value) ? (int64_t)json_real_value(value) : json_integer_value(value);
}

/* ---- which calls ask ---- */

static bool ask_always(const json_t *arguments, bool every)
{
    (void)arguments;
    (void)every;
    return true;
}

static bool ask_every(const json_t *arguments, bool every)
{
    (void)arguments;
    return every;
}

static bool loses(const json_t *operation)
{
    static const char *const losing[] = {"delete_", "merge_"};
    const char *op = json_get_string(operation, "op");

    for (size_t i = 0; op && i < sizeof losing / sizeof losing[0]; i++) {
        if (strncmp(op, losing[i], strlen(losing[i])) == 0)
            return true;
    }
    return false;
}

static bool ask_change_set(const json_t *arguments, bool every)
{
    json_auto_t *operations = get_array(arguments, "operations");
    const json_t *operation;
    bool asks = every || json_array_size(operations) > APPROVAL_OPERATIONS_MAX;
    size_t i;

    if (is_set(arguments, "dry_run"))
        return false;
    json_array_foreach(operations, i, operation) asks = asks || loses(operation);
    return asks;
}

static bool ask_batch(const json_t *arguments, bool every)
{
    json_auto_t *components = get_array(arguments, "components");

    return every || json_array_size(components) > APPROVAL_OPERATIONS_MAX;
}

static bool ask_history(const json_t *arguments, bool every)
{
    const char *action = json_get_string(arguments, "action");

    (void)every;
    return action && (strcmp(action, "undo") == 0 || strcmp(action, "restore") == 0);
}

/* ---- what they would do ---- */

/* The call as the operation of that name. */
static json_t *one_operation(const json_t *arguments, const char *op)
{
    json_t *operation = json_copy((json_t *)arguments), *operations;

    json_object_del(operation, "session_id");
    json_object_del(operation, "idempotency_key");
    json_object_del(operation, "confirm");
    json_object_set_new(operation, "op", json_string(op));
    operations = json_pack("[o]", operation);
    return operations;
}

/* Objects that come as JSON text, as some models send them. */
static void read_object(json_t *operations, const char *name)
{
    json_t *operation = json_array_get(operations, 0);
    const json_t *value = json_object_get(operation, name);
    json_t *read;

    if (!json_is_string(value))
        return;
    read = json_read(json_string_value(value), json_string_length(value), name, NULL);
    if (read)
        json_object_set_new(operation, name, read);
}

static void look_at_delete(const json_t *arguments, struct approval_look *look)
{
    look->operations = one_operation(arguments, "delete_component");
}

static void look_at_edit(const json_t *arguments, struct approval_look *look)
{
    look->operations = one_operation(arguments, "edit_component");
    read_object(look->operations, "new_parameters");
}

static void look_at_add(const json_t *arguments, struct approval_look *look)
{
    look->operations = one_operation(arguments, "create_component");
    read_object(look->operations, "parameters");
}

static void look_at_relationship(const json_t *arguments, struct approval_look *look)
{
    look->operations = one_operation(arguments, "create_relationship");
}

static void look_at_change_set(const json_t *arguments, struct approval_look *look)
{
    look->operations = get_array(arguments, "operations");
    look->keep_going = is_set(arguments, "keep_going");
    look->version = get_number(arguments, "expected_version");
}

static void look_at_batch(const json_t *arguments, struct approval_look *look)
{
    json_auto_t *components = get_array(arguments, "components");
    json_t *component;
    size_t i;

    look->operations = json_array();
    json_array_foreach(components, i, component)
    {
        json_t *operation = json_copy(component);

        json_object_set_new(operation, "op", json_string("create_component"));
        json_object_set(operation, "node_id", json_object_get(arguments, "node_id"));
        json_array_append_new(look->operations, operation);
    }
}

static void look_at_history(const json_t *arguments, struct approval_look *look)
{
    const char *action = json_get_string(arguments, "action");

    look->deed = strcmp(action, "undo") == 0 ? APPROVAL_UNDOES : APPROVAL_RESTORES;
    look->version = get_number(arguments, "version");
    look->change_set = json_get_string(arguments, "change_set");
}

static const struct approval_row rows[] = {
    {"delete_component", ask_always, look_at_delete},
    {"change_curriculum", ask_change_set, look_at_change_set},
    {"batch_add_components", ask_batch, look_at_batch},
    {"history", ask_history, look_at_history},
    {"edit_component", ask_every, look_at_edit},
    {"add_component", ask_every, look_at_add},
    {"create_relationship", ask_every, look_at_relationship},
};

const struct approval_row *approval_row_find(const struct tool *tool)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].tool, tool->name) == 0)
            return &rows[i];
    }
    return NULL;
}

/* A tool without a row is judged by what it says of itself. */
bool approval_needed(const struct tool *tool, const json_t *arguments, enum approvals approvals)
{
    const struct approval_row *row = approval_row_find(tool);
    bool every = approvals == APPROVALS_EVERY;

    if (row)
        return row->asks(arguments, every);
    return !tool->read_only && tool->writes && (every || tool->destructive);
}
