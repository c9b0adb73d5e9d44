/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tasks of mcp/agent: one row per task and one per entry. Like conversations they are not part of
 * the curriculum, so the session's version and the change log do not change.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/store/store_internal.h"
#include "mcp/store/task.h"

#define TASK_ID_SHOWN 80
#define DAY_SECONDS   (24 * 60 * 60)

/* Appends the columns from `first` on as members, texts or null. */
static void write_texts(struct rows *rows, int first, const char *const *keys, size_t count,
                        struct buf *json)
{
    for (size_t i = 0; i < count; i++) {
        buf_adds(json, keys[i]);
        rows_write_text(rows, first + (int)i, json);
    }
}

/* ---- reading ---- */

int store_tasks_read(struct store *store, const char *sid, size_t most, struct buf *json,
                     struct error *err)
{
    static const char *const keys[] = {
        "\"id\":", ",\"question\":", ",\"status\":", ",\"created\":", ",\"updated\":"};
    struct session_found session;
    const char *comma = "{";
    struct rows *rows;
    int row;

    if (store_refresh(store, MIRROR_UNKNOWN, sid, NULL, err) != 0 ||
        store_session_find(store, sid, &session, err) != 0)
        return -1;
    rows = db_query(store->db, err, SQL_TASK_LIST, "ii", session.key, (int64_t)most);
    buf_adds(json, "{\"session_id\":");
    json_write_string(json, sid, strlen(sid));
    buf_adds(json, ",\"tasks\":[");
    while ((row = rows_next(rows, err)) > 0) {
        buf_adds(json, comma);
        comma = ",{";
        write_texts(rows, 0, keys, sizeof keys / sizeof keys[0], json);
        buf_addf(json, ",\"attempts\":%" PRId64 "}", rows_int(rows, 5));
    }
    buf_adds(json, "]}");
    return row < 0 ? -1 : buf_check(json, "the list of tasks", err);
}

static int not_found(const char *task_id, struct error *err)
{
    char shown[TASK_ID_SHOWN];

    return error_set(err, ERROR_NOT_FOUND,
                     "there is no task '%s'; lectern trace lists the tasks of a session, which are "
                     "kept for %d days",
                     text_cut_line(shown, sizeof shown, task_id), TASKS_KEPT_DAYS);
}

static int read_entries(struct store *store, int64_t task, struct buf *json, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_TASK_ENTRIES, "i", task);
    const char *comma = "";
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        struct row_text body = rows_string(rows, 0);

        buf_adds(json, comma);
        buf_add(json, body.text, body.len);
        comma = ",";
    }
    return row;
}

static int read_task(struct store *store, const char *sid, int64_t session, const char *task_id,
                     struct buf *json, struct error *err)
{
    static const char *const keys[] = {",\"question\":", ",\"status\":"};
    static const char *const times[] = {",\"created\":", ",\"updated\":"};
    struct rows *rows = db_query(store->db, err, SQL_TASK_FIND, "is", session, task_id);
    int row = rows_next(rows, err);
    int64_t key;

    if (row < 0)
        return -1;
    if (row == 0)
        return not_found(task_id, err);
    key = rows_int(rows, 0);
    buf_adds(json, "{\"id\":");
    json_write_string(json, task_id, strlen(task_id));
    buf_adds(json, ",\"session_id\":");
    json_write_string(json, sid, strlen(sid));
    write_texts(rows, 1, keys, 2, json);
    buf_addf(json, ",\"attempts\":%" PRId64, rows_int(rows, 3));
    write_texts(rows, 5, times, 2, json);
    rows_end(rows);
    buf_adds(json, ",\"entries\":[");
    if (read_entries(store, key, json, err) != 0)
        return -1;
    buf_adds(json, "]}");
    return buf_check(json, "the task", err);
}

int store_task_read(struct store *store, const char *sid, const char *task_id, struct buf *json,
                    struct error *err)
{
    struct session_found session;

