/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names and types are our own words, written as they are; texts are UTF-8 and escaped.
 *
 * What a run has begun and not ended is remembered: AG-UI's verifier ends the stream for a page
 * that gets an end without its beginning, a second beginning, or the end of a run with something
 * open.
 */
#include "mcp/chat/agui.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "helpers/base/json.h"
#include "mcp/agent/attempts.h"
#include "mcp/agent/budget.h"

#define PROTOCOL_VERSION "1.0"
#define STEP_NAME_SIZE   32u
#define ID_SIZE          (THREAD_ID_MAX + 32u)

/* ---- the pieces ---- */

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + (int64_t)now.tv_nsec / 1000000;
}

/* An event with these members, which are taken over; NULL: there was no memory for them. */
static void put_event(struct buf *to, const char *type, json_t *members)
{
    json_auto_t *taken = members;
    json_auto_t *event = json_pack("{s:s, s:I}", "type", type, "timestamp", (json_int_t)now_ms());

    if (!taken || !event || json_object_update(event, taken) < 0)
        to->failed = true;
    else
        json_write(to, event);
}

static void put_custom(struct buf *to, const char *name, json_t *value)
{
    put_event(to, "CUSTOM", json_pack("{s:s, s:o}", "name", name, "value", value));
}

/* What the page shows of a call of that tool: a new reference, or NULL for an unknown tool. */
static json_t *call_metadata(const char *name)
{
    const struct tool *tool = tool_find(name);

    return tool ? json_pack("{s:s, s:s}", "title", tool->call_title, "icon", tool->icon) : NULL;
}

/* ---- single frames ---- */

void agui_run_error(const char *message, const char *code, struct buf *to)
{
    put_event(to, "RUN_ERROR", json_pack("{s:s, s:s*}", "message", message, "code", code));
}

json_t *agui_change_value(const struct store_change *change)
{
    static const char *const targets[] = {
        [STORE_SESSION] = "session",       [STORE_NODES] = "nodes",
        [STORE_COMPONENTS] = "components", [STORE_RELATIONSHIPS] = "relationships",
        [STORE_NODE_MAP] = NODE_MAP_NAME,
    };

    return json_pack("{s:s, s:s?, s:s}", "target", targets[change->target], "node_id",
                     change->node_id, "who", change->who ? change->who : "");
}

void agui_change(json_t *value, struct buf *to)
{
    put_custom(to, "lectern.change", json_incref(value));
}

void agui_state(const json_t *state, struct buf *to)
{
    put_event(to, "STATE_SNAPSHOT", json_pack("{s:O}", "snapshot", state));
}

/* ---- what is open ---- */

enum agui_pair {
    AGUI_STEP,
    AGUI_TEXT,
    AGUI_REASONING_MESSAGE,
    AGUI_REASONING, /* after its message: ended in this order */
    AGUI_CALL,
};

/* What ends it, by what began it. */
static const struct {
    const char *begin, *end, *member;
} pairs[] = {
    [AGUI_STEP] = {"STEP_STARTED", "STEP_FINISHED", "stepName"},
    [AGUI_TEXT] = {"TEXT_MESSAGE_START", "TEXT_MESSAGE_END", "messageId"},
    [AGUI_REASONING_MESSAGE] = {"REASONING_MESSAGE_START", "REASONING_MESSAGE_END", "messageId"},
    [AGUI_REASONING] = {"REASONING_START", "REASONING_END", "messageId"},
    [AGUI_CALL] = {"TOOL_CALL_START", "TOOL_CALL_END", "toolCallId"},
};

/* run->open is {what began it: {id: id}}. */
static json_t *open_ids(const struct agui_run *run, enum agui_pair pair)
{
    return json_object_get(run->open, pairs[pair].begin);
}

static bool remember(struct agui_run *run, enum agui_pair pair, const char *id)
{
    if (!run->open)
        run->open = json_object();
    if (!open_ids(run, pair) &&
        json_object_set_new(run->open, pairs[pair].begin, json_object()) < 0)
        return false;
    return json_object_set_new(open_ids(run, pair), id, json_string(id)) == 0;
}

