/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/pool.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/log.h"

TAILQ_HEAD(wait_list, pool_wait);

struct shelf { /* of one kind */
    struct sandbox *ready;
    struct sandbox *starting; /* lane and loop, until ready */
    unsigned ready_count, starting_count, busy_count, wait_count;
    uint64_t started, failed, lost; /* ever */
    struct wait_list waits;
    unsigned failures; /* in a row */
    bool told;         /* the log says that starts fail */
    uint64_t failed_at;
    uint64_t retry_at;
    uint64_t wanted_at; /* since when a refill is wanted; 0: none is */
};

struct pool {
    struct pool_config config;
    uv_timer_t timer;
    struct shelf shelves[KINDS_COUNT];
    unsigned starting, running, total;
    uint64_t idle_since;
    bool started, stopping;
};

static const struct sandbox_events pool_events;

static uint64_t now(const struct pool *pool)
{
    return uv_now(pool->config.host->loop);
}

static void put(struct sandbox **list, struct sandbox *sandbox)
{
    sandbox_set_next(sandbox, *list);
    *list = sandbox;
}

static void take_out(struct sandbox **list, const struct sandbox *sandbox)
{
    struct sandbox *before = NULL, *at = *list;

    while (at && at != sandbox) {
        before = at;
        at = sandbox_next(at);
    }
    if (!at)
        return;
    if (before)
        sandbox_set_next(before, sandbox_next(at));
    else
        *list = sandbox_next(at);
}

static void set_ready(struct pool *pool, int kind, unsigned count)
{
    pool->shelves[kind].ready_count = count;
    pool->config.on_ready(pool->config.user, kind, count);
}

static unsigned wanted(const struct pool *pool, int kind)
{
    return pool->config.warm[kind] ? execution_kinds[kind].waiting : 0;
}

static void publish(struct pool *pool)
{
    for (int kind = 0; kind < KINDS_COUNT; kind++) {
        const struct shelf *shelf = &pool->shelves[kind];
        struct executor_kind_stats row = {.ready = shelf->ready_count,
                                          .starting = shelf->starting_count,
                                          .busy = shelf->busy_count,
                                          .wanted = wanted(pool, kind),
                                          .started = shelf->started,
                                          .failed = shelf->failed,
                                          .lost = shelf->lost};

        stats_set_kind(pool->config.stats, kind, &row);
    }
}

/* ---- what to start, and when ---- */

static void on_gone(struct sandbox *sandbox, void *owner);
static void note_failure(struct pool *pool, struct shelf *shelf, const struct error *why);

static bool start_one(struct pool *pool, int kind)
{
    struct shelf *shelf = &pool->shelves[kind];
    struct error err = {0};
    struct sandbox *sandbox;

    sandbox = sandbox_start(pool->config.host, kind, &pool_events, pool, on_gone, pool, &err);
    if (!sandbox) {
        note_failure(pool, shelf, &err);
        return false;
    }
    put(&shelf->starting, sandbox);
    shelf->starting_count++;
    pool->starting++;
    pool->total++;
    return true;
}

/* When a refill may begin: a pause after the last run, at the latest so long after it was first
 * wanted. */
static uint64_t refill_time(const struct pool *pool, const struct shelf *shelf)
{
    uint64_t latest = shelf->wanted_at + POOL_REFILL_PUT_OFF_MS;
    uint64_t calm = pool->idle_since ? pool->idle_since + POOL_REFILL_PAUSE_MS : 0;

    if (pool->running > 0)
        return latest;
    return calm < latest ? calm : latest;
}

static bool wants_refill(const struct pool *pool, int kind)
{
    const struct shelf *shelf = &pool->shelves[kind];

    return shelf->ready_count + shelf->starting_count < wanted(pool, kind);
}

/* When this kind may start its next sandbox; UINT64_MAX when it wants none. */
static uint64_t next_start(struct pool *pool, int kind)
{
    struct shelf *shelf = &pool->shelves[kind];
    uint64_t at;

    if (shelf->wait_count > shelf->starting_count)
        return shelf->retry_at;
    if (!wants_refill(pool, kind)) {
        shelf->wanted_at = 0;
        return UINT64_MAX;
    }
    if (!shelf->wanted_at)
        shelf->wanted_at = now(pool);
    if (pool->starting > 0)
        return UINT64_MAX; /* one refill at a time: the one under way calls again */
    at = refill_time(pool, shelf);
    return at > shelf->retry_at ? at : shelf->retry_at;
}

