/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The SQLite backend: statements, rows, transactions. A write takes the write lock at once (BEGIN
 * IMMEDIATE), so that what it reads is what it changes.
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

static const char *const texts[STATEMENT_COUNT] = {
#define STATEMENT(id, text) [id] = text,
#include "mcp/store/statements.h"
};

static const char *const controls[CONTROL_COUNT] = {
    [CONTROL_BEGIN] = "BEGIN",
    [CONTROL_BEGIN_WRITE] = "BEGIN IMMEDIATE",
    [CONTROL_COMMIT] = "COMMIT",
    [CONTROL_ROLLBACK] = "ROLLBACK",
    [CONTROL_SAVEPOINT] = "SAVEPOINT inner_write",
    [CONTROL_RELEASE] = "RELEASE inner_write",
    [CONTROL_ROLLBACK_TO] = "ROLLBACK TO inner_write",
};

/* ---- statements ---- */

static int prepare_once(struct sqlite_db *db, sqlite3_stmt **statement, const char *text,
                        struct error *err)
{
    if (*statement || sqlite3_prepare_v3(db->handle, text, -1, SQLITE_PREPARE_PERSISTENT, statement,
                                         NULL) == SQLITE_OK)
        return 0;
    return sqlite_fail(db, err, "cannot ask the store");
}

static int bind_text(sqlite3_stmt *statement, int index, const char *text, size_t len)
{
    if (!text)
        return sqlite3_bind_null(statement, index);
    return sqlite3_bind_text64(statement, index, text, len, SQLITE_STATIC, SQLITE_UTF8);
}

static int bind_order(sqlite3_stmt *statement, int index, const struct row_order *order)
{
    if (order->kind == ORDER_INTEGER)
        return sqlite3_bind_int64(statement, index, order->integer);
    if (order->kind == ORDER_REAL)
        return sqlite3_bind_double(statement, index, order->real);
    return sqlite3_bind_null(statement, index);
}

static int bind_all(sqlite3_stmt *statement, const char *format, va_list args)
{
    int rc = SQLITE_OK;

    for (int i = 1; rc == SQLITE_OK && format[i - 1]; i++) {
        switch (format[i - 1]) {
        case 'i':
            rc = sqlite3_bind_int64(statement, i, va_arg(args, int64_t));
            break;
        case 's': {
            const char *text = va_arg(args, const char *);

            rc = bind_text(statement, i, text, text ? strlen(text) : 0);
            break;
        }
        case 't': {
            const struct row_text *text = va_arg(args, const struct row_text *);

            rc = bind_text(statement, i, text->text, text->len);
            break;
        }
        case 'b': {
            const struct buf *buf = va_arg(args, const struct buf *);

            rc = bind_text(statement, i, buf ? buf->data : NULL, buf ? buf->len : 0);
            break;
        }
        case 'o':
            rc = bind_order(statement, i, va_arg(args, const struct row_order *));
            break;
        case 'g': {
            const struct node_row *row = va_arg(args, const struct node_row *);

            rc = row->chapter_number
                     ? sqlite3_bind_int64(statement, i, row->chapter)
                     : bind_text(statement, i, row->grouping.text, row->grouping.len);
            break;
        }
        case 'k': {
            int64_t key = va_arg(args, int64_t);

            rc = key > 0 ? sqlite3_bind_int64(statement, i, key) : sqlite3_bind_null(statement, i);
            break;
        }
        default:
            rc = SQLITE_MISUSE;
        }
    }
    return rc;
}

static struct rows *query(struct db *base, struct error *err, enum statement id, const char *format,
                          va_list args)
{
    struct sqlite_db *db = sqlite_of(base);
    struct sqlite_rows *rows = &db->rows[id];

    if (prepare_once(db, &rows->statement, texts[id], err) != 0)
        return NULL;
    rows->base.backend = &sqlite_backend;
    rows->db = db;
    sqlite3_reset(rows->statement);
    sqlite3_clear_bindings(rows->statement);
    if (bind_all(rows->statement, format, args) == SQLITE_OK)
        return &rows->base;
    sqlite_fail(db, err, "cannot ask the store");
    return NULL;
}

static int next(struct rows *base, struct error *err)
{
    struct sqlite_rows *rows = rows_of(base);
    int rc = sqlite3_step(rows->statement);

    if (rc == SQLITE_ROW)
        return 1;
    if (rc != SQLITE_DONE)
        sqlite_fail(rows->db, err, "the store cannot do it");
    sqlite3_reset(rows->statement);
    return rc == SQLITE_DONE ? 0 : -1;
}

static void end(struct rows *rows)
{
    sqlite3_reset(rows_of(rows)->statement);
}

static int run(struct db *base, int64_t *key, struct error *err, enum statement id,
               const char *format, va_list args)
{
    struct rows *rows = query(base, err, id, format, args);
    int rc = rows ? next(rows, err) : -1;

    if (rows) { /* bindings are borrowed texts: they must not outlive the call */
        end(rows);
        sqlite3_clear_bindings(rows_of(rows)->statement);
    }
    if (rc >= 0 && key)
        *key = sqlite3_last_insert_rowid(sqlite_of(base)->handle);
    return rc < 0 ? -1 : 0;
}

static int64_t column_int(struct rows *rows, int column)
{
    return sqlite3_column_int64(rows_of(rows)->statement, column);
}

