/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Single relationships: found, written, and logged as {"place", "relationship"}.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/entity.h"
#include "mcp/store/store_internal.h"

json_t *store_relationship_load(struct store *store, int64_t session, int64_t key, int64_t *place,
                                struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_RELATIONSHIP_BY_KEY, "ii", key, session);
    json_t *relationship;
    struct row_text body;
    int row;

    if (!rows)
        return NULL;
    row = rows_next(rows, err);
    if (row == 0)
        error_set(err, ERROR_NOT_FOUND,
                  "there is no relationship %" PRId64
                  " in this session; it may have been deleted: read the relationships again",
                  key);
    if (row <= 0)
        return NULL;
    body = rows_string(rows, 0);
    *place = rows_int(rows, 1);
    relationship = json_read(body.text, body.len, "a kept relationship", err);
    rows_end(rows);
    return relationship;
}

int store_relationships_of(struct store *store, int64_t session, const char *node_id,
                           int64_t **keys, size_t *count, struct error *err)
{
    struct rows *rows;
    size_t capacity = 0;
    int row;

    *keys = NULL;
    *count = 0;
    rows = db_query(store->db, err, SQL_RELATIONSHIP_OF_NODE, "is", session, node_id);
    while ((row = rows_next(rows, err)) > 0) {
        if (*count == capacity) {
            size_t larger = capacity ? capacity * 2 : 16;
            int64_t *more = realloc(*keys, larger * sizeof *more);

            if (!more) {
                row = error_set(err, ERROR_MEMORY, "out of memory for a node's relationships");
                break;
            }
            *keys = more;
            capacity = larger;
        }
        (*keys)[(*count)++] = rows_int(rows, 0);
    }
    rows_end(rows);
    if (row < 0) {
        free(*keys);
        *keys = NULL;
    }
    return row;
}

int store_relationship_same(struct store *store, int64_t session, const char *from, const char *to,
                            const char *type, int64_t except, int64_t *key, struct error *err)
{
    struct rows *rows =
        db_query(store->db, err, SQL_RELATIONSHIP_FIND, "isssi", session, from, to, type, except);
    int row;

    row = rows_next(rows, err);
    if (row > 0)
        *key = rows_int(rows, 0);
    rows_end(rows);
    return row;
}

int store_log_relationship(struct store *store, const struct write *write, int64_t key,
                           int64_t place, const char *op, const json_t *before, const json_t *after,
                           struct error *err)
{
    struct buf text BUF_AUTO = {0};
    char id[32];

    buf_addf(&text, "{\"place\":%" PRId64 ",\"relationship\":", place);
    json_write(&text, before ? before : after);
    buf_addc(&text, '}');
    snprintf(id, sizeof id, "%" PRId64, key);
    return store_log(store, write, "relationship", id, NULL, op, before ? &text : NULL,
                     before ? NULL : &text, err);
}

/* A file that had no list of relationships, or something else under that name, has a list from now
 * on. */
static int list_relationships(struct store *store, const struct write *write, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_SESSION_BY_KEY, "i", write->session);
    json_auto_t *old = NULL, *new = NULL;
    struct row_text text;
    unsigned flags;

    if (rows_next(rows, err) <= 0)
        return -1;
    flags = (unsigned)rows_int(rows, 0);
    if (flags & SESSION_RELATIONSHIPS) {
        rows_end(rows);
        return 0;
    }
    text = rows_string(rows, 1);
    old = json_read(text.text, text.len, "a kept session", err);
    rows_end(rows);
    if (!old)
        return -1;
    new = json_copy(old);
    if (!new)
        return error_set(err, ERROR_MEMORY, "out of memory for a session");
    json_object_del(new, "relationships");
    return store_session_save(
        store, write, &(struct session_fields){.flags = flags, .further = old},
        &(struct session_fields){.flags = flags | SESSION_RELATIONSHIPS, .further = new}, err);
}

int store_relationship_insert(struct store *store, const struct write *write,
                              const json_t *relationship, int64_t *key, struct error *err)
{
    struct buf body BUF_AUTO = {0};
    struct relationship_row row;
    int64_t place;

    buf_init(&body, ENTITY_SIZE_MAX);
    if (list_relationships(store, write, err) != 0 ||
        db_number(store->db, &place, err, SQL_RELATIONSHIP_LAST_PLACE, "i", write->session) != 0)
        return -1;
    place++;
    relationship_row(relationship, &body, &row);
    if (buf_check(&body, "a relationship", err) != 0)
        return -1;
    if (db_insert(store->db, key, err, SQL_RELATIONSHIP_INSERT, "iitttbi", write->session, place,
                  &row.from, &row.to, &row.type, &body, (int64_t)row.flags) != 0)
        return -1;
    return store_log_relationship(store, write, *key, place, "insert", NULL, relationship, err);
}

int store_relationship_save(struct store *store, const struct write *write, int64_t key,
                            int64_t place, const json_t *before, const json_t *after,
                            struct error *err)
{
    struct buf body BUF_AUTO = {0};
    struct relationship_row row;

    relationship_row(after, &body, &row);
    if (buf_check(&body, "a relationship", err) != 0 ||
        db_run(store->db, err, SQL_RELATIONSHIP_UPDATE, "itttbi", key, &row.from, &row.to,
               &row.type, &body, (int64_t)row.flags) != 0)
        return -1;
    return store_log_relationship(store, write, key, place, "update", before, after, err);
}

int store_relationship_drop(struct store *store, const struct write *write, int64_t key,
                            int64_t place, const json_t *relationship, struct error *err)
{
    if (db_run(store->db, err, SQL_RELATIONSHIP_DELETE, "i", key) != 0)
        return -1;
    return store_log_relationship(store, write, key, place, "delete", relationship, NULL, err);
}
