/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calls of a turn that a person is asked about. Nothing of the turn is done before the answer;
 * and what is done after it is what was shown: the call is looked at once more in the transaction
 * that does it, and where it would change something else by then, it is not made.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/chat/approval.h"
#include "mcp/chat/run_internal.h"

#define REASON_SAID 2000 /* bytes of an editor's reason */

static const char cannot_approve[] =
    "Not done: this needs the editor's approval, and where they write now it cannot be given. Tell "
    "them what you would change, and that it can be approved in Lectern's chat page, at the "
    "server's own address.";
static const char too_many_replaced[] =
    "Not done: nobody can be asked for approval where the editor writes now, so at most %u "
    "components or titles are replaced for one question, and this call would exceed that. Replace "
    "nothing more. Tell the editor what you would change; they can approve it in Lectern's chat "
    "page, at the server's own address, or ask for the rest in another question.";
static const char unlooked[] =
    "Not done: this needs the editor's approval, and it was not asked for. Send it again if it is "
    "still wanted.";

static const json_t *input_of(const struct run_call *call)
{
    return json_object_get(call->use, "input");
}

static bool is_needed(const struct run_call *call)
{
    return call->state == CALL_WAITS && call->refusal.len == 0 &&
           approval_needed(call->tool, input_of(call), call->run->approvals);
}

/* ---- which attempt ---- */

/* Notes the calls that were asked about, and looks for their results: 1 where one went well, -1
 * where all there are failed, 0 where there is none. */
static int look_back(const struct run_call *call, const json_t *message, json_t *asked)
{
    const json_t *content = json_object_get(message, "content"), *block;
    int found = 0;
    size_t i;

    json_array_foreach((json_t *)content, i, block)
    {
        const char *id = json_get_string(block, "id"), *of = json_get_string(block, "tool_use_id");

        if (json_string_is(block, "type", "tool_use") &&
            json_string_is(block, "name", call->name) && id &&
            approval_needed(call->tool, json_object_get(block, "input"), call->run->approvals))
            json_object_set_new(asked, id, json_true());
        else if (of && json_object_get(asked, of) && found != 1)
            found = json_is_true(json_object_get(block, "is_error")) ? -1 : 1;
    }
    return found;
}

/* The turns that asked for this tool without success since the last with it, and this one. */
static unsigned attempt_of(const struct run_call *call)
{
    json_auto_t *asked = json_object();
    const json_t *message;
    unsigned failed = 0;
    size_t i;

    json_array_foreach(call->run->thread->messages, i, message)
    {
        int found = look_back(call, message, asked);

        failed = found > 0 ? 0 : failed + (found < 0);
    }
    return failed + 1;
}

/* ---- looking ---- */

static void on_all_looked_at(struct chat_run *run);

static void on_looked_at(void *user, json_t *interrupt, const struct error *err)
{
    struct run_call *call = user;
    struct chat_run *run = call->run;

    call->state = CALL_WAITS;
    if (!interrupt) {
        buf_adds(&call->refusal, err->text);
    } else {
        call->interrupt = interrupt;
    }
    run->under_way--;
    if (run->under_way == 0 && !run->holding)
        on_all_looked_at(run);
}

static void look_at(struct run_call *call)
{
    struct chat_run *run = call->run;
    struct error err = {0};

    call->state = CALL_LOOKED_AT;
    run->under_way++;
    if (approval_describe(run->server, run->thread->session_id, run->who, call->id, call->tool,
                          input_of(call), attempt_of(call), on_looked_at, call, &err) < 0)
        on_looked_at(call, NULL, &err);
}

/* ---- where nobody can be asked ---- */

/* A model may be misled by a text that it reads. What it replaces without anybody's approval has a
 * limit, over all calls of the question. */
static void refuse_replacements(struct chat_run *run)
{
    size_t total = run->replaced;

    for (size_t i = 0; i < run->call_count; i++) {
        struct run_call *call = &run->calls[i];

        if (call->state != CALL_WAITS || call->refusal.len > 0)
            continue;
        call->replaces = approval_replacements(call->tool, input_of(call));
        if (call->replaces == 0 || total + call->replaces <= LEGACY_REPLACEMENTS_MAX) {
            total += call->replaces;
            continue;
        }
        buf_addf(&call->refusal, too_many_replaced, LEGACY_REPLACEMENTS_MAX);
        run->refused_replacements = true;
    }
}

