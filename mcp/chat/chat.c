/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The chat as a whole, and what it sends to all pages of a session: changes, and the session's
 * state.
 */
#include "mcp/chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/log.h"
#include "mcp/chat/chat_internal.h"

/* ---- changes ---- */

static void on_change(struct change_listener *listener, const struct store_change *change)
{
    struct chat *chat = (struct chat *)listener; /* its first member */
    struct chat_page *page;

    LIST_FOREACH(page, &chat->pages, link)
    {
        if (strcmp(page->session_id, change->sid) == 0)
            page_hear(page, change);
    }
}

/* ---- the state of a session ---- */

/* A page may be destroyed in its callback. */
static void on_state(struct chat *chat, const char *session_id, json_t *state,
                     const struct error *err)
{
    struct chat_page *page = LIST_FIRST(&chat->pages), *next;

    for (; page; page = next) {
        next = LIST_NEXT(page, link);
        if (strcmp(page->session_id, session_id) == 0)
            page_take_state(page, state, err);
    }
}

/* ---- life ---- */

struct chat *chat_create(struct server *server, const struct chat_config *config,
                         void (*wake)(void *user), struct error *err)
{
    struct chat *chat = calloc(1, sizeof *chat);

    if (!chat) {
        error_set(err, ERROR_MEMORY, "out of memory for the chat");
        return NULL;
    }
    chat->server = server;
    chat->model = config->model;
    chat->solve = config->solve;
    chat->wake = wake;
    chat->listener.on_change = on_change;
    chat->on_state = on_state;
    chat->conversation_task = questions_go_on;
    LIST_INIT(&chat->pages);
    LIST_INIT(&chat->conversations);
    LIST_INIT(&chat->readings);
    if (server->store.feed)
        change_feed_listen(server->store.feed, &chat->listener);
    return chat;
}

void chat_destroy(struct chat *chat)
{
    if (!chat)
        return;
    if (chat->page_count > 0 || chat->runs > 0)
        log_error("chat", "%zu pages and %zu runs were still there at the end", chat->page_count,
                  chat->runs);
    if (chat->server->store.feed)
        change_feed_leave(&chat->listener);
    session_states_abandon(chat);
    questions_abandon(chat);
    free(chat);
}

size_t chat_pages(const struct chat *chat)
{
    return chat->page_count;
}

size_t chat_runs(const struct chat *chat)
{
    return chat->runs;
}

const struct chat_totals *chat_totals(const struct chat *chat)
{
    return &chat->totals;
}

_Static_assert(RUN_FAILED + 1 == CHAT_OUTCOMES, "one count for each outcome");

const char *chat_outcome_name(size_t outcome)
{
    static const char *const names[CHAT_OUTCOMES] = {
        [RUN_SUCCEEDED] = "success",
        [RUN_CANCELLED] = "cancelled",
        [RUN_INTERRUPTED] = "interrupt",
        [RUN_FAILED] = "failed",
    };

    return names[outcome];
}

void chat_cancel_all(struct chat *chat)
{
    chat->closing = true;
    questions_cancel(chat);
}

void chat_each(struct chat *chat, void (*each)(void *user))
{
    struct chat_page *page;

    LIST_FOREACH(page, &chat->pages, link) each(page->user);
}
