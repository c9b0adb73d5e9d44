/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A session as a whole: its own fields, renaming and deleting it.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/curriculum_title.h"
#include "mcp/session/entity.h"
#include "mcp/store/store_internal.h"

int store_session_save(struct store *store, const struct write *write,
                       const struct session_fields *before, const struct session_fields *after,
                       struct error *err)
{
    struct buf body BUF_AUTO = {0}, around BUF_AUTO = {0};

    json_write(&body, after->further);
    buf_addf(&around, "{\"flags\":%u", before->flags);
    if (before->title) {
        buf_adds(&around, ",\"title\":");
        json_write_string(&around, before->title, strlen(before->title));
    }
    if (buf_check(&body, "the session's fields", err) != 0 ||
        db_run(store->db, err, SQL_SESSION_SET_FURTHER, "ibis", write->session, &body,
               (int64_t)after->flags, after->title) != 0)
        return -1;
    return store_log_update(store, write, "session", write->sid, NULL, &around, before->further,
                            after->further, err);
}

/* ---- renaming ---- */

struct renaming {
    struct session_fields before, after;
    json_t *old, *new; /* owned */
    char *title;       /* owned: as it was */
};

static void finish_renaming(struct renaming *work)
{
    json_decref(work->old);
    json_decref(work->new);
    free(work->title);
}

static int read_fields(struct store *store, const struct write *write, const char *title,
                       struct renaming *work, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_SESSION_BY_KEY, "i", write->session);
    struct row_text text;

    if (rows_next(rows, err) <= 0)
        return -1;
    work->before.flags = work->after.flags = (unsigned)rows_int(rows, 0);
    text = rows_string(rows, 1);
    work->old = json_read(text.text, text.len, "a kept session", err);
    work->new = json_deep_copy(work->old);
    work->title = strdup(rows_text(rows, 2));
    rows_end(rows);
    if (!work->old)
        return -1;
    if (!work->new || !work->title)
        return error_set(err, ERROR_MEMORY, "out of memory for a session");
    if (curriculum_set_title(work->new, title, err) != 0)
        return -1;
    work->before.further = work->old;
    work->before.title = work->title;
    work->after.further = work->new;
    work->after.title = title;
    return 0;
}

int store_session_rename(struct store *store, const struct writer *writer, const char *sid,
                         const char *title, struct error *err)
{
    struct renaming work = {0};
    struct write write;
    int rc;

    if (store_refresh(store, UPSTREAM_SESSION, sid, NULL, err) != 0)
        return -1;
    if (store_write_begin_session(store, writer, sid, &write, err) != 0)
        return -1;
    rc = read_fields(store, &write, title, &work, err);
    if (rc == 0 && !strcmp(work.title, title) && json_equal(work.old, work.new))
        rc = store_end(store, false, err); /* it has this title: nothing is written */
    else if (rc == 0)
        rc = store_write_end(
            store, &write, store_session_save(store, &write, &work.before, &work.after, err), err);
    else
        store_end(store, false, NULL);
    finish_renaming(&work);
    return rc;
}

/* ---- deleting ---- */

static int delete_session(struct store *store, const struct write *write, struct error *err)
{
    dirty_set_add(store->dirty, write, STORE_SESSION, NULL);
    if (db_run(store->db, err, SQL_SESSION_BURY, "siss", write->sid, write->version, write->now,
               write->who) != 0)
        return -1;
    return db_run(store->db, err, SQL_SESSION_DELETE, "i", write->session);
}

int store_session_delete(struct store *store, const struct writer *writer, const char *sid,
                         struct error *err)
{
    struct write write;

    if (store_refresh(store, UPSTREAM_SESSION, sid, NULL, err) != 0 ||
        (store->upstream && store->upstream->remove(store->upstream, store, sid, err) != 0))
        return -1;
    if (store_write_begin_session(store, writer, sid, &write, err) != 0)
        return -1;
    return store_write_end(store, &write, delete_session(store, &write, err), err);
}
