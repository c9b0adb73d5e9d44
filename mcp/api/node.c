/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Handlers of the session API: nodes, their category texts, their places on the canvas.
 */
#include "helpers/base/json.h"
#include "mcp/api/rest_internal.h"

int rest_nodes(struct rest_call *call, struct error *err)
{
    return store_read_nodes(call->store, call->session, &call->response->body, err);
}

int rest_node_create(struct rest_call *call, struct error *err)
{
    if (store_node_create(call->store, &call->writer, call->session, call->body, err) != 0)
        return -1;
    rest_answer_success(call, "Node %s created", json_get_string(call->body, "node_id"));
    rest_answer_end(call);
    return 0;
}

int rest_node_update(struct rest_call *call, struct error *err)
{
    struct node_state state = {0};
    int64_t expected = 0;

    if (rest_take_path_id(call, "node_id", call->node, err) != 0 ||
        rest_take_number(call, "expected_revision", &expected, err) != 0)
        return -1;
    if (store_node_update(call->store, &call->writer, call->session, call->node, call->body,
                          (long)expected, &state, err) != 0)
        return -1;
    rest_answer_success(call, "Node %s updated", call->node);
    buf_adds(&call->response->body, ",\"node_id\":");
    rest_answer_string(&call->response->body, call->node);
    buf_addf(&call->response->body, ",\"revision\":%ld", state.revision);
    rest_answer_end(call);
    return 0;
}

int rest_node_delete(struct rest_call *call, struct error *err)
{
    if (store_node_delete(call->store, &call->writer, call->session, call->node, err) != 0)
        return -1;
    rest_answer_success(call, "Node %s, its components and its relationships deleted", call->node);
    rest_answer_end(call);
    return 0;
}

int rest_node_texts(struct rest_call *call, struct error *err)
{
    return store_read_node_texts(call->store, call->session, call->node, &call->response->body,
                                 err);
}

int rest_node_texts_write(struct rest_call *call, struct error *err)
{
    if (store_node_texts(call->store, &call->writer, call->session, call->node, call->body, err) !=
        0)
        return -1;
    rest_answer_success(call, "Texts of node %s written", call->node);
    rest_answer_end(call);
    return 0;
}

int rest_positions(struct rest_call *call, struct error *err)
{
    return store_read_positions(call->store, call->session, &call->response->body, err);
}

int rest_positions_write(struct rest_call *call, struct error *err)
{
    const json_t *positions = json_object_get(call->body, "positions");

    if (store_positions_write(call->store, &call->writer, call->session, positions, err) != 0)
        return -1;
    rest_answer_success(call, "Positions of %zu nodes written", json_object_size(positions));
    rest_answer_end(call);
    return 0;
}
