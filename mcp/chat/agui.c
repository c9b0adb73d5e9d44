/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/chat/agui.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "helpers/base/json.h"

#define PROTOCOL_VERSION "1.0"
#define KEY_SIZE         600u

/* ---- writing ---- */

static void member(struct buf *to, const char *name, const char *text)
{
    if (!text) /* absent, never null */
        return;
    buf_addf(to, ",\"%s\":", name);
    json_write_string(to, text, strlen(text));
}

static void begin(struct buf *to, const char *type)
{
    buf_addf(to, "{\"type\":\"%s\"", type);
}

static void begin_now(struct buf *to, const char *type)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    begin(to, type);
    buf_addf(to, ",\"timestamp\":%" PRId64,
             (int64_t)now.tv_sec * 1000 + (int64_t)now.tv_nsec / 1000000);
}

static void begin_custom(struct buf *to, const char *name)
{
    begin_now(to, "CUSTOM");
    member(to, "name", name);
    buf_adds(to, ",\"value\":{");
}

static void value_text(struct buf *to, const char *name, const char *text, size_t len)
{
    buf_addf(to, "%s\"%s\":", to->data[to->len - 1] == '{' ? "" : ",", name);
    json_write_string(to, text, len);
}

static void value_number(struct buf *to, const char *name, int64_t number)
{
    buf_addf(to, "%s\"%s\":%" PRId64, to->data[to->len - 1] == '{' ? "" : ",", name, number);
}

/* ---- single frames ---- */

void agui_run_started(const struct agui_run *run, struct buf *to)
{
    begin_now(to, "RUN_STARTED");
    member(to, "threadId", run->thread_id);
    member(to, "runId", run->run_id);
    member(to, "protocolVersion", PROTOCOL_VERSION);
    buf_addc(to, '}');
}

static void finished(const struct agui_run *run, const char *outcome, const json_t *interrupts,
                     struct buf *to)
{
    begin_now(to, "RUN_FINISHED");
    member(to, "threadId", run->thread_id);
    member(to, "runId", run->run_id);
    buf_addf(to, ",\"outcome\":{\"type\":\"%s\"", outcome);
    if (interrupts) {
        buf_adds(to, ",\"interrupts\":");
        json_write(to, interrupts);
    }
    buf_addc(to, '}');
}

void agui_run_finished(const struct agui_run *run, const json_t *interrupts, struct buf *to)
{
    bool open = json_array_size(interrupts) > 0;

    finished(run, open ? "interrupt" : "success", open ? interrupts : NULL, to);
    buf_addc(to, '}');
}

void agui_run_cancelled(const struct agui_run *run, struct buf *to)
{
    finished(run, "cancelled", NULL, to);
    buf_addc(to, '}');
}

void agui_run_error(const char *message, const char *code, struct buf *to)
{
    begin_now(to, "RUN_ERROR");
    member(to, "message", message);
    member(to, "code", code);
    buf_addc(to, '}');
}

void agui_change(const struct store_change *change, struct buf *to)
{
    static const char *const targets[] = {
        [STORE_SESSION] = "session",       [STORE_NODES] = "nodes",
        [STORE_COMPONENTS] = "components", [STORE_RELATIONSHIPS] = "relationships",
        [STORE_POSITIONS] = "positions",
    };

    begin_custom(to, "lectern.change");
    value_text(to, "target", targets[change->target], strlen(targets[change->target]));
    if (change->node_id)
        value_text(to, "node_id", change->node_id, strlen(change->node_id));
    else
        buf_adds(to, ",\"node_id\":null");
    value_text(to, "who", change->who ? change->who : "", change->who ? strlen(change->who) : 0);
    buf_adds(to, "}}");
}

void agui_state(const json_t *state, struct buf *to)
{
    begin_now(to, "STATE_SNAPSHOT");
    buf_adds(to, ",\"snapshot\":");
    json_write(to, state);
    buf_addc(to, '}');
}

/* ---- what is open ---- */

/* What ends it, by what began it. */
static const struct {
    const char *begin, *end, *member;
} pairs[] = {
    {"STEP_STARTED", "STEP_FINISHED", "stepName"},
    {"TEXT_MESSAGE_START", "TEXT_MESSAGE_END", "messageId"},
    {"REASONING_MESSAGE_START", "REASONING_MESSAGE_END", "messageId"},
    {"REASONING_START", "REASONING_END", "messageId"},
    {"TOOL_CALL_START", "TOOL_CALL_END", "toolCallId"},
};

struct writer_of {
    struct agui_run *run;
    const struct run_event *event;
    struct buf frame;
    void (*add)(void *user, const char *frame, size_t len);
    void *user;
};

static void flush(struct writer_of *out)
{
    if (!out->frame.failed && out->frame.len > 0)
        out->add(out->user, out->frame.data, out->frame.len);
    buf_clear(&out->frame);
}

