/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The full text search of SQLite (FTS5). An auxiliary function hands each place that a query finds
 * to the store, which ranks them: FTS5's own ranking reads the length of every row, and weighs a
 * word by all sessions.
 */
#include "mcp/store/sqlite/sqlite_internal.h"

/* search_hit(search) */
static void on_row(const Fts5ExtensionApi *api, Fts5Context *row, sqlite3_context *context,
                   int count, sqlite3_value **values)
{
    struct sqlite_db *db = api->xUserData(row);
    int hits = 0, rc = api->xInstCount(row, &hits);

    (void)count;
    (void)values;
    for (int i = 0; rc == SQLITE_OK && i < hits; i++) {
        int phrase, column, offset;

        rc = api->xInst(row, i, &phrase, &column, &offset);
        if (rc == SQLITE_OK)
            db->on_hit(db->hit_user, api->xRowid(row), phrase, column, offset);
    }
    if (rc != SQLITE_OK)
        sqlite3_result_error_code(context, rc);
}

int sqlite_search_open(struct sqlite_db *db, struct error *err)
{
    sqlite3_stmt *statement = NULL;
    fts5_api *api = NULL;
    int rc = sqlite3_prepare_v2(db->handle, "SELECT fts5(?1)", -1, &statement, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_bind_pointer(statement, 1, (void *)&api, "fts5_api_ptr", NULL);
    if (rc == SQLITE_OK)
        sqlite3_step(statement);
    sqlite3_finalize(statement);
    if (!api)
        return error_set(
            err, ERROR_UNAVAILABLE,
            "this SQLite has no full text search (FTS5): use one that was built with it");
    rc = api->xCreateFunction(api, "search_hit", db, on_row, NULL);
    return rc == SQLITE_OK ? 0
                           : error_set(err, ERROR_INTERNAL, "cannot prepare the search: %s",
                                       sqlite3_errstr(rc));
}

int sqlite_search(struct db *base, const char *query, int64_t first, int64_t last,
                  db_hit_fn *on_hit, void *user, struct error *err)
{
    struct sqlite_db *db = sqlite_of(base);
    struct rows *rows = db_query(base, err, SQL_SEARCH_MATCH, "sii", query, first, last);
    int row;

    db->on_hit = on_hit;
    db->hit_user = user;
    while ((row = rows_next(rows, err)) > 0)
        continue;
    return row;
}
