/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of tools that ask: the impact of a call of them, and what it would do, as a change set
 * or an undoing. Arguments are read as the tools read them; what is wrong with them the preview
 * says.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/chat/approval.h"
#include "mcp/chat/approval_preview.h"

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

/* ---- what is lost by them ---- */

static enum loss nothing(const json_t *arguments)
{
    (void)arguments;
    return LOSS_NOTHING;
}

static enum loss deleted(const json_t *arguments)
{
    (void)arguments;
    return LOSS_DELETED;
}

/* What an edit sets to nothing is gone, though its place stays. */
static bool is_empty(const json_t *value)
{
    const char *text = json_string_value(value), *name;
    json_t *member;
    size_t i;

    json_array_foreach((json_t *)value, i, member)
    {
        if (!is_empty(member))
            return false;
    }
    json_object_foreach((json_t *)value, name, member)
    {
        if (!is_empty(member))
            return false;
    }
    return json_is_null(value) || json_is_array(value) || json_is_object(value) ||
           (text && text[strspn(text, " \t\r\n")] == '\0');
}

static bool has_empty(const json_t *object)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)object, name, value)
    {
        if (is_empty(value))
            return true;
    }
    return false;
}

/* An object, also where it comes as JSON text; a new reference, NULL where it is none. */
static json_t *get_object(const json_t *arguments, const char *name)
{
    json_t *value = json_object_get(arguments, name);

    if (json_is_string(value))
        value = json_read(json_string_value(value), json_string_length(value), name, NULL);
    else
        json_incref(value);
    if (json_is_object(value))
        return value;
    json_decref(value);
    return NULL;
}

static enum loss of_edit(const json_t *arguments)
{
    /* An operation knows both names. */
    json_auto_t *longer = get_object(arguments, "new_parameters");
    json_auto_t *shorter = get_object(arguments, "parameters");

    return has_empty(longer) || has_empty(shorter) ? LOSS_DELETED : LOSS_REPLACED;
}

/* A member of the operation's own that is null counts as not sent; a field of the node is emptied
 * by it. */
static enum loss of_fields(const json_t *operation)
{
    static const char *const members[] = {"node_id", "title", "new_title", "expected_revision"};
    json_auto_t *fields = json_copy((json_t *)operation);

    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (json_is_null(json_object_get(fields, members[i])))
            json_object_del(fields, members[i]);
    }
    return !fields || has_empty(fields) ? LOSS_DELETED : LOSS_REPLACED;
}

static enum loss replaced(const json_t *operation)
{
    (void)operation;
    return LOSS_REPLACED;
}

/* An operation that is not known here is taken for the worst. */
static enum loss of_operation(const json_t *operation)
{
    static const struct {
        const char *begins;
        enum loss (*impact)(const json_t *operation);
    } operations[] = {
        {"create_", nothing},        {"reorder_", nothing},
        {"edit_component", of_edit}, {"edit_relationship", replaced},
        {"edit_node", of_fields},    {"rename_node", of_fields},
    };
    const char *op = json_get_string(operation, "op");

    for (size_t i = 0; op && i < sizeof operations / sizeof operations[0]; i++) {
        if (strncmp(op, operations[i].begins, strlen(operations[i].begins)) == 0)
            return operations[i].impact(operation);
    }
    return LOSS_DELETED;
}

static enum loss of_change_set(const json_t *arguments)
{
    json_auto_t *operations = get_array(arguments, "operations");
    const json_t *operation;
    enum loss most = LOSS_NOTHING, loss;
    size_t i;

    if (is_set(arguments, "dry_run"))
        return LOSS_NO_EDIT;
    if (json_array_size(operations) > APPROVAL_OPERATIONS_MAX)
        return LOSS_DELETED;
    json_array_foreach(operations, i, operation)
    {
        loss = of_operation(operation);
        most = loss > most ? loss : most;
    }
    return most;
}

static enum loss of_batch(const json_t *arguments)
{
    json_auto_t *components = get_array(arguments, "components");

    return json_array_size(components) > APPROVAL_OPERATIONS_MAX ? LOSS_DELETED : LOSS_NOTHING;
}

static enum loss of_history(const json_t *arguments)
{
    return json_string_is(arguments, "action", "undo") ||
                   json_string_is(arguments, "action", "restore")
               ? LOSS_DELETED
               : LOSS_NO_EDIT;
}

