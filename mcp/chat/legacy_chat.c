/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/chat/legacy_chat.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/chat/chat_internal.h"
#include "mcp/chat/legacy_attachment.h"
#include "mcp/session/text.h"

#define SHAPE                                                                                      \
    "send {\"type\": \"chat_message\", \"content\": \"...\", \"context\": {\"session_id\": "       \
    "\"...\"}}"

struct legacy_chat {
    struct chat *chat;
    void (*send)(void *user, const char *text, size_t len);
    void *user;
    char session_id[SESSION_ID_SIZE];  /* of its thread */
    char thread_id[UUID_TEXT_SIZE];    /* "": none yet */
    struct conversation *conversation; /* a reference, so that it stays in memory */
    struct ask *asks[CHAT_INPUTS_CAP]; /* those under way, or NULL */
    struct buf answer;                 /* of the one that runs */
};

/* ---- what is told ---- */

static void send_message(struct legacy_chat *wire, struct buf *message)
{
    if (!message->failed)
        wire->send(wire->user, message->data, message->len);
    buf_finish(message);
}

static void begin(struct buf *to, const char *type)
{
    buf_addf(to, "{\"type\":\"%s\"", type);
}

static void member(struct buf *to, const char *name, const char *text, size_t len)
{
    buf_addf(to, ",\"%s\":", name);
    json_write_string(to, text ? text : "", text ? len : 0);
}

static void send_error(struct legacy_chat *wire, const char *text)
{
    struct buf to = {0};

    begin(&to, "error");
    member(&to, "error", text, strlen(text));
    member(&to, "message", text, strlen(text));
    buf_addc(&to, '}');
    send_message(wire, &to);
}

static void send_tool(struct legacy_chat *wire, const char *type, const char *tool)
{
    struct buf to = {0};

    begin(&to, type);
    member(&to, "tool", tool, strlen(tool));
    buf_addc(&to, '}');
    send_message(wire, &to);
}

static void send_result(struct legacy_chat *wire, const struct run_event *event)
{
    struct buf to = {0};

    begin(&to, "tool_executed");
    member(&to, "tool", event->name, strlen(event->name));
    buf_adds(&to, ",\"arguments\":");
    if (event->arguments)
        json_write(&to, event->arguments);
    else
        buf_adds(&to, "{}");
    member(&to, "result", event->text, event->len);
    buf_addc(&to, '}');
    send_message(wire, &to);
    send_tool(wire, "tool_complete", event->name);
}

static void send_answer(struct legacy_chat *wire)
{
    struct buf to = {0};

    begin(&to, "ai_response");
    member(&to, "content", wire->answer.data, wire->answer.len);
    buf_addc(&to, '}');
    send_message(wire, &to);
}

/* ---- a run ---- */

static void new_paragraph(struct legacy_chat *wire)
{
    if (wire->answer.len > 0)
        buf_adds(&wire->answer, "\n\n");
}

static void forget(struct legacy_chat *wire, const struct ask *ask)
{
    for (size_t i = 0; i < CHAT_INPUTS_CAP; i++) {
        if (wire->asks[i] == ask)
            wire->asks[i] = NULL;
    }
}

/* What was said before a failure is told as well: nobody else keeps it for the client. */
static void end(struct legacy_chat *wire, const struct ask *ask, const struct run_event *event)
{
    bool failed = event->outcome == RUN_FAILED;

    if (!failed || wire->answer.len > 0)
        send_answer(wire);
    if (failed)
        send_error(wire, event->err->text);
    buf_clear(&wire->answer);
    forget(wire, ask);
}

static void on_event(struct ask *ask, const struct run_event *event)
{
    struct legacy_chat *wire = ask->user;

    if (!wire)
        return;
    switch (event->kind) {
    case RUN_TEXT_BEGAN:
        new_paragraph(wire);
        break;
    case RUN_TEXT:
        buf_add(&wire->answer, event->text, event->len);
        break;
    case RUN_LIMIT:
        new_paragraph(wire);
        buf_add(&wire->answer, event->text, event->len);
        break;
    case RUN_CALL_STARTED:
        send_tool(wire, "tool_start", event->name);
        break;
    case RUN_CALL_RESULT:
        send_result(wire, event);
        break;
    case RUN_ENDED:
        end(wire, ask, event);
        break;
    default:
        break;
    }
}

static void on_refused(struct ask *ask, const struct error *err, const char *code)
{
    struct legacy_chat *wire = ask->user;

    (void)code;
    if (!wire)
        return;
    send_error(wire, err ? err->text : "the question was taken back");
    forget(wire, ask);
}

/* ---- a question ---- */

