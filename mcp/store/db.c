/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calls of db.h that take a statement's parameters.
 */
#include "mcp/store/db.h"

#include "helpers/base/json.h"

struct rows *db_query(struct db *db, struct error *err, enum statement id, const char *format, ...)
{
    struct rows *rows;
    va_list args;

    va_start(args, format);
    rows = db->backend->query(db, err, id, format, args);
    va_end(args);
    return rows;
}

int db_run(struct db *db, struct error *err, enum statement id, const char *format, ...)
{
    va_list args;
    int rc;

    va_start(args, format);
    rc = db->backend->run(db, NULL, err, id, format, args);
    va_end(args);
    return rc;
}

int db_insert(struct db *db, int64_t *key, struct error *err, enum statement id, const char *format,
              ...)
{
    va_list args;
    int rc;

    va_start(args, format);
    rc = db->backend->run(db, key, err, id, format, args);
    va_end(args);
    return rc;
}

int db_number(struct db *db, int64_t *number, struct error *err, enum statement id,
              const char *format, ...)
{
    struct rows *rows;
    va_list args;
    int row;

    va_start(args, format);
    rows = db->backend->query(db, err, id, format, args);
    va_end(args);
    row = rows_next(rows, err);
    if (row < 0)
        return -1;
    *number = row > 0 ? rows_int(rows, 0) : 0;
    rows_end(rows);
    return 0;
}

void rows_write_text(struct rows *rows, int column, struct buf *json)
{
    struct row_text text = rows_string(rows, column);

    if (text.text)
        json_write_string(json, text.text, text.len);
    else
        buf_adds(json, "null");
}
