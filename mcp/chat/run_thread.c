/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a run puts into its thread: the question, or the answers to what a person was asked (first
 * all of it is checked); the model's answers, as they came, so that the service takes them back;
 * and notes.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "helpers/base/utf8.h"
#include "mcp/chat/run_internal.h"

#define ID_SHOWN 80 /* bytes of a page's own id in an error */
#define AGAIN    "Asked again."

/* ---- looking at it ---- */

static size_t count_of(const json_t *interrupts, const char *id)
{
    const json_t *interrupt;
    size_t count = 0, i;

    json_array_foreach((json_t *)interrupts, i, interrupt)
    {
        const char *own = json_get_string(interrupt, "id");

        count += own && strcmp(own, id) == 0;
    }
    return count;
}

static int take_answer(struct chat_run *run, const struct run_answer *answer, struct error *err)
{
    const char *id = answer->interrupt_id ? answer->interrupt_id : "";
    json_t *kept;

    if (count_of(run->thread->interrupts, id) == 0)
        return error_set(err, ERROR_NOT_FOUND,
                         "no approval with the id '%.*s' is open: it was answered before, or is "
                         "another thread's. Load the thread again",
                         utf8_shown(id, ID_SHOWN), id);
    if (json_object_get(run->answers, id))
        return error_set(err, ERROR_INVALID, "'%.*s' is answered twice, send one answer to it",
                         utf8_shown(id, ID_SHOWN), id);
    kept = json_pack("{s:b, s:s*}", "approved", answer->approved, "reason", answer->reason);
    if (!kept || json_object_set_new(run->answers, id, kept) < 0)
        return error_set(err, ERROR_MEMORY, "out of memory for an answer");
    return 0;
}

static int take_answers(struct chat_run *run, const struct run_request *request, struct error *err)
{
    size_t open = json_array_size(run->thread->interrupts);

    run->answers = json_object();
    if (!run->answers)
        return error_set(err, ERROR_MEMORY, "out of memory for the answers");
    for (size_t i = 0; i < request->answer_count; i++) {
        if (take_answer(run, &request->answers[i], err) < 0)
            return -1;
    }
    if (request->answer_count == open)
        return 0;
    return error_set(err, ERROR_INVALID,
                     "%zu approvals are open in this thread and %zu are answered: answer each, in "
                     "one go",
                     open, request->answer_count);
}

static bool is_blank(const json_t *content)
{
    return (json_is_string(content) ? json_string_length(content) : json_array_size(content)) == 0;
}

/* Nothing is new: the newest question is meant, where its answer did not come to its end. */
static int take_again(struct chat_run *run, const struct run_request *request, struct error *err)
{
    size_t count = json_array_size(request->messages);
    const char *id =
        json_get_string(count > 0 ? json_array_get(request->messages, count - 1) : NULL, "id");

    run->again = id && thread_may_ask_again(run->thread, id);
    if (run->again)
        return 0;
    return error_set(err, ERROR_INVALID,
                     "there is nothing new to answer: send a user message with an id that this "
                     "thread has not had. Only the newest question can be asked again, and only "
                     "where its answer broke off or never came");
}

/* The new ones of the user's messages. */
static int take_messages(struct chat_run *run, const struct run_request *request, struct error *err)
{
    const json_t *message;
    size_t i;

    run->messages = json_array();
    if (!run->messages)
        return error_set(err, ERROR_MEMORY, "out of memory for the question");
    json_array_foreach((json_t *)request->messages, i, message)
    {
        const json_t *content = json_object_get(message, "content");
        const char *id = json_get_string(message, "id");

        if (!id || !*id)
            return error_set(err, ERROR_INVALID,
                             "a message needs an id that is unique in its thread");
        if (thread_has_message(run->thread, id) && !thread_was_not_asked(run->thread, id))
            continue;
        if (is_blank(content))
            return error_set(err, ERROR_INVALID, "the question is empty: send a text");
        if (json_array_append_new(run->messages, json_deep_copy(message)) < 0)
            return error_set(err, ERROR_MEMORY, "out of memory for the question");
    }
    return json_array_size(run->messages) > 0 ? 0 : take_again(run, request, err);
}

static int copy_text(char **to, const char *from, struct error *err)
{
    *to = from && *from ? strdup(from) : NULL;
    return *to || !from || !*from ? 0 : error_set(err, ERROR_MEMORY, "out of memory for a run");
}

static int check(const struct run_request *request, struct model *model, struct error *err)
{
    char advice[ERROR_TEXT_CAP];

    if (request->thread->in_use)
        return error_set(err, ERROR_BUSY,
                         "an answer in this thread is under way: wait for its end, or stop it");
    if (request->answer_count > 0 && json_array_size(request->messages) > 0)
        return error_set(err, ERROR_INVALID,
                         "send either a question or the answers to what was asked, not both");
    if (!model_ready(model, advice, sizeof advice))
        return error_set(err, ERROR_UNAVAILABLE, "%s", advice);
    return 0;
}

