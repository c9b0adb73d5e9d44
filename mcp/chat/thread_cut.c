/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is left of a run that the server's end cut off: a question without an answer, calls without
 * results. A run that ends by itself leaves a word on it; where there is none, it is put there as
 * the thread is loaded. Pure, any thread.
 */
#include "helpers/base/json.h"
#include "mcp/chat/thread.h"
#include "mcp/session/text.h"

#define NOT_KNOWN                                                                                  \
    "The server ended in the midst of this call. Whether it was done is not known: look before "   \
    "you do it again."
#define WAS_CUT "The server ended in the midst of this answer, so it was cut off. Ask again."

/* The last message that is no note; *ended: a note behind it says how its run ended. */
static const json_t *last_said(const struct thread *thread, bool *ended)
{
    static const char *const ends[] = {"error", "stopped", "refusal", "usage"};

    *ended = false;
    for (size_t i = json_array_size(thread->messages); i > 0; i--) {
        const json_t *message = json_array_get(thread->messages, i - 1);

        if (!json_string_is(message, "role", "note"))
            return message;
        if (thread_is_note(message, THREAD_AGAIN) && !*ended)
            return message; /* asked again, and that run has said nothing */
        for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++)
            *ended = *ended || thread_is_note(message, ends[k]);
    }
    return NULL;
}

/* A result for each call of the message: a new reference, empty where there is none. */
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

static int add_results(struct thread *thread, json_t *results, struct error *err)
{
    char id[UUID_TEXT_SIZE];

    if (text_uuid(id, err) < 0)
        return -1;
    return thread_add(
        thread,
        json_pack("{s:s, s:s, s:O, s:{}}", "id", id, "role", "user", "content", results, "shown"),
        err);
}

static int add_note(struct thread *thread, struct error *err)
{
    char id[UUID_TEXT_SIZE];

    if (text_uuid(id, err) < 0)
        return -1;
    return thread_add(thread,
                      json_pack("{s:s, s:s, s:[], s:{s:s, s:s}}", "id", id, "role", "note",
                                "content", "shown", "kind", "error", "text", WAS_CUT),
                      err);
}

int thread_close_cut(struct thread *thread, struct error *err)
{
    json_auto_t *results = NULL;
    const json_t *last;
    bool ended;

    if (json_array_size(thread->interrupts) > 0) /* it waits for the editor's word */
        return 0;
    last = last_said(thread, &ended);
    results = results_of(last);
    if (json_array_size(results) > 0)
        return add_results(thread, results, err) < 0 ? -1 : add_note(thread, err);
    if (!last || ended || json_string_is(last, "role", "assistant"))
        return 0;
    return add_note(thread, err);
}