static json_t *read_question(const json_t *message, struct error *err)
{
    const json_t *content = json_object_get(message, "content");
    json_t *file = json_object_get(message, "file"), *block = NULL, *blocks, *messages;
    char id[UUID_TEXT_SIZE];

    if (!json_is_string(content) || json_string_length(content) == 0) {
        error_set_at(err, "content", "content must be the question; " SHAPE);
        return NULL;
    }
    if (json_string_length(content) > RUN_INPUT_TEXT_MAX) {
        error_set(err, ERROR_TOO_LARGE, "content has at most %zu bytes", RUN_INPUT_TEXT_MAX);
        return NULL;
    }
    if (text_uuid(id, err) != 0)
        return NULL;
    if (file && !json_is_null(file)) {
        block = legacy_attachment_block(file, json_get_string(message, "fileName"), err);
        if (!block)
            return NULL;
    }
    blocks = json_pack("[{s:s, s:O}]", "type", "text", "text", content);
    if (block)
        json_array_append_new(blocks, block);
    messages = json_pack("[{s:s, s:o}]", "id", id, "content", blocks);
    if (!messages)
        error_set(err, ERROR_MEMORY, "out of memory for the question");
    return messages;
}

/* A thread of its own in each session. */
static int choose_thread(struct legacy_chat *wire, const char *session_id, struct error *err)
{
    struct conversation *conversation;
    bool busy = false;

    for (size_t i = 0; i < CHAT_INPUTS_CAP; i++)
        busy |= wire->asks[i] != NULL;
    if (*wire->thread_id && !strcmp(wire->session_id, session_id))
        return 0;
    if (!*session_id || strlen(session_id) >= SESSION_ID_SIZE)
        return error_set_at(err, "context.session_id",
                            "context.session_id must be a session's id; " SHAPE);
    if (busy)
        return error_set(err, ERROR_BUSY,
                         "a question in another session is under way: wait for its answer");
    if (text_uuid(wire->thread_id, err) != 0)
        return -1;
    conversation = conversation_get(wire->chat, session_id, wire->thread_id);
    if (!conversation) {
        *wire->thread_id = '\0';
        return error_set(err, ERROR_MEMORY, "out of memory for the conversation");
    }
    memcpy(wire->session_id, session_id, strlen(session_id) + 1);
    conversation_release(wire->conversation);
    wire->conversation = conversation;
    return 0;
}

static struct ask **free_place(struct legacy_chat *wire, struct error *err)
{
    for (size_t i = 0; i < CHAT_INPUTS_CAP; i++) {
        if (!wire->asks[i])
            return &wire->asks[i];
    }
    error_set(err, ERROR_BUSY, "%u questions wait already: wait for their answers",
              CHAT_INPUTS_CAP);
    return NULL;
}

static struct ask *make_ask(struct legacy_chat *wire, const char *where, const json_t *message,
                            struct error *err)
{
    struct ask *ask = calloc(1, sizeof *ask);

    if (!ask) {
        error_set(err, ERROR_MEMORY, "out of memory for the question");
        return NULL;
    }
    ask->input.messages = read_question(message, err);
    if (!ask->input.messages || text_uuid(ask->input.run_id, err) != 0) {
        ask_free(ask);
        return NULL;
    }
    memcpy(ask->input.thread_id, wire->thread_id, sizeof wire->thread_id);
    ask->input.approvals = APPROVALS_NONE_ASKED;
    if (where)
        buf_adds(&ask->input.where, where);
    memcpy(ask->who, "chat", sizeof "chat");
    ask->on_event = on_event;
    ask->on_refused = on_refused;
    ask->user = wire;
    return ask;
}

void legacy_chat_receive(struct legacy_chat *wire, const char *session_id, const char *where,
                         const json_t *message)
{
    struct error err = {0};
    struct ask **place = free_place(wire, &err);
    struct ask *ask = NULL;

    if (place && choose_thread(wire, session_id, &err) == 0)
        ask = make_ask(wire, where, message, &err);
    if (!ask) {
        send_error(wire, err.text);
        return;
    }
    *place = ask;
    if (ask_start(wire->chat, wire->session_id, ask) == 0)
        return;
    *place = NULL;
    send_error(wire, "out of memory for the question: try again in a moment");
}

/* ---- life ---- */

struct legacy_chat *legacy_chat_create(struct chat *chat,
                                       void (*send)(void *user, const char *text, size_t len),
                                       void *user)
{
    struct legacy_chat *wire = calloc(1, sizeof *wire);

    if (!wire)
        return NULL;
    wire->chat = chat;
    wire->send = send;
    wire->user = user;
    return wire;
}

void legacy_chat_destroy(struct legacy_chat *wire)
{
    if (!wire)
        return;
    for (size_t i = 0; i < CHAT_INPUTS_CAP; i++) {
        if (!wire->asks[i])
            continue;
        wire->asks[i]->user = NULL;
        ask_cancel(wire->asks[i], RUN_STOP_PAGE_LEFT);
    }
    conversation_release(wire->conversation);
    buf_finish(&wire->answer);
    free(wire);
}
