/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which session a name means: its id, or a title that no other session has.
 */
#include <string.h>

#include "helpers/base/nearest.h"
#include "helpers/graph/text.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/store_internal.h"

#define SHOWN_CAP 160 /* bytes of a name that a message shows */

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
