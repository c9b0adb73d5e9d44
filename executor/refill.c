/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the pool starts and when, and what it ends for that. Jobs first: each that waits gets a
 * start at once, as many as may be under way. Refills wait for calm.
 */
#include "executor/pool_parts.h"

#define NEVER UINT64_MAX

unsigned pool_wanted(struct pool *pool, int kind)
{
    unsigned peak = demand_peak(&pool->shelves[kind].demand, pool_now(pool));
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
        const struct shelf *shelf = &pool->shelves[kind];
        struct executor_kind_stats row = {
            .ready = shelf->counts[BERTH_READY] + shelf->counts[BERTH_IDLE],
            .starting = shelf->counts[BERTH_STARTING],
            .busy = shelf->counts[BERTH_BUSY] + shelf->counts[BERTH_RESTING],
            .wanted = pool_wanted(pool, kind),
            .started = shelf->started,
            .failed = shelf->failed,
            .lost = shelf->lost};

        stats_set_kind(pool->config.stats, kind, &row);
    }
}

static bool start_one(struct pool *pool, int kind)
{
    struct shelf *shelf = &pool->shelves[kind];
    struct berth *berth = berth_create(pool, kind);
    struct error err = {0};

    health_ask_made_of(pool, POOL_MADE_OF_FRESH_MS);
    if (berth)
        berth->sandbox =
            sandbox_start(pool->config.host, kind, &pool_events, berth, pool_on_gone, berth, &err);
    else
        error_set(&err, ERROR_MEMORY, "out of memory for a sandbox");
    if (berth && berth->sandbox)
        return true;
    if (berth)
        berth_destroy(berth);
    pool_note_failure(pool, shelf, &err);
    return false;
}

/* ---- for jobs that wait ---- */

/* How many starts the kind's jobs could use that are not under way. */
static unsigned unmet(struct pool *pool, int kind)
{
    struct shelf *shelf = &pool->shelves[kind];
    const struct pool_wait *wait;
    unsigned could = 0;

    if (shelf->queue.count <= shelf->counts[BERTH_STARTING])
        return 0;
    TAILQ_FOREACH(wait, &shelf->queue.waits, link)
    {
        could += pool_wants_new(pool, wait);
        if (could >= shelf->counts[BERTH_STARTING] + POOL_STARTS_MAX)
            break; /* nobody asks beyond what may start */
    }
    return could > shelf->counts[BERTH_STARTING] ? could - shelf->counts[BERTH_STARTING] : 0;
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
    return needed > pool->counts[BERTH_ENDING];
}

/* The one that has been idle for the longest, but not one that its session has only just got: else
 * sandboxes would be passed round after each job. *soonest: when there will be one. */
static struct berth *find_idle_longest(struct pool *pool, uint64_t *soonest)
{
    struct berth *berth, *longest = NULL;

    TAILQ_FOREACH(berth, &pool->berths, link)
    {
        uint64_t held_until = berth->bound_at + pool->pace.hold;

        if (berth->state != BERTH_IDLE)
            continue;
        if (held_until > pool_now(pool))
            *soonest = held_until < *soonest ? held_until : *soonest;
        else if (!longest || berth->since < longest->since)
            longest = berth;
    }
    return longest;
}

/* One that waits of a kind that nobody waits for: of the kind that has most. */
static struct berth *find_spare(struct pool *pool)
{
    struct berth *berth, *spare = NULL;

    TAILQ_FOREACH(berth, &pool->berths, link)
    {
        const struct shelf *shelf = &pool->shelves[berth->kind];

        if (berth->state == BERTH_READY && shelf->queue.count == 0 &&
            (!spare || shelf->counts[BERTH_READY] > pool->shelves[spare->kind].counts[BERTH_READY]))
            spare = berth;
    }
    return spare;
}

static uint64_t make_room(struct pool *pool)
{
    uint64_t soonest = NEVER;

    while (pool_needs_room(pool)) {
        struct berth *berth = find_idle_longest(pool, &soonest);

        if (!berth)
            berth = find_spare(pool);
        if (!berth)
            break;
        berth_end(berth);
    }
    return soonest;
}

/* When the next thing can be done for the jobs that wait; what can be done now is done. */
static uint64_t start_for_jobs(struct pool *pool)
{
    uint64_t soonest = NEVER;

    for (int tried = 0; tried < KINDS_COUNT;) {
        int kind = pool->turn;
        uint64_t retry_at = pool->shelves[kind].retry_at;

        /* At either cap, the end of a start or of a sandbox calls again. */
        if (pool->counts[BERTH_STARTING] >= POOL_STARTS_MAX)
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
static uint64_t refill_time(const struct pool *pool, const struct shelf *shelf)
{
    uint64_t latest = shelf->wanted_at + POOL_REFILL_PUT_OFF_MS;
    uint64_t calm = pool->idle_since ? pool->idle_since + POOL_REFILL_PAUSE_MS : 0;

    if (pool->counts[BERTH_BUSY] > 0)
        return latest;
    return calm < latest ? calm : latest;
}

static bool wants_refill(struct pool *pool, int kind)
{
    const struct berth *berth;
    unsigned good = pool->shelves[kind].counts[BERTH_STARTING];

    TAILQ_FOREACH(berth, &pool->berths, link)
    good += berth->kind == kind && berth->state == BERTH_READY && !berth_is_stale(berth);
    return good < pool_wanted(pool, kind);
}

/* When this kind may start a refill; NEVER when it wants none. */
static uint64_t next_refill(struct pool *pool, int kind)
{
    struct shelf *shelf = &pool->shelves[kind];
    uint64_t at;

    if (!wants_refill(pool, kind)) {
        shelf->wanted_at = 0;
        return NEVER;
    }
    if (!shelf->wanted_at)
        shelf->wanted_at = pool_now(pool);
    /* One at a time: the one under way calls again, and so does the end that makes room. */
    if (pool->counts[BERTH_STARTING] > 0 || pool->total >= POOL_SANDBOXES_CAP)
        return NEVER;
    at = refill_time(pool, shelf);
    return at > shelf->retry_at ? at : shelf->retry_at;
}

static uint64_t refill(struct pool *pool)
{
    uint64_t soonest = NEVER;

    for (int kind = 0; kind < KINDS_COUNT; kind++) {
        uint64_t at = next_refill(pool, kind);

        if (at <= pool_now(pool) && !start_one(pool, kind))
            at = pool->shelves[kind].retry_at;
        if (at > pool_now(pool) && at < soonest)
            soonest = at;
    }
    return soonest;
}

/* Ends what is more than wanted: those of yesterday first, then the oldest. */
static void trim(struct pool *pool, int kind)
{
    struct shelf *shelf = &pool->shelves[kind];
    unsigned wanted = pool_wanted(pool, kind);

    while (shelf->counts[BERTH_READY] > wanted) {
        struct berth *berth, *worst = NULL;

        TAILQ_FOREACH(berth, &pool->berths, link)
        {
            if (berth->kind == kind && berth->state == BERTH_READY &&
                (!worst || (berth_is_stale(berth) && !berth_is_stale(worst))))
                worst = berth;
        }
        if (!worst)
            return;
        berth_end(worst);
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
