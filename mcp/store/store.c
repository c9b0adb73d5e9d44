/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A store on one connection to a database: its life, and what concerns the whole database.
 */
#include "mcp/store/store.h"

#include <stdlib.h>

#include "mcp/store/entities/import.h"
#include "mcp/store/search/search_internal.h"
#include "mcp/store/store_internal.h"

/* Takes the database over, which may be NULL. */
static struct store *create_store(struct db *db, enum store_access access, struct error *err)
{
    struct store *store = db ? calloc(1, sizeof *store) : NULL;

    if (store) {
        store->db = db;
        store->access = access;
        buf_init(&store->import.body, 0);
        return store;
    }
    if (db) {
        error_set(err, ERROR_MEMORY, "out of memory for a store");
        db->backend->close(db);
    }
    return NULL;
}

struct store *store_open_path(const struct db_backend *backend, const char *path,
                              enum store_access access, struct error *err)
{
    struct store *store = create_store(backend->open(path, DB_CURRICULA, access, err), access, err);

    if (store)
        store->has_dropped = access == STORE_WRITE; /* if a process was killed meanwhile */
    if (!store || access != STORE_WRITE || search_open(store, err) == 0)
        return store;
    store_close(store);
    return NULL;
}

struct store *store_trial_open(struct store *store, const char *sid, bool history,
                               struct error *err)
{
    struct store *trial;

    if (store_catch_up(store, sid, err) != 0)
        return NULL;
    if (store->open.depth > 0) { /* what is not committed yet would be missing */
        error_set(err, ERROR_INTERNAL, "a trial within a transaction");
        return NULL;
    }
    trial =
        create_store(store->db->backend->open_copy(store->db, sid, history, err), STORE_WRITE, err);
    if (trial)
        trial->origin = store;
    return trial;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    if (store->import.active)
        store_import_end(store, false, NULL);
    buf_finish(&store->import.body);
    if (store->mirror)
        store->mirror->close(store->mirror);
    free(store->open.dirty.entries);
    store->db->backend->close(store->db);
    free(store);
}

int store_backup(struct store *store, const char *path, db_step_fn *on_step, void *user,
                 struct error *err)
{
    if (store->open.depth > 0 || store->snapshot)
        return error_set(err, ERROR_INTERNAL, "a backup within a transaction");
    return store->db->backend->backup(store->db, path, on_step, user, err);
}

int store_check(struct store *store, struct error *err)
{
    return store->db->backend->check(store->db, err);
}

void store_observe(struct store *store, store_observer *observer, void *user)
{
    store->db->observer = observer;
    store->db->observer_user = user;
}
