/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a transaction changed, and how things stand: what is passed on to the service is reckoned
 * from these.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/store/copy.h"
#include "mcp/store/sqlite_store.h"

static void mark(json_t *touched, const char *sid, const char *set, const char *id)
{
    json_t *session = json_object_get(touched, sid), *ids;

    if (!session) {
        session = json_object();
        json_object_set_new(touched, sid, session);
    }
    ids = json_object_get(session, set);
    if (!ids) {
        ids = json_object();
        json_object_set_new(session, set, ids);
    }
    if (id)
        json_object_set_new(ids, id, json_true());
}

static void mark_row(json_t *touched, sqlite3_stmt *row)
{
    const char *sid = sqlite_text(row, 0), *entity = sqlite_text(row, 1);
    const char *id = sqlite_text(row, 2), *node_id = sqlite_text(row, 3);
    const char *op = sqlite_text(row, 4), *was_of = sqlite_text(row, 5);

    if (!strcmp(entity, "component")) {
        mark(touched, sid, "sequences", node_id);
        mark(touched, sid, "sequences", was_of); /* it may have gone from one node to another */
    } else if (!strcmp(entity, "node")) {
        mark(touched, sid, "nodes", node_id ? node_id : id);
    } else if (!strcmp(entity, "relationship")) {
        mark(touched, sid, "relationships", id);
    } else if (!strcmp(entity, "position")) {
        mark(touched, sid, "positions", node_id ? node_id : id);
    } else {
        mark(touched, sid, op, NULL);
    }
}

json_t *copy_touched(struct store *base, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    sqlite3_stmt *statement = sqlite_statement(store, SQL_COPY_TOUCHED, err);
    json_t *touched = json_object();
    int row = -1;

    if (statement && sqlite_bind(store, statement, err, "i", store->changes_before) == 0)
        while ((row = sqlite_next(store, statement, err)) > 0)
            mark_row(touched, statement);
    if (row == 0)
        return touched;
    json_decref(touched);
    return NULL;
}

/* 1 found, 0 there is none, -1 with err. */
static int find(struct sqlite_store *store, const char *sid, const char *node_id,
                struct node_found *node, struct error *err)
{
    struct session_found session;
    struct error why = {0};

    if (sqlite_session_find(store, sid, &session, &why) == 0 &&
        sqlite_node_find(store, session.key, node_id, node, &why) == 0)
        return 1;
    if (why.kind == ERROR_NOT_FOUND || why.kind == ERROR_UNAUTHORIZED)
        return 0;
    if (err)
        *err = why;
    return -1;
}

json_t *copy_node(struct store *base, const char *sid, const char *node_id, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    struct node_found node;
    unsigned flags;
    int64_t place;
    int found = find(store, sid, node_id, &node, err);

    if (found <= 0)
        return found < 0 ? NULL : json_null();
    return sqlite_node_load(store, node.key, &flags, &place, err);
}

json_t *copy_sequence(struct store *base, const char *sid, const char *node_id, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    struct sequence sequence;
    struct node_found node;
    json_t *list = NULL;
    int found = find(store, sid, node_id, &node, err);

    if (found < 0)
        return NULL;
    list = json_array();
    if (found == 0)
        return list;
    if (sqlite_sequence_read(store, node.key, &sequence, err) != 0) {
        json_decref(list);
        return NULL;
    }
    for (size_t i = 0; i < sequence.count; i++) {
        const struct sequence_item *item = &sequence.items[i];
        json_t *one;

        if (!item->component)
            continue;
        one = json_copy(item->component);
        json_object_set_new(one, "component_id", json_string(item->component_id));
        json_array_append_new(list, one);
    }
    sqlite_sequence_finish(&sequence);
    return list;
}

json_t *copy_relationship(struct store *base, const char *sid, const char *id, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    sqlite3_stmt *statement = sqlite_statement(store, SQL_COPY_RELATIONSHIP, err);
    json_t *body = NULL;
    int row;

    (void)sid; /* the id is of the whole copy */
    if (!statement || sqlite_bind(store, statement, err, "i", (int64_t)strtoll(id, NULL, 10)) != 0)
        return NULL;
    row = sqlite_next(store, statement, err);
    if (row > 0) {
        struct row_text text = sqlite_row_text(statement, 0);

        body = json_read(text.text, text.len, "a kept relationship", err);
    } else if (row == 0) {
        body = json_null();
    }
    sqlite3_reset(statement);
    return body;
}

json_t *copy_title(struct store *base, const char *sid, struct error *err)
{
    struct session_found session;
    json_t *title;

    if (sqlite_session_find(sqlite_of(base), sid, &session, err) != 0)
        return NULL;
    title = json_string(session.title);
    if (!title)
        error_set(err, ERROR_MEMORY, "out of memory for a title");
    return title;
}

#define LATEST_ROWS 500 /* of the log: what the last change sets touched */
#define ALL_ROWS    100000

json_t *copy_changed_nodes(struct store *base, const char *sid, const char *change_set,
                           struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    sqlite3_stmt *statement = sqlite_statement(store, SQL_COPY_CHANGED, err);
    json_t *ids;
    int row;

    if (!statement || sqlite_bind(store, statement, err, "ssi", sid, change_set,
                                  (int64_t)(change_set ? ALL_ROWS : LATEST_ROWS)) != 0)
        return NULL;
    ids = json_array();
    while ((row = sqlite_next(store, statement, err)) > 0)
        json_array_append_new(ids, json_string(sqlite_text(statement, 0)));
    if (row == 0)
        return ids;
    json_decref(ids);
    return NULL;
}

json_t *copy_node_ids(struct store *base, const char *sid, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    sqlite3_stmt *statement;
    struct session_found session;
    json_t *ids;
    int row;

    if (sqlite_session_find(store, sid, &session, err) != 0)
        return NULL;
    statement = sqlite_statement(store, SQL_NODE_NAMES, err);
    if (!statement || sqlite_bind(store, statement, err, "i", session.key) != 0)
        return NULL;
    ids = json_array();
    while ((row = sqlite_next(store, statement, err)) > 0)
        json_array_append_new(ids, json_string(sqlite_text(statement, 0)));
    if (row == 0)
        return ids;
    json_decref(ids);
    return NULL;
}
