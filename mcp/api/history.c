/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Routes of the session API: what was changed, and taking it back.
 */
#include <inttypes.h>
#include <math.h>

#include "helpers/base/json.h"
#include "mcp/api/rest_internal.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/history/history.h"

#define HISTORY_LIMIT_DEFAULT 50

static int history(struct rest_call *call, struct error *err)
{
    const struct history_page page = {
        .since = rest_asked_whole(call, "since", 0),
        .before = rest_asked_whole(call, "before", 0),
        .limit = (size_t)rest_asked_whole(call, "limit", HISTORY_LIMIT_DEFAULT),
        .node_id = json_get_string(call->asked, "node_id"),
        .without_texts = json_is_false(json_object_get(call->asked, "texts")),
    };

    return store_read_history(call->store, call->session, &page, &call->response->body, err);
}

static int difference(struct rest_call *call, struct error *err)
{
    int64_t from = rest_asked_whole(call, "from", 0), to = rest_asked_whole(call, "to", -1);

    if (to < 0 && store_session(call->store, call->session, NULL, 0, &to, err) < 0)
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

static int undo(struct rest_call *call, struct error *err)
{
    const json_t *change_set = json_object_get(call->body, "change_set");
    struct undo_state state = {0};

    if (store_undo(call->store, &call->writer, call->session, json_string_value(change_set), &state,
                   err) != 0)
        return -1;
    answer_state(call, "Undone", &state);
    return 0;
}

static int restore(struct rest_call *call, struct error *err)
{
    struct undo_state state = {0};
    int64_t version = json_integer_value(json_object_get(call->body, "version"));

    if (store_restore(call->store, &call->writer, call->session, version, &state, err) != 0)
        return -1;
    answer_state(call, "Restored", &state);
    return 0;
}

/* clang-format off */
/* ---- shapes ---- */

static const struct fields history_query = {
    .name = "the query", .flags = FIELDS_AS_TEXT, .noun = "parameter",
    .rows = (const struct field[]){
        FIELD("since", FIELD_WHOLE, .most = INFINITY, .documentation = "Only what came after this version"),
        FIELD("before", FIELD_WHOLE, .most = INFINITY, .documentation = "Only what came up to this version"),
        FIELD("limit", FIELD_WHOLE, .least = 1, .most = HISTORY_LIMIT_MAX,
         .documentation = "Change sets at most; default: 50"),
        FIELD("node_id", FIELD_TEXT, .documentation = "Only what was done to this node"),
        FIELD("texts", FIELD_FLAG, .documentation = "false leaves before and after out"), {0}},
};
static const struct fields difference_query = {
    .name = "the query", .flags = FIELDS_AS_TEXT, .noun = "parameter",
    .rows = (const struct field[]){
        FIELD("from", FIELD_WHOLE, .required = true, .most = INFINITY,
         .documentation = "a version of GET /session/{sid}/history"),
        FIELD("to", FIELD_WHOLE, .most = INFINITY, .documentation = "A version; default: the current one"),
        {0}},
};
static const struct fields undo_body = {
    .name = "undo", .schema = "Undo",
    .rows = (const struct field[]){
        FIELD("change_set", FIELD_TEXT, .documentation = "Left out: the newest change, if you made it (the same X-Editor; those who send none are one "
                          "writer); else 409 names it"), {0}},
};
static const struct fields restore_body = {
    .name = "restore", .schema = "Restore",
    .rows = (const struct field[]){
        FIELD("version", FIELD_WHOLE, .required = true, .most = INFINITY,
         .documentation = "one of those in the history"), {0}},
};

static const struct fields entry =
    REST_ANSWER(NULL, REST_WHOLE("version"), REST_TEXT("entity"), REST_TEXT_OR_NULL("entity_id"), REST_TEXT_OR_NULL("node_id"),
                REST_TEXT("op"), {.name = "before"}, {.name = "after"});
static const struct fields change =
    REST_ANSWER(NULL, REST_TEXT("change_set"), REST_WHOLE("version"), REST_TEXT("at"), REST_TEXT_OR_NULL("who"),
                REST_TEXT_OR_NULL("undone_by"), REST_TEXT("what"), FIELD("entries_left_out", FIELD_WHOLE),
                REST_LIST("entries", &entry));
static const struct fields history_answer =
    REST_ANSWER("History", REST_TEXT("session_id"), REST_WHOLE("version"), REST_LIST("changes", &change), REST_WHOLE("total"));
static const struct fields one_difference =
    REST_ANSWER(NULL, REST_TEXT("entity"), REST_TEXT_OR_NULL("entity_id"), REST_TEXT_OR_NULL("node_id"), REST_ANY("before"),
                REST_ANY("after"));
static const struct fields difference_answer =
    REST_ANSWER("Difference", REST_TEXT("session_id"), REST_WHOLE("from"), REST_WHOLE("to"),
                REST_LIST("differences", &one_difference), REST_WHOLE("total"));
static const struct fields undone =
    REST_ANSWER("Undone", REST_FLAG("success"), REST_TEXT("message"), REST_TEXT("change_set"),
                FIELD("by_set", FIELD_TEXT, .required = true, .documentation = "Undoing this one does it again"),
                REST_WHOLE("entries"), REST_WHOLE("version"));

const struct rest_route rest_history_routes[] = {
    {"GET", "/session/{sid}/history", history, 0, REST_STATE_SESSION, NULL,
     "readHistory", "history", "What was changed, newest first", &history_query, NULL, &history_answer},
    {"GET", "/session/{sid}/difference", difference, 0, REST_STATE_SESSION, NULL,
     "readDifference", "history", "The difference between two versions", &difference_query, NULL, &difference_answer},
    {"POST", "/session/{sid}/undo", undo, ROUTE_WRITE, REST_STATE_SESSION, rest_nodes,
     "undo", "history", "Undoes a change set, or your own newest change", NULL, &undo_body, &undone},
    {"POST", "/session/{sid}/restore", restore, ROUTE_WRITE | ROUTE_BODY, REST_STATE_SESSION, rest_nodes,
     "restore", "history", "Brings back the content of a version", NULL, &restore_body, &undone},
    {0},
};
/* clang-format on */
