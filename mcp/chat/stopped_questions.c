/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Questions that an editor stopped before their turn. A client that sends its whole history repeats
 * them. So the thread records them as notes with their ids, and they are not answered. A run may be
 * using the thread: the notes wait until none does, and no run begins before they are durable.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/chat/chat_internal.h"

static bool is_kept(const struct conversation *conversation, const char *id)
{
    const json_t *message;
    size_t i;

    json_array_foreach(conversation->cancelled, i, message)
    {
        const char *own = json_get_string(message, "id");

        if (own && strcmp(own, id) == 0)
            return true;
    }
    return false;
}

void stopped_questions_keep(struct conversation *conversation, const json_t *messages)
{
    if (!conversation->cancelled)
        conversation->cancelled = json_array();
    for (size_t i = json_array_size(messages); i-- > 0;) { /* the newest is the one that counts */
        json_t *message = json_array_get(messages, i);
        const char *id = json_get_string(message, "id");

        if (is_kept(conversation, id) ||
            (conversation->thread && thread_has_message(conversation->thread, id)))
            continue;
        if (json_array_size(conversation->cancelled) >= CHAT_CANCELLED_CAP ||
            json_array_append(conversation->cancelled, message) != 0) {
            log_warning("chat", "a stopped question is forgotten: too many wait to be kept");
            return;
        }
    }
}

static void on_kept(void *user, const struct error *err)
{
    struct conversation *conversation = user;

    conversation->keeping = false;
    if (err)
        log_warning("chat", "a stopped question is not kept: %s", err->text);
    else if (conversation->chat) /* the conversation may be new */
        session_state_read(conversation->chat, conversation->session_id);
    conversation->stale = conversation->stale || err;
    conversation_go_on(conversation);
}

static void add_notes(struct conversation *conversation)
{
    struct error err = {0};

    for (size_t i = json_array_size(conversation->cancelled);
         i-- > 0;) { /* in the order in which they were asked */
        json_t *message = json_array_get(conversation->cancelled, i);
        const char *id = json_get_string(message, "id");

        if (thread_has_message(conversation->thread, id))
            continue;
        if (thread_put(conversation->thread, id, "note", json_array(),
                       json_pack("{s:s, s:O}", "kind", THREAD_NOT_ASKED, "text",
                                 json_object_get(message, "content")),
                       NULL, &err) < 0) {
            log_warning("chat", "a stopped question is not kept: %s", err.text);
            break; /* the thread is full, or out of memory */
        }
    }
    json_array_clear(conversation->cancelled);
}

bool stopped_questions_save(struct conversation *conversation)
{
    struct error err = {0};

    if (conversation->keeping)
        return true;
    if (!conversation->thread || json_array_size(conversation->cancelled) == 0)
        return false;
    add_notes(conversation);
    if (conversation->thread->saved == json_array_size(conversation->thread->messages))
        return false;
    conversation->keeping = true;
    if (thread_save(&conversation->chat->server->store, conversation->thread, on_kept, conversation,
                    &err) < 0)
        on_kept(conversation, &err);
    return true;
}
