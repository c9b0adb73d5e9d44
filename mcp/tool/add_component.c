/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * add_component: one component into a node's sequence.
 */
#include "helpers/base/json.h"
#include "mcp/session/component_type.h"
#include "mcp/tool/arguments.h"
#include "mcp/tool/table.h"

static int run(struct tool_call *call, struct store *store, struct error *err)
{
    const struct writer writer = {.who = call->who, .change_set = call->change_set};
    struct buf BUF_AUTO found = {0};
    char sid[SESSION_ID_SIZE];
    struct component_state state;
    const char *node_id;
    json_t *component;
    int rc;

    if (tool_session(call, store, sid, err) < 0 ||
        argument_node(call, store, sid, "node_id", &found, &node_id, err) < 0)
        return -1;
    component = json_pack("{s:O, s:O}", "type", json_object_get(call->arguments, "component_type"),
                          "parameters", json_object_get(call->arguments, "parameters"));
    if (!component)
        return error_set(err, ERROR_MEMORY, "out of memory for the component");
    rc = store_component_insert(store, &writer, sid, node_id, argument_whole(call, "position", 0),
                                component, &state, err);
    json_decref(component);
    if (rc < 0)
        return -1;
    buf_addf(&call->text,
             "Added %s as component %ld of %ld in %s \"%s\" (component_id %s, revision %ld).",
             state.type, state.order, state.total, node_id, state.node_title, state.component_id,
             state.revision);
    return 0;
}

static void write_parameters(const struct field *row, const void *context, struct buf *to)
{
    struct buf BUF_AUTO text = {0};

    (void)row;
    (void)context;
    buf_init(&text, 0);
    buf_adds(&text, "By type: ");
    for (size_t i = 0; i < component_type_count(); i++) {
        buf_adds(&text, i > 0 ? "; " : "");
        component_type_outline(component_type_at(i), &text);
    }
    buf_adds(to, "{\"type\":\"object\",\"description\":");
    json_write_string(to, text.data, text.len);
    buf_addc(to, '}');
}
static const struct fields parameters = {.name = "parameters", .write_schema = write_parameters};

const struct tool tool_add_component = {
    .name = "add_component",
    .title = "Add a component",
    .description = "Insert a component into a node (id or title).",
    .call_title = "Add {component_type:a}[ to {node_id}]|Add a component[ to {node_id}]",
    .icon = "edit",
    .use = "one component",
    .arguments = ARGUMENTS("add_component", ARGUMENT_SESSION, ARGUMENT_KEY, ARGUMENT_NODE,
                           FIELD("component_type", FIELD_TEXT, .required = true, .least = 1,
                                 .of = &component_type_names),
                           FIELD("parameters", FIELD_OBJECT, .required = true, .of = &parameters),
                           FIELD("position", FIELD_WHOLE, .least = 1, .most = INFINITY,
                                 .documentation = "default: last")),
    .run = run,
    .operation = "create_component",
    .writes = true,
};
