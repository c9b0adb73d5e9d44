/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validator/facts/facts.h"

#include <stdlib.h>
#include <string.h>

#include "validator/facts/scope.h"

#define FIRST_ROWS 64

bool facts_grow(void **rows, uint32_t count, uint32_t *size, size_t row_size)
{
    uint32_t wanted = *size ? *size * 2 : FIRST_ROWS;
    void *moved;

    if (count < *size)
        return true;
    moved = realloc(*rows, wanted * row_size);
    if (!moved)
        return false;
    *rows = moved;
    *size = wanted;
    return true;
}

void facts_init(struct facts *facts, const struct ast *ast)
{
    struct scope_walk walk = {.facts = facts, .nodes = ast->nodes};

    memset(facts, 0, sizeof *facts);
    facts->ast = ast;
    if (ast->failed || ast->count == 0)
        return;
    walk.own = calloc((size_t)ast->symbols.count + 1, 2 * sizeof *walk.own);
    if (!walk.own) {
        facts->failed = true;
        return;
    }
    walk.seen = walk.own + ast->symbols.count + 1;
    scope_declare(&walk);
    if (!facts->failed)
        scope_resolve(&walk);
    free(walk.own);
}

void facts_finish(struct facts *facts)
{
    if (!facts)
        return;
    free(facts->scopes);
    free(facts->bindings);
    free(facts->imports.rows);
    free(facts->names.rows);
    free(facts->attributes.rows);
    free(facts->calls.rows);
    free(facts->strings.rows);
    free(facts->other.rows);
    memset(facts, 0, sizeof *facts);
}
