/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a call to its interrupt: looked at on the trial work queue, where nothing of it is kept,
 * then on the graph work queue what it does to the graph.
 */
#include "mcp/chat/approval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/chat/approval_preview.h"
#include "mcp/session/text.h"

#define HEADLINE_TITLE 120 /* bytes */

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
    struct approval_preview preview;
    struct buf effect;
    struct error err;
    void (*on_done)(void *user, json_t *interrupt, const struct error *err);
    void *user;
};

static void free_approval(struct approval *approval)
{
    approval_preview_finish(&approval->preview);
    json_decref(approval->arguments);
    buf_finish(&approval->effect);
    free(approval->call_id);
    free(approval);
}

/* "Lost: 1 node, 4 components. " */
static void add_count(struct buf *to, const char *what, const struct approval_count *count)
{
    const struct {
        size_t count;
        const char *thing;
    } parts[] = {{count->nodes, "node"},
                 {count->components, "component"},
                 {count->relationships, "relationship"}};
    const char *between = " ";

    if (count->nodes + count->components + count->relationships == 0)
        return;
    buf_addf(to, "%s:", what);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].count == 0)
            continue;
        buf_addf(to, "%s%zu %s%s", between, parts[i].count, parts[i].thing,
                 parts[i].count == 1 ? "" : "s");
        between = ", ";
    }
    buf_adds(to, ". ");
}

static bool is_single(const struct approval_preview *preview)
{
    return json_array_size(preview->asked.operations) == 1 &&
           json_array_size(preview->changes) == 1;
}

/* The first change, where it is all there is. */
static void say_single(const struct approval_preview *preview, struct buf *to)
{
    const json_t *change = json_array_get(preview->changes, 0);
    const char *node_id = json_get_string(change, "node_id");
    const char *title = json_get_string(change, "title");
    char id[HEADLINE_TITLE];

    buf_addf(to, " %s", json_get_string(change, "what"));
    if (node_id)
        buf_addf(to, ", in %s \"%s\"", text_cut_line(id, sizeof id, node_id), title);
    if (preview->remain >= 0)
        buf_addf(to, "; %ld remain%s there", preview->remain, preview->remain == 1 ? "s" : "");
    buf_adds(to, ".\n");
}

static void write_headline(const struct approval *approval, struct buf *to)
{
    const struct approval_preview *preview = &approval->preview;
    size_t operations = json_array_size(preview->asked.operations);

    if (preview->asked.action == TOOL_UNDOES) {
        buf_addf(to, "Undo: %s.\n", preview->undone.what);
    } else if (preview->asked.action == TOOL_RESTORES) {
        buf_addf(to, "Restore version %ld: %s.\n", preview->asked.version, preview->undone.what);
    } else if (is_single(preview)) {
        buf_addf(to, "%s:", approval->tool->title);
        say_single(preview, to);
    } else {
        buf_addf(to, "%s: %zu operation%s", approval->tool->title, operations,
                 operations == 1 ? "" : "s");
        if (preview->outcome.bad > 0)
            buf_addf(to, ", of which %zu cannot be done and are left out", preview->outcome.bad);
        buf_adds(to, ".\n");
    }
}

/* Five lines at most: what, the first nodes that go, how much of what, and that it was asked. */
static void write_message(const struct approval *approval, struct buf *to)
{
    const struct approval_preview *preview = &approval->preview;

    write_headline(approval, to);
    buf_add(to, preview->lost.data, preview->lost.len);
    if (!is_single(preview)) {
        add_count(to, "Lost", &preview->gone);
        add_count(to, "Changed", &preview->changed);
        add_count(to, "New", &preview->made);
        buf_addc(to, '\n');
    }
    if (approval->attempt > 1)
        buf_addf(to, "This is attempt %u: it was declined, or failed, before.", approval->attempt);
    while (to->len > 0 && strchr(" \n", to->data[to->len - 1]))
        to->data[--to->len] = '\0';
}

static void write_effect(const struct approval *approval, struct buf *to)
{
    buf_add(to, approval->preview.outcome.lines.data, approval->preview.outcome.lines.len);
    buf_add(to, approval->effect.data, approval->effect.len);
}

static json_t *make_interrupt(const struct approval *approval, struct error *err)
{
    struct buf BUF_AUTO message = {0}, effect = {0};
    json_t *interrupt = NULL, *metadata;
    char id[UUID_TEXT_SIZE];

    write_message(approval, &message);
    write_effect(approval, &effect);
    if (text_uuid(id, err) < 0)
        return NULL;
    if (!message.failed && !effect.failed) {
        metadata = json_pack("{s:s, s:i, s:O, s:I, s:s%}", "tool", approval->tool->name, "attempt",
                             (int)approval->attempt, "changes", approval->preview.changes, "more",
                             (json_int_t)approval->preview.more, "effect",
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

    struct store *copy = store_trial_open(context, approval->preview.sid, true, &approval->err);

    if (copy)
        approval_preview(&approval->preview, copy, &approval->err);
    store_close(copy);
}

static void find_effect(struct workq_job *job, void *context)
{
    struct approval *approval = (struct approval *)job;
    struct change_set_outcome *outcome = &approval->preview.outcome;
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
    if (approval->err.kind == ERROR_NONE && approval->preview.outcome.touches_graph) {
        if (workq_submit(approval->store->graph, job, &err) == 0)
            return;
        buf_addf(&approval->effect, "(Its effect on the graph is unknown: %s)\n", err.text);
    }
    end(approval);
}

/* The session that the call names must be the chat's own, as it is for the tool. */
static int check_session(const json_t *arguments, const char *session_id, struct error *err)
{
    const char *given = json_get_string(arguments, "session_id");

    if (!given || !*given || strcmp(given, session_id) == 0)
        return 0;
    return error_set_at(err, "session_id",
                        "This chat is bound to session %s and reaches no other; leave session_id "
                        "out.",
                        session_id);
}

static bool is_as_shown(const struct approval_preview *preview, const json_t *interrupt)
{
    const json_t *shown = json_object_get(interrupt, "metadata");

    return json_equal(preview->changes, json_object_get(shown, "changes")) &&
           json_integer_value(json_object_get(shown, "more")) == (json_int_t)preview->more;
}

/* Sets what the call would do; its texts are borrowed from *arguments, which are the checked ones
 * afterwards. */
static int begin(struct approval_preview *preview, const struct tool *tool, json_t **arguments,
                 const char *session_id, const char *who, struct error *err)
{
    struct tool_call call = {.tool = tool, .arguments = *arguments};
    int rc;

    snprintf(preview->sid, sizeof preview->sid, "%s", session_id);
    preview->who = who;
    if (check_session(*arguments, session_id, err) < 0)
        return -1;
    rc = tool_call_preview(&call, &preview->asked, err);
    *arguments = call.arguments;
    return rc;
}

int approval_check(const struct tool *tool, const json_t *arguments, const char *session_id,
                   const char *who, const json_t *interrupt, struct store *store, struct error *err)
{
    json_auto_t *own = json_deep_copy(arguments); /* it is another thread's, and is changed */
    struct approval_preview preview = {0};
    int rc = -1;

    if (!own)
        return error_set(err, ERROR_MEMORY, "out of memory for an approval");
    if (begin(&preview, tool, &own, session_id, who, err) == 0 &&
        approval_preview(&preview, store, err) == 0) {
        if (is_as_shown(&preview, interrupt))
            rc = 0;
        else
            error_set(err, ERROR_CONFLICT, "%s", changed);
    }
    approval_preview_finish(&preview);
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
    else if (begin(&approval->preview, tool, &approval->arguments, session_id, who, err) == 0) {
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
