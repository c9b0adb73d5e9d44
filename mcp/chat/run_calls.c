/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tool calls of one turn: read from the model's answer, with their progress and their results:
 * the tool_result for the model, the row for pages, and the event. The output of analyses may
 * contain any bytes: it is converted to text here, so that the history can always be sent again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "helpers/base/utf8.h"
#include "mcp/chat/approval.h"
#include "mcp/chat/prompt.h"
#include "mcp/chat/run_internal.h"

/* Images that a model is shown stay in the thread and are read again with each request. */
#define IMAGES_SHOWN_MAX 3u
#define IMAGE_BASE64_MAX ((size_t)384 << 10)
#define WORDS_CAP        ((size_t)1 << 10)  /* bytes of one RUN_CALL_STANDS */
#define PRINTED_CAP      ((size_t)64 << 10) /* of one RUN_CALL_PRINTED */

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
        const char *name = json_get_string(call->use, "name");

        buf_adds(&call->refusal, "Not done: ");
        tool_write_unknown(name ? name : "", &prompt_tools, &call->refusal);
    } else if (broken || !json_is_object(json_object_get(call->use, "input"))) {
        buf_adds(&call->refusal, "Not done: the arguments are not a complete JSON object. Send the "
                                 "call again.");
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
        if (call->tool && !tool_is_listed(call->tool, &prompt_tools))
            call->tool = NULL;
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
    run->editing = false;
}

/* ---- while they work ---- */

struct run_progress_timer {
    uv_timer_t timer; /* first */
    struct chat_run *run;
};

static void tell(struct run_call *call, enum run_event_kind kind, const struct buf *given,
                 size_t cap)
{
    struct buf BUF_AUTO text = {0};

    if (given->len == 0)
        return;
    utf8_clean(given->data, given->len, cap, &text);
    if (!text.failed)
        run_notify(call->run, &(struct run_event){.kind = kind,
                                                  .id = call->id,
                                                  .name = call->name,
                                                  .text = text.data,
                                                  .len = text.len});
}

static void tell_progress(struct run_call *call)
{
    struct buf BUF_AUTO words = {0}, printed = {0};

    buf_init(&words, WORDS_CAP);
    buf_init(&printed, PRINTED_CAP);
    if (!call->tool->progress(&call->call, &words, &printed))
        return;
    tell(call, RUN_CALL_STANDS, &words, WORDS_CAP);
    if (!call->run->cancelled) /* by the listener */
        tell(call, RUN_CALL_PRINTED, &printed, PRINTED_CAP);
}

static void on_progress_timer(uv_timer_t *timer)
{
    struct chat_run *run = ((struct run_progress_timer *)timer)->run;

    for (size_t i = 0; i < run->call_count; i++) {
        struct run_call *call = &run->calls[i];

        if (call->state == RUN_CALL_RUNS && call->tool->progress && !run->cancelled)
            tell_progress(call);
    }
}

static void progress_begin(struct chat_run *run)
{
    if (run->progress)
        return;
    run->progress = calloc(1, sizeof *run->progress);
    if (!run->progress) /* the results are sent anyway */
        return;
    run->progress->run = run;
    uv_timer_init(run->server->loop, &run->progress->timer);
    uv_timer_start(&run->progress->timer, on_progress_timer, RUN_PROGRESS_MS, RUN_PROGRESS_MS);
}

static void on_progress_closed(uv_handle_t *handle)
{
    free(handle);
}

static void progress_end(struct chat_run *run)
{
    if (run->progress)
        uv_close((uv_handle_t *)&run->progress->timer, on_progress_closed);
    run->progress = NULL;
}

static const char *const image_types[] = {"image/png", "image/jpeg", "image/gif", "image/webp"};

/* ---- the text ---- */

static bool is_code(const struct run_call *call)
{
    return call->made && strcmp(call->name, "execute_code") == 0;
}

/* How many attempts at this code failed before. A call that is not made does not count. */
static unsigned repair_of(const struct run_call *call)
{
    return is_code(call) ? call->run->attempts.failed : 0;
}

/* The result of a program depends on the further curricula of its call too. */
static void program_digest(const struct tool_call *made, const char *code, size_t len,
                           char digest[SHA256_TEXT_SIZE])
{
    const json_t *also = json_object_get(made->arguments, "also");
    cleanup_free char *with = json_array_size(also) > 0 ? json_dumps(also, 0) : NULL;

    attempts_digest(code, len, with, digest);
}

