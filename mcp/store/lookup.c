/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finding sessions and nodes by their ids, and writing a node's own object.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/store/sqlite_store.h"

#define SHOWN_CAP 160 /* bytes of an unknown id that a message shows */

static int session_unknown(struct sqlite_store *store, const char *sid, struct error *err)
{
    sqlite3_stmt *statement = sqlite_statement(store, SQL_SESSION_DELETED, err);
    char shown[SHOWN_CAP], who[WHO_CAP];
    int row;

    if (!statement || sqlite_bind(store, statement, err, "s", sid) != 0)
        return -1;
    row = sqlite_next(store, statement, err);
    if (row < 0)
        return -1;
    text_cut_line(shown, sizeof shown, sid);
    if (row == 0)
        return error_set(
            err, ERROR_UNAUTHORIZED,
            "there is no session '%s'; to list the sessions, leave out the session id or send GET "
            "/sessions",
            shown);
    error_set(err, ERROR_UNAUTHORIZED,
              "the session '%s' was deleted by %s at %s; GET /sessions lists those there are",
              shown, text_cut_line(who, sizeof who, sqlite_text(statement, 1)),
              sqlite_text(statement, 0));
    sqlite3_reset(statement);
    return -1;
}

int sqlite_session_find(struct sqlite_store *store, const char *sid, struct session_found *found,
                        struct error *err)
{
    sqlite3_stmt *statement = sqlite_statement(store, SQL_SESSION_FIND, err);
    int row;

    if (!statement || sqlite_bind(store, statement, err, "s", sid) != 0)
        return -1;
    row = sqlite_next(store, statement, err);
    if (row <= 0)
        return row < 0 ? -1 : session_unknown(store, sid, err);
    found->key = sqlite3_column_int64(statement, 0);
    found->version = sqlite3_column_int64(statement, 1);
    found->flags = (unsigned)sqlite3_column_int(statement, 2);
    text_cut(found->title, sizeof found->title, sqlite_text(statement, 3));
    text_cut(found->sid, sizeof found->sid, sid);
    sqlite3_reset(statement);
    return 0;
}

int sqlite_node_find(struct sqlite_store *store, int64_t session, const char *node_id,
                     struct node_found *found, struct error *err)
{
    sqlite3_stmt *statement = sqlite_statement(store, SQL_NODE_FIND, err);
    int row;

    if (!statement || sqlite_bind(store, statement, err, "is", session, node_id) != 0)
        return -1;
    row = sqlite_next(store, statement, err);
    if (row < 0)
        return -1;
    if (row == 0)
        return sqlite_node_unknown(store, session, node_id, err);
    found->key = sqlite3_column_int64(statement, 0);
    found->cursor = sqlite3_column_int64(statement, 1);
    found->revision = sqlite3_column_int64(statement, 2);
    found->place = sqlite3_column_int64(statement, 3);
    text_cut(found->title, sizeof found->title, sqlite_text(statement, 4));
    sqlite3_reset(statement);
    return 0;
}

sqlite3_stmt *sqlite_node_row(struct sqlite_store *store, int64_t node, struct error *err)
{
    sqlite3_stmt *statement = sqlite_statement(store, SQL_NODE_BY_KEY, err);
    int row;

    if (!statement || sqlite_bind(store, statement, err, "i", node) != 0)
        return NULL;
    row = sqlite_next(store, statement, err);
    if (row == 0)
        error_set(err, ERROR_INTERNAL, "a node vanished within its own transaction");
    return row > 0 ? statement : NULL;
}

json_t *sqlite_node_load(struct sqlite_store *store, int64_t node, unsigned *flags, int64_t *place,
                         struct error *err)
{
    sqlite3_stmt *statement = sqlite_node_row(store, node, err);
    json_t *object;
    struct kept kept;

    if (!statement)
        return NULL;
    kept = sqlite_kept(statement, 0);
    *flags = kept.flags;
    *place = sqlite3_column_int64(statement, 3);
    object = json_read(kept.body, kept.len, "a kept node", err);
    sqlite3_reset(statement);
    return object;
}

