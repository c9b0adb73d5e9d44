/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/pool/pool.h"

#include <stdlib.h>
#include <string.h>

#include "executor/pool/pool_internal.h"
#include "helpers/base/log.h"

uint64_t pool_now(const struct pool *pool)
{
    return uv_now(pool->config.host->loop);
}

/* ---- sandboxes that no job has ---- */

static void give(struct pool *pool, struct slot *slot, struct pool_wait *wait)
{
    struct error err = {0};

    admission_serve(&pool->kind_pools[wait->kind].queue, wait);
    pool_queue_changed(pool);
    if (slot_bind(slot, wait->session) < 0) {
        error_set(&err, ERROR_INTERNAL, "a sandbox of one session was about to go to another");
        log_error("executor", "%s", err.text);
        slot_end(slot);
        wait->failed(wait, &err);
        return;
    }
    slot->jobs++;
    slot_set(slot, SLOT_BUSY);
    wait->given(wait, slot);
}

static void put_started(struct pool *pool, struct slot *slot)
{
    struct kind_pool *kind_pool = &pool->kind_pools[slot->kind];
    struct pool_wait *wait = pool_next_wait(pool, slot->kind);

    kind_pool->started++;
    if (kind_pool->logged)
        log_info("executor", "sandboxes of kind %s start again", execution_kinds[slot->kind].name);
    kind_pool->logged = false;
    slot->ready_at = pool_now(pool);
    if (wait)
        give(pool, slot, wait);
    else
        slot_set(slot, SLOT_READY);
}

static void put_recycled(struct pool *pool, struct slot *slot)
{
    struct pool_wait *wait = admission_first_of(&pool->kind_pools[slot->kind].queue, slot->session);

    if (wait)
        give(pool, slot, wait);
    else
        slot_set(slot, SLOT_IDLE);
}

static void on_ready(struct sandbox *sandbox, void *user)
{
    struct slot *slot = user;
    struct pool *pool = slot->pool;

    (void)sandbox;
    health_plan_ping(slot);
    if (slot->state == SLOT_STARTING)
        put_started(pool, slot);
    else
        put_recycled(pool, slot);
    pool_schedule(pool);
}

static void on_frame(struct sandbox *sandbox, const struct frame *frame, void *user)
{
    struct error err = {0};

    error_set(&err, ERROR_MALFORMED, "a waiting sandbox sent a frame '%c'", frame->type);
    pool_events.broken(sandbox, &err, user);
}

static void on_broken(struct sandbox *sandbox, const struct error *why, void *user)
{
    struct slot *slot = user;
    struct pool *pool = slot->pool;
    struct kind_pool *kind_pool = &pool->kind_pools[slot->kind];
    enum slot_state state = slot->state;

    (void)sandbox;
    slot_end(slot);
    if (state != SLOT_STARTING)
        kind_pool->lost++;
    if (state == SLOT_STARTING ||
        (state == SLOT_READY && pool_now(pool) - slot->ready_at < POOL_STABLE_MS))
        pool_note_failure(pool, kind_pool, why);
    else
        log_warning("executor", "a %s sandbox of kind %s was lost: %s",
                    state == SLOT_READY ? "waiting" : "session's", execution_kinds[slot->kind].name,
                    why->text);
    pool_schedule(pool);
}

const struct sandbox_events pool_events = {
    .ready = on_ready, .frame = on_frame, .broken = on_broken};

/* ---- for the runs ---- */

void pool_give_ready(struct pool *pool)
{
    for (int kind = 0; kind < KINDS_COUNT; kind++) {
        while (pool->kind_pools[kind].counts[SLOT_READY] > 0) {
            struct pool_wait *wait = pool_next_wait(pool, kind);

            if (!wait)
                break;
            give(pool, slot_find_ready(pool, kind), wait);
        }
    }
}

void pool_ask(struct pool *pool, struct pool_wait *wait)
{
    struct kind_pool *kind_pool = &pool->kind_pools[wait->kind];
    struct slot *own = wait->session ? slot_find_idle(pool, wait->kind, wait->session) : NULL;

    admission_add(&kind_pool->queue, wait);
    if (own) {
        give(pool, own, wait);
    } else {
        if (!wait->again && pool_wants_new(pool, wait))
            demand_note(&kind_pool->demand, pool_now(pool));
        pool_give_ready(pool);
        admission_tell(&kind_pool->queue);
        /* Someone asks: try now, not in half a minute. */
        if (kind_pool->failures > 0 && kind_pool->retry_at > kind_pool->failed_at + POOL_RETRY_MS)
            kind_pool->retry_at = kind_pool->failed_at + POOL_RETRY_MS;
    }
    pool_schedule(pool);
}

