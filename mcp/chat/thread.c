/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/chat/thread.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "helpers/base/utf8.h"
#include "mcp/curriculum/text.h"
#include "mcp/store/store.h"
#include "mcp/store/thread.h"

#define NOT_KNOWN                                                                                  \
    "The server stopped during this call. Whether it was done is not known: check before you do "  \
    "it again."
#define STOPPED                                                                                    \
    "This call was stopped, or it was not run. Nothing is known of what it would have answered."
#define ASKED_AGAIN                                                                                \
    "The answer broke off or failed here, and the editor asks the same question again. Answer it " \
    "again. "                                                                                      \
    "Edits that were made above still stand: do not make them twice."
#define PICTURE_LEFT_OUT "(A picture was here. It is left out of an old answer.)"
#define WAS_CUT          "The server stopped during this answer, so it was cut off. Ask again."

static int take_length(const json_t *message, size_t *bytes, struct error *err)
{
    struct buf BUF_AUTO text = {0};

    json_write(&text, message);
    *bytes = text.len;
    return buf_check(&text, "a message", err);
}

/* ---- in memory ---- */

static struct thread *thread_create(const char *session_id, const char *id, struct error *err)
{
    struct thread *thread = calloc(1, sizeof *thread);

    if (thread) {
        thread->messages = json_array();
        thread->interrupts = json_array();
    }
    if (!thread || !thread->messages || !thread->interrupts) {
        thread_destroy(thread);
        error_set(err, ERROR_MEMORY, "out of memory for the conversation");
        return NULL;
    }
    memcpy(thread->session_id, session_id, strlen(session_id) + 1);
    memcpy(thread->id, id, strlen(id) + 1);
    return thread;
}

void thread_destroy(struct thread *thread)
{
    if (!thread)
        return;
    json_decref(thread->messages);
    json_decref(thread->interrupts);
    free(thread);
}

