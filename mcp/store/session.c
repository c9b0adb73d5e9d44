/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A session as a whole: creating, renaming and deleting it, and its own fields.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/entity.h"
#include "mcp/store/store_internal.h"

/* ---- creating ---- */

static int insert_first_nodes(struct store *store, const struct write *write, struct error *err)
{
    static const char *const first[][2] = {{"N001", "First node"}, {"N002", "Second node"}};

    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        json_auto_t *node = json_pack("{s:s, s:s, s:s, s:n}", "node_id", first[i][0], "title",
                                      first[i][1], "raw_content", "", "chapter_id");

        if (!node)
            return error_set(err, ERROR_MEMORY, "out of memory for a node");
        if (store_node_append(store, write, node, err) != 0)
            return -1;
    }
    return 0;
}

int store_session_create(struct store *store, const struct writer *writer, const char *title,
                         char sid[SESSION_ID_SIZE], struct error *err)
{
    struct buf BUF_AUTO log = {0};
    json_auto_t *further = NULL;
    char uuid[UUID_TEXT_SIZE];
    struct write write;
    int rc = -1;

    if (store->upstream)
        return store->upstream->create(store->upstream, store, writer, title, sid, err);
    buf_init(&log, 0);
    if (title && strlen(title) > TITLE_MAX)
        return error_set_at(err, "title", "title: is longer than %d bytes", TITLE_MAX);
    further = title && *title ? json_pack("{s:{s:s}}", "meta", "title", title) : json_object();
    if (!further)
        return error_set_at(err, "title", "title: is not UTF-8 text");
    if (text_uuid(uuid, err) < 0 || store_write_begin(store, writer, NULL, &write, err) < 0)
        return -1;
    json_write(&log, further);
    write.version = 1;
    if (db_insert(store->db, &write.session, err, SQL_SESSION_INSERT, "ssibs", uuid,
                  title && *title ? title : CURRICULUM_UNTITLED, (int64_t)SESSION_RELATIONSHIPS,
                  &log, write.now) == 0) {
        memcpy(write.sid, uuid, sizeof uuid);
        rc = store_log(store, &write, "session", uuid, NULL, "create", NULL, &log, err);
    }
    if (rc == 0)
        rc = insert_first_nodes(store, &write, err);
    rc = store_write_end(store, &write, rc, err);
    if (rc == 0)
        memcpy(sid, uuid, sizeof uuid);
    return rc;
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

    if (store_write_begin_session(store, writer, UPSTREAM_SESSION, sid, NULL, &write, err) < 0)
        return -1;
    rc = read_fields(store, &write, title, &work, err);
    if (rc == 0 && strcmp(work.title, title) == 0 && json_equal(work.old, work.new))
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
    /* No refresh: the service no longer has it. */
    if (store_write_begin_session(store, writer, 0, sid, NULL, &write, err) < 0)
        return -1;
    return store_write_end(store, &write, delete_session(store, &write, err), err);
}
