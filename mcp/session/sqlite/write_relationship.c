/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Creating a relationship, and finding the cycle that a new prerequisite closes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/entity.h"
#include "mcp/session/sqlite/sqlite_store.h"

/* Walks one step from node along what contains PREREQUISITE: who is new gets node as its parent and
 * joins the queue. */
static int walk_step(struct sqlite_store *store, int64_t session, const char *node, json_t *parents,
                     json_t *queue, struct error *err)
{
    sqlite3_stmt *statement = sqlite_statement(store, SQL_RELATIONSHIP_NEEDED_BY, err);
    int row;

    if (!statement || sqlite_bind(store, statement, err, "is", session, node) != 0)
        return -1;
    while ((row = sqlite_next(store, statement, err)) > 0) {
        const char *next = sqlite_text(statement, 0);

        if (!next || json_object_get(parents, next))
            continue;
        json_object_set_new(parents, next, json_string(node));
        json_array_append_new(queue, json_string(next));
    }
    return row;
}

/* The path from start to the node where the walk ended, as [{"node_id", "title"}], start first. */
static json_t *path_back(struct sqlite_store *store, int64_t session, const json_t *parents,
                         const char *start, const char *end)
{
    json_t *path = json_array();

    for (const char *at = end; at; at = json_get_string(parents, at)) {
        struct node_found node;
        bool found = sqlite_node_find(store, session, at, &node, NULL) == 0;

        json_array_insert_new(
            path, 0, json_pack("{s:s, s:s}", "node_id", at, "title", found ? node.title : ""));
        if (!strcmp(at, start))
            break;
    }
    return path;
}

/* *cycle: the shortest way from start to end, or NULL where there is none. */
static int find_path(struct sqlite_store *store, int64_t session, const char *start,
                     const char *end, json_t **cycle, struct error *err)
{
    json_auto_t *parents = json_object();
    json_auto_t *queue = json_array();

    *cycle = NULL;
    json_object_set_new(parents, start, json_null());
    json_array_append_new(queue, json_string(start));
    for (size_t i = 0; i < json_array_size(queue); i++) {
        const char *node = json_string_value(json_array_get(queue, i));

        if (!strcmp(node, end)) {
            *cycle = path_back(store, session, parents, start, end);
            return 0;
        }
        if (walk_step(store, session, node, parents, queue, err) != 0)
            return -1;
    }
    return 0;
}

static int check_new(struct sqlite_store *store, int64_t session, const json_t *relationship,
                     struct error *err)
{
    sqlite3_stmt *statement = sqlite_statement(store, SQL_RELATIONSHIP_FIND, err);
    const char *from = json_get_string(relationship, "from_node_id");
    const char *to = json_get_string(relationship, "to_node_id");
    const char *type = json_get_string(relationship, "relationship_type");
    int row;

    if (!statement || sqlite_bind(store, statement, err, "isss", session, from, to, type) != 0)
        return -1;
    row = sqlite_next(store, statement, err);
    if (row > 0)
        error_set(err, ERROR_CONFLICT,
                  "there is already a %s from %s to %s (relationship %" PRId64 ")", type, from, to,
                  (int64_t)sqlite3_column_int64(statement, 0));
    sqlite3_reset(statement);
    return row == 0 ? 0 : -1;
}

/* As the change log keeps it. */
static void session_text(struct buf *to, unsigned flags, const json_t *further)
{
    buf_addf(to, "{\"flags\":%u,\"session\":", flags);
    json_write(to, further);
    buf_addc(to, '}');
}

/* A file that had no list of relationships, or something else under that name, has a list from now
 * on. */
static int list_relationships(struct sqlite_store *store, const struct write *write,
                              struct error *err)
{
    sqlite3_stmt *statement = sqlite_statement(store, SQL_SESSION_FIND, err);
    json_auto_t *further = NULL;
    struct row_text text;
    struct buf log BUF_AUTO = {0}, after BUF_AUTO = {0}, body BUF_AUTO = {0};
    unsigned flags;