/* ---- asking ---- */

static void on_interrupts_saved(struct chat_run *run)
{
    run_finish(run, RUN_INTERRUPTED, NULL);
}

static void interrupt(struct chat_run *run)
{
    json_t *interrupts = json_array();
    struct error err = {0};
    int rc = interrupts ? 0 : -1;

    for (size_t i = 0; i < run->call_count && rc == 0; i++) {
        if (run->calls[i].interrupt)
            rc = json_array_append(interrupts, run->calls[i].interrupt);
    }
    if (rc < 0) {
        json_decref(interrupts);
        error_set(&err, ERROR_MEMORY, "out of memory for the approvals");
        run_fail(run, &err);
        return;
    }
    thread_set_interrupts(run->thread, interrupts);
    run_calls_free(run);
    run_note_usage(run);
    run_save(run, on_interrupts_saved);
}

static bool any_to_ask(const struct chat_run *run)
{
    for (size_t i = 0; i < run->call_count; i++) {
        if (run->calls[i].interrupt)
            return true;
    }
    return false;
}

static void on_all_looked_at(struct chat_run *run)
{
    if (run->cancelled)
        run_stop(run);
    else if (any_to_ask(run))
        interrupt(run);
    else
        run_calls_go(run);
}

void run_approvals_ask(struct chat_run *run)
{
    run->state = RUN_STATE_LOOKING;
    json_decref(run->answers); /* they were to the turn before */
    run->answers = NULL;
    run->holding = true;
    for (size_t i = 0; i < run->call_count; i++) {
        struct run_call *call = &run->calls[i];

        if (is_needed(call) && run->approvals == APPROVALS_NONE_ASKED)
            buf_adds(&call->refusal, cannot_approve);
        else if (is_needed(call))
            look_at(call);
    }
    if (run->approvals == APPROVALS_NONE_ASKED)
        refuse_replacements(run);
    run->holding = false;
    if (run->under_way == 0)
        on_all_looked_at(run);
}

/* ---- the answers ---- */

static struct run_call *find_call(struct chat_run *run, const char *id)
{
    for (size_t i = 0; id && i < run->call_count; i++) {
        if (strcmp(run->calls[i].id, id) == 0)
            return &run->calls[i];
    }
    return NULL;
}

static void decline(struct run_call *call, const char *reason)
{
    struct buf *to = &call->refusal;

    if (to->len > 0)
        return;
    call->refused = "declined";
    buf_adds(to, "The editor declined this");
    if (reason && *reason) {
        buf_adds(to, ": ");
        if (!utf8_clean(reason, strlen(reason), REASON_SAID, to))
            buf_adds(to, "...");
    } else {
        buf_adds(to, ", and gave no reason. Ask what they want instead.");
    }
}

void run_approvals_match(struct chat_run *run)
{
    json_t *interrupt;
    size_t i;

    json_array_foreach(run->thread->interrupts, i, interrupt)
    {
        struct run_call *call = find_call(run, json_get_string(interrupt, "toolCallId"));
        const char *id = json_get_string(interrupt, "id");
        const json_t *answer = id ? json_object_get(run->answers, id) : NULL;

        if (!call)
            continue;
        json_decref(call->interrupt);
        call->interrupt = json_incref(interrupt);
        if (!run->answers)
            decline(call, "they wrote something else instead of an answer. Read it below.");
        else if (!json_is_true(json_object_get(answer, "approved")))
            decline(call, json_get_string(answer, "reason"));
    }
}

void run_approvals_resume(struct chat_run *run)
{
    for (size_t i = 0; i < run->call_count; i++) {
        struct run_call *call = &run->calls[i];

        if (!call->interrupt && is_needed(call))
            buf_adds(&call->refusal, unlooked);
    }
    run_calls_go(run);
}

int run_approvals_check(struct tool_call *made, struct store *store, struct error *err)
{
    const struct run_call *call = made->user;

    return approval_check(made->tool, made->arguments, made->bound_session, made->who,
                          call->interrupt, store, err);
}
