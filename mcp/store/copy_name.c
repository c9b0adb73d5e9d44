/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which sessions the service has, and what is remembered about its things.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/curriculum_title.h"
#include "mcp/store/copy.h"
#include "mcp/store/store_internal.h"

unsigned copy_depth(const struct store *store)
{
    return ((const struct store *)store)->depth;
}

uint64_t copy_transaction(const struct store *store)
{
    return ((const struct store *)store)->transactions;
}

uint64_t copy_taken_back(const struct store *store)
{
    return ((const struct store *)store)->taken_back;
}

int copy_version(struct store *store, const char *sid, int64_t *version, struct error *err)
{
    struct rows *rows;
    int row;

    *version = -1;
    rows = db_query(store->db, err, SQL_SESSION_FIND, "s", sid);
    row = rows_next(rows, err);
    if (row > 0)
        *version = rows_int(rows, 1);
    rows_end(rows);
    return row < 0 ? -1 : 0;
}

int copy_session(struct store *store, const char *sid, const char *title, struct error *err)
{
    struct buf further BUF_AUTO = {0};
    char now[TIME_TEXT_SIZE];
    int64_t version;

    if (copy_version(store, sid, &version, err) != 0)
        return -1;
    if (version >= 0)
        return title && *title ? db_run(store->db, err, SQL_COPY_SESSION_TITLE, "ss", sid, title)
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
    return db_run(store->db, err, SQL_SESSION_INSERT, "ssibs", sid,
                  title && *title ? title : CURRICULUM_UNTITLED, (int64_t)SESSION_RELATIONSHIPS,
                  &further, now);
}

int copy_session_gone(struct store *store, const char *sid, bool gone, struct error *err)
{
    return db_run(store->db, err, SQL_COPY_SESSION_GONE, "si", sid,
                  (int64_t)(gone ? SESSION_GONE : 0));
}

json_t *copy_sessions(struct store *store, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_COPY_SESSIONS, "");
    json_t *sessions = json_object();
    int row;

    while ((row = rows_next(rows, err)) > 0)
        json_object_set_new(sessions, rows_text(rows, 0),
                            json_pack("{s:I, s:I, s:b}", "nodes", (json_int_t)rows_int(rows, 1),
                                      "relationships", (json_int_t)rows_int(rows, 2), "gone",
                                      rows_int(rows, 3) != 0));
    if (row == 0)
        return sessions;
    json_decref(sessions);
    return NULL;
}

int copy_name(struct store *store, const char *sid, const char *kind, const char *ours,
              struct buf *theirs, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_COPY_NAME, "sss", sid, kind, ours);
    int row;

    row = rows_next(rows, err);
    if (row > 0 && theirs)
        buf_adds(theirs, rows_text(rows, 0));
    rows_end(rows);
    return row;
}

int copy_set_name(struct store *store, const char *sid, const char *kind, const char *ours,
                  const char *theirs, struct error *err)
{
    if (!theirs)
        return db_run(store->db, err, SQL_COPY_NAME_DROP, "sss", sid, kind, ours);
    return db_run(store->db, err, SQL_COPY_NAME_SET, "ssss", sid, kind, ours, theirs);
}

int copy_log_fill(struct store *store, const struct copy_source *source, size_t nodes,
                  struct error *err)
{
    const struct writer writer = {.who = COPY_WHO, .change_set = source->change_set};
    struct buf log BUF_AUTO = {0};
    struct write write;

    buf_init(&log, 0);
    buf_addf(&log, "{\"nodes\":%zu}", nodes);
    if (store_write_begin(store, &writer, source->sid, &write, err) != 0)
        return -1;
    return store_write_end(
        store, &write,
        store_log(store, &write, "session", source->sid, NULL, "import", NULL, &log, err), err);
}

int copy_log_session(struct store *store, const struct writer *writer, const char *sid,
                     struct error *err)
{
    struct write write;

    if (store_write_begin(store, writer, sid, &write, err) != 0)
        return -1;
    return store_write_end(
        store, &write, store_log(store, &write, "session", sid, NULL, "create", NULL, NULL, err),
        err);
}
