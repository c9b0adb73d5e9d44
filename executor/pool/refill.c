/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the pool starts and when, and what it ends for that. Jobs first: each that waits gets a
 * start at once, as many as may be under way. Refills wait for calm.
 */
#include "executor/pool/pool_internal.h"

#define NEVER UINT64_MAX

unsigned pool_wanted(struct pool *pool, int kind)
{
    unsigned peak = demand_peak(&pool->kind_pools[kind].demand, pool_now(pool));
    unsigned wanted = pool->config.waiting[kind];

    if (!pool->config.warm[kind])
        return 0;
    if (peak > POOL_WAITING_BY_DEMAND)
        peak = POOL_WAITING_BY_DEMAND;
    return peak > wanted ? peak : wanted;
}

static void publish(struct pool *pool)
{
    for (int kind = 0; kind < KINDS_COUNT; kind++) {
        const struct kind_pool *kind_pool = &pool->kind_pools[kind];
        struct executor_kind_stats row = {
            .ready = kind_pool->counts[SLOT_READY] + kind_pool->counts[SLOT_IDLE],
            .starting = kind_pool->counts[SLOT_STARTING],
            .busy = kind_pool->counts[SLOT_BUSY] + kind_pool->counts[SLOT_RECYCLING],
            .wanted = pool_wanted(pool, kind),
            .started = kind_pool->started,
            .failed = kind_pool->failed,
            .lost = kind_pool->lost};

        stats_set_kind(pool->config.stats, kind, &row);
    }
}

static bool start_one(struct pool *pool, int kind)
{
    struct kind_pool *kind_pool = &pool->kind_pools[kind];
    struct slot *slot = slot_create(pool, kind);
    struct error err = {0};

    health_ask_made_of(pool, POOL_MADE_OF_FRESH_MS);
    if (slot)
        slot->sandbox =
            sandbox_start(pool->config.host, kind, &pool_events, slot, pool_on_gone, slot, &err);
    else
        error_set(&err, ERROR_MEMORY, "out of memory for a sandbox");
    if (slot && slot->sandbox)
        return true;
    if (slot)
        slot_destroy(slot);
    pool_note_failure(pool, kind_pool, &err);
    return false;
}

/* ---- for jobs that wait ---- */

/* How many starts the kind's jobs could use that are not under way. */
static unsigned unmet(struct pool *pool, int kind)
{
    struct kind_pool *kind_pool = &pool->kind_pools[kind];
    const struct pool_wait *wait;
    unsigned could = 0;

    if (kind_pool->queue.count <= kind_pool->counts[SLOT_STARTING])
        return 0;
    TAILQ_FOREACH(wait, &kind_pool->queue.waits, link)
    {
        could += pool_wants_new(pool, wait);
        if (could >= kind_pool->counts[SLOT_STARTING] + POOL_STARTS_MAX)
            break; /* nobody asks beyond what may start */
    }
    return could > kind_pool->counts[SLOT_STARTING] ? could - kind_pool->counts[SLOT_STARTING] : 0;
}

static unsigned all_unmet(struct pool *pool)
{
    unsigned sum = 0;

    for (int kind = 0; kind < KINDS_COUNT; kind++)
        sum += unmet(pool, kind);
    return sum;
}

/* Ones that end leave room as well. */
bool pool_needs_room(struct pool *pool)
{
    unsigned needed;

    if (pool->total < POOL_SANDBOXES_CAP)
        return false;
    needed = all_unmet(pool);
    if (needed > POOL_STARTS_MAX)
        needed = POOL_STARTS_MAX;
    return needed > pool->counts[SLOT_ENDING];
}

/* The one that has been idle for the longest, but not one that its session has only just got: else
 * sandboxes would be passed round after each job. *soonest: when there will be one. */
static struct slot *find_idle_longest(struct pool *pool, uint64_t *soonest)
{
    struct slot *slot, *longest = NULL;

    TAILQ_FOREACH(slot, &pool->slots, link)
    {
        uint64_t held_until = slot->bound_at + pool->pace.hold;

        if (slot->state != SLOT_IDLE)
            continue;
        if (held_until > pool_now(pool))
            *soonest = held_until < *soonest ? held_until : *soonest;
        else if (!longest || slot->since < longest->since)
            longest = slot;
    }
    return longest;
}

/* One that waits of a kind that nobody waits for: of the kind that has most. */
static struct slot *find_spare(struct pool *pool)
{
    struct slot *slot, *spare = NULL;

    TAILQ_FOREACH(slot, &pool->slots, link)
    {
        const struct kind_pool *kind_pool = &pool->kind_pools[slot->kind];

        if (slot->state == SLOT_READY && kind_pool->queue.count == 0 &&
            (!spare ||
             kind_pool->counts[SLOT_READY] > pool->kind_pools[spare->kind].counts[SLOT_READY]))
            spare = slot;
    }
    return spare;
}

