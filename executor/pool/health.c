/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pool's tick. A sandbox that waits is asked now and then whether it lives, not two in one tick
 * and not while answers are due; one that has waited for very long is replaced. The engine is asked
 * what its sandboxes are made of: when that has changed, those that wait are of yesterday, and go
 * as others come (refill.c).
 */
#include <stddef.h>
#include <string.h>

#include "executor/pool/pool_internal.h"
#include "helpers/base/log.h"

/* Half to one and a half times the pace: sandboxes that started together are not asked together. */
void health_plan_ping(struct slot *slot)
{
    struct pool *pool = slot->pool;

    pool->random ^= pool->random << 13;
    pool->random ^= pool->random >> 7;
    pool->random ^= pool->random << 17;
    slot->ping_at = pool_now(pool) + pool->pace.ping / 2 + pool->random % (pool->pace.ping + 1u);
}

static bool is_waiting(const struct slot *slot)
{
    return slot->state == SLOT_READY || slot->state == SLOT_IDLE;
}

static void ping_one(struct pool *pool)
{
    struct error err = {0};
    struct slot *slot;

    if (pool->counts[SLOT_BUSY] > 0)
        return;
    TAILQ_FOREACH(slot, &pool->slots, link)
    {
        if (is_waiting(slot) && slot->ping_at <= pool_now(pool) &&
            !sandbox_is_pinged(slot->sandbox))
            break;
    }
    if (!slot)
        return;
    health_plan_ping(slot);
    if (sandbox_ping(slot->sandbox, pool->pace.pong, &err) < 0)
        pool_events.broken(slot->sandbox, &err, slot);
}

static void end_idle(struct pool *pool)
{
    struct slot *slot;

    TAILQ_FOREACH(slot, &pool->slots, link)
    {
        if (slot->state == SLOT_IDLE &&
            (pool_now(pool) - slot->since >= pool->pace.idle || slot_is_stale(slot)))
            slot_end(slot);
    }
}

/* ---- what sandboxes are made of ---- */

static struct pool *of_job(struct workq_job *job)
{
    return (struct pool *)((char *)job - offsetof(struct pool, made_job));
}

static void work_made_of(struct workq_job *job, void *context)
{
    struct pool *pool = of_job(job);
    struct sandbox_host *host = pool->config.host;

    (void)context;
    pool->answer_failed = host->engine->made_of(host->state, pool->answer, &pool->answer_error) < 0;
}

static void done_made_of(struct workq_job *job)
{
    struct pool *pool = of_job(job);

    pool->asking = false;
    if (pool->stopping) {
        pool_close_if_empty(pool);
        return;
    }
    if (pool->answer_failed) {
        log_debug("executor", "what sandboxes are made of: %s", pool->answer_error.text);
        return;
    }
    if (strcmp(pool->answer, pool->made_of) == 0)
        return;
    if (pool->made_of[0]) {
        pool->generation++;
        log_info("executor", "sandboxes are made of something new: those that wait are replaced");
    }
    memcpy(pool->made_of, pool->answer, sizeof pool->made_of);
    pool_schedule(pool);
}

/* A sandbox that starts while the question is under way counts as of before: at worst it is
 * replaced once too often. */
void health_ask_made_of(struct pool *pool, unsigned fresh_ms)
{
    struct sandbox_host *host = pool->config.host;
    struct error err = {0};

    if (!host->engine->made_of || pool->asking ||
        (pool->asked_at && pool_now(pool) - pool->asked_at < fresh_ms))
        return;
    pool->asked_at = pool_now(pool);
    memset(&pool->made_job, 0, sizeof pool->made_job);
    pool->made_job.work = work_made_of;
    pool->made_job.done = done_made_of;
    if (workq_submit(host->workq, &pool->made_job, &err) < 0)
        log_debug("executor", "what sandboxes are made of: %s", err.text); /* at the next tick */
    else
        pool->asking = true;
}

static void on_tick(uv_timer_t *timer)
{
    struct pool *pool = timer->data;

    ping_one(pool);
    end_idle(pool);
    if (pool->counts[SLOT_BUSY] == 0)
        health_ask_made_of(pool, pool->pace.made_of);
    pool_schedule(pool); /* demand is forgotten, and sandboxes grow old, by time alone */
}

void health_start(struct pool *pool)
{
    uv_timer_start(&pool->tick, on_tick, pool->pace.tick, pool->pace.tick);
}
