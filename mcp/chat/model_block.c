/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Content blocks as they stream in: a table of what streams in a block of each type, and one of
 * where the text of each kind of delta goes.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/chat/model_event.h"

#define ID_CHARACTERS  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
#define ID_NUMBER_ROOM 12u /* bytes of "_" and any number behind an id */

int model_malformed(struct error *err, const char *why)
{
    return error_set(err, ERROR_MALFORMED,
                     "the model's service sent a stream that is not one of the Messages API: %s. "
                     "Ask again; where it stays so, check --llm-url",
                     why);
}

int model_no_memory(struct error *err)
{
    return error_set(err, ERROR_MEMORY, "out of memory for the model's answer");
}

/* Counts bytes that the message keeps. */
static int take_bytes(struct model_message *message, size_t len, struct error *err)
{
    if (len > MODEL_MESSAGE_CAP - message->bytes)
        return error_set(err, ERROR_TOO_LARGE,
                         "the model's answer is larger than %zu MiB: ask for less at once",
                         MODEL_MESSAGE_CAP >> 20);
    message->bytes += len;
    return 0;
}

static struct model_block *find_block(struct model_message *message, const json_t *data)
{
    const json_t *index = json_object_get(data, "index");

    for (size_t i = 0; json_is_integer(index) && i < message->block_count; i++) {
        if (message->blocks[i].index == json_integer_value(index))
            return &message->blocks[i];
    }
    return NULL;
}

/* What streams in a block of each type, and whom it is told to. */
static const struct {
    const char *type;
    enum model_block_kind kind;
    const char *member; /* where text that is there at the beginning stands */
} block_types[] = {
    {"text", MODEL_BLOCK_TEXT, "text"},       {"thinking", MODEL_BLOCK_THINKING, "thinking"},
    {"tool_use", MODEL_BLOCK_CALL, NULL},     {"server_tool_use", MODEL_BLOCK_CALL, NULL},
    {"mcp_tool_use", MODEL_BLOCK_CALL, NULL},
};

static void tell_begin(struct model_event *event, struct model_block *block, const char *type)
{
    const struct model_listener *listener = event->listener;
    size_t number = (size_t)(block - event->message->blocks);

    block->notified = block->kind != MODEL_BLOCK_OTHER &&
                      (block->kind != MODEL_BLOCK_CALL || strcmp(type, "tool_use") == 0);
    if (!block->notified)
        return;
    if (block->kind == MODEL_BLOCK_TEXT && listener->on_text_begin)
        listener->on_text_begin(event->user, number);
    if (block->kind == MODEL_BLOCK_THINKING && listener->on_thinking_begin)
        listener->on_thinking_begin(event->user, number);
    if (block->kind == MODEL_BLOCK_CALL && listener->on_call_begin)
        listener->on_call_begin(event->user, number, json_get_string(block->value, "id"),
                                json_get_string(block->value, "name"));
}

static void tell_text(struct model_event *event, const struct model_block *block, const char *text,
                      size_t len)
{
    const struct model_listener *listener = event->listener;
    void (*notify)(void *user, size_t number, const char *text, size_t len) =
        block->kind == MODEL_BLOCK_TEXT       ? listener->on_text
        : block->kind == MODEL_BLOCK_THINKING ? listener->on_thinking
                                              : listener->on_call_arguments;

    if (block->notified && notify && len > 0)
        notify(event->user, (size_t)(block - event->message->blocks), text, len);
}

/* Keeps text of the block and tells it. The first half of a character waits for the second, which
 * the next text may begin with; stays it alone, it is U+FFFD. */