int run_request_keep(struct chat_run *run, const struct run_request *request, struct error *err)
{
    if (check(request, run->model, err) < 0 || copy_text(&run->run_id, request->run_id, err) < 0 ||
        copy_text(&run->who, request->who ? request->who : "chat", err) < 0 ||
        copy_text(&run->where, request->where, err) < 0)
        return -1;
    return request->answer_count > 0 ? take_answers(run, request, err)
                                     : take_messages(run, request, err);
}

/* ---- putting it into the thread ---- */

static json_t *text_block(const char *text, size_t len)
{
    struct buf BUF_AUTO clean = {0};

    utf8_clean(text, len, len * 3, &clean); /* what is replaced may take three bytes */
    return clean.failed ? NULL
                        : json_pack("{s:s, s:s%}", "type", "text", "text", clean.data, clean.len);
}

/* What the user wrote, without what we put around it. */
static const json_t *own_text(const json_t *blocks)
{
    const json_t *block, *text;
    size_t i;

    json_array_foreach((json_t *)blocks, i, block)
    {
        text = json_object_get(block, "text");
        if (json_is_string(text))
            return text;
    }
    return NULL;
}

/* Blocks that came as such; a text in them may hold what no service takes (NUL) as well. */
static int add_blocks(json_t *to, const json_t *content)
{
    const json_t *block, *text;
    size_t i;
    int rc = 0;

    json_array_foreach((json_t *)content, i, block)
    {
        text = json_object_get(block, "text");
        if (json_is_string(text))
            rc |= json_array_append_new(
                to, text_block(json_string_value(text), json_string_length(text)));
        else
            rc |= json_array_append(to, (json_t *)block);
    }
    return rc;
}

/* The message as the thread keeps it; where, or NULL, goes in front. */
static json_t *make_message(const json_t *message, const char *where)
{
    json_t *content = json_object_get(message, "content");
    json_t *blocks = json_array(), *made;
    const json_t *own;
    int rc = 0;

    if (json_is_string(content))
        rc |= json_array_append_new(
            blocks, text_block(json_string_value(content), json_string_length(content)));
    else
        rc |= add_blocks(blocks, content);
    own = own_text(blocks);
    if (where)
        rc |= json_array_insert_new(blocks, 0, text_block(where, strlen(where)));
    if (rc != 0) {
        json_decref(blocks);
        return NULL;
    }
    made = json_pack("{s:O, s:s, s:o, s:{}}", "id", json_object_get(message, "id"), "role", "user",
                     "content", blocks, "shown");
    if (made && own) /* else it has gone with the blocks */
        json_object_set(json_object_get(made, "shown"), "text", (json_t *)own);
    return made;
}

/* What is open counts as declined, and is answered in the same message that asks something else. */
static int decline_open(struct chat_run *run, json_t *message, struct error *err)
{
    int rc;

    if (json_array_size(run->thread->interrupts) == 0)
        return 0;
    if (run_calls_load(run, err) < 0)
        return -1;
    run_approvals_match(run);
    rc = run_calls_refuse(run, "Not done: the editor wrote something else before it was.",
                          failure_category_name(FAILURE_CANCELLED), err);
    if (rc == 0)
        rc = run_calls_results(run, message, err);
    run_calls_free(run);
    return rc;
}

static int take_question(struct chat_run *run, struct error *err)
{
    size_t count = json_array_size(run->messages);

    for (size_t i = 0; i < count; i++) {
        json_t *message =
            make_message(json_array_get(run->messages, i), i + 1 == count ? run->where : NULL);

        if (!message)
            return error_set(err, ERROR_MEMORY, "out of memory for the question");
        if (i == 0 && decline_open(run, message, err) < 0) {
            json_decref(message);
            return -1;
        }
        if (thread_add(run->thread, message, err) < 0)
            return -1;
        if (i == 0)
            thread_set_interrupts(run->thread, json_array());
    }
    return 0;
}

/* The question stands in the thread already; where it was asked again is noted. */
static int note_again(struct chat_run *run, struct error *err)
{
    char id[UUID_TEXT_SIZE];

    if (run_note(run, THREAD_AGAIN, AGAIN, NULL, id, err) < 0)
        return -1;
    run_tell(run,
             &(struct run_event){.kind = RUN_AGAIN, .id = id, .text = AGAIN, .len = strlen(AGAIN)});
    return 0;
}

int run_request_take(struct chat_run *run, struct error *err)
{
    if (run->again)
        return note_again(run, err);
    if (!run->answers)
        return take_question(run, err);
    if (run_calls_load(run, err) < 0)
        return -1;
    run_approvals_match(run);
    thread_set_interrupts(run->thread, json_array());
    return 0;
}