/* more has additional members of the first event, or is NULL; takes ownership. */
static void open_pair(struct agui_run *run, enum agui_pair pair, const char *id, json_t *more,
                      struct buf *to)
{
    json_auto_t *taken = more;
    json_t *members;

    if (json_object_get(open_ids(run, pair), id) || !remember(run, pair, id))
        return;
    members = json_pack("{s:s}", pairs[pair].member, id);
    if (members && taken)
        json_object_update(members, taken);
    put_event(to, pairs[pair].begin, members);
}

static bool close_pair(struct agui_run *run, enum agui_pair pair, const char *id, struct buf *to)
{
    if (json_object_del(open_ids(run, pair), id) < 0)
        return false;
    put_event(to, pairs[pair].end, json_pack("{s:s}", pairs[pair].member, id));
    return true;
}

static bool close_any(struct agui_run *run, struct buf *to)
{
    for (enum agui_pair pair = AGUI_STEP; pair <= AGUI_CALL; pair++) {
        json_t *ids = open_ids(run, pair);
        json_auto_t *id = json_incref(json_object_iter_value(json_object_iter(ids)));

        if (id) /* held, as its place goes */
            return close_pair(run, pair, json_string_value(id), to);
    }
    return false;
}

void agui_run_close(struct agui_run *run)
{
    json_decref(run->open);
    run->open = NULL;
}

/* ---- events ---- */

/* One event on its way to frames. */
struct writing {
    struct agui_run *run;
    const struct run_event *event;
    struct buf frame; /* the one being written; empty between two */
    bool failed;      /* one was lost */
    void (*add)(void *user, const char *frame, size_t len);
    void *user;
};

static void flush(struct writing *out)
{
    if (out->frame.failed)
        out->failed = true;
    else if (out->frame.len > 0)
        out->add(out->user, out->frame.data, out->frame.len);
    buf_clear(&out->frame);
}

static void write_begin(struct writing *out, enum agui_pair pair, const char *id, json_t *more)
{
    open_pair(out->run, pair, id, more, &out->frame);
    flush(out);
}

static void write_end(struct writing *out, enum agui_pair pair, const char *id)
{
    close_pair(out->run, pair, id, &out->frame);
    flush(out);
}

static void write_custom(struct writing *out, const char *name, json_t *value)
{
    put_custom(&out->frame, name, value);
    flush(out);
}

static void write_began(struct writing *out)
{
    put_event(&out->frame, "RUN_STARTED",
              json_pack("{s:s, s:s, s:s}", "threadId", out->run->thread_id, "runId",
                        out->run->run_id, "protocolVersion", PROTOCOL_VERSION));
    flush(out);
}

static const char *step_name(const struct writing *out, char name[STEP_NAME_SIZE])
{
    if (out->event->name)
        return out->event->name;
    snprintf(name, STEP_NAME_SIZE, "turn %u", out->event->number);
    return name;
}

static void write_turn_began(struct writing *out)
{
    char name[STEP_NAME_SIZE];

    write_begin(out, AGUI_STEP, step_name(out, name), NULL);
}

static void write_usage(struct writing *out)
{
    if (out->event->usage)
        write_custom(out, "lectern.usage", run_usage_json(out->event->usage));
}

static void write_turn_ended(struct writing *out)
{
    char name[STEP_NAME_SIZE];

    write_usage(out);
    write_end(out, AGUI_STEP, step_name(out, name));
}

static void write_text_began(struct writing *out)
{
    write_begin(out, AGUI_TEXT, out->event->id, json_pack("{s:s}", "role", "assistant"));
}

/* Written as text, since most frames are one of these: pages join them by their text as well. */
static void write_delta(struct writing *out, const char *type, const char *id_name)
{
    if (out->event->len == 0)
        return;
    buf_addf(&out->frame, "{\"type\":\"%s\"", type);
    json_write_member(&out->frame, id_name, out->event->id);
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
    write_end(out, AGUI_TEXT, out->event->id);
}

