/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The states of a run. Each step is a function that returns the next state and calls no other step;
 * run_step goes from step to step until one has to wait. What it waits for (a save, a read, the
 * model, tools) ends in a callback that sets the next state and goes on.
 *
 * A cancel ends the wait for the model and for tools. A save or a read is short and cannot be
 * ended: there it is noticed after it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "helpers/base/utf8.h"
#include "mcp/chat/approval.h"
#include "mcp/chat/prompt.h"
#include "mcp/chat/run_internal.h"
#include "mcp/store/store.h"

#define QUOTE_MAX 1000 /* bytes shown of what a service says of a refusal */

/* What a model reads of a text takes about one token for four bytes of English JSON. */
#define BYTES_PER_TOKEN 4

static const char not_meant[] = "Not done: the answer did not end with this call.";

static const struct {
    const char *note, *call; /* for who reads it later, and for the model of a call not made */
} stops[RUN_STOPS] = {
    [RUN_STOP_EDITOR] = {"The editor stopped this answer.",
                         "Not done: the editor stopped this answer."},
    [RUN_STOP_PAGE_LEFT] = {"The page that asked was closed or lost its connection, so this answer "
                            "was stopped. Ask for the rest to continue.",
                            "Not done: the editor's page was gone by then."},
    [RUN_STOP_SERVER] = {"The server was stopped during this answer. Ask again when it is back.",
                         "Not done: the server was stopped before it."},
};

static void run_step(struct chat_run *run);

/* What was waited for is there. */
static void go_on(struct chat_run *run, enum run_state state)
{
    run->state = state;
    if (!run->stepping)
        run_step(run);
}

/* ---- saving and ending ---- */

static enum run_state fail(struct chat_run *run, const struct error *err)
{
    run->outcome_error = *err;
    return RUN_STATE_FAIL;
}

static enum run_state saved(struct chat_run *run, const struct error *err)
{
    if (err) {
        run->unsaved = true;
        run->outcome = RUN_FAILED;
        run->outcome_error = *err;
        return RUN_STATE_END;
    }
    return run->cancelled && !run->ending ? RUN_STATE_STOP : run->after_save;
}

static void on_saved(void *user, const struct error *err)
{
    go_on(user, saved(user, err));
}

/* Makes durable what the thread has; then comes next. */
static enum run_state save(struct chat_run *run, enum run_state next)
{
    struct error err = {0};

    run->after_save = next;
    if (thread_save(&run->server->store, run->thread, on_saved, run, &err) < 0)
        return saved(run, &err);
    return RUN_STATE_SAVING;
}

static enum run_state end_saved(struct chat_run *run, enum run_outcome outcome)
{
    run_note_usage(run);
    run->ending = true;
    run->outcome = outcome;
    return save(run, RUN_STATE_END);
}

/* The calls that the newest assistant message still has open are answered so. */
static int answer_open(struct chat_run *run, const char *why, struct error *err)
{
    int rc = 0;

    if (!run->calls)
        rc = run_calls_load(run, err);
    if (rc == 0 && run->call_count > 0) {
        rc = run_calls_refuse(run, why, failure_category_name(FAILURE_CANCELLED), err);
        if (rc == 0)
            rc = run_calls_keep(run, err);
    }
    run_calls_free(run);
    return rc;
}

/* What cannot be noted any more is reported all the same. */
static void close_thread(struct chat_run *run, const char *why, const char *kind, const char *text)
{
    struct error err = {0};

    if (json_array_size(run->thread->interrupts) > 0) /* nobody is to answer them any more */
        thread_set_interrupts(run->thread, json_array());
    if (answer_open(run, why, &err) < 0 || run_note(run, kind, text, NULL, NULL, &err) < 0)
        log_warning("chat", "the end of a run is not in its thread: %s", err.text);
}

static enum run_state end_failed(struct chat_run *run)
{
    close_thread(run, "Not done: the answer broke off before it.", "error",
                 run->outcome_error.text);
    return end_saved(run, RUN_FAILED);
}

static enum run_state stop(struct chat_run *run)
{
    if (run->failure.kind != ERROR_NONE)
        return fail(run, &run->failure);
    close_thread(run, stops[run->stopped_by].call, "stopped", stops[run->stopped_by].note);
    if (run->stopped_by == RUN_STOP_SERVER)
        run_tell_limit(run, "stopped", NULL, stops[RUN_STOP_SERVER].note);
    return end_saved(run, RUN_CANCELLED);
}

