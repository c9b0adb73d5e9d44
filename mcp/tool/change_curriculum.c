/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * change_curriculum: several operations as one, or looked at without being done. Done on the sql
 * work queue, tried on the trial work queue; what it does to the graph is reckoned on the graph
 * work queue, of the outlines before and after.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/change/change_set.h"
#include "mcp/server.h"
#include "mcp/tool/arguments.h"
#include "mcp/tool/dry_run.h"

static bool tries(const struct tool_call *call);
static struct tool_impact impact(const struct tool_call *call);
static int preview(const struct tool_call *call, struct tool_preview *preview, struct error *err);
static int run(struct tool_call *call, struct store *store, struct error *err);
static int then(struct tool_call *call, struct error *err);
static void forget(struct tool_call *call);

const struct tool tool_change_curriculum = {
    .name = "change_curriculum",
    .title = "Change the curriculum",
    .description = "All operations or none (keep_going: the good); dry_run: the effect.",
    .call_title = "{dry_run=true}Try out {operations:operation}"
                  "|Change the curriculum: {operations:operation}",
    .icon = "edit",
    .use = "what belongs together, or nodes: all or none; with dry_run first when you are not sure "
           "of its effect",
    .arguments = ARGUMENTS(
        "change_curriculum", ARGUMENT_SESSION, ARGUMENT_KEY,
        FIELD("operations", FIELD_ARRAY, .required = true, .of = &change_set_operation_brief),
        FIELD("dry_run", FIELD_FLAG), FIELD("keep_going", FIELD_FLAG),
        FIELD("expected_version", FIELD_WHOLE, .least = 1, .most = INFINITY)),
    .destructive = true,
    .run = run,
    .tries = tries,
    .impact = impact,
    .preview = preview,
    .then = then,
    .forget = forget,
    .writes = true,
};

static void say(struct tool_call *call, const struct change_set *set,
                const struct change_set_outcome *outcome, long number)
{
    size_t count = outcome->done + outcome->bad;
    struct buf *to = &call->text;

    buf_addf(to, "%s %zu of %zu operation%s",
             set->dry_run ? "Dry run, nothing was changed. It would do" : "Did", outcome->done,
             count, count == 1 ? "" : "s");
    if (outcome->bad > 0)
        buf_addf(to, ", %zu bad one%s left out", outcome->bad, outcome->bad == 1 ? "" : "s");
    if (*outcome->change_set)
        buf_addf(to, " (change set %s, now version %" PRId64 ")", outcome->change_set,
                 outcome->version);
    buf_adds(to, ":\n");
    buf_add(to, outcome->lines.data, outcome->lines.len);
    if (number > 0)
        buf_addf(to,
                 "To do it, send operations [{\"op\": \"" CHANGE_SET_DRY_RUN "\", \"id\": %ld}].\n",
                 number);
}

static int apply(struct tool_call *call, struct store *store, const char *sid,
                 const struct writer *writer, const struct change_set *set, struct error *err)
{
    struct change_set_outcome *outcome = calloc(1, sizeof *outcome);

    if (!outcome)
        return error_set(err, ERROR_MEMORY, "out of memory for a change set");
    if (change_set_apply(store, writer, sid, set, outcome, err) < 0) {
        free(outcome);
        return -1;
    }
    snprintf(call->change_set, sizeof call->change_set, "%s", outcome->change_set);
    say(call, set, outcome, set->dry_run ? dry_run_keep(call, sid, outcome->version) : 0);
    call->state = outcome;
    call->followup = outcome->touches_graph;
    return 0;
}

static bool is_set(const struct tool_call *call, const char *name)
{
    return json_is_true(json_object_get(call->arguments, name));
}

static bool tries(const struct tool_call *call)
{
    return is_set(call, "dry_run");
}

static struct tool_impact impact(const struct tool_call *call)
{
    if (tries(call))
        return (struct tool_impact){.loss = TOOL_LOSS_NO_EDIT};
    return tool_impact_of(json_object_get(call->arguments, "operations"));
}

static int preview(const struct tool_call *call, struct tool_preview *preview, struct error *err)
{
    (void)err;
    preview->keep_going = is_set(call, "keep_going");
    preview->version = argument_whole(call, "expected_version", 0);
    preview->operations = json_incref(json_object_get(call->arguments, "operations"));
    return 0;
}

static int try(struct tool_call *call, struct store *store, const char *sid,
               const struct writer *writer, const struct change_set *set, struct error *err)
{
    struct store *copy = store_trial_open(store, sid, false, err);
    int rc = copy ? apply(call, copy, sid, writer, set, err) : -1;

    store_close(copy);
    return rc;
}

static int run(struct tool_call *call, struct store *store, struct error *err)
{
    const struct writer writer = {
        .who = call->who,
        .only = call->bound_session,
        .expected_cursor = argument_whole(call, "expected_version", 0),
    };
    const struct change_set set = {
        .operations = json_object_get(call->arguments, "operations"),
        .dry_run = is_set(call, "dry_run"),
        .keep_going = is_set(call, "keep_going"),
    };
    char sid[SESSION_ID_SIZE];

    if (tool_session(call, store, sid, err) < 0)
        return -1;
    return (set.dry_run ? try : apply)(call, store, sid, &writer, &set, err);
}

static int then(struct tool_call *call, struct error *err)
{
    const struct change_set_outcome *outcome = call->state;

    return change_effect(&outcome->before, &outcome->after, *outcome->change_set == '\0',
                         call->server->store.graphs, call->cancel, NULL, &call->text, err);
}

static void forget(struct tool_call *call)
{
    if (call->state)
        change_set_outcome_finish(call->state);
    free(call->state);
    call->state = NULL;
}
