/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An answer of the model goes into the thread as it came, so that the service takes it back; and by
 * its stop reason what comes next.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "helpers/base/utf8.h"
#include "mcp/chat/run_internal.h"

#define WORDS_SAID 1000 /* bytes of what a service says of a refusal */

static const char cut_call[] = "Not done: the answer was cut before this call was whole.";
static const char void_call[] = "Not done: the answer ended in another way than with this call.";

/* ---- too long ---- */

int run_shorten(struct chat_run *run, struct error *err)
{
    size_t skip = run->shortened < RUN_SHORTENED_MAX ? thread_shorter(run->thread) : 0;

    if (skip == 0)
        return 0;
    run->shortened++;
    return run_limit(run, "context", json_pack("{s:I}", "skip", (json_int_t)skip), err,
                     "The conversation is longer than the model reads at once: the first %zu "
                     "question%s left out from here on.",
                     skip, skip == 1 ? " is" : "s are") < 0
               ? -1
               : 1;
}

/* ---- the answer in the thread ---- */

static void remove_calls(json_t *content)
{
    for (size_t i = json_array_size(content); i > 0; i--) {
        if (json_string_is(json_array_get(content, i - 1), "type", "tool_use"))
            json_array_remove(content, i - 1);
    }
}

/* Thinking alone says nothing to anybody, and a service may not take it back. */
static bool says_nothing(const json_t *content)
{
    const json_t *block;
    size_t i;

    json_array_foreach((json_t *)content, i, block)
    {
        const char *text = json_get_string(block, "text");

        if (json_string_is(block, "type", "thinking") ||
            json_string_is(block, "type", "redacted_thinking") ||
            (json_string_is(block, "type", "text") && (!text || !*text)))
            continue;
        return false;
    }
    return true;
}

/* Some text of its own is there. */
static bool has_words(const json_t *content)
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

/* Takes over content. broken: the ids of its calls whose arguments are no object, or NULL. */
static int add_answer(struct chat_run *run, json_t *content, json_t *broken, struct error *err)
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

/* Without its calls; each that was told is told not to be made. Takes over content. */
static int add_without_calls(struct chat_run *run, json_t *content, const char *why,
                             struct error *err)
{
    remove_calls(content);
    run_events_drop(run, content, why);
    if (says_nothing(content))
        json_array_clear(content);
    return add_answer(run, content, NULL, err);
}

/* ---- by stop reason. Each takes over content, and may end the run. ---- */

struct answer {
    const struct model_message *message;
    json_t *content;
    json_t *broken; /* borrowed */
};

/* An answer in the thread's place of the text that never came. */
static void end_wordless(struct chat_run *run, const char *text)
{
    char id[UUID_TEXT_SIZE];
    struct error err = {0};

    if (run_note(run, "empty", text, NULL, id, &err) < 0) {
        run_fail(run, &err);
        return;
    }
    run_tell_text(run, id, text);
    run_succeed(run);
}

static void go_on(struct chat_run *run, const struct answer *answer,
                  void (*next)(struct chat_run *run))
{
    bool calls = thread_has_block(answer->content, "tool_use"),
         empty = says_nothing(answer->content);
    struct error err = {0};

    if (empty)
        json_array_clear(answer->content);
    run_events_drop(run, answer->content, cut_call);
    if (add_answer(run, answer->content, answer->broken, &err) < 0)
        run_fail(run, &err);
    else if (calls)
        run_save(run, run_calls_begin);
    else if (next)
        run_save(run, next);
    else if (empty)
        end_wordless(run,
                     run->turn > 1
                         ? "The model answered nothing behind what its tools have said. Ask it "
                           "to sum up, or to go on."
                         : "The model answered nothing. Ask again, or in other words.");
    else
        run_succeed(run);
}

/* Some services say end_turn where calls are to be answered. */
static void on_end(struct chat_run *run, const struct answer *answer)
{
    go_on(run, answer, NULL);
}

static void on_pause(struct chat_run *run, const struct answer *answer)
{
    go_on(run, answer, run->last ? NULL : run_turn);
}

static void on_max_tokens(struct chat_run *run, const struct answer *answer)
{
    struct error err = {0};

    if (add_without_calls(run, answer->content, cut_call, &err) < 0 ||
        run_limit(run, "output", NULL, &err,
                  "The answer was cut at %u tokens, the most of one answer. Ask for the rest, or "
                  "for less.",
                  RUN_MAX_TOKENS) < 0)
        run_fail(run, &err);
    else
        run_succeed(run);
}

/* The text is the model's own; the note says why there is no more of it. Takes over more, which the
 * note is to have too, or NULL. */