static void write_thinking_began(struct writing *out)
{
    write_begin(out, AGUI_REASONING, out->event->id, NULL);
    write_begin(out, AGUI_REASONING_MESSAGE, out->event->id,
                json_pack("{s:s}", "role", "reasoning"));
}

static void write_thinking(struct writing *out)
{
    write_delta(out, "REASONING_MESSAGE_CONTENT", "messageId");
}

static void write_thinking_ended(struct writing *out)
{
    write_end(out, AGUI_REASONING_MESSAGE, out->event->id);
    write_end(out, AGUI_REASONING, out->event->id);
}

static void write_call_began(struct writing *out)
{
    write_begin(out, AGUI_CALL, out->event->id,
                json_pack("{s:s, s:s*, s:o*}", "toolCallName", out->event->name, "parentMessageId",
                          out->event->message_id, "metadata", call_metadata(out->event->name)));
}

static void write_call_arguments(struct writing *out)
{
    write_delta(out, "TOOL_CALL_ARGS", "toolCallId");
}

static void write_call_ended(struct writing *out)
{
    write_end(out, AGUI_CALL, out->event->id);
}

static void write_call_started(struct writing *out)
{
    write_custom(out, "lectern.started", json_pack("{s:s}", "toolCallId", out->event->id));
}

static void write_call_stands(struct writing *out)
{
    write_custom(out, "lectern.progress",
                 json_pack("{s:s, s:s%}", "toolCallId", out->event->id, "message", out->event->text,
                           out->event->len));
}

static void write_call_printed(struct writing *out)
{
    write_custom(out, "lectern.output",
                 json_pack("{s:s, s:s%}", "toolCallId", out->event->id, "text", out->event->text,
                           out->event->len));
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
    json_write_member(to, "mimeType", image->mime);
    buf_adds(to, "}}");
}

/* Written as text: images are long. */
static void write_call_result(struct writing *out)
{
    const struct run_event *event = out->event;
    const struct tool_call *call = event->call;
    const char *set = call && !event->is_error && *call->change_set ? call->change_set : NULL;
    json_auto_t *metadata =
        json_pack("{s:b, s:s*, s:s*, s:I, s:I, s:I, s:I}", "isError", event->is_error, "category",
                  event->category, "changeSet", set, "milliseconds",
                  (json_int_t)event->milliseconds, "waited", (json_int_t)event->waited, "repair",
                  (json_int_t)event->repair, "repairsMax", (json_int_t)event->repairs_max);
    struct buf *to = &out->frame;

    buf_addf(to, "{\"type\":\"TOOL_CALL_RESULT\",\"timestamp\":%" PRId64, now_ms());
    json_write_member(to, "messageId", event->message_id);
    json_write_member(to, "toolCallId", event->id);
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
    buf_adds(to, ",\"metadata\":");
    if (metadata)
        json_write(to, metadata);
    else
        to->failed = true;
    buf_addc(to, '}');
    flush(out);
}

static void write_task(struct writing *out)
{
    write_custom(out, "lectern.task", json_incref((json_t *)out->event->task));
}

static void write_waiting(struct writing *out)
{
    write_custom(out, "lectern.waiting",
                 json_pack("{s:I, s:I, s:s%}", "attempt", (json_int_t)out->event->number,
                           "milliseconds", (json_int_t)out->event->milliseconds, "why",
                           out->event->text, out->event->len));
}

static void write_again(struct writing *out)
{
    write_custom(out, "lectern.again",
                 json_pack("{s:s, s:s%}", "id", out->event->id, "message", out->event->text,
                           out->event->len));
}

static void write_limit(struct writing *out)
{
    write_custom(out, "lectern.limit",
                 json_pack("{s:s, s:s%}", "limit", out->event->name, "message", out->event->text,
                           out->event->len));
}

/* As AG-UI counts: cached tokens are a part of those read. model may be NULL. */
static json_t *usage_of(const char *model, const struct model_usage *tokens)
{
    json_int_t input = model_usage_input(tokens);

    return json_pack("{s:s*, s:I, s:I, s:I, s:I, s:I}", "model", model, "inputTokens", input,
                     "outputTokens", (json_int_t)tokens->output, "totalTokens",
                     input + (json_int_t)tokens->output, "cachedInputTokens",
                     (json_int_t)tokens->cache_read, "cacheWriteInputTokens",
                     (json_int_t)tokens->cache_write);
}