static char *key_of(char key[KEY_SIZE], size_t pair, const char *id)
{
    snprintf(key, KEY_SIZE, "%zu:%s", pair, id);
    return key;
}

/* Its first members; the frame is still open. false: it is open already. */
static bool open_pair(struct writer_of *out, size_t pair, const char *id)
{
    char key[KEY_SIZE];

    if (!out->run->open)
        out->run->open = json_object();
    if (json_object_get(out->run->open, key_of(key, pair, id)))
        return false;
    json_object_set_new(out->run->open, key, json_string(id));
    begin_now(&out->frame, pairs[pair].begin);
    member(&out->frame, pairs[pair].member, id);
    return true;
}

static void close_pair(struct writer_of *out, size_t pair, const char *id)
{
    char key[KEY_SIZE];

    if (!json_object_get(out->run->open, key_of(key, pair, id)))
        return;
    begin_now(&out->frame, pairs[pair].end);
    member(&out->frame, pairs[pair].member, id);
    buf_addc(&out->frame, '}');
    flush(out);
    json_object_del(out->run->open, key);
}

static void close_all(struct writer_of *out)
{
    const char *key;
    json_t *id;
    void *next;

    for (size_t pair = 0; pair < sizeof pairs / sizeof pairs[0]; pair++) {
        json_object_foreach_safe(out->run->open, next, key, id)
        {
            json_t *held = json_incref(id); /* its key goes */

            if (key[0] == (char)('0' + pair))
                close_pair(out, pair, json_string_value(held));
            json_decref(held);
        }
    }
}

enum { STEP, TEXT, REASONING_MESSAGE, REASONING, CALL }; /* rows of pairs */

/* ---- events ---- */

static void write_began(struct writer_of *out)
{
    agui_run_started(out->run, &out->frame);
    flush(out);
}

static const char *step_name(const struct writer_of *out, char name[32])
{
    snprintf(name, 32, "turn %u", out->event->number);
    return name;
}

static void write_turn_began(struct writer_of *out)
{
    char name[32];

    if (!open_pair(out, STEP, step_name(out, name)))
        return;
    buf_addc(&out->frame, '}');
    flush(out);
}

static void write_usage(struct writer_of *out)
{
    json_t *value = out->event->usage ? run_usage_json(out->event->usage) : NULL;

    if (!value)
        return;
    begin_now(&out->frame, "CUSTOM");
    member(&out->frame, "name", "lectern.usage");
    buf_adds(&out->frame, ",\"value\":");
    json_write(&out->frame, value);
    buf_addc(&out->frame, '}');
    json_decref(value);
    flush(out);
}

static void write_turn_ended(struct writer_of *out)
{
    char name[32];

    write_usage(out);
    close_pair(out, STEP, step_name(out, name));
}

static void write_text_began(struct writer_of *out)
{
    if (!open_pair(out, TEXT, out->event->id))
        return;
    buf_adds(&out->frame, ",\"role\":\"assistant\"}");
    flush(out);
}

static void write_delta(struct writer_of *out, const char *type, const char *id_name)
{
    if (out->event->len == 0)
        return;
    begin(&out->frame, type);
    member(&out->frame, id_name, out->event->id);
    buf_adds(&out->frame, ",\"delta\":");
    json_write_string(&out->frame, out->event->text, out->event->len);
    buf_addc(&out->frame, '}');
    flush(out);
}

static void write_text(struct writer_of *out)
{
    write_delta(out, "TEXT_MESSAGE_CONTENT", "messageId");
}

static void write_text_ended(struct writer_of *out)
{
    close_pair(out, TEXT, out->event->id);
}

static void write_thinking_began(struct writer_of *out)
{
    if (!open_pair(out, REASONING, out->event->id))
        return;
    buf_addc(&out->frame, '}');
    flush(out);
    open_pair(out, REASONING_MESSAGE, out->event->id);
    buf_adds(&out->frame, ",\"role\":\"reasoning\"}");
    flush(out);
}

static void write_thinking(struct writer_of *out)
{
    write_delta(out, "REASONING_MESSAGE_CONTENT", "messageId");
}

static void write_thinking_ended(struct writer_of *out)
{
    close_pair(out, REASONING_MESSAGE, out->event->id);
    close_pair(out, REASONING, out->event->id);
}

static void write_call_began(struct writer_of *out)
{
    if (!open_pair(out, CALL, out->event->id))
        return;
    member(&out->frame, "toolCallName", out->event->name);
    member(&out->frame, "parentMessageId", out->event->message_id);
    buf_addc(&out->frame, '}');
    flush(out);
}

static void write_call_arguments(struct writer_of *out)
{
    write_delta(out, "TOOL_CALL_ARGS", "toolCallId");
}