static bool may_run(struct tool_call *made, const char *code, size_t len, struct buf *why)
{
    struct run_call *call = made->user;
    const struct attempts_program *before;
    char digest[SHA256_TEXT_SIZE];

    program_digest(made, code, len, digest);
    before = attempts_find(&call->run->attempts, digest);
    if (!before)
        return true;
    attempts_write_repeat(before, why);
    log_info("run", "verdict=repeated code_bytes=%zu%s", len, call->log_members);
    return false;
}

/* That of one which may not run counts as one that failed, and its first error stays. */
static void program_ended(struct tool_call *made, const char *code, size_t len,
                          const struct failure *failure)
{
    struct run_call *call = made->user;
    struct attempts *attempts = &call->run->attempts;
    char digest[SHA256_TEXT_SIZE];

    call->code_failed |= failure_is_repairable(failure->category);
    program_digest(made, code, len, digest);
    if (attempts_find(attempts, digest) && failure_is_repairable(failure->category))
        attempts_take_repeat(attempts);
    else
        attempts_take(attempts, digest, failure);
}

static const struct tool_programs programs = {.may_run = may_run, .ended = program_ended};

/* What the calls of a turn mean for how the question ends. */
static void note_success(struct run_call *call)
{
    const struct failure failure = {.category = tool_call_category(&call->call)};
    struct chat_run *run = call->run;
    bool succeeded = failure.category == FAILURE_NONE;

    if (!call->made)
        return;
    if (is_code(call) && !call->code_failed && !succeeded) { /* by its arguments */
        attempts_take(&run->attempts, NULL, &failure);
        call->code_failed = failure_is_repairable(failure.category);
    }
    if (succeeded && *call->call.change_set)
        attempts_forget(&run->attempts);
    run->replaced += succeeded ? call->replaces : 0;
    run->worked |= succeeded && (is_code(call) || *call->call.change_set);
}

static bool is_shown(const struct tool_image *image)
{
    if (image->len > IMAGE_BASE64_MAX)
        return false;
    for (size_t i = 0; i < sizeof image_types / sizeof image_types[0]; i++) {
        if (strcmp(image->mime, image_types[i]) == 0)
            return true;
    }
    return false;
}

static size_t images_shown(const struct run_call *call)
{
    size_t count = 0;

    for (size_t i = 0; i < call->call.image_count; i++)
        count += is_shown(&call->call.images[i]);
    return count < IMAGES_SHOWN_MAX ? count : IMAGES_SHOWN_MAX;
}

static void write_text(const struct run_call *call, struct buf *text)
{
    const struct buf *from = call->made ? &call->call.text : &call->refusal;
    size_t unseen = call->call.image_count - images_shown(call);

    if (from->failed)
        buf_addf(text, "The answer is larger than its cap of %zu bytes; ask for less at once.",
                 from->cap);
    else if (!utf8_clean(from->data ? from->data : "", from->len, RUN_CALL_TEXT_MAX, text))
        buf_addf(text, "\n[Cut here: this is the beginning, %zu bytes of %zu. Ask for less.]",
                 text->len, from->len);
    if (text->len == 0)
        buf_adds(text, "(no output)");
    if (unseen > 0)
        buf_addf(text, "\n[%zu picture%s shown to the editor alone.]", unseen,
                 unseen == 1 ? " is" : "s are");
    if (call->code_failed) {
        buf_adds(text, "\n\n");
        attempts_write_advice(&call->run->attempts, text);
    }
}

/* ---- the result ---- */

static bool is_error(const struct run_call *call)
{
    return !call->made || tool_call_category(&call->call) != FAILURE_NONE;
}

static json_t *make_block(const struct run_call *call, const struct buf *text)
{
    json_t *content = json_pack("[{s:s, s:s%}]", "type", "text", "text", text->data, text->len);
    size_t shown = images_shown(call);
    json_t *block;

    for (size_t i = 0; i < call->call.image_count && shown > 0; i++) {
        const struct tool_image *image = &call->call.images[i];

        if (!is_shown(image))
            continue;
        shown--;
        json_array_append_new(content, json_pack("{s:s, s:{s:s, s:s, s:s%}}", "type", "image",
                                                 "source", "type", "base64", "media_type",
                                                 image->mime, "data", image->base64, image->len));
    }
    block = json_pack("{s:s, s:s, s:o}", "type", "tool_result", "tool_use_id", call->id, "content",
                      content);
    if (block && is_error(call))
        json_object_set_new(block, "is_error", json_true());
    return block;
}