int sqlite_node_text(struct sqlite_store *store, int64_t node, struct buf *to, struct error *err)
{
    sqlite3_stmt *statement = sqlite_node_row(store, node, err);
    const char *created_at;
    struct kept kept;

    if (!statement)
        return -1;
    kept = sqlite_kept(statement, 0);
    created_at = sqlite_text(statement, 5);
    buf_init(to, 0);
    buf_addf(to, "{\"key\":%" PRId64 ",\"place\":%" PRId64 ",\"revision\":%" PRId64, node,
             (int64_t)sqlite3_column_int64(statement, 3),
             (int64_t)sqlite3_column_int64(statement, 4));
    buf_addf(to, ",\"flags\":%u", kept.flags & (NODE_COMPONENTS | NODE_TIMES));
    if (created_at) {
        buf_adds(to, ",\"created_at\":");
        json_write_string(to, created_at, strlen(created_at));
    }
    buf_adds(to, ",\"node\":");
    buf_add(to, kept.body, kept.len);
    buf_addc(to, '}');
    sqlite3_reset(statement);
    return 0;
}

int sqlite_node_save(struct sqlite_store *store, const struct write *write, int64_t node,
                     json_t *after, unsigned flags, struct error *err)
{
    struct buf body BUF_AUTO = {0}, old BUF_AUTO = {0}, new BUF_AUTO = {0};
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
    if (sqlite_node_text(store, node, &old, err) != 0 ||
        sqlite_run(store, err, SQL_NODE_UPDATE, row.chapter_number ? "ittobiis" : "itttbiis", node,
                   &row.node_id, &row.title,
                   row.chapter_number ? (const void *)&chapter : (const void *)&row.grouping, &body,
                   (int64_t)row.flags, write->version, write->now) != 0 ||
        sqlite_node_text(store, node, &new, err) != 0)
        return -1;
    return sqlite_log(store, write, "node", node_id, node_id, "update", &old, &new, err);
}

/* The rare node that holds keys which a write to its components changes. */
static int rewrite_node(struct sqlite_store *store, const struct write *write, int64_t node,
                        struct error *err)
{
    unsigned flags;
    int64_t place;
    json_auto_t *before = sqlite_node_load(store, node, &flags, &place, err);
    json_auto_t *after = NULL;

    if (!before)
        return -1;
    after = json_copy(before);
    if (!after)
        return error_set(err, ERROR_MEMORY, "out of memory for a node");
    json_object_del(after, "components");
    return sqlite_node_save(store, write, node, after, flags | NODE_COMPONENTS, err);
}

/* A node of a file that gave it no list of components has one from now on, in the export too. */
static int log_first_components(struct sqlite_store *store, const struct write *write, int64_t node,
                                struct error *err)
{
    json_auto_t *object = NULL;
    struct buf before BUF_AUTO = {0};
    const char *node_id;
    unsigned flags;
    int64_t place;

    object = sqlite_node_load(store, node, &flags, &place, err);
    if (!object || sqlite_node_text(store, node, &before, err) != 0)
        return -1;
    node_id = json_get_string(object, "node_id");
    return sqlite_log(store, write, "node", node_id, node_id, "touch", &before, NULL, err);
}

int sqlite_node_touch(struct sqlite_store *store, const struct write *write, int64_t node,
                      struct error *err)
{
    sqlite3_stmt *statement = sqlite_node_row(store, node, err);
    unsigned flags;

    if (!statement)
        return -1;
    flags = sqlite_kept(statement, 0).flags;
    sqlite3_reset(statement);
    if (flags & (NODE_LAST_MODIFIED | NODE_COMPONENTS_ODD))
        return rewrite_node(store, write, node, err);
    if (!(flags & NODE_COMPONENTS) && log_first_components(store, write, node, err) != 0)
        return -1;
    return sqlite_run(store, err, SQL_NODE_TOUCH, "iisi", node, write->version, write->now,
                      (int64_t)NODE_COMPONENTS);
}
