/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/tool.h"

#include <string.h>

#include "helpers/base/json.h"
#include "mcp/change/change_set.h"
#include "mcp/tool/arguments.h"

/* ---- what is lost ---- */

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

enum tool_loss tool_loss_of_edit(const json_t *parameters)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)parameters, name, value)
    {
        if (is_empty(value))
            return TOOL_LOSS_DELETED;
    }
    return TOOL_LOSS_REPLACED;
}

static enum tool_loss nothing(const json_t *operation)
{
    (void)operation;
    return TOOL_LOSS_NOTHING;
}

static enum tool_loss replaced(const json_t *operation)
{
    (void)operation;
    return TOOL_LOSS_REPLACED;
}

static json_t *get_object(const json_t *from, const char *name)
{
    json_t *value = json_object_get(from, name);

    if (json_is_string(value))
        return json_read(json_string_value(value), json_string_length(value), name, NULL);
    return json_incref(value);
}

/* An operation may use both names. */
static enum tool_loss of_component(const json_t *operation)
{
    json_auto_t *longer = get_object(operation, "new_parameters");
    json_auto_t *shorter = get_object(operation, "parameters");
    enum tool_loss one = tool_loss_of_edit(longer), other = tool_loss_of_edit(shorter);

    return one > other ? one : other;
}

/* A member of the operation's own that is null counts as not sent; a field of the node is emptied
 * by it. */
static enum tool_loss of_fields(const json_t *operation)
{
    json_auto_t *inner = get_object(operation, "fields");
    json_auto_t *fields = json_copy((json_t *)operation);
    enum tool_loss one = tool_loss_of_edit(inner), other;
    const char *name;
    void *next;
    json_t *value;

    json_object_del(fields, "fields");
    json_object_foreach_safe(fields, next, name, value)
    {
        if (json_is_null(value) && change_set_has_member(name))
            json_object_del(fields, name);
    }
    other = fields ? tool_loss_of_edit(fields) : TOOL_LOSS_DELETED;
    return one > other ? one : other;
}

/* How many places a replace_text may change at most; 0 if it does not say. */
static size_t expected_places(const json_t *operation)
{
    json_int_t places = json_integer_value(json_object_get(operation, "expected_places"));

    return json_string_is(operation, "op", "replace_text") && places > 0 ? (size_t)places : 0;
}

static enum tool_loss of_replacement(const json_t *operation)
{
    return expected_places(operation) > 0 && !is_empty(json_object_get(operation, "replace"))
               ? TOOL_LOSS_REPLACED
               : TOOL_LOSS_DELETED;
}

static enum tool_loss of_operation(const json_t *operation)
{
    static const struct {
        const char *begins;
        enum tool_loss (*loss)(const json_t *operation);
    } operations[] = {
        {"create_", nothing},
        {"reorder_", nothing},
        {"move_components", nothing},
        {"split_node", nothing},
        {"copy_node", nothing},
        {"replace_text", of_replacement},
        {"edit_component", of_component},
        {"edit_relationship", replaced},
        {"edit_node", of_fields},
        {"rename_node", of_fields},
    };
    const char *op = json_get_string(operation, "op");

    for (size_t i = 0; op && i < sizeof operations / sizeof operations[0]; i++) {
        if (strncmp(op, operations[i].begins, strlen(operations[i].begins)) == 0)
            return operations[i].loss(operation);
    }
    return TOOL_LOSS_DELETED;
}

struct tool_impact tool_impact_of(const json_t *operations)
{
    struct tool_impact impact = {.loss = TOOL_LOSS_NOTHING};
    const json_t *operation;
    size_t i;

    if (json_array_size(operations) > TOOL_OPERATIONS_MAX)
        return (struct tool_impact){.loss = TOOL_LOSS_DELETED};
    json_array_foreach((json_t *)operations, i, operation)
    {
        enum tool_loss loss = of_operation(operation);
        size_t places = expected_places(operation);

        impact.loss = loss > impact.loss ? loss : impact.loss;
        if (loss == TOOL_LOSS_REPLACED)
            impact.replaces += places > 0 ? places : 1;
    }
    if (impact.replaces > TOOL_OPERATIONS_MAX)
        impact.loss = TOOL_LOSS_DELETED;
    return impact;
}

struct tool_impact tool_call_impact(const struct tool *tool, const json_t *arguments)
{
    struct tool_call call = {.tool = tool, .arguments = json_deep_copy(arguments)};
    struct tool_impact impact;
    struct error unused = {0};

    if (tool->impact && call.arguments) {
        arguments_take(&call, &unused); /* wrong ones are refused when the call runs */
        impact = tool->impact(&call);
        json_decref(call.arguments);
        return impact;
    }
    json_decref(call.arguments);
    if (tool->read_only || !tool->writes)
        return (struct tool_impact){.loss = TOOL_LOSS_NO_EDIT};
    return (struct tool_impact){.loss = tool->destructive ? TOOL_LOSS_DELETED : TOOL_LOSS_NOTHING};
}

/* ---- what would be done ---- */

int tool_call_preview(struct tool_call *call, struct tool_preview *preview, struct error *err)
{
    static const char *const own[] = {"session_id", "idempotency_key", "confirm"};
    json_t *operation;

    if (arguments_take(call, err) < 0)
        return -1;
    if (call->tool->preview)
        return call->tool->preview(call, preview, err);
    if (!call->tool->operation)
        return error_set(err, ERROR_INTERNAL, "%s has no preview, so it cannot be approved",
                         call->tool->name);
    operation = json_copy(call->arguments);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        json_object_del(operation, own[i]);
    json_object_set_new(operation, "op", json_string(call->tool->operation));
    preview->operations = json_pack("[o]", operation);
    return 0;
}
