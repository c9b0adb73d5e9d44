/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of a session that its pages receive: its title, its conversations, and whether the
 * model is ready. It is read when a page connects, and again when a conversation of its session is
 * created or gets another title, from any page.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/chat/chat_internal.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/store.h"
#include "mcp/store/thread.h"

struct state_reading {
    struct workq_job job; /* first */
    LIST_ENTRY(state_reading) link;
    struct chat *chat; /* NULL: destroyed */
    bool again;        /* requested again while it was being read */
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

    return json_pack(
        "{s:s, s:{s:s, s:s}, s:{s:s, s:b, s:s*}, s:o, s:i, s:b}", "version", LECTERN_VERSION,
        "session", "session_id", reading->session_id, "title", reading->title, "model", "name",
        model ? model_name(model) : "", "ready", ready, "advice", ready ? NULL : advice, "threads",
        threads ? threads : json_array(), "repairs",
        (int)reading->chat->server->analyses.attempts - 1, "solve", reading->chat->solve);
}

static void free_reading(struct state_reading *reading)
{
    if (reading->chat)
        LIST_REMOVE(reading, link);
    buf_finish(&reading->threads);
    free(reading);
}

static void submit_reading(struct state_reading *reading)
{
    struct error err = {0};

    reading->job.key = workq_key(reading->session_id);
    if (workq_submit(reading->chat->server->store.read, &reading->job, &err) == 0)
        return;
    reading->chat->on_state(reading->chat, reading->session_id, NULL, &err);
    free_reading(reading);
}

static void on_state_read(struct workq_job *job)
{
    struct state_reading *reading = (struct state_reading *)job;
    json_auto_t *state = NULL;

    if (reading->chat && reading->err.kind == ERROR_NONE) {
        state = make_state(reading);
        if (!state)
            error_set(&reading->err, ERROR_MEMORY, "out of memory: connect again in a moment");
    }
    if (reading->chat)
        reading->chat->on_state(reading->chat, reading->session_id, state, &reading->err);
    if (reading->chat && reading->again) {
        reading->again = false;
        submit_reading(reading);
    } else {
        free_reading(reading);
    }
}

void session_state_read(struct chat *chat, const char *session_id)
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

        chat->on_state(chat, session_id, NULL, &err);
        return;
    }
    reading->job.work = read_state;
    reading->job.done = on_state_read;
    memcpy(reading->session_id, session_id, strlen(session_id) + 1);
    reading->chat = chat;
    LIST_INSERT_HEAD(&chat->readings, reading, link);
    submit_reading(reading);
}

void session_states_abandon(struct chat *chat)
{
    struct state_reading *reading;

    while ((reading = LIST_FIRST(&chat->readings)) != NULL) {
        LIST_REMOVE(reading, link);
        reading->chat = NULL;
    }
}
