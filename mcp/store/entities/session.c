/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A session as a whole: creating, renaming and deleting it, importing it from a curriculum file,
 * and the way back, a session as such a file.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/entity.h"
#include "mcp/store/entities/import.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/store_internal.h"

/* ---- creating ---- */

/* Begins a write to a new session, whose id is uuid; on -1 nothing is open. */
static int begin_new(struct store *store, const struct writer *writer, const char *title,
                     bool relationships, const struct buf *further, struct write *write,
                     struct error *err)
{
    char uuid[UUID_TEXT_SIZE];

    if (text_uuid(uuid, err) < 0 || store_write_begin(store, writer, NULL, write, err) < 0)
        return -1;
    write->version = 1;
    memcpy(write->sid, uuid, sizeof uuid);
    store_bound_new(store, uuid);
    if (db_insert(store->db, &write->session, err, SQL_SESSION_INSERT, "ssibs", uuid, title,
                  (int64_t)(relationships ? SESSION_RELATIONSHIPS : 0), further, write->now) == 0)
        return 0;
    return store_write_end(store, write, -1, err);
}

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
    struct write write;
    int rc;

    if (store->mirror)
        return store->mirror->create(store->mirror, store, writer, title, sid, err);
    buf_init(&log, 0);
    if (title && strlen(title) > TITLE_MAX)
        return error_set_at(err, "title", "title: is longer than %d bytes", TITLE_MAX);
    further = title && *title ? json_pack("{s:{s:s}}", "meta", "title", title) : json_object();
    if (!further)
        return error_set_at(err, "title", "title: is not UTF-8 text");
    json_write(&log, further);
    if (begin_new(store, writer, title && *title ? title : CURRICULUM_UNTITLED, true, &log, &write,
                  err) < 0)
        return -1;
    rc = store_log(store, &write, "session", write.sid, NULL, "create", NULL, &log, err);
    if (rc == 0)
        rc = insert_first_nodes(store, &write, err);
    rc = store_write_end(store, &write, rc, err);
    if (rc == 0)
        memcpy(sid, write.sid, sizeof write.sid);
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

    if (store_write_begin_session(store, writer, MIRROR_SESSION, sid, NULL, &write, err) < 0)
        return -1;
    rc = read_fields(store, &write, title, &work, err);
    if (rc == 0 && !(strcmp(work.title, title) == 0 && json_equal(work.old, work.new)))
        rc = store_session_save(store, &write, &work.before, &work.after, err);
    rc = store_write_end(store, &write, rc, err);
    finish_renaming(&work);
    return rc;
}

/* ---- deleting ---- */

static int delete_session(struct store *store, const struct write *write, struct error *err)
{
    store_note_change(store, write, STORE_SESSION, NULL);
    if (db_run(store->db, err, SQL_SESSION_BURY, "siss", write->sid, write->version, write->now,
               write->who) != 0)
        return -1;
    if (store->mirror) /* its copy is read as a whole, and written by several threads */
        return db_run(store->db, err, SQL_SESSION_DELETE, "i", write->session);
    store->has_dropped = true;
    return db_run(store->db, err, SQL_SESSION_DROP, "i", write->session);
}

int store_session_delete(struct store *store, const struct writer *writer, const char *sid,
                         struct error *err)
{
    struct write write;

    if (store_refresh(store, MIRROR_SESSION, sid, NULL, err) != 0 ||
        (store->mirror && store->mirror->remove(store->mirror, store, sid, err) != 0))
        return -1;
    /* No refresh: the service no longer has it. */
    if (store_write_begin_session(store, writer, 0, sid, NULL, &write, err) < 0)
        return -1;
    return store_write_end(store, &write, delete_session(store, &write, err), err);
}

/* ---- importing: entries go in as they are, in one transaction, and no rule is checked. The change
 * log gets one row for the whole, since all history of the session begins here. ---- */

/* Rolls back a failed import completely. */
static int give_up(struct store *store)
{
    store_import_end(store, false, NULL);
    return -1;
}

int store_import_begin(struct store *store, const struct writer *writer, const char *title,
                       const json_t *further, bool relationships, char sid[SESSION_ID_SIZE],
                       struct error *err)
{
    struct write *write = &store->import.write;
    struct buf BUF_AUTO text = {0};

    if (store->mirror)
        return error_set(err, ERROR_INVALID,
                         "a file cannot be imported into a service: it has no way to take a "
                         "curriculum as it is. Import into a separate store (--store "
                         "sqlite:PATH), or make a session there and send a change set");
    buf_init(&text, 0);
    json_write(&text, further);
    if (buf_check(&text, "the file's top level", err) < 0 ||
        begin_new(store, writer, title, relationships, &text, write, err) < 0)
        return -1;
    write->silent = true; /* one row for everything */
    memcpy(sid, write->sid, sizeof write->sid);
    store->import.active = true;
    store->import.nodes = store->import.components = store->import.relationships = 0;
    store->import.component_place = 0;
    return 0;
}

int store_import_node(struct store *store, json_t *node, struct error *err)
{
    struct node_new new = {.place = store->import.nodes, .revision = 1};

    if (store_row_wanted(store, err) < 0 ||
        store_node_add(store, &store->import.write, &new, node, &store->import.body, err) != 0)
        return give_up(store);
    store->import.node = new.key;
    store->import.nodes++;
    store->import.component_place = 0;
    return 0;
}

