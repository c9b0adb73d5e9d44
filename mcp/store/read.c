/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lists of sessions, nodes and relationships, and the small look-ups. Rows go from the database
 * into the answer's text.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/entity.h"
#include "mcp/store/copy.h"
#include "mcp/store/store_internal.h"

#define CHOICES_CAP 12 /* sessions that a message lists */

static void add_text(struct buf *json, struct rows *rows, int column)
{
    struct row_text text = rows_string(rows, column);

    if (text.text)
        json_write_string(json, text.text, text.len);
    else
        buf_adds(json, "null");
}

int store_read_sessions(struct store *store, struct buf *json, struct error *err)
{
    struct rows *rows;
    size_t total = 0;
    int row;

    if (store_refresh(store, UPSTREAM_SESSIONS, NULL, NULL, err) != 0)
        return -1;
    rows = db_query(store->db, err, SQL_SESSION_LIST, "");
    buf_adds(json, "{\"sessions\":[");
    while ((row = rows_next(rows, err)) > 0) {
        buf_adds(json, total++ > 0 ? ",{\"session_id\":" : "{\"session_id\":");
        add_text(json, rows, 0);
        buf_adds(json, ",\"title\":");
        add_text(json, rows, 1);
        buf_addf(json, ",\"nodes\":%" PRId64 ",\"relationships\":%" PRId64 ",\"last_modified\":",
                 rows_int(rows, 3), rows_int(rows, 4));
        add_text(json, rows, 2);
        buf_addc(json, '}');
    }
    buf_addf(json, "],\"total\":%zu}", total);
    return row < 0 ? -1 : buf_check(json, "the list of sessions", err);
}

typedef int view_fn(struct buf *json, const struct kept *kept, struct rows *rows, const char *sid,
                    struct error *err);

static int view_node(struct buf *json, const struct kept *kept, struct rows *rows, const char *sid,
                     struct error *err)
{
    return node_view(json, kept, sid, rows_text(rows, 2), rows_text(rows, 3), err);
}

static int view_relationship(struct buf *json, const struct kept *kept, struct rows *rows,
                             const char *sid, struct error *err)
{
    return relationship_view(json, kept, sid, rows_int(rows, 2), err);
}

/* {"session_id", NAME: [...], "total"} of a statement whose first columns are body and flags. */
static int read_list(struct store *store, const char *sid, enum statement id, const char *name,
                     view_fn *view, struct buf *json, struct error *err)
{
    struct session_found session;
    struct rows *rows;
    size_t total = 0;
    int row = -1;

    if (store_read_begin(store, err) != 0)
        return -1;
    if (store_session_find(store, sid, &session, err) != 0)
        return store_read_end(store, -1);
    rows = db_query(store->db, err, id, "i", session.key);
    if (!rows)
        return store_read_end(store, -1);
    buf_addf(json, "{\"session_id\":\"%s\",\"%s\":[", session.sid, name);
    while ((row = rows_next(rows, err)) > 0) {
        struct kept kept = rows_kept(rows, 0);

        if (kept.flags & ROW_RAW)
            continue;
        if (total++ > 0)
            buf_addc(json, ',');
        if (view(json, &kept, rows, session.sid, err) != 0) {
            row = -1;
            break;
        }
    }
    buf_addf(json, "],\"total\":%zu}", total);
    return store_read_end(store, row < 0 ? -1 : buf_check(json, "the list", err));
}

int store_read_nodes(struct store *store, const char *sid, struct buf *json, struct error *err)
{
    if (store_refresh(store, UPSTREAM_NODES, sid, NULL, err) != 0)
        return -1;
    return read_list(store, sid, SQL_NODE_LIST, "nodes", view_node, json, err);
}

int store_read_relationships(struct store *store, const char *sid, struct buf *json,
                             struct error *err)
{
    if (store_refresh(store, UPSTREAM_RELATIONSHIPS, sid, NULL, err) != 0)
        return -1;
    return read_list(store, sid, SQL_RELATIONSHIP_LIST, "relationships", view_relationship, json,
                     err);
}

static int find_both(struct store *store, const char *sid, const char *node_id,
                     struct session_found *session, struct node_found *node, struct error *err)
{
    if (store_session_find(store, sid, session, err) != 0)
        return -1;
    return store_node_find(store, session->key, node_id, node, err);
}

static int read_texts(struct store *store, const char *sid, const char *node_id, struct buf *json,
                      struct error *err)
{
    struct session_found session;
    struct node_found node;
    json_auto_t *object = NULL;
    unsigned flags;
    int64_t place;

    if (find_both(store, sid, node_id, &session, &node, err) != 0)
        return -1;
    object = store_node_load(store, node.key, &flags, &place, err);
    if (!object)
        return -1;
    buf_adds(json, "{\"node_id\":");
    json_write_string(json, node_id, strlen(node_id));
    for (size_t i = 0; entity_categories[i]; i++) {
        const json_t *text = json_object_get(object, entity_categories[i]);

        buf_addf(json, ",\"%s\":", entity_categories[i]);
        if (json_is_string(text))
            json_write(json, text);
        else
            buf_adds(json, "\"\"");
    }
    buf_addc(json, '}');
    return buf_check(json, "the node's texts", err);
}

int store_read_node_texts(struct store *store, const char *sid, const char *node_id,
                          struct buf *json, struct error *err)
{
    if (store_refresh(store, UPSTREAM_TEXTS, sid, node_id, err) != 0)
        return -1;
    if (store_read_begin(store, err) != 0)
        return -1;
    return store_read_end(store, read_texts(store, sid, node_id, json, err));
}