static void end_with_note(struct chat_run *run, const struct answer *answer, const char *name,
                          const char *text, json_t *more)
{
    char id[UUID_TEXT_SIZE];
    struct error err = {0};

    if (add_without_calls(run, answer->content, void_call, &err) < 0) {
        json_decref(more);
        run_fail(run, &err);
        return;
    }
    if (run_note(run, name, text, more, id, &err) < 0) {
        run_fail(run, &err);
        return;
    }
    run_tell_text(run, id, text);
    run_succeed(run);
}

/* What the run began with: its own question, or the newest, which it goes on with. */
static const char *first_asked(const struct chat_run *run)
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

/* The same is not to be asked again, so it is left out of what comes after. */
static void on_refusal(struct chat_run *run, const struct answer *answer)
{
    const json_t *details = answer->message->stop_details;
    const char *why = json_get_string(details, "explanation");
    const char *category = json_get_string(details, "category");
    struct buf BUF_AUTO text = {0};

    buf_adds(&text, "The model declined to answer this");
    if (category && *category)
        buf_addf(&text, " (%.*s)", utf8_shown(category, WORDS_SAID), category);
    if (why && *why)
        buf_addf(&text, ": %.*s", utf8_shown(why, WORDS_SAID), why);
    buf_adds(&text,
             "\nAsk in another way; the same question would be declined again, and the model "
             "is not sent it any more.");
    end_with_note(run, answer, "refusal", text.data ? text.data : "The model declined this.",
                  json_pack("{s:s*}", "from", first_asked(run)));
}

/* What was said so far would be an answer to a question that is asked once more: it is let go. */
static void on_context_window(struct chat_run *run, const struct answer *answer)
{
    struct error err = {0};
    int shorter = run_shorten(run, &err);

    if (shorter == 0) {
        if (add_without_calls(run, answer->content, cut_call, &err) < 0 ||
            run_limit(run, "context", NULL, &err,
                      "The conversation is as long as the model reads at once, and the answer was "
                      "cut. Begin a new thread.") < 0)
            run_fail(run, &err);
        else
            run_succeed(run);
        return;
    }
    json_decref(answer->content);
    run_events_drop(run, NULL, cut_call);
    if (shorter < 0)
        run_fail(run, &err);
    else
        run_save(run, run_turn);
}

static void on_unknown(struct chat_run *run, const struct answer *answer)
{
    log_warning("chat", "an answer of %s ended for a reason that is not known here",
                answer->message->model);
    end_with_note(run, answer, "error",
                  "The model's service ended this answer for a reason that is not known here.",
                  NULL);
}

static void (*const by_stop[])(struct chat_run *run, const struct answer *answer) = {
    [MODEL_STOP_UNKNOWN] = on_unknown,       [MODEL_STOP_END_TURN] = on_end,
    [MODEL_STOP_SEQUENCE] = on_end,          [MODEL_STOP_TOOL_USE] = on_end,
    [MODEL_STOP_MAX_TOKENS] = on_max_tokens, [MODEL_STOP_PAUSE_TURN] = on_pause,
    [MODEL_STOP_REFUSAL] = on_refusal,       [MODEL_STOP_CONTEXT_WINDOW] = on_context_window,
};

/* ---- the last turn ---- */

void run_end_called(struct chat_run *run)
{
    const json_t *messages = run->thread->messages, *message = NULL;
    const char *role = "";

    for (size_t i = json_array_size(messages); i > 0 && strcmp(role, "assistant") != 0; i--) {
        message = json_array_get(messages, i - 1);
        role = json_get_string(message, "role");
    }
    if (has_words(json_object_get(message, "content")))
        run_succeed(run);
    else
        end_wordless(run, "The model called tools once more instead of summing up, and none was "
                          "run. Ask it to sum up, or to go on.");
}

/* ---- what came ---- */

void run_take_partial(struct chat_run *run, const struct model_message *message)
{
    json_auto_t *broken = json_array();
    json_t *content = model_message_content(message, true, broken);
    struct error err = {0};

    if (!content)
        return;
    run_events_drop(run, content, cut_call);
    if (says_nothing(content))
        json_array_clear(content);
    if (add_answer(run, content, broken, &err) < 0)
        log_warning("chat", "what came of an answer is not kept: %s", err.text);
}

void run_take_answer(struct chat_run *run, const struct model_message *message)
{
    json_auto_t *broken = json_array();
    struct answer answer = {.message = message, .broken = broken};
    struct error err = {0};

    answer.content = model_message_content(message, false, broken);
    if (!answer.content) {
        error_set(&err, ERROR_INTERNAL, "The answer of the model ended before it was whole.");
        run_fail(run, &err);
        return;
    }
    by_stop[message->stop](run, &answer);
}
