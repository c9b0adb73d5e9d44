/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * add_component: one component into a node's sequence.
 */
#include "helpers/base/json.h"
#include "mcp/session/component_type.h"
#include "mcp/tool/arguments.h"
#include "mcp/tool/schema.h"
#include "mcp/tool/table.h"

static int run(struct tool_call *call, struct store *store, struct error *err)
{
    const struct writer writer = {.who = call->who, .change_set = call->change_set};
    struct buf found BUF_AUTO = {0};
    char sid[SESSION_ID_SIZE];
    struct component_state state;
    const char *node_id, *type;
    json_t *parameters;
    json_t *component;
    long position;
    int rc;

    if (tool_session(call, store, sid, err) < 0 ||
        argument_node(call, store, sid, "node_id", &found, &node_id, err) < 0 ||
        argument_text(call, "component_type", &type, err) < 0 ||
        argument_number_or(call, "position", &position, 1, 1000000, 0, err) < 0 ||
        argument_json(call, "parameters", JSON_OBJECT, &parameters, err) < 0)
        return -1;
    component = json_pack("{s:s, s:o}", "type", type, "parameters", parameters);
    if (!component)
        return error_set(err, ERROR_MEMORY, "out of memory for the component");
    rc = store_component_insert(store, &writer, sid, node_id, position, component, &state, err);
    json_decref(component);
    if (rc < 0)
        return -1;
    buf_addf(&call->text,
             "Added %s as component %ld of %ld in %s \"%s\" (component_id %s, revision %ld).",
             state.type, state.order, state.total, node_id, state.node_title, state.component_id,
             state.revision);
    return 0;
}

static void schema_write(const struct server *server, struct buf *to)
{
    (void)server;
    buf_adds(to, "{\"type\":\"object\",\"properties\":{" SCHEMA_SESSION "," SCHEMA_KEY
                 "," SCHEMA_NODE ",\"component_type\":");
    schema_component_types(to);
    buf_adds(to, ",\"parameters\":{\"type\":\"object\",\"description\":\"By type: ");
    schema_component_parameters(to);
    buf_adds(to, "\"},\"position\":{\"type\":\"integer\",\"minimum\":1,\"description\":\""
                 "default: at the end\"}},"
                 "\"required\":[\"node_id\",\"component_type\",\"parameters\"]}");
}

const struct tool tool_add_component = {
    .name = "add_component",
    .title = "Add a component",
    .description = "Insert a component into a node (id or title).",
    .schema_write = schema_write,
    .run = run,
    .operation = "create_component",
    .writes = true,
};
