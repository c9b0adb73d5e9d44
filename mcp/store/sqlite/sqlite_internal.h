/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The private header of the SQLite backend: one connection and its statements. Only this folder
 * uses SQLite.
 */
#ifndef LECTERN_STORE_SQLITE_INTERNAL_H
#define LECTERN_STORE_SQLITE_INTERNAL_H

#include <sqlite3.h>

#include "mcp/store/db.h"

#define SQLITE_BUSY_TIMEOUT_MS 5000

enum sqlite_control {
    CONTROL_BEGIN,
    CONTROL_BEGIN_WRITE,
    CONTROL_COMMIT,
    CONTROL_ROLLBACK,
    CONTROL_SAVEPOINT,
    CONTROL_RELEASE,
    CONTROL_ROLLBACK_TO,
    CONTROL_COUNT
};

struct sqlite_schema {
    int application_id;
    const char *made_by; /* the commands that make such a file */
    bool secure_delete;  /* deleted rows are overwritten with zeros */
    const char *const *migrations;
    int newest; /* how many there are */
};

struct sqlite_rows {
    struct rows base;
    struct sqlite_db *db;
    sqlite3_stmt *statement; /* NULL until first used */
};

struct sqlite_db {
    struct db base;
    sqlite3 *handle;
    const struct sqlite_schema *schema;
    enum store_access access;
    struct sqlite_rows rows[STATEMENT_COUNT];
    sqlite3_stmt *controls[CONTROL_COUNT]; /* NULL until first used */
    db_hit_fn *on_hit;                     /* of the search that runs, with its user */
    void *hit_user;
    struct sqlite3_session *record; /* records the changes of the open transaction, or NULL */
};

static inline struct sqlite_db *sqlite_of(struct db *db)
{
    return (struct sqlite_db *)db; /* base is the first member */
}

static inline struct sqlite_rows *rows_of(struct rows *rows)
{
    return (struct sqlite_rows *)rows; /* base is the first member */
}

/* ---- connection.c ---- */

struct db *sqlite_open(const char *path, enum db_schema schema, enum store_access access,
                       struct error *err);
/* A connection without a database; sqlite_close frees it. */
struct sqlite_db *sqlite_new(enum db_schema schema, enum store_access access, struct error *err);
void sqlite_close(struct db *db);
/* Once, before SQLite is used: statement_journal.c. Returns -1 if SQLite goes on with its own. */
int sqlite_statement_journal_begin(void);
/* Another connection's lock is waited for, up to SQLITE_BUSY_TIMEOUT_MS. */
void sqlite_wait_when_busy(sqlite3 *handle);
/* Sets err from the connection's last failure. Returns -1. */
int sqlite_fail(struct sqlite_db *db, struct error *err, const char *what);

/* ---- schema.c: the tables, as lists of migrations to which new ones are only appended ---- */

extern const struct sqlite_schema sqlite_schemas[DB_SCHEMA_COUNT];
/* Migrates the file to the newest schema, in one transaction. Refuses a file that is not a store or
 * is newer than this program. */
int sqlite_migrate(const struct sqlite_db *db, const char *path, struct error *err);
/* Returns 0 if the file has the newest schema or, with older, an older one. */
int sqlite_check_schema(const struct sqlite_db *db, const char *path, bool older,
                        struct error *err);

/* ---- search.c ---- */

/* Registers what the search needs with a connection. */
int sqlite_search_open(struct sqlite_db *db, struct error *err);
int sqlite_search(struct db *db, const char *query, int64_t first, int64_t last, db_hit_fn *on_hit,
                  void *user, struct error *err);

/* ---- changes.c: functions of struct db_backend ---- */

int sqlite_record(struct db *db, int shared, struct error *err);
void sqlite_end_record(struct db *db);
struct db_changes *sqlite_set_aside(struct db *db, unsigned depth, int shared, struct error *err);
int sqlite_make_again(struct db *db, struct db_changes *changes, int shared, struct error *err);
int sqlite_reserve_keys(struct db *db, size_t rows, char keys[DB_KEYS_CAP], struct error *err);
int sqlite_record_copy(struct db *db, const char *keys, struct error *err);
int sqlite_take_changes(struct db *db, struct db_changes **changes, struct error *err);
int sqlite_apply_changes(struct db *db, const struct db_changes *changes, struct error *err);
int sqlite_return_keys(struct db *db, size_t rows, const char *keys,
                       const struct db_changes *changes, struct error *err);
void sqlite_free_changes(struct db_changes *changes);

/* ---- copies.c: functions of struct db_backend ---- */

struct db *sqlite_open_copy(struct db *db, const char *sid, bool history, struct error *err);
int sqlite_backup(struct db *db, const char *path, db_step_fn *on_step, void *user,
                  struct error *err);
int sqlite_check(struct db *db, struct error *err);

#endif
