/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is remembered about the things of the service, what a transaction changed, and how things
 * are: what is passed on to the service is computed from these.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/entity.h"
#include "mcp/mirror/state.h"
#include "mcp/store/store_internal.h"

int mirror_version(struct store *store, const char *sid, int64_t *version, struct error *err)
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

int mirror_session(struct store *store, const char *sid, const char *title, struct error *err)
{
    struct buf BUF_AUTO further = {0};
    char now[TIME_TEXT_SIZE];
    int64_t version;

    if (mirror_version(store, sid, &version, err) != 0)
        return -1;
    if (version >= 0)
        return title && *title ? db_run(store->db, err, SQL_MIRROR_SESSION_TITLE, "ss", sid, title)
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

int mirror_session_gone(struct store *store, const char *sid, bool gone, struct error *err)
{
    return db_run(store->db, err, SQL_MIRROR_SESSION_GONE, "si", sid,
                  (int64_t)(gone ? SESSION_GONE : 0));
}

json_t *mirror_sessions(struct store *store, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_MIRROR_SESSIONS, "");
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

int mirror_name(struct store *store, const char *sid, const char *kind, const char *ours,
                struct buf *theirs, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_MIRROR_NAME, "sss", sid, kind, ours);
    int row;

    row = rows_next(rows, err);
    if (row > 0 && theirs)
        buf_adds(theirs, rows_text(rows, 0));
    rows_end(rows);
    return row;
}

int mirror_set_name(struct store *store, const char *sid, const char *kind, const char *ours,
                    const char *theirs, struct error *err)
{
    if (!theirs)
        return db_run(store->db, err, SQL_MIRROR_NAME_DROP, "sss", sid, kind, ours);
    return db_run(store->db, err, SQL_MIRROR_NAME_SET, "ssss", sid, kind, ours, theirs);
}

int mirror_log_fill(struct store *store, const struct mirror_source *source, size_t nodes,
                    struct error *err)
{
    const struct writer writer = {.who = MIRROR_WHO, .change_set = source->change_set};
    struct buf BUF_AUTO log = {0};
    struct write write;

    buf_init(&log, 0);
    buf_addf(&log, "{\"nodes\":%zu}", nodes);
    if (store_write_begin(store, &writer, source->sid, &write, err) < 0)
        return -1;
    return store_write_end(
        store, &write,
        store_log(store, &write, "session", source->sid, NULL, "import", NULL, &log, err), err);
}

int mirror_log_session(struct store *store, const struct writer *writer, const char *sid,
                       struct error *err)
{
    struct write write;

    if (store_write_begin(store, writer, sid, &write, err) < 0)
        return -1;
    return store_write_end(
        store, &write, store_log(store, &write, "session", sid, NULL, "create", NULL, NULL, err),
        err);
}

/* ---- what a transaction changed, and how things are now ---- */

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

static void mark_row(json_t *touched, struct rows *row)
{
    const char *sid = rows_text(row, 0), *entity = rows_text(row, 1);
    const char *id = rows_text(row, 2), *node_id = rows_text(row, 3);
    const char *op = rows_text(row, 4), *was_of = rows_text(row, 5);

    if (strcmp(entity, "component") == 0) {
        mark(touched, sid, "sequences", node_id);
        mark(touched, sid, "sequences", was_of); /* it may have moved between nodes */
    } else if (strcmp(entity, "node") == 0) {
        mark(touched, sid, "nodes", node_id ? node_id : id);
    } else if (strcmp(entity, "relationship") == 0) {
        mark(touched, sid, "relationships", id);
    } else if (strcmp(entity, NODE_MAP_ENTITY) == 0) {
        mark(touched, sid, NODE_MAP_NAME, node_id ? node_id : id);
    } else {
        mark(touched, sid, op, NULL);
    }
}

json_t *mirror_touched(struct store *store, struct error *err)
{
    struct rows *rows =
        db_query(store->db, err, SQL_MIRROR_TOUCHED, "i", store->open.changes_before);
    json_t *touched = json_object();
    int row;

    while ((row = rows_next(rows, err)) > 0)
        mark_row(touched, rows);
    if (row == 0)
        return touched;
    json_decref(touched);
    return NULL;
}

/* 1 found, 0 there is none, -1 with err. */
static int find(struct store *store, const char *sid, const char *node_id, struct node_found *node,
                struct error *err)
{
    struct session_found session;
    struct error why = {0};

    if (store_session_find(store, sid, &session, &why) == 0 &&
        store_node_find(store, session.key, node_id, node, &why) == 0)
        return 1;
    if (why.kind == ERROR_NOT_FOUND || why.kind == ERROR_UNAUTHORIZED)
        return 0;
    if (err)
        *err = why;
    return -1;
}

