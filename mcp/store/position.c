/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where an editor's canvas shows the nodes: one small object a node. Logged as {"position": {...}}.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/validation.h"
#include "mcp/store/store_internal.h"

#define POSITION_SIZE_MAX ((size_t)4 << 10) /* bytes of one, further members included */

int store_read_positions(struct store *store, const char *sid, struct buf *json, struct error *err)
{
    struct session_found session;
    struct rows *rows;
    const char *comma = "";
    int row;

    if (store_refresh(store, UPSTREAM_POSITIONS, sid, NULL, err) != 0)
        return -1;
    if (store_read_begin(store, err) != 0)
        return -1;
    if (store_session_find(store, sid, &session, err) != 0)
        return store_read_end(store, -1);
    rows = db_query(store->db, err, SQL_POSITION_LIST, "i", session.key);
    if (!rows)
        return store_read_end(store, -1);
    buf_addf(json, "{\"session_id\":\"%s\",\"positions\":{", session.sid);
    while ((row = rows_next(rows, err)) > 0) {
        struct row_text node_id = rows_string(rows, 0);
        struct row_text body = rows_string(rows, 1);

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

/* *was: NULL where there is none; owned by the caller. 1 where body (or NULL) is the same. */
static int read_before(struct store *store, const struct write *write, const char *node_id,
                       const struct buf *body, json_t **was, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_POSITION_FIND, "is", write->session, node_id);
    bool same = body->len == 0;
    int row = rows_next(rows, err);

    if (row > 0) {
        struct row_text text = rows_string(rows, 0);

        same = body->len == text.len && memcmp(body->data, text.text, text.len) == 0;
        *was = json_read(text.text, text.len, "a kept position", err);
        row = *was ? 1 : -1;
    }
    rows_end(rows);
    return row < 0 ? -1 : same;
}

int store_position_put(struct store *store, const struct write *write, const char *node_id,
                       const json_t *position, struct error *err)
{
    struct buf BUF_AUTO body = {0}, before BUF_AUTO = {0}, around BUF_AUTO = {0};
    json_auto_t *was = NULL;
    int same;

    buf_init(&body, POSITION_SIZE_MAX);
    if (position)
        json_write(&body, position);
    if (buf_check(&body, "a position", err) < 0)
        return -1;
    same = read_before(store, write, node_id, &body, &was, err);
    if (same != 0)
        return same < 0 ? -1 : 0;
    if ((position
             ? db_run(store->db, err, SQL_POSITION_SET, "isb", write->session, node_id, &body)
             : db_run(store->db, err, SQL_POSITION_DELETE, "is", write->session, node_id)) != 0)
        return -1;
    buf_addc(&around, '{');
    if (position && was)
        return store_log_update(store, write, "position", node_id, node_id, &around, was, position,
                                err);
    if (was) {
        buf_adds(&before, "{\"position\":");
        json_write(&before, was);
        buf_addc(&before, '}');
    }
    return store_log(store, write, "position", node_id, node_id, was ? "delete" : "insert",
                     was ? &before : NULL, NULL, err);
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

static void check_position(struct validation_errors *problems, const char *field,
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

/* Only of nodes there are: a position that nobody sees would stay for ever. */
static int check_node(struct store *store, const struct write *write,
                      struct validation_errors *problems, const char *field, const char *node_id,
                      struct error *err)
{
    struct error found = {0};
    struct node_found node;
    int64_t twins;

    if (db_number(store->db, &twins, err, SQL_NODE_TWINS, "is", write->session, node_id) != 0)
        return -1;
    if (twins > 0)
        return 0;
    if (problems->count < VALIDATION_SHOWN_CAP)
        store_node_find(store, write->session, node_id, &node, &found);
    validation_add(problems, field, "%s", *found.text ? found.text : "is not a node");
    return 0;
}

static int check_all(struct store *store, const struct write *write, const json_t *positions,
                     struct error *err)
{
    struct validation_errors problems;
    const char *node_id;
    json_t *position;

    if (!json_is_object(positions))
        return error_set_at(err, "positions",
                            "positions: send {\"N001\": {\"x\": number, \"y\": number}, ...}");
    if (json_object_size(positions) > POSITIONS_MAX)
        return error_set_at(err, "positions",
                            "positions: %zu are too many at once, send %d at most",
                            json_object_size(positions), POSITIONS_MAX);
    validation_begin(&problems, "positions");
    json_object_foreach((json_t *)positions, node_id, position)
    {
        char field[NODE_ID_MAX + 1];

        text_cut_line(field, sizeof field, node_id);
        check_position(&problems, field, position);
        if (check_node(store, write, &problems, field, node_id, err) != 0)
            return -1;
    }
    return validation_end(&problems, "Nothing was written", err);
}

static int write_all(struct store *store, const struct write *write, const json_t *positions,
                     struct error *err)
{
    const char *node_id;
    json_t *position;

    if (check_all(store, write, positions, err) != 0)
        return -1;
    json_object_foreach((json_t *)positions, node_id, position)
    {
        if (store_position_put(store, write, node_id, json_is_null(position) ? NULL : position,
                               err) != 0)
            return -1;
    }
    return 0;
}

int store_positions_write(struct store *store, const struct writer *writer, const char *sid,
                          const json_t *positions, struct error *err)
{
    struct write write;

    if (store_refresh(store, UPSTREAM_POSITIONS, sid, NULL, err) != 0)
        return -1;
    if (store_write_begin_session(store, writer, sid, &write, err) < 0)
        return -1;
    return store_write_end(store, &write, write_all(store, &write, positions, err), err);
}