/* Totals, or those of each model. A new reference, or NULL. */
static json_t *totals(const struct run_event *event)
{
    json_t *list, *usage;
    const char *model;

    if (!event->usage || event->usage->requests == 0)
        return NULL;
    list = json_array();
    if (json_object_size(event->models) == 0)
        json_array_append_new(list, usage_of(NULL, &event->usage->tokens));
    json_object_foreach((json_t *)event->models, model, usage)
    {
        const struct model_usage tokens = budget_read_usage(usage);

        json_array_append_new(list, usage_of(model, &tokens));
    }
    return list;
}

static void write_ended(struct writing *out)
{
    static const char *const outcomes[] = {
        [RUN_SUCCEEDED] = "success",
        [RUN_CANCELLED] = "cancelled",
        [RUN_INTERRUPTED] = "interrupt",
    };
    const struct run_event *event = out->event;
    const struct error *err = event->err;

    write_usage(out);
    while (close_any(out->run, &out->frame))
        flush(out);
    if (event->outcome == RUN_FAILED)
        put_event(&out->frame, "RUN_ERROR",
                  json_pack("{s:s, s:s, s:o*}", "message", err ? err->text : "the run failed",
                            "code", error_kind_name(err ? err->kind : ERROR_INTERNAL), "usage",
                            totals(event)));
    else
        put_event(&out->frame, "RUN_FINISHED",
                  json_pack("{s:s, s:s, s:{s:s, s:O*}, s:o*, s:o*}", "threadId",
                            out->run->thread_id, "runId", out->run->run_id, "outcome", "type",
                            outcomes[event->outcome], "interrupts",
                            event->outcome == RUN_INTERRUPTED ? event->interrupts : NULL, "result",
                            event->status ? json_pack("{s:s}", "status", event->status) : NULL,
                            "usage", totals(event)));
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
    [RUN_TASK] = write_task,
    [RUN_WAITING] = write_waiting,
    [RUN_LIMIT] = write_limit,
    [RUN_ENDED] = write_ended,
};

int agui_write(struct agui_run *run, const struct run_event *event,
               void (*add)(void *user, const char *frame, size_t len), void *user)
{
    struct writing out = {.run = run, .event = event, .add = add, .user = user};

    writers[event->kind](&out);
    buf_finish(&out.frame);
    return out.failed ? -1 : 0;
}

/* ---- a whole thread ---- */

/* Blocks of one message in the Messages API are separate messages in AG-UI (reasoning, tool). */
struct snapshot {
    const struct thread *thread;
    json_t *messages; /* owned */
    const json_t *message;
    char id[ID_SIZE]; /* of message */
};

static void put(struct snapshot *snapshot, json_t *message)
{
    json_array_append_new(snapshot->messages, message);
}

/* The text blocks, joined; a new reference. */
static json_t *joined_text(const json_t *content)
{
    struct buf BUF_AUTO text = {0};
    const json_t *block;
    size_t i;

    if (json_is_string(content))
        return json_incref((json_t *)content);
    json_array_foreach((json_t *)content, i, block)
    {
        const json_t *piece = json_object_get(block, "text");

        if (!json_string_is(block, "type", "text") || !json_is_string(piece))
            continue;
        if (text.len > 0)
            buf_adds(&text, "\n\n");
        buf_add(&text, json_string_value(piece), json_string_length(piece));
    }
    return json_stringn(text.data ? text.data : "", text.len);
}

/* Its user's messages. */

static void put_question(struct snapshot *snapshot)
{
    json_t *shown = json_object_get(json_object_get(snapshot->message, "shown"), "text");
    json_t *text =
        shown ? json_incref(shown) : joined_text(json_object_get(snapshot->message, "content"));

    put(snapshot,
        json_pack("{s:s, s:s, s:o}", "id", snapshot->id, "role", "user", "content", text));
}

