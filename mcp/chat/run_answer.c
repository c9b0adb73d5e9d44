/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One turn of the model: the request, its answer as events and in the thread, and the handling of
 * its stop reason. Answers are stored unmodified, because the service must accept them again.
 *
 * The assistant's message has one id, which its first text has too. Later texts and thinking have
 * the id with the block's number appended, so that each id begins once.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "helpers/base/utf8.h"
#include "mcp/chat/prompt.h"
#include "mcp/chat/run_internal.h"

#define QUOTE_MAX 1000 /* bytes shown of what a service says of a refusal */

static const char not_meant[] = "Not done: the answer did not end with this call.";
static const char not_whole[] = "Not done: the answer was cut off before this call was complete.";

/* ---- what the model says, as events ---- */

/* A call's own, else one that is made in own. */
static const char *block_id(const struct chat_run *run, size_t block, char own[RUN_ID_SIZE])
{
    bool first = run->sent[block].kind == RUN_BLOCK_TEXT;

    if (run->sent[block].kind == RUN_BLOCK_CALL)
        return run->sent[block].id;
    for (size_t i = 0; first && i < block; i++)
        first = run->sent[i].kind != RUN_BLOCK_TEXT;
    if (first)
        snprintf(own, RUN_ID_SIZE, "%s", run->message_id);
    else
        snprintf(own, RUN_ID_SIZE, "%s-%zu", run->message_id, block);
    return own;
}

static void begin(struct chat_run *run, size_t block, enum run_block kind,
                  enum run_event_kind event)
{
    struct run_sent_block *sent = &run->sent[block];
    char own[RUN_ID_SIZE];

    sent->kind = kind;
    sent->open = true;
    run_notify(run, &(struct run_event){.kind = event,
                                        .id = block_id(run, block, own),
                                        .name = sent->name,
                                        .message_id = sent->name ? run->message_id : NULL});
}

/* A delta is part of a longer text and not NUL-terminated; the text of an event is. */
static void tell_piece(struct chat_run *run, size_t block, enum run_event_kind event,
                       const char *text, size_t len)
{
    struct buf BUF_AUTO piece = {0};
    char own[RUN_ID_SIZE];

    buf_add(&piece, text, len);
    if (piece.failed || len == 0)
        return;
    run_notify(run, &(struct run_event){.kind = event,
                                        .id = block_id(run, block, own),
                                        .text = piece.data,
                                        .len = piece.len});
}

static void on_text_begin(void *user, size_t block)
{
    begin(user, block, RUN_BLOCK_TEXT, RUN_TEXT_BEGAN);
}

static void on_text(void *user, size_t block, const char *text, size_t len)
{
    tell_piece(user, block, RUN_TEXT, text, len);
}

static void on_thinking_begin(void *user, size_t block)
{
    begin(user, block, RUN_BLOCK_THINKING, RUN_THINKING_BEGAN);
}

static void on_thinking(void *user, size_t block, const char *text, size_t len)
{
    tell_piece(user, block, RUN_THINKING, text, len);
}

static void on_call_begin(void *user, size_t block, const char *id, const char *name)
{
    struct chat_run *run = user;
    struct run_sent_block *sent = &run->sent[block];

    sent->id = strdup(id);
    sent->name = strdup(name);
    if (!sent->id || !sent->name) /* it is still in the thread, and gets its result */
        return;
    begin(run, block, RUN_BLOCK_CALL, RUN_CALL_BEGAN);
}

static void on_call_arguments(void *user, size_t block, const char *json, size_t len)
{
    struct chat_run *run = user;

    if (run->sent[block].open)
        tell_piece(run, block, RUN_CALL_ARGUMENTS, json, len);
}

static void end_block(struct chat_run *run, size_t block)
{
    static const enum run_event_kind ended[] = {
        [RUN_BLOCK_TEXT] = RUN_TEXT_ENDED,
        [RUN_BLOCK_THINKING] = RUN_THINKING_ENDED,
        [RUN_BLOCK_CALL] = RUN_CALL_ENDED,
    };
    struct run_sent_block *sent = &run->sent[block];
    char own[RUN_ID_SIZE];

    if (!sent->open)
        return;
    sent->open = false;
    run_notify(run,
               &(struct run_event){.kind = ended[sent->kind], .id = block_id(run, block, own)});
}

static void on_block_end(void *user, size_t block)
{
    end_block(user, block);
}

static bool is_taken(void *user, const char *id)
{
    return thread_has_call(((struct chat_run *)user)->thread, id);
}

static const struct model_listener listener = {
    .on_text_begin = on_text_begin,
    .on_text = on_text,
    .on_thinking_begin = on_thinking_begin,
    .on_thinking = on_thinking,
    .on_call_begin = on_call_begin,
    .on_call_arguments = on_call_arguments,
    .on_block_end = on_block_end,
    .is_taken = is_taken,
};

