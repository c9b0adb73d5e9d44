/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Converts a call to its interrupt: a dry run on the trial work queue, then its effect on the graph
 * on the graph work queue.
 */
#include "mcp/chat/approval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/text.h"
#include "mcp/tool/trial.h"

static const char changed[] =
    "Not done: what it would change is not the same any more as what the editor approved. Read it "
    "again, and send the call again if it is still wanted; then the editor is asked again.";

/* ---- looking ---- */

struct approval {
    struct workq_job job; /* first */
    const struct store_queues *store;
    const struct tool *tool;
    json_t *arguments; /* owned */
    char *call_id;     /* owned */
    unsigned attempt;
    struct tool_trial trial;
    struct buf effect;
    struct error err;
    void (*on_done)(void *user, json_t *interrupt, const struct error *err);
    void *user;
};

static void free_approval(struct approval *approval)
{
    tool_trial_finish(&approval->trial);
    json_decref(approval->arguments);
    buf_finish(&approval->effect);
    free(approval->call_id);
    free(approval);
}

static void write_effect(const struct approval *approval, struct buf *to)
{
    buf_add(to, approval->trial.outcome.lines.data, approval->trial.outcome.lines.len);
    buf_add(to, approval->effect.data, approval->effect.len);
}

static json_t *make_interrupt(const struct approval *approval, struct error *err)
{
    struct buf BUF_AUTO message = {0}, effect = {0};
    json_t *interrupt = NULL, *metadata;
    char id[UUID_TEXT_SIZE];

    tool_trial_write(&approval->trial, &message);
    if (approval->attempt > 1)
        buf_addf(&message, "\nThis is attempt %u: it was declined, or failed, before.",
                 approval->attempt);
    write_effect(approval, &effect);
    if (text_uuid(id, err) < 0)
        return NULL;
    if (!message.failed && !effect.failed) {
        metadata = json_pack("{s:s, s:i, s:O, s:I, s:s%}", "tool", approval->tool->name, "attempt",
                             (int)approval->attempt, "changes", approval->trial.changes, "more",
                             (json_int_t)approval->trial.more, "effect",
                             effect.data ? effect.data : "", effect.len);
        interrupt = json_pack(
            "{s:s, s:s, s:s%, s:s, s:{s:s, s:{s:{s:s}, s:{s:s}}, s:[s]}, s:o}", "id", id, "reason",
            "lectern.approval", "message", message.data, message.len, "toolCallId",
            approval->call_id, "responseSchema", "type", "object", "properties", "approved", "type",
            "boolean", "reason", "type", "string", "required", "approved", "metadata", metadata);
    }
    if (!interrupt)
        error_set(err, ERROR_MEMORY, "out of memory for an approval");
    return interrupt;
}

static void end(struct approval *approval)
{
    json_t *interrupt = NULL;

    if (approval->err.kind == ERROR_NONE)
        interrupt = make_interrupt(approval, &approval->err);
    approval->on_done(approval->user, interrupt, interrupt ? NULL : &approval->err);
    free_approval(approval);
}

static void preview(struct workq_job *job, void *context)
{
    struct approval *approval = (struct approval *)job;

    struct store *copy = store_trial_open(context, approval->trial.sid, true, &approval->err);

    if (copy)
        tool_trial_run(&approval->trial, copy, &approval->err);
    store_close(copy);
}

static void find_effect(struct workq_job *job, void *context)
{
    struct approval *approval = (struct approval *)job;
    struct change_set_outcome *outcome = &approval->trial.outcome;
    struct error err = {0};

    (void)context;
    if (change_effect(&outcome->before, &outcome->after, true, approval->store->graphs, NULL, NULL,
                      &approval->effect, &err) < 0)
        buf_addf(&approval->effect, "(Its effect on the graph is unknown: %s)\n", err.text);
}

static void on_effect_found(struct workq_job *job)
{
    end((struct approval *)job);
}