/* As failed where all that was tried was code that failed. */
static enum run_state succeed(struct chat_run *run)
{
    struct error err = {0};

    if (!run->stuck || run->worked)
        return end_saved(run, RUN_SUCCEEDED);
    error_set(&err, ERROR_ATTEMPTS_FAILED,
              "No result: every attempt at code for this question failed, and no other tool gave "
              "an answer after it.");
    return fail(run, &err);
}

static void free_call(struct model_call *call)
{
    if (!call)
        return;
    model_call_finish(call);
    free(call);
}

static void free_run(struct chat_run *run)
{
    run_calls_free(run);
    run_events_forget(run);
    free_call(run->answered);
    json_decref(run->messages);
    json_decref(run->answers);
    buf_finish(&run->system);
    free(run->where);
    free(run->run_id);
    free(run->who);
    free(run);
}

static void end(struct chat_run *run)
{
    bool failed = run->outcome == RUN_FAILED;

    run->over = true;
    run->thread->in_use = false;
    if (failed)
        log_warning("chat", "run %s failed: %s", run->run_id ? run->run_id : "",
                    run->outcome_error.text);
    run_tell(run,
             &(struct run_event){
                 .kind = RUN_ENDED,
                 .outcome = run->outcome,
                 .usage = &run->usage,
                 .interrupts = run->outcome == RUN_INTERRUPTED ? run->thread->interrupts : NULL,
                 .err = failed ? &run->outcome_error : NULL,
                 .unsaved = run->unsaved,
             });
    free_run(run);
}

/* ---- the beginning ---- */

static enum run_state take_request(struct chat_run *run)
{
    struct error err = {0};

    run_tell(run, &(struct run_event){.kind = RUN_BEGAN});
    if (run_request_take(run, &err) < 0)
        return fail(run, &err);
    return save(run, RUN_STATE_READ);
}

static struct chat_run *run_of(struct workq_job *job)
{
    return (struct chat_run *)((char *)job - offsetof(struct chat_run, reading));
}

static void read_work(struct workq_job *job, void *context)
{
    struct chat_run *run = run_of(job);
    struct error err = {0};

    if (store_session(context, run->thread->session_id, run->title, sizeof run->title, NULL,
                      &run->read_error) < 0)
        return;
    if (store_content_bytes(context, run->thread->session_id, &run->bytes, &err) < 0)
        log_warning("chat", "the size of the curriculum is unknown: %s", err.text);
}

static void on_read(struct workq_job *job)
{
    struct chat_run *run = run_of(job);

    run->usage.whole_curriculum = run->bytes / BYTES_PER_TOKEN;
    go_on(run, RUN_STATE_PROMPT);
}

static enum run_state read_session(struct chat_run *run)
{
    struct error err = {0};

    run->reading.work = read_work;
    run->reading.done = on_read;
    run->reading.key = workq_key(run->thread->session_id);
    if (workq_submit(run->server->store.read, &run->reading, &err) < 0)
        return fail(run, &err);
    return RUN_STATE_READING;
}

static enum run_state write_prompt(struct chat_run *run)
{
    if (run->read_error.kind != ERROR_NONE)
        return fail(run, &run->read_error);
    prompt_write(&run->server->analyses, run->title, &run->system);
    if (!run->answers)
        return RUN_STATE_ASK;
    run_approvals_resume(run);
    return RUN_STATE_CALL;
}

/* ---- asking the model ---- */

static void on_wait(struct model_call *call, unsigned attempt, unsigned wait_ms, const char *why)
{
    run_tell(call->user, &(struct run_event){.kind = RUN_WAITING,
                                             .number = attempt,
                                             .milliseconds = wait_ms,
                                             .text = why,
                                             .len = strlen(why)});
}

static void on_answered(struct model_call *call)
{
    struct chat_run *run = call->user;

    run->asked = NULL;
    run->answered = call;
    go_on(run, RUN_STATE_ANSWERED);
}

