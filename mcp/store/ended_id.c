/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ids that were ended before their time. They are rows until then, so that every server on the
 * database refuses them, also after a restart.
 */
#include <string.h>
#include <time.h>

#include "mcp/store/shared.h"
#include "mcp/store/store_internal.h"

static int end_id(struct store *store, const char *id, int64_t ends, struct error *err)
{
    int64_t count;

    if (db_run(store->db, err, SQL_ENDED_DROP_OLD, "i", (int64_t)time(NULL)) != 0 ||
        db_number(store->db, &count, err, SQL_ENDED_COUNT, "") < 0)
        return -1;
    if (count >= ENDED_IDS_CAP)
        return error_set(err, ERROR_BUSY,
                         "%d ended ids are kept, more are not: this one ends by itself",
                         ENDED_IDS_CAP);
    return db_run(store->db, err, SQL_ENDED_KEEP, "si", id, ends);
}

int store_end_id(struct store *store, const char *id, int64_t ends, struct error *err)
{
    int rc;

    if (!*id || strlen(id) > ENDED_ID_MAX)
        return error_set(err, ERROR_INTERNAL, "an id has 1 to %d bytes", ENDED_ID_MAX);
    if (store_begin(store, err) < 0)
        return -1;
    rc = end_id(store, id, ends, err);
    if (store_end(store, rc == 0, rc == 0 ? err : NULL) != 0)
        rc = -1;
    return rc;
}

int store_ended_ids(struct store *store, struct ended_ids_seen *seen,
                    void (*on_id)(void *user, const char *id, int64_t ends), void *user,
                    struct error *err)
{
    struct rows *rows;
    int64_t data_version;
    int row;

    if (db_number(store->db, &data_version, err, SQL_DATA_VERSION, "") < 0)
        return -1;
    if (data_version == seen->data_version)
        return 0;
    rows = db_query(store->db, err, SQL_ENDED_SINCE, "ii", seen->key, (int64_t)time(NULL));
    while ((row = rows_next(rows, err)) > 0) {
        on_id(user, rows_text(rows, 1), rows_int(rows, 2));
        seen->key = rows_int(rows, 0);
    }
    if (row == 0)
        seen->data_version = data_version;
    return row;
}
