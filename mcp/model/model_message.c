/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables say what each event does, what streams in a block of each type, and where the text of each
 * kind of delta goes.
 */
#include "mcp/model/model_message.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/model/json_repair.h"
#include "mcp/model/model_errors.h"

#define TOKENS_MAX                                                                                 \
    ((json_int_t)1 << 48) /* larger counts are invalid: their sums stay within 64 bits */
#define ID_CHARACTERS  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
#define ID_NUMBER_ROOM 12u /* bytes of "_" and any number after an id */

/* Everything is borrowed. */
struct model_event {
    struct model_message *message;
    const struct model_listener *listener;
    void *user;
    const json_t *data;
    size_t len; /* bytes of the data */
    struct json_halves halves;
};

static const struct {
    const char *name;
    enum model_stop stop;
} stops[] = {
    {"end_turn", MODEL_STOP_END_TURN},
    {"stop_sequence", MODEL_STOP_SEQUENCE},
    {"tool_use", MODEL_STOP_TOOL_USE},
    {"max_tokens", MODEL_STOP_MAX_TOKENS},
    {"pause_turn", MODEL_STOP_PAUSE_TURN},
    {"refusal", MODEL_STOP_REFUSAL},
    {"model_context_window_exceeded", MODEL_STOP_CONTEXT_WINDOW},
};

const char *model_stop_name(enum model_stop stop)
{
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        if (stops[i].stop == stop)
            return stops[i].name;
    }
    return "unknown";
}

static enum model_stop find_stop(const char *name)
{
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        if (strcmp(stops[i].name, name) == 0)
            return stops[i].stop;
    }
    return MODEL_STOP_UNKNOWN;
}

void model_message_init(struct model_message *message)
{
    memset(message, 0, sizeof *message);
}

void model_message_finish(struct model_message *message)
{
    json_decref(message->stop_details);
    for (size_t i = 0; i < message->block_count; i++) {
        json_decref(message->blocks[i].value);
        buf_finish(&message->blocks[i].text);
        buf_finish(&message->blocks[i].signature);
    }
    memset(message, 0, sizeof *message);
}

static void copy_text(char *to, size_t size, const char *from)
{
    if (from)
        snprintf(to, size, "%.*s", utf8_shown(from, size - 1), from);
}

static void read_usage(struct model_usage *usage, const json_t *from)
{
    const struct {
        const char *name;
        int64_t *to;
    } members[] = {
        {"input_tokens", &usage->input},
        {"cache_creation_input_tokens", &usage->cache_write},
        {"cache_read_input_tokens", &usage->cache_read},
        {"output_tokens", &usage->output},
    };

    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const json_t *value = json_object_get(from, members[i].name);
        json_int_t count = json_integer_value(value);

        if (json_is_integer(value) && count >= 0 && count <= TOKENS_MAX)
            *members[i].to = count;
    }
}

/* ---- content blocks ---- */

static int malformed(struct error *err, const char *why)
{
    return error_set(err, ERROR_MALFORMED,
                     "the model's service sent a stream that does not follow the Messages API: %s. "
                     "Ask again; if this happens each time, check --llm-url",
                     why);
}

static int no_memory(struct error *err)
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

