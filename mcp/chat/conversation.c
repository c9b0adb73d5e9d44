/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Conversations in use. A thread is loaded when it is first needed, and kept in memory while it is
 * used. What waits for it continues in a task of the loop.
 */
#include <stdlib.h>
#include <string.h>

#include "mcp/chat/chat_internal.h"

static void free_unused(struct conversation *conversation)
{
    if (conversation->users > 0 || conversation->loading || conversation->posted ||
        conversation->keeping)
        return;
    if (conversation->chat)
        LIST_REMOVE(conversation, link);
    thread_destroy(conversation->thread);
    json_decref(conversation->cancelled);
    free(conversation);
}

struct conversation *conversation_get(struct chat *chat, const char *session_id,
                                      const char *thread_id)
{
    struct conversation *conversation;

    LIST_FOREACH(conversation, &chat->conversations, link)
    {
        if (strcmp(conversation->session_id, session_id) == 0 &&
            strcmp(conversation->thread_id, thread_id) == 0)
            break;
    }
    if (!conversation) {
        conversation = calloc(1, sizeof *conversation);
        if (!conversation)
            return NULL;
        conversation->chat = chat;
        memcpy(conversation->session_id, session_id, strlen(session_id) + 1);
        memcpy(conversation->thread_id, thread_id, strlen(thread_id) + 1);
        STAILQ_INIT(&conversation->questions);
        LIST_INIT(&conversation->viewers);
        LIST_INSERT_HEAD(&chat->conversations, conversation, link);
    }
    conversation->users++;
    return conversation;
}

void conversation_release(struct conversation *conversation)
{
    if (!conversation)
        return;
    conversation->users--;
    free_unused(conversation);
}

void conversation_post(struct conversation *conversation)
{
    if (conversation->posted)
        return;
    conversation->posted = true;
    conversation->task.run = conversation->chat->conversation_task;
    conversation->task.arg = conversation;
    loop_queue_post(conversation->chat->server->loop_queue, &conversation->task);
}

void conversation_go_on(struct conversation *conversation)
{
    if (conversation->chat)
        conversation_post(conversation);
    else
        free_unused(conversation);
}

static void on_loaded(void *user, struct thread *thread, const struct error *err)
{
    struct conversation *conversation = user;

    conversation->loading = false;
    conversation->thread = thread;
    if (err)
        conversation->error = *err;
    conversation_go_on(conversation);
}

void conversation_load(struct conversation *conversation)
{
    if (conversation->thread || conversation->loading)
        return;
    conversation->error = (struct error){0};
    conversation->loading = true;
    if (thread_load(&conversation->chat->server->store, conversation->session_id,
                    conversation->thread_id, on_loaded, conversation, &conversation->error) == 0)
        return;
    conversation->loading = false;
    conversation_post(conversation);
}