/* What is shown of the result of that call, or NULL. */
static const json_t *find_shown(const json_t *message, const char *call_id)
{
    const json_t *results = json_object_get(json_object_get(message, "shown"), "results"), *result;
    size_t i;

    json_array_foreach((json_t *)results, i, result)
    {
        if (json_string_is(result, "tool_call_id", call_id))
            return result;
    }
    return NULL;
}

/* The API's pictures as AG-UI's. */
static void add_images(json_t *parts, const json_t *content)
{
    const json_t *block;
    size_t i;

    json_array_foreach((json_t *)content, i, block)
    {
        const json_t *source = json_object_get(block, "source");
        const char *data = json_get_string(source, "data");
        const char *mime = json_get_string(source, "media_type");

        if (json_string_is(block, "type", "image") && data && mime)
            json_array_append_new(parts,
                                  json_pack("{s:s, s:{s:s, s:s, s:s}}", "type", "image", "source",
                                            "type", "data", "value", data, "mimeType", mime));
    }
}

static json_t *result_content(const json_t *block, const json_t *shown)
{
    json_t *text = json_object_get(shown, "text"), *parts = json_array();

    text =
        json_is_string(text) ? json_incref(text) : joined_text(json_object_get(block, "content"));
    add_images(parts, json_object_get(block, "content"));
    if (json_array_size(parts) == 0) {
        json_decref(parts);
        return text;
    }
    json_array_insert_new(parts, 0, json_pack("{s:s, s:o}", "type", "text", "text", text));
    return parts;
}

static json_t *result_metadata(const json_t *block, const json_t *shown)
{
    bool failed = json_is_true(json_object_get(shown ? shown : block, "is_error"));
    json_t *metadata =
        json_pack("{s:b, s:i}", "isError", failed, "repairsMax", (int)ATTEMPTS_DEFAULT - 1);
    static const struct {
        const char *kept, *sent;
    } names[] = {{"category", "category"},
                 {"change_set", "changeSet"},
                 {"milliseconds", "milliseconds"},
                 {"waited", "waited"},
                 {"repair", "repair"},
                 {"repairs_max", "repairsMax"}}; /* not in results of earlier servers */

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        json_t *value = json_object_get(shown, names[i].kept);

        if (value && !json_is_null(value))
            json_object_set(metadata, names[i].sent, value);
    }
    return metadata;
}

static void put_results(struct snapshot *snapshot)
{
    const json_t *content = json_object_get(snapshot->message, "content"), *block;
    size_t i;

    json_array_foreach((json_t *)content, i, block)
    {
        const char *call = json_get_string(block, "tool_use_id");
        const json_t *shown;
        const char *id;
        char own[ID_SIZE + 32];

        if (!json_string_is(block, "type", "tool_result") || !call)
            continue;
        shown = find_shown(snapshot->message, call);
        id = json_get_string(shown, "id");
        snprintf(own, sizeof own, "%s-result-%zu", snapshot->id, i);
        put(snapshot, json_pack("{s:s, s:s, s:s, s:o, s:o}", "id", id ? id : own, "role", "tool",
                                "toolCallId", call, "content", result_content(block, shown),
                                "metadata", result_metadata(block, shown)));
    }
}

/* Its assistant's messages. */

static void put_thinking(struct snapshot *snapshot, const json_t *content)
{
    const json_t *block;
    size_t i;

    json_array_foreach((json_t *)content, i, block)
    {
        const char *text = json_get_string(block, "thinking");
        char id[ID_SIZE + 32];

        if (!json_string_is(block, "type", "thinking") || !text || !*text)
            continue;
        snprintf(id, sizeof id, "%s-thinking-%zu", snapshot->id, i);
        put(snapshot, json_pack("{s:s, s:s, s:O}", "id", id, "role", "reasoning", "content",
                                json_object_get(block, "thinking")));
    }
}

