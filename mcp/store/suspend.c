/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A write transaction that is set aside. SQLite has one lock for all writers, and a transaction in
 * front of a service waits for the network in its middle. So before it waits, what it has changed
 * is taken down as changesets of SQLite's session extension, up to each open savepoint, and rolled
 * back; afterwards the changes are made again in a new transaction. The sessions that it
 * changed are locked against other writers all the time (upstream/session_lock.c), so they apply.
 *
 * The keys of its new rows stay taken: the last of each table is written to a file that the copy's
 * writers share, while SQLite's lock is held, and each reads it behind its begin. That file need
 * not outlive the machine: neither does what is suspended.
 */
#define SQLITE_ENABLE_SESSION        1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mcp/store/copy.h"
#include "mcp/store/sqlite_store.h"

#define KEYS_CAP 512u /* bytes of {"node":57,...}, with room for more tables */

struct suspended {
    unsigned depth;
    size_t marks[SAVEPOINTS_CAP];
    /* What was changed up to the begin of the next savepoint, or up to now; of sqlite3_malloc. */
    struct changes {
        void *bytes;
        int size;
    } changes[SAVEPOINTS_CAP];
    uint64_t transaction;
    int64_t changes_before;
    struct dirty_set *dirty;
};

int suspend_record(struct sqlite_store *store, struct error *err)
{
    sqlite3_session *record = NULL;

    if (sqlite3session_create(store->db, "main", &record) != SQLITE_OK ||
        sqlite3session_attach(record, NULL) != SQLITE_OK) {
        if (record)
            sqlite3session_delete(record);
        return error_set(err, ERROR_MEMORY, "out of memory for a transaction");
    }
    store->record = record;
    return 0;
}

void suspend_forget(struct sqlite_store *store)
{
    if (store->record)
        sqlite3session_delete(store->record);
    store->record = NULL;
}

static void finish(struct suspended *suspended)
{
    for (size_t i = 0; i < SAVEPOINTS_CAP; i++)
        sqlite3_free(suspended->changes[i].bytes);
    dirty_set_destroy(suspended->dirty);
    free(suspended);
}

bool copy_is_suspended(const struct store *store)
{
    return ((const struct sqlite_store *)store)->suspended != NULL;
}

/* ---- setting aside ---- */

/* Leaves the last key of each table, {table: key}, to those that come. */
static int share_keys(struct sqlite_store *store, struct error *err)
{
    sqlite3_stmt *statement = sqlite_statement(store, SQL_COPY_KEYS, err);
    char keys[KEYS_CAP] = "";
    int len;

    if (!statement || sqlite_next(store, statement, err) <= 0)
        return -1;
    len = snprintf(keys, sizeof keys, "%s", sqlite_text(statement, 0));
    sqlite3_reset(statement);
    if (len >= (int)sizeof keys)
        return error_set(err, ERROR_INTERNAL, "the keys of a transaction outgrow their room");
    if (pwrite(store->base.upstream->shared, keys, sizeof keys, 0) != (ssize_t)sizeof keys)
        return error_errno(err, errno, "cannot write the file of the locks");
    return 0;
}

int suspend_take_keys(struct sqlite_store *store, struct error *err)
{
    char keys[KEYS_CAP + 1] = "";
    ssize_t len = pread(store->base.upstream->shared, keys, KEYS_CAP, 0);

    if (len < 0)
        return error_errno(err, errno, "cannot read the file of the locks");
    if (len == 0)
        return 0;
    if (sqlite_run(store, err, SQL_COPY_KEYS_RAISE, "s", keys) != 0)
        return -1;
    return sqlite_run(store, err, SQL_COPY_KEYS_ADD, "s", keys);
}

/* Takes down what was changed and rolls the inmost savepoint back, again and again. */
static int take_down(struct sqlite_store *store, struct suspended *suspended, struct error *err)
{
    for (unsigned i = suspended->depth; i-- > 0;) {
        struct changes *changes = &suspended->changes[i];

        if (sqlite3session_changeset(store->record, &changes->size, &changes->bytes) != SQLITE_OK)
            return error_set(err, ERROR_MEMORY, "out of memory for a transaction");
        if (i == suspended->depth - 1 && changes->size > 0 && share_keys(store, err) != 0)
            return -1;
        if (sqlite_run(store, err, SQL_SAVEPOINT_BACK, "") != 0 ||
            sqlite_run(store, err, SQL_SAVEPOINT_KEEP, "") != 0)
            return -1;
    }
    return sqlite_run(store, err, SQL_ROLLBACK, "");
}

