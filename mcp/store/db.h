/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A database below the store: a table of functions (struct db_backend), and the calls that the
 * store makes with it. The store refers to statements by their ids (statements.h) and to rows by
 * their columns, and does not know the library behind them. A connection is used by one thread at a
 * time.
 *
 * The rows of a statement belong to the connection, so running it allocates nothing, and it cannot
 * run a second time while its rows are read. Texts of a row are borrowed until its next rows_next
 * or rows_end.
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
#include "mcp/curriculum/row.h"
#include "mcp/store/store.h"

enum statement {
#define STATEMENT(id, text) id,
#include "mcp/store/statements.h"
    STATEMENT_COUNT
};

#define DB_KEYS_CAP    512u         /* bytes of {"node":57,...}, with room for more tables */
#define DB_CHANGES_MAX (256u << 20) /* bytes of the changes of a copy */

/* The purpose of a database, which decides its tables. */
enum db_schema {
    DB_CURRICULA,
    DB_LEARNERS, /* mcp/learner/learners.h */
    DB_SCHEMA_COUNT
};

struct db_backend;
struct db_changes; /* the changes of a transaction that was set aside, or of a copy */

/* One connection; the first member of the backend's struct. */
struct db {
    const struct db_backend *backend;
    store_observer *observer; /* or NULL */
    void *observer_user;
};

/* The rows of one statement; the first member of the backend's struct. */
struct rows {
    const struct db_backend *backend;
};

typedef void db_step_fn(void *user, size_t done, size_t total);

/* One place where a row of the search has a phrase: the n-th text in quotes of the query, the
 * column, and how many terms stand before it there. */
typedef void db_hit_fn(void *user, int64_t row, int phrase, int column, int offset);

/* Functions that can fail return 0 or -1 with err, unless stated otherwise. */
struct db_backend {
    const char *scheme; /* prefix of its URLs, including the colon */
    bool group_commit;  /* concurrent writes may share a transaction */

    struct db *(*open)(const char *path, enum db_schema schema, enum store_access access,
                       struct error *err);
    /* A separate database, open for writing, with a copy of one session (and its change log if
     * history); empty if there is no such session. Closing it removes it. */
    struct db *(*open_copy)(struct db *db, const char *sid, bool history, struct error *err);
    void (*close)(struct db *db);

    int (*begin)(struct db *db, bool write, struct error *err);
    /* Whether a transaction is open: after some failures (such as a full disk) a database has
     * already ended it. */
    bool (*is_open)(struct db *db);
    int (*commit)(struct db *db, struct error *err);
    void (*rollback)(struct db *db); /* no effect if no transaction is open */
    int (*savepoint)(struct db *db, struct error *err);
    int (*end_savepoint)(struct db *db, bool keep, struct error *err);
    void (*end_reads)(struct db *db); /* calls rows_end for everything that is still being read */
    /* ---- a write transaction that is set aside during requests to a service (store_suspend).
     * shared is a file that all connections to the copy have open, to exchange data. record is
     * called after the outermost begin, as a savepoint: changes are recorded from here on. */
    int (*record)(struct db *db, int shared, struct error *err);
    void (*end_record)(struct db *db);
    /* Saves the changes of depth savepoints and rolls everything back, also on failure. */
    struct db_changes *(*set_aside)(struct db *db, unsigned depth, int shared, struct error *err);
    /* Begins again with as many savepoints, applies the changes and frees them. On -1 no
     * transaction is open. */
    int (*make_again)(struct db *db, struct db_changes *changes, int shared, struct error *err);

    /* ---- a large write, made on a copy (large_write.h) ---- */

