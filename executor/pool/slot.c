/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "executor/pool/pool_internal.h"

struct slot *slot_create(struct pool *pool, int kind)
{
    struct slot *slot = calloc(1, sizeof *slot);

    if (!slot)
        return NULL;
    slot->pool = pool;
    slot->kind = kind;
    slot->generation = pool->generation;
    slot->since = pool_now(pool);
    slot->state = SLOT_STARTING;
    TAILQ_INSERT_TAIL(&pool->slots, slot, link);
    pool->kind_pools[kind].counts[SLOT_STARTING]++;
    pool->counts[SLOT_STARTING]++;
    pool->total++;
    return slot;
}

void slot_destroy(struct slot *slot)
{
    struct pool *pool = slot->pool;

    TAILQ_REMOVE(&pool->slots, slot, link);
    pool->kind_pools[slot->kind].counts[slot->state]--;
    pool->counts[slot->state]--;
    pool->total--;
    free(slot->session);
    free(slot);
}

void slot_set(struct slot *slot, enum slot_state state)
{
    struct pool *pool = slot->pool;
    struct kind_pool *kind_pool = &pool->kind_pools[slot->kind];
    enum slot_state before = slot->state;

    kind_pool->counts[before]--;
    pool->counts[before]--;
    kind_pool->counts[state]++;
    pool->counts[state]++;
    slot->state = state;
    slot->since = pool_now(pool);
    if (state != before && (state == SLOT_READY || before == SLOT_READY))
        pool->config.on_ready(pool->config.user, slot->kind, kind_pool->counts[SLOT_READY]);
}

static void end_by(struct slot *slot, void (*end)(struct sandbox *sandbox))
{
    if (slot->state == SLOT_ENDING)
        return;
    slot_set(slot, SLOT_ENDING);
    end(slot->sandbox);
}

void slot_end(struct slot *slot)
{
    end_by(slot, sandbox_end);
}

void slot_retire(struct slot *slot)
{
    end_by(slot, sandbox_retire);
}

struct sandbox *slot_sandbox(const struct slot *slot)
{
    return slot->sandbox;
}

int slot_bind(struct slot *slot, const char *session)
{
    if (slot->bound)
        return slot->session && admission_same(slot->session, session) ? 0 : -1;
    slot->bound = true;
    slot->bound_at = pool_now(slot->pool);
    /* Without memory for the name it is nobody's: it serves this job, and then none. */
    slot->session = session ? strdup(session) : NULL;
    return 0;
}

bool slot_is_stale(const struct slot *slot)
{
    const struct pool *pool = slot->pool;

    return slot->generation != pool->generation ||
           (slot->state == SLOT_READY && pool_now(pool) - slot->ready_at >= pool->pace.renew);
}

/* How much rather this one is given than another: one of now before one of yesterday, one that does
 * not owe an answer before one that does. */
static int merit(const struct slot *slot)
{
    return (slot_is_stale(slot) ? 0 : 2) + (sandbox_is_pinged(slot->sandbox) ? 0 : 1);
}

/* Of several that are as good the youngest: the oldest are the next to be renewed. */
struct slot *slot_find_ready(struct pool *pool, int kind)
{
    struct slot *slot, *best = NULL;

    TAILQ_FOREACH(slot, &pool->slots, link)
    {
        if (slot->kind == kind && slot->state == SLOT_READY &&
            (!best || merit(slot) >= merit(best)))
            best = slot;
    }
    return best;
}

struct slot *slot_find_idle(struct pool *pool, int kind, const char *session)
{
    struct slot *slot, *best = NULL;

    TAILQ_FOREACH(slot, &pool->slots, link)
    {
        if (slot->kind == kind && slot->state == SLOT_IDLE && slot->session &&
            admission_same(slot->session, session) && (!best || merit(slot) >= merit(best)))
            best = slot;
    }
    return best;
}

unsigned slot_count_recycling(const struct pool *pool, int kind, const char *session)
{
    const struct slot *slot;
    unsigned count = 0;

    TAILQ_FOREACH(slot, &pool->slots, link)
    {
        if (slot->kind == kind && slot->state == SLOT_RECYCLING &&
            admission_same(slot->session, session))
            count++;
    }
    return count;
}

unsigned slot_count_of(const struct pool *pool, const char *session)
{
    const struct slot *slot;
    unsigned count = 0;

    TAILQ_FOREACH(slot, &pool->slots, link)
    {
        if (slot->bound && slot->state != SLOT_ENDING && admission_same(slot->session, session))
            count++;
    }
    return count;
}
