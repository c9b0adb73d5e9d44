/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finding sessions and nodes by their ids, and writing a node's own object.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/store/store_internal.h"

#define SHOWN_CAP 160 /* bytes of an unknown id that a message shows */

static int session_unknown(struct store *store, const char *sid, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_SESSION_DELETED, "s", sid);
    char shown[SHOWN_CAP], who[WHO_CAP];
    int row;

    row = rows_next(rows, err);
    if (row < 0)
        return -1;
    text_cut_line(shown, sizeof shown, sid);
    if (row == 0)
        return error_set(
            err, ERROR_UNKNOWN_SESSION,
            "there is no session '%s'; to list the sessions, leave out the session id or send GET "
            "/sessions",
            shown);
    error_set(err, ERROR_UNKNOWN_SESSION,
              "the session '%s' was deleted by %s at %s; GET /sessions lists those there are",
              shown, text_cut_line(who, sizeof who, rows_text(rows, 1)), rows_text(rows, 0));
    rows_end(rows);
    return -1;
}

int store_session_find(struct store *store, const char *sid, struct session_found *found,
                       struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_SESSION_FIND, "s", sid);
    int row;

    row = rows_next(rows, err);
    if (row <= 0)
        return row < 0 ? -1 : session_unknown(store, sid, err);
    found->key = rows_int(rows, 0);
    found->version = rows_int(rows, 1);
    found->flags = (unsigned)rows_int(rows, 2);
    text_cut(found->title, sizeof found->title, rows_text(rows, 3));
    text_cut(found->sid, sizeof found->sid, sid);
    rows_end(rows);
    return 0;
}

int store_node_find(struct store *store, int64_t session, const char *node_id,
                    struct node_found *found, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_NODE_FIND, "is", session, node_id);
    int row;

    row = rows_next(rows, err);
    if (row < 0)
        return -1;
    if (row == 0)
        return store_node_unknown(store, session, node_id, err);
    found->key = rows_int(rows, 0);
    found->cursor = rows_int(rows, 1);
    found->revision = rows_int(rows, 2);
    found->place = rows_int(rows, 3);
    text_cut(found->title, sizeof found->title, rows_text(rows, 4));
    rows_end(rows);
    return 0;
}

struct rows *store_node_row(struct store *store, int64_t node, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_NODE_BY_KEY, "i", node);
    int row;

    row = rows_next(rows, err);
    if (row == 0)
        error_set(err, ERROR_INTERNAL, "a node vanished within its own transaction");
    return row > 0 ? rows : NULL;
}

json_t *store_node_load(struct store *store, int64_t node, unsigned *flags, int64_t *place,
                        struct error *err)
{
    struct rows *rows = store_node_row(store, node, err);
    json_t *object;
    struct kept kept;

    if (!rows)
        return NULL;
    kept = rows_kept(rows, 0);
    *flags = kept.flags;
    *place = rows_int(rows, 3);
    object = json_read(kept.body, kept.len, "a kept node", err);
    rows_end(rows);
    return object;
}

/* Also the row, on which body stands; NULL with err. */
static struct rows *add_around(struct store *store, int64_t node, struct buf *to, struct error *err)
{
    struct rows *rows = store_node_row(store, node, err);
    const char *created_at = rows ? rows_text(rows, 5) : NULL;

    if (!rows)
        return NULL;
    buf_init(to, 0);
    buf_addf(to, "{\"key\":%" PRId64 ",\"place\":%" PRId64 ",\"revision\":%" PRId64, node,
             rows_int(rows, 3), rows_int(rows, 4));
    buf_addf(to, ",\"flags\":%u", (unsigned)rows_int(rows, 1) & (NODE_COMPONENTS | NODE_TIMES));
    if (created_at) {
        buf_adds(to, ",\"created_at\":");
        json_write_string(to, created_at, strlen(created_at));
    }
    return rows;
}

