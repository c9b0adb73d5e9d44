/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The SQLite backend: statements, rows, transactions. A write takes the write lock at once (BEGIN
 * IMMEDIATE), so that what it reads is what it changes.
 */
#include "mcp/store/sqlite/sqlite_internal.h"

#include <string.h>

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

/* Cells that were moved between pages leave copies in the gaps, which secure_delete does not
 * overwrite: VACUUM writes all pages again. The write-ahead log has the old ones until it is
 * emptied. */
static int erase(struct db *base, struct error *err)
{
    struct sqlite_db *db = sqlite_of(base);

    end_reads(base);
    if (sqlite3_exec(db->handle, "VACUUM", NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_wal_checkpoint_v2(db->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) ==
            SQLITE_OK)
        return 0;
    return sqlite_fail(db, err, "cannot remove the bytes of deleted rows");
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
    .record = sqlite_record,
    .end_record = sqlite_end_record,
    .set_aside = sqlite_set_aside,
    .make_again = sqlite_make_again,
    .reserve_keys = sqlite_reserve_keys,
    .record_copy = sqlite_record_copy,
    .take_changes = sqlite_take_changes,
    .apply_changes = sqlite_apply_changes,
    .return_keys = sqlite_return_keys,
    .free_changes = sqlite_free_changes,
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
    .erase = erase,
};