int thread_add(struct thread *thread, json_t *message, struct error *err)
{
    size_t bytes;

    if (!message)
        return error_set(err, ERROR_MEMORY, "out of memory for a message");
    if (take_length(message, &bytes, err) < 0) {
        json_decref(message);
        return -1;
    }
    if (json_array_size(thread->messages) >= THREAD_MESSAGES_MAX ||
        thread->bytes + bytes > THREAD_BYTES_MAX) {
        json_decref(message);
        return error_set(err, ERROR_TOO_LARGE,
                         "this conversation is full (%u messages, or %zu MB): begin a new one",
                         THREAD_MESSAGES_MAX, THREAD_BYTES_MAX >> 20);
    }
    if (json_array_append_new(thread->messages, message) != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for a message");
    thread->bytes += bytes;
    return 0;
}

int thread_put(struct thread *thread, const char *id, const char *role, json_t *content,
               json_t *shown, char made[UUID_TEXT_SIZE], struct error *err)
{
    json_auto_t *own_content = content, *own_shown = shown;
    char own[UUID_TEXT_SIZE];

    if (!id && text_uuid(own, err) < 0)
        return -1;
    if (!id && made)
        memcpy(made, own, sizeof own);
    return thread_add(thread,
                      json_pack("{s:s, s:s, s:O, s:O}", "id", id ? id : own, "role", role,
                                "content", content, "shown", shown),
                      err);
}

void thread_set_interrupts(struct thread *thread, json_t *interrupts)
{
    json_decref(thread->interrupts);
    thread->interrupts = interrupts;
}

bool thread_has_message(const struct thread *thread, const char *id)
{
    const json_t *message;
    size_t i;

    json_array_foreach(thread->messages, i, message)
    {
        if (json_string_is(message, "id", id))
            return true;
    }
    return false;
}

bool thread_has_call(const struct thread *thread, const char *id)
{
    const json_t *message, *block;
    size_t i, k;

    json_array_foreach(thread->messages, i, message)
    {
        json_array_foreach(json_object_get(message, "content"), k, block)
        {
            if (json_string_is(block, "type", "tool_use") && json_string_is(block, "id", id))
                return true;
        }
    }
    return false;
}

/* The first text of a content, borrowed. */
static const char *first_text(const json_t *message)
{
    const char *shown = json_get_string(json_object_get(message, "shown"), "text");
    const json_t *content = json_object_get(message, "content"), *block;
    size_t i;

    if (shown)
        return shown;
    if (json_is_string(content))
        return json_string_value(content);
    json_array_foreach((json_t *)content, i, block)
    {
        const char *text = json_get_string(block, "text");

        if (text)
            return text;
    }
    return "";
}

void thread_title(const struct thread *thread, char title[THREAD_TITLE_MAX + 1])
{
    const json_t *message;
    size_t i;

    *title = '\0';
    json_array_foreach(thread->messages, i, message)
    {
        if (!thread_is_question(message) && !thread_is_note(message, THREAD_NOT_ASKED))
            continue;
        text_cut_line(title, THREAD_TITLE_MAX + 1, first_text(message));
        return;
    }
}

/* ---- questions and their answers ---- */

bool thread_has_block(const json_t *content, const char *type)
{
    const json_t *block;
    size_t i;

    json_array_foreach((json_t *)content, i, block)
    {
        if (json_string_is(block, "type", type))
            return true;
    }
    return false;
}

bool thread_is_note(const json_t *message, const char *kind)
{
    return json_string_is(message, "role", "note") &&
           json_string_is(json_object_get(message, "shown"), "kind", kind);
}

bool thread_is_question(const json_t *message)
{
    const json_t *content = json_object_get(message, "content"), *block;
    size_t i;

    if (!json_string_is(message, "role", "user"))
        return false;
    json_array_foreach((json_t *)content, i, block)
    {
        if (!json_string_is(block, "type", "tool_result"))
            return true;
    }
    return json_is_string(content);
}

static size_t count_questions(const struct thread *thread)
{
    const json_t *message;
    size_t i, count = 0;

    json_array_foreach(thread->messages, i, message) count += thread_is_question(message);
    return count;
}

/* Whether the newest question has a complete answer: an assistant's message without calls, and no
 * later note that it was interrupted. */
static bool is_answered(const struct thread *thread, size_t question)
{
    bool answered = false;

    for (size_t i = question + 1; i < json_array_size(thread->messages); i++) {
        const json_t *message = json_array_get(thread->messages, i);

        if (json_string_is(message, "role", "assistant"))
            answered = !thread_has_block(json_object_get(message, "content"), "tool_use");
        else if (thread_is_note(message, "error") || thread_is_note(message, "stopped"))
            answered = false;
        else if (thread_is_note(message, "refusal")) /* it would be refused again */
            return true;
    }
    return answered;
}

bool thread_was_not_asked(const struct thread *thread, const char *id)
{
    for (size_t i = json_array_size(thread->messages); i > 0; i--) {
        const json_t *message = json_array_get(thread->messages, i - 1);

        if (json_string_is(message, "id", id))
            return thread_is_note(message, THREAD_NOT_ASKED);
    }
    return false;
}

bool thread_may_ask_again(const struct thread *thread, const char *id)
{
    size_t i = json_array_size(thread->messages);

    if (json_array_size(thread->interrupts) > 0) /* it waits for the editor's word */
        return false;
    while (i > 0) {
        const json_t *message = json_array_get(thread->messages, --i);

        if (thread_is_question(message))
            return json_string_is(message, "id", id) && !is_answered(thread, i);
    }
    return false;
}

/* ---- what a stop of the server cut off ----
 *
 * A question without an answer, or calls without results. A run that ends normally leaves a note;
 * if there is none, it is added when the thread is loaded. */

/* The last message that is not a note; *ended: a note after it says how its run ended. */
static const json_t *last_message(const struct thread *thread, bool *ended)
{
    static const char *const ends[] = {"error", "stopped", "refusal", "usage"};

    *ended = false;
    for (size_t i = json_array_size(thread->messages); i > 0; i--) {
        const json_t *message = json_array_get(thread->messages, i - 1);

        if (!json_string_is(message, "role", "note"))
            return message;
        if (thread_is_note(message, THREAD_AGAIN) && !*ended)
            return message; /* asked again, and that run has not produced anything */
        for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++)
            *ended = *ended || thread_is_note(message, ends[k]);
    }
    return NULL;
}

