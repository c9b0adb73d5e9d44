/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Handlers of the session API: what was changed, and taking it back.
 */
#include <inttypes.h>
#include <string.h>

#include "mcp/api/rest_internal.h"

#define HISTORY_LIMIT_DEFAULT 50

/* ?texts=false leaves before and after out. */
static int read_texts(const char *query, bool *without, struct error *err)
{
    char value[REST_QUERY_MAX];

    if (!rest_query(query, "texts", value, sizeof value))
        return 0;
    *without = strcmp(value, "false") == 0;
    if (*without || strcmp(value, "true") == 0)
        return 0;
    return error_set_at(err, "query.texts", "texts must be true or false");
}

int rest_history(struct rest_call *call, struct error *err)
{
    const char *query = call->request->query;
    struct history_page page = {0};
    int64_t limit = HISTORY_LIMIT_DEFAULT;
    char node[REST_QUERY_MAX];

    if (rest_query_number(query, "since", 0, INT64_MAX, &page.since, err) != 0 ||
        rest_query_number(query, "before", 0, INT64_MAX, &page.before, err) != 0 ||
        rest_query_number(query, "limit", 1, HISTORY_LIMIT_MAX, &limit, err) != 0 ||
        read_texts(query, &page.without_texts, err) != 0)
        return -1;
    page.limit = (size_t)limit;
    page.node_id = rest_query(query, "node_id", node, sizeof node) ? node : NULL;
    return store_read_history(call->store, call->session, &page, &call->response->body, err);
}

int rest_difference(struct rest_call *call, struct error *err)
{
    const char *query = call->request->query;
    int64_t from = -1, to = -1;

    if (rest_query_number(query, "from", 0, INT64_MAX, &from, err) != 0 ||
        rest_query_number(query, "to", 0, INT64_MAX, &to, err) != 0)
        return -1;
    if (from < 0)
        return error_set_at(err, "query.from",
                            "from is needed: a version, as GET /session/{sid}/history tells them");
    if (to < 0 && store_session(call->store, call->session, NULL, 0, &to, err) != 0)
        return -1;
    return store_read_difference(call->store, call->session, from, to, &call->response->body, err);
}

static void answer_state(struct rest_call *call, const char *done, const struct undo_state *state)
{
    struct buf *body = &call->response->body;

    rest_answer_success(call, "%s: %s", done, state->what);
    buf_adds(body, ",\"change_set\":");
    rest_answer_string(body, state->change_set);
    buf_adds(body, ",\"by_set\":");
    rest_answer_string(body, state->by_set);
    buf_addf(body, ",\"entries\":%zu,\"version\":%" PRId64, state->entries, state->version);
    rest_answer_end(call);
}

int rest_undo(struct rest_call *call, struct error *err)
{
    const json_t *change_set = json_object_get(call->body, "change_set");
    struct undo_state state = {0};

    if (store_undo(call->store, &call->writer, call->session, json_string_value(change_set), &state,
                   err) != 0)
        return -1;
    answer_state(call, "Undone", &state);
    return 0;
}

int rest_restore(struct rest_call *call, struct error *err)
{
    struct undo_state state = {0};
    int64_t version = json_integer_value(json_object_get(call->body, "version"));

    if (store_restore(call->store, &call->writer, call->session, version, &state, err) != 0)
        return -1;
    answer_state(call, "Restored", &state);
    return 0;
}