static void on_timer(uv_timer_t *timer);

/* Starts what may start now, sets the timer for what may start later. Called after whatever changes
 * the picture. */
static void schedule(struct pool *pool)
{
    uint64_t soonest = UINT64_MAX;

    if (!pool->started || pool->stopping)
        return;
    for (int kind = 0; kind < KINDS_COUNT; kind++) {
        for (;;) {
            uint64_t at = next_start(pool, kind);

            if (at > now(pool)) {
                soonest = at < soonest ? at : soonest;
                break;
            }
            /* At either cap, the end of a start or of a sandbox calls again. */
            if (pool->starting >= POOL_STARTS_MAX || pool->total >= POOL_SANDBOXES_CAP ||
                !start_one(pool, kind))
                break;
        }
    }
    publish(pool);
    if (soonest == UINT64_MAX)
        uv_timer_stop(&pool->timer);
    else
        uv_timer_start(&pool->timer, on_timer, soonest - now(pool), 0);
}

static void on_timer(uv_timer_t *timer)
{
    schedule(timer->data);
}

/* ---- failing ---- */

static void fail_waits(struct shelf *shelf, const struct error *why)
{
    struct wait_list waits = TAILQ_HEAD_INITIALIZER(waits);
    struct pool_wait *wait;

    TAILQ_CONCAT(&waits, &shelf->waits, link);
    shelf->wait_count = 0;
    while ((wait = TAILQ_FIRST(&waits))) {
        TAILQ_REMOVE(&waits, wait, link);
        wait->queued = false;
        wait->failed(wait, why);
    }
}

static void note_failure(struct pool *pool, struct shelf *shelf, const struct error *why)
{
    unsigned doublings;
    uint64_t pause;

    if (shelf->failures > 0 && now(pool) - shelf->failed_at > POOL_FORGET_MS)
        shelf->failures = 0;
    doublings = shelf->failures < 7 ? shelf->failures : 7;
    pause = (uint64_t)POOL_RETRY_MS << doublings;
    shelf->failures++;
    shelf->failed++;
    shelf->failed_at = now(pool);
    shelf->retry_at = shelf->failed_at + (pause < POOL_RETRY_MS_MAX ? pause : POOL_RETRY_MS_MAX);
    /* Not each time: an engine that is away for an hour is one piece of news. */
    if (!shelf->told)
        log_warning("executor", "%s%s", why->text,
                    shelf->failures >= 2 ? " (again; trying on)" : "");
    else
        log_debug("executor", "%s", why->text);
    shelf->told = shelf->failures >= 2;
    if (shelf->failures >= 2)
        fail_waits(shelf, why);
}

/* ---- sandboxes that nobody uses ---- */

static void give(struct pool *pool, struct shelf *shelf, struct sandbox *sandbox)
{
    struct pool_wait *wait = TAILQ_FIRST(&shelf->waits);

    TAILQ_REMOVE(&shelf->waits, wait, link);
    wait->queued = false;
    shelf->wait_count--;
    shelf->busy_count++;
    pool->running++;
    wait->given(wait, sandbox);
}

static void on_ready(struct sandbox *sandbox, void *user)
{
    struct pool *pool = user;
    int kind = sandbox_kind(sandbox);
    struct shelf *shelf = &pool->shelves[kind];

    take_out(&shelf->starting, sandbox);
    shelf->starting_count--;
    shelf->started++;
    pool->starting--;
    if (shelf->told)
        log_info("executor", "sandboxes of kind %s start again", execution_kinds[kind].name);
    shelf->told = false;
    if (shelf->wait_count > 0) {
        give(pool, shelf, sandbox);
    } else {
        put(&shelf->ready, sandbox);
        set_ready(pool, kind, shelf->ready_count + 1);
    }
    schedule(pool);
}

static void on_frame(struct sandbox *sandbox, const struct frame *frame, void *user)
{
    struct error err = {0};

    error_set(&err, ERROR_MALFORMED, "a waiting sandbox sent a frame '%c'", frame->type);
    pool_events.broken(sandbox, &err, user);
}