int store_import_component(struct store *store, json_t *component, struct error *err)
{
    char uuid[UUID_TEXT_SIZE];
    struct component_row row;

    component_row(component, &store->import.body, &row);
    if (store_row_wanted(store, err) < 0 ||
        buf_check(&store->import.body, "a component", err) < 0 || text_uuid(uuid, err) < 0 ||
        db_run(store->db, err, SQL_COMPONENT_INSERT, "iiositbi", store->import.node,
               store->import.component_place, &row.order, uuid, (int64_t)1, &row.type,
               &store->import.body, (int64_t)row.flags) != 0)
        return give_up(store);
    store->import.component_place++;
    store->import.components++;
    return 0;
}

int store_import_relationship(struct store *store, const json_t *relationship, struct error *err)
{
    int64_t key = 0;

    if (store_row_wanted(store, err) < 0 ||
        store_relationship_add(store, &store->import.write, &key, store->import.relationships, 1,
                               relationship, &store->import.body, err) != 0)
        return give_up(store);
    store->import.relationships++;
    return 0;
}

int store_import_end(struct store *store, bool keep, struct error *err)
{
    struct write *write = &store->import.write;
    struct buf BUF_AUTO log = {0};
    int rc = -1;

    if (!store->import.active)
        return keep ? error_set(err, ERROR_INTERNAL, "no import is under way") : 0;
    store->import.active = false;
    buf_init(&log, 0);
    buf_addf(&log,
             "{\"nodes\":%" PRId64 ",\"components\":%" PRId64 ",\"relationships\":%" PRId64 "}",
             store->import.nodes, store->import.components, store->import.relationships);
    write->silent = false;
    if (keep)
        rc = store_log(store, write, "session", write->sid, NULL, "import", NULL, &log, err);
    rc = store_write_end(store, write, rc, err);
    buf_finish(&store->import.body);
    buf_init(&store->import.body, 0);
    return keep ? rc : 0;
}

/* ---- the export: joins the stored texts unmodified, in one snapshot ---- */

static int add_components(struct store *store, int64_t node, struct buf *text, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_COMPONENT_FILE_LIST, "i", node);
    const char *comma = "";
    int row;

    buf_adds(text, "\"components\":[");
    while ((row = rows_next(rows, err)) > 0) {
        struct kept kept = rows_kept(rows, 0);

        buf_adds(text, comma);
        comma = ",";
        component_export(text, &kept, rows_int(rows, 2));
    }
    buf_addc(text, ']');
    return row;
}

static int add_node(struct store *store, struct rows *rows, struct buf *text, struct error *err)
{
    struct kept kept = rows_kept(rows, 0);
    bool empty;

    if (kept.flags & ROW_RAW) {
        buf_add(text, kept.body, kept.len);
        return 0;
    }
    node_export_begin(text, &kept, rows_text(rows, 2), rows_text(rows, 3), &empty);
    if (kept.flags & ROW_NODE_COMPONENTS) {
        if (!empty)
            buf_addc(text, ',');
        if (add_components(store, rows_int(rows, 4), text, err) != 0)
            return -1;
    }
    buf_addc(text, '}');
    return 0;
}

static int add_relationship(struct store *store, struct rows *rows, struct buf *text,
                            struct error *err)
{
    struct kept kept = rows_kept(rows, 0);

    (void)store;
    (void)err;
    buf_add(text, kept.body, kept.len);
    return 0;
}

/* ",\n\"NAME\":[\n...\n]", an entry a line. */
static int add_list(struct store *store, int64_t session, enum statement id, const char *name,
                    int (*add)(struct store *, struct rows *, struct buf *, struct error *),
                    struct buf *text, struct error *err)
{
    struct rows *rows = db_query(store->db, err, id, "i", session);
    const char *comma = "\n";
    int row;

    buf_addf(text, "\"%s\":[", name);
    while ((row = rows_next(rows, err)) > 0) {
        buf_adds(text, comma);
        comma = ",\n";
        if (add(store, rows, text, err) < 0)
            return -1;
    }
    buf_adds(text, "\n]");
    return row;
}

static int export(struct store *store, const struct session_found *session, struct buf *text,
                  struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_SESSION_BY_KEY, "i", session->key);
    struct row_text further;

    if (rows_next(rows, err) <= 0)
        return -1;
    further = rows_string(rows, 1);
    buf_add(text, further.text, further.len - 1);
    buf_adds(text, further.len > 2 ? ",\n" : "");
    rows_end(rows);
    if (add_list(store, session->key, SQL_NODE_LIST, "nodes", add_node, text, err) != 0)
        return -1;
    if (session->flags & SESSION_RELATIONSHIPS) {
        buf_adds(text, ",\n");
        if (add_list(store, session->key, SQL_RELATIONSHIP_LIST, "relationships", add_relationship,
                     text, err) != 0)
            return -1;
    }
    buf_adds(text, "}\n");
    return buf_check(text, "the export", err);
}

int store_export(struct store *store, const char *sid, struct buf *text, struct error *err)
{
    struct session_found session;

    if (store_read_begin(store, MIRROR_ALL, sid, NULL, &session, err) < 0)
        return -1;
    return store_read_end(store, export(store, &session, text, err));
}