/* ---- the model's answer ---- */

const char run_call_not_whole[] = "Not done: the answer was cut off before this call was complete.";

static void remove_calls(json_t *content)
{
    for (size_t i = json_array_size(content); i > 0; i--) {
        if (json_string_is(json_array_get(content, i - 1), "type", "tool_use"))
            json_array_remove(content, i - 1);
    }
}

bool run_has_words(const json_t *content)
{
    const json_t *block;
    size_t i;

    json_array_foreach((json_t *)content, i, block)
    {
        const char *text = json_get_string(block, "text");

        if (json_string_is(block, "type", "text") && text && *text)
            return true;
    }
    return false;
}

bool run_is_empty(const json_t *content)
{
    const json_t *block;
    size_t i;

    json_array_foreach((json_t *)content, i, block)
    {
        if (!json_string_is(block, "type", "thinking") &&
            !json_string_is(block, "type", "redacted_thinking") &&
            !json_string_is(block, "type", "text"))
            return false;
    }
    return !run_has_words(content);
}

int run_add_answer(struct chat_run *run, json_t *content, json_t *broken, struct error *err)
{
    json_t *message;

    if (json_array_size(content) == 0) {
        json_decref(content);
        return 0;
    }
    message = json_pack("{s:s, s:s, s:o, s:{}}", "id", run->message_id, "role", "assistant",
                        "content", content, "shown");
    if (json_array_size(broken) > 0)
        json_object_set(json_object_get(message, "shown"), "broken", broken);
    if (!message)
        return error_set(err, ERROR_MEMORY, "out of memory for an answer");
    return thread_add(run->thread, message, err);
}

int run_add_without_calls(struct chat_run *run, json_t *content, const char *why, struct error *err)
{
    remove_calls(content);
    run_events_drop(run, content, why);
    if (run_is_empty(content))
        json_array_clear(content);
    return run_add_answer(run, content, NULL, err);
}

void run_add_partial(struct chat_run *run, const struct model_message *message)
{
    json_auto_t *broken = json_array();
    json_t *content = model_message_content(message, true, broken);
    struct error err = {0};

    if (!content)
        return;
    run_events_drop(run, content, run_call_not_whole);
    if (run_is_empty(content))
        json_array_clear(content);
    if (run_add_answer(run, content, broken, &err) < 0)
        log_warning("chat", "a part of an answer is not kept: %s", err.text);
}

const char *run_first_question(const struct chat_run *run)
{
    const json_t *messages = run->thread->messages;

    if (json_array_size(run->messages) > 0)
        return json_get_string(json_array_get(run->messages, 0), "id");
    for (size_t i = json_array_size(messages); i > 0; i--) {
        const json_t *message = json_array_get(messages, i - 1);

        if (thread_is_question(message))
            return json_get_string(message, "id");
    }
    return NULL;
}

/* ---- notes ---- */

int run_note(struct chat_run *run, const char *kind, const char *text, json_t *more,
             char id[UUID_TEXT_SIZE], struct error *err)
{
    json_auto_t *held = more;
    char own[UUID_TEXT_SIZE];
    json_t *note;

    if (text_uuid(own, err) < 0)
        return -1;
    note = json_pack("{s:s, s:s, s:[], s:{s:s, s:s}}", "id", own, "role", "note", "content",
                     "shown", "kind", kind, "text", text);
    if (!note || (held && json_object_update(json_object_get(note, "shown"), held) < 0)) {
        json_decref(note);
        return error_set(err, ERROR_MEMORY, "out of memory for a note");
    }
    if (id)
        memcpy(id, own, sizeof own);
    return thread_add(run->thread, note, err);
}

void run_note_usage(struct chat_run *run)
{
    char id[UUID_TEXT_SIZE];
    struct error err = {0};
    json_t *note = NULL;

    if (run->usage.requests == 0)
        return;
    if (text_uuid(id, &err) == 0)
        note = json_pack("{s:s, s:s, s:[], s:{s:s, s:o}}", "id", id, "role", "note", "content",
                         "shown", "kind", "usage", "usage", run_usage_json(&run->usage));
    if (!note || thread_add(run->thread, note, &err) < 0)
        log_warning("chat", "what run %s has cost is not kept: %s", run->run_id,
                    *err.text ? err.text : "out of memory");
}

int run_limit(struct chat_run *run, const char *name, json_t *more, struct error *err,
              const char *format, ...)
{
    char text[ERROR_TEXT_CAP], id[UUID_TEXT_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (run_note(run, name, text, more, id, err) < 0)
        return -1;
    run_tell_limit(run, name, id, text);
    return 0;
}
