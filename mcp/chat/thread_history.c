/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A thread's messages as a model gets them back. The service refuses a history whose calls and
 * results do not match, and a stop, a failure or the end of the process can come between the two.
 * So it is put right here each time, from what was kept; what was kept is never changed. Pure.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/chat/thread.h"

#define STOPPED                                                                                    \
    "This call was stopped, or it was not run. Nothing is known of what it would have answered."
#define ASKED_AGAIN                                                                                \
    "The answer broke off or failed here, and the editor asks the same question again. Answer it " \
    "again. "                                                                                      \
    "Edits that were made above still stand: do not make them twice."
#define PICTURE_LEFT_OUT "(A picture was here. It is left out of an old answer.)"

static bool is_role(const json_t *message, const char *role)
{
    return json_string_is(message, "role", role);
}

static bool is_block(const json_t *block, const char *type)
{
    return json_string_is(block, "type", type);
}

/* ---- what is left out ---- */

/* How many messages in front of the note at `end` were refused with it. */
static size_t refused_before(const struct thread *thread, size_t end)
{
    const json_t *note = json_array_get(thread->messages, end);
    const char *from = json_get_string(json_object_get(note, "shown"), "from");

    for (size_t i = end; from && i > 0; i--) {
        const char *id = json_get_string(json_array_get(thread->messages, i - 1), "id");

        if (id && strcmp(id, from) == 0)
            return end - (i - 1);
    }
    return 0;
}

/* A flag for each message, owned; NULL without memory. */
static bool *find_refused(const struct thread *thread)
{
    size_t count = json_array_size(thread->messages);
    bool *refused = calloc(count + 1, sizeof *refused);

    for (size_t i = 0; refused && i < count; i++) {
        size_t before =
            is_role(json_array_get(thread->messages, i), "note") ? refused_before(thread, i) : 0;

        memset(refused + i - before, true, before);
    }
    return refused;
}

/* The newest note that says so counts. */
static size_t find_skip(const struct thread *thread)
{
    for (size_t i = json_array_size(thread->messages); i > 0; i--) {
        const json_t *message = json_array_get(thread->messages, i - 1);
        const json_t *skip = json_object_get(json_object_get(message, "shown"), "skip");

        if (is_role(message, "note") && json_integer_value(skip) > 0)
            return (size_t)json_integer_value(skip);
    }
    return 0;
}

size_t thread_shorter(const struct thread *thread)
{
    bool *refused = find_refused(thread);
    size_t skip = find_skip(thread), sent = 0, question = 0, cut = 0, i;
    const json_t *message;

    if (!refused)
        return 0;
    json_array_foreach(thread->messages, i, message)
    {
        question += thread_is_question(message);
        sent += thread_is_question(message) && question > skip && !refused[i];
    }
    question = 0;
    json_array_foreach(thread->messages, i, message)
    {
        bool asks = thread_is_question(message);

        if (cut == sent / 2)
            break;
        question += asks;
        cut += asks && question > skip && !refused[i];
    }
    free(refused);
    return cut > 0 ? question : 0;
}

/* ---- old results ---- */

/* Its beginning and its end; a new reference. */
static json_t *cut_text(const json_t *text)
{
    const char *bytes = json_string_value(text);
    size_t len = json_string_length(text), head, tail;
    struct buf BUF_AUTO cut = {0};

    if (len <= THREAD_OLD_BYTES)
        return json_incref((json_t *)text);
    head = utf8_cut(bytes, len, THREAD_OLD_BYTES / 2);
    tail = utf8_skip(bytes, len, len - THREAD_OLD_BYTES / 2);
    buf_add(&cut, bytes, head);
    buf_addf(&cut, "\n(%zu bytes of this old answer are left out)\n", tail - head);
    buf_add(&cut, bytes + tail, len - tail);
    return cut.failed ? NULL : json_stringn(cut.data, cut.len);
}

static json_t *shorten_part(const json_t *part)
{
    json_t *copy;

    if (is_block(part, "image"))
        return json_pack("{s:s, s:s}", "type", "text", "text", PICTURE_LEFT_OUT);
    if (!json_is_string(json_object_get(part, "text")))
        return json_incref((json_t *)part);
    copy = json_copy((json_t *)part);
    if (copy)
        json_object_set_new(copy, "text", cut_text(json_object_get(part, "text")));
    return copy;
}

/* A new reference to a tool_result of an old question. */
static json_t *shorten(const json_t *result)
{
    const json_t *content = json_object_get(result, "content"), *part;
    json_t *copy = json_copy((json_t *)result), *parts;
    size_t i;

    if (copy && json_is_string(content)) {
        json_object_set_new(copy, "content", cut_text(content));
    } else if (copy && json_is_array(content)) {
        parts = json_array();
        json_array_foreach((json_t *)content, i, part)
            json_array_append_new(parts, shorten_part(part));
        json_object_set_new(copy, "content", parts);
    }
    return copy;
}

/* ---- putting right ---- */

struct history {
    json_t *out;  /* owned: what is sent */
    json_t *open; /* owned: array of the ids of calls of the last assistant message that have no
                     result yet */
    bool old;     /* what comes belongs to an old question */
    bool begun;   /* something has been said to the newest question */
};

static json_t *result_of_stopped(const json_t *id)
{
    return json_pack("{s:s, s:O, s:s, s:b}", "type", "tool_result", "tool_use_id", id, "content",
                     STOPPED, "is_error", 1);
}

