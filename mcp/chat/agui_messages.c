/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A whole thread as AG-UI's MESSAGES_SNAPSHOT: what the Messages API has as blocks of one message
 * are messages of their own there (reasoning, tool). Pure.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/chat/agui.h"

#define ID_SIZE (THREAD_ID_MAX + 32u)

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

/* ---- the user ---- */

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
        json_pack("{s:b, s:i}", "isError", failed, "repairsMax", (int)CODE_ATTEMPTS_MAX - 1);
    static const struct {
        const char *kept, *told;
    } names[] = {{"category", "category"},
                 {"change_set", "changeSet"},
                 {"milliseconds", "milliseconds"},
                 {"waited", "waited"},
                 {"repair", "repair"}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        json_t *value = json_object_get(shown, names[i].kept);

        if (value && !json_is_null(value))
            json_object_set(metadata, names[i].told, value);
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

/* ---- the assistant ---- */

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
        json_array_append_new(calls, json_pack("{s:s, s:s, s:{s:s, s:o}}", "id", id, "type",
                                               "function", "function", "name", name, "arguments",
                                               json_stringn(arguments.data ? arguments.data : "{}",
                                                            arguments.data ? arguments.len : 2)));
    }
    return calls;
}

static void put_assistant(struct snapshot *snapshot)
{
    const json_t *content = json_object_get(snapshot->message, "content");
    json_t *text = joined_text(content), *calls = calls_of(content);
    bool says = json_string_length(text) > 0, does = json_array_size(calls) > 0;
    json_t *message = json_pack("{s:s, s:s}", "id", snapshot->id, "role", "assistant");

    put_thinking(snapshot, content);
    if (says)
        json_object_set(message, "content", text);
    if (does)
        json_object_set(message, "toolCalls", calls);
    if (says || does)
        put(snapshot, json_incref(message));
    json_decref(text);
    json_decref(calls);
    json_decref(message);
}

/* What the page saw of it when it was stopped; where it was asked later, that is shown. */
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
