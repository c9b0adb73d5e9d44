/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/arguments.h"

#include <string.h>

#include "helpers/base/json.h"

int arguments_take(struct tool_call *call, struct error *err)
{
    const struct fields *fields = &call->tool->arguments;
    struct buf BUF_AUTO advice = {0};
    struct validation_errors problems;
    json_t *taken;

    validation_begin(&problems, "");
    taken = fields_take(fields, call->arguments, NULL, &problems);
    if (!taken)
        return error_set(err, ERROR_MEMORY, "out of memory for the arguments");
    json_decref(call->arguments);
    call->arguments = taken;
    if (problems.count == 0)
        return 0;
    buf_init(&advice, ERROR_TEXT_CAP / 2);
    buf_addf(&advice, "The arguments of %s: ", fields->name);
    fields_list(fields, &advice);
    return validation_end(&problems, advice.data, err);
}

const char *argument_text(const struct tool_call *call, const char *name)
{
    return json_get_string(call->arguments, name);
}

long argument_whole(const struct tool_call *call, const char *name, long otherwise)
{
    const json_t *value = json_object_get(call->arguments, name);

    return value ? (long)json_integer_value(value) : otherwise;
}

bool argument_flag(const struct tool_call *call, const char *name)
{
    return json_is_true(json_object_get(call->arguments, name));
}

int argument_node(const struct tool_call *call, struct store *store, const char *sid,
                  const char *name, struct buf *found, const char **node_id, struct error *err)
{
    return store_node_id(store, sid, argument_text(call, name), name, found, node_id, err);
}

int argument_component(const struct tool_call *call, struct store *store, const char *sid,
                       struct buf *found, struct component_ref *ref, struct error *err)
{
    *ref = (struct component_ref){.component_id = argument_text(call, "component_id"),
                                  .order = argument_whole(call, "component_order", 0)};
    if (argument_node(call, store, sid, "node_id", found, &ref->node_id, err) < 0)
        return -1;
    if (ref->component_id || ref->order > 0)
        return 0;
    return error_set_at(
        err, "component_order",
        "%s needs component_order (1 for the node's first component) or component_id.",
        call->tool->name);
}
