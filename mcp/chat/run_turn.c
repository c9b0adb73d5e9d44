/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One request to the model: the history out, the answer in. What it says and why it ended is for
 * run_stop_reason.c.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/chat/prompt.h"
#include "mcp/chat/run_internal.h"

/* ---- asking ---- */

static void on_wait(struct model_call *call, unsigned attempt, unsigned wait_ms, const char *why)
{
    run_tell(call->user, &(struct run_event){.kind = RUN_WAITING,
                                             .number = attempt,
                                             .milliseconds = wait_ms,
                                             .text = why,
                                             .len = strlen(why)});
}

static void on_done(struct model_call *call);

static void free_call(struct model_call *call)
{
    model_call_finish(call);
    free(call);
}

static int send_call(struct chat_run *run, struct model_call *call, const json_t *messages,
                     struct error *err)
{
    buf_init(&call->body, MODEL_BODY_CAP);
    prompt_request(run->server, model_name(run->model), run->system.data ? run->system.data : "",
                   messages, RUN_MAX_TOKENS, run->last, &call->body);
    if (buf_check(&call->body, "the conversation", err) < 0)
        return -1;
    call->listener = run_model_listener;
    call->on_wait = on_wait;
    call->on_done = on_done;
    call->user = run;
    return model_call_start(run->model, call, err);
}

/* 0, or -1: ERROR_TOO_LARGE where the history is. */
static int ask(struct chat_run *run, struct error *err)
{
    struct model_call *call = calloc(1, sizeof *call);
    json_auto_t *messages = thread_for_model(run->thread);

    if (!call || !messages) {
        free(call);
        return error_set(err, ERROR_MEMORY, "out of memory for a request to the model");
    }
    if (send_call(run, call, messages, err) < 0) {
        free_call(call);
        return -1;
    }
    run->asked = call;
    return 0;
}

static int check_bounds(struct chat_run *run, struct error *err)
{
    if (run->last)
        return 0;
    if (run->turn >= RUN_TURNS_MAX) {
        run->last = true;
        return run_limit(
            run, "turns", NULL, err,
            "The model was asked %u times for this question, the most there may be: it "
            "is given no more tools, and is to sum up what it has found.",
            RUN_TURNS_MAX);
    }
    if (model_usage_input(&run->usage.tokens) >= RUN_INPUT_TOKENS_MAX) {
        run->last = true;
        return run_limit(run, "tokens", NULL, err,
                         "The model has read %" PRId64 " tokens for this question, and %d are the "
                         "most: it is given no more tools, and is to sum up what it has found.",
                         model_usage_input(&run->usage.tokens), RUN_INPUT_TOKENS_MAX);
    }
    return 0;
}

static void too_large(struct chat_run *run, const struct error *err);

void run_turn(struct chat_run *run)
{
    struct error err = {0};

    if (run->cancelled) {
        run_stop(run);
        return;
    }
    run->turn++;
    run_events_forget(run);
    if (check_bounds(run, &err) < 0 || text_uuid(run->message_id, &err) < 0) {
        run_fail(run, &err);
        return;
    }
    run_tell(run, &(struct run_event){.kind = RUN_TURN_BEGAN, .number = run->turn});
    if (run->cancelled) { /* by who was just told */
        run_stop(run);
        return;
    }
    run->state = RUN_STATE_ASKING;
    if (ask(run, &err) == 0)
        return;
    run_tell(run, &(struct run_event){
                      .kind = RUN_TURN_ENDED, .number = run->turn, .usage = &run->usage});
    if (err.kind == ERROR_TOO_LARGE)
        too_large(run, &err);
    else
        run_fail(run, &err);
}

/* ---- too long ---- */

static void too_large(struct chat_run *run, const struct error *err)
{
    struct error told = {0};
    int shorter = run_shorten(run, &told);

    if (shorter <= 0)
        run_fail(run, shorter == 0 ? err : &told);
    else
        run_save(run, run_turn);
}

/* ---- what came ---- */

static void on_done(struct model_call *call)
{
    struct chat_run *run = call->user;

    run->asked = NULL;
    run_events_close(run);
    run->usage.requests++;
    model_usage_add(&run->usage.tokens, &call->message.usage);
    run_tell(run, &(struct run_event){
                      .kind = RUN_TURN_ENDED, .number = run->turn, .usage = &run->usage});
    if (run->cancelled || call->err.kind == ERROR_CANCELLED) {
        run_take_partial(run, &call->message);
        run_stop(run);
    } else if (call->err.kind == ERROR_TOO_LARGE && !call->message.began) {
        too_large(run, &call->err);
    } else if (call->err.kind != ERROR_NONE) {
        run_take_partial(run, &call->message);
        run_fail(run, &call->err);
    } else {
        run_take_answer(run, &call->message);
    }
    free_call(call);
}