static void write_call_ended(struct writer_of *out)
{
    close_pair(out, CALL, out->event->id);
}

static void write_call_started(struct writer_of *out)
{
    begin_custom(&out->frame, "lectern.started");
    value_text(&out->frame, "toolCallId", out->event->id, strlen(out->event->id));
    buf_adds(&out->frame, "}}");
    flush(out);
}

static void write_call_news(struct writer_of *out)
{
    begin_custom(&out->frame, "lectern.output");
    value_text(&out->frame, "toolCallId", out->event->id, strlen(out->event->id));
    value_text(&out->frame, "text", out->event->text, out->event->len);
    buf_adds(&out->frame, "}}");
    flush(out);
}

static void write_image(struct buf *to, const struct tool_image *image)
{
    buf_adds(to, ",{\"type\":\"image\",\"source\":{\"type\":\"data\"");
    buf_adds(to, ",\"value\":\"");
    buf_add(to, image->base64, image->len);
    buf_addc(to, '"');
    member(to, "mimeType", image->mime);
    buf_adds(to, "}}");
}

static void write_call_result(struct writer_of *out)
{
    const struct run_event *event = out->event;
    const struct tool_call *call = event->call;
    struct buf *to = &out->frame;

    begin_now(to, "TOOL_CALL_RESULT");
    member(to, "messageId", event->message_id);
    member(to, "toolCallId", event->id);
    buf_adds(to, ",\"role\":\"tool\",\"content\":");
    if (call && call->image_count > 0) {
        buf_adds(to, "[{\"type\":\"text\",\"text\":");
        json_write_string(to, event->text, event->len);
        buf_addc(to, '}');
        for (size_t i = 0; i < call->image_count; i++)
            write_image(to, &call->images[i]);
        buf_addc(to, ']');
    } else {
        json_write_string(to, event->text ? event->text : "", event->len);
    }
    buf_addf(to, ",\"metadata\":{\"isError\":%s", event->is_error ? "true" : "false");
    if (call && call->category != TOOL_ERROR_NONE)
        member(to, "category", tool_category_name(call->category));
    else
        member(to, "category", event->category);
    buf_addf(to, ",\"milliseconds\":%u,\"repair\":%u,\"repairsMax\":%u}}", event->milliseconds,
             event->repair, RUN_REPAIRS_MAX);
    flush(out);
}

static void write_waiting(struct writer_of *out)
{
    begin_custom(&out->frame, "lectern.waiting");
    value_number(&out->frame, "attempt", out->event->number);
    value_number(&out->frame, "milliseconds", out->event->milliseconds);
    value_text(&out->frame, "why", out->event->text ? out->event->text : "", out->event->len);
    buf_adds(&out->frame, "}}");
    flush(out);
}

static void write_limit(struct writer_of *out)
{
    const char *name = out->event->name ? out->event->name : "";

    begin_custom(&out->frame, "lectern.limit");
    value_text(&out->frame, "limit", name, strlen(name));
    value_text(&out->frame, "message", out->event->text ? out->event->text : "", out->event->len);
    buf_adds(&out->frame, "}}");
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

static void write_ended(struct writer_of *out)
{
    const struct run_event *event = out->event;
    const struct error *err = event->err;

    write_usage(out);
    close_all(out);
    switch (event->outcome) {
    case RUN_SUCCEEDED:
        finished(out->run, "success", NULL, &out->frame);
        break;
    case RUN_CANCELLED:
        finished(out->run, "cancelled", NULL, &out->frame);
        break;
    case RUN_INTERRUPTED:
        finished(out->run, "interrupt", event->interrupts, &out->frame);
        break;
    case RUN_FAILED:
        begin_now(&out->frame, "RUN_ERROR");
        member(&out->frame, "message", err ? err->text : "the run failed");
        member(&out->frame, "code", error_kind_name(err ? err->kind : ERROR_INTERNAL));
        break;
    }
    write_totals(&out->frame, event->usage);
    buf_addc(&out->frame, '}');
    flush(out);
}

static void (*const writers[])(struct writer_of *out) = {
    [RUN_BEGAN] = write_began,
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
    [RUN_CALL_NEWS] = write_call_news,
    [RUN_CALL_RESULT] = write_call_result,
    [RUN_WAITING] = write_waiting,
    [RUN_LIMIT] = write_limit,
    [RUN_ENDED] = write_ended,
};

void agui_write(struct agui_run *run, const struct run_event *event,
                void (*add)(void *user, const char *frame, size_t len), void *user)
{
    struct writer_of out = {.run = run, .event = event, .add = add, .user = user};

    writers[event->kind](&out);
    buf_finish(&out.frame);
}

void agui_run_close(struct agui_run *run)
{
    json_decref(run->open);
    run->open = NULL;
}
