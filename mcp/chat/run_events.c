/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Events for the listener. The assistant's message has one id; it is that
 * of its first text too. Later texts and thinking have it with the block's number appended, so that
 * no id is begun twice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/chat/run_internal.h"

void run_tell(struct chat_run *run, const struct run_event *event)
{
    run->listener->on_event(run->listener, event);
}

void run_tell_text(struct chat_run *run, const char *id, const char *text)
{
    run_tell(run, &(struct run_event){.kind = RUN_TEXT_BEGAN, .id = id});
    run_tell(run,
             &(struct run_event){.kind = RUN_TEXT, .id = id, .text = text, .len = strlen(text)});
    run_tell(run, &(struct run_event){.kind = RUN_TEXT_ENDED, .id = id});
}

void run_tell_limit(struct chat_run *run, const char *name, const char *id, const char *text)
{
    run_tell(run,
             &(struct run_event){
                 .kind = RUN_LIMIT, .id = id, .name = name, .text = text, .len = strlen(text)});
}

/* ---- what the model says ---- */

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
    run_tell(run, &(struct run_event){.kind = event,
                                      .id = block_id(run, block, own),
                                      .name = sent->name,
                                      .message_id = sent->name ? run->message_id : NULL});
}

/* A delta is a piece of a longer text: it ends where it ends, and the event's ends with NUL. */
static void tell_piece(struct chat_run *run, size_t block, enum run_event_kind event,
                       const char *text, size_t len)
{
    struct buf BUF_AUTO piece = {0};
    char own[RUN_ID_SIZE];

    buf_add(&piece, text, len);
    if (piece.failed || len == 0)
        return;
    run_tell(run, &(struct run_event){.kind = event,
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
    if (!sent->id || !sent->name) /* it is in the thread all the same, and gets its result */
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
    run_tell(run, &(struct run_event){.kind = ended[sent->kind], .id = block_id(run, block, own)});
}

static void on_block_end(void *user, size_t block)
{
    end_block(user, block);
}

static bool is_taken(void *user, const char *id)
{
    return thread_has_call(((struct chat_run *)user)->thread, id);
}

const struct model_listener run_model_listener = {
    .on_text_begin = on_text_begin,
    .on_text = on_text,
    .on_thinking_begin = on_thinking_begin,
    .on_thinking = on_thinking,
    .on_call_begin = on_call_begin,
    .on_call_arguments = on_call_arguments,
    .on_block_end = on_block_end,
    .is_taken = is_taken,
};

/* ---- a turn ---- */

void run_events_close(struct chat_run *run)
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

/* Of a call that the model began and that will not be made. */
static void drop_call(struct chat_run *run, const char *id, const char *name, const char *why)
{
    char own[UUID_TEXT_SIZE];

    if (text_uuid(own, NULL) < 0)
        return;
    run_tell(run, &(struct run_event){.kind = RUN_CALL_RESULT,
                                      .id = id,
                                      .name = name,
                                      .message_id = own,
                                      .text = why,
                                      .len = strlen(why),
                                      .is_error = true,
                                      .category = failure_category_name(FAILURE_CANCELLED)});
}

void run_events_drop(struct chat_run *run, const json_t *content, const char *why)
{
    for (size_t i = 0; i < MODEL_BLOCKS_CAP; i++) {
        const struct run_sent_block *sent = &run->sent[i];

        if (sent->kind == RUN_BLOCK_CALL && !has_call(content, sent->id))
            drop_call(run, sent->id, sent->name, why);
    }
}

void run_events_forget(struct chat_run *run)
{
    for (size_t i = 0; i < MODEL_BLOCKS_CAP; i++) {
        free(run->sent[i].id);
        free(run->sent[i].name);
    }
    memset(run->sent, 0, sizeof run->sent);
}

json_t *run_usage_json(const struct run_usage *usage)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:i, s:I}", "inputTokens",
                     (json_int_t)model_usage_input(&usage->tokens), "cachedInputTokens",
                     (json_int_t)usage->tokens.cache_read, "cacheWriteInputTokens",
                     (json_int_t)usage->tokens.cache_write, "outputTokens",
                     (json_int_t)usage->tokens.output, "requests", (int)usage->requests,
                     "wholeCurriculumTokens", (json_int_t)usage->whole_curriculum);
}
