/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session or node that a name means: its id, or a title that no other one has.
 */
#include <string.h>

#include "helpers/base/nearest.h"
#include "helpers/graph/text.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/store_internal.h"

#define CHOICES_CAP 12  /* sessions that a message lists */
#define SHOWN_CAP   160 /* bytes of a name that a message shows */

/* ---- sessions ---- */

int store_list_choices(struct rows *rows, char sid[SESSION_ID_SIZE], struct buf *choices,
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
    struct buf BUF_AUTO choices = {0};
    size_t count;
    int row;

    if (store_refresh(store, MIRROR_SESSIONS, NULL, NULL, err) != 0)
        return -1;
    rows = db_query(store->db, err, SQL_SESSION_NAMES, "");
    row = rows_next(rows, err);
    if (row < 0)
        return -1;
    if (row == 0)
        return error_set_at(err, "session_id",
                            "the store holds no session yet: import a curriculum first");
    text_cut(sid, SESSION_ID_SIZE, rows_text(rows, 0));
    row = rows_next(rows, err);
    if (row <= 0)
        return row;
    buf_init(&choices, 0);
    if (store_list_choices(db_query(store->db, err, SQL_SESSION_NAMES, ""), sid, &choices, &count,
                           err) < 0)
        return -1;
    return error_set_at(err, "session_id", "there are %zu curricula, name one as session_id: %s",
                        count, choices.data);
}

int store_known_session_of_node(struct store *store, const char *node_id, char sid[SESSION_ID_SIZE],
                                struct error *err)
{
    struct rows *rows;
    char first[SESSION_ID_SIZE] = "", shown[80];
    struct buf BUF_AUTO choices = {0};
    size_t count;

    buf_init(&choices, 0);
    rows = db_query(store->db, err, SQL_NODE_SESSIONS, "s", node_id);
    if (store_list_choices(rows, first, &choices, &count, err) != 0)
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
    if (store_refresh(store, MIRROR_OWNERS, NULL, node_id, err) != 0)
        return -1;
    return store_known_session_of_node(store, node_id, sid, err);
}

/* One that no session has: with the nearest title, or with all that there are. Returns -1. */
static int fail_unnamed(struct store *store, const char *name, const char *what, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_SESSION_NAMES, "");
    char shown[SHOWN_CAP], first[SESSION_ID_SIZE] = "", near[SHOWN_CAP] = "";
    struct buf BUF_AUTO choices = {0};
    struct nearest nearest;
    size_t count;
    int row;

    nearest_begin(&nearest, name);
    while ((row = rows_next(rows, err)) > 0) {
        nearest_feed(&nearest, rows_text(rows, 1));
        if (nearest.best && nearest.best_index + 1 == nearest.fed) {
            text_cut(first, sizeof first, rows_text(rows, 0));
            text_cut_line(near, sizeof near, rows_text(rows, 1));
        }
    }
    if (row < 0)
        return -1;
    text_cut_line(shown, sizeof shown, name);
    if (*near)
        return error_set(err, ERROR_NOT_FOUND,
                         "%s: there is no curriculum '%s'; did you mean '%s' (%s)?", what, shown,
                         near, first);
    if (store_list_choices(db_query(store->db, err, SQL_SESSION_NAMES, ""), first, &choices, &count,
                           err) < 0)
        return -1;
    return error_set(err, ERROR_NOT_FOUND,
                     "%s: there is no curriculum '%s'; the store has %zu: %s%s%s%s", what, shown,
                     count, choices.data ? choices.data : "", count == 1 ? "; leave " : "",
                     count == 1 ? what : "", count == 1 ? " out" : "");
}

/* Several have that title: their ids. Returns -1. */
static int fail_shared(struct store *store, const struct graph_name *search, const char *what,
                       struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_SESSION_NAMES, "");
    struct buf BUF_AUTO ids = {0};
    char shown[SHOWN_CAP];
    size_t listed = 0;
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        if (graph_text_same(search->name, rows_text(rows, 1)) && listed++ < GRAPH_NAME_SHOWN)
            buf_addf(&ids, "%s%s", listed > 1 ? ", " : "", rows_text(rows, 0));
    }
    if (row < 0 || buf_check(&ids, "the curricula of a title", err) < 0)
        return -1;
    if (listed > GRAPH_NAME_SHOWN)
        buf_addf(&ids, " and %zu more", listed - GRAPH_NAME_SHOWN);
    return error_set(err, ERROR_CONFLICT,
                     "%s: \"%s\" is the title of %zu curricula: %s. Send the id of one of them",
                     what, text_cut_line(shown, sizeof shown, search->name), search->same_titles,
                     ids.data);
}

