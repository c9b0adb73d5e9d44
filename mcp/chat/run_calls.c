/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tool calls of one turn. Those that read run side by side; one that edits waits for all before
 * it, and those behind wait for it, so that each sees what the model thinks it sees. All results go
 * back in one message.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/chat/run_internal.h"

static void on_call_done(struct tool_call *tool_call);

/* ---- what the turn has ---- */

static json_t *newest_content(const struct chat_run *run, json_t **shown)
{
    const json_t *messages = run->thread->messages;

    for (size_t i = json_array_size(messages); i > 0; i--) {
        const json_t *message = json_array_get(messages, i - 1);

        if (json_string_is(message, "role", "note"))
            continue;
        if (!json_string_is(message, "role", "assistant"))
            return NULL;
        *shown = json_object_get(message, "shown");
        return json_object_get(message, "content");
    }
    return NULL;
}

static bool is_use(const json_t *block)
{
    return json_string_is(block, "type", "tool_use") && json_get_string(block, "id") &&
           json_get_string(block, "name");
}

static bool is_broken(const json_t *shown, const char *id)
{
    const json_t *broken = json_object_get(shown, "broken"), *item;
    size_t i;

    json_array_foreach((json_t *)broken, i, item)
    {
        if (strcmp(json_string_value(item) ? json_string_value(item) : "", id) == 0)
            return true;
    }
    return false;
}

/* What can be said of a call without looking any further. */
static void refuse_at_once(struct run_call *call, size_t number, bool broken)
{
    if (call->run->last) {
        buf_adds(&call->refusal, "Not done: no more tools are called for this question.");
    } else if (number >= RUN_CALLS_MAX) {
        buf_addf(&call->refusal, "Not done: %u calls at once are the most. Send this one again.",
                 RUN_CALLS_MAX);
    } else if (!call->tool) {
        buf_adds(&call->refusal, "There is no tool of that name. The tools: ");
        tool_names(&call->refusal);
        buf_addc(&call->refusal, '.');
    } else if (broken || !json_is_object(json_object_get(call->use, "input"))) {
        buf_adds(&call->refusal, "Not done: the arguments are no whole JSON object. Send it again, "
                                 "whole.");
    }
}

int run_calls_load(struct chat_run *run, struct error *err)
{
    json_t *shown = NULL, *content = newest_content(run, &shown), *block;
    size_t count = 0, i;

    run_calls_free(run);
    json_array_foreach(content, i, block) count += is_use(block);
    if (count == 0)
        return 0;
    run->calls = calloc(count, sizeof *run->calls);
    if (!run->calls)
        return error_set(err, ERROR_MEMORY, "out of memory for the tools");
    json_array_foreach(content, i, block)
    {
        struct run_call *call = &run->calls[run->call_count];

        if (!is_use(block))
            continue;
        call->run = run;
        call->use = json_incref(block);
        call->id = json_get_string(block, "id");
        call->name = json_get_string(block, "name");
        call->tool = tool_find(call->name);
        refuse_at_once(call, run->call_count, is_broken(shown, call->id));
        run->call_count++;
    }
    return 0;
}

void run_calls_free(struct chat_run *run)
{
    for (size_t i = 0; i < run->call_count; i++) {
        struct run_call *call = &run->calls[i];

        tool_call_finish(&call->call);
        json_decref(call->use);
        json_decref(call->interrupt);
        json_decref(call->block);
        json_decref(call->shown);
        buf_finish(&call->refusal);
    }
    free(run->calls);
    run->calls = NULL;
    run->call_count = run->next = run->under_way = 0;
    run->editing = run->code_failed = run->code_in_vain = false;
    run->code_succeeded = run->other_succeeded = false;
}

/* ---- running them ---- */

static bool writes(const struct run_call *call)
{
    return !call->tool->read_only && tool_call_writes(&call->call);
}

static int prepare(struct run_call *call, struct error *err)
{
    struct chat_run *run = call->run;
    struct tool_call *made = &call->call;

    made->cancel = cancel_create(err);
    if (!made->cancel)
        return -1;
    made->tool = call->tool;
    made->server = run->server;
    made->arguments = json_incref(json_object_get(call->use, "input"));
    made->bound_session = run->thread->session_id;
    made->who = run->who;
    made->wants_progress = call->tool->progress != NULL;
    made->on_done = on_call_done;
    made->user = call;
    if (call->interrupt)
        made->before = run_approvals_check;
    return 0;
}

