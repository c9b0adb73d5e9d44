/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The jobs that wait for a sandbox: who is next, what they are told, and what becomes of them where
 * starts fail.
 */
#include "executor/pool/pool_internal.h"
#include "helpers/base/log.h"

/* Whether a job that is queued wants one that nobody has had: not where one of its session only
 * has to recycle a sandbox, which takes milliseconds, and not where its session has as many as it
 * may. */
bool pool_wants_new(const struct pool *pool, const struct pool_wait *wait)
{
    const struct pool_wait *other;
    unsigned before = 0;

    TAILQ_FOREACH(other, &pool->kind_pools[wait->kind].queue.waits, link)
    {
        if (other == wait)
            break;
        before += admission_same(other->session, wait->session);
    }
    if (wait->session && before < slot_count_recycling(pool, wait->kind, wait->session))
        return false;
    return before + slot_count_of(pool, wait->session) < POOL_SESSION_CAP;
}

struct pool_wait *pool_next_wait(struct pool *pool, int kind)
{
    struct pool_wait *wait;

    TAILQ_FOREACH(wait, &pool->kind_pools[kind].queue.waits, link)
    {
        if (pool_wants_new(pool, wait))
            return wait;
    }
    return NULL;
}

static void on_places(uv_timer_t *timer)
{
    struct pool *pool = timer->data;

    for (int kind = 0; kind < KINDS_COUNT; kind++)
        admission_tell(&pool->kind_pools[kind].queue);
}

void pool_queue_changed(struct pool *pool)
{
    if (!pool->stopping && !uv_is_active((uv_handle_t *)&pool->places))
        uv_timer_start(&pool->places, on_places, POOL_PLACES_MS, 0);
}

static void fail_waits(struct kind_pool *kind_pool, const struct error *why)
{
    struct wait_list waits = TAILQ_HEAD_INITIALIZER(waits);
    struct pool_wait *wait;

    /* Off the queue first: a caller that is told may ask again. */
    while ((wait = TAILQ_FIRST(&kind_pool->queue.waits))) {
        admission_remove(&kind_pool->queue, wait);
        TAILQ_INSERT_TAIL(&waits, wait, link);
    }
    while ((wait = TAILQ_FIRST(&waits))) {
        TAILQ_REMOVE(&waits, wait, link);
        wait->failed(wait, why);
    }
}

void pool_note_failure(struct pool *pool, struct kind_pool *kind_pool, const struct error *why)
{
    uint64_t now = pool_now(pool), pause;
    unsigned doublings;

    if (kind_pool->failures > 0 && now - kind_pool->failed_at > POOL_FORGET_MS)
        kind_pool->failures = 0;
    doublings = kind_pool->failures < 7 ? kind_pool->failures : 7;
    pause = (uint64_t)POOL_RETRY_MS << doublings;
    kind_pool->failures++;
    kind_pool->failed++;
    kind_pool->failed_at = now;
    kind_pool->retry_at = now + (pause < POOL_RETRY_MS_MAX ? pause : POOL_RETRY_MS_MAX);
    /* Not each time: an engine that is away for an hour is one piece of news. */
    if (!kind_pool->logged)
        log_warning("executor", "%s%s", why->text,
                    kind_pool->failures >= 2 ? " (again; trying on)" : "");
    else
        log_debug("executor", "%s", why->text);
    kind_pool->logged = kind_pool->failures >= 2;
    if (kind_pool->failures >= 2)
        fail_waits(kind_pool, why);
}
