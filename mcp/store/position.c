/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where an editor's canvas shows the nodes: one small object a node. Logged as {"position": {...}}.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/validation.h"
#include "mcp/store/sqlite_store.h"

#define POSITION_SIZE_MAX ((size_t)4 << 10) /* bytes of one, further members included */

int sqlite_read_positions(struct store *base, const char *sid, struct buf *json, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    struct session_found session;
    sqlite3_stmt *statement;
    const char *comma = "";
    int row;

    if (sqlite_read_begin(store, err) != 0)
        return -1;
    if (sqlite_session_find(store, sid, &session, err) != 0)
        return sqlite_read_end(store, -1);
    statement = sqlite_statement(store, SQL_POSITION_LIST, err);
    if (!statement || sqlite_bind(store, statement, err, "i", session.key) != 0)
        return sqlite_read_end(store, -1);
    buf_addf(json, "{\"session_id\":\"%s\",\"positions\":{", session.sid);
    while ((row = sqlite_next(store, statement, err)) > 0) {
        struct row_text node_id = sqlite_row_text(statement, 0);
        struct row_text body = sqlite_row_text(statement, 1);

        buf_adds(json, comma);
        comma = ",";
        json_write_string(json, node_id.text, node_id.len);
        buf_addc(json, ':');
        buf_add(json, body.text, body.len);
    }
    buf_adds(json, "}}");
    return sqlite_read_end(store, row < 0 ? -1 : buf_check(json, "the positions", err));
}

/* ---- writing ---- */

static void wrap(struct buf *to, const char *body, size_t len)
{
    buf_adds(to, "{\"position\":");
    buf_add(to, body, len);
    buf_addc(to, '}');
}

/* *before: as the log has it; empty where there is none. 1 where body (or NULL) is the same. */
static int read_before(struct sqlite_store *store, const struct write *write, const char *node_id,
                       const struct buf *body, struct buf *before, struct error *err)
{
    sqlite3_stmt *statement = sqlite_statement(store, SQL_POSITION_FIND, err);
    bool same = !body;
    int row;

    if (!statement || sqlite_bind(store, statement, err, "is", write->session, node_id) != 0)
        return -1;
    row = sqlite_next(store, statement, err);
    if (row > 0) {
        struct row_text text = sqlite_row_text(statement, 0);

        wrap(before, text.text, text.len);
        same = body && body->len == text.len && !memcmp(body->data, text.text, text.len);
    }
    sqlite3_reset(statement);
    return row < 0 ? -1 : same;
}

int sqlite_position_put(struct sqlite_store *store, const struct write *write, const char *node_id,
                        const struct buf *body, struct error *err)
{
    struct buf before BUF_AUTO = {0}, after BUF_AUTO = {0};
    int same = read_before(store, write, node_id, body, &before, err);
    const char *op;

    if (same != 0)
        return same < 0 ? -1 : 0;
    if (body)
        wrap(&after, body->data, body->len);
    if ((body ? sqlite_run(store, err, SQL_POSITION_SET, "isb", write->session, node_id, body)
              : sqlite_run(store, err, SQL_POSITION_DELETE, "is", write->session, node_id)) != 0)
        return -1;
    op = !body ? "delete" : before.len > 0 ? "update" : "insert";
    return sqlite_log(store, write, "position", node_id, node_id, op,
                      before.len > 0 ? &before : NULL, body ? &after : NULL, err);
}

int sqlite_position_drop(struct sqlite_store *store, const struct write *write, const char *node_id,
                         struct error *err)
{
    return sqlite_position_put(store, write, node_id, NULL, err);
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
static int check_node(struct sqlite_store *store, const struct write *write,
                      struct validation_errors *problems, const char *field, const char *node_id,
                      struct error *err)
{
    struct error found = {0};
    struct node_found node;
    int64_t twins;

    if (sqlite_number(store, SQL_NODE_TWINS, write->session, node_id, &twins, err) != 0)
        return -1;
    if (twins > 0)
        return 0;
    if (problems->count < VALIDATION_SHOWN_CAP)
        sqlite_node_find(store, write->session, node_id, &node, &found);
    validation_add(problems, field, "%s", *found.text ? found.text : "is no node");
    return 0;
}

static int check_all(struct sqlite_store *store, const struct write *write, const json_t *positions,
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

static int write_all(struct sqlite_store *store, const struct write *write, const json_t *positions,
                     struct error *err)
{
    struct buf body BUF_AUTO = {0};
    const char *node_id;
    json_t *position;

    if (check_all(store, write, positions, err) != 0)
        return -1;
    buf_init(&body, POSITION_SIZE_MAX);
    json_object_foreach((json_t *)positions, node_id, position)
    {
        bool gone = json_is_null(position);

        buf_clear(&body);
        json_write(&body, position);
        if (buf_check(&body, "a position", err) != 0 ||
            sqlite_position_put(store, write, node_id, gone ? NULL : &body, err) != 0)
            return -1;
    }
    return 0;
}

int sqlite_positions_write(struct store *base, const struct writer *writer, const char *sid,
                           const json_t *positions, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    struct write write;

    if (sqlite_write_begin_session(store, writer, sid, &write, err) != 0)
        return -1;
    return sqlite_write_end(store, &write, write_all(store, &write, positions, err), err);
}