static void start(struct run_call *call)
{
    struct chat_run *run = call->run;

    run_tell(run,
             &(struct run_event){.kind = RUN_CALL_STARTED, .id = call->id, .name = call->name});
    if (run->cancelled) /* by who was just told */
        return;
    call->made = true;
    call->state = CALL_RUNS;
    run->under_way++;
    run->editing = writes(call);
    uv_update_time(run->server->loop);
    call->started_ms = uv_now(run->server->loop);
    if (call->tool->progress)
        run_watch_begin(run);
    tool_call_start(&call->call);
}

/* 1: it is under way or answered; 0: it has to wait. */
static int start_one(struct run_call *call, struct error *err)
{
    struct chat_run *run = call->run;

    if (call->state != CALL_WAITS)
        return 1;
    if (call->refusal.len > 0)
        return run_result_make(call, err) < 0 ? -1 : 1;
    if (!call->call.cancel && prepare(call, err) < 0)
        return -1;
    if (run->under_way > 0 && (run->editing || writes(call)))
        return 0;
    start(call);
    return 1;
}

static void count_attempts(struct chat_run *run)
{
    if (run->code_failed)
        run->failed++;
    else if (run->code_succeeded)
        run->failed = 0;
    if (run->code_in_vain)
        run->stuck = true;
    else if (run->code_succeeded || run->other_succeeded)
        run->stuck = false;
}

/* The bounds that this turn has reached, behind its results. */
static int note_bounds(struct chat_run *run, size_t count, struct error *err)
{
    if (count > RUN_CALLS_MAX &&
        run_limit(run, "calls", NULL, err,
                  "The model called %zu tools at once; %u of them were run.", count,
                  RUN_CALLS_MAX) < 0)
        return -1;
    if (run->refused_replacements && !run->notified_replacements) {
        run->notified_replacements = true;
        if (run_limit(run, "replacements", NULL, err,
                      "At most %u components or titles are replaced for one question here, where "
                      "nobody can be asked for approval; what went beyond that was not done. "
                      "Lectern's chat page, at the server's own address, asks and can do it.",
                      LEGACY_REPLACEMENTS_MAX) < 0)
            return -1;
    }
    if (run->failed < CODE_ATTEMPTS_MAX)
        return 0;
    run->last = true;
    return run_limit(run, "attempts", NULL, err,
                     "The code failed in all %u attempts; no more are made.", CODE_ATTEMPTS_MAX);
}

static void end_turn(struct chat_run *run)
{
    bool was_last = run->last;
    size_t count = run->call_count;
    struct error err = {0};

    run_watch_end(run);
    if (run->cancelled) {
        run_stop(run);
        return;
    }
    if (count > 0 && run_calls_keep(run, &err) < 0) {
        run_fail(run, &err);
        return;
    }
    count_attempts(run);
    run_calls_free(run);
    if (was_last)
        run_end_called(run);
    else if (note_bounds(run, count, &err) < 0)
        run_fail(run, &err);
    else
        run_save(run, run_turn);
}

void run_calls_go(struct chat_run *run)
{
    struct error err = {0};
    int rc = 1;

    run->state = RUN_STATE_CALLING;
    run->holding = true;
    while (run->next < run->call_count && !run->cancelled && rc == 1) {
        rc = start_one(&run->calls[run->next], &err);
        run->next += rc == 1;
    }
    run->holding = false;
    if (rc < 0) { /* those under way are waited for */
        run->failure = err;
        run_cancel(run, RUN_STOP_EDITOR); /* the failure says why */
    }
    if (run->under_way == 0 && (run->cancelled || run->next == run->call_count))
        end_turn(run);
}

static void on_call_done(struct tool_call *tool_call)
{
    struct run_call *call = tool_call->user;
    struct chat_run *run = call->run;
    struct error err = {0};

    run->under_way--;
    call->state = CALL_LOST;
    if (run_result_make(call, &err) < 0) {
        run->failure = err;
        run_cancel(run, RUN_STOP_EDITOR); /* the failure says why */
    }
    if (!run->holding)
        run_calls_go(run);
}

void run_calls_cancel(struct chat_run *run)
{
    bool held = run->holding;

    run->holding = true;
    for (size_t i = 0; i < run->call_count; i++) {
        if (run->calls[i].state == CALL_RUNS)
            tool_call_cancel(&run->calls[i].call);
    }
    run->holding = held;
}

/* ---- a turn's calls, new or interrupted ---- */

void run_calls_begin(struct chat_run *run)
{
    struct error err = {0};

    if (run->cancelled)
        run_stop(run);
    else if (run_calls_load(run, &err) < 0)
        run_fail(run, &err);
    else if (run->last)
        run_calls_go(run);
    else
        run_approvals_ask(run);
}

void run_calls_resume(struct chat_run *run)
{
    if (run->cancelled)
        run_stop(run);
    else
        run_approvals_resume(run);
}