static void on_broken(struct sandbox *sandbox, const struct error *why, void *user)
{
    struct pool *pool = user;
    int kind = sandbox_kind(sandbox);
    struct shelf *shelf = &pool->shelves[kind];

    if (!sandbox_is_ready(sandbox)) {
        take_out(&shelf->starting, sandbox);
        shelf->starting_count--;
        pool->starting--;
        note_failure(pool, shelf, why);
    } else {
        take_out(&shelf->ready, sandbox);
        set_ready(pool, kind, shelf->ready_count - 1);
        shelf->lost++;
        if (now(pool) - sandbox_ready_since(sandbox) < POOL_STABLE_MS)
            note_failure(pool, shelf, why);
        else
            log_warning("executor", "a waiting sandbox of kind %s was lost: %s",
                        execution_kinds[kind].name, why->text);
    }
    sandbox_end(sandbox);
    schedule(pool);
}

static const struct sandbox_events pool_events = {
    .ready = on_ready, .frame = on_frame, .broken = on_broken};

static void on_timer_closed(uv_handle_t *handle)
{
    struct pool *pool = handle->data;
    struct pool_config config = pool->config;

    free(pool);
    config.on_empty(config.user);
}

static void close_if_empty(struct pool *pool)
{
    if (pool->stopping && pool->total == 0 && !uv_is_closing((uv_handle_t *)&pool->timer))
        uv_close((uv_handle_t *)&pool->timer, on_timer_closed);
}

static void on_gone(struct sandbox *sandbox, void *owner)
{
    struct pool *pool = owner;

    (void)sandbox;
    pool->total--;
    close_if_empty(pool);
    schedule(pool);
}

/* ---- for the runs ---- */

void pool_ask(struct pool *pool, struct pool_wait *wait)
{
    struct shelf *shelf = &pool->shelves[wait->kind];
    struct sandbox *sandbox = shelf->ready;

    TAILQ_INSERT_TAIL(&shelf->waits, wait, link);
    wait->queued = true;
    shelf->wait_count++;
    if (sandbox) {
        take_out(&shelf->ready, sandbox);
        set_ready(pool, wait->kind, shelf->ready_count - 1);
        give(pool, shelf, sandbox);
    } else if (shelf->failures > 0 && shelf->retry_at > shelf->failed_at + POOL_RETRY_MS) {
        shelf->retry_at =
            shelf->failed_at + POOL_RETRY_MS; /* someone asks: try now, not in half a minute */
    }
    schedule(pool);
}

void pool_forget(struct pool *pool, struct pool_wait *wait)
{
    struct shelf *shelf = &pool->shelves[wait->kind];

    if (!wait->queued)
        return;
    TAILQ_REMOVE(&shelf->waits, wait, link);
    wait->queued = false;
    shelf->wait_count--;
    schedule(pool);
}

void pool_return(struct pool *pool, struct sandbox *sandbox, bool worked)
{
    if (worked)
        pool->shelves[sandbox_kind(sandbox)].failures = 0;
    pool->shelves[sandbox_kind(sandbox)].busy_count--;
    pool->running--;
    pool->idle_since = now(pool);
    sandbox_end(sandbox);
    schedule(pool);
}

void pool_start(struct pool *pool)
{
    pool->started = true;
    schedule(pool);
}

void pool_stop(struct pool *pool)
{
    pool->stopping = true;
    uv_timer_stop(&pool->timer);
    for (int kind = 0; kind < KINDS_COUNT; kind++) {
        struct shelf *shelf = &pool->shelves[kind];

        for (struct sandbox *s = shelf->ready; s; s = sandbox_next(s))
            sandbox_end(s);
        for (struct sandbox *s = shelf->starting; s; s = sandbox_next(s))
            sandbox_end(s);
        shelf->ready = shelf->starting = NULL;
    }
    close_if_empty(pool);
}

struct pool *pool_create(const struct pool_config *config, struct error *err)
{
    struct pool *pool = calloc(1, sizeof *pool);

    if (!pool) {
        error_set(err, ERROR_MEMORY, "out of memory for the pool of sandboxes");
        return NULL;
    }
    pool->config = *config;
    for (int kind = 0; kind < KINDS_COUNT; kind++)
        TAILQ_INIT(&pool->shelves[kind].waits);
    uv_timer_init(config->host->loop, &pool->timer);
    pool->timer.data = pool;
    return pool;
}
