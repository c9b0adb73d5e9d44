/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A database below the store: a table of functions (struct db_backend), and the calls that the
 * store makes with it. The store knows statements by their ids (statements.h), rows by their
 * columns, and nothing of the library behind them. A connection is used by one thread at a time.
 *
 * Each statement has its rows on the connection, so running one allocates nothing, and a statement
 * cannot run a second time while its rows are read. Texts of a row are borrowed until its next
 * rows_next or rows_end.
 *
 *     struct rows *rows = db_query(db, err, SQL_NODE_LIST, "i", session);
 *
 *     while ((row = rows_next(rows, err)) > 0)
 *         use(rows_string(rows, 0));
 *     return row;
 */
#ifndef LECTERN_STORE_DB_H
#define LECTERN_STORE_DB_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/session/row.h"
#include "mcp/store/store.h"

enum statement {
#define STATEMENT(id, text) id,
#include "mcp/store/statements.h"
    STATEMENT_COUNT
};

struct db_backend;
struct db_changes; /* of a transaction that was set aside */

/* One connection; the first member of the backend's own. */
struct db {
    const struct db_backend *backend;
    store_observer *observer; /* or NULL */
    void *observer_user;
};

/* The rows of one statement; the first member of the backend's own. */
struct rows {
    const struct db_backend *backend;
};

typedef void db_step_fn(void *user, size_t done, size_t total);

/* Functions that can fail return 0 or -1 with err, unless they say otherwise. */
struct db_backend {
    const char *scheme; /* what its URLs begin with, colon included */
    bool group_commit;  /* writes that wait together may share a transaction */

    struct db *(*open)(const char *path, enum store_access access, struct error *err);
    /* A database of its own, open for writing, with a copy of one session (and its change log if
     * history); closing it removes it. Where there is no such session the copy is empty. */
    struct db *(*open_copy)(struct db *db, const char *sid, bool history, struct error *err);
    void (*close)(struct db *db);

    int (*begin)(struct db *db, bool write, struct error *err);
    /* Whether a transaction is open: after some failures (a full disk, say) a database has ended it
     * by itself. */
    bool (*is_open)(struct db *db);
    int (*commit)(struct db *db, struct error *err);
    void (*rollback)(struct db *db); /* nothing where no transaction is open */
    int (*savepoint)(struct db *db, struct error *err);
    int (*end_savepoint)(struct db *db, bool keep, struct error *err);
    void (*end_reads)(struct db *db); /* rows_end for whatever is still being read */
    /* ---- a write transaction that is set aside while a service is waited for (copy_suspend).
     * shared: a file that all connections to the copy have open, for what they leave one another.
     * Behind the outermost begin, as a savepoint: from here on what changes is recorded. */
    int (*record)(struct db *db, int shared, struct error *err);
    void (*end_record)(struct db *db);
    /* Takes the changes of depth savepoints down and rolls everything back, also where it fails. */
    struct db_changes *(*set_aside)(struct db *db, unsigned depth, int shared, struct error *err);
    /* Begins again, with as many savepoints; frees the changes. On -1 nothing is open. */
    int (*make_again)(struct db *db, struct db_changes *changes, int shared, struct error *err);

    /* What was committed has changed: called after the commit, once for each thing. */
    void (*notify)(struct db *db, const struct store_change *change);

    /* args by format, one letter a parameter: i int64_t, s const char * or NULL, t const struct
     * row_text *, b const struct buf * or NULL, o const struct row_order *, g const struct node_row
     * *: its grouping, k int64_t: a key, or a new one where it is not positive. Texts must live
     * until the last row is read. NULL with err. */
    struct rows *(*query)(struct db *db, struct error *err, enum statement id, const char *format,
                          va_list args);
    /* A statement that gives no rows. key: NULL, or where the key of the new row goes. */
    int (*run)(struct db *db, int64_t *key, struct error *err, enum statement id,
               const char *format, va_list args);
    int (*next)(struct rows *rows, struct error *err); /* 1: a row, 0: no more (and ended), -1 */
    void (*end)(struct rows *rows);
    int64_t (*column_int)(struct rows *rows, int column); /* 0 where it is NULL */
    struct row_text (*column_text)(struct rows *rows, int column);
    struct row_order (*column_order)(struct rows *rows, int column);

    /* store_backup and store_check. */
    int (*backup)(struct db *db, const char *path, db_step_fn *on_step, void *user,
                  struct error *err);
    int (*check)(struct db *db, struct error *err);
};

extern const struct db_backend sqlite_backend;

/* ---- statements: db.c ---- */

/* NULL with err, which rows_next and rows_end take. */
struct rows *db_query(struct db *db, struct error *err, enum statement id, const char *format, ...);
int db_run(struct db *db, struct error *err, enum statement id, const char *format, ...);
int db_insert(struct db *db, int64_t *key, struct error *err, enum statement id, const char *format,
              ...);
/* The one number of a statement such as max(place); 0 where it gives no row. */
int db_number(struct db *db, int64_t *number, struct error *err, enum statement id,
              const char *format, ...);

/* ---- rows ---- */

/* 1: a row is there, 0: no more, -1 with err, or where rows is NULL. */
static inline int rows_next(struct rows *rows, struct error *err)
{
    return rows ? rows->backend->next(rows, err) : -1;
}

static inline void rows_end(struct rows *rows)
{
    if (rows)
        rows->backend->end(rows);
}

/* struct rows *rows ROWS_AUTO = db_query(...): ended with the block. */
static inline void rows_cleanup(struct rows **rows)
{
    rows_end(*rows);
}
#define ROWS_AUTO __attribute__((cleanup(rows_cleanup)))

static inline int64_t rows_int(struct rows *rows, int column)
{
    return rows->backend->column_int(rows, column);
}

static inline struct row_text rows_string(struct rows *rows, int column)
{
    return rows->backend->column_text(rows, column);
}

/* NULL where the column is NULL. */
static inline const char *rows_text(struct rows *rows, int column)
{
    return rows->backend->column_text(rows, column).text;
}

/* Appends the column as JSON: a string, or null. */
void rows_write_text(struct rows *rows, int column, struct buf *json);

static inline struct row_order rows_order(struct rows *rows, int column)
{
    return rows->backend->column_order(rows, column);
}

/* A body and the flags in the column behind it. */
static inline struct kept rows_kept(struct rows *rows, int column)
{
    struct row_text body = rows_string(rows, column);

    return (struct kept){body.text, body.len, (unsigned)rows_int(rows, column + 1)};
}

#endif