static json_t *read_node(struct store *store, const char *sid, const char *node_id,
                         struct error *err)
{
    struct node_found node;
    unsigned flags;
    int found = find(store, sid, node_id, &node, err);

    if (found <= 0)
        return found < 0 ? NULL : json_null();
    return store_node_load(store, node.key, &flags, err);
}

static json_t *read_sequence(struct store *store, const char *sid, const char *node_id,
                             struct error *err)
{
    struct sequence sequence;
    struct node_found node;
    json_t *list = NULL;
    int found = find(store, sid, node_id, &node, err);

    if (found < 0)
        return NULL;
    list = json_array();
    if (found == 0)
        return list;
    if (sequence_read(store, node.key, true, &sequence, err) != 0) {
        json_decref(list);
        return NULL;
    }
    for (size_t i = 0; i < sequence.count; i++) {
        const struct sequence_item *item = &sequence.items[i];
        json_t *one;

        if (!item_is_component(item))
            continue;
        one = json_copy(item->content);
        json_object_set_new(one, "component_id", json_string(item->component_id));
        json_array_append_new(list, one);
    }
    sequence_finish(&sequence);
    return list;
}

static json_t *read_relationship(struct store *store, const char *sid, const char *id,
                                 struct error *err)
{
    struct rows *rows;
    json_t *body = NULL;
    int row;

    (void)sid; /* the id is unique in the mirror */
    rows = db_query(store->db, err, SQL_MIRROR_RELATIONSHIP, "i", (int64_t)strtoll(id, NULL, 10));
    if (!rows)
        return NULL;
    row = rows_next(rows, err);
    if (row > 0) {
        struct row_text text = rows_string(rows, 0);

        body = json_read(text.text, text.len, "a kept relationship", err);
    } else if (row == 0) {
        body = json_null();
    }
    rows_end(rows);
    return body;
}

static json_t *read_title(struct store *store, const char *sid, const char *id, struct error *err)
{
    struct session_found session;
    json_t *title;

    (void)id; /* the session's own */
    if (store_session_find(store, sid, &session, err) != 0)
        return NULL;
    title = json_string(session.title);
    if (!title)
        error_set(err, ERROR_MEMORY, "out of memory for a title");
    return title;
}

json_t *mirror_node_map_read(struct store *store, const char *sid, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_MIRROR_NODE_MAP, "s", sid);
    json_t *here = json_object();
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        struct row_text text = rows_string(rows, 1);

        json_object_set_new(here, rows_text(rows, 0),
                            json_read(text.text, text.len, "a kept map entry", err));
    }
    if (row == 0)
        return here;
    json_decref(here);
    return NULL;
}

static json_t *read_map_entry(struct store *store, const char *sid, const char *node_id,
                              struct error *err)
{
    json_auto_t *map = mirror_node_map_read(store, sid, err);
    json_t *entry = json_object_get(map, node_id);

    if (!map)
        return NULL;
    return entry ? json_incref(entry) : json_null();
}

json_t *mirror_entity(struct store *store, enum mirror_entity kind, const char *sid, const char *id,
                      struct error *err)
{
    static json_t *(*const read[])(struct store *, const char *, const char *, struct error *) = {
        [MIRROR_ENTITY_NODE] = read_node,
        [MIRROR_ENTITY_SEQUENCE] = read_sequence,
        [MIRROR_ENTITY_RELATIONSHIP] = read_relationship,
        [MIRROR_ENTITY_TITLE] = read_title,
        [MIRROR_ENTITY_MAP_ENTRY] = read_map_entry,
    };

    return read[kind](store, sid, id, err);
}

#define LATEST_ROWS 500 /* of the log: what the last change sets touched */
#define ALL_ROWS    100000

/* The first column of a query. rows is NULL if the query failed. */
static json_t *first_column(struct rows *rows, struct error *err)
{
    json_t *texts;
    int row;

    if (!rows)
        return NULL;
    texts = json_array();
    while ((row = rows_next(rows, err)) > 0)
        json_array_append_new(texts, json_string(rows_text(rows, 0)));
    if (row == 0)
        return texts;
    json_decref(texts);
    return NULL;
}

json_t *mirror_changed_nodes(struct store *store, const char *sid, const char *change_set,
                             struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_MIRROR_CHANGED, "ssi", sid, change_set,
                                 (int64_t)(change_set ? ALL_ROWS : LATEST_ROWS));

    return first_column(rows, err);
}

json_t *mirror_node_ids(struct store *store, const char *sid, struct error *err)
{
    struct rows *rows;
    struct session_found session;

    if (store_session_find(store, sid, &session, err) != 0)
        return NULL;
    rows = db_query(store->db, err, SQL_NODE_NAMES, "i", session.key);
    return first_column(rows, err);
}
