/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which node a name means: its id, or a title that no other node has, by the rules of the graph's
 * questions. And for a name that no node has, which one may be meant.
 */
#include <string.h>

#include "helpers/base/nearest.h"
#include "helpers/graph/name.h"
#include "mcp/store/store_internal.h"

#define SHOWN_CAP 160 /* bytes of a name that a message shows */

int store_node_unknown(struct store *store, int64_t session, const char *node_id, struct error *err)
{
    sqlite3_stmt *statement = db_statement(store, SQL_NODE_NAMES, err);
    struct nearest by_id, by_title;
    char shown[SHOWN_CAP], near_id[SHOWN_CAP] = "", near_title[SHOWN_CAP] = "";
    size_t id_distance = (size_t)-1, title_distance = (size_t)-1, nodes = 0;
    int row;

    if (!statement || db_bind(store, statement, err, "i", session) != 0)
        return -1;
    nearest_begin(&by_id, node_id);
    nearest_begin(&by_title, node_id);
    while ((row = db_next(store, statement, err)) > 0) {
        const char *id = db_text(statement, 0), *title = db_text(statement, 1);
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

/* The statement, bound to all nodes of the session that have an id. */
static sqlite3_stmt *names(struct store *store, int64_t session, struct error *err)
{
    sqlite3_stmt *statement = db_statement(store, SQL_NODE_NAMES, err);

    return statement && db_bind(store, statement, err, "i", session) == 0 ? statement : NULL;
}

static int say_shared(struct store *store, int64_t session, const char *name, const char *what,
                      size_t count, struct error *err)
{
    sqlite3_stmt *statement = names(store, session, err);
    struct buf list BUF_AUTO = {0};
    char shown[SHOWN_CAP];
    size_t listed = 0;
    int row = 0;

    if (!statement)
        return -1;
    while (listed < GRAPH_NAME_SHOWN && (row = db_next(store, statement, err)) > 0) {
        struct graph_name one;

        graph_name_begin(&one, name);
        graph_name_feed(&one, "", db_text(statement, 1));
        if (one.same_titles == 0)
            continue;
        text_cut_line(shown, sizeof shown, db_text(statement, 0));
        buf_addf(&list, "%s%s", listed++ > 0 ? ", " : "", shown);
    }
    sqlite3_reset(statement);
    if (row < 0)
        return -1;
    if (listed < count)
        buf_addf(&list, " and %zu more", count - listed);
    if (buf_check(&list, "the nodes of a title", err) != 0)
        return -1;
    return error_set(err, ERROR_CONFLICT,
                     "%s: \"%s\" is the title of %zu nodes: %s. Send the id of one of them", what,
                     text_cut_line(shown, sizeof shown, name), count, list.data);
}

/* The id at a place of the search. */
static int read_id(struct store *store, int64_t session, size_t place, struct buf *found,
                   struct error *err)
{
    sqlite3_stmt *statement = names(store, session, err);
    int row = statement ? 1 : -1;

    for (size_t i = 0; row > 0 && i <= place; i++)
        row = db_next(store, statement, err);
    if (row <= 0)
        return row < 0 ? -1 : error_set(err, ERROR_INTERNAL, "a node vanished while it was named");
    buf_clear(found);
    buf_adds(found, db_text(statement, 0));
    sqlite3_reset(statement);
    return buf_check(found, "a node's id", err);
}

static int search(struct store *store, int64_t session, const char *name, const char *what,
                  struct buf *found, struct error *err)
{
    sqlite3_stmt *statement = names(store, session, err);
    struct graph_name search;
    size_t place;
    int row;

    if (!statement)
        return -1;
    graph_name_begin(&search, name);
    while ((row = db_next(store, statement, err)) > 0)
        graph_name_feed(&search, db_text(statement, 0), db_text(statement, 1));
    if (row < 0)
        return -1;
    if (graph_name_found(&search, &place))
        return read_id(store, session, place, found, err);
    if (search.same_titles > 1)
        return say_shared(store, session, name, what, search.same_titles, err);
    store_node_unknown(store, session, name, err);
    return error_wrap(err, "%s", what);
}

static int find(struct store *store, const char *sid, const char *name, const char *what,
                struct buf *found, const char **id, struct error *err)
{
    struct session_found session;
    int64_t count;

    if (store_session_find(store, sid, &session, err) != 0 ||
        db_number(store, SQL_NODE_TWINS, session.key, name, &count, err) != 0)
        return -1;
    *id = name;
    if (count > 0)
        return 0;
    if (search(store, session.key, name, what, found, err) != 0)
        return -1;
    *id = found->data;
    return 0;
}

int store_node_id(struct store *store, const char *sid, const char *name, const char *what,
                  struct buf *found, const char **id, struct error *err)
{
    if (store_refresh(store, UPSTREAM_NODES, sid, NULL, err) != 0)
        return -1;
    if (store_read_begin(store, err) != 0)
        return -1;
    return store_read_end(store, find(store, sid, name, what, found, id, err));
}