/* What the model began and did not end is ended. */
static void close_blocks(struct chat_run *run)
{
    for (size_t i = 0; i < MODEL_BLOCKS_CAP; i++)
        end_block(run, i);
}

static bool has_call(const json_t *content, const char *id)
{
    const json_t *block;
    size_t i;

    json_array_foreach((json_t *)content, i, block)
    {
        if (json_string_is(block, "type", "tool_use") && json_string_is(block, "id", id))
            return true;
    }
    return false;
}

/* Ends a call that the model began and that will not be made. */
static void drop_call(struct chat_run *run, const char *id, const char *name, const char *why)
{
    char own[UUID_TEXT_SIZE];

    if (text_uuid(own, NULL) < 0)
        return;
    run_notify(run, &(struct run_event){.kind = RUN_CALL_RESULT,
                                        .id = id,
                                        .name = name,
                                        .message_id = own,
                                        .text = why,
                                        .len = strlen(why),
                                        .is_error = true,
                                        .category = failure_category_name(FAILURE_CANCELLED)});
}

/* Each call that was reported and is not in content gets a result that says why. */
static void drop_calls(struct chat_run *run, const json_t *content, const char *why)
{
    for (size_t i = 0; i < MODEL_BLOCKS_CAP; i++) {
        const struct run_sent_block *sent = &run->sent[i];

        if (sent->kind == RUN_BLOCK_CALL && !has_call(content, sent->id))
            drop_call(run, sent->id, sent->name, why);
    }
}

static void forget_blocks(struct chat_run *run)
{
    for (size_t i = 0; i < MODEL_BLOCKS_CAP; i++) {
        free(run->sent[i].id);
        free(run->sent[i].name);
    }
    memset(run->sent, 0, sizeof run->sent);
}

/* ---- the answer in the thread ---- */

static void remove_calls(json_t *content)
{
    for (size_t i = json_array_size(content); i > 0; i--) {
        if (json_string_is(json_array_get(content, i - 1), "type", "tool_use"))
            json_array_remove(content, i - 1);
    }
}

/* Thinking alone says nothing to anybody, and a service may not take it back. */
static bool is_empty(const json_t *content)
{
    const json_t *block;
    size_t i;

    json_array_foreach((json_t *)content, i, block)
    {
        if (!json_string_is(block, "type", "thinking") &&
            !json_string_is(block, "type", "redacted_thinking") &&
            !json_string_is(block, "type", "text"))
            return false;
    }
    return !run_has_words(content);
}

/* Takes over content. broken: the ids of its calls whose arguments are not an object, or NULL. */
static int add_answer(struct chat_run *run, json_t *content, json_t *broken, struct error *err)
{
    json_t *shown;

    if (json_array_size(content) == 0) {
        json_decref(content);
        return 0;
    }
    shown = json_pack("{s:O*}", "broken", json_array_size(broken) > 0 ? broken : NULL);
    return thread_put(run->thread, run->message_id, "assistant", content, shown, NULL, err);
}

/* Takes over content. */
static int add_without_calls(struct chat_run *run, json_t *content, const char *why,
                             struct error *err)
{
    remove_calls(content);
    drop_calls(run, content, why);
    if (is_empty(content))
        json_array_clear(content);
    return add_answer(run, content, NULL, err);
}

/* What is whole of an answer that broke off. */
static void add_partial(struct chat_run *run, const struct model_message *message)
{
    json_auto_t *broken = json_array();
    json_t *content = model_message_content(message, true, broken);
    struct error err = {0};

    if (!content)
        return;
    drop_calls(run, content, not_whole);
    if (is_empty(content))
        json_array_clear(content);
    if (add_answer(run, content, broken, &err) < 0)
        log_warning("chat", "a part of an answer is not kept: %s", err.text);
}

/* The id of what the run began with: its own question, or the newest, which it continues. */
static const char *first_question(const struct chat_run *run)
{
    const json_t *messages = run->thread->messages;

    if (json_array_size(run->messages) > 0)
        return json_get_string(json_array_get(run->messages, 0), "id");
    for (size_t i = json_array_size(messages); i > 0; i--) {
        const json_t *message = json_array_get(messages, i - 1);

        if (thread_is_question(message))
            return json_get_string(message, "id");
    }
    return NULL;
}

/* ---- asking ---- */

static void free_call(struct model_call *call)
{
    if (!call)
        return;
    model_call_finish(call);
    free(call);
}

