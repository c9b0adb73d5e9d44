/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A copy of one session, to try a write on without holding the writer: a temporary database of the
 * same form with the session's rows as of one snapshot, keys and all. SQLite keeps it in memory up
 * to TRIAL_CACHE_KIB and puts what is more into a file that nobody else sees.
 */
#include "mcp/store/sqlite/sqlite_internal.h"

#define TRIAL_CACHE_KIB "65536"
#define TRIAL_NAME      "a copy to try a change on"

#define ROWS(table) "INSERT INTO main." table " SELECT * FROM source." table " WHERE session = ?1"

static const char key_of_session[] = "SELECT key FROM source.session WHERE session_id = ?1";
static const char *const rows[] = {
    "INSERT INTO main.session SELECT * FROM source.session WHERE key = ?1",
    ROWS("graph_version"),
    ROWS("node"),
    "INSERT INTO main.component SELECT component.* FROM source.node CROSS JOIN source.component"
    " ON component.node = node.key WHERE node.session = ?1",
    ROWS("relationship"),
    ROWS("position"),
    ROWS("undone"),
};
/* New rows get the keys that they would get in the store. */
static const char *const keys[] = {
    "DELETE FROM main.sqlite_sequence",
    "INSERT INTO main.sqlite_sequence SELECT * FROM source.sqlite_sequence",
};

static int run(struct sqlite_db *copy, const char *sql, int64_t session, struct error *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(copy->handle, sql, -1, &statement, NULL);

    if (rc == SQLITE_OK && sqlite3_bind_parameter_count(statement) > 0)
        sqlite3_bind_int64(statement, 1, session);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(statement);
    sqlite3_finalize(statement);
    return rc == SQLITE_DONE ? 0 : sqlite_fail(copy, err, "cannot copy the session");
}

/* Where there is no such session the copy stays without one, and says so when it is asked. */
static int find_session(struct sqlite_db *copy, const char *sid, int64_t *session,
                        struct error *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(copy->handle, key_of_session, -1, &statement, NULL);

    if (rc == SQLITE_OK)
        sqlite3_bind_text(statement, 1, sid, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(statement);
    *session = rc == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return rc == SQLITE_ROW || rc == SQLITE_DONE
               ? 0
               : sqlite_fail(copy, err, "cannot copy the session");
}

/* In one transaction, which is one snapshot of the source. */
static int copy_rows(struct sqlite_db *copy, const char *sid, bool history, struct error *err)
{
    int64_t session = 0;
    int rc = find_session(copy, sid, &session, err);

    for (size_t i = 0; rc == 0 && i < sizeof rows / sizeof *rows; i++)
        rc = run(copy, rows[i], session, err);
    if (rc == 0 && history)
        rc = run(copy, ROWS("change"), session, err);
    for (size_t i = 0; rc == 0 && i < sizeof keys / sizeof *keys; i++)
        rc = run(copy, keys[i], session, err);
    return rc;
}

static int execute(struct sqlite_db *copy, const char *sql, struct error *err)
{
    return sqlite3_exec(copy->handle, sql, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : sqlite_fail(copy, err, "cannot make a copy of the session");
}

static int attach(struct sqlite_db *copy, struct sqlite_db *source, struct error *err)
{
    char *sql = sqlite3_mprintf("ATTACH %Q AS source", sqlite3_db_filename(source->handle, "main"));
    int rc = sql ? execute(copy, sql, err)
                 : error_set(err, ERROR_MEMORY, "out of memory for a copy of the session");

    sqlite3_free(sql);
    return rc;
}

/* Nothing of it outlives the process, so nothing of it is synced. Foreign keys hold in the source,
 * and the triggers have done their part there. */
static int fill(struct sqlite_db *copy, struct sqlite_db *source, const char *sid, bool history,
                struct error *err)
{
    sqlite3_busy_timeout(copy->handle, SQLITE_BUSY_TIMEOUT_MS);
    if (execute(copy,
                "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;"
                "PRAGMA cache_size = -" TRIAL_CACHE_KIB,
                err) != 0 ||
        sqlite_migrate(copy->handle, TRIAL_NAME, err) < 0 || attach(copy, source, err) != 0)
        return -1;
    sqlite3_db_config(copy->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    if (execute(copy, "BEGIN", err) != 0 || copy_rows(copy, sid, history, err) != 0 ||
        execute(copy, "COMMIT", err) != 0)
        return -1;
    sqlite3_db_config(copy->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, NULL);
    return execute(copy, "DETACH source; PRAGMA foreign_keys = ON", err);
}

struct db *sqlite_open_copy(struct db *source, const char *sid, bool history, struct error *err)
{
    struct sqlite_db *copy = sqlite_new(STORE_WRITE, err);

    if (!copy)
        return NULL;
    if (sqlite3_open_v2("", &copy->handle,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                            SQLITE_OPEN_EXRESCODE,
                        NULL) != SQLITE_OK)
        sqlite_fail(copy, err, "cannot make a copy of the session");
    else if (fill(copy, sqlite_of(source), sid, history, err) == 0)
        return &copy->base;
    sqlite_close(&copy->base);
    return NULL;
}