    /* In a write transaction: reserves keys for so many rows. keys gets the last ones before. */
    int (*reserve_keys)(struct db *db, size_t rows, char keys[DB_KEYS_CAP], struct error *err);
    /* Records the changes of a copy from here on. New rows get the keys after these. */
    int (*record_copy)(struct db *copy, const char *keys, struct error *err);
    /* Gives the caller the changes recorded since the last call; recording goes on. Returns 1 if
     * they exceed DB_CHANGES_MAX. */
    int (*take_changes)(struct db *copy, struct db_changes **changes, struct error *err);
    /* In a write transaction. Returns 1, with nothing changed, if a row is not as it was in the
     * copy. */
    int (*apply_changes)(struct db *db, const struct db_changes *changes, struct error *err);
    /* In a write transaction: of the keys that were reserved for rows after `keys`, gives back
     * those after the changes, unless others have got keys since. */
    int (*return_keys)(struct db *db, size_t rows, const char *keys,
                       const struct db_changes *changes, struct error *err);
    void (*free_changes)(struct db_changes *changes);

    /* Called after a commit, once for each change. */
    void (*notify)(struct db *db, const struct store_change *change);

    /* format has one letter for each parameter in args: i int64_t, s const char * or NULL, t const
     * struct row_text *, b const struct buf * or NULL, o const struct row_order *, g const struct
     * node_row *: its grouping, k int64_t: a key, or a new one if it is not positive. Texts must
     * live until the last row is read. Returns NULL with err on failure. */
    struct rows *(*query)(struct db *db, struct error *err, enum statement id, const char *format,
                          va_list args);
    /* Runs a statement without rows. key (may be NULL) gets the key of the new row. */
    int (*run)(struct db *db, int64_t *key, struct error *err, enum statement id,
               const char *format, va_list args);
    int (*next)(struct rows *rows, struct error *err); /* 1: a row, 0: no more (and ended), -1 */
    void (*end)(struct rows *rows);
    int64_t (*column_int)(struct rows *rows, int column); /* 0 if it is NULL */
    struct row_text (*column_text)(struct rows *rows, int column);
    struct row_order (*column_order)(struct rows *rows, int column);

    /* Calls on_hit for each place in each row from first to last that the query (of FTS5) finds, by
     * row. */
    int (*search)(struct db *db, const char *query, int64_t first, int64_t last, db_hit_fn *on_hit,
                  void *user, struct error *err);

    /* For store_backup and store_check. */
    int (*backup)(struct db *db, const char *path, db_step_fn *on_step, void *user,
                  struct error *err);
    int (*check)(struct db *db, struct error *err);
    /* Outside a transaction: removes the bytes of deleted rows from the files. ERROR_BUSY while
     * another connection reads the rows from before. */
    int (*erase)(struct db *db, struct error *err);
};

extern const struct db_backend sqlite_backend;

/* Opens the database of a URL that is not a service's (open.c). The caller closes it. */
struct db *db_open(const char *url, enum db_schema schema, enum store_access access,
                   struct error *err);

/* ---- statements: db.c ---- */

/* Returns NULL with err on failure, which rows_next and rows_end accept. */
struct rows *db_query(struct db *db, struct error *err, enum statement id, const char *format, ...);
int db_run(struct db *db, struct error *err, enum statement id, const char *format, ...);
int db_insert(struct db *db, int64_t *key, struct error *err, enum statement id, const char *format,
              ...);
/* The number that a statement such as max(place) returns; 0 if it returns no row. */
int db_number(struct db *db, int64_t *number, struct error *err, enum statement id,
              const char *format, ...);

/* ---- rows ---- */

/* Returns 1 for a row, 0 after the last, -1 with err, or -1 if rows is NULL. */
static inline int rows_next(struct rows *rows, struct error *err)
{
    return rows ? rows->backend->next(rows, err) : -1;
}

static inline void rows_end(struct rows *rows)
{
    if (rows)
        rows->backend->end(rows);
}

/* struct rows *rows ROWS_AUTO = db_query(...): ended at the end of the block. */
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

/* NULL if the column is NULL. */
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

/* A body and its flags, which are in the next column. */
static inline struct kept rows_kept(struct rows *rows, int column)
{
    struct row_text body = rows_string(rows, column);

    return (struct kept){body.text, body.len, (unsigned)rows_int(rows, column + 1)};
}

#endif
