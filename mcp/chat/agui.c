/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/chat/agui.h"

#include <inttypes.h>
#include <stdio.h>

#include "helpers/base/json.h"
#include "mcp/chat/agui_frame.h"
#include "mcp/chat/agui_open.h"

#define STEP_NAME_SIZE 32u

/* One event on its way to frames. */
struct writing {
    struct agui_run *run;
    const struct run_event *event;
    struct buf frame; /* the one being written; empty between two */
    void (*add)(void *user, const char *frame, size_t len);
    void *user;
};

static void flush(struct writing *out)
{
    if (!out->frame.failed && out->frame.len > 0)
        out->add(out->user, out->frame.data, out->frame.len);
    buf_clear(&out->frame);
}

static void close_pair(struct writing *out, enum agui_pair pair, const char *id)
{
    if (agui_close(out->run, pair, id, &out->frame))
        flush(out);
}

static void write_began(struct writing *out)
{
    agui_run_started(out->run, &out->frame);
    flush(out);
}

static const char *step_name(const struct writing *out, char name[STEP_NAME_SIZE])
{
    snprintf(name, STEP_NAME_SIZE, "turn %u", out->event->number);
    return name;
}

static void write_turn_began(struct writing *out)
{
    char name[STEP_NAME_SIZE];

    if (!agui_open(out->run, AGUI_STEP, step_name(out, name), &out->frame))
        return;
    buf_addc(&out->frame, '}');
    flush(out);
}

static void write_usage(struct writing *out)
{
    json_t *value = out->event->usage ? run_usage_json(out->event->usage) : NULL;

    if (!value)
        return;
    agui_begin_now(&out->frame, "CUSTOM");
    agui_member(&out->frame, "name", "lectern.usage");
    buf_adds(&out->frame, ",\"value\":");
    json_write(&out->frame, value);
    buf_addc(&out->frame, '}');
    json_decref(value);
    flush(out);
}

static void write_turn_ended(struct writing *out)
{
    char name[STEP_NAME_SIZE];

    write_usage(out);
    close_pair(out, AGUI_STEP, step_name(out, name));
}

static void write_text_began(struct writing *out)
{
    if (!agui_open(out->run, AGUI_TEXT, out->event->id, &out->frame))
        return;
    buf_adds(&out->frame, ",\"role\":\"assistant\"}");
    flush(out);
}

static void write_delta(struct writing *out, const char *type, const char *id_name)
{
    if (out->event->len == 0)
        return;
    agui_begin(&out->frame, type);
    agui_member(&out->frame, id_name, out->event->id);
    buf_adds(&out->frame, ",\"delta\":");
    json_write_string(&out->frame, out->event->text, out->event->len);
    buf_addc(&out->frame, '}');
    flush(out);
}

static void write_text(struct writing *out)
{
    write_delta(out, "TEXT_MESSAGE_CONTENT", "messageId");
}

static void write_text_ended(struct writing *out)
{
    close_pair(out, AGUI_TEXT, out->event->id);
}

static void write_thinking_began(struct writing *out)
{
    if (!agui_open(out->run, AGUI_REASONING, out->event->id, &out->frame))
        return;
    buf_addc(&out->frame, '}');
    flush(out);
    if (!agui_open(out->run, AGUI_REASONING_MESSAGE, out->event->id, &out->frame))
        return;
    buf_adds(&out->frame, ",\"role\":\"reasoning\"}");
    flush(out);
}

static void write_thinking(struct writing *out)
{
    write_delta(out, "REASONING_MESSAGE_CONTENT", "messageId");
}

static void write_thinking_ended(struct writing *out)
{
    close_pair(out, AGUI_REASONING_MESSAGE, out->event->id);
    close_pair(out, AGUI_REASONING, out->event->id);
}

static void write_call_began(struct writing *out)
{
    if (!agui_open(out->run, AGUI_CALL, out->event->id, &out->frame))
        return;
    agui_member(&out->frame, "toolCallName", out->event->name);
    agui_member(&out->frame, "parentMessageId", out->event->message_id);
    buf_addc(&out->frame, '}');
    flush(out);
}

static void write_call_arguments(struct writing *out)
{
    write_delta(out, "TOOL_CALL_ARGS", "toolCallId");
}

static void write_call_ended(struct writing *out)
{
    close_pair(out, AGUI_CALL, out->event->id);
}

static void write_call_started(struct writing *out)
{
    agui_begin_custom(&out->frame, "lectern.started");
    agui_value_string(&out->frame, "toolCallId", out->event->id);
    agui_end_custom(&out->frame);
    flush(out);
}

static void write_call_stands(struct writing *out)
{
    agui_begin_custom(&out->frame, "lectern.progress");
    agui_value_string(&out->frame, "toolCallId", out->event->id);
    agui_value_text(&out->frame, "message", out->event->text, out->event->len);
    agui_end_custom(&out->frame);
    flush(out);
}

static void write_call_printed(struct writing *out)
{
    agui_begin_custom(&out->frame, "lectern.output");
    agui_value_string(&out->frame, "toolCallId", out->event->id);
    agui_value_text(&out->frame, "text", out->event->text, out->event->len);
    agui_end_custom(&out->frame);
    flush(out);
}

static void write_words(struct buf *to, const struct run_event *event)
{
    json_write_string(to, event->text ? event->text : "", event->text ? event->len : 0);
}

static void write_image(struct buf *to, const struct tool_image *image)
{
    buf_adds(to, ",{\"type\":\"image\",\"source\":{\"type\":\"data\",\"value\":\"");
    buf_add(to, image->base64, image->len);
    buf_addc(to, '"');
    agui_member(to, "mimeType", image->mime);
    buf_adds(to, "}}");
}

