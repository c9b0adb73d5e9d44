/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "executor/pool_parts.h"

struct berth *berth_create(struct pool *pool, int kind)
{
    struct berth *berth = calloc(1, sizeof *berth);

    if (!berth)
        return NULL;
    berth->pool = pool;
    berth->kind = kind;
    berth->generation = pool->generation;
    berth->since = pool_now(pool);
    berth->state = BERTH_STARTING;
    TAILQ_INSERT_TAIL(&pool->berths, berth, link);
    pool->shelves[kind].counts[BERTH_STARTING]++;
    pool->counts[BERTH_STARTING]++;
    pool->total++;
    return berth;
}

void berth_destroy(struct berth *berth)
{
    struct pool *pool = berth->pool;

    TAILQ_REMOVE(&pool->berths, berth, link);
    pool->shelves[berth->kind].counts[berth->state]--;
    pool->counts[berth->state]--;
    pool->total--;
    free(berth->session);
    free(berth);
}

void berth_set(struct berth *berth, enum berth_state state)
{
    struct pool *pool = berth->pool;
    struct shelf *shelf = &pool->shelves[berth->kind];
    enum berth_state before = berth->state;

    shelf->counts[before]--;
    pool->counts[before]--;
    shelf->counts[state]++;
    pool->counts[state]++;
    berth->state = state;
    berth->since = pool_now(pool);
    if (state != before && (state == BERTH_READY || before == BERTH_READY))
        pool->config.on_ready(pool->config.user, berth->kind, shelf->counts[BERTH_READY]);
}

static void end_by(struct berth *berth, void (*end)(struct sandbox *sandbox))
{
    if (berth->state == BERTH_ENDING)
        return;
    berth_set(berth, BERTH_ENDING);
    end(berth->sandbox);
}

void berth_end(struct berth *berth)
{
    end_by(berth, sandbox_end);
}

void berth_retire(struct berth *berth)
{
    end_by(berth, sandbox_retire);
}

struct sandbox *berth_sandbox(const struct berth *berth)
{
    return berth->sandbox;
}

int berth_bind(struct berth *berth, const char *session)
{
    if (berth->bound)
        return berth->session && admission_same(berth->session, session) ? 0 : -1;
    berth->bound = true;
    berth->bound_at = pool_now(berth->pool);
    /* Without memory for the name it is nobody's: it serves this job, and then none. */
    berth->session = session ? strdup(session) : NULL;
    return 0;
}

bool berth_is_stale(const struct berth *berth)
{
    const struct pool *pool = berth->pool;

    return berth->generation != pool->generation ||
           (berth->state == BERTH_READY && pool_now(pool) - berth->ready_at >= pool->pace.renew);
}

/* How much rather this one is given than another: one of now before one of yesterday, one that does
 * not owe an answer before one that does. */
static int merit(const struct berth *berth)
{
    return (berth_is_stale(berth) ? 0 : 2) + (sandbox_is_pinged(berth->sandbox) ? 0 : 1);
}

/* Of several that are as good the youngest: the oldest are the next to be renewed. */
struct berth *berth_find_ready(struct pool *pool, int kind)
{
    struct berth *berth, *best = NULL;

    TAILQ_FOREACH(berth, &pool->berths, link)
    {
        if (berth->kind == kind && berth->state == BERTH_READY &&
            (!best || merit(berth) >= merit(best)))
            best = berth;
    }
    return best;
}

struct berth *berth_find_idle(struct pool *pool, int kind, const char *session)
{
    struct berth *berth, *best = NULL;

    TAILQ_FOREACH(berth, &pool->berths, link)
    {
        if (berth->kind == kind && berth->state == BERTH_IDLE && berth->session &&
            admission_same(berth->session, session) && (!best || merit(berth) >= merit(best)))
            best = berth;
    }
    return best;
}

unsigned berth_count_resting(const struct pool *pool, int kind, const char *session)
{
    const struct berth *berth;
    unsigned count = 0;

    TAILQ_FOREACH(berth, &pool->berths, link)
    {
        if (berth->kind == kind && berth->state == BERTH_RESTING &&
            admission_same(berth->session, session))
            count++;
    }
    return count;
}

unsigned berth_count_of(const struct pool *pool, const char *session)
{
    const struct berth *berth;
    unsigned count = 0;

    TAILQ_FOREACH(berth, &pool->berths, link)
    {
        if (berth->bound && berth->state != BERTH_ENDING && admission_same(berth->session, session))
            count++;
    }
    return count;
}
