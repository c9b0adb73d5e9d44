/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The approvals of a turn. Calls that need an approval are previewed, and the run ends with their
 * interrupts. The answers come with the next run of the thread, which loads the same calls again.
 *
 * No call of a turn is executed before the person has answered. Then exactly what was shown is
 * executed: a call is previewed again in the transaction that executes it, and if it would change
 * something else by then, it is not made.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
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

/* Whether the call needs an approval that was not requested yet. */
static bool is_needed(const struct run_call *call)
{
    return call->state == RUN_CALL_WAITS && call->refusal.len == 0 &&
           approval_needed(call->tool, input_of(call), call->run->approvals);
}

/* Marks the calls of this tool that need an approval in the message, and looks for their results:
 * returns 1 if one succeeded, -1 if all have failed, 0 if there are none. */
static int result_of_calls(const struct run_call *call, const json_t *message, json_t *asked)
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

/* The consecutive turns that called this tool without success, including this one. */
static unsigned attempt_of(const struct run_call *call)
{
    json_auto_t *asked = json_object();
    const json_t *message;
    unsigned failed = 0;
    size_t i;

    json_array_foreach(call->run->thread->messages, i, message)
    {
        int found = result_of_calls(call, message, asked);

        failed = found > 0 ? 0 : failed + (found < 0);
    }
    return failed + 1;
}

/* Nobody is asked to approve what they may not do. */
static void refuse_reader(struct chat_run *run)
{
    for (size_t i = 0; i < run->call_count; i++) {
        struct run_call *call = &run->calls[i];
        const struct tool_call made = {.tool = call->tool,
                                       .arguments = json_object_get(call->use, "input"),
                                       .identity = &run->identity};

        if (call->state == RUN_CALL_WAITS && call->refusal.len == 0 &&
            tool_call_check_scope(&made, NULL) < 0)
            buf_adds(&call->refusal, "The person who asks may read this curriculum, and not edit "
                                     "it. Describe the change instead.");
    }
}

/* A model may be misled by a text that it reads. What it replaces without anybody's approval has a
 * limit, over all calls of the question. */
static void refuse_all(struct chat_run *run)
{
    size_t total = run->replaced;

    for (size_t i = 0; i < run->call_count; i++) {
        struct run_call *call = &run->calls[i];

        if (is_needed(call))
            buf_adds(&call->refusal, cannot_approve);
        if (call->state != RUN_CALL_WAITS || call->refusal.len > 0)
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

static void on_looked_at(void *user, json_t *interrupt, const struct error *err)
{
    struct run_call *call = user;
    struct chat_run *run = call->run;

    call->state = RUN_CALL_WAITS;
    call->interrupt = interrupt;
    if (!interrupt)
        buf_adds(&call->refusal, err->text);
    if (--run->under_way == 0)
        run_go_on(run, RUN_STATE_LOOKED);
}

static void look_at(struct run_call *call)
{
    struct chat_run *run = call->run;
    struct error err = {0};

    call->state = RUN_CALL_LOOKED_AT;
    run->under_way++;
    if (approval_describe(&run->server->store, run->thread->session_id, run->who, call->id,
                          call->tool, input_of(call), attempt_of(call), on_looked_at, call,
                          &err) < 0)
        on_looked_at(call, NULL, &err);
}

enum run_state run_look_at_calls(struct chat_run *run)
{
    json_decref(run->answers); /* they were to the turn before */
    run->answers = NULL;
    refuse_reader(run);
    if (run->approvals == APPROVALS_NONE_ASKED)
        refuse_all(run);
    for (size_t i = 0; i < run->call_count; i++) {
        if (is_needed(&run->calls[i]))
            look_at(&run->calls[i]);
    }
    return run->under_way > 0 ? RUN_STATE_LOOKING : RUN_STATE_LOOKED;
}

/* The answer to an approval is a new run of the same question, with the same attempts. */
static void keep_attempts(struct chat_run *run)
{
    struct error err = {0};

    if (run->attempts.count + run->attempts.failed == 0 && !run->worked)
        return;
    if (thread_put(run->thread, NULL, "note", json_array(),
                   json_pack("{s:s, s:b, s:o}", "kind", THREAD_ATTEMPTS, "worked", run->worked,
                             "attempts", attempts_json(&run->attempts)),
                   NULL, &err) < 0)
        log_warning("chat", "the attempts of run %s are not kept: %s", run->run_id, err.text);
}

void run_approvals_continue_attempts(struct chat_run *run)
{
    for (size_t i = json_array_size(run->thread->messages); i > 0; i--) {
        const json_t *message = json_array_get(run->thread->messages, i - 1);
        const json_t *shown = json_object_get(message, "shown");

        if (thread_is_question(message))
            return;
        if (!thread_is_note(message, THREAD_ATTEMPTS))
            continue;
        attempts_read(&run->attempts, json_object_get(shown, "attempts"));
        run->worked = json_is_true(json_object_get(shown, "worked"));
        return;
    }
}

/* Runs the turn, or ends with the interrupts. */
enum run_state run_interrupt(struct chat_run *run)
{
    json_t *interrupts = json_array();
    struct error err = {0};
    int rc = interrupts ? 0 : -1;

    for (size_t i = 0; i < run->call_count && rc == 0; i++) {
        if (run->calls[i].interrupt)
            rc = json_array_append(interrupts, run->calls[i].interrupt);
    }
    if (rc == 0 && json_array_size(interrupts) == 0) {
        json_decref(interrupts);
        return RUN_STATE_CALL;
    }
    if (rc < 0) {
        json_decref(interrupts);
        error_set(&err, ERROR_MEMORY, "out of memory for the approvals");
        return run_fail(run, &err);
    }
    thread_set_interrupts(run->thread, interrupts);
    run_calls_free(run);
    keep_attempts(run);
    run_note_usage(run);
    run->outcome = RUN_INTERRUPTED;
    return run_save(run, RUN_STATE_END);
}

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

void run_approvals_refuse_unlooked(struct chat_run *run)
{
    for (size_t i = 0; i < run->call_count; i++) {
        struct run_call *call = &run->calls[i];

        if (!call->interrupt && is_needed(call))
            buf_adds(&call->refusal, unlooked);
    }
}
