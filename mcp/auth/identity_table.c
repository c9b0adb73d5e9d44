/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/auth/identity_table.h"

#include <stdlib.h>

#include "helpers/base/table.h"

struct identity_row {
    struct digest digest;
    struct identity identity;
    int64_t until;
    UT_hash_handle hh;
};

struct identity_table {
    size_t cap;
    struct identity_row *rows; /* by digest; the oldest first */
};

struct identity_table *identity_table_create(size_t cap, struct error *err)
{
    struct identity_table *table = calloc(1, sizeof *table);

    if (!table) {
        error_set(err, ERROR_MEMORY, "out of memory for a table of tokens");
        return NULL;
    }
    table->cap = cap;
    return table;
}

static void free_row(struct identity_table *table, struct identity_row *row)
{
    HASH_DEL(table->rows, row);
    free(row);
}

void identity_table_destroy(struct identity_table *table)
{
    while (table && table->rows)
        free_row(table, table->rows);
    free(table);
}

static struct identity_row *find(struct identity_table *table, const struct digest *digest)
{
    struct identity_row *row;

    HASH_FIND(hh, table->rows, digest, sizeof *digest, row);
    return row;
}

int identity_table_add(struct identity_table *table, const struct digest *digest,
                       const struct identity *identity, int64_t until, struct error *err)
{
    struct identity_row *row = calloc(1, sizeof *row);

    if (!row)
        return error_set(err, ERROR_MEMORY, "out of memory for a token");
    identity_table_remove(table, digest);
    if (HASH_COUNT(table->rows) == table->cap)
        free_row(table, table->rows);
    row->digest = *digest;
    row->identity = *identity;
    row->until = until;
    HASH_ADD(hh, table->rows, digest, sizeof row->digest, row);
    return 0;
}

const struct identity *identity_table_find(struct identity_table *table,
                                           const struct digest *digest, int64_t now)
{
    struct identity_row *row = find(table, digest);

    if (row && row->until != 0 && row->until <= now) {
        free_row(table, row);
        row = NULL;
    }
    return row ? &row->identity : NULL;
}

void identity_table_remove(struct identity_table *table, const struct digest *digest)
{
    struct identity_row *row = find(table, digest);

    if (row)
        free_row(table, row);
}

size_t identity_table_count(const struct identity_table *table)
{
    return HASH_COUNT(table->rows);
}
