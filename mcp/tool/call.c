/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The life of a call: from tools/call to its work queue and back. Where it runs, it
 * passes through confirm.h, idempotency.h and run.h, each of which knows the next one only.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/server.h"
#include "mcp/store/entities/relationship.h"
#include "mcp/tool/arguments.h"
#include "mcp/tool/confirm.h"
#include "mcp/tool/dry_run.h"
#include "mcp/tool/idempotency.h"
#include "mcp/tool/solution_check.h"

#define WORKQ_RETRY_AFTER_S 1 /* a work queue works its queue off in less */

/* What a tool has said of its failure itself says more than err. */
static void fail(struct tool_call *call, const struct error *err)
{
    if (call->failure.category == FAILURE_NONE)
        failure_of_error(&call->failure, err);
    if (call->failure.category == FAILURE_BUSY && call->failure.retry_after_s == 0)
        call->failure.retry_after_s = WORKQ_RETRY_AFTER_S;
    buf_clear(&call->text);
    buf_adds(&call->text, err->text);
}

static int run_call(void *user, struct store *store, struct error *err)
{
    return confirm_run(user, store, err);
}

/* What the service behind the store keeps without an id cannot be taken back here. Only the end of
 * the transaction shows it, which may be after the answer was kept. */
static void say_nameless(struct tool_call *call, struct store *store, size_t count)
{
    buf_addf(&call->text,
             "\nThe service that stores this curriculum gives %s no id, so it cannot be undone, "
             "changed or deleted here: use the service's own editor for that.",
             count == 1 ? "the new relationship" : "each new relationship");
    if (call->staged.key)
        staged_write_store_answer(&call->staged, store);
}

static void on_work(struct workq_job *job, void *context)
{
    struct tool_call *call = (struct tool_call *)job;
    bool writes = tool_call_writes(call);
    size_t nameless = store_relationships_nameless(context);
    struct error err = {0};
    int rc = 0;

    store_bound(context, call->cancel);
    if (!writes)
        store_call_begin(context);
    /* The step LARGE_APPLY looks at the token itself, and cleans up. */
    if (call->staged.rows.stage != LARGE_APPLY)
        rc = cancel_check(call->cancel, &err);
    if (rc == 0 && writes && !tool_call_tries(call))
        rc = store_write_step(&call->staged.rows, context, run_call, call, &err);
    else if (rc == 0)
        rc = run_call(call, context, &err);
    nameless = store_relationships_nameless(context) - nameless;
    if (rc < 0)
        fail(call, &err);
    else if (nameless > 0)
        say_nameless(call, context, nameless);
    store_call_end(context);
    store_unbound(context);
}

static void on_undone(struct workq_job *job, const struct error *err)
{
    struct tool_call *call = (struct tool_call *)job;

    call->staged.rows.unfinished = false;
    fail(call, err);
}

/* ---- the second stage, and the end ---- */

static void add_effect(struct staged_write *write, const struct error *refused)
{
    struct tool_call *call = (struct tool_call *)write;
    struct error err = {0};

    if (refused)
        err = *refused;
    else if (cancel_check(call->cancel, &err) == 0 && call->tool->then(call, &err) == 0)
        return;
    buf_addf(&call->text, "\n(The rest of this answer is left out: %s)", err.text);
}

static void end_call(struct staged_write *write)
{
    struct tool_call *call = (struct tool_call *)write;

    call->on_done(call);
}

static const struct staged_write_ops ops = {
    .area = "tool", .add_effect = add_effect, .done = end_call};

static void drop_result(struct tool_call *call)
{
    for (size_t i = 0; i < call->image_count; i++)
        free(call->images[i].base64);
    call->image_count = 0;
    json_decref(call->parts);
    json_decref(call->asks);
    call->parts = call->asks = NULL;
}

/* Drops all results of the call. */
static void start_over(struct tool_call *call)
{
    if (call->tool->forget)
        call->tool->forget(call);
    call->state = NULL;
    call->followup = false;
    call->staged.key = NULL;
    call->failure = (struct failure){0};
    drop_result(call);
    buf_clear(&call->text);
    buf_clear(&call->kept);
}

/* The next step of a large write. */
static int continue_write(struct tool_call *call, struct error *err)
{
    if (call->staged.rows.stage != LARGE_APPLY)
        start_over(call);
    return staged_write_next_step(&call->staged, err);
}

static void on_workq_done(struct workq_job *job)
{
    struct tool_call *call = (struct tool_call *)job;
    struct error err = {0};

    if (call->staged.rows.unfinished) {
        if (continue_write(call, &err) == 0)
            return;
        fail(call, &err);
    }
    if (call->followup && call->failure.category == FAILURE_NONE) {
        staged_write_add_effect(&call->staged);
        return;
    }
    call->on_done(call);
}

/* on_done never runs before tool_call_start has returned: what ends at once ends in a task of the
 * loop. */
static void run_completed(void *arg)
{
    struct tool_call *call = arg;

    call->on_done(call);
}

void tool_call_complete(struct tool_call *call)
{
    call->staged.job.task.run = run_completed;
    call->staged.job.task.arg = call;
    loop_queue_post(call->server->loop_queue, &call->staged.job.task);
}

