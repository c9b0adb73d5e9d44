/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keys that all servers on one database share.
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "helpers/base/encode.h"
#include "mcp/store/shared.h"
#include "mcp/store/store_internal.h"

#define HEX_LEN (2 * (size_t)SECRET_SIZE)

static int make_hex(char hex[HEX_LEN + 1], struct error *err)
{
    unsigned char bytes[SECRET_SIZE];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return error_errno(err, errno, "getrandom for a key");
    hex_write(hex, bytes, sizeof bytes);
    return 0;
}

static int read_hex(const struct row_text *hex, const char *name, unsigned char secret[SECRET_SIZE],
                    struct error *err)
{
    if (hex_read(hex->text, hex->len, secret, SECRET_SIZE))
        return 0;
    return error_set(err, ERROR_IO,
                     "the key '%s' in the store is damaged: restore a backup, or delete the row of "
                     "the table secret, which makes a new key",
                     name);
}

static int find(struct store *store, const char *name, unsigned char secret[SECRET_SIZE],
                struct error *err)
{
    struct rows *rows ROWS_AUTO = db_query(store->db, err, SQL_SECRET_FIND, "s", name);
    int row = rows_next(rows, err);
    struct row_text hex;

    if (row <= 0)
        return row;
    hex = rows_string(rows, 0);
    return read_hex(&hex, name, secret, err) < 0 ? -1 : 1;
}

/* The one who comes first has made it: the other reads that one's. */
static int make(struct store *store, const char *name, unsigned char secret[SECRET_SIZE],
                struct error *err)
{
    char hex[HEX_LEN + 1];
    int found;

    if (make_hex(hex, err) < 0 || db_run(store->db, err, SQL_SECRET_KEEP, "ss", name, hex) != 0)
        return -1;
    found = find(store, name, secret, err);
    if (found == 0)
        return error_set(err, ERROR_INTERNAL, "the key '%s' was not kept", name);
    return found < 0 ? -1 : 0;
}

int store_secret(struct store *store, const char *name, unsigned char secret[SECRET_SIZE],
                 struct error *err)
{
    int found = find(store, name, secret, err), rc;

    if (found != 0)
        return found < 0 ? -1 : 0;
    if (store_begin(store, err) < 0)
        return -1;
    rc = make(store, name, secret, err);
    if (store_end(store, rc == 0, rc == 0 ? err : NULL) != 0)
        rc = -1;
    return rc;
}
