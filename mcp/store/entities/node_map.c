/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The map of the nodes: the position of each on an editor's canvas, one small object per node.
 * Logged as {"position": {...}}. The other files of the store treat it as a map of any objects.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/validation.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/store_internal.h"

#define NODE_MAP_ENTRY_MAX ((size_t)4 << 10) /* bytes of one, including additional members */

int store_read_node_map(struct store *store, const char *sid, struct buf *json, struct error *err)
{
    struct session_found session;
    struct rows *rows;
    const char *comma = "";
    int row;

    if (store_read_begin(store, MIRROR_NODE_MAP, sid, NULL, &session, err) < 0)
        return -1;
    rows = db_query(store->db, err, SQL_NODE_MAP_LIST, "i", session.key);
    buf_addf(json, "{\"session_id\":\"%s\",\"" NODE_MAP_NAME "\":{", session.sid);
    while ((row = rows_next(rows, err)) > 0) {
        struct row_text node_id = rows_string(rows, 0), body = rows_string(rows, 1);

        buf_adds(json, comma);
        comma = ",";
        json_write_string(json, node_id.text, node_id.len);
        buf_addc(json, ':');
        buf_add(json, body.text, body.len);
    }
    buf_adds(json, "}}");
    return store_read_end(store, row < 0 ? -1 : buf_check(json, "the positions", err));
}

/* ---- writing ---- */

/* *was is NULL if there is no entry; owned by the caller. Returns 1 if body (or NULL) is the
 * same. */
static int read_before(struct store *store, const struct write *write, const char *node_id,
                       const struct buf *body, json_t **was, struct error *err)
{
    struct rows *rows ROWS_AUTO =
        db_query(store->db, err, SQL_NODE_MAP_FIND, "is", write->session, node_id);
    int row = rows_next(rows, err);
    struct row_text text;

    if (row <= 0)
        return row < 0 ? -1 : body->len == 0;
    text = rows_string(rows, 0);
    *was = json_read(text.text, text.len, "a kept position", err);
    if (!*was)
        return -1;
    return body->len == text.len && memcmp(body->data, text.text, text.len) == 0;
}

int store_node_map_put(struct store *store, const struct write *write, const char *node_id,
                       const json_t *entry, struct error *err)
{
    struct buf BUF_AUTO body = {0}, around BUF_AUTO = {0};
    json_auto_t *was = NULL;
    int same;

    buf_init(&body, NODE_MAP_ENTRY_MAX);
    if (entry)
        json_write(&body, entry);
    if (buf_check(&body, "a position", err) < 0)
        return -1;
    same = read_before(store, write, node_id, &body, &was, err);
    if (same != 0)
        return same < 0 ? -1 : 0;
    if ((entry ? db_run(store->db, err, SQL_NODE_MAP_SET, "isb", write->session, node_id, &body)
               : db_run(store->db, err, SQL_NODE_MAP_DELETE, "is", write->session, node_id)) != 0)
        return -1;
    buf_addc(&around, '{');
    return store_log_thing(store, write, NODE_MAP_ENTITY, node_id, node_id, &around, was, entry,
                           err);
}

static void check_number(struct validation_errors *problems, const char *field, const char *axis,
                         const json_t *position)
{
    const json_t *value = json_object_get(position, axis);
    char where[ERROR_LOC_CAP];

    if (json_is_number(value))
        return;
    snprintf(where, sizeof where, "%s%s%s", field, *field ? "." : "", axis);
    if (value)
        validation_add(problems, where, "must be a number, not %s", json_kind(value));
    else
        validation_add(problems, where, "is needed, send a number");
}

static void check_entry(struct validation_errors *problems, const char *field,
                        const json_t *position)
{
    if (json_is_null(position))
        return;
    if (!json_is_object(position)) {
        validation_add(problems, field, "must be {\"x\": number, \"y\": number}, or null");
        return;
    }
    check_number(problems, field, "x", position);
    check_number(problems, field, "y", position);
}

static int check_all(struct store *store, const struct write *write, const json_t *map,
                     struct error *err)
{
    struct validation_errors problems;
    const char *node_id;
    json_t *entry;

    if (!json_is_object(map))
        return error_set_at(err, "positions",
                            "positions: send {\"N001\": {\"x\": number, \"y\": number}, ...}");
    if (json_object_size(map) > NODE_MAP_WRITE_MAX)
        return error_set_at(err, "positions",
                            "positions: %zu are too many at once, send %d at most",
                            json_object_size(map), NODE_MAP_WRITE_MAX);
    validation_begin(&problems, "positions");
    json_object_foreach((json_t *)map, node_id, entry)
    {
        char field[NODE_ID_MAX + 1];

        text_cut_line(field, sizeof field, node_id);
        check_entry(&problems, field, entry);
        /* A position that nobody sees would stay for ever. */
        if (store_check_node(store, write->session, node_id, &problems, field, err) < 0)
            return -1;
    }
    return validation_end(&problems, "Nothing was written", err);
}

static int write_all(struct store *store, const struct write *write, const json_t *map,
                     struct error *err)
{
    const char *node_id;
    json_t *entry;

    if (check_all(store, write, map, err) != 0)
        return -1;
    json_object_foreach((json_t *)map, node_id, entry)
    {
        if (store_node_map_put(store, write, node_id, json_is_null(entry) ? NULL : entry, err) != 0)
            return -1;
    }
    return 0;
}

int store_node_map_write(struct store *store, const struct writer *writer, const char *sid,
                         const json_t *map, struct error *err)
{
    struct write write;

    if (store_write_begin_session(store, writer, MIRROR_NODE_MAP, sid, NULL, &write, err) < 0)
        return -1;
    return store_write_end(store, &write, write_all(store, &write, map, err), err);
}
