/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rows of deleted sessions. A deletion only hides its session, because deleting the rows of a
 * large one takes seconds, and the writers of other sessions would wait. The rows are deleted in
 * steps, each a transaction, while no other write waits. After a kill the next start continues.
 */
#include "mcp/store/entities/session.h"
#include "mcp/store/store_internal.h"

#define STEP_ROWS INT64_C(100) /* deleted in a step, of each table: about 10 ms with the search */

/* What a session consists of. A step deletes rows of the first kind that has any; the few other
 * rows are deleted with the row of the session. */
static const struct part {
    enum statement any;
    enum statement deletions[2];
    size_t count;
} parts[] = {
    {SQL_DROPPED_NODES, {SQL_DROPPED_COMPONENTS_DELETE, SQL_DROPPED_NODES_DELETE}, 2},
    {SQL_DROPPED_RELATIONSHIPS, {SQL_DROPPED_RELATIONSHIPS_DELETE}, 1},
    {SQL_DROPPED_CHANGES, {SQL_DROPPED_CHANGES_DELETE}, 1},
    {SQL_DROPPED_MESSAGES, {SQL_DROPPED_MESSAGES_DELETE}, 1},
    {SQL_DROPPED_TASKS, {SQL_DROPPED_TASKS_DELETE}, 1},
    {SQL_DROPPED_POSITIONS, {SQL_DROPPED_POSITIONS_DELETE}, 1},
};

static int drop_rows(struct store *store, int64_t session, struct error *err)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct part *part = &parts[i];
        int64_t any;

        if (db_number(store->db, &any, err, part->any, "i", session) < 0)
            return -1;
        for (size_t j = 0; any > 0 && j < part->count; j++)
            if (db_run(store->db, err, part->deletions[j], "ii", session, STEP_ROWS) < 0)
                return -1;
        if (any > 0)
            return 0;
    }
    return db_run(store->db, err, SQL_SESSION_DELETE, "i", session);
}

int store_drop_step(struct store *store, struct error *err)
{
    int64_t session;
    int rc;

    if (!store->has_dropped || store->mirror)
        return 0;
    if (db_number(store->db, &session, err, SQL_DROPPED_FIND, "") < 0)
        return -1;
    if (session == 0) {
        store->has_dropped = false;
        return 0;
    }
    if (store_begin(store, err) < 0)
        return -1;
    rc = drop_rows(store, session, err);
    if (store_end(store, rc == 0, rc == 0 ? err : NULL) < 0 || rc < 0)
        return -1;
    return 1;
}
