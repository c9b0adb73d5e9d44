/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state that pages are sent: when they connect, and again when a conversation of their session
 * has come, or has another title, whoever asked in it.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/chat/chat_internal.h"
#include "mcp/store/store.h"

/* ---- reading it ---- */

void chat_state_work(struct workq_job *job, void *context)
{
    struct chat_state *state = (struct chat_state *)job;

    buf_clear(&state->threads);
    state->rc = store_session(context, state->session_id, state->title, sizeof state->title, NULL,
                              &state->err);
    if (state->rc == 0)
        state->rc = store_threads_read(context, state->session_id, CHAT_THREADS_LISTED,
                                       &state->threads, &state->err);
}

static json_t *model_state(const struct chat *chat)
{
    char advice[ERROR_TEXT_CAP] = "This server has no model: start it with lectern serve.";
    bool ready = chat->model && model_ready(chat->model, advice, sizeof advice);

    return json_pack("{s:s, s:b, s:s*}", "name", chat->model ? model_name(chat->model) : "",
                     "ready", ready, "advice", ready ? NULL : advice);
}

json_t *chat_state_make(const struct chat *chat, const struct chat_state *state)
{
    json_t *threads = json_read(state->threads.data, state->threads.len, "the threads", NULL);

    return json_pack("{s:s, s:{s:s, s:s}, s:o, s:o, s:i}", "version", LECTERN_VERSION, "session",
                     "session_id", state->session_id, "title", state->title, "model",
                     model_state(chat), "threads", threads ? threads : json_array(), "repairs",
                     (int)CODE_ATTEMPTS_MAX - 1);
}

void chat_state_finish(struct chat_state *state)
{
    buf_finish(&state->threads);
}

/* ---- again ---- */

struct state_reading {
    struct chat_state state; /* first */
    LIST_ENTRY(state_reading) link;
    struct chat *chat; /* NULL: gone */
    bool again;        /* something came while it was under way */
};

static bool has(const json_t *threads, const json_t *wanted)
{
    const char *id = json_get_string(wanted, "thread_id"), *own;
    const json_t *thread;
    size_t i;

    json_array_foreach((json_t *)threads, i, thread)
    {
        own = json_get_string(thread, "thread_id");
        if (id && own && strcmp(id, own) == 0)
            return json_equal(json_object_get(thread, "title"), json_object_get(wanted, "title"));
    }
    return false;
}

/* When each was used last is not worth a frame to everybody. */
static bool were_sent(const json_t *sent_threads, const json_t *threads)
{
    const json_t *thread;
    size_t i;

    json_array_foreach((json_t *)threads, i, thread)
    {
        if (!has(sent_threads, thread))
            return false;
    }
    return true;
}

static void spread(struct chat *chat, const struct chat_state *state)
{
    json_auto_t *made = chat_state_make(chat, state);
    const json_t *threads = json_object_get(made, "threads");
    struct chat_page *page;

    LIST_FOREACH(page, &chat->pages, link)
    {
        if (strcmp(page->session_id, state->session_id) != 0 || page->ended ||
            (page->greeted && were_sent(page->sent_threads, threads)))
            continue;
        json_decref(page->new_state);
        page->new_state = json_incref(made);
        chat->wake(page->user);
    }
}

static void free_reading(struct state_reading *reading)
{
    if (reading->chat)
        LIST_REMOVE(reading, link);
    chat_state_finish(&reading->state);
    free(reading);
}

/* A work queue that is full leaves it to the next occasion. */
static void submit(struct state_reading *reading)
{
    reading->state.job.key = workq_key(reading->state.session_id);
    if (workq_submit(reading->chat->server->store.read, &reading->state.job, NULL) < 0)
        free_reading(reading);
}

static void on_read(struct workq_job *job)
{
    struct state_reading *reading = (struct state_reading *)job;

    if (reading->chat && reading->again) {
        reading->again = false;
        submit(reading);
        return;
    }
    if (reading->chat && reading->state.rc == 0)
        spread(reading->chat, &reading->state);
    free_reading(reading);
}

void chat_state_read(struct chat *chat, const char *session_id)
{
    struct state_reading *reading;

    LIST_FOREACH(reading, &chat->readings, link)
    {
        if (strcmp(reading->state.session_id, session_id) == 0) {
            reading->again = true;
            return;
        }
    }
    reading = calloc(1, sizeof *reading);
    if (!reading)
        return;
    reading->state.job.work = chat_state_work;
    reading->state.job.done = on_read;
    memcpy(reading->state.session_id, session_id, strlen(session_id) + 1);
    reading->chat = chat;
    LIST_INSERT_HEAD(&chat->readings, reading, link);
    submit(reading);
}

void chat_state_abandon(struct chat *chat)
{
    struct state_reading *reading;

    while ((reading = LIST_FIRST(&chat->readings)) != NULL) {
        LIST_REMOVE(reading, link);
        reading->chat = NULL;
    }
}
