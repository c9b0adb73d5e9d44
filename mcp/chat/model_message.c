/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A table of what each event does; those of content blocks are in model_block.c.
 */
#include "mcp/chat/model_event.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/chat/model_refusal.h"

#define TOKENS_MAX ((json_int_t)1 << 48) /* more is no count: sums of it stay within 64 bits */

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

static int on_message_start(struct model_event *event, struct error *err)
{
    const json_t *start = json_object_get(event->data, "message");
    struct model_message *message = event->message;

    if (message->began || !json_is_object(start))
        return model_malformed(err, message->began ? "a second message_start"
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
            return model_malformed(err, "the end of the message within a content block");
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
    return model_refusal_tell(&refusal, err);
}

static const struct {
    const char *name;
    bool within; /* the message must have begun */
    int (*take)(struct model_event *event, struct error *err);
} events[] = {
    {"message_start", false, on_message_start},
    {"content_block_start", true, model_block_start},
    {"content_block_delta", true, model_block_delta},
    {"content_block_stop", true, model_block_stop},
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
    BUF_AUTO struct buf mended = {0};
    json_t *value;

    if (json_mend_needed(data, len)) {
        json_mend(data, len, &mended, &event->halves);
        if (mended.failed) {
            model_no_memory(err);
            return NULL;
        }
        data = mended.data;
        len = mended.len;
    }
    value = json_read(data, len, "an event", NULL);
    if (!value)
        model_malformed(err, "data that is no JSON");
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
        rc = model_malformed(err, "an event that is no object");
    else if (which < EVENT_COUNT && events[which].within && !message->began)
        rc = model_malformed(err, "an event before message_start");
    else if (which < EVENT_COUNT)
        rc = events[which].take(&event, err);
    json_decref(value);
    return rc;
}
