/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Handlers of the session API: service, sessions, nodes, relationships.
 */
#include <inttypes.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/rest_call.h"

int rest_health(struct rest_call *call, struct error *err)
{
    (void)err;
    buf_adds(&call->response->body,
             "{\"status\":\"healthy\",\"service\":\"lectern\",\"version\":\"" LECTERN_VERSION
             "\"}");
    return 0;
}

int rest_session_create(struct rest_call *call, struct error *err)
{
    const json_t *title = json_object_get(call->body, "title");
    char sid[SESSION_ID_SIZE];

    if (call->body && !json_is_object(call->body))
        return error_set_at(err, "", "send a JSON object {\"title\": \"...\"}, or nothing");
    if (title && !json_is_null(title) && !json_is_string(title))
        return error_set_at(err, "title", "title must be text");
    if (store_session_create(call->store, &call->writer, json_string_value(title), sid, err) != 0)
        return -1;
    buf_addf(&call->response->body,
             "{\"session_id\":\"%s\",\"expires_in_hours\":null,\"message\":\"Session created with "
             "nodes N001 "
             "and N002\"}",
             sid);
    return 0;
}

int rest_session_validate(struct rest_call *call, struct error *err)
{
    struct error why = {0};
    bool valid = store_session(call->store, call->session, NULL, 0, NULL, &why) == 0;

    if (!valid && why.kind != ERROR_UNKNOWN_SESSION) {
        *err = why;
        return -1;
    }
    buf_adds(&call->response->body, "{\"session_id\":");
    rest_answer_string(&call->response->body, call->session);
    buf_addf(&call->response->body, ",\"valid\":%s,\"message\":", valid ? "true" : "false");
    rest_answer_string(&call->response->body, valid ? "The session is valid" : why.text);
    buf_addc(&call->response->body, '}');
    return 0;
}

static int read_sessions(struct rest_call *call, struct error *err)
{
    return store_read_sessions(call->store, &call->response->body, err);
}

int rest_sessions(struct rest_call *call, struct error *err)
{
    return rest_answer_list(call, false, read_sessions, err);
}

static int read_nodes(struct rest_call *call, struct error *err)
{
    return store_read_nodes(call->store, call->session, &call->response->body, err);
}

int rest_nodes(struct rest_call *call, struct error *err)
{
    return rest_answer_list(call, false, read_nodes, err);
}

int rest_node_create(struct rest_call *call, struct error *err)
{
    rest_read_if_match(call, false);
    if (store_node_create(call->store, &call->writer, call->session, call->body, err) != 0)
        return -1;
    rest_answer_success(call, "Node %s created", json_get_string(call->body, "node_id"));
    rest_answer_end(call);
    return 0;
}

int rest_node_delete(struct rest_call *call, struct error *err)
{
    rest_read_if_match(call, false);
    if (store_node_delete(call->store, &call->writer, call->session, call->node, err) != 0)
        return -1;
    rest_answer_success(call, "Node %s, its components and its relationships deleted", call->node);
    rest_answer_end(call);
    return 0;
}

static int read_texts(struct rest_call *call, struct error *err)
{
    return store_read_node_texts(call->store, call->session, call->node, &call->response->body,
                                 err);
}

int rest_node_texts(struct rest_call *call, struct error *err)
{
    return rest_answer_list(call, false, read_texts, err);
}

int rest_node_texts_write(struct rest_call *call, struct error *err)
{
    rest_read_if_match(call, false);
    if (store_node_texts(call->store, &call->writer, call->session, call->node, call->body, err) !=
        0)
        return -1;
    rest_answer_success(call, "Texts of node %s written", call->node);
    rest_answer_end(call);
    return 0;
}

static int read_relationships(struct rest_call *call, struct error *err)
{
    return store_read_relationships(call->store, call->session, &call->response->body, err);
}

int rest_relationships(struct rest_call *call, struct error *err)
{
    return rest_answer_list(call, false, read_relationships, err);
}

int rest_relationship_create(struct rest_call *call, struct error *err)
{
    struct relationship_state state = {0};

    rest_read_if_match(call, false);
    if (store_relationship_create(call->store, &call->writer, call->session, call->body, &state,
                                  err) != 0)
        return -1;
    rest_answer_success(call, "%s from '%s' to '%s' created%s", state.type, state.from_title,
                        state.to_title, state.cycle ? "; it closes a cycle of prerequisites" : "");
    buf_addf(&call->response->body, ",\"id\":%" PRId64, state.id);
    if (state.cycle) {
        buf_adds(&call->response->body, ",\"cycle\":");
        json_write(&call->response->body, state.cycle);
        json_decref(state.cycle);
    }
    rest_answer_end(call);
    return 0;
}
