/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/store/large_write.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "helpers/base/array.h"
#include "mcp/store/store_internal.h"

#define SLICE_PAUSE_MS 5

/* The state that the steps of a write on a copy share. */
struct large_copy {
    const struct db_backend *backend;
    char sid[SESSION_ID_SIZE];
    bool makes_session, needs_history;
    size_t reserved;        /* rows that keys are reserved for */
    char keys[DB_KEYS_CAP]; /* the last keys before those */
    unsigned rows;          /* written to the copy so far */
    /* Owned: the changes to apply one after the other; one, unless it makes a session. */
    struct db_changes **slices;
    size_t count, applied;
    struct dirty_set dirty; /* owned */
};

static void drop_changes(struct large_copy *copy)
{
    for (size_t i = 0; i < copy->count; i++)
        copy->backend->free_changes(copy->slices[i]);
    free(copy->slices);
    free(copy->dirty.entries);
    copy->slices = NULL;
    copy->dirty = (struct dirty_set){0};
    copy->count = copy->applied = copy->rows = 0;
}

void large_write_finish(struct large_write *large)
{
    if (large->copy)
        drop_changes(large->copy);
    free(large->copy);
    large->copy = NULL;
}

int store_put_aside(struct store *store, struct error *err)
{
    if (store->mirror)
        return 0;
    store->puts_aside = true;
    return db_run(store->db, err, SQL_PARTIAL_DROP, "s", NULL);
}

/* ---- in place ---- */

/* The next step makes a copy, unless there were enough of them. The keys are reserved before,
 * because other writers go on meanwhile. */
static int begin_copy(struct large_write *large, struct store *store, struct error *err)
{
    int rc;

    large->unfinished = true;
    large->stage = LARGE_IN_PLACE;
    if (large->tries == LARGE_WRITE_TRIES)
        return 0;
    large->stage = LARGE_ON_COPY;
    if (store_begin(store, err) < 0)
        return -1;
    rc = store->db->backend->reserve_keys(store->db, large->copy->reserved, large->copy->keys, err);
    return store_end(store, rc == 0, rc == 0 ? err : NULL) < 0 ? -1 : rc;
}

/* Returns 1 if it was taken back because it takes too long. */
static int try_in_place(struct store *store, store_write_fn *write, void *user, struct error *err)
{
    struct bounds *bounds = &store->bounds;
    int rc;

    if (store_begin(store, err) < 0)
        return -1;
    bounds->may_be_put_aside = true;
    rc = write(user, store, err);
    bounds->may_be_put_aside = false;
    if (store_end(store, rc == 0 && !bounds->put_aside, rc == 0 ? err : NULL) < 0)
        rc = -1;
    return bounds->put_aside ? 1 : rc;
}

static int make_in_place(struct large_write *large, struct store *store, store_write_fn *write,
                         void *user, struct error *err)
{
    int rc;

    if (!store->puts_aside || large->tries == LARGE_WRITE_TRIES)
        return write(user, store, err);
    rc = large->makes_session ? 1 : try_in_place(store, write, user, err);
    if (rc <= 0)
        return rc;
    large->copy = calloc(1, sizeof *large->copy);
    if (!large->copy)
        return error_set(err, ERROR_MEMORY, "out of memory for a large write");
    large->copy->backend = store->db->backend;
    large->copy->makes_session = large->makes_session || store->bounds.makes_session;
    large->copy->reserved =
        large->rows > 0 ? large->rows : (size_t)store->bounds.factor * WRITE_ROWS_MAX;
    large->copy->needs_history = store->bounds.factor > 1; /* an undo */
    memcpy(large->copy->sid, store->bounds.sid, sizeof large->copy->sid);
    return begin_copy(large, store, err);
}

/* ---- on the copy ---- */

/* Returns 1 if it is too large to be recorded. */
static int take_slice(struct large_copy *copy, struct store *store, struct error *err)
{
    int rc;

    if (!ARRAY_ROOM(copy->slices, copy->count))
        return error_set(err, ERROR_MEMORY, "out of memory for a large write");
    rc = copy->backend->take_changes(store->db, &copy->slices[copy->count], err);
    copy->count += rc == 0;
    return rc;
}

/* An import goes on or fails as a whole, so nothing that is in a slice is taken back later. */
static int cut_slice(struct store *store, struct error *err)
{
    struct large_copy *copy = store->copy;
    int rc;

    if (++copy->rows % LARGE_SLICE_ROWS != 0)
        return 0;
    rc = take_slice(copy, store, err);
    return rc <= 0 ? rc
                   : error_set(err, ERROR_TOO_LARGE, "a part of the import exceeds %u MiB",
                               DB_CHANGES_MAX >> 20);
}

/* Within the life of the copy's store. Returns 1 if the changes are too large to be recorded. */
static int record(struct large_copy *copy, struct store *store, store_write_fn *write, void *user,
                  struct error *err)
{
    int rc;