void pool_forget(struct pool *pool, struct pool_wait *wait)
{
    if (!wait->queued)
        return;
    admission_remove(&pool->kind_pools[wait->kind].queue, wait);
    pool_queue_changed(pool);
    pool_schedule(pool);
}

/* Whether its session may have it again. Where others wait for room, not longer than its due. */
static bool may_recycle(struct pool *pool, const struct slot *slot, enum pool_outcome outcome)
{
    if (pool->config.isolation != ISOLATION_SESSION || outcome != POOL_GOOD || !slot->session ||
        pool->stopping || slot->jobs >= pool->pace.jobs || slot_is_stale(slot))
        return false;
    return pool_now(pool) - slot->bound_at < pool->pace.hold || !pool_needs_room(pool);
}

void pool_return(struct pool *pool, struct slot *slot, enum pool_outcome outcome)
{
    if (outcome != POOL_UNUSED)
        pool->kind_pools[slot->kind].failures = 0;
    pool->idle_since = pool_now(pool);
    if (may_recycle(pool, slot, outcome)) {
        slot_set(slot, SLOT_RECYCLING);
        sandbox_hand_over(slot->sandbox, &pool_events, slot);
        sandbox_recycle(slot->sandbox, pool->pace.recycle);
    } else if (outcome == POOL_GOOD) {
        slot_retire(slot);
    } else {
        slot_end(slot);
    }
    pool_schedule(pool);
}

/* ---- life ---- */

void pool_start(struct pool *pool)
{
    pool->started = true;
    health_start(pool);
    pool_schedule(pool);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct pool *pool = handle->data;
    struct pool_config config = pool->config;

    if (--pool->handles > 0)
        return;
    free(pool);
    config.on_empty(config.user);
}

void pool_close_if_empty(struct pool *pool)
{
    if (!pool->stopping || pool->total > 0 || pool->asking ||
        uv_is_closing((uv_handle_t *)&pool->timer))
        return;
    uv_close((uv_handle_t *)&pool->timer, on_handle_closed);
    uv_close((uv_handle_t *)&pool->tick, on_handle_closed);
    uv_close((uv_handle_t *)&pool->places, on_handle_closed);
}

void pool_on_gone(struct sandbox *sandbox, void *owner)
{
    struct slot *slot = owner;
    struct pool *pool = slot->pool;

    (void)sandbox;
    slot_destroy(slot);
    pool_close_if_empty(pool);
    pool_schedule(pool);
}

void pool_stop(struct pool *pool)
{
    struct slot *slot;

    pool->stopping = true;
    uv_timer_stop(&pool->timer);
    uv_timer_stop(&pool->tick);
    uv_timer_stop(&pool->places);
    TAILQ_FOREACH(slot, &pool->slots, link)
    slot_end(slot);
    pool_close_if_empty(pool);
}

/* Where the configuration says nothing, the pace is the one that pool.h names. */
static void set_pace(struct pool_pace *pace, const struct pool_pace *asked)
{
    pace->tick = asked->tick ? asked->tick : POOL_TICK_MS;
    pace->ping = asked->ping ? asked->ping : POOL_PING_MS;
    pace->pong = asked->pong ? asked->pong : POOL_PONG_MS;
    pace->renew = asked->renew ? asked->renew : POOL_RENEW_MS;
    pace->made_of = asked->made_of ? asked->made_of : POOL_MADE_OF_MS;
    pace->slot = asked->slot ? asked->slot : POOL_SLOT_MS;
    pace->recycle = asked->recycle ? asked->recycle : POOL_RECYCLE_MS;
    pace->idle = asked->idle ? asked->idle : POOL_IDLE_MS;
    pace->hold = asked->hold ? asked->hold : POOL_HOLD_MS;
    pace->jobs = asked->jobs ? asked->jobs : POOL_JOBS_MAX;
}

static void init_timer(struct pool *pool, uv_timer_t *timer)
{
    uv_timer_init(pool->config.host->loop, timer);
    timer->data = pool;
    pool->handles++;
}

struct pool *pool_create(const struct pool_config *config, struct error *err)
{
    struct pool *pool = calloc(1, sizeof *pool);

    if (!pool) {
        error_set(err, ERROR_MEMORY, "out of memory for the pool of sandboxes");
        return NULL;
    }
    pool->config = *config;
    pool->random = uv_hrtime() | 1;
    set_pace(&pool->pace, &config->host->limits->pace);
    TAILQ_INIT(&pool->slots);
    for (int kind = 0; kind < KINDS_COUNT; kind++) {
        admission_init(&pool->kind_pools[kind].queue);
        pool->kind_pools[kind].demand.slot_ms = pool->pace.slot;
    }
    init_timer(pool, &pool->timer);
    init_timer(pool, &pool->tick);
    init_timer(pool, &pool->places);
    return pool;
}