    if (!statement || sqlite_bind(store, statement, err, "s", write->sid) != 0 ||
        sqlite_next(store, statement, err) <= 0)
        return -1;
    flags = (unsigned)sqlite3_column_int(statement, 2);
    if (flags & SESSION_RELATIONSHIPS) {
        sqlite3_reset(statement);
        return 0;
    }
    text = sqlite_row_text(statement, 4);
    further = json_read(text.text, text.len, "a kept session", err);
    sqlite3_reset(statement);
    if (!further)
        return -1;
    session_text(&log, flags, further);
    json_object_del(further, "relationships");
    json_write(&body, further);
    session_text(&after, flags | SESSION_RELATIONSHIPS, further);
    if (sqlite_run(store, err, SQL_SESSION_SET_FURTHER, "ibi", write->session, &body,
                   (int64_t)(flags | SESSION_RELATIONSHIPS)) != 0)
        return -1;
    return sqlite_log(store, write, "session", write->sid, NULL, "update", &log, &after, err);
}

static int insert(struct sqlite_store *store, const struct write *write, const json_t *relationship,
                  int64_t *key, struct error *err)
{
    sqlite3_stmt *statement = sqlite_statement(store, SQL_RELATIONSHIP_LAST_PLACE, err);
    struct buf body BUF_AUTO = {0}, log BUF_AUTO = {0};
    struct relationship_row row;
    int64_t place;
    char id[32];

    buf_init(&body, ENTITY_SIZE_MAX);
    buf_init(&log, 0);
    if (!statement || sqlite_bind(store, statement, err, "i", write->session) != 0 ||
        sqlite_next(store, statement, err) <= 0)
        return -1;
    place = sqlite3_column_int64(statement, 0) + 1;
    sqlite3_reset(statement);
    relationship_row(relationship, &body, &row);
    if (buf_check(&body, "a relationship", err) != 0)
        return -1;
    if (sqlite_run(store, err, SQL_RELATIONSHIP_INSERT, "iitttbi", write->session, place, &row.from,
                   &row.to, &row.type, &body, (int64_t)row.flags) != 0)
        return -1;
    *key = sqlite3_last_insert_rowid(store->db);
    buf_addf(&log, "{\"place\":%" PRId64 ",\"revision\":1,\"relationship\":", place);
    buf_add(&log, body.data, body.len);
    buf_addc(&log, '}');
    snprintf(id, sizeof id, "%" PRId64, *key);
    return sqlite_log(store, write, "relationship", id, NULL, "insert", NULL, &log, err);
}

static int create(struct sqlite_store *store, const struct write *write, const json_t *relationship,
                  struct relationship_state *state, struct error *err)
{
    const char *from = json_get_string(relationship, "from_node_id");
    const char *to = json_get_string(relationship, "to_node_id");
    const char *type = json_get_string(relationship, "relationship_type");
    struct node_found from_node, to_node;

    if (sqlite_node_find(store, write->session, from, &from_node, err) != 0)
        return error_wrap(err, "from_node_id");
    if (sqlite_node_find(store, write->session, to, &to_node, err) != 0)
        return error_wrap(err, "to_node_id");
    if (check_new(store, write->session, relationship, err) != 0 ||
        (strstr(type, "PREREQUISITE") &&
         find_path(store, write->session, to, from, &state->cycle, err) != 0) ||
        list_relationships(store, write, err) != 0 ||
        insert(store, write, relationship, &state->id, err) != 0)
        return -1;
    text_cut(state->type, sizeof state->type, type);
    text_cut(state->from_title, sizeof state->from_title, from_node.title);
    text_cut(state->to_title, sizeof state->to_title, to_node.title);
    return 0;
}

int sqlite_relationship_create(struct store *base, const struct writer *writer, const char *sid,
                               const json_t *input, struct relationship_state *state,
                               struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    struct relationship_state made = {0};
    json_auto_t *relationship = NULL;
    struct write write;
    int rc = -1;

    if (sqlite_write_begin_session(store, writer, sid, &write, err) != 0)
        return -1;
    relationship = entity_relationship(input, write.who, write.now, err);
    if (relationship)
        rc = create(store, &write, relationship, &made, err);
    rc = sqlite_write_end(store, &write, rc, err);
    if (rc == 0 && state)
        *state = made;
    else
        json_decref(made.cycle);
    return rc;
}