/* 0, or -1: ERROR_TOO_LARGE where the history is. */
static int send_request(struct chat_run *run, struct error *err)
{
    struct model_call *call = calloc(1, sizeof *call);
    json_auto_t *messages = thread_for_model(run->thread);

    if (!call || !messages) {
        free(call);
        return error_set(err, ERROR_MEMORY, "out of memory for a request to the model");
    }
    buf_init(&call->body, MODEL_BODY_CAP);
    prompt_request(&run->server->analyses, model_name(run->model),
                   run->system.data ? run->system.data : "", messages, RUN_MAX_TOKENS, run->last,
                   &call->body);
    call->listener = run_model_listener;
    call->on_wait = on_wait;
    call->on_done = on_answered;
    call->user = run;
    if (buf_check(&call->body, "the conversation", err) < 0 ||
        model_call_start(run->model, call, err) < 0) {
        free_call(call);
        return -1;
    }
    model_call_hold(call, run->held);
    run->asked = call;
    return 0;
}

static int check_bounds(struct chat_run *run, struct error *err)
{
    if (run->last)
        return 0;
    if (run->turn >= RUN_TURNS_MAX) {
        run->last = true;
        return run_limit(run, "turns", NULL, err,
                         "Reached the limit of %u model requests for one question: asking for a "
                         "summary without further tool calls.",
                         RUN_TURNS_MAX);
    }
    if (model_usage_input(&run->usage.tokens) >= RUN_INPUT_TOKENS_MAX) {
        run->last = true;
        return run_limit(run, "tokens", NULL, err,
                         "The model has read %" PRId64 " tokens for this question; the limit is "
                         "%d: asking for a summary without further tool calls.",
                         model_usage_input(&run->usage.tokens), RUN_INPUT_TOKENS_MAX);
    }
    return 0;
}

/* From here on the older half of what is sent is left out; that is reported, noted and saved before
 * the next request. 1; 0 where the newest question is alone, or was cut often enough; or -1. */
static int shorten(struct chat_run *run, struct error *err)
{
    size_t skip = run->shortened < RUN_SHORTENED_MAX ? thread_shorter(run->thread) : 0;

    if (skip == 0)
        return 0;
    run->shortened++;
    return run_limit(run, "context", json_pack("{s:I}", "skip", (json_int_t)skip), err,
                     "The conversation is longer than the model's context: the first %zu "
                     "question%s left out from here on.",
                     skip, skip == 1 ? " is" : "s are") < 0
               ? -1
               : 1;
}

static enum run_state too_large(struct chat_run *run, const struct error *why)
{
    struct error err = {0};
    int shorter = shorten(run, &err);

    return shorter > 0 ? save(run, RUN_STATE_ASK) : fail(run, shorter == 0 ? why : &err);
}

static enum run_state ask(struct chat_run *run)
{
    struct error err = {0};

    run->turn++;
    run_events_forget(run);
    if (check_bounds(run, &err) < 0 || text_uuid(run->message_id, &err) < 0)
        return fail(run, &err);
    run_tell(run, &(struct run_event){.kind = RUN_TURN_BEGAN, .number = run->turn});
    if (run->cancelled) /* by the listener */
        return RUN_STATE_STOP;
    if (send_request(run, &err) == 0)
        return RUN_STATE_ASKING;
    run_tell(run, &(struct run_event){
                      .kind = RUN_TURN_ENDED, .number = run->turn, .usage = &run->usage});
    return err.kind == ERROR_TOO_LARGE ? too_large(run, &err) : fail(run, &err);
}

/* ---- the answer in the thread ---- */

/* A text of ours in place of an answer, or behind it, as a note of that kind; takes over more, for
 * the note, or NULL. */
static enum run_state end_with_text(struct chat_run *run, const char *kind, const char *text,
                                    json_t *more)
{
    char id[UUID_TEXT_SIZE];
    struct error err = {0};

    if (run_note(run, kind, text, more, id, &err) < 0)
        return fail(run, &err);
    run_tell_text(run, id, text);
    return RUN_STATE_SUCCEED;
}

/* It ended as an answer ends. Some services say end_turn where calls are to be answered. */
static enum run_state take_whole(struct chat_run *run, json_t *content, json_t *broken,
                                 enum model_stop why)
{
    bool calls = thread_has_block(content, "tool_use"), empty = run_is_empty(content);
    struct error err = {0};

    if (empty)
        json_array_clear(content);
    run_events_drop(run, content, run_call_not_whole);
    if (run_add_answer(run, content, broken, &err) < 0)
        return fail(run, &err);
    if (calls)
        return save(run, RUN_STATE_LOAD);
    if (why == MODEL_STOP_PAUSE_TURN && !run->last)
        return save(run, RUN_STATE_ASK);
    if (!empty)
        return RUN_STATE_SUCCEED;
    return end_with_text(run, "empty",
                         run->turn > 1 ? "The model gave no answer after the results of its tools. "
                                         "Ask it to sum up, or to continue."
                                       : "The model gave no answer. Ask again, or in other words.",
                         NULL);
}