int store_node_around(struct store *store, int64_t node, struct buf *to, struct error *err)
{
    struct rows *rows = add_around(store, node, to, err);

    rows_end(rows);
    return rows ? 0 : -1;
}

int store_node_text(struct store *store, int64_t node, struct buf *to, struct error *err)
{
    struct rows *rows = add_around(store, node, to, err);
    struct kept kept;

    if (!rows)
        return -1;
    kept = rows_kept(rows, 0);
    buf_adds(to, ",\"node\":");
    buf_add(to, kept.body, kept.len);
    buf_addc(to, '}');
    rows_end(rows);
    return 0;
}

int store_node_save(struct store *store, const struct write *write, int64_t node,
                    const json_t *before, json_t *after, unsigned flags, struct error *err)
{
    struct buf body BUF_AUTO = {0}, around BUF_AUTO = {0};
    struct row_order chapter = {ORDER_UNKNOWN, 0, 0};
    const char *node_id;
    struct node_row row;

    buf_init(&body, 0);
    if (json_object_get(after,
                        "last_modified")) { /* the column has it from now on, also in the export */
        json_object_del(after, "last_modified");
        flags |= NODE_TIMES;
    }
    node_row(after, &body, &row);
    if (buf_check(&body, "a node", err) != 0)
        return -1;
    row.flags |= flags & (NODE_COMPONENTS | NODE_TIMES);
    node_id = json_get_string(after, "node_id");
    if (row.chapter_number)
        chapter = (struct row_order){ORDER_INTEGER, row.chapter, 0};
    if (store_node_around(store, node, &around, err) != 0 ||
        db_run(store->db, err, SQL_NODE_UPDATE, row.chapter_number ? "ittobiis" : "itttbiis", node,
               &row.node_id, &row.title,
               row.chapter_number ? (const void *)&chapter : (const void *)&row.grouping, &body,
               (int64_t)row.flags, write->version, write->now) != 0)
        return -1;
    return store_log_update(store, write, "node", node_id, node_id, &around, before, after, err);
}

/* The rare node that holds keys which a write to its components changes. */
static int rewrite_node(struct store *store, const struct write *write, int64_t node,
                        struct error *err)
{
    unsigned flags;
    int64_t place;
    json_auto_t *before = store_node_load(store, node, &flags, &place, err);
    json_auto_t *after = NULL;

    if (!before)
        return -1;
    after = json_copy(before);
    if (!after)
        return error_set(err, ERROR_MEMORY, "out of memory for a node");
    json_object_del(after, "components");
    return store_node_save(store, write, node, before, after, flags | NODE_COMPONENTS, err);
}

/* A node of a file that gave it no list of components has one from now on, in the export too. */
static int log_first_components(struct store *store, const struct write *write, int64_t node,
                                struct error *err)
{
    json_auto_t *object = NULL;
    struct buf before BUF_AUTO = {0};
    const char *node_id;
    unsigned flags;
    int64_t place;

    object = store_node_load(store, node, &flags, &place, err);
    if (!object || store_node_text(store, node, &before, err) != 0)
        return -1;
    node_id = json_get_string(object, "node_id");
    return store_log(store, write, "node", node_id, node_id, "touch", &before, NULL, err);
}

int store_node_touch(struct store *store, const struct write *write, int64_t node,
                     struct error *err)
{
    struct rows *rows = store_node_row(store, node, err);
    unsigned flags;

    if (!rows)
        return -1;
    flags = rows_kept(rows, 0).flags;
    rows_end(rows);
    if (flags & (NODE_LAST_MODIFIED | NODE_COMPONENTS_ODD))
        return rewrite_node(store, write, node, err);
    if (!(flags & NODE_COMPONENTS) && log_first_components(store, write, node, err) != 0)
        return -1;
    return db_run(store->db, err, SQL_NODE_TOUCH, "iisi", node, write->version, write->now,
                  (int64_t)NODE_COMPONENTS);
}
