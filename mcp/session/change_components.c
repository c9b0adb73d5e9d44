/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The operations of a change set on components.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/change_operations.h"

static int read_ref(const struct change_work *work, struct component_ref *ref, struct error *err)
{
    *ref = (struct component_ref){.node_id = change_text(work, "node_id"),
                                  .component_id = change_text(work, "component_id"),
                                  .order = change_whole(work, "component_order")};
    if (ref->component_id || ref->order > 0)
        return 0;
    return error_set_at(err, "component_order",
                        "component_order (1 for the node's first component) or component_id is "
                        "needed");
}

static void set_result(struct change_work *work, const struct component_state *state)
{
    json_t *result = work->result;

    json_object_set_new(result, "node_id", json_string(change_text(work, "node_id")));
    json_object_set_new(result, "component_id", json_string(state->component_id));
    json_object_set_new(result, "order", json_integer(state->order));
    json_object_set_new(result, "revision", json_integer(state->revision));
}

int change_create_component(struct change_work *work, struct error *err)
{
    const char *node_id = change_text(work, "node_id");
    json_auto_t *component =
        json_pack("{s:O, s:O, s:O*}", "type", json_object_get(work->given, "component_type"),
                  "parameters", json_object_get(work->given, "parameters"), "confidence",
                  json_object_get(work->given, "confidence"));
    struct component_state state;

    if (!component)
        return error_set(err, ERROR_MEMORY, "out of memory for a component");
    if (store_component_insert(work->store, work->writer, work->sid, node_id,
                               change_whole(work, "position"), component, &state, err) < 0)
        return -1;
    buf_addf(work->message, "Added %s as component %ld of %ld in ", state.type, state.order,
             state.total);
    change_say_node(work, node_id, state.node_title);
    buf_addf(work->message, " (revision %ld)", state.revision);
    set_result(work, &state);
    return 0;
}

int change_edit_component(struct change_work *work, struct error *err)
{
    json_auto_t *changes =
        json_pack("{s:O}", "parameters", json_object_get(work->given, "new_parameters"));
    struct component_state state;
    struct component_ref ref;

    if (!changes)
        return error_set(err, ERROR_MEMORY, "out of memory for a change");
    if (read_ref(work, &ref, err) < 0 ||
        store_component_update(work->store, work->writer, work->sid, &ref, changes, true,
                               change_whole(work, "expected_revision"), &state, err) < 0)
        return -1;
    buf_addf(work->message, "Changed component %ld (%s) of ", state.order, state.type);
    change_say_node(work, ref.node_id, state.node_title);
    buf_addf(work->message, " (revision %ld): %s", state.revision, state.summary);
    set_result(work, &state);
    return 0;
}

int change_delete_component(struct change_work *work, struct error *err)
{
    struct component_state state;
    struct component_ref ref;

    if (read_ref(work, &ref, err) < 0 ||
        store_component_delete(work->store, work->writer, work->sid, &ref,
                               change_whole(work, "expected_revision"), &state, err) < 0)
        return -1;
    buf_addf(work->message, "Deleted component %ld (%s: %s) of ", state.order, state.type,
             state.summary);
    change_say_node(work, ref.node_id, state.node_title);
    buf_addf(work->message, ", %ld remain", state.total);
    set_result(work, &state);
    return 0;
}

int change_reorder_components(struct change_work *work, struct error *err)
{
    const char *node_id = change_text(work, "node_id");
    const json_t *order = json_object_get(work->given, "order");
    char title[256];

    if (store_components_reorder(work->store, work->writer, work->sid, node_id, order, err) < 0 ||
        store_node_title(work->store, work->sid, node_id, title, sizeof title, err) < 0)
        return -1;
    buf_adds(work->message, "Reordered the ");
    change_say_count(work, json_array_size(order), "component");
    buf_adds(work->message, " of ");
    change_say_node(work, node_id, title);
    json_object_set_new(work->result, "node_id", json_string(node_id));
    return 0;
}