static const char *category_of(const struct run_call *call)
{
    if (call->made)
        return failure_category_name(tool_call_category(&call->call));
    return call->refused ? call->refused : failure_category_name(FAILURE_VALIDATION);
}

/* The change set of a completed edit; else NULL. */
static const char *change_set_of(const struct run_call *call)
{
    return call->made && !is_error(call) && *call->call.change_set ? call->call.change_set : NULL;
}

struct took {
    unsigned milliseconds, waited;
};

/* A tool that queues knows what of it was its work. */
static struct took time_taken(const struct run_call *call)
{
    uv_loop_t *loop = call->run->server->loop;

    if (!call->made)
        return (struct took){0};
    if (call->call.timed)
        return (struct took){(unsigned)(call->call.seconds * 1000 + 0.5),
                             (unsigned)(call->call.waited * 1000 + 0.5)};
    uv_update_time(loop);
    return (struct took){(unsigned)(uv_now(loop) - call->started_ms), 0};
}

/* The call is done, or refused: makes its result and reports it. */
static int call_result(struct run_call *call, struct error *err)
{
    struct chat_run *run = call->run;
    const char *category = category_of(call);
    const struct took took = time_taken(call);
    struct buf BUF_AUTO text = {0};
    char id[UUID_TEXT_SIZE];

    if (text_uuid(id, err) < 0)
        return -1;
    note_success(call);
    write_text(call, &text);
    if (text.failed)
        return error_set(err, ERROR_MEMORY, "out of memory for a tool's result");
    json_decref(call->block); /* of one that found no memory */
    json_decref(call->shown);
    call->block = make_block(call, &text);
    call->shown =
        json_pack("{s:s, s:s, s:s%, s:b, s:s, s:s*, s:I, s:I, s:I, s:I}", "id", id, "tool_call_id",
                  call->id, "text", text.data, text.len, "is_error", is_error(call), "category",
                  category, "change_set", change_set_of(call), "milliseconds",
                  (json_int_t)took.milliseconds, "waited", (json_int_t)took.waited, "repair",
                  (json_int_t)repair_of(call), "repairs_max", (json_int_t)run->attempts.most - 1);
    if (!call->block || !call->shown)
        return error_set(err, ERROR_MEMORY, "out of memory for a tool's result");
    call->state = RUN_CALL_ANSWERED;
    run_notify(run, &(struct run_event){
                        .kind = RUN_CALL_RESULT,
                        .id = call->id,
                        .name = call->name,
                        .message_id = id,
                        .text = text.data,
                        .len = text.len,
                        .call = call->made ? &call->call : NULL,
                        .arguments = json_object_get(call->use, "input"),
                        .is_error = is_error(call),
                        .category = is_error(call) ? category : NULL,
                        .milliseconds = took.milliseconds,
                        .waited = took.waited,
                        .repair = repair_of(call),
                        .repairs_max = run->attempts.most - 1,
                    });
    return 0;
}

/* ---- all of a turn ---- */

int run_calls_refuse(struct chat_run *run, const char *why, const char *as, struct error *err)
{
    for (size_t i = 0; i < run->call_count; i++) {
        struct run_call *call = &run->calls[i];

        if (call->state == RUN_CALL_ANSWERED)
            continue;
        if (call->refusal.len == 0) {
            buf_adds(&call->refusal, why);
            call->refused = as;
        }
        call->made = false;
        if (call_result(call, err) < 0)
            return -1;
    }
    return 0;
}

int run_calls_results(struct chat_run *run, json_t *content, json_t *shown, struct error *err)
{
    json_t *results = json_array();
    int rc = results ? 0 : -1;

    for (size_t i = 0; i < run->call_count && rc == 0; i++) {
        rc = json_array_insert(content, i, run->calls[i].block);
        if (rc == 0)
            rc = json_array_append(results, run->calls[i].shown);
    }
    if (rc == 0)
        rc = json_object_set(shown, "results", results);
    json_decref(results);
    return rc == 0 ? 0 : error_set(err, ERROR_MEMORY, "out of memory for the tools' results");
}

int run_calls_keep(struct chat_run *run, struct error *err)
{
    json_t *content = json_array(), *shown = json_object();

    if (run_calls_results(run, content, shown, err) == 0)
        return thread_put(run->thread, NULL, "user", content, shown, NULL, err);
    json_decref(content);
    json_decref(shown);
    return -1;
}

/* ---- calling tools ---- */

/* For an approved call, on the sql work queue before it is executed: checks that it still does what
 * was shown. */