static uint64_t make_room(struct pool *pool)
{
    uint64_t soonest = NEVER;

    while (pool_needs_room(pool)) {
        struct slot *slot = find_idle_longest(pool, &soonest);

        if (!slot)
            slot = find_spare(pool);
        if (!slot)
            break;
        slot_end(slot);
    }
    return soonest;
}

/* When the next thing can be done for the jobs that wait; what can be done now is done. */
static uint64_t start_for_jobs(struct pool *pool)
{
    uint64_t soonest = NEVER;

    for (int tried = 0; tried < KINDS_COUNT;) {
        int kind = pool->turn;
        uint64_t retry_at = pool->kind_pools[kind].retry_at;

        /* At either cap, the end of a start or of a sandbox calls again. */
        if (pool->counts[SLOT_STARTING] >= POOL_STARTS_MAX)
            return soonest;
        pool->turn = (pool->turn + 1) % KINDS_COUNT;
        tried++;
        if (unmet(pool, kind) == 0)
            continue;
        if (retry_at > pool_now(pool)) {
            soonest = retry_at < soonest ? retry_at : soonest;
            continue;
        }
        if (pool->total >= POOL_SANDBOXES_CAP) {
            uint64_t room_at = make_room(pool);

            pool->turn = kind; /* it is still its turn */
            return room_at < soonest ? room_at : soonest;
        }
        if (start_one(pool, kind))
            tried = 0;
    }
    return soonest;
}

/* ---- refills ---- */

/* When a refill may begin: a pause after the last run, at the latest so long after it was first
 * wanted. */
static uint64_t refill_time(const struct pool *pool, const struct kind_pool *kind_pool)
{
    uint64_t latest = kind_pool->wanted_at + POOL_REFILL_PUT_OFF_MS;
    uint64_t calm = pool->idle_since ? pool->idle_since + POOL_REFILL_PAUSE_MS : 0;

    if (pool->counts[SLOT_BUSY] > 0)
        return latest;
    return calm < latest ? calm : latest;
}

static bool wants_refill(struct pool *pool, int kind)
{
    const struct slot *slot;
    unsigned good = pool->kind_pools[kind].counts[SLOT_STARTING];

    TAILQ_FOREACH(slot, &pool->slots, link)
    good += slot->kind == kind && slot->state == SLOT_READY && !slot_is_stale(slot);
    return good < pool_wanted(pool, kind);
}

/* When this kind may start a refill; NEVER when it wants none. */
static uint64_t next_refill(struct pool *pool, int kind)
{
    struct kind_pool *kind_pool = &pool->kind_pools[kind];
    uint64_t at;

    if (!wants_refill(pool, kind)) {
        kind_pool->wanted_at = 0;
        return NEVER;
    }
    if (!kind_pool->wanted_at)
        kind_pool->wanted_at = pool_now(pool);
    /* One at a time: the one under way calls again, and so does the end that makes room. */
    if (pool->counts[SLOT_STARTING] > 0 || pool->total >= POOL_SANDBOXES_CAP)
        return NEVER;
    at = refill_time(pool, kind_pool);
    return at > kind_pool->retry_at ? at : kind_pool->retry_at;
}

static uint64_t refill(struct pool *pool)
{
    uint64_t soonest = NEVER;

    for (int kind = 0; kind < KINDS_COUNT; kind++) {
        uint64_t at = next_refill(pool, kind);

        if (at <= pool_now(pool) && !start_one(pool, kind))
            at = pool->kind_pools[kind].retry_at;
        if (at > pool_now(pool) && at < soonest)
            soonest = at;
    }
    return soonest;
}

/* Ends what is more than wanted: those of yesterday first, then the oldest. */
static void trim(struct pool *pool, int kind)
{
    struct kind_pool *kind_pool = &pool->kind_pools[kind];
    unsigned wanted = pool_wanted(pool, kind);

    while (kind_pool->counts[SLOT_READY] > wanted) {
        struct slot *slot, *worst = NULL;

        TAILQ_FOREACH(slot, &pool->slots, link)
        {
            if (slot->kind == kind && slot->state == SLOT_READY &&
                (!worst || (slot_is_stale(slot) && !slot_is_stale(worst))))
                worst = slot;
        }
        if (!worst)
            return;
        slot_end(worst);
    }
}

static void on_timer(uv_timer_t *timer)
{
    pool_schedule(timer->data);
}

void pool_schedule(struct pool *pool)
{
    uint64_t for_jobs, for_refills;

    if (!pool->started || pool->stopping)
        return;
    pool_give_ready(pool);
    for_jobs = start_for_jobs(pool);
    for_refills = refill(pool);
    for (int kind = 0; kind < KINDS_COUNT; kind++)
        trim(pool, kind);
    publish(pool);
    if (for_refills < for_jobs)
        for_jobs = for_refills;
    if (for_jobs == NEVER)
        uv_timer_stop(&pool->timer);
    else
        uv_timer_start(&pool->timer, on_timer, for_jobs - pool_now(pool), 0);
}
