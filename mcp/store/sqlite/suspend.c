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
#include "mcp/store/sqlite/sqlite_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEYS_CAP 512u /* bytes of {"node":57,...}, with room for more tables */

struct db_changes {
    unsigned depth;
    /* What was changed up to the begin of the next savepoint, or up to now; of sqlite3_malloc. */
    struct changes {
        void *bytes;
        int size;
    } changes[];
};

static const char keys_text[] = "SELECT json_group_object(name, seq) FROM sqlite_sequence";
static const char *const take_keys_texts[] = {
    "UPDATE sqlite_sequence SET seq = json_extract(?1, '$.' || name)"
    " WHERE seq < json_extract(?1, '$.' || name)",
    "INSERT INTO sqlite_sequence SELECT key, value FROM json_each(?1)"
    " WHERE key NOT IN (SELECT name FROM sqlite_sequence)",
};

static void free_changes(struct db_changes *changes)
{
    for (size_t i = 0; i < changes->depth; i++)
        sqlite3_free(changes->changes[i].bytes);
    free(changes);
}

/* Runs a statement with one text or NULL; result (or NULL) gets the text of its first column. */
static int run_text(struct sqlite_db *db, const char *sql, const char *text, char *result,
                    size_t size, struct error *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL);

    if (rc == SQLITE_OK && text)
        rc = sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW && result &&
        snprintf(result, size, "%s", (const char *)sqlite3_column_text(statement, 0)) >= (int)size)
        rc = SQLITE_TOOBIG;
    sqlite3_finalize(statement);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0
                                                 : sqlite_fail(db, err, "the store cannot do it");
}

/* ---- recording ---- */

static int take_keys(struct sqlite_db *db, int shared, struct error *err)
{
    char keys[KEYS_CAP + 1] = "";
    ssize_t len = pread(shared, keys, KEYS_CAP, 0);

    if (len < 0)
        return error_errno(err, errno, "cannot read the file of the locks");
    for (size_t i = 0; len > 0 && i < sizeof take_keys_texts / sizeof take_keys_texts[0]; i++)
        if (run_text(db, take_keys_texts[i], keys, NULL, 0, err) != 0)
            return -1;
    return 0;
}

static int start_record(struct sqlite_db *db, struct error *err)
{
    sqlite3_session *record = NULL;

    if (sqlite3session_create(db->handle, "main", &record) != SQLITE_OK ||
        sqlite3session_attach(record, NULL) != SQLITE_OK) {
        if (record)
            sqlite3session_delete(record);
        return error_set(err, ERROR_MEMORY, "out of memory for a transaction");
    }
    db->record = record;
    return 0;
}

int sqlite_record(struct db *db, int shared, struct error *err)
{
    if (take_keys(sqlite_of(db), shared, err) < 0 || sqlite_backend.savepoint(db, err) != 0)
        return -1;
    return start_record(sqlite_of(db), err);
}

void sqlite_end_record(struct db *base)
{
    struct sqlite_db *db = sqlite_of(base);

    if (db->record)
        sqlite3session_delete(db->record);
    db->record = NULL;
}

/* ---- setting aside ---- */

/* Leaves the last key of each table, {table: key}, to those that come. */
static int share_keys(struct sqlite_db *db, int shared, struct error *err)
{
    char keys[KEYS_CAP] = "";

    if (run_text(db, keys_text, NULL, keys, sizeof keys, err) != 0)
        return -1;
    if (pwrite(shared, keys, sizeof keys, 0) != (ssize_t)sizeof keys)
        return error_errno(err, errno, "cannot write the file of the locks");
    return 0;
}

/* Takes down what was changed and rolls the inmost savepoint back, again and again. */
static int take_down(struct sqlite_db *db, struct db_changes *taken, int shared, struct error *err)
{
    for (unsigned i = taken->depth; i-- > 0;) {
        struct changes *changes = &taken->changes[i];

        if (sqlite3session_changeset(db->record, &changes->size, &changes->bytes) != SQLITE_OK)
            return error_set(err, ERROR_MEMORY, "out of memory for a transaction");
        if (i == taken->depth - 1 && changes->size > 0 && share_keys(db, shared, err) < 0)
            return -1;
        if (sqlite_backend.end_savepoint(&db->base, false, err) != 0)
            return -1;
    }
    return 0;
}

struct db_changes *sqlite_set_aside(struct db *db, unsigned depth, int shared, struct error *err)
{
    struct db_changes *changes = calloc(1, sizeof *changes + depth * sizeof changes->changes[0]);
    int rc;

    if (changes) {
        changes->depth = depth;
        rc = take_down(sqlite_of(db), changes, shared, err);
    } else {
        rc = error_set(err, ERROR_MEMORY, "out of memory for a transaction");
    }
    sqlite_end_record(db);
    sqlite_backend.rollback(db);
    if (rc == 0)
        return changes;
    if (changes)
        free_changes(changes);
    return NULL;
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

static int apply(struct sqlite_db *db, const struct changes *changes, struct error *err)
{
    int rc =
        sqlite3changeset_apply(db->handle, changes->size, changes->bytes, NULL, on_conflict, NULL);

    if (rc == SQLITE_ABORT)
        return error_set(
            err, ERROR_BUSY,
            "somebody else wrote to the same at the same time, call again in a moment");
    return rc == SQLITE_OK ? 0 : sqlite_fail(db, err, "cannot go on with a transaction");
}

/* The changes of one savepoint. */
static int apply_level(struct sqlite_db *db, const struct db_changes *changes_of, unsigned level,
                       struct error *err)
{
    const struct changes nothing = {0}, *to = &changes_of->changes[level];
    const struct changes *from = level > 0 ? &changes_of->changes[level - 1] : &nothing;
    struct changes step = {0};
    int rc;

    if (from->size == to->size && (to->size == 0 || memcmp(from->bytes, to->bytes, to->size) == 0))
        return 0;
    if (from->size == 0)
        return apply(db, to, err);
    if (subtract(from, to, &step) != SQLITE_OK)
        return error_set(err, ERROR_MEMORY, "out of memory for a transaction");
    rc = apply(db, &step, err);
    sqlite3_free(step.bytes);
    return rc;
}

/* What triggers and foreign keys did is among the changes. */
static void set_rules(struct sqlite_db *db, int on)
{
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, on, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_FKEY, on, NULL);
}

static int make(struct sqlite_db *db, const struct db_changes *changes, int shared,
                struct error *err)
{
    if (sqlite_backend.begin(&db->base, true, err) != 0 || take_keys(db, shared, err) < 0 ||
        start_record(db, err) < 0)
        return -1;
    for (unsigned i = 0; i < changes->depth; i++)
        if (sqlite_backend.savepoint(&db->base, err) != 0 || apply_level(db, changes, i, err) < 0)
            return -1;
    return 0;
}

int sqlite_make_again(struct db *base, struct db_changes *changes, int shared, struct error *err)
{
    struct sqlite_db *db = sqlite_of(base);
    bool any = false;
    int rc;

    for (unsigned i = 0; i < changes->depth; i++)
        any = any || changes->changes[i].size > 0;
    if (any)
        set_rules(db, 0);
    rc = make(db, changes, shared, err);
    if (any)
        set_rules(db, 1);
    if (rc != 0) {
        sqlite_end_record(base);
        sqlite_backend.rollback(base);
    }
    free_changes(changes);
    return rc;
}
