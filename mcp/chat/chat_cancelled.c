/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Questions that an editor stopped before their turn came. A client that sends its whole history
 * sends them again with the next question; so the thread keeps them, as notes with their ids, and
 * they are not answered. A run may be using the thread meanwhile: they wait until none does, and no
 * other begins before they are durable.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/chat/chat_internal.h"

static bool waits(const struct conversation *conversation, const char *id)
{
    const json_t *message;
    size_t i;

    json_array_foreach(conversation->cancelled_requests, i, message)
    {
        const char *own = json_get_string(message, "id");

        if (own && !strcmp(own, id))
            return true;
    }
    return false;
}

void cancelled_requests_add(struct conversation *conversation, const json_t *messages)
{
    if (!conversation->cancelled_requests)
        conversation->cancelled_requests = json_array();
    for (size_t i = json_array_size(messages); i-- > 0;) { /* the newest is the one that counts */
        json_t *message = json_array_get(messages, i);
        const char *id = json_get_string(message, "id");

        if (waits(conversation, id) ||
            (conversation->thread && thread_has_message(conversation->thread, id)))
            continue;
        if (json_array_size(conversation->cancelled_requests) >= CHAT_CANCELLED_CAP ||
            json_array_append(conversation->cancelled_requests, message) != 0) {
            log_warning("chat", "a stopped question is forgotten: too many wait to be kept");
            return;
        }
    }
}

bool cancelled_requests_waits(const struct conversation *conversation)
{
    return json_array_size(conversation->cancelled_requests) > 0;
}

static void on_kept(void *user, const struct error *err)
{
    struct conversation *conversation = user;

    conversation->keeping = false;
    if (err)
        log_warning("chat", "a stopped question is not kept: %s", err->text);
    conversation->stale = conversation->stale || err;
    conversation_go_on(conversation);
}

static void add_notes(struct conversation *conversation)
{
    struct error err = {0};

    for (size_t i = json_array_size(conversation->cancelled_requests);
         i-- > 0;) { /* as they were asked */
        json_t *message = json_array_get(conversation->cancelled_requests, i);
        json_t *note;

        if (thread_has_message(conversation->thread, json_get_string(message, "id")))
            continue;
        note = json_pack("{s:O, s:s, s:[], s:{s:s, s:O}}", "id", json_object_get(message, "id"),
                         "role", "note", "content", "shown", "kind", THREAD_NOT_ASKED, "text",
                         json_object_get(message, "content"));
        if (thread_add(conversation->thread, note, &err) != 0) {
            log_warning("chat", "a stopped question is not kept: %s", err.text);
            break; /* the thread is full, or there is no memory */
        }
    }
    json_array_clear(conversation->cancelled_requests);
}

bool cancelled_requests_keep(struct conversation *conversation)
{
    struct error err = {0};

    if (conversation->keeping)
        return true;
    if (!conversation->thread || !cancelled_requests_waits(conversation))
        return false;
    add_notes(conversation);
    if (conversation->thread->saved == json_array_size(conversation->thread->messages))
        return false;
    conversation->keeping = true;
    if (thread_save(conversation->chat->server, conversation->thread, on_kept, conversation,
                    &err) != 0)
        on_kept(conversation, &err);
    return true;
}
