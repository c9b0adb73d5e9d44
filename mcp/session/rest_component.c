/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Handlers of the session API: components, of a session's node and in the bare spelling without a
 * session.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/rest_call.h"

/* The session of a bare path: the header's, the query's, or the only one that has the node. */
static int resolve(struct rest_call *call, struct error *err)
{
    char given[REST_QUERY_MAX];

    if (call->session)
        return 0;
    call->session = call->resolved;
    if (call->request->session_header && *call->request->session_header) {
        call->session = call->request->session_header;
        return 0;
    }
    if (!rest_query(call->request->query, "session_id", given, sizeof given))
        return store_session_of_node(call->store, call->node, call->resolved, err);
    if (strlen(given) >= sizeof call->resolved)
        return error_set(err, ERROR_UNKNOWN_SESSION,
                         "there is no session of the id in ?session_id=");
    memcpy(call->resolved, given, strlen(given) + 1);
    return 0;
}

static int read_components(struct rest_call *call, struct error *err)
{
    return store_read_components(call->store, call->session, call->node, &call->response->body,
                                 err);
}

int rest_components(struct rest_call *call, struct error *err)
{
    if (resolve(call, err) != 0)
        return -1;
    return rest_answer_list(call, true, read_components, err);
}

static int read_all(struct rest_call *call, struct error *err)
{
    size_t offset = 0, limit = 0;

    if (rest_query_number(call->request->query, "offset", &offset, err) != 0 ||
        rest_query_number(call->request->query, "limit", &limit, err) != 0)
        return -1;
    return store_read_all_components(call->store, call->session, offset, limit,
                                     &call->response->body, err);
}

int rest_all_components(struct rest_call *call, struct error *err)
{
    return rest_answer_list(call, false, read_all, err);
}

int rest_components_replace(struct rest_call *call, struct error *err)
{
    if (resolve(call, err) != 0)
        return -1;
    rest_read_if_match(call, true);
    if (store_components_replace(call->store, &call->writer, call->session, call->node, call->body,
                                 err) != 0)
        return -1;
    return rest_answer_list(call, true, read_components, err);
}

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
    const json_t *position = json_object_get(call->body, "position");
    long place = 0;
    struct component_state state;

    if (resolve(call, err) != 0)
        return -1;
    if (position && !json_is_null(position)) {
        json_int_t value = json_integer_value(position);

        if (!json_is_integer(position) || value < 1 || value > LONG_MAX)
            return error_set_at(err, "position",
                                "position must be a whole number from 1 on, or left out");
        place = (long)value;
    }
    json_object_del(call->body, "position");
    rest_read_if_match(call, true);
    if (store_component_insert(call->store, &call->writer, call->session, call->node, place,
                               call->body, &state, err) != 0)
        return -1;
    answer_state(call, "inserted", &state);
    return 0;
}

static int read_order(struct rest_call *call, long *order, struct error *err)
{
    char *end;

    errno = 0;
    *order = strtol(call->order, &end, 10);
    if (*end || errno != 0 || *order < 1)
        return error_set_at(err, "path.order",
                            "the component's order must be a whole number from 1 on");
    return 0;
}

/* What of the body is no change: who is meant, and in which state. */
static int read_reference(struct rest_call *call, struct component_ref *ref,
                          char id[COMPONENT_ID_SIZE], long *expected, struct error *err)
{
    const json_t *order = json_object_get(call->body, "order");
    const char *given = json_get_string(call->body, "component_id");
    const json_t *revision = json_object_get(call->body, "expected_revision");

    if (order && !json_is_null(order) &&
        (!json_is_integer(order) || json_integer_value(order) != ref->order))
        return error_set_at(err, "order",
                            "order must be the one of the path, %ld: an update moves no component",
                            ref->order);
    if (revision && !json_is_null(revision) &&
        (!json_is_integer(revision) || json_integer_value(revision) < 1))
        return error_set_at(err, "expected_revision",
                            "expected_revision must be a whole number from 1 on");
    *expected = (long)json_integer_value(revision);
    if (given &&
        strlen(given) < COMPONENT_ID_SIZE) { /* outlasts an order that has moved meanwhile */
        memcpy(id, given, strlen(given) + 1);
        ref->component_id = id;
    }
    json_object_del(call->body, "expected_revision");
    return 0;
}

int rest_component_update(struct rest_call *call, struct error *err)
{
    struct component_ref ref = {.node_id = call->node};
    struct component_state state;
    char id[COMPONENT_ID_SIZE];
    long expected = 0;

    if (resolve(call, err) != 0 || read_order(call, &ref.order, err) != 0 ||
        read_reference(call, &ref, id, &expected, err) != 0)
        return -1;
    rest_read_if_match(call, true);
    if (store_component_update(call->store, &call->writer, call->session, &ref, call->body, false,
                               expected, &state, err) != 0)
        return -1;
    answer_state(call, "updated", &state);
    return 0;
}

int rest_component_delete(struct rest_call *call, struct error *err)
{
    struct component_ref ref = {.node_id = call->node};
    struct component_state state;

    if (resolve(call, err) != 0 || read_order(call, &ref.order, err) != 0)
        return -1;
    rest_read_if_match(call, true);
    if (store_component_delete(call->store, &call->writer, call->session, &ref, 0, &state, err) !=
        0)
        return -1;
    buf_addf(&call->response->body, "{\"success\":true,\"remaining_components\":%ld}", state.total);
    return 0;
}
