/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The states of a run. Each step is a function that returns the next state and calls no other step;
 * run_step executes steps until one must wait. A wait (for a save, a read, the model, tools) ends
 * in a callback that sets the next state and continues.
 *
 * A cancel ends the wait for the model and for tools. A save or a read is short and cannot be
 * aborted: the cancel takes effect after it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "helpers/base/utf8.h"
#include "mcp/chat/prompt.h"
#include "mcp/chat/run_internal.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/store.h"

#define ID_SHOWN     80 /* bytes of a page's own id in an error */
#define AGAIN        "Asked again."
#define ERRORS_SHOWN 1500 /* bytes of the list of errors under a partial answer */

/* What a model reads of a text takes about one token for four bytes of English JSON. */
#define BYTES_PER_TOKEN 4

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

/* ---- saving and ending ---- */

static enum run_state end_saved(struct chat_run *run, enum run_outcome outcome)
{
    run_note_usage(run);
    run->ending = true;
    run->outcome = outcome;
    return run_save(run, RUN_STATE_END);
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

/* If the note cannot be added, the outcome is still reported. */
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
        return run_fail(run, &run->failure);
    close_thread(run, stops[run->stopped_by].call, "stopped", stops[run->stopped_by].note);
    if (run->stopped_by == RUN_STOP_SERVER)
        run_notify_limit(run, "stopped", NULL, stops[RUN_STOP_SERVER].note);
    return end_saved(run, RUN_CANCELLED);
}

/* For its reader, whatever the model says of the open points. */
static int note_partial(struct chat_run *run, struct error *err)
{
    struct buf BUF_AUTO errors = {0};
    const char *list;
    size_t len; /* without the last line end */

    attempts_write_errors(&run->attempts, &errors);
    list = errors.data ? errors.data : "";
    len = errors.len > 0 ? errors.len - 1 : 0;
    return run_limit(run, "partial", NULL, err,
                     "Partial answer: points are open, because the code for them failed.%s%.*s",
                     len > 0 ? "\n" : "", utf8_shown(list, len < ERRORS_SHOWN ? len : ERRORS_SHOWN),
                     list);
}

/* Code that fails does not make the answer wrong: the model may have found it in another way. The
 * question has failed when no attempt at code is left and nothing was computed or edited. */
static enum run_state succeed(struct chat_run *run)
{
    struct error err = {0};

    if (attempts_left(&run->attempts))
        return end_saved(run, RUN_SUCCEEDED);
    if (run->worked) {
        run->status = "partial";
        return note_partial(run, &err) < 0 ? run_fail(run, &err) : end_saved(run, RUN_SUCCEEDED);
    }
    error_set(&err, ERROR_ATTEMPTS_FAILED,
              "No result: every attempt at code for this question failed.");
    return run_fail(run, &err);
}

static void free_run(struct chat_run *run)
{
    run_calls_free(run);
    run_answer_forget(run);
    run_solve_free(run);
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
    run_notify(run,
               &(struct run_event){
                   .kind = RUN_ENDED,
                   .outcome = run->outcome,
                   .status = run->outcome == RUN_SUCCEEDED ? run->status : NULL,
                   .usage = &run->usage,
                   .models = run_solve_models(run),
                   .interrupts = run->outcome == RUN_INTERRUPTED ? run->thread->interrupts : NULL,
                   .err = failed ? &run->outcome_error : NULL,
                   .unsaved = run->unsaved,
               });
    free_run(run);
}

/* ---- the request ---- */

static size_t count_of(const json_t *interrupts, const char *id)
{
    const json_t *interrupt;
    size_t count = 0, i;

    json_array_foreach((json_t *)interrupts, i, interrupt)
    {
        const char *own = json_get_string(interrupt, "id");

        count += own && strcmp(own, id) == 0;
    }
    return count;
}