    if (store_read_begin(store, MIRROR_UNKNOWN, sid, NULL, &session, err) < 0)
        return -1;
    return store_read_end(store, read_task(store, sid, session.key, task_id, json, err));
}

int store_task_session(struct store *store, const char *task_id, char sid[SESSION_ID_SIZE],
                       struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_TASK_SESSION, "s", task_id);
    int row = rows_next(rows, err);

    if (row == 0)
        return not_found(task_id, err);
    if (row < 0)
        return -1;
    snprintf(sid, SESSION_ID_SIZE, "%s", rows_text(rows, 0));
    rows_end(rows);
    return 0;
}

/* ---- writing ---- */

int store_tasks_drop_old(struct store *store, const char *before, int64_t most, struct error *err)
{
    return db_run(store->db, err, SQL_TASK_DROP_OLD, "sii", before, most, (int64_t)TASKS_DROPPED);
}

static int insert_entries(struct store *store, int64_t task, int64_t there, const json_t *entries,
                          struct error *err)
{
    struct buf BUF_AUTO body = {0};
    const json_t *entry;
    size_t i;

    json_array_foreach((json_t *)entries, i, entry)
    {
        buf_clear(&body);
        json_write(&body, entry);
        if (buf_check(&body, "an entry of the task", err) < 0 ||
            db_run(store->db, err, SQL_TASK_ENTRY_INSERT, "iib", task, there + (int64_t)i, &body) !=
                0)
            return -1;
    }
    return 0;
}

static int insert_task(struct store *store, int64_t session, const struct task_row *task,
                       int64_t entries, int64_t *key, struct error *err)
{
    char now[TIME_TEXT_SIZE], before[TIME_TEXT_SIZE];

    text_now(now);
    text_ago((time_t)TASKS_KEPT_DAYS * DAY_SECONDS, before);
    if (store_tasks_drop_old(store, before, TASKS_MAX - 1, err) < 0)
        return -1;
    return db_insert(store->db, key, err, SQL_TASK_INSERT, "isssiis", session, task->task_id,
                     task->question, task->status, (int64_t)task->attempts, entries, now);
}

static int append(struct store *store, const char *sid, const struct task_row *task, int64_t there,
                  const json_t *entries, struct error *err)
{
    int64_t count = there + (int64_t)json_array_size(entries), key = 0, found = 0;
    struct session_found session;
    char now[TIME_TEXT_SIZE];
    struct rows *rows;
    int row;

    if (store_session_find(store, sid, &session, err) != 0)
        return -1;
    rows = db_query(store->db, err, SQL_TASK_FIND, "is", session.key, task->task_id);
    row = rows_next(rows, err);
    if (row < 0)
        return -1;
    if (row > 0) {
        key = rows_int(rows, 0);
        found = rows_int(rows, 4);
        rows_end(rows);
    }
    if (found != there)
        return error_set(err, ERROR_STALE,
                         "the task has %" PRId64 " entries, not %" PRId64 ": another process "
                         "continues it, or it was deleted",
                         found, there);
    text_now(now);
    if (key == 0 ? insert_task(store, session.key, task, count, &key, err) < 0
                 : db_run(store->db, err, SQL_TASK_UPDATE, "isiis", key, task->status,
                          (int64_t)task->attempts, count, now) != 0)
        return -1;
    return insert_entries(store, key, there, entries, err);
}

int store_task_append(struct store *store, const char *sid, const struct task_row *task,
                      size_t there, const json_t *entries, struct error *err)
{
    int rc;

    if (store_refresh(store, MIRROR_UNKNOWN, sid, NULL, err) != 0 || store_begin(store, err) < 0)
        return -1;
    rc = append(store, sid, task, (int64_t)there, entries, err);
    if (store_end(store, rc == 0, rc == 0 ? err : NULL) != 0)
        rc = -1;
    return rc;
}
