/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * delete_component: one component goes, the rest are renumbered. `confirm` is the model's word, not
 * a person's: it is taken for the contract's sake and decides nothing.
 */
#include "mcp/tool/arguments.h"
#include "mcp/tool/table.h"

static int run(struct tool_call *call, struct store *store, struct error *err)
{
    const struct writer writer = {.who = call->who, .change_set = call->change_set};
    struct buf BUF_AUTO found = {0};
    char sid[SESSION_ID_SIZE];
    struct component_state state;
    struct component_ref ref;

    if (tool_session(call, store, sid, err) < 0 ||
        argument_component(call, store, sid, &found, &ref, err) < 0 ||
        store_component_delete(store, &writer, sid, &ref,
                               argument_whole(call, "expected_revision", 0), &state, err) < 0)
        return -1;
    buf_addf(&call->text,
             "Deleted component %ld (%s: %s) of %s \"%s\"; %ld remain, renumbered from 1.",
             state.order, state.type, state.summary, ref.node_id, state.node_title, state.total);
    return 0;
}

const struct tool tool_delete_component = {
    .name = "delete_component",
    .title = "Delete a component",
    .description = "Delete one component; those behind it move up.",
    .call_title =
        "Delete component {component_order}[ of {node_id}]|Delete a component[ of {node_id}]",
    .icon = "edit",
    .use = "one component",
    .arguments = ARGUMENTS("delete_component", ARGUMENT_SESSION, ARGUMENT_KEY, ARGUMENT_NODE,
                           ARGUMENT_COMPONENT, FIELD("confirm", FIELD_FLAG), ARGUMENT_REVISION),
    .destructive = true,
    .run = run,
    .operation = "delete_component",
    .writes = true,
};