    if (copy->backend->record_copy(store->db, copy->keys, err) < 0 || store_begin(store, err) < 0)
        return -1;
    store->copy = copy;
    store->on_row = copy->makes_session ? cut_slice : NULL;
    rc = write(user, store, err);
    if (store_end(store, rc == 0, rc == 0 ? err : NULL) < 0 || rc < 0)
        return -1;
    copy->dirty = store->open.dirty;
    store->open.dirty = (struct dirty_set){0};
    return take_slice(copy, store, err);
}

static int make_on_copy(struct large_write *large, struct store *store, store_write_fn *write,
                        void *user, struct error *err)
{
    struct large_copy *copy = large->copy;
    struct store *apart =
        store_trial_open(store, copy->makes_session ? "" : copy->sid, copy->needs_history, err);
    int rc;

    if (!apart)
        return -1;
    large->tries++;
    rc = record(copy, apart, write, user, err);
    if (copy->makes_session)
        memcpy(copy->sid, store->bounds.sid, sizeof copy->sid);
    copy->backend->end_record(apart->db);
    store_close(apart);
    large->unfinished = true;
    large->stage = rc > 0 ? LARGE_IN_PLACE : LARGE_APPLY;
    if (rc > 0)
        large->tries = LARGE_WRITE_TRIES;
    return rc < 0 ? -1 : 0;
}

/* ---- back in the store ---- */

static int show_session(const struct large_copy *copy, struct store *store, struct error *err)
{
    int64_t key;

    if (db_number(store->db, &key, err, SQL_PARTIAL_END, "s", copy->sid) < 0)
        return -1;
    return key > 0 ? 0
                   : error_set(err, ERROR_BUSY,
                               "another server has started and deleted the unfinished import: "
                               "send it again");
}

/* In a transaction. Returns 1 if the session has changed since it was copied. */
static int apply_slice(struct large_copy *copy, struct store *store, struct error *err)
{
    const struct db_changes *slice = copy->slices[copy->applied];
    bool first = copy->applied == 0, last = copy->applied == copy->count - 1;
    int rc = store_time_left(store, err);

    if (rc == 0)
        rc = copy->backend->apply_changes(store->db, slice, err);
    if (rc == 0 && first && !last)
        rc = db_run(store->db, err, SQL_PARTIAL_BEGIN, "s", copy->sid);
    if (rc == 0 && last && !first)
        rc = show_session(copy, store, err);
    if (rc == 0 && last)
        rc = copy->backend->return_keys(store->db, copy->reserved, copy->keys, slice, err);
    if (rc == 0 && last)
        store_note_changes(store, &copy->dirty);
    return rc;
}

/* The slices that were applied are deleted in steps. */
static void abandon(const struct large_copy *copy, struct store *store)
{
    int rc = store_begin(store, NULL);

    if (rc < 0)
        return; /* the next start of a server does it */
    rc = db_run(store->db, NULL, SQL_PARTIAL_DROP, "s", copy->sid);
    store_end(store, rc == 0, NULL);
    store->has_dropped = true;
}

static int apply(struct large_write *large, struct store *store, struct error *err)
{
    struct large_copy *copy = large->copy;
    int rc;

    if (store_begin(store, err) < 0)
        return -1;
    rc = apply_slice(copy, store, err);
    if (store_end(store, rc == 0, rc == 0 ? err : NULL) < 0)
        rc = -1;
    if (rc == 0 && ++copy->applied < copy->count) {
        large->unfinished = true;
        return 0;
    }
    if (rc != 0 && copy->applied > 0) {
        abandon(copy, store);
        if (rc > 0)
            rc = error_set(err, ERROR_BUSY, "the import was interrupted: send it again");
    }
    drop_changes(copy);
    return rc > 0 ? begin_copy(large, store, err) : rc;
}

int store_write_step(struct large_write *large, struct store *store, store_write_fn *write,
                     void *user, struct error *err)
{
    int rc = -1;

    large->unfinished = false;
    switch (large->stage) {
    case LARGE_IN_PLACE:
        rc = make_in_place(large, store, write, user, err);
        break;
    case LARGE_ON_COPY:
        rc = make_on_copy(large, store, write, user, err);
        break;
    case LARGE_APPLY:
        rc = apply(large, store, err);
        break;
    }
    if (rc < 0)
        large->unfinished = false;
    return rc;
}

int store_write_slices(struct store *store, size_t rows, store_write_fn *write, void *user,
                       void (*on_slice)(void *user, size_t done, size_t total), struct error *err)
{
    const struct timespec pause = {.tv_nsec = SLICE_PAUSE_MS * 1000000L};
    struct large_write large = {.makes_session = true, .rows = rows};
    int rc;

    store->puts_aside = !store->mirror;
    do {
        rc = store_write_step(&large, store, write, user, err);
        if (rc == 0 && large.unfinished && large.stage == LARGE_APPLY) {
            if (on_slice)
                on_slice(user, large.copy->applied, large.copy->count);
            nanosleep(&pause, NULL);
        }
    } while (rc == 0 && large.unfinished);
    large_write_finish(&large);
    return rc;
}
