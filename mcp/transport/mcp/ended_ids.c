/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The set is a table with open addressing: the ids are random, so their first bytes are their hash.
 * An id that has ended by itself meanwhile is dropped when the table is made anew.
 */
#include "mcp/store/shared.h"
#include "mcp/transport/mcp/ended_ids.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/clock.h"
#include "helpers/base/encode.h"
#include "helpers/base/loop_queue.h"
#include "helpers/base/workq.h"
#include "mcp/store/store.h"

#define SLOTS_FIRST 64u

_Static_assert(2 * ENDED_ID_SIZE <= ENDED_ID_MAX, "an id in hex fits into its row");

struct ended_slot {
    unsigned char id[ENDED_ID_SIZE];
    int64_t ends; /* 0: the slot is free */
};

struct ended_ids {
    struct store *store; /* owned; NULL: only in memory */
    struct workq *sql;   /* NULL likewise */
    struct loop_queue *loop_queue;
    struct ended_ids_seen seen;
    uint64_t looked_ms;
    struct ended_slot *slots;
    size_t count, size; /* size is a power of 2 */
    bool starved;       /* an id of the store could not be added */
};

struct ended_id {
    struct workq_job job;
    struct ended_ids *ended;
    unsigned char id[ENDED_ID_SIZE];
    int64_t ends;
    ended_id_done *on_done; /* NULL: forgotten */
    void *user;
    int rc;
    struct error err;
};

/* ---- the table ---- */

/* The slot of the id, or the free one where it belongs. */
static struct ended_slot *find_slot(struct ended_slot *slots, size_t size, const unsigned char *id)
{
    uint64_t hash;
    size_t at;

    memcpy(&hash, id, sizeof hash);
    at = (size_t)hash & (size - 1);
    while (slots[at].ends != 0 && memcmp(slots[at].id, id, ENDED_ID_SIZE) != 0)
        at = (at + 1) & (size - 1);
    return &slots[at];
}

static int make_room(struct ended_ids *ended)
{
    const int64_t now = (int64_t)time(NULL);
    size_t size = SLOTS_FIRST, kept = 0;
    struct ended_slot *slots;

    if (ended->count < ended->size / 4 * 3)
        return 0;
    for (size_t i = 0; i < ended->size; i++)
        kept += ended->slots[i].ends > now;
    while (size < 2 * kept)
        size *= 2;
    slots = calloc(size, sizeof *slots);
    if (!slots)
        return -1;
    for (size_t i = 0; i < ended->size; i++) {
        if (ended->slots[i].ends > now)
            *find_slot(slots, size, ended->slots[i].id) = ended->slots[i];
    }
    free(ended->slots);
    ended->slots = slots;
    ended->size = size;
    ended->count = kept;
    return 0;
}

static int remember(struct ended_ids *ended, const unsigned char *id, int64_t ends)
{
    struct ended_slot *slot;

    if (make_room(ended) < 0)
        return -1;
    slot = find_slot(ended->slots, ended->size, id);
    ended->count += slot->ends == 0;
    memcpy(slot->id, id, ENDED_ID_SIZE);
    slot->ends = ends;
    return 0;
}

/* ---- the store ---- */

static void on_row(void *user, const char *text, int64_t ends)
{
    struct ended_ids *ended = user;
    unsigned char id[ENDED_ID_SIZE];

    if (hex_read(text, strlen(text), id, sizeof id) && remember(ended, id, ends) < 0)
        ended->starved = true;
}

static int look(struct ended_ids *ended, struct error *err)
{
    const uint64_t now = (uint64_t)clock_ms();

    if (!ended->store || now - ended->looked_ms < ENDED_LOOK_MS)
        return 0;
    if (ended->starved) /* all of them again */
        ended->seen = (struct ended_ids_seen){0};
    ended->starved = false;
    if (store_ended_ids(ended->store, &ended->seen, on_row, ended, err) < 0)
        return -1;
    if (ended->starved)
        return error_set(err, ERROR_MEMORY, "out of memory for the ids that have ended");
    ended->looked_ms = now;
    return 0;
}

struct ended_ids *ended_ids_create(const char *url, struct workq *sql,
                                   struct loop_queue *loop_queue, struct error *err)
{
    struct ended_ids *ended = calloc(1, sizeof *ended);

    if (!ended) {
        error_set(err, ERROR_MEMORY, "out of memory for the ids that have ended");
        return NULL;
    }
    ended->sql = sql;
    ended->loop_queue = loop_queue;
    ended->store = url ? store_open(url, STORE_READ, err) : NULL;
    if ((url && !ended->store) || look(ended, err) < 0) {
        ended_ids_destroy(ended);
        return NULL;
    }
    return ended;
}

void ended_ids_destroy(struct ended_ids *ended)
{
    if (!ended)
        return;
    store_close(ended->store);
    free(ended->slots);
    free(ended);
}

int ended_ids_has(struct ended_ids *ended, const unsigned char id[ENDED_ID_SIZE], struct error *err)
{
    if (look(ended, err) < 0)
        return -1;
    return ended->size > 0 && find_slot(ended->slots, ended->size, id)->ends != 0;
}

/* ---- ending one ---- */

static void work(struct workq_job *job, void *context)
{
    struct ended_id *ending = container_of(job, struct ended_id, job);
    char text[2 * ENDED_ID_SIZE + 1];

    hex_write(text, ending->id, ENDED_ID_SIZE);
    ending->rc = store_end_id(context, text, ending->ends, &ending->err);
}

static void undone(struct workq_job *job, const struct error *err)
{
    struct ended_id *ending = container_of(job, struct ended_id, job);

    ending->rc = -1;
    ending->err = *err;
}

static void done(struct workq_job *job)
{
    struct ended_id *ending = container_of(job, struct ended_id, job);

    /* Now, although the next look would find it: that one may come before ENDED_LOOK_MS. */
    if (ending->rc == 0 && remember(ending->ended, ending->id, ending->ends) < 0)
        ending->ended->starved = true;
    if (ending->on_done)
        ending->on_done(ending->user, ending->rc == 0 ? NULL : &ending->err);
    free(ending);
}

static void run_done(void *arg)
{
    struct ended_id *ending = arg;

    done(&ending->job);
}

struct ended_id *ended_ids_end(struct ended_ids *ended, const unsigned char id[ENDED_ID_SIZE],
                               int64_t ends, ended_id_done *on_done, void *user, struct error *err)
{
    struct ended_id *ending = calloc(1, sizeof *ending);

    if (!ending) {
        error_set(err, ERROR_MEMORY, "out of memory for the end of an id");
        return NULL;
    }
    ending->ended = ended;
    memcpy(ending->id, id, ENDED_ID_SIZE);
    ending->ends = ends;
    ending->on_done = on_done;
    ending->user = user;
    ending->job.work = work;
    ending->job.undone = undone;
    ending->job.done = done;
    ending->job.task = (struct loop_task){.run = run_done, .arg = ending}; /* without a store */
    if (ended->sql && workq_submit(ended->sql, &ending->job, err) < 0) {
        free(ending);
        return NULL;
    }
    if (!ended->sql)
        loop_queue_post(ended->loop_queue, &ending->job.task);
    return ending;
}

void ended_id_forget(struct ended_id *job)
{
    job->on_done = NULL;
}
