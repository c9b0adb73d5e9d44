/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run from its beginning to its end. Each step is left by what it waits for: a task, a save, the
 * read work queue, the model, tools. A cancel ends that wait, and where the wait is short and
 * cannot be ended (a save, a read), it is noticed behind it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/log.h"
#include "mcp/chat/prompt.h"
#include "mcp/chat/run_internal.h"
#include "mcp/store/store_thread.h"

#define FAILED "Not done: the answer broke off before it."

static const struct {
    const char *note, *call; /* for who reads it later, and for the model of a call not made */
} stops[RUN_STOPS] = {
    [RUN_STOP_EDITOR] = {"The editor stopped this answer.",
                         "Not done: the editor stopped this answer."},
    [RUN_STOP_PAGE_LEFT] = {"The page that had asked was closed or lost its connection, so this "
                            "answer was stopped. Ask on to have the rest.",
                            "Not done: the editor's page was gone by then."},
    [RUN_STOP_SERVER] = {"The server was stopped in the midst of this answer. Ask on when it is "
                         "back.",
                         "Not done: the server was stopped before it."},
};

/* ---- the end ---- */

void run_free(struct chat_run *run)
{
    run_calls_free(run);
    run_events_forget(run);
    json_decref(run->messages);
    json_decref(run->answers);
    buf_finish(&run->system);
    free(run->where);
    free(run->run_id);
    free(run->who);
    free(run);
}

static void tell_end(struct chat_run *run, enum run_outcome outcome, const struct error *err,
                     bool unsaved)
{
    run->over = true;
    run->thread->in_use = false;
    if (outcome == RUN_FAILED)
        log_warning("chat", "run %s failed: %s", run->run_id ? run->run_id : "", err->text);
    run_tell(run, &(struct run_event){
                      .kind = RUN_ENDED,
                      .outcome = outcome,
                      .usage = &run->usage,
                      .interrupts = outcome == RUN_INTERRUPTED ? run->thread->interrupts : NULL,
                      .err = outcome == RUN_FAILED ? err : NULL,
                      .unsaved = unsaved,
                  });
    run_free(run);
}

void run_finish(struct chat_run *run, enum run_outcome outcome, const struct error *err)
{
    tell_end(run, outcome, err, false);
}

static void on_last_saved(struct chat_run *run)
{
    struct error err = run->outcome_error;

    run_finish(run, run->outcome, &err);
}

