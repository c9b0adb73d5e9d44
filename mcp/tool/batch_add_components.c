/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * batch_add_components: several components at the end of a node, all or none.
 */
#include "helpers/base/json.h"
#include "mcp/tool/arguments.h"
#include "mcp/tool/preview.h"
#include "mcp/tool/table.h"

static int run(struct tool_call *call, struct store *store, struct error *err)
{
    const struct writer writer = {.who = call->who, .change_set = call->change_set};
    struct buf BUF_AUTO found = {0};
    char sid[SESSION_ID_SIZE];
    struct component_state first;
    const char *node_id;
    const json_t *components = json_object_get(call->arguments, "components");
    size_t count = json_array_size(components);

    if (tool_session(call, store, sid, err) < 0 ||
        argument_node(call, store, sid, "node_id", &found, &node_id, err) < 0 ||
        store_components_append(store, &writer, sid, node_id, components, &first, err) < 0)
        return -1;
    buf_addf(&call->text, "Added %zu components to %s \"%s\", now components %ld to %ld of %ld.",
             count, node_id, first.node_title, first.order, first.order + (long)count - 1,
             first.total);
    return 0;
}

static struct tool_impact impact(const struct tool_call *call)
{
    size_t components = json_array_size(json_object_get(call->arguments, "components"));

    return (struct tool_impact){.loss = components > TOOL_OPERATIONS_MAX ? TOOL_LOSS_DELETED
                                                                         : TOOL_LOSS_NOTHING};
}

static int preview(const struct tool_call *call, struct tool_preview *preview, struct error *err)
{
    json_t *added;
    size_t i;

    (void)err;
    preview->operations = json_array();
    json_array_foreach(json_object_get(call->arguments, "components"), i, added)
    {
        json_t *operation = json_copy(added);

        json_object_set_new(operation, "op", json_string("create_component"));
        json_object_set(operation, "node_id", json_object_get(call->arguments, "node_id"));
        json_array_append_new(preview->operations, operation);
    }
    return 0;
}

static const struct fields component = {
    .name = "a component",
    .rows = (const struct field[]){FIELD("type", FIELD_TEXT, .required = true),
                                   FIELD("parameters", FIELD_OBJECT, .required = true),
                                   {0}},
};

const struct tool tool_batch_add_components = {
    .name = "batch_add_components",
    .title = "Add several components",
    .description =
        "Append components (types and parameters as in add_component) to a node: all or none.",
    .call_title = "Add {components:component}[ to {node_id}]",
    .icon = "edit",
    .use = "several components to one node",
    .arguments = ARGUMENTS("batch_add_components", ARGUMENT_SESSION, ARGUMENT_KEY, ARGUMENT_NODE,
                           FIELD("components", FIELD_ARRAY, .required = true, .of = &component)),
    .run = run,
    .impact = impact,
    .preview = preview,
    .writes = true,
};