/* ---- what they would do ---- */

/* The call as the operation of that name. */
static json_t *one_operation(const json_t *arguments, const char *op)
{
    json_t *operation = json_copy((json_t *)arguments);

    json_object_del(operation, "session_id");
    json_object_del(operation, "idempotency_key");
    json_object_del(operation, "confirm");
    json_object_set_new(operation, "op", json_string(op));
    return json_pack("[o]", operation);
}

/* Objects that come as JSON text, as some models send them. */
static void read_object(json_t *operations, const char *name)
{
    json_t *operation = json_array_get(operations, 0);
    json_t *read = get_object(operation, name);

    if (read)
        json_object_set_new(operation, name, read);
}

static void preview_delete(const json_t *arguments, struct approval_preview *preview)
{
    preview->operations = one_operation(arguments, "delete_component");
}

static void preview_edit(const json_t *arguments, struct approval_preview *preview)
{
    preview->operations = one_operation(arguments, "edit_component");
    read_object(preview->operations, "new_parameters");
}

static void preview_add(const json_t *arguments, struct approval_preview *preview)
{
    preview->operations = one_operation(arguments, "create_component");
    read_object(preview->operations, "parameters");
}

static void preview_relationship(const json_t *arguments, struct approval_preview *preview)
{
    preview->operations = one_operation(arguments, "create_relationship");
}

static void preview_change_set(const json_t *arguments, struct approval_preview *preview)
{
    preview->operations = get_array(arguments, "operations");
    preview->keep_going = is_set(arguments, "keep_going");
    preview->version = get_number(arguments, "expected_version");
}

static void preview_batch(const json_t *arguments, struct approval_preview *preview)
{
    json_auto_t *components = get_array(arguments, "components");
    json_t *component;
    size_t i;

    preview->operations = json_array();
    json_array_foreach(components, i, component)
    {
        json_t *operation = json_copy(component);

        json_object_set_new(operation, "op", json_string("create_component"));
        json_object_set(operation, "node_id", json_object_get(arguments, "node_id"));
        json_array_append_new(preview->operations, operation);
    }
}

static void preview_history(const json_t *arguments, struct approval_preview *preview)
{
    preview->action =
        json_string_is(arguments, "action", "undo") ? APPROVAL_UNDOES : APPROVAL_RESTORES;
    preview->version = get_number(arguments, "version");
    preview->change_set = json_get_string(arguments, "change_set");
}

static const struct approval_row rows[] = {
    {"delete_component", deleted, preview_delete},
    {"change_curriculum", of_change_set, preview_change_set},
    {"batch_add_components", of_batch, preview_batch},
    {"history", of_history, preview_history},
    {"edit_component", of_edit, preview_edit},
    {"add_component", nothing, preview_add},
    {"create_relationship", nothing, preview_relationship},
};

const struct approval_row *approval_row_find(const struct tool *tool)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].tool, tool->name) == 0)
            return &rows[i];
    }
    return NULL;
}

/* A tool without a row is checked by what it says of itself. */
bool approval_needed(const struct tool *tool, const json_t *arguments, enum approvals approvals)
{
    static const enum loss least[] = {
        [APPROVALS_DESTRUCTIVE] = LOSS_REPLACED,
        [APPROVALS_EVERY] = LOSS_NOTHING,
        [APPROVALS_NONE_ASKED] = LOSS_DELETED,
    };
    const struct approval_row *row = approval_row_find(tool);
    enum loss loss = LOSS_NO_EDIT;

    if (row)
        loss = row->impact(arguments);
    else if (!tool->read_only && tool->writes)
        loss = tool->destructive ? LOSS_DELETED : LOSS_NOTHING;
    return loss >= least[approvals];
}

size_t approval_replacements(const struct tool *tool, const json_t *arguments)
{
    json_auto_t *operations = get_array(arguments, "operations");
    const struct approval_row *row = approval_row_find(tool);
    const json_t *operation;
    size_t i, count = 0;

    if (!row || row->impact(arguments) < LOSS_REPLACED)
        return 0;
    json_array_foreach(operations, i, operation) count += of_operation(operation) == LOSS_REPLACED;
    return operations ? count : 1;
}