static void write_call_result(struct writing *out)
{
    const struct run_event *event = out->event;
    const struct tool_call *call = event->call;
    struct buf *to = &out->frame;

    agui_begin_now(to, "TOOL_CALL_RESULT");
    agui_member(to, "messageId", event->message_id);
    agui_member(to, "toolCallId", event->id);
    buf_adds(to, ",\"role\":\"tool\",\"content\":");
    if (call && call->image_count > 0) {
        buf_adds(to, "[{\"type\":\"text\",\"text\":");
        write_words(to, event);
        buf_addc(to, '}');
        for (size_t i = 0; i < call->image_count; i++)
            write_image(to, &call->images[i]);
        buf_addc(to, ']');
    } else {
        write_words(to, event);
    }
    buf_addf(to, ",\"metadata\":{\"isError\":%s", event->is_error ? "true" : "false");
    agui_member(to, "category", event->category);
    if (call && !event->is_error && *call->change_set)
        agui_member(to, "changeSet", call->change_set);
    buf_addf(to, ",\"milliseconds\":%u,\"waited\":%u,\"repair\":%u,\"repairsMax\":%u}}",
             event->milliseconds, event->waited, event->repair, CODE_ATTEMPTS_MAX - 1);
    flush(out);
}

static void write_waiting(struct writing *out)
{
    agui_begin_custom(&out->frame, "lectern.waiting");
    agui_value_number(&out->frame, "attempt", out->event->number);
    agui_value_number(&out->frame, "milliseconds", out->event->milliseconds);
    agui_value_text(&out->frame, "why", out->event->text, out->event->len);
    agui_end_custom(&out->frame);
    flush(out);
}

static void write_again(struct writing *out)
{
    agui_begin_custom(&out->frame, "lectern.again");
    agui_value_string(&out->frame, "id", out->event->id);
    agui_value_text(&out->frame, "message", out->event->text, out->event->len);
    agui_end_custom(&out->frame);
    flush(out);
}

static void write_limit(struct writing *out)
{
    agui_begin_custom(&out->frame, "lectern.limit");
    agui_value_string(&out->frame, "limit", out->event->name);
    agui_value_text(&out->frame, "message", out->event->text, out->event->len);
    agui_end_custom(&out->frame);
    flush(out);
}

/* Totals, as AG-UI counts: cached tokens are a part of those read. */
static void write_totals(struct buf *to, const struct run_usage *usage)
{
    int64_t input;

    if (!usage || usage->requests == 0)
        return;
    input = model_usage_input(&usage->tokens);
    buf_addf(to,
             ",\"usage\":[{\"inputTokens\":%" PRId64 ",\"outputTokens\":%" PRId64
             ",\"totalTokens\":%" PRId64 ",\"cachedInputTokens\":%" PRId64
             ",\"cacheWriteInputTokens\":%" PRId64 "}]",
             input, usage->tokens.output, input + usage->tokens.output, usage->tokens.cache_read,
             usage->tokens.cache_write);
}

static void write_failed(struct writing *out)
{
    const struct error *err = out->event->err;

    agui_begin_now(&out->frame, "RUN_ERROR");
    agui_member(&out->frame, "message", err ? err->text : "the run failed");
    agui_member(&out->frame, "code", error_kind_name(err ? err->kind : ERROR_INTERNAL));
}

static void write_ended(struct writing *out)
{
    static const char *const outcomes[] = {
        [RUN_SUCCEEDED] = "success",
        [RUN_CANCELLED] = "cancelled",
        [RUN_INTERRUPTED] = "interrupt",
    };
    const struct run_event *event = out->event;

    write_usage(out);
    while (agui_close_any(out->run, &out->frame))
        flush(out);
    if (event->outcome == RUN_FAILED)
        write_failed(out);
    else
        agui_begin_finished(out->run, outcomes[event->outcome],
                            event->outcome == RUN_INTERRUPTED ? event->interrupts : NULL,
                            &out->frame);
    write_totals(&out->frame, event->usage);
    buf_addc(&out->frame, '}');
    flush(out);
}

static void (*const writers[])(struct writing *out) = {
    [RUN_BEGAN] = write_began,
    [RUN_AGAIN] = write_again,
    [RUN_TURN_BEGAN] = write_turn_began,
    [RUN_TURN_ENDED] = write_turn_ended,
    [RUN_TEXT_BEGAN] = write_text_began,
    [RUN_TEXT] = write_text,
    [RUN_TEXT_ENDED] = write_text_ended,
    [RUN_THINKING_BEGAN] = write_thinking_began,
    [RUN_THINKING] = write_thinking,
    [RUN_THINKING_ENDED] = write_thinking_ended,
    [RUN_CALL_BEGAN] = write_call_began,
    [RUN_CALL_ARGUMENTS] = write_call_arguments,
    [RUN_CALL_ENDED] = write_call_ended,
    [RUN_CALL_STARTED] = write_call_started,
    [RUN_CALL_STANDS] = write_call_stands,
    [RUN_CALL_PRINTED] = write_call_printed,
    [RUN_CALL_RESULT] = write_call_result,
    [RUN_WAITING] = write_waiting,
    [RUN_LIMIT] = write_limit,
    [RUN_ENDED] = write_ended,
};

void agui_write(struct agui_run *run, const struct run_event *event,
                void (*add)(void *user, const char *frame, size_t len), void *user)
{
    struct writing out = {.run = run, .event = event, .add = add, .user = user};

    writers[event->kind](&out);
    buf_finish(&out.frame);
}