/* A result for each call of the message, as a new reference; empty if there are none. */
static json_t *results_of(const json_t *message)
{
    const json_t *content = json_object_get(message, "content"), *block;
    json_t *results = json_array();
    size_t i;

    if (!json_string_is(message, "role", "assistant"))
        return results;
    json_array_foreach((json_t *)content, i, block)
    {
        const char *id = json_get_string(block, "id");

        if (id && json_string_is(block, "type", "tool_use"))
            json_array_append_new(results, json_pack("{s:s, s:s, s:s, s:b}", "type", "tool_result",
                                                     "tool_use_id", id, "content", NOT_KNOWN,
                                                     "is_error", 1));
    }
    return results;
}

static int add_note(struct thread *thread, struct error *err)
{
    return thread_put(thread, NULL, "note", json_array(),
                      json_pack("{s:s, s:s}", "kind", "error", "text", WAS_CUT), NULL, err);
}

int thread_close_cut(struct thread *thread, struct error *err)
{
    json_auto_t *results = NULL;
    const json_t *last;
    bool ended;

    if (json_array_size(thread->interrupts) > 0) /* it waits for the editor's word */
        return 0;
    last = last_message(thread, &ended);
    results = results_of(last);
    if (json_array_size(results) > 0)
        return thread_put(thread, NULL, "user", json_incref(results), json_object(), NULL, err) < 0
                   ? -1
                   : add_note(thread, err);
    if (!last || ended || json_string_is(last, "role", "assistant"))
        return 0;
    return add_note(thread, err);
}

/* ---- loading ---- */

struct loading {
    struct workq_job job;
    char session_id[SESSION_ID_SIZE];
    char id[THREAD_ID_MAX + 1];
    struct thread *thread; /* owned until it is handed over */
    struct error err;
    void (*on_done)(void *user, struct thread *thread, const struct error *err);
    void *user;
};

static int fill(struct thread *thread, const struct buf *text, struct error *err)
{
    json_auto_t *kept = json_read(text->data, text->len, "the kept conversation", err);
    json_t *messages = json_object_get(kept, "messages");
    json_t *interrupts = json_object_get(kept, "interrupts");

    if (!kept)
        return -1;
    if (!json_is_array(messages) || !json_is_array(interrupts))
        return error_set(err, ERROR_IO, "the kept conversation has no messages");
    json_decref(thread->messages);
    thread->messages = json_incref(messages);
    thread_set_interrupts(thread, json_incref(interrupts));
    thread->saved = json_array_size(messages);
    thread->bytes = text->len;
    return 0;
}

static void on_load(struct workq_job *job, void *context)
{
    struct loading *loading = (struct loading *)job;
    struct buf BUF_AUTO text = {0};
    struct error cut = {0};
    int rc;

    loading->thread = thread_create(loading->session_id, loading->id, &loading->err);
    if (!loading->thread)
        return;
    rc = store_thread_read(context, loading->session_id, loading->id, &text, &loading->err);
    if (rc == 0)
        rc = fill(loading->thread, &text, &loading->err);
    else if (loading->err.kind == ERROR_NOT_FOUND)
        rc = 0;
    if (rc == 0 && thread_close_cut(loading->thread, &cut) < 0)
        log_warning("chat", "the end of a run that was cut off is not in its thread: %s", cut.text);
    if (rc == 0)
        return;
    thread_destroy(loading->thread);
    loading->thread = NULL;
}

static void on_loaded(struct workq_job *job)
{
    struct loading *loading = (struct loading *)job;

    loading->on_done(loading->user, loading->thread, loading->thread ? NULL : &loading->err);
    free(loading);
}

int thread_load(const struct store_queues *store, const char *session_id, const char *thread_id,
                void (*on_done)(void *user, struct thread *thread, const struct error *err),
                void *user, struct error *err)
{
    struct loading *loading;

    if (strlen(session_id) >= sizeof loading->session_id)
        return error_set(err, ERROR_UNAUTHORIZED, "session_id must be a session's id");
    if (!*thread_id || strlen(thread_id) > THREAD_ID_MAX)
        return error_set(err, ERROR_INVALID, "threadId must be a text of 1 to %u bytes",
                         THREAD_ID_MAX);
    loading = calloc(1, sizeof *loading);
    if (!loading)
        return error_set(err, ERROR_MEMORY, "out of memory for the conversation");
    loading->job.work = on_load;
    loading->job.done = on_loaded;
    memcpy(loading->session_id, session_id, strlen(session_id) + 1);
    memcpy(loading->id, thread_id, strlen(thread_id) + 1);
    loading->on_done = on_done;
    loading->user = user;
    loading->job.key = workq_key(session_id);
    if (workq_submit(store->read, &loading->job, err) == 0)
        return 0;
    free(loading);
    return -1;
}