static struct workq *workq_for(const struct tool_call *call)
{
    if (tool_call_tries(call))
        return call->server->store.trial;
    if (tool_call_writes(call))
        return call->server->store.sql;
    return call->tool->graphs ? call->server->store.graph : call->server->store.read;
}

/* Those that name no session mean the only one. */
static uint64_t key_of(const struct tool_call *call)
{
    const char *given = json_get_string(call->arguments, "session_id");

    return workq_key(given ? given : call->bound_session ? call->bound_session : "");
}

/* 1: it is done; 0: it must go to its work queue. */
static int run_briefly(struct tool_call *call, struct error *err)
{
    struct workq_thread *lender;
    struct store *store;
    void *context;
    int rc = 0, snapshot;

    if (!call->at_once || !call->tool->brief || call->before || tool_call_writes(call))
        return 0;
    lender = workq_borrow(workq_for(call), key_of(call), &context);
    if (!lender)
        return 0;
    store = context;
    call->briefly = true;
    snapshot = store_snapshot_begin(store, err); /* one for all that it reads */
    if (snapshot > 0) {
        rc = call->tool->run(call, store, err);
        store_snapshot_end(store);
    }
    call->briefly = false;
    workq_give_back(lender);
    if (rc < 0)
        fail(call, err);
    return snapshot > 0 && rc <= 0;
}

static int submit(struct tool_call *call, struct error *err)
{
    const struct store_queues *store = &call->server->store;

    call->staged.ops = &ops;
    call->staged.queues = (struct write_queues){store->sql, store->trial, store->graph};
    call->staged.answer = &call->text;
    call->staged.job.work = on_work;
    call->staged.job.done = on_workq_done;
    call->staged.job.undone = on_undone;
    call->staged.job.key = key_of(call);
    call->staged.job.large = call->tool->large && call->tool->large(call);
    call->staged.rows.makes_session = call->staged.job.large && call->tool->makes_session;
    return workq_submit(workq_for(call), &call->staged.job, err);
}

static void on_checked(struct tool_call *call)
{
    struct error err = {0};

    if (submit(call, &err) < 0) {
        fail(call, &err);
        call->on_done(call);
    }
}

static int check_and_submit(struct tool_call *call, struct error *err)
{
    call->staged.job.key = key_of(call);
    if (solution_check_concerns(call))
        return solution_check_start(call, idempotency_is_repeat, on_checked, err);
    return submit(call, err);
}

/* A call that cannot be tried cannot be done either: it is submitted, and reports why. */
static void on_trial(struct workq_job *job, void *context)
{
    struct error unused = {0};

    confirm_ask((struct tool_call *)job, context, &unused);
}

static void on_trial_done(struct workq_job *job)
{
    struct tool_call *call = (struct tool_call *)job;
    struct error err = {0};

    if (call->asks) {
        call->on_done(call);
    } else if (check_and_submit(call, &err) < 0) {
        fail(call, &err);
        call->on_done(call);
    }
}

static int submit_trial(struct tool_call *call, struct error *err)
{
    call->staged.job.work = on_trial;
    call->staged.job.done = on_trial_done;
    call->staged.job.undone = on_undone;
    call->staged.job.key = key_of(call);
    return workq_submit(call->server->store.trial, &call->staged.job, err);
}

static void dispatch(struct tool_call *call)
{
    struct error err = {0};
    int rc;

    if (confirm_take_answer(call, &err) < 0)
        rc = -1;
    else if (call->tool->start)
        rc = call->tool->start(call, &err);
    else
        rc = (tool_call_writes(call) && confirm_may_ask(call) ? submit_trial
                                                              : check_and_submit)(call, &err);
    if (rc < 0) {
        fail(call, &err);
        tool_call_complete(call);
    }
}

void tool_call_start(struct tool_call *call)
{
    struct error err = {0};

    buf_init(&call->text, TOOL_ANSWER_CAP);
    buf_init(&call->kept, TOOL_STATE_CAP);
    if (tool_call_check_scope(call, &err) < 0 || dry_run_take(call, &err) < 0 ||
        arguments_take(call, &err) < 0) {
        fail(call, &err);
        tool_call_complete(call);
        return;
    }
    if (run_briefly(call, &err))
        call->on_done(call);
    else
        dispatch(call);
}

void tool_call_again(struct tool_call *call)
{
    start_over(call);
    dispatch(call);
}

void tool_call_notify(struct tool_call *call, const struct tool_note *note)
{
    if (call->notify)
        call->notify(call, note);
}

void tool_call_cancel(struct tool_call *call)
{
    cancel_fire(call->cancel);
    solution_check_cancel(call);
    if (call->tool->stop)
        call->tool->stop(call);
}

void tool_call_finish(struct tool_call *call)
{
    if (call->tool && call->tool->forget)
        call->tool->forget(call);
    solution_check_free(call->solutions);
    json_decref(call->arguments);
    json_decref(call->idempotency_key);
    json_decref(call->answers);
    cancel_unref(call->cancel);
    buf_finish(&call->text);
    buf_finish(&call->kept);
    large_write_finish(&call->staged.rows);
    drop_result(call);
}