static void on_wait(struct model_call *call, unsigned attempt, unsigned wait_ms, const char *why)
{
    run_notify(call->user, &(struct run_event){.kind = RUN_WAITING,
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
    run_go_on(run, RUN_STATE_ANSWERED);
}

/* Returns 0, or -1 with ERROR_TOO_LARGE if the history is too large. */
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
    call->listener = listener;
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

/* From here on the older half of what is sent is omitted, which is reported, noted and saved before
 * the next request. Returns 1; 0 if only the newest question is left, or after too many times; or
 * -1. */
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

    return shorter > 0 ? run_save(run, RUN_STATE_ASK) : run_fail(run, shorter == 0 ? why : &err);
}

enum run_state run_ask(struct chat_run *run)
{
    struct error err = {0};

    run->turn++;
    forget_blocks(run);
    if (check_bounds(run, &err) < 0 || text_uuid(run->message_id, &err) < 0)
        return run_fail(run, &err);
    run_notify(run, &(struct run_event){.kind = RUN_TURN_BEGAN, .number = run->turn});
    if (run->cancelled) /* by the listener */
        return RUN_STATE_STOP;
    if (send_request(run, &err) == 0)
        return RUN_STATE_ASKING;
    run_notify(run, &(struct run_event){
                        .kind = RUN_TURN_ENDED, .number = run->turn, .usage = &run->usage});
    return err.kind == ERROR_TOO_LARGE ? too_large(run, &err) : run_fail(run, &err);
}

/* ---- why it stopped ---- */

/* It ended normally. Some services report end_turn although calls must be answered. */
static enum run_state take_whole(struct chat_run *run, json_t *content, json_t *broken,
                                 enum model_stop why)
{
    bool calls = thread_has_block(content, "tool_use"), empty = is_empty(content);
    struct error err = {0};

    if (empty)
        json_array_clear(content);
    drop_calls(run, content, not_whole);
    if (add_answer(run, content, broken, &err) < 0)
        return run_fail(run, &err);
    if (calls)
        return run_save(run, RUN_STATE_LOAD);
    if (why == MODEL_STOP_PAUSE_TURN && !run->last)
        return run_save(run, RUN_STATE_ASK);
    if (!empty)
        return RUN_STATE_SUCCEED;
    error_set(&err, ERROR_NO_ANSWER,
              run->turn > 1 ? "The model gave no answer after the results of its tools. Ask it to "
                              "sum up, or to continue."
                            : "The model gave no answer. Ask again, or in other words.");
    return run_fail(run, &err);
}

static enum run_state take_cut(struct chat_run *run, json_t *content)
{
    struct error err = {0};

    if (add_without_calls(run, content, not_whole, &err) < 0 ||
        run_limit(run, "output", NULL, &err,
                  "The answer was cut at %u tokens, the limit of one answer. Ask for the rest, or "
                  "for less.",
                  RUN_MAX_TOKENS) < 0)
        return run_fail(run, &err);
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
    if (add_without_calls(run, content, not_meant, &err) < 0)
        return run_fail(run, &err);
    return run_end_with_text(run, "refusal", text.data ? text.data : "The model declined this.",
                             json_pack("{s:s*}", "from", first_question(run)));
}

/* Drops the partial answer, because the question will be asked again. */
static enum run_state take_context_end(struct chat_run *run, json_t *content)
{
    struct error err = {0};
    int shorter = shorten(run, &err);

    if (shorter == 0) {
        if (add_without_calls(run, content, not_whole, &err) < 0 ||
            run_limit(run, "context", NULL, &err,
                      "The conversation has reached the limit of the model's context, and the "
                      "answer was cut. Begin a new thread.") < 0)
            return run_fail(run, &err);
        return RUN_STATE_SUCCEED;
    }
    json_decref(content);
    drop_calls(run, NULL, not_whole);
    return shorter < 0 ? run_fail(run, &err) : run_save(run, RUN_STATE_ASK);
}

static enum run_state take_message(struct chat_run *run, const struct model_message *message)
{
    json_auto_t *broken = json_array();
    json_t *content = model_message_content(message, false, broken);
    struct error err = {0};

    if (!content) {
        error_set(&err, ERROR_INTERNAL, "The model's answer ended before it was complete.");
        return run_fail(run, &err);
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
    if (add_without_calls(run, content, not_meant, &err) < 0)
        return run_fail(run, &err);
    return run_end_with_text(run, "error",
                             "The model's service ended this answer for an unknown reason.", NULL);
}

enum run_state run_take_answer(struct chat_run *run)
{
    struct model_call *call = run->answered;
    enum run_state next;

    close_blocks(run);
    run->usage.requests++;
    model_usage_add(&run->usage.tokens, &call->message.usage);
    run_notify(run, &(struct run_event){
                        .kind = RUN_TURN_ENDED, .number = run->turn, .usage = &run->usage});
    if (run->cancelled || call->err.kind == ERROR_CANCELLED) {
        add_partial(run, &call->message);
        next = RUN_STATE_STOP;
    } else if (call->err.kind == ERROR_TOO_LARGE && !call->message.began) {
        next = too_large(run, &call->err);
    } else if (call->err.kind != ERROR_NONE) {
        add_partial(run, &call->message);
        next = run_fail(run, &call->err);
    } else {
        next = take_message(run, &call->message);
    }
    free_call(call);
    run->answered = NULL;
    return next;
}

void run_answer_forget(struct chat_run *run)
{
    forget_blocks(run);
    free_call(run->answered);
    run->answered = NULL;
}