/* Where an answer never came, two questions follow each other: some services refuse that, the
 * others read it as one message. Contents that are arrays are our own here, no thread's. */
static bool joins_last(struct history *history, const char *role, json_t *content)
{
    const json_t *last = json_array_get(history->out, json_array_size(history->out) - 1);
    json_t *before = json_object_get(last, "content");

    return json_array_size(history->out) > 0 && is_role(last, role) && json_is_array(before) &&
           json_is_array(content) && json_array_extend(before, content) == 0;
}

static void put(struct history *history, const char *role, json_t *content)
{
    if (joins_last(history, role, content)) {
        json_decref(content);
        return;
    }
    if (json_is_string(content) ? json_string_length(content) > 0 : json_array_size(content) > 0) {
        json_array_append_new(history->out,
                              json_pack("{s:s, s:O}", "role", role, "content", content));
        history->begun = true;
    }
    json_decref(content);
}

static void answer_open(struct history *history, json_t *content)
{
    const json_t *id;
    size_t i;

    json_array_foreach(history->open, i, id) json_array_append_new(content, result_of_stopped(id));
    json_array_clear(history->open);
}

/* The call is answered now; false where there is no such call, or it was answered before. */
static bool take_open(struct history *history, const json_t *result)
{
    const json_t *id;
    size_t i;

    json_array_foreach(history->open, i, id)
    {
        if (!json_equal((json_t *)id, json_object_get(result, "tool_use_id")))
            continue;
        json_array_remove(history->open, i);
        return true;
    }
    return false;
}

static bool is_empty_text(const json_t *block)
{
    return is_block(block, "text") && json_string_length(json_object_get(block, "text")) == 0;
}

static void send_assistant(struct history *history, const json_t *content)
{
    json_t *kept, *block;
    size_t i;

    if (!json_is_array(content)) {
        put(history, "assistant", json_incref((json_t *)content));
        return;
    }
    kept = json_array();
    json_array_foreach((json_t *)content, i, block)
    {
        if (is_empty_text(block))
            continue;
        json_array_append(kept, block);
        if (is_block(block, "tool_use"))
            json_array_append(history->open, json_object_get(block, "id"));
    }
    put(history, "assistant", kept);
}

/* alone: what else the message has is left out. */
static void send_results(struct history *history, const json_t *content, bool alone)
{
    json_t *results = json_array(), *block;
    size_t i;

    json_array_foreach((json_t *)content, i, block)
    {
        if (is_block(block, "tool_result") && take_open(history, block))
            json_array_append_new(results, history->old ? shorten(block) : json_incref(block));
    }
    answer_open(history, results);
    json_array_foreach((json_t *)content, i, block)
    {
        if (!alone && !is_block(block, "tool_result") && !is_empty_text(block))
            json_array_append(results, block);
    }
    put(history, "user", results);
}

/* Calls of the last assistant message that nobody answered, before something else is said. */
static void close_open(struct history *history)
{
    json_t *results;

    if (json_array_size(history->open) == 0)
        return;
    results = json_array();
    answer_open(history, results);
    put(history, "user", results);
}

static void send_question(struct history *history, const json_t *content)
{
    json_t *kept, *block;
    size_t i;

    close_open(history);
    if (!json_is_array(content)) {
        put(history, "user", json_incref((json_t *)content));
        return;
    }
    kept = json_array();
    json_array_foreach((json_t *)content, i, block)
    {
        if (!is_empty_text(block))
            json_array_append(kept, block);
    }
    put(history, "user", kept);
}

/* Where nothing was said yet, the question stands at the end as if it were new. */
static void send_again(struct history *history)
{
    close_open(history);
    if (history->begun)
        put(history, "user", json_pack("[{s:s, s:s}]", "type", "text", "text", ASKED_AGAIN));
    history->begun = false;
}

/* The first question whose results are sent whole. */
static size_t first_fresh(size_t questions)
{
    return questions <= THREAD_FRESH
               ? 0
               : (questions - THREAD_FRESH) / THREAD_FRESH_BY * THREAD_FRESH_BY;
}

static void send_message(struct history *history, const json_t *message, bool refused)
{
    const json_t *content = json_object_get(message, "content");

    if (is_role(message, "user") && thread_has_block(content, "tool_result")) {
        /* A question that came instead of approvals: their results belong to what is sent. */
        send_results(history, content, refused);
    } else if (refused) {
        return;
    } else if (is_role(message, "user")) {
        send_question(history, content);
    } else if (is_role(message, "assistant") && json_array_size(history->out) > 0) {
        close_open(history);
        send_assistant(history, content);
    } else if (thread_is_note(message, THREAD_AGAIN)) {
        send_again(history);
    }
}

json_t *thread_for_model(const struct thread *thread)
{
    struct history history = {.out = json_array(), .open = json_array()};
    size_t fresh = first_fresh(thread_questions(thread)), skip = find_skip(thread), question = 0, i;
    bool *refused = find_refused(thread);
    const json_t *message;

    if (!refused) {
        json_decref(history.out);
        history.out = NULL;
    }
    json_array_foreach(refused ? thread->messages : NULL, i, message)
    {
        question += thread_is_question(message);
        /* Nothing before the first question that is sent: a history begins with the user. */
        if (question <= skip || !json_object_get(message, "content"))
            continue;
        history.old = question <= fresh;
        send_message(&history, message, refused[i]);
        if (thread_is_question(message))
            history.begun = false;
    }
    if (history.out)
        close_open(&history);
    json_decref(history.open);
    free(refused);
    return history.out;
}