static int check_approval(struct tool_call *made, struct store *store, struct error *err)
{
    const struct run_call *call = made->user;

    return approval_check(made->tool, made->arguments, made->bound_session, made->who,
                          call->interrupt, store, err);
}

static void on_call_done(struct tool_call *tool_call)
{
    struct run_call *call = tool_call->user;
    struct chat_run *run = call->run;
    struct error err = {0};

    run->under_way--;
    call->state = RUN_CALL_LOST;
    if (call_result(call, &err) < 0) {
        run->failure = err;
        run_cancel(run, RUN_STOP_EDITOR); /* the failure says why */
    }
    run_go_on(run, RUN_STATE_CALL);
}

static bool writes(const struct run_call *call)
{
    return !call->tool->read_only && tool_call_writes(&call->call);
}

static int prepare(struct run_call *call, struct error *err)
{
    struct chat_run *run = call->run;
    struct tool_call *made = &call->call;
    struct buf BUF_AUTO members = {0};

    made->cancel = cancel_create(err);
    if (!made->cancel)
        return -1;
    made->tool = call->tool;
    made->server = run->server;
    made->arguments = json_incref(json_object_get(call->use, "input"));
    made->bound_session = run->thread->session_id;
    made->who = run->who;
    made->identity = &run->identity;
    made->wants_progress = call->tool->progress != NULL;
    if (strcmp(call->name, "execute_code") == 0) {
        attempts_write_log(&run->attempts, &members);
        snprintf(call->log_members, sizeof call->log_members, " %s",
                 members.data ? members.data : "");
        made->programs = &programs;
        made->log_members = call->log_members;
    }
    made->on_done = on_call_done;
    made->user = call;
    if (call->interrupt)
        made->before = check_approval;
    return 0;
}

static void start(struct run_call *call)
{
    struct chat_run *run = call->run;

    run_notify(run,
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
        progress_begin(run);
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
        return call_result(call, err) < 0 ? -1 : 1;
    if (!call->call.cancel && prepare(call, err) < 0)
        return -1;
    if (run->under_way > 0 && (run->editing || writes(call)))
        return 0;
    start(call);
    return 1;
}

enum run_state run_call_tools(struct chat_run *run)
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

/* ---- the end of a turn ---- */

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
    if (attempts_left(&run->attempts))
        return 0;
    run->last = true;
    return run_limit(run, "attempts", NULL, err,
                     "The code failed in attempt %u of %u; no more are made.", run->attempts.failed,
                     run->attempts.most);
}

/* Appends the texts of the assistant's last message before the index `end` to words. Returns the
 * index of that message, or 0. */
static size_t read_words(const struct chat_run *run, size_t end, struct buf *words)
{
    const json_t *message = NULL, *block;
    size_t i;

    while (end > 0 && !json_string_is(message, "role", "assistant"))
        message = json_array_get(run->thread->messages, --end);
    if (!json_string_is(message, "role", "assistant"))
        return 0;
    json_array_foreach(json_object_get((json_t *)message, "content"), i, block)
    {
        if (json_string_is(block, "type", "text"))
            buf_adds(words, json_get_string(block, "text"));
    }
    return end;
}

/* The model had to sum up, but called tools; the thread already has their refusals. Its words are
 * an answer, unless there are none or they are those that introduced the calls before. */
static enum run_state end_last_turn(struct chat_run *run)
{
    struct buf BUF_AUTO words = {0}, before = {0};
    size_t last = read_words(run, json_array_size(run->thread->messages), &words);
    struct error err = {0};

    read_words(run, last, &before);
    if (words.len > 0 &&
        (words.len != before.len || memcmp(words.data, before.data, words.len) != 0))
        return RUN_STATE_SUCCEED;
    error_set(&err, ERROR_NO_ANSWER,
              "The model called tools again instead of summing up, and none was run. Ask it to sum "
              "up, or to continue.");
    return run_fail(run, &err);
}

enum run_state run_end_turn(struct chat_run *run)
{
    bool was_last = run->last;
    size_t count = run->call_count;
    struct error err = {0};

    progress_end(run);
    if (run->cancelled)
        return RUN_STATE_STOP;
    if (count > 0 && run_calls_keep(run, &err) < 0)
        return run_fail(run, &err);
    attempts_close(&run->attempts);
    run_calls_free(run);
    if (was_last)
        return end_last_turn(run);
    if (note_bounds(run, count, &err) < 0)
        return run_fail(run, &err);
    return run_save(run, RUN_STATE_ASK);
}