/* What streams in a block of each type. */
static const struct {
    const char *type;
    enum model_block_kind kind;
    const char *member; /* the member with the initial text */
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

/* Appends the character of two halves. */
static void add_character(unsigned high, unsigned low, struct buf *to)
{
    unsigned code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    char bytes[4] = {(char)(0xF0 | code >> 18), (char)(0x80 | (code >> 12 & 0x3F)),
                     (char)(0x80 | (code >> 6 & 0x3F)), (char)(0x80 | (code & 0x3F))};

    buf_add(to, bytes, sizeof bytes);
}

/* Keeps text of the block and reports it. The first half of a character waits for the second, which
 * the next text may begin with; stays it alone, it is U+FFFD. */
static int add_text(struct model_event *event, struct model_block *block, const char *text,
                    size_t len, struct error *err)
{
    size_t before = block->text.len, repaired = strlen(UTF8_REPLACEMENT);

    if (take_bytes(event->message, len, err) < 0)
        return -1;
    if (block->high && len > 0) {
        if (event->halves.low && len >= repaired && memcmp(text, UTF8_REPLACEMENT, repaired) == 0) {
            add_character(block->high, event->halves.low, &block->text);
            text += repaired;
            len -= repaired;
        } else {
            buf_adds(&block->text, UTF8_REPLACEMENT);
        }
        block->high = 0;
    }
    if (event->halves.high && len >= repaired &&
        memcmp(text + len - repaired, UTF8_REPLACEMENT, repaired) == 0) {
        block->high = event->halves.high;
        len -= repaired;
    }
    buf_add(&block->text, text, len);
    if (block->text.failed)
        return no_memory(err);
    tell_text(event, block, block->text.data + before, block->text.len - before);
    return 0;
}

static int check_call(const json_t *value, struct error *err)
{
    const char *id = json_get_string(value, "id"), *name = json_get_string(value, "name");

    if (!id || !*id || strlen(id) > MODEL_ID_MAX)
        return malformed(err, "a tool call without an id that can be kept");
    if (!name || !*name || strlen(name) > MODEL_NAME_MAX)
        return malformed(err, "a tool call without a name that can be kept");
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

/* Sets an id that the service accepts: letters, digits, '_' and '-', different from those of other
 * calls. */
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
    return json_object_set_new(value, "id", json_string(id)) < 0 ? no_memory(err) : 0;
}

static int on_block_start(struct model_event *event, struct error *err)
{
    struct model_message *message = event->message;
    json_t *value = json_object_get(event->data, "content_block");
    const json_t *index = json_object_get(event->data, "index");
    const char *type = json_get_string(value, "type");
    const char *text = NULL;
    struct model_block *block = &message->blocks[message->block_count];

    if (!type || !json_is_integer(index))
        return malformed(err, "a content block without its type or index");
    if (find_block(message, event->data))
        return malformed(err, "a content block that began twice");
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
        return malformed(err, "a signature that is not text");
    if (take_bytes(event->message, len, err) < 0)
        return -1;
    buf_add(&block->signature, json_string_value(signature), len);
    return block->signature.failed ? no_memory(err) : 0;
}

static int add_citation(struct model_event *event, struct model_block *block, json_t *delta,
                        struct error *err)
{
    json_t *citation = json_object_get(delta, "citation");
    json_t *citations = json_object_get(block->value, "citations");

    if (!json_is_object(citation))
        return malformed(err, "a citation that is not an object");
    if (take_bytes(event->message, event->len, err) < 0)
        return -1;
    if (!json_is_array(citations)) {
        citations = json_array();
        if (json_object_set_new(block->value, "citations", citations) < 0)
            return no_memory(err);
    }
    return json_array_append(citations, citation) < 0 ? no_memory(err) : 0;
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

static int on_block_delta(struct model_event *event, struct error *err)
{
    struct model_block *block = find_block(event->message, event->data);
    json_t *delta = json_object_get(event->data, "delta");
    const char *type = json_get_string(delta, "type");
    const json_t *text;

    if (!block || block->ended || !type)
        return malformed(err, "a delta of a content block that is not open");
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        if (strcmp(deltas[i].type, type) != 0 || block->kind == MODEL_BLOCK_OTHER)
            continue;
        if (deltas[i].kind != block->kind)
            return malformed(err, "a delta of another kind than its content block");
        if (deltas[i].add)
            return deltas[i].add(event, block, delta, err);
        text = json_object_get(delta, deltas[i].member);
        if (!json_is_string(text))
            return malformed(err, "a delta without its text");
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
        return no_memory(err);
    tell_text(event, block, text.data, text.len);
    return 0;
}

static int on_block_stop(struct model_event *event, struct error *err)
{
    struct model_block *block = find_block(event->message, event->data);
    size_t repaired = strlen(UTF8_REPLACEMENT);

    if (!block || block->ended)
        return malformed(err, "the end of a content block that is not open");
    if (block->high) {
        block->high = 0;
        buf_add(&block->text, UTF8_REPLACEMENT, repaired);
        if (block->text.failed)
            return no_memory(err);
        tell_text(event, block, UTF8_REPLACEMENT, repaired);
    }
    if (block->kind == MODEL_BLOCK_CALL && tell_whole_input(event, block, err) < 0)
        return -1;
    block->ended = true;
    if (block->notified && event->listener->on_block_end)
        event->listener->on_block_end(event->user, (size_t)(block - event->message->blocks));
    return 0;
}

/* ---- events ---- */

static int on_message_start(struct model_event *event, struct error *err)
{
    const json_t *start = json_object_get(event->data, "message");
    struct model_message *message = event->message;

    if (message->began || !json_is_object(start))
        return malformed(err, message->began ? "a second message_start"
                                             : "a message_start without a message");
    message->began = true;
    copy_text(message->id, sizeof message->id, json_get_string(start, "id"));
    copy_text(message->model, sizeof message->model, json_get_string(start, "model"));
    read_usage(&message->usage, json_object_get(start, "usage"));
    return 0;
}

static int on_message_delta(struct model_event *event, struct error *err)
{
    const json_t *delta = json_object_get(event->data, "delta");
    json_t *details = json_object_get(delta, "stop_details");
    const char *reason = json_get_string(delta, "stop_reason");
    struct model_message *message = event->message;

    (void)err;
    if (reason)
        message->stop = find_stop(reason);
    if (json_is_object(details)) {
        json_decref(message->stop_details);
        message->stop_details = json_incref(details);
    }
    read_usage(&message->usage, json_object_get(event->data, "usage"));
    return 0;
}

static int on_message_stop(struct model_event *event, struct error *err)
{
    for (size_t i = 0; i < event->message->block_count; i++) {
        if (!event->message->blocks[i].ended)
            return malformed(err, "the end of the message within a content block");
    }
    event->message->ended = true;
    return 0;
}

static int on_error(struct model_event *event, struct error *err)
{
    const json_t *error = json_object_get(event->data, "error");
    struct model_message *message = event->message;
    struct model_refusal refusal = {.type = message->error_type, .message = message->error_message};

    copy_text(message->error_type, sizeof message->error_type, json_get_string(error, "type"));
    copy_text(message->error_message, sizeof message->error_message,
              json_get_string(error, "message"));
    return model_refusal_describe(&refusal, err);
}

static const struct {
    const char *name;
    bool within; /* the message must have begun */
    int (*take)(struct model_event *event, struct error *err);
} events[] = {
    {"message_start", false, on_message_start},
    {"content_block_start", true, on_block_start},
    {"content_block_delta", true, on_block_delta},
    {"content_block_stop", true, on_block_stop},
    {"message_delta", true, on_message_delta},
    {"message_stop", true, on_message_stop},
    {"error", false, on_error},
};
#define EVENT_COUNT (sizeof events / sizeof *events)

static size_t find_event(const char *name)
{
    size_t i = 0;

    while (i < EVENT_COUNT && strcmp(events[i].name, name) != 0)
        i++;
    return i;
}

/* jansson's own words would quote the answer, and are nothing to an editor. */
static json_t *read_data(struct model_event *event, const char *data, size_t len, struct error *err)
{
    BUF_AUTO struct buf repaired = {0};
    json_t *value;

    if (json_repair_needed(data, len)) {
        json_repair(data, len, &repaired, &event->halves);
        if (repaired.failed) {
            no_memory(err);
            return NULL;
        }
        data = repaired.data;
        len = repaired.len;
    }
    value = json_read(data, len, "an event", NULL);
    if (!value)
        malformed(err, "data that is not JSON");
    return value;
}

int model_message_event(struct model_message *message, const struct model_listener *listener,
                        void *user, const char *name, const char *data, size_t len,
                        struct error *err)
{
    struct model_event event = {.message = message, .listener = listener, .user = user, .len = len};
    bool unnamed = strcmp(name, "message") == 0;
    size_t which = find_event(name);
    const char *type;
    json_t *value;
    int rc = 0;

    message->events++;
    if (message->ended || (which == EVENT_COUNT && !unnamed))
        return 0;
    value = read_data(&event, data, len, unnamed ? NULL : err);
    if (!value)
        return unnamed ? 0 : -1; /* an unnamed one may be of any kind */
    type = json_get_string(value, "type");
    if (unnamed)
        which = type ? find_event(type) : EVENT_COUNT;
    event.data = value;
    if (which < EVENT_COUNT && !json_is_object(value))
        rc = malformed(err, "an event that is not an object");
    else if (which < EVENT_COUNT && events[which].within && !message->began)
        rc = malformed(err, "an event before message_start");
    else if (which < EVENT_COUNT)
        rc = events[which].take(&event, err);
    json_decref(value);
    return rc;
}

/* ---- what the message amounts to ---- */

int64_t model_usage_input(const struct model_usage *usage)
{
    return usage->input + usage->cache_write + usage->cache_read;
}

void model_usage_add(struct model_usage *sum, const struct model_usage *more)
{
    sum->input += more->input;
    sum->cache_write += more->cache_write;
    sum->cache_read += more->cache_read;
    sum->output += more->output;
}

static bool is_blank(const struct buf *text)
{
    return text->len == 0 || strspn(text->data, " \t\r\n") == text->len;
}

static json_t *text_of(const struct buf *text)
{
    return json_stringn(text->data ? text->data : "", text->len);
}

/* A call's input: what streamed in, else what its beginning had. *broken: it is not an object. */
static json_t *input_of(const struct model_block *block, bool *broken)
{
    BUF_AUTO struct buf repaired = {0};
    json_t *input = json_object_get(block->value, "input"), *read;

    *broken = false;
    if (is_blank(&block->text))
        return json_is_object(input) ? json_incref(input) : json_object();
    json_repair(block->text.data, block->text.len, &repaired, NULL);
    if (repaired.failed)
        return NULL;
    read = json_read(repaired.data, repaired.len, "a tool call's input", NULL);
    *broken = !json_is_object(read);
    if (!*broken)
        return read;
    json_decref(read);
    return json_object();
}

/* The block with what streamed into it; a new reference, NULL without memory. */
static json_t *block_value(const struct model_block *block, bool *broken)
{
    json_t *value = json_object();
    int rc = json_object_update(value, block->value); /* json_copy would lose members in silence */

    *broken = false;
    switch (block->kind) {
    case MODEL_BLOCK_TEXT:
        rc |= json_object_set_new(value, "text", text_of(&block->text));
        break;
    case MODEL_BLOCK_THINKING:
        rc |= json_object_set_new(value, "thinking", text_of(&block->text));
        if (block->signature.len > 0)
            rc |= json_object_set_new(value, "signature", text_of(&block->signature));
        break;
    case MODEL_BLOCK_CALL:
        rc |= json_object_set_new(value, "input", input_of(block, broken));
        break;
    case MODEL_BLOCK_OTHER:
        break;
    }
    if (rc == 0)
        return value;
    json_decref(value);
    return NULL;
}

static bool is_signed(const struct model_block *block)
{
    const char *signature = json_get_string(block->value, "signature");

    return block->signature.len > 0 || (signature && *signature);
}

/* cut: the message did not end. */
static bool is_kept(const struct model_block *block, bool cut)
{
    if (block->kind == MODEL_BLOCK_TEXT)
        return !is_blank(&block->text);
    if (!block->ended || block->lacks)
        return false;
    return !cut || block->kind != MODEL_BLOCK_THINKING || is_signed(block);
}

/* Appends the block to content, and its id to broken if necessary. */
static int add_block(const struct model_block *block, json_t *content, json_t *broken)
{
    bool is_broken;
    json_t *value = block_value(block, &is_broken);
    json_t *id = json_object_get(value, "id");

    if (json_array_append_new(content, value) < 0)
        return -1;
    return is_broken && broken && id ? json_array_append(broken, id) : 0;
}

json_t *model_message_content(const struct model_message *message, bool partial, json_t *broken)
{
    json_t *content;

    if (!message->ended && !partial)
        return NULL;
    content = json_array();
    for (size_t i = 0; content && i < message->block_count; i++) {
        if (!is_kept(&message->blocks[i], !message->ended) ||
            add_block(&message->blocks[i], content, broken) == 0)
            continue;
        json_decref(content);
        content = NULL;
    }
    return content;
}