static int take_answer(struct chat_run *run, const struct run_answer *answer, struct error *err)
{
    const char *id = answer->interrupt_id ? answer->interrupt_id : "";
    json_t *kept;

    if (count_of(run->thread->interrupts, id) == 0)
        return error_set(err, ERROR_NOT_FOUND,
                         "no approval with the id '%.*s' is open: it was answered before, or is "
                         "another thread's. Load the thread again",
                         utf8_shown(id, ID_SHOWN), id);
    if (json_object_get(run->answers, id))
        return error_set(err, ERROR_INVALID, "'%.*s' is answered twice, send one answer to it",
                         utf8_shown(id, ID_SHOWN), id);
    kept = json_pack("{s:b, s:s*}", "approved", answer->approved, "reason", answer->reason);
    if (!kept || json_object_set_new(run->answers, id, kept) < 0)
        return error_set(err, ERROR_MEMORY, "out of memory for an answer");
    return 0;
}

static int take_answers(struct chat_run *run, const struct run_request *request, struct error *err)
{
    size_t open = json_array_size(run->thread->interrupts);

    run->answers = json_object();
    if (!run->answers)
        return error_set(err, ERROR_MEMORY, "out of memory for the answers");
    for (size_t i = 0; i < request->answer_count; i++) {
        if (take_answer(run, &request->answers[i], err) < 0)
            return -1;
    }
    if (request->answer_count == open)
        return 0;
    return error_set(err, ERROR_INVALID,
                     "%zu approvals are open in this thread and %zu are answered: answer each, in "
                     "one go",
                     open, request->answer_count);
}

static bool is_blank(const json_t *content)
{
    return (json_is_string(content) ? json_string_length(content) : json_array_size(content)) == 0;
}

/* If no message is new, the newest question is asked again, if its answer is incomplete. */
static int take_again(struct chat_run *run, const struct run_request *request, struct error *err)
{
    size_t count = json_array_size(request->messages);
    const char *id =
        json_get_string(count > 0 ? json_array_get(request->messages, count - 1) : NULL, "id");

    run->again = id && thread_may_ask_again(run->thread, id);
    if (run->again)
        return 0;
    return error_set(err, ERROR_INVALID,
                     "there is nothing new to answer: send a user message with an id that this "
                     "thread has not had. Only the newest question can be asked again, and only "
                     "where its answer broke off or never came");
}

/* The new ones of the user's messages. */
static int take_messages(struct chat_run *run, const struct run_request *request, struct error *err)
{
    const json_t *message;
    size_t i;

    run->messages = json_array();
    if (!run->messages)
        return error_set(err, ERROR_MEMORY, "out of memory for the question");
    json_array_foreach((json_t *)request->messages, i, message)
    {
        const json_t *content = json_object_get(message, "content");
        const char *id = json_get_string(message, "id");

        if (!id || !*id)
            return error_set(err, ERROR_INVALID,
                             "a message needs an id that is unique in its thread");
        if (thread_has_message(run->thread, id) && !thread_was_not_asked(run->thread, id))
            continue;
        if (is_blank(content))
            return error_set(err, ERROR_INVALID, "the question is empty: send a text");
        if (json_array_append_new(run->messages, json_deep_copy(message)) < 0)
            return error_set(err, ERROR_MEMORY, "out of memory for the question");
    }
    return json_array_size(run->messages) > 0 ? 0 : take_again(run, request, err);
}

static int copy_text(char **to, const char *from, struct error *err)
{
    *to = from && *from ? strdup(from) : NULL;
    return *to || !from || !*from ? 0 : error_set(err, ERROR_MEMORY, "out of memory for a run");
}

static int check(const struct run_request *request, const struct server *server,
                 struct model *model, struct error *err)
{
    char advice[ERROR_TEXT_CAP];