static int add_text(struct model_event *event, struct model_block *block, const char *text,
                    size_t len, struct error *err)
{
    size_t before = block->text.len, mended = strlen(UTF8_REPLACEMENT);

    if (take_bytes(event->message, len, err) < 0)
        return -1;
    if (block->high && len > 0) {
        if (event->halves.low && len >= mended && memcmp(text, UTF8_REPLACEMENT, mended) == 0) {
            json_mend_join(block->high, event->halves.low, &block->text);
            text += mended;
            len -= mended;
        } else {
            buf_adds(&block->text, UTF8_REPLACEMENT);
        }
        block->high = 0;
    }
    if (event->halves.high && len >= mended &&
        memcmp(text + len - mended, UTF8_REPLACEMENT, mended) == 0) {
        block->high = event->halves.high;
        len -= mended;
    }
    buf_add(&block->text, text, len);
    if (block->text.failed)
        return model_no_memory(err);
    tell_text(event, block, block->text.data + before, block->text.len - before);
    return 0;
}

static int check_call(const json_t *value, struct error *err)
{
    const char *id = json_get_string(value, "id"), *name = json_get_string(value, "name");

    if (!id || !*id || strlen(id) > MODEL_ID_MAX)
        return model_malformed(err, "a tool call without an id that can be kept");
    if (!name || !*name || strlen(name) > MODEL_NAME_MAX)
        return model_malformed(err, "a tool call without a name that can be kept");
    return 0;
}

/* ---- ids of calls ---- */

static bool has_call(const struct model_event *event, const char *id)
{
    const struct model_message *message = event->message;

    for (size_t i = 0; i < message->block_count; i++) {
        const char *own = json_get_string(message->blocks[i].value, "id");

        if (message->blocks[i].kind == MODEL_BLOCK_CALL && own && strcmp(own, id) == 0)
            return true;
    }
    return event->listener->is_taken && event->listener->is_taken(event->user, id);
}

/* What the service takes back as an id: letters, digits, '_' and '-', and no other call's. */
static int settle_id(struct model_event *event, json_t *value, struct error *err)
{
    char id[MODEL_ID_MAX + 1], plain[MODEL_ID_MAX + 1 - ID_NUMBER_ROOM];

    snprintf(id, sizeof id, "%s", json_get_string(value, "id"));
    for (char *at = id; *at; at++) {
        if (!strchr(ID_CHARACTERS, *at))
            *at = '_';
    }
    snprintf(plain, sizeof plain, "%.*s", (int)sizeof plain - 1, id);
    for (unsigned number = 2; has_call(event, id); number++)
        snprintf(id, sizeof id, "%s_%u", plain, number);
    if (strcmp(id, json_get_string(value, "id")) == 0)
        return 0;
    return json_object_set_new(value, "id", json_string(id)) < 0 ? model_no_memory(err) : 0;
}

int model_block_start(struct model_event *event, struct error *err)
{
    struct model_message *message = event->message;
    json_t *value = json_object_get(event->data, "content_block");
    const json_t *index = json_object_get(event->data, "index");
    const char *type = json_get_string(value, "type");
    const char *text = NULL;
    struct model_block *block = &message->blocks[message->block_count];

    if (!type || !json_is_integer(index))
        return model_malformed(err, "a content block without its type or index");
    if (find_block(message, event->data))
        return model_malformed(err, "a content block that began twice");
    if (message->block_count == MODEL_BLOCKS_CAP)
        return error_set(err, ERROR_TOO_LARGE,
                         "the model's answer has more than %u parts: ask for less at once",
                         MODEL_BLOCKS_CAP);
    if (strcmp(type, "tool_use") == 0 &&
        (check_call(value, err) < 0 || settle_id(event, value, err) < 0))
        return -1;
    if (take_bytes(message, event->len, err) < 0)
        return -1;
    memset(block, 0, sizeof *block);
    for (size_t i = 0; i < sizeof block_types / sizeof *block_types; i++) {
        if (strcmp(block_types[i].type, type) == 0) {
            block->kind = block_types[i].kind;
            text = block_types[i].member ? json_get_string(value, block_types[i].member) : NULL;
        }
    }
    block->index = json_integer_value(index);
    block->value = json_incref(value);
    message->block_count++;
    tell_begin(event, block, type);
    return text ? add_text(event, block, text, strlen(text), err) : 0;
}

static int add_signature(struct model_event *event, struct model_block *block, json_t *delta,
                         struct error *err)
{
    const json_t *signature = json_object_get(delta, "signature");
    size_t len = json_string_length(signature);