static json_t *calls_of(const json_t *content)
{
    json_t *calls = json_array(), *block;
    size_t i;

    json_array_foreach((json_t *)content, i, block)
    {
        const char *id = json_get_string(block, "id"), *name = json_get_string(block, "name");
        struct buf BUF_AUTO arguments = {0};

        if (!json_string_is(block, "type", "tool_use") || !id || !name)
            continue;
        json_write(&arguments, json_object_get(block, "input"));
        json_array_append_new(calls, json_pack("{s:s, s:s, s:{s:s, s:o}, s:o*}", "id", id, "type",
                                               "function", "function", "name", name, "arguments",
                                               json_stringn(arguments.data ? arguments.data : "{}",
                                                            arguments.data ? arguments.len : 2),
                                               "metadata", call_metadata(name)));
    }
    return calls;
}

static void put_assistant(struct snapshot *snapshot)
{
    const json_t *content = json_object_get(snapshot->message, "content");
    json_t *text = joined_text(content), *calls = calls_of(content);
    bool says = json_string_length(text) > 0, does = json_array_size(calls) > 0;
    json_t *message = json_pack("{s:s, s:s}", "id", snapshot->id, "role", "assistant");
    json_t *task = json_object_get(json_object_get(snapshot->message, "shown"), "task");

    put_thinking(snapshot, content);
    if (says)
        json_object_set(message, "content", text);
    if (does)
        json_object_set(message, "toolCalls", calls);
    if (says || does)
        put(snapshot, json_incref(message));
    if (task)
        put(snapshot,
            json_pack("{s:o, s:s, s:s, s:O}", "id", json_sprintf("%s-task", snapshot->id), "role",
                      "activity", "activityType", "lectern.task", "content", task));
    json_decref(text);
    json_decref(calls);
    json_decref(message);
}

/* What the page saw of a question when it was stopped; if it was asked later, the later one is
 * shown. */
static void put_not_asked(struct snapshot *snapshot)
{
    if (!thread_was_not_asked(snapshot->thread, snapshot->id))
        return;
    put_question(snapshot);
    put(snapshot,
        json_pack("{s:o, s:s, s:s, s:{s:s, s:s}}", "id", json_sprintf("%s-stopped", snapshot->id),
                  "role", "activity", "activityType", "lectern.note", "content", "kind", "stopped",
                  "text", "Stopped before it was asked."));
}

static void put_activity(struct snapshot *snapshot, const char *type, json_t *content)
{
    put(snapshot, json_pack("{s:s, s:s, s:s, s:O}", "id", snapshot->id, "role", "activity",
                            "activityType", type, "content", content));
}

static void put_note(struct snapshot *snapshot)
{
    json_t *shown = json_object_get(snapshot->message, "shown");
    json_t *usage = json_object_get(shown, "usage");

    if (thread_is_note(snapshot->message, THREAD_NOT_ASKED))
        put_not_asked(snapshot);
    else if (json_get_string(shown, "text"))
        put_activity(snapshot, "lectern.note", shown);
    else if (json_is_object(usage))
        put_activity(snapshot, "lectern.usage", usage);
}

static void put_message(struct snapshot *snapshot)
{
    if (json_string_is(snapshot->message, "role", "user")) {
        put_results(snapshot);
        if (thread_is_question(snapshot->message))
            put_question(snapshot);
    } else if (json_string_is(snapshot->message, "role", "assistant")) {
        put_assistant(snapshot);
    } else {
        put_note(snapshot);
    }
}

void agui_messages(const struct thread *thread, struct buf *to)
{
    struct snapshot snapshot = {.thread = thread, .messages = json_array()};
    size_t i;

    json_array_foreach(thread->messages, i, snapshot.message)
    {
        const char *id = json_get_string(snapshot.message, "id");

        if (id && strlen(id) < sizeof snapshot.id)
            memcpy(snapshot.id, id, strlen(id) + 1);
        else
            snprintf(snapshot.id, sizeof snapshot.id, "message-%zu", i);
        put_message(&snapshot);
    }
    buf_adds(to, "{\"type\":\"MESSAGES_SNAPSHOT\",\"messages\":");
    json_write(to, snapshot.messages);
    buf_addc(to, '}');
    json_decref(snapshot.messages);
}
