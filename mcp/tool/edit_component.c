/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * edit_component: new parameters merged into one component's old ones.
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
    struct component_state state;
    struct component_ref ref;
    json_t *parameters, *changes;
    long revision;
    int rc;

    if (tool_session(call, store, sid, err) < 0 ||
        argument_component(call, store, sid, &found, &ref, err) < 0 ||
        argument_number_or(call, "expected_revision", &revision, 1, 1000000000, 0, err) < 0 ||
        argument_json(call, "new_parameters", JSON_OBJECT, &parameters, err) < 0)
        return -1;
    changes = json_pack("{s:o}", "parameters", parameters);
    if (!changes)
        return error_set(err, ERROR_MEMORY, "out of memory for the change");
    rc = store_component_update(store, &writer, sid, &ref, changes, true, revision, &state, err);
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
    json_auto_t *parameters = NULL;

    argument_json(call, "new_parameters", JSON_OBJECT, &parameters, NULL);
    return (struct tool_impact){tool_loss_of_edit(parameters), 1};
}

const struct tool tool_edit_component = {
    .name = "edit_component",
    .title = "Edit a component",
    .description = "Change parameters of one component; those not named keep.",
    .schema = "{\"type\":\"object\",\"properties\":{" SCHEMA_SESSION "," SCHEMA_KEY "," SCHEMA_NODE
              "," SCHEMA_COMPONENT ",\"new_parameters\":{\"type\":\"object\"}," SCHEMA_REVISION
              "},\"required\":[\"node_id\",\"new_parameters\"]}",
    .destructive = true,
    .idempotent = true,
    .run = run,
    .impact = impact,
    .operation = "edit_component",
    .writes = true,
};