static int search_session(struct store *store, const char *name, const char *what,
                          char sid[SESSION_ID_SIZE], struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_SESSION_NAMES, "");
    struct graph_name search;
    size_t place;
    int row;

    graph_name_begin(&search, name);
    while ((row = rows_next(rows, err)) > 0)
        graph_name_feed(&search, rows_text(rows, 0), rows_text(rows, 1), NULL);
    if (row < 0)
        return -1;
    if (!graph_name_found(&search, &place))
        return search.same_titles > 1 ? fail_shared(store, &search, what, err)
                                      : fail_unnamed(store, name, what, err);
    rows = db_query(store->db, err, SQL_SESSION_NAMES, "");
    for (size_t i = 0; (row = rows_next(rows, err)) > 0 && i < place; i++)
        ;
    if (row <= 0)
        return row < 0 ? -1
                       : error_set(err, ERROR_INTERNAL, "a session vanished while it was named");
    text_cut(sid, SESSION_ID_SIZE, rows_text(rows, 0));
    rows_end(rows);
    return 0;
}

int store_session_named(struct store *store, const char *name, const char *what,
                        char sid[SESSION_ID_SIZE], struct error *err)
{
    struct error found = {0};
    bool is_id = strlen(name) == UUID_TEXT_SIZE - 1 &&
                 strspn(name, "0123456789abcdefABCDEF-") == UUID_TEXT_SIZE - 1;

    if (is_id || strlen(name) < SESSION_ID_SIZE) {
        text_cut(sid, SESSION_ID_SIZE, name);
        if (store_session(store, sid, NULL, 0, NULL, &found) == 0)
            return 0;
        if (found.kind != ERROR_UNAUTHORIZED || is_id) {
            if (err)
                *err = found;
            return -1;
        }
    }
    if (store_refresh(store, MIRROR_SESSIONS, NULL, NULL, err) != 0)
        return -1;
    return search_session(store, name, what, sid, err);
}

/* ---- nodes ---- */

static int write_shared(struct store *store, int64_t session, const char *name, const char *what,
                        size_t count, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_NODE_NAMES, "i", session);
    struct buf BUF_AUTO list = {0};
    char shown[SHOWN_CAP];
    size_t listed = 0;
    int row = 0;

    while (listed < GRAPH_NAME_SHOWN && (row = rows_next(rows, err)) > 0) {
        struct graph_name one;

        graph_name_begin(&one, name);
        graph_name_feed(&one, "", rows_text(rows, 1), rows_text(rows, 2));
        if (one.same_titles == 0)
            continue;
        text_cut_line(shown, sizeof shown, rows_text(rows, 0));
        buf_addf(&list, "%s%s", listed++ > 0 ? ", " : "", shown);
    }
    rows_end(rows);
    if (row < 0)
        return -1;
    if (listed < count)
        buf_addf(&list, " and %zu more", count - listed);
    if (buf_check(&list, "the nodes of a title", err) < 0)
        return -1;
    return error_set(err, ERROR_CONFLICT,
                     "%s: \"%s\" is the title of %zu nodes: %s. Send the id of one of them", what,
                     text_cut_line(shown, sizeof shown, name), count, list.data);
}

/* The id at a place of the search. */
static int read_id(struct store *store, int64_t session, size_t place, struct buf *found,
                   struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_NODE_NAMES, "i", session);
    int row = 1;

    for (size_t i = 0; row > 0 && i <= place; i++)
        row = rows_next(rows, err);
    if (row <= 0)
        return row < 0 ? -1 : error_set(err, ERROR_INTERNAL, "a node vanished while it was named");
    buf_clear(found);
    buf_adds(found, rows_text(rows, 0));
    rows_end(rows);
    return buf_check(found, "a node's id", err);
}

static int search(struct store *store, int64_t session, const char *name, const char *what,
                  struct buf *found, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_NODE_NAMES, "i", session);
    struct node_found unknown;
    struct graph_name search;
    size_t place;
    int row;

    graph_name_begin(&search, name);
    while ((row = rows_next(rows, err)) > 0)
        graph_name_feed(&search, rows_text(rows, 0), rows_text(rows, 1), rows_text(rows, 2));
    if (row < 0)
        return -1;
    if (graph_name_found(&search, &place))
        return read_id(store, session, place, found, err);
    if (search.same_titles > 1)
        return write_shared(store, session, name, what, search.same_titles, err);
    store_node_find(store, session, name, &unknown, err);
    return error_wrap(err, "%s", what);
}

static int node_named(struct store *store, int64_t session, const char *name, const char *what,
                      struct buf *found, const char **id, struct error *err)
{
    int64_t count;

    if (db_number(store->db, &count, err, SQL_NODE_TWINS, "is", session, name) != 0)
        return -1;
    *id = name;
    if (count > 0)
        return 0;
    if (search(store, session, name, what, found, err) != 0)
        return -1;
    *id = found->data;
    return 0;
}

int store_node_id(struct store *store, const char *sid, const char *name, const char *what,
                  struct buf *found, const char **id, struct error *err)
{
    struct session_found session;

    if (store_read_begin(store, MIRROR_NODES, sid, NULL, &session, err) < 0)
        return -1;
    return store_read_end(store, node_named(store, session.key, name, what, found, id, err));
}
