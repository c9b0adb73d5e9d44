/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/auth/identity_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct identity_row {
    struct digest digest;
    struct identity identity;
    int64_t until;
    LIST_ENTRY(identity_row) in_slot;
    TAILQ_ENTRY(identity_row) by_age;
};

LIST_HEAD(identity_slot, identity_row);

struct identity_table {
    size_t cap, count;
    TAILQ_HEAD(, identity_row) rows; /* oldest first */
    struct identity_slot slots[];
};

struct identity_table *identity_table_create(size_t cap, struct error *err)
{
    struct identity_table *table = calloc(1, sizeof *table + cap * sizeof table->slots[0]);

    if (!table) {
        error_set(err, ERROR_MEMORY, "out of memory for a table of tokens");
        return NULL;
    }
    table->cap = cap;
    TAILQ_INIT(&table->rows);
    return table;
}

static void free_row(struct identity_table *table, struct identity_row *row)
{
    LIST_REMOVE(row, in_slot);
    TAILQ_REMOVE(&table->rows, row, by_age);
    table->count--;
    free(row);
}

void identity_table_destroy(struct identity_table *table)
{
    while (table && !TAILQ_EMPTY(&table->rows))
        free_row(table, TAILQ_FIRST(&table->rows));
    free(table);
}

static struct identity_slot *slot_of(struct identity_table *table, const struct digest *digest)
{
    size_t hash;

    memcpy(&hash, digest->bytes, sizeof hash);
    return &table->slots[hash & (table->cap - 1)];
}

static struct identity_row *find(struct identity_table *table, const struct digest *digest)
{
    struct identity_row *row;

    LIST_FOREACH(row, slot_of(table, digest), in_slot)
    {
        if (memcmp(&row->digest, digest, sizeof *digest) == 0)
            break;
    }
    return row;
}

int identity_table_add(struct identity_table *table, const struct digest *digest,
                       const struct identity *identity, int64_t until, struct error *err)
{
    struct identity_row *row = calloc(1, sizeof *row);

    if (!row)
        return error_set(err, ERROR_MEMORY, "out of memory for a token");
    identity_table_remove(table, digest);
    if (table->count == table->cap)
        free_row(table, TAILQ_FIRST(&table->rows));
    row->digest = *digest;
    row->identity = *identity;
    row->until = until;
    LIST_INSERT_HEAD(slot_of(table, digest), row, in_slot);
    TAILQ_INSERT_TAIL(&table->rows, row, by_age);
    table->count++;
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
    return table->count;
}