int copy_suspend(struct store *base, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    struct dirty_set *dirty = store->dirty;
    struct suspended *suspended;
    int rc;

    if (store->depth == 0)
        return 0;
    suspended = calloc(1, sizeof *suspended);
    if (suspended)
        suspended->dirty = dirty_set_create();
    if (!suspended || !suspended->dirty) {
        free(suspended);
        return error_set(err, ERROR_MEMORY, "out of memory for a transaction");
    }
    suspended->depth = store->depth;
    suspended->transaction = store->transaction;
    suspended->changes_before = store->changes_before;
    memcpy(suspended->marks, store->marks, sizeof suspended->marks);
    sqlite_reset_all(store);
    if (sqlite3_get_autocommit(store->db)) {
        finish(suspended);
        return error_set(err, ERROR_IO, "the transaction was lost, nothing of it is kept");
    }
    rc = take_down(store, suspended, err);
    suspend_forget(store);
    if (rc != 0) {
        if (!sqlite3_get_autocommit(store->db))
            sqlite_run(store, NULL, SQL_ROLLBACK, "");
        finish(suspended);
        return -1;
    }
    store->dirty = suspended->dirty;
    suspended->dirty = dirty;
    store->depth = 0;
    store->suspended = suspended;
    return 1;
}

/* ---- going on ---- */

/* What was cleared away by another in between is no conflict. */
static int on_conflict(void *user, int kind, sqlite3_changeset_iter *change)
{
    const char *table;
    int columns, op = 0, indirect;

    (void)user;
    sqlite3changeset_op(change, &table, &columns, &op, &indirect);
    return kind == SQLITE_CHANGESET_NOTFOUND && op == SQLITE_DELETE ? SQLITE_CHANGESET_OMIT
                                                                    : SQLITE_CHANGESET_ABORT;
}

/* What leads from the one to the other. */
static int subtract(const struct changes *from, const struct changes *to, struct changes *step)
{
    sqlite3_changegroup *group = NULL;
    struct changes back = {0};
    int rc = sqlite3changeset_invert(from->size, from->bytes, &back.size, &back.bytes);

    if (rc == SQLITE_OK)
        rc = sqlite3changegroup_new(&group);
    if (rc == SQLITE_OK)
        rc = sqlite3changegroup_add(group, back.size, back.bytes);
    if (rc == SQLITE_OK)
        rc = sqlite3changegroup_add(group, to->size, to->bytes);
    if (rc == SQLITE_OK)
        rc = sqlite3changegroup_output(group, &step->size, &step->bytes);
    if (group)
        sqlite3changegroup_delete(group);
    sqlite3_free(back.bytes);
    return rc;
}

static int apply(struct sqlite_store *store, const struct changes *changes, struct error *err)
{
    int rc =
        sqlite3changeset_apply(store->db, changes->size, changes->bytes, NULL, on_conflict, NULL);

    if (rc == SQLITE_ABORT)
        return error_set(
            err, ERROR_BUSY,
            "somebody else wrote to the same at the same time, call again in a moment");
    return rc == SQLITE_OK ? 0 : sqlite_fail(store, err, "cannot go on with a transaction");
}

/* The changes of one savepoint. */
static int apply_level(struct sqlite_store *store, const struct suspended *suspended,
                       unsigned level, struct error *err)
{
    const struct changes nothing = {0}, *to = &suspended->changes[level];
    const struct changes *from = level > 0 ? &suspended->changes[level - 1] : &nothing;
    struct changes step = {0};
    int rc;

    if (from->size == to->size && (to->size == 0 || !memcmp(from->bytes, to->bytes, to->size)))
        return 0;
    if (from->size == 0)
        return apply(store, to, err);
    if (subtract(from, to, &step) != SQLITE_OK)
        return error_set(err, ERROR_MEMORY, "out of memory for a transaction");
    rc = apply(store, &step, err);
    sqlite3_free(step.bytes);
    return rc;
}

/* What triggers and foreign keys did is among the changes. */
static void set_rules(struct sqlite_store *store, int on)
{
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, on, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_FKEY, on, NULL);
}

static int make_again(struct sqlite_store *store, const struct suspended *suspended,
                      struct error *err)
{
    if (sqlite_run(store, err, SQL_BEGIN_WRITE, "") != 0 || suspend_take_keys(store, err) != 0 ||
        suspend_record(store, err) != 0)
        return -1;
    for (unsigned i = 0; i < suspended->depth; i++)
        if (sqlite_run(store, err, SQL_SAVEPOINT, "") != 0 ||
            apply_level(store, suspended, i, err) != 0)
            return -1;
    return 0;
}

static int resume(struct store *base, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    struct suspended *suspended = store->suspended;
    struct dirty_set *dirty = store->dirty;
    bool any = false;
    int rc;

    for (unsigned i = 0; i < suspended->depth; i++)
        any = any || suspended->changes[i].size > 0;
    if (any)
        set_rules(store, 0);
    rc = make_again(store, suspended, err);
    if (any)
        set_rules(store, 1);
    if (rc != 0) {
        suspend_forget(store);
        if (!sqlite3_get_autocommit(store->db))
            sqlite_run(store, NULL, SQL_ROLLBACK, "");
    }
    store->suspended = NULL;
    store->depth = suspended->depth;
    store->transaction = suspended->transaction;
    store->changes_before = suspended->changes_before;
    memcpy(store->marks, suspended->marks, sizeof store->marks);
    store->dirty = suspended->dirty;
    suspended->dirty = dirty;
    finish(suspended);
    return rc;
}

int copy_resume(struct store *store, int suspended, int rc, struct error *err)
{
    return suspended > 0 && resume(store, rc == 0 ? err : NULL) != 0 ? -1 : rc;
}
