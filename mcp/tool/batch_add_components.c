/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * batch_add_components: several components at the end of a node, all or none.
 */
#include "helpers/base/json.h"
#include "mcp/tool/arguments.h"
#include "mcp/tool/preview.h"
#include "mcp/tool/schema.h"
#include "mcp/tool/table.h"

static int run(struct tool_call *call, struct store *store, struct error *err)
{
    const struct writer writer = {.who = call->who, .change_set = call->change_set};
    struct buf found BUF_AUTO = {0};
    char sid[SESSION_ID_SIZE];
    struct component_state first;
    const char *node_id;
    json_t *components;
    size_t count;
    int rc;

    if (tool_session(call, store, sid, err) < 0 ||
        argument_node(call, store, sid, "node_id", &found, &node_id, err) < 0 ||
        argument_json(call, "components", JSON_ARRAY, &components, err) < 0)
        return -1;
    count = json_array_size(components);
    rc = store_components_append(store, &writer, sid, node_id, components, &first, err);
    json_decref(components);
    if (rc < 0)
        return -1;
    buf_addf(&call->text, "Added %zu components to %s \"%s\", now components %ld to %ld of %ld.",
             count, node_id, first.node_title, first.order, first.order + (long)count - 1,
             first.total);
    return 0;
}

static struct tool_impact impact(const struct tool_call *call)
{
    json_auto_t *components = NULL;

    argument_json(call, "components", JSON_ARRAY, &components, NULL);
    return (struct tool_impact){.loss = json_array_size(components) > TOOL_OPERATIONS_MAX
                                            ? TOOL_LOSS_DELETED
                                            : TOOL_LOSS_NOTHING};
}

static int preview(const struct tool_call *call, struct tool_preview *preview, struct error *err)
{
    json_auto_t *components = NULL;
    json_t *component;
    size_t i;

    if (argument_json(call, "components", JSON_ARRAY, &components, err) < 0)
        return -1;
    preview->operations = json_array();
    json_array_foreach(components, i, component)
    {
        json_t *operation = json_copy(component);

        json_object_set_new(operation, "op", json_string("create_component"));
        json_object_set(operation, "node_id", json_object_get(call->arguments, "node_id"));
        json_array_append_new(preview->operations, operation);
    }
    return 0;
}

static void schema_write(const struct server *server, struct buf *to)
{
    (void)server;
    buf_adds(to,
             "{\"type\":\"object\",\"properties\":{" SCHEMA_SESSION "," SCHEMA_KEY "," SCHEMA_NODE
             ",\"components\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
             "\"properties\":{\"type\":"
             "{\"type\":\"string\"},\"parameters\":{\"type\":\"object\"}},\"required\":["
             "\"type\",\"parameters\"]}}},"
             "\"required\":[\"node_id\",\"components\"]}");
}

const struct tool tool_batch_add_components = {
    .name = "batch_add_components",
    .title = "Add several components",
    .description =
        "Append components (types and parameters as in add_component) to a node: all or none.",
    .schema_write = schema_write,
    .run = run,
    .impact = impact,
    .preview = preview,
    .writes = true,
};
