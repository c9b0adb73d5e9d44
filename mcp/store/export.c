/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A session as a curriculum file: the kept texts, joined again as they came, in one snapshot.
 */
#include <string.h>

#include "mcp/store/store_import.h"
#include "mcp/store/store_internal.h"

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
        if (add(store, rows, text, err) != 0)
            return -1;
    }
    buf_adds(text, "\n]");
    return row;
}

static int export(struct store *store, const char *sid, struct buf *text, struct error *err)
{
    struct rows *rows;
    struct session_found session;
    struct row_text further;

    if (store_session_find(store, sid, &session, err) != 0)
        return -1;
    rows = db_query(store->db, err, SQL_SESSION_FIND, "s", sid);
    if (rows_next(rows, err) <= 0)
        return -1;
    further = rows_string(rows, 4);
    buf_add(text, further.text, further.len - 1);
    buf_adds(text, further.len > 2 ? ",\n" : "");
    rows_end(rows);
    if (add_list(store, session.key, SQL_NODE_LIST, "nodes", add_node, text, err) != 0)
        return -1;
    if (session.flags & SESSION_RELATIONSHIPS) {
        buf_adds(text, ",\n");
        if (add_list(store, session.key, SQL_RELATIONSHIP_LIST, "relationships", add_relationship,
                     text, err) != 0)
            return -1;
    }
    buf_adds(text, "}\n");
    return buf_check(text, "the export", err);
}

int store_export(struct store *store, const char *sid, struct buf *text, struct error *err)
{
    if (store_refresh(store, UPSTREAM_ALL, sid, NULL, err) != 0)
        return -1;
    if (store_read_begin(store, err) != 0)
        return -1;
    return store_read_end(store, export(store, sid, text, err));
}