    if (!json_is_string(signature))
        return model_malformed(err, "a signature that is no text");
    if (take_bytes(event->message, len, err) < 0)
        return -1;
    buf_add(&block->signature, json_string_value(signature), len);
    return block->signature.failed ? model_no_memory(err) : 0;
}

static int add_citation(struct model_event *event, struct model_block *block, json_t *delta,
                        struct error *err)
{
    json_t *citation = json_object_get(delta, "citation");
    json_t *citations = json_object_get(block->value, "citations");

    if (!json_is_object(citation))
        return model_malformed(err, "a citation that is none");
    if (take_bytes(event->message, event->len, err) < 0)
        return -1;
    if (!json_is_array(citations)) {
        citations = json_array();
        if (json_object_set_new(block->value, "citations", citations) < 0)
            return model_no_memory(err);
    }
    return json_array_append(citations, citation) < 0 ? model_no_memory(err) : 0;
}

static const struct {
    const char *type;
    enum model_block_kind kind; /* that it belongs to */
    const char *member;         /* its text; or NULL, with add */
    int (*add)(struct model_event *event, struct model_block *block, json_t *delta,
               struct error *err);
} deltas[] = {
    {"text_delta", MODEL_BLOCK_TEXT, "text", NULL},
    {"thinking_delta", MODEL_BLOCK_THINKING, "thinking", NULL},
    {"input_json_delta", MODEL_BLOCK_CALL, "partial_json", NULL},
    {"signature_delta", MODEL_BLOCK_THINKING, NULL, add_signature},
    {"citations_delta", MODEL_BLOCK_TEXT, NULL, add_citation},
};

int model_block_delta(struct model_event *event, struct error *err)
{
    struct model_block *block = find_block(event->message, event->data);
    json_t *delta = json_object_get(event->data, "delta");
    const char *type = json_get_string(delta, "type");
    const json_t *text;

    if (!block || block->ended || !type)
        return model_malformed(err, "a delta of a content block that is not open");
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        if (strcmp(deltas[i].type, type) != 0 || block->kind == MODEL_BLOCK_OTHER)
            continue;
        if (deltas[i].kind != block->kind)
            return model_malformed(err, "a delta of another kind than its content block");
        if (deltas[i].add)
            return deltas[i].add(event, block, delta, err);
        text = json_object_get(delta, deltas[i].member);
        if (!json_is_string(text))
            return model_malformed(err, "a delta without its text");
        return add_text(event, block, json_string_value(text), json_string_length(text), err);
    }
    block->lacks = block->kind == MODEL_BLOCK_OTHER;
    return 0; /* one of a later version */
}

/* A service may send a call's input whole, with its beginning. */
static int tell_whole_input(struct model_event *event, const struct model_block *block,
                            struct error *err)
{
    const json_t *input = json_object_get(block->value, "input");
    BUF_AUTO struct buf text = {0};

    if (block->text.len > 0 || json_object_size(input) == 0)
        return 0;
    json_write(&text, input);
    if (text.failed)
        return model_no_memory(err);
    tell_text(event, block, text.data, text.len);
    return 0;
}

int model_block_stop(struct model_event *event, struct error *err)
{
    struct model_block *block = find_block(event->message, event->data);
    size_t mended = strlen(UTF8_REPLACEMENT);

    if (!block || block->ended)
        return model_malformed(err, "the end of a content block that is not open");
    if (block->high) {
        block->high = 0;
        buf_add(&block->text, UTF8_REPLACEMENT, mended);
        if (block->text.failed)
            return model_no_memory(err);
        tell_text(event, block, UTF8_REPLACEMENT, mended);
    }
    if (block->kind == MODEL_BLOCK_CALL && tell_whole_input(event, block, err) < 0)
        return -1;
    block->ended = true;
    if (block->notified && event->listener->on_block_end)
        event->listener->on_block_end(event->user, (size_t)(block - event->message->blocks));
    return 0;
}
