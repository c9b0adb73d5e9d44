/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Route of the session API for change sets. The answer is whole without the effect on the graph
 * ("effect": null), which is filled in on the graph work queue.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/api/rest_internal.h"
#include "mcp/change/change_set.h"

#define NO_EFFECT "null}" /* the end of an answer that has none */

void rest_fill_in(struct rest_response *response, const struct graph_cache *graphs,
                  const struct cancel *cancel, const struct error *busy)
{
    struct buf BUF_AUTO effect = {0};
    struct error err = {0};

    if (busy)
        err = *busy;
    else if (change_effect(&response->more->before, &response->more->after, false, graphs, cancel,
                           &effect, NULL, &err) == 0)
        buf_check(&effect, "the effect", &err);
    rest_more_drop(response);
    if (response->body.failed)
        return;
    response->body.len -= sizeof NO_EFFECT - 1;
    if (err.kind == ERROR_NONE) {
        buf_add(&response->body, effect.data, effect.len);
    } else {
        buf_adds(&response->body, "null,\"effect_error\":");
        rest_answer_string(&response->body, err.text);
    }
    buf_addc(&response->body, '}');
}

/* Stores the outlines for rest_fill_in; if there is no room, the answer stays without the
 * effect. */
static void keep_outlines(struct rest_response *response, struct change_set_outcome *outcome)
{
    struct rest_more *more = outcome->touches_graph ? calloc(1, sizeof *more) : NULL;

    if (!more)
        return;
    more->before = outcome->before;
    more->after = outcome->after;
    memset(&outcome->before, 0, sizeof outcome->before);
    memset(&outcome->after, 0, sizeof outcome->after);
    response->more = more;
}

static void answer(struct rest_call *call, const struct change_set *set,
                   const struct change_set_outcome *outcome)
{
    struct buf *to = &call->response->body;

    buf_adds(to, "{\"session_id\":");
    rest_answer_string(to, call->session);
    buf_addf(to, ",\"dry_run\":%s,\"change_set\":", set->dry_run ? "true" : "false");
    if (*outcome->change_set)
        rest_answer_string(to, outcome->change_set);
    else
        buf_adds(to, "null");
    buf_addf(to, ",\"version\":%" PRId64 ",\"done\":%zu,\"bad\":%zu,\"results\":", outcome->version,
             outcome->done, outcome->bad);
    buf_add(to, outcome->results.data, outcome->results.len);
    buf_adds(to, ",\"effect\":" NO_EFFECT);
}

static int change(struct rest_call *call, struct error *err)
{
    const struct change_set set = {
        .operations = json_object_get(call->body, "operations"),
        .dry_run = json_is_true(json_object_get(call->body, "dry_run")),
        .keep_going = json_is_true(json_object_get(call->body, "keep_going")),
    };
    struct writer writer = call->writer;
    struct change_set_outcome outcome;

    writer.expected_cursor = json_integer_value(json_object_get(call->body, "expected_version"));
    if (change_set_apply(call->store, &writer, call->session, &set, &outcome, err) < 0)
        return -1;
    answer(call, &set, &outcome);
    keep_outlines(call->response, &outcome);
    change_set_outcome_finish(&outcome);
    return 0;
}

/* clang-format off */
static const struct fields body = {
    .name = "a change set", .schema = "ChangeSet",
    .rows = (const struct field[]){
        FIELD("operations", FIELD_ARRAY, .required = true, .of = &change_set_operation,
         .documentation = "[{\"op\": \"delete_node\", \"node_id\": \"N003\"}, ...], up to 500"),
        FIELD("dry_run", FIELD_FLAG),
        FIELD("keep_going", FIELD_FLAG),
        FIELD("expected_version", FIELD_WHOLE, .least = 1, .most = INFINITY,
         .documentation = "A stale one is refused with 409, and nothing is done"), {0}},
};
static const struct fields result = REST_ANSWER(NULL, REST_FLAG("ok"), REST_TEXT("message"), FIELD("op", FIELD_TEXT));
static const struct fields done =
    REST_ANSWER("ChangeSetDone", REST_TEXT("session_id"), REST_FLAG("dry_run"), REST_TEXT_OR_NULL("change_set"),
                REST_WHOLE("version"), REST_WHOLE("done"), REST_WHOLE("bad"), REST_LIST("results", &result),
                {.name = "effect", .required = true,
                 .documentation = "On the graph: new cycles, nodes cut off, the longest chain, what comes downstream; or null"},
                FIELD("effect_error", FIELD_TEXT));

const struct rest_route rest_change_routes[] = {
    {"POST", "/session/{sid}/changes", change, ROUTE_WRITE | ROUTE_BODY | ROUTE_TRIES, REST_STATE_SESSION, rest_nodes,
     "changeCurriculum", "changes", "Several operations as one, or what they would do", NULL, &body, &done},
    {0},
};
/* clang-format on */