static void on_looked(struct workq_job *job)
{
    struct approval *approval = (struct approval *)job;
    struct error err = {0};

    job->work = find_effect;
    job->done = on_effect_found;
    if (approval->err.kind == ERROR_NONE && approval->trial.outcome.touches_graph) {
        if (workq_submit(approval->store->graph, job, &err) == 0)
            return;
        buf_addf(&approval->effect, "(Its effect on the graph is unknown: %s)\n", err.text);
    }
    end(approval);
}

static bool is_as_shown(const struct tool_trial *trial, const json_t *interrupt)
{
    const json_t *shown = json_object_get(interrupt, "metadata");

    return json_equal(trial->changes, json_object_get(shown, "changes")) &&
           json_integer_value(json_object_get(shown, "more")) == (json_int_t)trial->more;
}

/* Sets what the call would do. The session that the call names must be the chat's own, as it is for
 * the tool. *arguments are the checked ones afterwards. */
static int begin(struct tool_trial *trial, const struct tool *tool, json_t **arguments,
                 const char *session_id, const char *who, struct error *err)
{
    struct tool_call call = {.tool = tool, .arguments = *arguments, .who = who};
    const char *given = json_get_string(*arguments, "session_id");
    int rc;

    if (given && *given && strcmp(given, session_id) != 0)
        return error_set_at(err, "session_id",
                            "This chat is bound to session %s and reaches no other; leave "
                            "session_id out.",
                            session_id);
    rc = tool_trial_begin(trial, &call, session_id, err);
    *arguments = call.arguments;
    return rc;
}

int approval_check(const struct tool *tool, const json_t *arguments, const char *session_id,
                   const char *who, const json_t *interrupt, struct store *store, struct error *err)
{
    json_auto_t *own = json_deep_copy(arguments); /* it is another thread's, and is changed */
    struct tool_trial trial = {0};
    int rc = -1;

    if (!own)
        return error_set(err, ERROR_MEMORY, "out of memory for an approval");
    if (begin(&trial, tool, &own, session_id, who, err) == 0 &&
        tool_trial_run(&trial, store, err) == 0) {
        if (is_as_shown(&trial, interrupt))
            rc = 0;
        else
            error_set(err, ERROR_CONFLICT, "%s", changed);
    }
    tool_trial_finish(&trial);
    return rc;
}

int approval_describe(const struct store_queues *store, const char *session_id, const char *who,
                      const char *call_id, const struct tool *tool, const json_t *arguments,
                      unsigned attempt,
                      void (*on_done)(void *user, json_t *interrupt, const struct error *err),
                      void *user, struct error *err)
{
    struct approval *approval = calloc(1, sizeof *approval);

    if (!approval)
        return error_set(err, ERROR_MEMORY, "out of memory for an approval");
    approval->job.work = preview;
    approval->job.done = on_looked;
    approval->store = store;
    approval->tool = tool;
    approval->arguments = json_deep_copy(arguments);
    approval->call_id = strdup(call_id);
    approval->attempt = attempt;
    approval->on_done = on_done;
    approval->user = user;
    if (!approval->arguments || !approval->call_id)
        error_set(err, ERROR_MEMORY, "out of memory for an approval");
    else if (begin(&approval->trial, tool, &approval->arguments, session_id, who, err) == 0) {
        approval->job.key = workq_key(session_id);
        if (workq_submit(store->trial, &approval->job, err) == 0)
            return 0;
    }
    free_approval(approval);
    return -1;
}

/* ---- whether it is needed ---- */

bool approval_needed(const struct tool *tool, const json_t *arguments, enum approvals approvals)
{
    static const enum tool_loss least[] = {
        [APPROVALS_DESTRUCTIVE] = TOOL_LOSS_REPLACED,
        [APPROVALS_EVERY] = TOOL_LOSS_NOTHING,
        [APPROVALS_NONE_ASKED] = TOOL_LOSS_DELETED,
    };

    return tool_call_impact(tool, arguments).loss >= least[approvals];
}

size_t approval_replacements(const struct tool *tool, const json_t *arguments)
{
    struct tool_impact impact = tool_call_impact(tool, arguments);

    return impact.loss < TOOL_LOSS_REPLACED ? 0 : impact.replaces;
}