static enum run_state take_cut(struct chat_run *run, json_t *content)
{
    struct error err = {0};

    if (run_add_without_calls(run, content, run_call_not_whole, &err) < 0 ||
        run_limit(run, "output", NULL, &err,
                  "The answer was cut at %u tokens, the limit of one answer. Ask for the rest, or "
                  "for less.",
                  RUN_MAX_TOKENS) < 0)
        return fail(run, &err);
    return RUN_STATE_SUCCEED;
}

/* The same question would be refused again, so it is left out of later requests. */
static enum run_state take_refusal(struct chat_run *run, json_t *content, const json_t *details)
{
    const char *why = json_get_string(details, "explanation");
    const char *category = json_get_string(details, "category");
    struct buf BUF_AUTO text = {0};
    struct error err = {0};

    buf_adds(&text, "The model declined to answer this");
    if (category && *category)
        buf_addf(&text, " (%.*s)", utf8_shown(category, QUOTE_MAX), category);
    if (why && *why)
        buf_addf(&text, ": %.*s", utf8_shown(why, QUOTE_MAX), why);
    buf_adds(&text, "\nAsk in another way; the same question would be declined again, and is no "
                    "longer sent to the model.");
    if (run_add_without_calls(run, content, not_meant, &err) < 0)
        return fail(run, &err);
    return end_with_text(run, "refusal", text.data ? text.data : "The model declined this.",
                         json_pack("{s:s*}", "from", run_first_question(run)));
}

/* What was said so far would answer a question that is asked once more: it is dropped. */
static enum run_state take_context_end(struct chat_run *run, json_t *content)
{
    struct error err = {0};
    int shorter = shorten(run, &err);

    if (shorter == 0) {
        if (run_add_without_calls(run, content, run_call_not_whole, &err) < 0 ||
            run_limit(run, "context", NULL, &err,
                      "The conversation has reached the limit of the model's context, and the "
                      "answer was cut. Begin a new thread.") < 0)
            return fail(run, &err);
        return RUN_STATE_SUCCEED;
    }
    json_decref(content);
    run_events_drop(run, NULL, run_call_not_whole);
    return shorter < 0 ? fail(run, &err) : save(run, RUN_STATE_ASK);
}

static enum run_state take_message(struct chat_run *run, const struct model_message *message)
{
    json_auto_t *broken = json_array();
    json_t *content = model_message_content(message, false, broken);
    struct error err = {0};

    if (!content) {
        error_set(&err, ERROR_INTERNAL, "The model's answer ended before it was complete.");
        return fail(run, &err);
    }
    switch (message->stop) {
    case MODEL_STOP_END_TURN:
    case MODEL_STOP_SEQUENCE:
    case MODEL_STOP_TOOL_USE:
    case MODEL_STOP_PAUSE_TURN:
        return take_whole(run, content, broken, message->stop);
    case MODEL_STOP_MAX_TOKENS:
        return take_cut(run, content);
    case MODEL_STOP_REFUSAL:
        return take_refusal(run, content, message->stop_details);
    case MODEL_STOP_CONTEXT_WINDOW:
        return take_context_end(run, content);
    case MODEL_STOP_UNKNOWN:
        break;
    }
    log_warning("chat", "an answer of %s ended for an unknown reason", message->model);
    if (run_add_without_calls(run, content, not_meant, &err) < 0)
        return fail(run, &err);
    return end_with_text(run, "error",
                         "The model's service ended this answer for an unknown reason.", NULL);
}

static enum run_state take_answer(struct chat_run *run)
{
    struct model_call *call = run->answered;
    enum run_state next;

    run_events_close(run);
    run->usage.requests++;
    model_usage_add(&run->usage.tokens, &call->message.usage);
    run_tell(run, &(struct run_event){
                      .kind = RUN_TURN_ENDED, .number = run->turn, .usage = &run->usage});
    if (run->cancelled || call->err.kind == ERROR_CANCELLED) {
        run_add_partial(run, &call->message);
        next = RUN_STATE_STOP;
    } else if (call->err.kind == ERROR_TOO_LARGE && !call->message.began) {
        next = too_large(run, &call->err);
    } else if (call->err.kind != ERROR_NONE) {
        run_add_partial(run, &call->message);
        next = fail(run, &call->err);
    } else {
        next = take_message(run, &call->message);
    }
    free_call(call);
    run->answered = NULL;
    return next;
}

