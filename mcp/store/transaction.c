/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Transactions. A write takes the write lock at once (BEGIN IMMEDIATE), so that what it reads is
 * what it changes; it counts up the session's version and leaves its rows in the change log.
 */
#include <stdio.h>
#include <string.h>

#include "mcp/store/sqlite_store.h"

static void roll_back(struct sqlite_store *store)
{
    sqlite_reset_all(store);
    /* SQLite has already rolled back after some failures. */
    if (!sqlite3_get_autocommit(store->db))
        sqlite_run(store, NULL, SQL_ROLLBACK, "");
}

int sqlite_read_begin(struct sqlite_store *store, struct error *err)
{
    if (store->depth > 0 || store->snapshot) /* what is being written is what is read */
        return 0;
    return sqlite_run(store, err, SQL_BEGIN, "");
}

int sqlite_read_end(struct sqlite_store *store, int rc)
{
    if (store->depth > 0 || store->snapshot)
        sqlite_reset_all(store);
    else
        roll_back(store);
    return rc;
}

int sqlite_snapshot_begin(struct store *base, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);

    if (store->depth > 0)
        return 0;
    if (sqlite_run(store, err, SQL_BEGIN, "") != 0)
        return -1;
    store->snapshot = true;
    return 1;
}

void sqlite_snapshot_end(struct store *base)
{
    struct sqlite_store *store = sqlite_of(base);

    store->snapshot = false;
    roll_back(store);
}

/* ---- write transactions, one in the other: the outermost is one of the database, the others are
 * savepoints ---- */

/* What comes behind it in the log is what this transaction has to pass on. */
static int note_last_change(struct sqlite_store *store, struct error *err)
{
    sqlite3_stmt *statement = sqlite_statement(store, SQL_COPY_LAST_CHANGE, err);

    if (!statement || sqlite_next(store, statement, err) <= 0)
        return -1;
    store->changes_before = sqlite3_column_int64(statement, 0);
    store->transaction = ++store->transactions;
    sqlite3_reset(statement);
    return 0;
}

/* In front of a service: so that it can be suspended. */
static int record(struct sqlite_store *store, struct error *err)
{
    if (note_last_change(store, err) == 0 && suspend_take_keys(store, err) == 0 &&
        sqlite_run(store, err, SQL_SAVEPOINT, "") == 0 && suspend_record(store, err) == 0)
        return 0;
    roll_back(store);
    return -1;
}

int sqlite_begin(struct store *base, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);

    if (store->access != STORE_WRITE)
        return error_set(err, ERROR_INTERNAL, "the store was opened for reading only");
    if (store->depth == SAVEPOINTS_CAP)
        return error_set(err, ERROR_INTERNAL, "transactions nest deeper than %u", SAVEPOINTS_CAP);
    if (store->depth > 0 && sqlite3_get_autocommit(store->db))
        return error_set(err, ERROR_IO, "the transaction was lost, nothing of it is kept");
    if (sqlite_run(store, err, store->depth == 0 ? SQL_BEGIN_WRITE : SQL_SAVEPOINT, "") != 0)
        return -1;
    if (base->upstream && store->depth == 0 && record(store, err) != 0)
        return -1;
    store->marks[store->depth++] = dirty_set_mark(store->dirty);
    return 0;
}

static int end_inner(struct sqlite_store *store, bool keep, struct error *err)
{
    int rc;

    if (sqlite3_get_autocommit(store->db)) /* a full disk, say: SQLite has ended it all */
        return error_set(err, ERROR_IO, "the transaction was lost, nothing of it is kept");
    if (!keep) {
        store->taken_back++;
        dirty_set_forget(store->dirty, store->marks[store->depth]);
        if (sqlite_run(store, err, SQL_SAVEPOINT_BACK, "") != 0)
            return -1;
    }
    rc = sqlite_run(store, err, SQL_SAVEPOINT_KEEP, "");
    return rc;
}

static int end_outermost(struct sqlite_store *store, bool keep, struct error *err)
{
    struct upstream *upstream = store->base.upstream;
    int rc = 0;

    if (keep && sqlite3_get_autocommit(store->db))
        rc = error_set(err, ERROR_IO, "the transaction was lost, nothing of it is kept");
    if (keep && rc == 0 && upstream) {
        store->depth++; /* what it reads is read within this transaction */
        rc = upstream->push(upstream, &store->base, err);
        store->depth--;
        sqlite_reset_all(store);
    }
    suspend_forget(store);
    if (keep && rc == 0)
        rc = sqlite_run(store, err, SQL_COMMIT, "");
    if (keep && rc == 0) {
        dirty_set_notify(store->dirty, &store->base);
    } else {
        roll_back(store);
        dirty_set_forget(store->dirty, 0);
    }
    if (upstream)
        upstream->ended(upstream, &store->base);
    return rc;
}

int sqlite_end(struct store *base, bool keep, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);

    sqlite_reset_all(store);
    store->depth--;
    return store->depth > 0 ? end_inner(store, keep, err) : end_outermost(store, keep, err);
}

static int fill_write(struct sqlite_store *store, const struct writer *writer, const char *sid,
                      struct write *write, struct error *err)
{
    bool grouped = writer->change_set && *writer->change_set;
    struct session_found session;
    char uuid[UUID_TEXT_SIZE];

    memset(write, 0, sizeof *write);
    text_now(write->now);
    text_cut_line(write->who, sizeof write->who, writer->who ? writer->who : "unknown");
    write->expected_cursor = writer->expected_cursor;
    if (!grouped && text_uuid(uuid, err) != 0)
        return -1;
    text_cut(write->change_set, sizeof write->change_set, grouped ? writer->change_set : uuid);
    if (!sid)
        return 0;
    if (sqlite_session_find(store, sid, &session, err) != 0)
        return -1;
    write->session = session.key;
    write->version = session.version + 1;
    memcpy(write->sid, session.sid, sizeof write->sid);
    return 0;
}

int sqlite_write_begin(struct sqlite_store *store, const struct writer *writer, const char *sid,
                       struct write *write, struct error *err)
{
    struct upstream *upstream = store->base.upstream;

    if (upstream && sid && store->depth == 0 &&
        upstream->own(upstream, &store->base, sid, err) != 0)
        return -1;
    if (sqlite_begin(&store->base, err) != 0) {
        if (upstream && store->depth == 0)
            upstream->ended(upstream, &store->base);
        return -1;
    }
    if (fill_write(store, writer, sid, write, err) != 0) {
        sqlite_end(&store->base, false, NULL);
        return -1;
    }
    return 0;
}

int sqlite_write_begin_session(struct sqlite_store *store, const struct writer *writer,
                               const char *sid, struct write *write, struct error *err)
{
    if (sqlite_write_begin(store, writer, sid, write, err) != 0)
        return -1;
    if (write->expected_cursor == 0 || write->expected_cursor == write->version - 1)
        return 0;
    sqlite_end(&store->base, false, NULL);
    return error_set(err, ERROR_STALE, "the session has changed since it was read");
}

int sqlite_write_end(struct sqlite_store *store, const struct write *write, int rc,
                     struct error *err)
{
    if (rc == 0) {
        sqlite_reset_all(store);
        rc = sqlite_run(store, err, SQL_SESSION_TOUCH, "iis", write->session, write->version,
                        write->now);
    }
    if (sqlite_end(&store->base, rc == 0, rc == 0 ? err : NULL) != 0)
        rc = -1;
    return rc;
}
