/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which sessions the service has, and what is remembered about its things.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/curriculum_title.h"
#include "mcp/store/copy.h"
#include "mcp/store/sqlite_store.h"

unsigned copy_depth(const struct store *store)
{
    return ((const struct sqlite_store *)store)->depth;
}

uint64_t copy_transaction(const struct store *store)
{
    return ((const struct sqlite_store *)store)->transaction;
}

uint64_t copy_taken_back(const struct store *store)
{
    return ((const struct sqlite_store *)store)->taken_back;
}

int copy_version(struct store *base, const char *sid, int64_t *version, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    sqlite3_stmt *statement = sqlite_statement(store, SQL_SESSION_FIND, err);
    int row;

    *version = -1;
    if (!statement || sqlite_bind(store, statement, err, "s", sid) != 0)
        return -1;
    row = sqlite_next(store, statement, err);
    if (row > 0)
        *version = sqlite3_column_int64(statement, 1);
    sqlite3_reset(statement);
    return row < 0 ? -1 : 0;
}

int copy_session(struct store *base, const char *sid, const char *title, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    struct buf further BUF_AUTO = {0};
    char now[TIME_TEXT_SIZE];
    int64_t version;

    if (copy_version(base, sid, &version, err) != 0)
        return -1;
    if (version >= 0)
        return title && *title ? sqlite_run(store, err, SQL_COPY_SESSION_TITLE, "ss", sid, title)
                               : 0;
    buf_init(&further, 0);
    buf_adds(&further, "{");
    if (title && *title) {
        buf_adds(&further, "\"meta\":{\"title\":");
        json_write_string(&further, title, strlen(title));
        buf_adds(&further, "}");
    }
    buf_adds(&further, "}");
    text_now(now);
    return sqlite_run(store, err, SQL_SESSION_INSERT, "ssibs", sid,
                      title && *title ? title : CURRICULUM_UNTITLED, (int64_t)SESSION_RELATIONSHIPS,
                      &further, now);
}

int copy_session_gone(struct store *base, const char *sid, bool gone, struct error *err)
{
    return sqlite_run(sqlite_of(base), err, SQL_COPY_SESSION_GONE, "si", sid,
                      (int64_t)(gone ? SESSION_GONE : 0));
}

json_t *copy_sessions(struct store *base, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    sqlite3_stmt *statement = sqlite_statement(store, SQL_COPY_SESSIONS, err);
    json_t *sessions = json_object();
    int row = -1;

    while (statement && (row = sqlite_next(store, statement, err)) > 0)
        json_object_set_new(
            sessions, sqlite_text(statement, 0),
            json_pack("{s:I, s:I, s:b}", "nodes", (json_int_t)sqlite3_column_int64(statement, 1),
                      "relationships", (json_int_t)sqlite3_column_int64(statement, 2), "gone",
                      sqlite3_column_int(statement, 3) != 0));
    if (row == 0)
        return sessions;
    json_decref(sessions);
    return NULL;
}

int copy_name(struct store *base, const char *sid, const char *kind, const char *ours,
              struct buf *theirs, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    sqlite3_stmt *statement = sqlite_statement(store, SQL_COPY_NAME, err);
    int row;

    if (!statement || sqlite_bind(store, statement, err, "sss", sid, kind, ours) != 0)
        return -1;
    row = sqlite_next(store, statement, err);
    if (row > 0 && theirs)
        buf_adds(theirs, sqlite_text(statement, 0));
    sqlite3_reset(statement);
    return row;
}

int copy_set_name(struct store *base, const char *sid, const char *kind, const char *ours,
                  const char *theirs, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);

    if (!theirs)
        return sqlite_run(store, err, SQL_COPY_NAME_DROP, "sss", sid, kind, ours);
    return sqlite_run(store, err, SQL_COPY_NAME_SET, "ssss", sid, kind, ours, theirs);
}

int copy_log_fill(struct store *base, const struct copy_source *source, size_t nodes,
                  struct error *err)
{
    const struct writer writer = {.who = COPY_WHO, .change_set = source->change_set};
    struct sqlite_store *store = sqlite_of(base);
    struct buf log BUF_AUTO = {0};
    struct write write;

    buf_init(&log, 0);
    buf_addf(&log, "{\"nodes\":%zu}", nodes);
    if (sqlite_write_begin(store, &writer, source->sid, &write, err) != 0)
        return -1;
    return sqlite_write_end(
        store, &write,
        sqlite_log(store, &write, "session", source->sid, NULL, "import", NULL, &log, err), err);
}

int copy_log_session(struct store *base, const struct writer *writer, const char *sid,
                     struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    struct write write;

    if (sqlite_write_begin(store, writer, sid, &write, err) != 0)
        return -1;
    return sqlite_write_end(
        store, &write, sqlite_log(store, &write, "session", sid, NULL, "create", NULL, NULL, err),
        err);
}