static void end_saved(struct chat_run *run, enum run_outcome outcome)
{
    run_note_usage(run);
    run->ending = true;
    run->outcome = outcome;
    run_save(run, on_last_saved);
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

static void tell_limit(struct chat_run *run, const char *name, const char *id, const char *text)
{
    run_tell(run,
             &(struct run_event){
                 .kind = RUN_LIMIT, .id = id, .name = name, .text = text, .len = strlen(text)});
}

/* What cannot be noted any more is told all the same. */
static void close_thread(struct chat_run *run, const char *why, const char *kind, const char *text)
{
    struct error err = {0};

    if (json_array_size(run->thread->interrupts) > 0) /* nobody is to answer them any more */
        thread_set_interrupts(run->thread, json_array());
    if (answer_open(run, why, &err) < 0 || run_note(run, kind, text, NULL, NULL, &err) < 0)
        log_warning("chat", "the end of a run is not in its thread: %s", err.text);
}

void run_fail(struct chat_run *run, const struct error *err)
{
    run->outcome_error = *err;
    close_thread(run, FAILED, "error", err->text);
    end_saved(run, RUN_FAILED);
}

void run_stop(struct chat_run *run)
{
    if (run->failure.kind != ERROR_NONE) {
        run_fail(run, &run->failure);
        return;
    }
    close_thread(run, stops[run->stopped_by].call, "stopped", stops[run->stopped_by].note);
    if (run->stopped_by == RUN_STOP_SERVER)
        tell_limit(run, "stopped", NULL, stops[RUN_STOP_SERVER].note);
    end_saved(run, RUN_CANCELLED);
}

void run_succeed(struct chat_run *run)
{
    struct error err = {0};

    if (run->stuck && !run->worked) {
        error_set(&err, ERROR_CODE_FAILED,
                  "No result: every attempt at code for this question failed, and no other tool "
                  "gave an answer after it.");
        run_fail(run, &err);
        return;
    }
    end_saved(run, RUN_SUCCEEDED);
}

/* ---- saving ---- */

static void on_saved(void *user, const struct error *err)
{
    struct chat_run *run = user;

    if (err) {
        tell_end(run, RUN_FAILED, err, true);
    } else if (run->cancelled && !run->ending) {
        run_stop(run);
    } else {
        run->saved(run);
    }
}

void run_save(struct chat_run *run, void (*saved)(struct chat_run *run))
{
    struct error err = {0};

    run->state = RUN_STATE_SAVING;
    run->saved = saved;
    if (thread_save(run->server, run->thread, on_saved, run, &err) < 0)
        on_saved(run, &err);
}

/* ---- notes ---- */

int run_note(struct chat_run *run, const char *kind, const char *text, json_t *more,
             char id[UUID_TEXT_SIZE], struct error *err)
{
    json_auto_t *held = more;
    char own[UUID_TEXT_SIZE];
    json_t *note;

    if (text_uuid(own, err) < 0)
        return -1;
    note = json_pack("{s:s, s:s, s:[], s:{s:s, s:s}}", "id", own, "role", "note", "content",
                     "shown", "kind", kind, "text", text);
    if (!note || (held && json_object_update(json_object_get(note, "shown"), held) < 0)) {
        json_decref(note);
        return error_set(err, ERROR_MEMORY, "out of memory for a note");
    }
    if (id)
        memcpy(id, own, sizeof own);
    return thread_add(run->thread, note, err);
}

void run_note_usage(struct chat_run *run)
{
    char id[UUID_TEXT_SIZE];
    struct error err = {0};
    json_t *note = NULL;

    if (run->usage.requests == 0)
        return;
    if (text_uuid(id, &err) == 0)
        note = json_pack("{s:s, s:s, s:[], s:{s:s, s:o}}", "id", id, "role", "note", "content",
                         "shown", "kind", "usage", "usage", run_usage_json(&run->usage));
    if (!note || thread_add(run->thread, note, &err) < 0)
        log_warning("chat", "what run %s has cost is not kept: %s", run->run_id,
                    *err.text ? err.text : "out of memory");
}

int run_limit(struct chat_run *run, const char *name, json_t *more, struct error *err,
              const char *format, ...)
{
    char text[ERROR_TEXT_CAP], id[UUID_TEXT_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (run_note(run, name, text, more, id, err) < 0)
        return -1;
    tell_limit(run, name, id, text);
    return 0;
}

/* ---- the beginning ---- */

static struct chat_run *run_of(struct workq_job *job)
{
    return (struct chat_run *)((char *)job - offsetof(struct chat_run, reading));
}

static void read_session(struct workq_job *job, void *context)
{
    struct chat_run *run = run_of(job);
    struct error err = {0};

    if (store_session(context, run->thread->session_id, run->title, sizeof run->title, NULL,
                      &run->read_error) < 0)
        return;
    if (store_content_bytes(context, run->thread->session_id, &run->bytes, &err) < 0)
        log_warning("chat", "what the whole curriculum would have cost is not known: %s", err.text);
}

static void on_read(struct workq_job *job)
{
    struct chat_run *run = run_of(job);

    run->usage.whole_curriculum = run->bytes / RUN_BYTES_PER_TOKEN;
    if (run->cancelled) {
        run_stop(run);
    } else if (run->read_error.kind != ERROR_NONE) {
        run_fail(run, &run->read_error);
    } else {
        prompt_write(run->server, run->title, &run->system);
        if (run->answers)
            run_calls_resume(run);
        else
            run_turn(run);
    }
}

static void read_on(struct chat_run *run)
{
    struct error err = {0};

    run->state = RUN_STATE_READING;
    run->reading.work = read_session;
    run->reading.done = on_read;
    run->reading.key = workq_key(run->thread->session_id);
    if (workq_submit(run->server->read, &run->reading, &err) < 0)
        run_fail(run, &err);
}

static void on_begin(void *arg)
{
    struct chat_run *run = arg;
    struct error err = {0};

    run_tell(run, &(struct run_event){.kind = RUN_BEGAN});
    if (run_take_request(run, &err) < 0)
        run_fail(run, &err);
    else
        run_save(run, read_on);
}

void run_begin_soon(struct chat_run *run)
{
    run->begin.run = on_begin;
    run->begin.arg = run;
    loop_queue_post(run->server->loop_queue, &run->begin);
}

/* ---- cancelling ---- */

void run_cancel(struct chat_run *run, enum run_stop by)
{
    if (run->cancelled || run->over)
        return;
    run->cancelled = true;
    run->stopped_by = by;
    if (run->state == RUN_STATE_ASKING && run->asked)
        model_call_cancel(run->asked);
    else if (run->state == RUN_STATE_CALLING)
        run_calls_cancel(run);
}
