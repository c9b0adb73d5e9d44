/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The chat as a whole: what all pages of a session are sent, changes and their session's state. The
 * state is sent when a page connects, and again when a conversation of its session has come, or has
 * another title, whoever asked in it.
 */
#include "mcp/chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/chat/chat_internal.h"
#include "mcp/store/store_thread.h"

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

struct state_reading {
    struct workq_job job; /* first */
    LIST_ENTRY(state_reading) link;
    struct chat *chat; /* NULL: gone */
    bool again;        /* it was asked for while it was under way */
    char session_id[SESSION_ID_SIZE];
    char title[TITLE_MAX + 1];
    struct buf threads;
    struct error err; /* ERROR_NONE: it was read */
};

static void read_state(struct workq_job *job, void *context)
{
    struct state_reading *reading = (struct state_reading *)job;

    buf_clear(&reading->threads);
    reading->err = (struct error){0};
    if (store_session(context, reading->session_id, reading->title, sizeof reading->title, NULL,
                      &reading->err) == 0)
        store_threads_read(context, reading->session_id, CHAT_THREADS_LISTED, &reading->threads,
                           &reading->err);
}

static json_t *make_state(const struct state_reading *reading)
{
    const struct model *model = reading->chat->model;
    char advice[ERROR_TEXT_CAP] = "This server has no model: start it with lectern serve.";
    bool ready = model && model_ready(model, advice, sizeof advice);
    json_t *threads = json_read(reading->threads.data, reading->threads.len, "the threads", NULL);

    return json_pack("{s:s, s:{s:s, s:s}, s:{s:s, s:b, s:s*}, s:o, s:i}", "version",
                     LECTERN_VERSION, "session", "session_id", reading->session_id, "title",
                     reading->title, "model", "name", model ? model_name(model) : "", "ready",
                     ready, "advice", ready ? NULL : advice, "threads",
                     threads ? threads : json_array(), "repairs", (int)CODE_ATTEMPTS_MAX - 1);
}

/* To all pages of the session; state: NULL with err. A page may be gone after it was told. */
static void spread(struct chat *chat, const char *session_id, json_t *state,
                   const struct error *err)
{
    struct chat_page *page = LIST_FIRST(&chat->pages), *next;

    for (; page; page = next) {
        next = LIST_NEXT(page, link);
        if (strcmp(page->session_id, session_id) == 0)
            page_take_state(page, state, err);
    }
}

static void free_reading(struct state_reading *reading)
{
    if (reading->chat)
        LIST_REMOVE(reading, link);
    buf_finish(&reading->threads);
    free(reading);
}

static void submit(struct state_reading *reading)
{
    struct error err = {0};

    reading->job.key = workq_key(reading->session_id);
    if (workq_submit(reading->chat->server->store.read, &reading->job, &err) == 0)
        return;
    spread(reading->chat, reading->session_id, NULL, &err);
    free_reading(reading);
}

static void on_read(struct workq_job *job)
{
    struct state_reading *reading = (struct state_reading *)job;
    json_auto_t *state = NULL;

    if (reading->chat && reading->err.kind == ERROR_NONE) {
        state = make_state(reading);
        if (!state)
            error_set(&reading->err, ERROR_MEMORY, "out of memory: connect again in a moment");
    }
    if (reading->chat)
        spread(reading->chat, reading->session_id, state, &reading->err);
    if (reading->chat && reading->again) {
        reading->again = false;
        submit(reading);
    } else {
        free_reading(reading);
    }
}

void chat_state_read(struct chat *chat, const char *session_id)
{
    struct state_reading *reading;

    LIST_FOREACH(reading, &chat->readings, link)
    {
        if (strcmp(reading->session_id, session_id) == 0) {
            reading->again = true;
            return;
        }
    }
    reading = calloc(1, sizeof *reading);
    if (!reading) {
        struct error err = {.kind = ERROR_MEMORY,
                            .text = "out of memory: connect again in a moment"};

        spread(chat, session_id, NULL, &err);
        return;
    }
    reading->job.work = read_state;
    reading->job.done = on_read;
    memcpy(reading->session_id, session_id, strlen(session_id) + 1);
    reading->chat = chat;
    LIST_INSERT_HEAD(&chat->readings, reading, link);
    submit(reading);
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
    chat->wake = wake;
    chat->listener.on_change = on_change;
    LIST_INIT(&chat->pages);
    LIST_INIT(&chat->conversations);
    LIST_INIT(&chat->readings);
    if (server->store.feed)
        change_feed_listen(server->store.feed, &chat->listener);
    return chat;
}

void chat_destroy(struct chat *chat)
{
    struct state_reading *reading;

    if (!chat)
        return;
    if (chat->page_count > 0 || chat->runs > 0)
        log_error("chat", "%zu pages and %zu runs were still there at the end", chat->page_count,
                  chat->runs);
    if (chat->server->store.feed)
        change_feed_leave(&chat->listener);
    conversations_abandon(chat);
    while ((reading = LIST_FIRST(&chat->readings)) != NULL) {
        LIST_REMOVE(reading, link);
        reading->chat = NULL;
    }
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
    conversations_cancel(chat);
}

void chat_each(struct chat *chat, void (*each)(void *user))
{
    struct chat_page *page;

    LIST_FOREACH(page, &chat->pages, link) each(page->user);
}
