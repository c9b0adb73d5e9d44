/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * edit_component: new parameters merged into one component's old ones.
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
    struct component_state state;
    struct component_ref ref;
    json_t *changes;
    int rc;

    if (tool_session(call, store, sid, err) < 0 ||
        argument_component(call, store, sid, &found, &ref, err) < 0)
        return -1;
    changes = json_pack("{s:O}", "parameters", json_object_get(call->arguments, "new_parameters"));
    if (!changes)
        return error_set(err, ERROR_MEMORY, "out of memory for the change");
    rc = store_component_update(store, &writer, sid, &ref, changes, true,
                                argument_whole(call, "expected_revision", 0), &state, err);
    json_decref(changes);
    if (rc < 0)
        return -1;
    buf_addf(&call->text,
             "Changed component %ld (%s) of %s \"%s\" (component_id %s, now revision %ld): %s",
             state.order, state.type, ref.node_id, state.node_title, state.component_id,
             state.revision, state.summary);
    return 0;
}

static struct tool_impact impact(const struct tool_call *call)
{
    return (struct tool_impact){
        tool_loss_of_edit(json_object_get(call->arguments, "new_parameters")), 1};
}

const struct tool tool_edit_component = {
    .name = "edit_component",
    .title = "Edit a component",
    .description = "Change parameters of one component; those not named keep.",
    .call_title = "Edit component {component_order}[ of {node_id}]|Edit a component[ of {node_id}]",
    .icon = "edit",
    .use = "one component; send only the parameters that change",
    .arguments = ARGUMENTS(
        "edit_component", ARGUMENT_SESSION, ARGUMENT_KEY, ARGUMENT_NODE, ARGUMENT_COMPONENT,
        FIELD("new_parameters", FIELD_OBJECT, .required = true), ARGUMENT_REVISION),
    .destructive = true,
    .idempotent = true,
    .run = run,
    .impact = impact,
    .operation = "edit_component",
    .writes = true,
};