/* ---- saving ---- */

struct saving {
    struct workq_job job;
    struct thread *thread; /* borrowed: on the loop only */
    char session_id[SESSION_ID_SIZE];
    char id[THREAD_ID_MAX + 1];
    char title[THREAD_TITLE_MAX + 1];
    size_t there;
    /* Copies, because the loop may change the thread's. */
    json_t *messages, *interrupts;
    struct error err;
    void (*on_done)(void *user, const struct error *err);
    void *user;
};

static void free_saving(struct saving *saving)
{
    json_decref(saving->messages);
    json_decref(saving->interrupts);
    free(saving);
}

static void on_save(struct workq_job *job, void *context)
{
    struct saving *saving = (struct saving *)job;

    store_thread_append(context, saving->session_id, saving->id, saving->title, saving->there,
                        saving->messages, saving->interrupts, &saving->err);
}

static void on_not_saved(struct workq_job *job, const struct error *err)
{
    ((struct saving *)job)->err = *err;
}

static void on_saved(struct workq_job *job)
{
    struct saving *saving = (struct saving *)job;
    bool kept = saving->err.kind == ERROR_NONE;

    if (kept)
        saving->thread->saved = saving->there + json_array_size(saving->messages);
    else
        error_wrap(&saving->err, "the conversation could not be kept");
    saving->on_done(saving->user, kept ? NULL : &saving->err);
    free_saving(saving);
}

static json_t *copy_from(const json_t *messages, size_t first)
{
    json_t *copy = json_array();

    for (size_t i = first; copy && i < json_array_size(messages); i++) {
        if (json_array_append_new(copy, json_deep_copy(json_array_get(messages, i))) == 0)
            continue;
        json_decref(copy);
        copy = NULL;
    }
    return copy;
}

int thread_save(const struct store_queues *store, struct thread *thread,
                void (*on_done)(void *user, const struct error *err), void *user, struct error *err)
{
    struct saving *saving = calloc(1, sizeof *saving);

    if (!saving)
        return error_set(err, ERROR_MEMORY, "out of memory for the conversation");
    saving->job.work = on_save;
    saving->job.done = on_saved;
    saving->job.undone = on_not_saved;
    saving->job.key = workq_key(thread->id); /* what the session's edits wait for is not theirs */
    saving->thread = thread;
    memcpy(saving->session_id, thread->session_id, sizeof saving->session_id);
    memcpy(saving->id, thread->id, sizeof saving->id);
    thread_title(thread, saving->title);
    saving->there = thread->saved;
    saving->messages = copy_from(thread->messages, thread->saved);
    saving->interrupts = json_deep_copy(thread->interrupts);
    saving->on_done = on_done;
    saving->user = user;
    if (!saving->messages || !saving->interrupts)
        error_set(err, ERROR_MEMORY, "out of memory for the conversation");
    else if (workq_submit(store->sql, &saving->job, err) == 0)
        return 0;
    free_saving(saving);
    return -1;
}

/* ---- the history for the model ----
 *
 * The service refuses a history whose calls and results do not match, and a stop, a failure or the
 * end of the process can occur between the two. So it is repaired here each time; the stored
 * messages never change. */

static bool is_role(const json_t *message, const char *role)
{
    return json_string_is(message, "role", role);
}

static bool is_block(const json_t *block, const char *type)
{
    return json_string_is(block, "type", type);
}

/* What is left out. */

/* How many messages before the note at `end` were refused with it. */
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

/* Old results. */

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

/* Putting right. */

struct history {
    json_t *out;  /* owned: what is sent */
    json_t *open; /* owned: array of the ids of calls of the last assistant message that have no
                     result yet */
    bool old;     /* the next messages belong to an old question */
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

/* The call is answered now; false if there is no such call, or it was already answered. */
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

/* If there is no answer yet, the question is last, as if it were new. */
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
    size_t fresh = first_fresh(count_questions(thread)), skip = find_skip(thread), question = 0, i;
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