/* ---- approvals ---- */

static enum run_state load_calls(struct chat_run *run)
{
    struct error err = {0};

    if (run_calls_load(run, &err) < 0)
        return fail(run, &err);
    return run->last ? RUN_STATE_CALL : RUN_STATE_APPROVE;
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
        go_on(run, RUN_STATE_LOOKED);
}

static void look_at(struct run_call *call)
{
    struct chat_run *run = call->run;
    struct error err = {0};

    call->state = RUN_CALL_LOOKED_AT;
    run->under_way++;
    if (approval_describe(&run->server->store, run->thread->session_id, run->who, call->id,
                          call->tool, run_call_input(call), run_approval_attempt(call),
                          on_looked_at, call, &err) < 0)
        on_looked_at(call, NULL, &err);
}

static enum run_state look_at_calls(struct chat_run *run)
{
    json_decref(run->answers); /* they were to the turn before */
    run->answers = NULL;
    if (run->approvals == APPROVALS_NONE_ASKED)
        run_approvals_refuse(run);
    for (size_t i = 0; i < run->call_count; i++) {
        if (run_approval_needed(&run->calls[i]))
            look_at(&run->calls[i]);
    }
    return run->under_way > 0 ? RUN_STATE_LOOKING : RUN_STATE_LOOKED;
}

/* Runs the turn, or ends with the interrupts. */
static enum run_state interrupt(struct chat_run *run)
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
        return fail(run, &err);
    }
    thread_set_interrupts(run->thread, interrupts);
    run_calls_free(run);
    run_note_usage(run);
    run->outcome = RUN_INTERRUPTED;
    return save(run, RUN_STATE_END);
}

/* ---- calling tools ---- */

static void on_call_done(struct tool_call *tool_call)
{
    struct run_call *call = tool_call->user;
    struct chat_run *run = call->run;
    struct error err = {0};

    run->under_way--;
    call->state = RUN_CALL_LOST;
    if (run_call_result(call, &err) < 0) {
        run->failure = err;
        run_cancel(run, RUN_STOP_EDITOR); /* the failure says why */
    }
    go_on(run, RUN_STATE_CALL);
}

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
        made->before = run_approval_check;
    return 0;
}

static void start(struct run_call *call)
{
    struct chat_run *run = call->run;

    run_tell(run,
             &(struct run_event){.kind = RUN_CALL_STARTED, .id = call->id, .name = call->name});
    if (run->cancelled) /* by the listener */
        return;
    call->made = true;
    call->state = RUN_CALL_RUNS;
    run->under_way++;
    run->editing = writes(call);
    uv_update_time(run->server->loop);
    call->started_ms = uv_now(run->server->loop);
    if (call->tool->progress)
        run_progress_begin(run);
    tool_call_start(&call->call);
}

/* 1: it is under way or answered; 0: it has to wait. Calls that read run side by side; one that
 * edits waits for all before it, and those after it wait for it, so that each sees what the model
 * thinks it sees. */
static int start_one(struct run_call *call, struct error *err)
{
    struct chat_run *run = call->run;

    if (call->state != RUN_CALL_WAITS)
        return 1;
    if (call->refusal.len > 0)
        return run_call_result(call, err) < 0 ? -1 : 1;
    if (!call->call.cancel && prepare(call, err) < 0)
        return -1;
    if (run->under_way > 0 && (run->editing || writes(call)))
        return 0;
    start(call);
    return 1;
}

static enum run_state call_tools(struct chat_run *run)
{
    struct error err = {0};
    int rc = 1;

    while (run->next < run->call_count && !run->cancelled && rc == 1) {
        rc = start_one(&run->calls[run->next], &err);
        run->next += rc == 1;
    }
    if (rc < 0) { /* those under way are waited for */
        run->failure = err;
        run_cancel(run, RUN_STOP_EDITOR); /* the failure says why */
    }
    if (run->under_way == 0 && (run->cancelled || run->next == run->call_count))
        return RUN_STATE_END_TURN;
    return RUN_STATE_CALLING;
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

/* The limits that this turn has reached, after its results. */
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

/* The model was asked to sum up, and called tools, which are refused in the thread by now. */
static enum run_state end_last_turn(struct chat_run *run)
{
    const json_t *messages = run->thread->messages, *message = NULL;
    const char *role = "";

