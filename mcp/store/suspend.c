/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A write transaction that is set aside. SQLite has one lock for all writers, and a transaction in
 * front of a service waits for the network in its middle. So before it waits, what it has changed
 * is taken down as a changeset of SQLite's session extension, one for each open savepoint, and
 * rolled back; afterwards the changes are made again in a new transaction. The sessions that it
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
    void *changes[SAVEPOINTS_CAP]; /* of sqlite3_malloc */
    int sizes[SAVEPOINTS_CAP];
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
    store->records[store->depth] = record;
    return 0;
}

void suspend_forget(struct sqlite_store *store, unsigned depth)
{
    if (store->records[depth])
        sqlite3session_delete(store->records[depth]);
    store->records[depth] = NULL;
}

static void finish(struct suspended *suspended)
{
    for (size_t i = 0; i < SAVEPOINTS_CAP; i++)
        sqlite3_free(suspended->changes[i]);
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

/* Takes down what each savepoint changed and rolls it back, the inmost first. */
static int take_down(struct sqlite_store *store, struct suspended *suspended, struct error *err)
{
    bool any = false;

    for (unsigned i = suspended->depth; i-- > 0;) {
        if (sqlite3session_changeset(store->records[i], &suspended->sizes[i],
                                     &suspended->changes[i]) != SQLITE_OK)
            return error_set(err, ERROR_MEMORY, "out of memory for a transaction");
        suspend_forget(store, i);
        if (!any && suspended->sizes[i] > 0 && share_keys(store, err) != 0)
            return -1;
        any = any || suspended->sizes[i] > 0;
        if (sqlite_run(store, err, SQL_SAVEPOINT_BACK, "") != 0 ||
            sqlite_run(store, err, SQL_SAVEPOINT_KEEP, "") != 0)
            return -1;
    }
    return 0;
}

int copy_suspend(struct store *base, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    struct dirty_set *dirty = store->dirty;
    struct suspended *suspended;

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
    if (take_down(store, suspended, err) != 0 || sqlite_run(store, err, SQL_ROLLBACK, "") != 0) {
        for (unsigned i = 0; i < suspended->depth; i++)
            suspend_forget(store, i);
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

static int apply(struct sqlite_store *store, const struct suspended *suspended, unsigned depth,
                 struct error *err)
{
    int rc;

    if (suspended->sizes[depth] == 0)
        return 0;
    rc = sqlite3changeset_apply(store->db, suspended->sizes[depth], suspended->changes[depth], NULL,
                                on_conflict, NULL);
    if (rc == SQLITE_ABORT)
        return error_set(
            err, ERROR_BUSY,
            "somebody else wrote to the same at the same time, call again in a moment");
    return rc == SQLITE_OK ? 0 : sqlite_fail(store, err, "cannot go on with a transaction");
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
    int rc = sqlite_run(store, err, SQL_BEGIN_WRITE, "");

    if (rc == 0)
        rc = suspend_take_keys(store, err);
    for (unsigned i = 0; rc == 0 && i < suspended->depth; i++) {
        store->depth = i; /* of the record */
        rc = sqlite_run(store, err, SQL_SAVEPOINT, "") != 0 || suspend_record(store, err) != 0 ||
                     apply(store, suspended, i, err) != 0
                 ? -1
                 : 0;
    }
    return rc;
}

static int resume(struct store *base, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    struct suspended *suspended = store->suspended;
    struct dirty_set *dirty = store->dirty;
    bool any = false;
    int rc;

    for (unsigned i = 0; i < suspended->depth; i++)
        any = any || suspended->sizes[i] > 0;
    if (any)
        set_rules(store, 0);
    rc = make_again(store, suspended, err);
    if (any)
        set_rules(store, 1);
    if (rc != 0) {
        for (unsigned i = 0; i < suspended->depth; i++)
            suspend_forget(store, i);
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