    if (request->thread->in_use)
        return error_set(err, ERROR_BUSY,
                         "an answer in this thread is under way: wait for its end, or stop it");
    if (request->answer_count > 0 && json_array_size(request->messages) > 0)
        return error_set(err, ERROR_INVALID,
                         "send either a question or the answers to what was asked, not both");
    if (!model_ready(model, advice, sizeof advice))
        return error_set(err, ERROR_UNAVAILABLE, "%s", advice);
    if (request->solve && !server->solver)
        return error_set(err, ERROR_UNAVAILABLE, "this server has no roles to solve a question");
    return 0;
}

/* Looks at the request and keeps what the run needs of it. */
static int keep_request(struct chat_run *run, const struct run_request *request, struct error *err)
{
    if (check(request, run->server, run->model, err) < 0 ||
        copy_text(&run->run_id, request->run_id, err) < 0 ||
        copy_text(&run->who, request->who ? request->who : "chat", err) < 0 ||
        copy_text(&run->where, request->where, err) < 0)
        return -1;
    run->identity = request->identity ? *request->identity : identity_everyone;
    return request->answer_count > 0 ? take_answers(run, request, err)
                                     : take_messages(run, request, err);
}

/* Putting it into the thread. */

static json_t *text_block(const char *text, size_t len)
{
    struct buf BUF_AUTO clean = {0};

    utf8_clean(text, len, len * 3, &clean); /* what is replaced may take three bytes */
    return clean.failed ? NULL
                        : json_pack("{s:s, s:s%}", "type", "text", "text", clean.data, clean.len);
}

/* What the user wrote, without what we put around it. */
static const json_t *own_text(const json_t *blocks)
{
    const json_t *block, *text;
    size_t i;

    json_array_foreach((json_t *)blocks, i, block)
    {
        text = json_object_get(block, "text");
        if (json_is_string(text))
            return text;
    }
    return NULL;
}

/* Blocks that came as such; a text in them may hold what no service takes (NUL) as well. */
static int add_blocks(json_t *to, const json_t *content)
{
    const json_t *block, *text;
    size_t i;
    int rc = 0;

    json_array_foreach((json_t *)content, i, block)
    {
        text = json_object_get(block, "text");
        if (json_is_string(text))
            rc |= json_array_append_new(
                to, text_block(json_string_value(text), json_string_length(text)));
        else
            rc |= json_array_append(to, (json_t *)block);
    }
    return rc;
}

/* The message as the thread keeps it; where, or NULL, goes in front. */
static json_t *make_message(const json_t *message, const char *where)
{
    json_t *content = json_object_get(message, "content");
    json_t *blocks = json_array(), *made;
    const json_t *own;
    int rc = 0;

    if (json_is_string(content))
        rc |= json_array_append_new(
            blocks, text_block(json_string_value(content), json_string_length(content)));
    else
        rc |= add_blocks(blocks, content);
    own = own_text(blocks);
    if (where)
        rc |= json_array_insert_new(blocks, 0, text_block(where, strlen(where)));
    if (rc != 0) {
        json_decref(blocks);
        return NULL;
    }
    made = json_pack("{s:O, s:s, s:o, s:{}}", "id", json_object_get(message, "id"), "role", "user",
                     "content", blocks, "shown");
    if (made && own) /* otherwise it was freed with the blocks */
        json_object_set(json_object_get(made, "shown"), "text", (json_t *)own);
    return made;
}

/* What is open counts as declined, and is answered in the same message that asks something else. */
static int decline_open(struct chat_run *run, json_t *message, struct error *err)
{
    int rc;

    if (json_array_size(run->thread->interrupts) == 0)
        return 0;
    if (run_calls_load(run, err) < 0)
        return -1;
    run_approvals_match(run);
    rc = run_calls_refuse(run, "Not done: the editor wrote something else before it was.",
                          failure_category_name(FAILURE_CANCELLED), err);
    if (rc == 0)
        rc = run_calls_results(run, json_object_get(message, "content"),
                               json_object_get(message, "shown"), err);
    run_calls_free(run);
    return rc;
}