    for (size_t i = json_array_size(messages); i > 0 && strcmp(role, "assistant") != 0; i--) {
        message = json_array_get(messages, i - 1);
        role = json_get_string(message, "role");
    }
    if (run_has_words(json_object_get(message, "content")))
        return RUN_STATE_SUCCEED;
    return end_with_text(run, "empty",
                         "The model called tools again instead of summing up, and none was run. "
                         "Ask it to sum up, or to continue.",
                         NULL);
}

static enum run_state end_turn(struct chat_run *run)
{
    bool was_last = run->last;
    size_t count = run->call_count;
    struct error err = {0};

    run_progress_end(run);
    if (run->cancelled)
        return RUN_STATE_STOP;
    if (count > 0 && run_calls_keep(run, &err) < 0)
        return fail(run, &err);
    count_attempts(run);
    run_calls_free(run);
    if (was_last)
        return end_last_turn(run);
    if (note_bounds(run, count, &err) < 0)
        return fail(run, &err);
    return save(run, RUN_STATE_ASK);
}

/* ---- the machine ---- */

/* Where a cancel counts before the step; the others have something to do first. */
static bool can_stop(enum run_state state)
{
    return state == RUN_STATE_PROMPT || state == RUN_STATE_ASK || state == RUN_STATE_LOAD ||
           state == RUN_STATE_LOOKED;
}

static void run_step(struct chat_run *run)
{
    enum run_state next = run->state;

    run->stepping = true;
    while (next < RUN_STATE_BEGINNING) {
        run->state = run->cancelled && can_stop(next) ? RUN_STATE_STOP : next;
        switch (run->state) {
        case RUN_STATE_TAKE:
            next = take_request(run);
            break;
        case RUN_STATE_READ:
            next = read_session(run);
            break;
        case RUN_STATE_PROMPT:
            next = write_prompt(run);
            break;
        case RUN_STATE_ASK:
            next = ask(run);
            break;
        case RUN_STATE_ANSWERED:
            next = take_answer(run);
            break;
        case RUN_STATE_LOAD:
            next = load_calls(run);
            break;
        case RUN_STATE_APPROVE:
            next = look_at_calls(run);
            break;
        case RUN_STATE_LOOKED:
            next = interrupt(run);
            break;
        case RUN_STATE_CALL:
            next = call_tools(run);
            break;
        case RUN_STATE_END_TURN:
            next = end_turn(run);
            break;
        case RUN_STATE_STOP:
            next = stop(run);
            break;
        case RUN_STATE_FAIL:
            next = end_failed(run);
            break;
        case RUN_STATE_SUCCEED:
            next = succeed(run);
            break;
        case RUN_STATE_END:
        default:
            end(run);
            return;
        }
    }
    run->state = next;
    run->stepping = false;
}

static void on_begin(void *arg)
{
    go_on(arg, RUN_STATE_TAKE);
}

struct chat_run *run_start(struct server *server, struct model *model,
                           const struct run_request *request, struct run_listener *listener,
                           struct error *err)
{
    struct chat_run *run = calloc(1, sizeof *run);

    if (!run) {
        error_set(err, ERROR_MEMORY, "out of memory for a run");
        return NULL;
    }
    run->server = server;
    run->model = model;
    run->thread = request->thread;
    run->listener = listener;
    run->approvals = request->approvals;
    if (run_request_keep(run, request, err) < 0) {
        free_run(run);
        return NULL;
    }
    run->thread->in_use = true;
    run->state = RUN_STATE_BEGINNING;
    run->begin.run = on_begin;
    run->begin.arg = run;
    loop_queue_post(server->loop_queue, &run->begin);
    return run;
}

void run_cancel(struct chat_run *run, enum run_stop by)
{
    if (run->cancelled || run->over)
        return;
    run->cancelled = true;
    run->stopped_by = by;
    if (run->asked)
        model_call_cancel(run->asked);
    for (size_t i = 0; i < run->call_count; i++) {
        if (run->calls[i].state == RUN_CALL_RUNS)
            tool_call_cancel(&run->calls[i].call);
    }
}

void run_hold(struct chat_run *run, bool hold)
{
    run->held = hold;
    if (run->asked)
        model_call_hold(run->asked, hold);
}
