/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes whose changes are recorded and made again later, as changesets of SQLite's session
 * extension (https://www.sqlite.org/sessionintro.html). SQLite has one lock for all writers, and
 * neither the network nor a large write may hold it for long.
 *
 * With a service behind the store a transaction waits for the network. So before it waits, its
 * changes are recorded, one changeset up to each open savepoint, and rolled back; afterwards they
 * are applied again in a new transaction. The sessions that it changed stay locked against other
 * writers (mcp/mirror/session_lock.c), so the changes apply without conflicts. The keys of its new
 * rows stay reserved: the last key of each table is written to a file that the writers of the copy
 * share, while SQLite's lock is held, and each writer reads it after its begin. That file need not
 * survive a restart of the machine, because a suspended transaction does not.
 *
 * A large write is made on a copy of its session (copies.c), which records everything. Its keys are
 * reserved by counting up the last key of each table. If its session has changed meanwhile, the old
 * values of the changeset do not match, and nothing is applied.
 */
#define SQLITE_ENABLE_SESSION        1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include "mcp/store/sqlite/sqlite_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct db_changes {
    /* Of a copy: all its changes, and the last keys after them. */
    struct buf of_copy;
    char keys[DB_KEYS_CAP];
    /* Of a transaction: the changes up to the begin of each next savepoint, the last up to now; of
     * sqlite3_malloc. */
    unsigned depth;
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

void sqlite_free_changes(struct db_changes *changes)
{
    for (size_t i = 0; i < changes->depth; i++)
        sqlite3_free(changes->changes[i].bytes);
    buf_finish(&changes->of_copy);
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
    char keys[DB_KEYS_CAP + 1] = "";
    ssize_t len = pread(shared, keys, DB_KEYS_CAP, 0);

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
    if (take_keys(sqlite_of(db), shared, err) < 0 || db->backend->savepoint(db, err) != 0)
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

/* Writes the last key of each table, {table: key}, for the next writers. */
static int share_keys(struct sqlite_db *db, int shared, struct error *err)
{
    char keys[DB_KEYS_CAP] = "";

    if (run_text(db, keys_text, NULL, keys, sizeof keys, err) != 0)
        return -1;
    if (pwrite(shared, keys, sizeof keys, 0) != (ssize_t)sizeof keys)
        return error_errno(err, errno, "cannot write the file of the locks");
    return 0;
}

/* Records the changes and rolls the inmost savepoint back, again and again. */
static int take_down(struct sqlite_db *db, struct db_changes *taken, int shared, struct error *err)
{
    for (unsigned i = taken->depth; i-- > 0;) {
        struct changes *changes = &taken->changes[i];

        if (sqlite3session_changeset(db->record, &changes->size, &changes->bytes) != SQLITE_OK)
            return error_set(err, ERROR_MEMORY, "out of memory for a transaction");
        if (i == taken->depth - 1 && changes->size > 0 && share_keys(db, shared, err) < 0)
            return -1;
        if (db->base.backend->end_savepoint(&db->base, false, err) != 0)
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
    db->backend->rollback(db);
    if (rc == 0)
        return changes;
    if (changes)
        sqlite_free_changes(changes);
    return NULL;
}

/* ---- going on ---- */

/* A row that another writer deleted in between is not a conflict. */
static int on_conflict(void *user, int kind, sqlite3_changeset_iter *change)
{
    const char *table;
    int columns, op = 0, indirect;

    (void)user;
    sqlite3changeset_op(change, &table, &columns, &op, &indirect);
    return kind == SQLITE_CHANGESET_NOTFOUND && op == SQLITE_DELETE ? SQLITE_CHANGESET_OMIT
                                                                    : SQLITE_CHANGESET_ABORT;
}

/* The changes that lead from the one to the other. */
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

/* The changes include those of triggers and foreign keys. */
static void set_rules(struct sqlite_db *db, int on)
{
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, on, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_FKEY, on, NULL);
}

static int make(struct sqlite_db *db, const struct db_changes *changes, int shared,
                struct error *err)
{
    if (db->base.backend->begin(&db->base, true, err) != 0 || take_keys(db, shared, err) < 0 ||
        start_record(db, err) < 0)
        return -1;
    for (unsigned i = 0; i < changes->depth; i++)
        if (db->base.backend->savepoint(&db->base, err) != 0 ||
            apply_level(db, changes, i, err) < 0)
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
        base->backend->rollback(base);
    }
    sqlite_free_changes(changes);
    return rc;
}

/* ---- a large write, made on a copy (large_write.h) ---- */

/* ?1: rows. Each has few changes in the log. */
#define RESERVED "CASE name WHEN 'change' THEN 8 ELSE 1 END * ?1"
#define OF_WRITE "name IN ('session', 'node', 'component', 'relationship', 'change')"

static const char first_keys_text[] =
    "INSERT INTO sqlite_sequence SELECT name, 0 FROM sqlite_master WHERE type = 'table' "
    "AND " OF_WRITE " AND name NOT IN (SELECT name FROM sqlite_sequence)";
static const char reserve_text[] =
    "UPDATE sqlite_sequence SET seq = seq + " RESERVED " WHERE " OF_WRITE;
/* ?2: the keys before the reservation, ?3: those after the write. If others have got keys since,
 * theirs are behind the reserved ones, and the unused keys are lost. */
static const char return_text[] =
    "UPDATE sqlite_sequence SET seq = json_extract(?3, '$.' || name) WHERE " OF_WRITE
    " AND seq = json_extract(?2, '$.' || name) + " RESERVED;
static const char copy_keys_text[] =
    "UPDATE sqlite_sequence SET seq = json_extract(?1, '$.' || name) WHERE " OF_WRITE;

static int change_keys(struct sqlite_db *db, const char *sql, size_t rows, const char *before,
                       const char *after, struct error *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL);

    if (rc == SQLITE_OK)
        sqlite3_bind_int64(statement, 1, (int64_t)rows);
    if (rc == SQLITE_OK && before)
        sqlite3_bind_text(statement, 2, before, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK && after)
        sqlite3_bind_text(statement, 3, after, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(statement);
    sqlite3_finalize(statement);
    return rc == SQLITE_DONE ? 0 : sqlite_fail(db, err, "the store cannot reserve keys");
}

int sqlite_reserve_keys(struct db *base, size_t rows, char keys[DB_KEYS_CAP], struct error *err)
{
    struct sqlite_db *db = sqlite_of(base);

    if (run_text(db, first_keys_text, NULL, NULL, 0, err) != 0 ||
        run_text(db, keys_text, NULL, keys, DB_KEYS_CAP, err) != 0)
        return -1;
    return change_keys(db, reserve_text, rows, NULL, NULL, err);
}

int sqlite_record_copy(struct db *base, const char *keys, struct error *err)
{
    struct sqlite_db *db = sqlite_of(base);

    if (run_text(db, copy_keys_text, keys, NULL, 0, err) != 0)
        return -1;
    return start_record(db, err);
}

static int add_bytes(void *user, const void *bytes, int size)
{
    struct buf *all = user;

    buf_add(all, bytes, (size_t)size);
    return all->failed ? SQLITE_ABORT : SQLITE_OK;
}

int sqlite_take_changes(struct db *base, struct db_changes **changes, struct error *err)
{
    struct sqlite_db *db = sqlite_of(base);
    struct db_changes *taken = calloc(1, sizeof *taken);
    int rc = -1;

    if (!taken)
        return error_set(err, ERROR_MEMORY, "out of memory for a large write");
    buf_init(&taken->of_copy, DB_CHANGES_MAX);
    if (sqlite3session_changeset_strm(db->record, add_bytes, &taken->of_copy) != SQLITE_OK) {
        rc = taken->of_copy.failed && !taken->of_copy.starved
                 ? 1
                 : error_set(err, ERROR_MEMORY, "out of memory for a large write");
    } else if (run_text(db, keys_text, NULL, taken->keys, sizeof taken->keys, err) == 0) {
        sqlite_end_record(base);
        rc = start_record(db, err);
    }
    if (rc == 0)
        *changes = taken;
    else
        sqlite_free_changes(taken);
    return rc;
}

/* A note for the search may be there already; any other row must be as it was in the copy. */
static int on_large_conflict(void *user, int kind, sqlite3_changeset_iter *change)
{
    const char *table = "";
    int columns, op, indirect;

    (void)user;
    (void)kind;
    sqlite3changeset_op(change, &table, &columns, &op, &indirect);
    return strcmp(table, "search_stale") == 0 ? SQLITE_CHANGESET_OMIT : SQLITE_CHANGESET_ABORT;
}

int sqlite_apply_changes(struct db *base, const struct db_changes *changes, struct error *err)
{
    struct sqlite_db *db = sqlite_of(base);
    int rc;

    set_rules(db, 0);
    rc = sqlite3changeset_apply(db->handle, (int)changes->of_copy.len, changes->of_copy.data, NULL,
                                on_large_conflict, NULL);
    set_rules(db, 1);
    if (rc == SQLITE_ABORT)
        return 1;
    return rc == SQLITE_OK ? 0 : sqlite_fail(db, err, "cannot apply a large write");
}

int sqlite_return_keys(struct db *db, size_t rows, const char *keys,
                       const struct db_changes *changes, struct error *err)
{
    return change_keys(sqlite_of(db), return_text, rows, keys, changes->keys, err);
}
