/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/store/large_write.h"

#include <stdlib.h>
#include <string.h>

#include "mcp/store/store_internal.h"

/* What the steps of a write on a copy hand on. */
struct large_copy {
    const struct db_backend *backend;
    char sid[SESSION_ID_SIZE];
    char keys[DB_KEYS_CAP];     /* the last keys before those that are reserved */
    struct db_changes *changes; /* owned; NULL before it is made */
    struct dirty_set dirty;     /* owned; likewise */
};

static void drop_changes(struct large_copy *copy)
{
    if (copy->changes)
        copy->backend->free_changes(copy->changes);
    copy->changes = NULL;
    free(copy->dirty.entries);
    copy->dirty = (struct dirty_set){0};
}

void large_write_finish(struct large_write *large)
{
    if (large->copy)
        drop_changes(large->copy);
    free(large->copy);
    large->copy = NULL;
}

void store_put_aside(struct store *store)
{
    store->puts_aside = !store->upstream;
}

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
    rc = store->db->backend->reserve_keys(store->db, large->copy->keys, err);
    return store_end(store, rc == 0, rc == 0 ? err : NULL) < 0 ? -1 : rc;
}

static int make_in_place(struct large_write *large, struct store *store, store_write_fn *write,
                         void *user, struct error *err)
{
    struct bounds *bounds = &store->bounds;
    int rc;

    if (!store->puts_aside || large->tries == LARGE_WRITE_TRIES)
        return write(user, store, err);
    if (store_begin(store, err) < 0)
        return -1;
    bounds->may_be_put_aside = true;
    rc = write(user, store, err);
    bounds->may_be_put_aside = false;
    if (store_end(store, rc == 0 && !bounds->put_aside, rc == 0 ? err : NULL) < 0)
        rc = -1;
    if (!bounds->put_aside)
        return rc;
    large->copy = calloc(1, sizeof *large->copy);
    if (!large->copy)
        return error_set(err, ERROR_MEMORY, "out of memory for a large write");
    large->copy->backend = store->db->backend;
    memcpy(large->copy->sid, bounds->sid, sizeof large->copy->sid);
    return begin_copy(large, store, err);
}

/* Within the life of the copy's store. Returns 1 if the changes are too large to be recorded. */
static int record(struct large_write *large, struct store *store, store_write_fn *write, void *user,
                  struct error *err)
{
    struct large_copy *copy = large->copy;
    int rc;

    if (copy->backend->record_copy(store->db, copy->keys, err) < 0 || store_begin(store, err) < 0)
        return -1;
    rc = write(user, store, err);
    if (store_end(store, rc == 0, rc == 0 ? err : NULL) < 0 || rc < 0)
        return -1;
    copy->dirty = store->open.dirty;
    store->open.dirty = (struct dirty_set){0};
    return copy->backend->take_changes(store->db, &copy->changes, err);
}

static int make_on_copy(struct large_write *large, struct store *store, store_write_fn *write,
                        void *user, struct error *err)
{
    struct store *copy = store_trial_open(store, large->copy->sid, true, err);
    int rc;

    if (!copy)
        return -1;
    large->tries++;
    copy->is_recorded = true;
    rc = record(large, copy, write, user, err);
    copy->db->backend->end_record(copy->db);
    store_close(copy);
    large->unfinished = true;
    large->stage = rc > 0 ? LARGE_IN_PLACE : LARGE_APPLY;
    if (rc > 0)
        large->tries = LARGE_WRITE_TRIES;
    return rc < 0 ? -1 : 0;
}

static int apply(struct large_write *large, struct store *store, struct error *err)
{
    struct large_copy *copy = large->copy;
    int rc;

    if (store_begin(store, err) < 0)
        return -1;
    rc = copy->backend->apply_changes(store->db, copy->changes, copy->keys, err);
    if (rc == 0)
        store_note_changes(store, &copy->dirty);
    if (store_end(store, rc == 0, rc == 0 ? err : NULL) < 0)
        rc = -1;
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