int store_session(struct store *store, const char *sid, char *title, size_t size, int64_t *version,
                  struct error *err)
{
    struct session_found session;

    if (store_refresh(store, version ? UPSTREAM_RELATIONSHIPS | UPSTREAM_COUNTS : UPSTREAM_SESSION,
                      sid, NULL, err) != 0)
        return -1;
    if (store_session_find(store, sid, &session, err) != 0)
        return -1;
    if (title)
        text_cut(title, size, session.title);
    if (version)
        *version = session.version;
    return 0;
}

int store_cursor(struct store *store, const char *sid, const char *node_id, int64_t *version,
                 struct error *err)
{
    struct session_found session;
    struct node_found node;
    struct rows *rows;
    int row;

    if (store_refresh(store,
                      !sid      ? UPSTREAM_SESSIONS
                      : node_id ? UPSTREAM_NODE | UPSTREAM_TEXTS | UPSTREAM_PASS_OVER
                                : UPSTREAM_RELATIONSHIPS | UPSTREAM_POSITIONS,
                      sid, node_id, err) != 0)
        return -1;
    if (!sid) {
        rows = db_query(store->db, err, SQL_SESSION_SUM, "");
        if (rows_next(rows, err) <= 0)
            return -1;
        *version = rows_int(rows, 0);
        rows_end(rows);
        return 0;
    }
    if (!node_id) {
        if (store_session_find(store, sid, &session, err) != 0)
            return -1;
        *version = session.version;
        return 0;
    }
    rows = db_query(store->db, err, SQL_NODE_CURSOR, "ss", sid, node_id);
    row = rows_next(rows, err);
    if (row > 0)
        *version = rows_int(rows, 0);
    rows_end(rows);
    if (row == 0) /* says what is not there */
        return find_both(store, sid, node_id, &session, &node, err);
    return row < 0 ? -1 : 0;
}

int store_node_title(struct store *store, const char *sid, const char *node_id, char *title,
                     size_t size, struct error *err)
{
    struct session_found session;
    struct node_found node;

    if (store_refresh(store, UPSTREAM_NODES, sid, NULL, err) != 0)
        return -1;
    if (find_both(store, sid, node_id, &session, &node, err) != 0)
        return -1;
    text_cut(title, size, node.title);
    return 0;
}

/* ---- which session is meant ---- */

/* "'Title' (id), 'Title' (id)" of rows whose columns are id and title; the first id in sid. */
static int list_choices(struct rows *rows, char sid[SESSION_ID_SIZE], struct buf *choices,
                        size_t *count, struct error *err)
{
    int row;

    *count = 0;
    while ((row = rows_next(rows, err)) > 0) {
        char title[80];

        if ((*count)++ == 0)
            text_cut(sid, SESSION_ID_SIZE, rows_text(rows, 0));
        if (*count <= CHOICES_CAP)
            buf_addf(choices, "%s'%s' (%s)", *count > 1 ? ", " : "",
                     text_cut_line(title, sizeof title, rows_text(rows, 1)), rows_text(rows, 0));
    }
    if (*count > CHOICES_CAP)
        buf_addf(choices, " and %zu more", *count - CHOICES_CAP);
    return row;
}

int store_only_session(struct store *store, char sid[SESSION_ID_SIZE], struct error *err)
{
    struct rows *rows;
    char first[SESSION_ID_SIZE] = "";
    struct buf choices BUF_AUTO = {0};
    size_t count;

    if (store_refresh(store, UPSTREAM_SESSIONS, NULL, NULL, err) != 0)
        return -1;
    rows = db_query(store->db, err, SQL_SESSION_LIST, "");
    buf_init(&choices, 0);
    if (list_choices(rows, first, &choices, &count, err) != 0)
        return -1;
    if (count == 0)
        return error_set_at(err, "session_id",
                            "the store holds no session yet: import one with lectern import FILE");
    if (count > 1)
        return error_set_at(err, "session_id",
                            "say which session is meant (session_id, or --session SID), the store "
                            "holds %zu: %s",
                            count, choices.data);
    memcpy(sid, first, sizeof first);
    return 0;
}

int copy_session_of_node(struct store *store, const char *node_id, char sid[SESSION_ID_SIZE],
                         struct error *err)
{
    struct rows *rows;
    char first[SESSION_ID_SIZE] = "", shown[80];
    struct buf choices BUF_AUTO = {0};
    size_t count;

    buf_init(&choices, 0);
    rows = db_query(store->db, err, SQL_NODE_SESSIONS, "s", node_id);
    if (list_choices(rows, first, &choices, &count, err) != 0)
        return -1;
    text_cut_line(shown, sizeof shown, node_id);
    if (count == 0)
        return error_set(err, ERROR_NOT_FOUND, "there is no node '%s' in any session", shown);
    if (count > 1)
        return error_set(
            err, ERROR_CONFLICT,
            "node '%s' is in several sessions, send the header X-Session-ID or ?session_id= with "
            "one of %s",
            shown, choices.data);
    memcpy(sid, first, sizeof first);
    return 0;
}

int store_session_of_node(struct store *store, const char *node_id, char sid[SESSION_ID_SIZE],
                          struct error *err)
{
    if (store_refresh(store, UPSTREAM_OWNERS, NULL, node_id, err) != 0)
        return -1;
    return copy_session_of_node(store, node_id, sid, err);
}