static int take_question(struct chat_run *run, struct error *err)
{
    size_t count = json_array_size(run->messages);

    for (size_t i = 0; i < count; i++) {
        json_t *message =
            make_message(json_array_get(run->messages, i), i + 1 == count ? run->where : NULL);

        if (!message)
            return error_set(err, ERROR_MEMORY, "out of memory for the question");
        if (i == 0 && decline_open(run, message, err) < 0) {
            json_decref(message);
            return -1;
        }
        if (thread_add(run->thread, message, err) < 0)
            return -1;
        if (i == 0)
            thread_set_interrupts(run->thread, json_array());
    }
    return 0;
}

/* The thread already has the question; notes where it was asked again. */
static int note_again(struct chat_run *run, struct error *err)
{
    char id[UUID_TEXT_SIZE];

    if (run_note(run, THREAD_AGAIN, AGAIN, NULL, id, err) < 0)
        return -1;
    run_notify(
        run, &(struct run_event){.kind = RUN_AGAIN, .id = id, .text = AGAIN, .len = strlen(AGAIN)});
    return 0;
}

/* What it brought goes into the thread, not yet durable. */
static int put_request(struct chat_run *run, struct error *err)
{
    if (run->again)
        return note_again(run, err);
    if (!run->answers)
        return take_question(run, err);
    if (run_calls_load(run, err) < 0)
        return -1;
    run_approvals_match(run);
    run_approvals_continue_attempts(run);
    thread_set_interrupts(run->thread, json_array());
    return 0;
}

/* ---- the beginning ---- */

static enum run_state take_request(struct chat_run *run)
{
    struct error err = {0};

    run_notify(run, &(struct run_event){.kind = RUN_BEGAN});
    if (put_request(run, &err) < 0)
        return run_fail(run, &err);
    return run_save(run, RUN_STATE_READ);
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
    run_go_on(run, RUN_STATE_PROMPT);
}

static enum run_state read_session(struct chat_run *run)
{
    struct error err = {0};

    run->reading.work = read_work;
    run->reading.done = on_read;
    run->reading.key = workq_key(run->thread->session_id);
    if (workq_submit(run->server->store.read, &run->reading, &err) < 0)
        return run_fail(run, &err);
    return RUN_STATE_READING;
}

static enum run_state write_prompt(struct chat_run *run)
{
    if (run->read_error.kind != ERROR_NONE)
        return run_fail(run, &run->read_error);
    prompt_write(&run->server->analyses, run->title, &run->system);
    if (!run->answers)
        return RUN_STATE_ASK;
    run_approvals_refuse_unlooked(run);
    return RUN_STATE_CALL;
}

static enum run_state ask(struct chat_run *run)
{
    if (run_solve_proposed(run))
        return run_solve_close(run);
    return run->by_roles ? run_solve(run) : run_ask(run);
}

static enum run_state load_calls(struct chat_run *run)
{
    struct error err = {0};

    if (run_calls_load(run, &err) < 0)
        return run_fail(run, &err);
    return run->last ? RUN_STATE_CALL : RUN_STATE_APPROVE;
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
            next = run->roles ? run_solve_take(run) : run_take_answer(run);
            break;
        case RUN_STATE_LOAD:
            next = load_calls(run);
            break;
        case RUN_STATE_APPROVE:
            next = run_look_at_calls(run);
            break;
        case RUN_STATE_LOOKED:
            next = run_interrupt(run);
            break;
        case RUN_STATE_CALL:
            next = run_call_tools(run);
            break;
        case RUN_STATE_END_TURN:
            next = run_end_turn(run);
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
    run_go_on(arg, RUN_STATE_TAKE);
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
    run->step = run_step;
    run->by_roles = request->solve && request->answer_count == 0;
    /* Only a person applies their proposal. */
    run->approvals = run->by_roles ? APPROVALS_EVERY : request->approvals;
    attempts_init(&run->attempts, server->analyses.attempts);
    if (keep_request(run, request, err) < 0) {
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
