/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finding sessions and nodes by their ids and names.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/nearest.h"
#include "mcp/store/store_internal.h"

#define SHOWN_CAP 160 /* bytes of a name that a message shows */

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
        return error_set(err, ERROR_UNAUTHORIZED, "there is no session '%s'", shown);
    error_set(err, ERROR_UNAUTHORIZED, "the session '%s' was deleted by %s at %s", shown,
              text_cut_line(who, sizeof who, rows_text(rows, 1)), rows_text(rows, 0));
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

/* ERROR_NOT_FOUND that names the nearest by id or title. Returns -1. */
static int node_unknown(struct store *store, int64_t session, const char *node_id,
                        struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_NODE_NAMES, "i", session);
    struct nearest by_id, by_title;
    char shown[SHOWN_CAP], near_id[SHOWN_CAP] = "", near_title[SHOWN_CAP] = "";
    size_t id_distance = (size_t)-1, title_distance = (size_t)-1, nodes = 0;
    int row;

    nearest_begin(&by_id, node_id);
    nearest_begin(&by_title, node_id);
    while ((row = rows_next(rows, err)) > 0) {
        const char *id = rows_text(rows, 0), *title = rows_text(rows, 1);
        bool better = false;

        nodes++;
        nearest_feed(&by_id, id);
        if (by_id.best_distance < id_distance) {
            id_distance = by_id.best_distance;
            better = id_distance < title_distance;
        }
        nearest_feed(&by_title, title ? title : "");
        if (by_title.best_distance < title_distance) {
            title_distance = by_title.best_distance;
            better = better || title_distance < id_distance;
        }
        if (better) {
            text_cut_line(near_id, sizeof near_id, id);
            text_cut_line(near_title, sizeof near_title, title);
        }
    }
    if (row < 0)
        return -1;
    text_cut_line(shown, sizeof shown, node_id);
    if (*near_id)
        return error_set(err, ERROR_NOT_FOUND, "there is no node '%s'; did you mean %s '%s'?",
                         shown, near_id, near_title);
    return error_set(err, ERROR_NOT_FOUND, "there is no node '%s' among the %zu of this session",
                     shown, nodes);
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
        return node_unknown(store, session, node_id, err);
    found->key = rows_int(rows, 0);
    found->cursor = rows_int(rows, 1);
    found->revision = rows_int(rows, 2);
    found->place = rows_int(rows, 3);
    text_cut(found->title, sizeof found->title, rows_text(rows, 4));
    found->rank = rows_int(rows, 5);
    rows_end(rows);
    return 0;
}

int store_check_node(struct store *store, int64_t session, const char *node_id,
                     struct validation_errors *problems, const char *field, struct error *err)
{
    struct error found = {0};
    struct node_found node;
    int64_t twins;

    if (db_number(store->db, &twins, err, SQL_NODE_TWINS, "is", session, node_id) != 0)
        return -1;
    if (twins > 0)
        return 1;
    if (problems->count < VALIDATION_SHOWN_CAP) /* naming the nearest takes a while */
        store_node_find(store, session, node_id, &node, &found);
    validation_add(problems, field, "%s", *found.text ? found.text : "is not a node");
    return 0;
}
