/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Handlers of the session API: relationships.
 */
#include <inttypes.h>

#include "helpers/base/json.h"
#include "mcp/api/rest_internal.h"

int rest_relationships(struct rest_call *call, struct error *err)
{
    return store_read_relationships(call->store, call->session, &call->response->body, err);
}

/* Takes the state's cycle over. */
static void answer_state(struct rest_call *call, const char *done,
                         const struct relationship_state *state)
{
    rest_answer_success(call, "%s from '%s' to '%s' %s%s", state->type, state->from_title,
                        state->to_title, done,
                        state->cycle ? "; it closes a cycle of prerequisites" : "");
    buf_addf(&call->response->body, ",\"id\":%" PRId64, state->id);
    if (state->cycle) {
        buf_adds(&call->response->body, ",\"cycle\":");
        json_write(&call->response->body, state->cycle);
        json_decref(state->cycle);
    }
    rest_answer_end(call);
}

int rest_relationship_create(struct rest_call *call, struct error *err)
{
    struct relationship_state state = {0};

    if (store_relationship_create(call->store, &call->writer, call->session, call->body, &state,
                                  err) != 0)
        return -1;
    answer_state(call, "created", &state);
    return 0;
}

int rest_relationships_create(struct rest_call *call, struct error *err)
{
    const json_t *given = json_object_get(call->body, "relationships");
    size_t created = 0;

    if (store_relationships_create(call->store, &call->writer, call->session, given, &created,
                                   err) != 0)
        return -1;
    rest_answer_success(call, "%zu relationships created", created);
    buf_addf(&call->response->body, ",\"created\":%zu", created);
    rest_answer_end(call);
    return 0;
}

int rest_relationship_update(struct rest_call *call, struct error *err)
{
    struct relationship_state state = {0};
    int64_t id;

    if (rest_path_number(call, "id", &id, err) != 0)
        return -1;
    if (store_relationship_update(call->store, &call->writer, call->session, id, call->body, &state,
                                  err) != 0)
        return -1;
    answer_state(call, "updated", &state);
    return 0;
}

int rest_relationship_delete(struct rest_call *call, struct error *err)
{
    struct relationship_state state = {0};
    int64_t id;

    if (rest_path_number(call, "id", &id, err) != 0)
        return -1;
    if (store_relationship_delete(call->store, &call->writer, call->session, id, &state, err) != 0)
        return -1;
    answer_state(call, "deleted", &state);
    return 0;
}
