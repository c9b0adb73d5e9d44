/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Transactions. A write takes the write lock at once (BEGIN IMMEDIATE), so that what it reads is
 * what it changes; it counts up the session's version and leaves its rows in the change log.
 */
#include <stdio.h>
#include <string.h>

#include "mcp/session/sqlite/sqlite_store.h"

/* A SELECT that was left in the middle would hold its snapshot open. */
static void reset_all(struct sqlite_store *store)
{
    for (size_t i = 0; i < STATEMENT_COUNT; i++)
        if (store->statements[i])
            sqlite3_reset(store->statements[i]);
}

static void roll_back(struct sqlite_store *store)
{
    reset_all(store);
    /* SQLite has already rolled back after some failures. */
    if (!sqlite3_get_autocommit(store->db))
        sqlite_run(store, NULL, SQL_ROLLBACK, "");
}

int sqlite_read_begin(struct sqlite_store *store, struct error *err)
{
    return sqlite_run(store, err, SQL_BEGIN, "");
}

int sqlite_read_end(struct sqlite_store *store, int rc)
{
    roll_back(store);
    return rc;
}

static int fill_write(struct sqlite_store *store, const struct writer *writer, const char *sid,
                      struct write *write, struct error *err)
{
    struct session_found session;
    char uuid[UUID_TEXT_SIZE];

    memset(write, 0, sizeof *write);
    text_now(write->now);
    text_cut_line(write->who, sizeof write->who, writer->who ? writer->who : "unknown");
    write->expected_cursor = writer->expected_cursor;
    if (!writer->change_set && text_uuid(uuid, err) != 0)
        return -1;
    text_cut(write->change_set, sizeof write->change_set,
             writer->change_set ? writer->change_set : uuid);
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
    if (store->access != STORE_WRITE)
        return error_set(err, ERROR_INTERNAL, "the store was opened for reading only");
    if (sqlite_run(store, err, SQL_BEGIN_WRITE, "") != 0)
        return -1;
    if (fill_write(store, writer, sid, write, err) != 0) {
        roll_back(store);
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
    roll_back(store);
    return error_set(err, ERROR_STALE, "the session has changed since it was read");
}

int sqlite_write_end(struct sqlite_store *store, const struct write *write, int rc,
                     struct error *err)
{
    if (rc == 0) {
        reset_all(store);
        rc = sqlite_run(store, err, SQL_SESSION_TOUCH, "iis", write->session, write->version,
                        write->now);
    }
    if (rc == 0)
        rc = sqlite_run(store, err, SQL_COMMIT, "");
    if (rc != 0)
        roll_back(store);
    return rc;
}

int sqlite_log(struct sqlite_store *store, const struct write *write, const char *entity,
               const char *entity_id, const char *op, const struct buf *before,
               const struct buf *after, struct error *err)
{
    if ((before && buf_check(before, "a change", err) != 0) ||
        (after && buf_check(after, "a change", err) != 0))
        return -1;
    return sqlite_run(store, err, SQL_CHANGE_INSERT, "iissssssbb", write->session, write->version,
                      write->change_set, write->now, write->who, entity, entity_id, op, before,
                      after);
}