static struct row_text column_text(struct rows *rows, int column)
{
    sqlite3_stmt *statement = rows_of(rows)->statement;
    const char *text = (const char *)sqlite3_column_text(statement, column);

    return (struct row_text){text, (size_t)sqlite3_column_bytes(statement, column)};
}

static struct row_order column_order(struct rows *rows, int column)
{
    sqlite3_stmt *statement = rows_of(rows)->statement;

    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        return (struct row_order){ORDER_INTEGER, sqlite3_column_int64(statement, column), 0};
    case SQLITE_FLOAT:
        return (struct row_order){ORDER_REAL, 0, sqlite3_column_double(statement, column)};
    default:
        return (struct row_order){ORDER_UNKNOWN, 0, 0};
    }
}

/* ---- transactions ---- */

static int control(struct db *base, enum sqlite_control id, struct error *err)
{
    struct sqlite_db *db = sqlite_of(base);
    int rc;

    if (prepare_once(db, &db->controls[id], controls[id], err) != 0)
        return -1;
    rc = sqlite3_step(db->controls[id]) == SQLITE_DONE
             ? 0
             : sqlite_fail(db, err, "the store cannot do it");
    sqlite3_reset(db->controls[id]);
    return rc;
}

static int begin(struct db *db, bool write, struct error *err)
{
    return control(db, write ? CONTROL_BEGIN_WRITE : CONTROL_BEGIN, err);
}

static bool is_open(struct db *db)
{
    return !sqlite3_get_autocommit(sqlite_of(db)->handle);
}

static int commit(struct db *db, struct error *err)
{
    return control(db, CONTROL_COMMIT, err);
}

/* A SELECT that was left in the middle would hold its snapshot open. */
static void end_reads(struct db *base)
{
    struct sqlite_db *db = sqlite_of(base);

    for (size_t i = 0; i < STATEMENT_COUNT; i++)
        if (db->rows[i].statement)
            sqlite3_reset(db->rows[i].statement);
}

static void rollback(struct db *db)
{
    end_reads(db);
    if (is_open(db))
        control(db, CONTROL_ROLLBACK, NULL);
}

static int savepoint(struct db *db, struct error *err)
{
    return control(db, CONTROL_SAVEPOINT, err);
}

static int end_savepoint(struct db *db, bool keep, struct error *err)
{
    if (!keep && control(db, CONTROL_ROLLBACK_TO, err) != 0)
        return -1;
    return control(db, CONTROL_RELEASE, err);
}

/* ---- a write transaction that is set aside. SQLite has one lock for all writers, and with a
 * service behind the store a transaction waits for the network. So before it waits, its changes are
 * recorded as changesets of SQLite's session extension, one up to each open savepoint, and rolled
 * back; afterwards they are applied again in a new transaction. The sessions that it changed stay
 * locked against other writers (upstream/session_lock.c), so the changes apply without conflicts.
 *
 * The keys of its new rows stay reserved: the last key of each table is written to a file that the
 * writers of the copy share, while SQLite's lock is held, and each writer reads it after its begin.
 * That file need not survive a restart of the machine, because a suspended transaction does not.
 * ---- */

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

static int record(struct db *db, int shared, struct error *err)
{
    if (take_keys(sqlite_of(db), shared, err) < 0 || savepoint(db, err) != 0)
        return -1;
    return start_record(sqlite_of(db), err);
}

static void end_record(struct db *base)
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
        if (end_savepoint(&db->base, false, err) != 0)
            return -1;
    }
    return 0;
}

static struct db_changes *set_aside(struct db *db, unsigned depth, int shared, struct error *err)
{
    struct db_changes *changes = calloc(1, sizeof *changes + depth * sizeof changes->changes[0]);
    int rc;

    if (changes) {
        changes->depth = depth;
        rc = take_down(sqlite_of(db), changes, shared, err);
    } else {
        rc = error_set(err, ERROR_MEMORY, "out of memory for a transaction");
    }
    end_record(db);
    rollback(db);
    if (rc == 0)
        return changes;
    if (changes)
        free_changes(changes);
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
    if (begin(&db->base, true, err) != 0 || take_keys(db, shared, err) < 0 ||
        start_record(db, err) < 0)
        return -1;
    for (unsigned i = 0; i < changes->depth; i++)
        if (savepoint(&db->base, err) != 0 || apply_level(db, changes, i, err) < 0)
            return -1;
    return 0;
}

static int make_again(struct db *base, struct db_changes *changes, int shared, struct error *err)
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
        end_record(base);
        rollback(base);
    }
    free_changes(changes);
    return rc;
}

/* Only writers of this process are heard of. */
static void notify(struct db *db, const struct store_change *change)
{
    if (db->observer)
        db->observer(db->observer_user, change);
}

const struct db_backend sqlite_backend = {
    .scheme = "sqlite:",
    .group_commit = true,
    .open = sqlite_open,
    .open_copy = sqlite_open_copy,
    .close = sqlite_close,
    .begin = begin,
    .is_open = is_open,
    .commit = commit,
    .rollback = rollback,
    .savepoint = savepoint,
    .end_savepoint = end_savepoint,
    .end_reads = end_reads,
    .record = record,
    .end_record = end_record,
    .set_aside = set_aside,
    .make_again = make_again,
    .notify = notify,
    .query = query,
    .run = run,
    .next = next,
    .end = end,
    .column_int = column_int,
    .column_text = column_text,
    .column_order = column_order,
    .search = sqlite_search,
    .backup = sqlite_backup,
    .check = sqlite_check,
};
