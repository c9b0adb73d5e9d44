/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Handlers of the session API: components, of a session's node and in the bare spelling without a
 * session.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/api/rest_internal.h"
#include "mcp/session/text.h"

int rest_components(struct rest_call *call, struct error *err)
{
    return store_read_components(call->store, call->session, call->node, &call->response->body,
                                 err);
}

int rest_all_components(struct rest_call *call, struct error *err)
{
    int64_t offset = 0, limit = 0;

    if (rest_query_number(call->request->query, "offset", 0, INT64_MAX, &offset, err) != 0 ||
        rest_query_number(call->request->query, "limit", 0, INT64_MAX, &limit, err) != 0)
        return -1;
    return store_read_all_components(call->store, call->session, (size_t)offset, (size_t)limit,
                                     &call->response->body, err);
}

/* ---- whole sequences ---- */

static int replace(struct rest_call *call, struct error *err)
{
    if (rest_take_path_id(call, "node_id", call->node, err) != 0)
        return -1;
    return store_components_replace(call->store, &call->writer, call->session, call->node,
                                    call->body, err);
}

int rest_components_replace(struct rest_call *call, struct error *err)
{
    return replace(call, err) != 0 ? -1 : rest_components(call, err);
}

int rest_components_save(struct rest_call *call, struct error *err)
{
    const json_t *components = json_object_get(call->body, "components");
    char now[TIME_TEXT_SIZE];

    if (replace(call, err) != 0)
        return -1;
    text_now(now);
    buf_addf(&call->response->body,
             "{\"success\":true,\"saved_at\":\"%s\",\"total_components\":%zu}", now,
             json_array_size(components));
    return 0;
}

int rest_components_reorder(struct rest_call *call, struct error *err)
{
    if (store_components_reorder(call->store, &call->writer, call->session, call->node,
                                 json_object_get(call->body, "order"), err) != 0)
        return -1;
    return rest_components(call, err);
}

/* ---- one component ---- */

static void answer_state(struct rest_call *call, const char *done,
                         const struct component_state *state)
{
    rest_answer_success(call, "Component %ld (%s) of node %s %s", state->order, state->type,
                        call->node, done);
    buf_addf(&call->response->body,
             ",\"component_id\":\"%s\",\"revision\":%ld,\"order\":%ld,\"order_index\":%ld,"
             "\"total_components\":%ld",
             state->component_id, state->revision, state->order, state->order, state->total);
    rest_answer_end(call);
}

int rest_component_insert(struct rest_call *call, struct error *err)
{
    struct component_state state;
    int64_t place = 0;

    if (rest_take_number(call, "position", &place, err) != 0)
        return -1;
    if (store_component_insert(call->store, &call->writer, call->session, call->node, (long)place,
                               call->body, &state, err) != 0)
        return -1;
    answer_state(call, "inserted", &state);
    return 0;
}

/* Who is meant, and in which state: what of the body is no change. */
static int read_reference(struct rest_call *call, struct component_ref *ref,
                          char id[COMPONENT_ID_SIZE], int64_t *expected, struct error *err)
{
    const json_t *order = json_object_get(call->body, "order");
    const char *given = json_get_string(call->body, "component_id");

    if (order && !json_is_null(order) &&
        (!json_is_integer(order) || json_integer_value(order) != ref->order))
        return error_set_at(err, "order",
                            "order must be the one of the path, %ld: an update moves no component",
                            ref->order);
    if (given &&
        strlen(given) < COMPONENT_ID_SIZE) { /* outlasts an order that has moved meanwhile */
        memcpy(id, given, strlen(given) + 1);
        ref->component_id = id;
    }
    return rest_take_number(call, "expected_revision", expected, err);
}

int rest_component_update(struct rest_call *call, struct error *err)
{
    struct component_ref ref = {.node_id = call->node};
    struct component_state state;
    char id[COMPONENT_ID_SIZE];
    int64_t order, expected = 0;

    if (rest_path_number(call, "order", &order, err) != 0)
        return -1;
    ref.order = (long)order;
    if (read_reference(call, &ref, id, &expected, err) != 0)
        return -1;
    if (store_component_update(call->store, &call->writer, call->session, &ref, call->body, false,
                               (long)expected, &state, err) != 0)
        return -1;
    answer_state(call, "updated", &state);
    return 0;
}

int rest_component_delete(struct rest_call *call, struct error *err)
{
    struct component_ref ref = {.node_id = call->node};
    struct component_state state;
    int64_t order;

    if (rest_path_number(call, "order", &order, err) != 0)
        return -1;
    ref.order = (long)order;
    if (store_component_delete(call->store, &call->writer, call->session, &ref, 0, &state, err) !=
        0)
        return -1;
    buf_addf(&call->response->body, "{\"success\":true,\"remaining_components\":%ld}", state.total);
    return 0;
}
