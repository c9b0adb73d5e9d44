/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The ids stand in a table, in the order in which they became known. An id that has expired
 * meanwhile is dropped when it is the oldest.
 */
#include "mcp/transport/mcp/ended_ids.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/clock.h"
#include "helpers/base/encode.h"
#include "helpers/base/loop_queue.h"
#include "helpers/base/table.h"
#include "helpers/base/workq.h"
#include "mcp/store/shared.h"
#include "mcp/store/store.h"

_Static_assert(2 * ENDED_ID_SIZE <= ENDED_ID_MAX, "an id in hex fits into its row");

struct ended_row {
    unsigned char id[ENDED_ID_SIZE];
    int64_t ends;
    UT_hash_handle hh;
};

struct ended_ids {
    struct store *store; /* owned; NULL: only in memory */
    struct workq *sql;   /* NULL likewise */
    struct loop_queue *loop_queue;
    struct ended_ids_seen seen;
    uint64_t looked_ms;
    struct ended_row *rows; /* by id */
    bool starved;           /* an id of the store could not be added */
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

static void drop_row(struct ended_ids *ended, struct ended_row *row)
{
    HASH_DEL(ended->rows, row);
    free(row);
}

static struct ended_row *find_row(const struct ended_ids *ended, const unsigned char *id)
{
    struct ended_row *row;

    HASH_FIND(hh, ended->rows, id, ENDED_ID_SIZE, row);
    return row;
}

static int remember(struct ended_ids *ended, const unsigned char *id, int64_t ends)
{
    struct ended_row *row = find_row(ended, id);
    const int64_t now = (int64_t)time(NULL);

    while (!row && ended->rows && ended->rows->ends <= now)
        drop_row(ended, ended->rows);
    if (!row) {
        row = calloc(1, sizeof *row);
        if (!row)
            return -1;
        memcpy(row->id, id, ENDED_ID_SIZE);
        HASH_ADD(hh, ended->rows, id, ENDED_ID_SIZE, row);
    }
    row->ends = ends;
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
    while (ended->rows)
        drop_row(ended, ended->rows);
    free(ended);
}

int ended_ids_has(struct ended_ids *ended, const unsigned char id[ENDED_ID_SIZE], struct error *err)
{
    if (look(ended, err) < 0)
        return -1;
    return find_row(ended, id) != NULL;
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
