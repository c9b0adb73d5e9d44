/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is a question in a thread, and whether it has its answer. Pure.
 */
#include "helpers/base/json.h"
#include "mcp/chat/thread.h"

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

size_t thread_questions(const struct thread *thread)
{
    const json_t *message;
    size_t i, count = 0;

    json_array_foreach(thread->messages, i, message) count += thread_is_question(message);
    return count;
}

/* Behind the newest question the whole answer has come: an assistant's message without calls, and
 * no note after it that it broke off. */
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
