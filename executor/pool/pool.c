/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/pool/pool.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/log.h"

/* In ms, except jobs; see engine.h. */
static const struct pool_pace usual_pace = {
    .tick = 1000,
    .ping = 30000,
    .pong = 5000,
    .renew = 1800000,
    .made_of = 10000,
    .slot = 30000, /* times DEMAND_SLOTS: five minutes */
    .recycle = 2000,
    .idle = 600000,
    .surplus = 2000,
    .hold = 500,
    .patience = 200,
    .retry = 250,
    .jobs = 1000,
};

struct pool {
    struct pool_config config;
    struct pool_state state;
    uv_timer_t timer, tick, places;
    unsigned handles;
    uint64_t random;
    bool started, stopping;

    /* What sandboxes are made of. */
    struct workq_job made_job;
    bool asking;
    uint64_t asked_at;
    bool answer_failed;
    char answer[ENGINE_MADE_OF_CAP], made_of[ENGINE_MADE_OF_CAP];
    struct error answer_error;
};

static void schedule(struct pool *pool); /* called after every change of state */

static uint64_t now_of(const struct pool *pool)
{
    return uv_now(pool->config.host->loop);
}

/* ---- slots ---- */

static struct slot *create_slot(struct pool *pool, int kind)
{
    struct pool_state *state = &pool->state;
    struct slot *slot = calloc(1, sizeof *slot);

    if (!slot)
        return NULL;
    slot->pool = pool;
    slot->kind = kind;
    slot->generation = state->generation;
    slot->since = now_of(pool);
    slot->state = SLOT_STARTING;
    TAILQ_INSERT_TAIL(&state->slots, slot, link);
    state->kinds[kind].counts[SLOT_STARTING]++;
    state->counts[SLOT_STARTING]++;
    state->total++;
    return slot;
}

static void destroy_slot(struct slot *slot)
{
    struct pool_state *state = &slot->pool->state;

    TAILQ_REMOVE(&state->slots, slot, link);
    state->kinds[slot->kind].counts[slot->state]--;
    state->counts[slot->state]--;
    state->total--;
    free(slot->session);
    free(slot);
}

static void set_slot(struct slot *slot, enum slot_state to)
{
    struct pool *pool = slot->pool;
    struct kind_pool *kind_pool = &pool->state.kinds[slot->kind];
    enum slot_state before = slot->state;

    kind_pool->counts[before]--;
    pool->state.counts[before]--;
    kind_pool->counts[to]++;
    pool->state.counts[to]++;
    slot->state = to;
    slot->since = now_of(pool);
}

/* end: sandbox_end, or sandbox_retire for one whose job is done. */
static void end_slot(struct slot *slot, void (*end)(struct sandbox *sandbox))
{
    if (slot->state == SLOT_ENDING)
        return;
    set_slot(slot, SLOT_ENDING);
    end(slot->sandbox);
}

/* Binds the slot to the job's session. Returns -1 if it belongs to another. */
static int bind_slot(struct slot *slot, const char *session)
{
    if (slot->bound)
        return slot->session && admission_same(slot->session, session) ? 0 : -1;
    slot->bound = true;
    slot->bound_at = now_of(slot->pool);
    /* If out of memory for the name it has no session: it serves only this job. */
    slot->session = session ? strdup(session) : NULL;
    return 0;
}

/* ---- jobs that wait ---- */

static void on_places(uv_timer_t *timer)
{
    struct pool *pool = timer->data;

    for (int kind = 0; kind < KINDS_COUNT; kind++)
        admission_tell(&pool->state.kinds[kind].queue);
}

/* The places are reported soon. */
static void queue_changed(struct pool *pool)
{
    if (!pool->stopping && !uv_is_active((uv_handle_t *)&pool->places))
        uv_timer_start(&pool->places, on_places, POOL_PLACES_MS, 0);
}

static void fail_waits(struct kind_pool *kind_pool, const struct error *why)
{
    struct wait_list waits = TAILQ_HEAD_INITIALIZER(waits);
    struct pool_wait *wait;

    /* Removed from the queue first, because its callback may ask again. */
    while ((wait = TAILQ_FIRST(&kind_pool->queue.waits))) {
        admission_remove(&kind_pool->queue, wait);
        TAILQ_INSERT_TAIL(&waits, wait, link);
    }
    while ((wait = TAILQ_FIRST(&waits))) {
        TAILQ_REMOVE(&waits, wait, link);
        wait->failed(wait, why);
    }
}

static void note_failure(struct pool *pool, struct kind_pool *kind_pool, const struct error *why)
{
    uint64_t now = now_of(pool), pause;
    unsigned doublings;

    if (kind_pool->failures > 0 && now - kind_pool->failed_at > POOL_FORGET_MS)
        kind_pool->failures = 0;
    doublings = kind_pool->failures < 7 ? kind_pool->failures : 7;
    pause = (uint64_t)pool->state.pace.retry << doublings;
    kind_pool->failures++;
    kind_pool->failed++;
    kind_pool->failed_at = now;
    kind_pool->retry_at = now + (pause < POOL_RETRY_MS_MAX ? pause : POOL_RETRY_MS_MAX);
    /* Logged twice only, because an engine may be away for an hour. */
    if (!kind_pool->logged)
        log_warning("executor", "%s%s", why->text,
                    kind_pool->failures >= 2 ? " (again; trying on)" : "");
    else
        log_debug("executor", "%s", why->text);
    kind_pool->logged = kind_pool->failures >= 2;
    if (kind_pool->failures >= 2)
        fail_waits(kind_pool, why);
}

static void give(struct pool *pool, struct slot *slot, struct pool_wait *wait)
{
    struct error err = {0};

    admission_serve(&pool->state.kinds[wait->kind].queue, wait);
    queue_changed(pool);
    if (bind_slot(slot, wait->session) < 0) {
        error_set(&err, ERROR_INTERNAL, "a sandbox of one session was about to go to another");
        log_error("executor", "%s", err.text);
        end_slot(slot, sandbox_end);
        wait->failed(wait, &err);
        return;
    }
    slot->jobs++;
    set_slot(slot, SLOT_BUSY);
    wait->given(wait, slot);
}

/* ---- what sandboxes are made of ---- */

static void work_made_of(struct workq_job *job, void *context)
{
    struct pool *pool = container_of(job, struct pool, made_job);
    struct sandbox_host *host = pool->config.host;

    (void)context;
    pool->answer_failed = host->engine->made_of(host->state, pool->answer, &pool->answer_error) < 0;
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

static void close_if_empty(struct pool *pool)
{
    if (!pool->stopping || pool->state.total > 0 || pool->asking ||
        uv_is_closing((uv_handle_t *)&pool->timer))
        return;
    uv_close((uv_handle_t *)&pool->timer, on_handle_closed);
    uv_close((uv_handle_t *)&pool->tick, on_handle_closed);
    uv_close((uv_handle_t *)&pool->places, on_handle_closed);
}

static void done_made_of(struct workq_job *job)
{
    struct pool *pool = container_of(job, struct pool, made_job);

    pool->asking = false;
    if (pool->stopping) {
        close_if_empty(pool);
        return;
    }
    if (pool->answer_failed) {
        log_debug("executor", "what sandboxes are made of: %s", pool->answer_error.text);
        return;
    }
    if (strcmp(pool->answer, pool->made_of) == 0)
        return;
    if (pool->made_of[0]) {
        pool->state.generation++;
        log_info("executor", "sandboxes are made of something new: those that wait are replaced");
    }
    memcpy(pool->made_of, pool->answer, sizeof pool->made_of);
    schedule(pool);
}

/* A sandbox that starts before the answer counts as made before it: at worst it is replaced
 * needlessly. */
static void ask_made_of(struct pool *pool, unsigned fresh_ms)
{
    struct sandbox_host *host = pool->config.host;
    struct error err = {0};

    if (!host->engine->made_of || pool->asking ||
        (pool->asked_at && now_of(pool) - pool->asked_at < fresh_ms))
        return;
    pool->asked_at = now_of(pool);
    memset(&pool->made_job, 0, sizeof pool->made_job);
    pool->made_job.work = work_made_of;
    pool->made_job.done = done_made_of;
    if (workq_submit(host->workq, &pool->made_job, &err) < 0)
        log_debug("executor", "what sandboxes are made of: %s",
                  err.text); /* again at the next tick */
    else
        pool->asking = true;
}

/* ---- waiting sandboxes ---- */

/* Half to one and a half times the interval, so that those started together are pinged apart. */
static void plan_next_ping(struct slot *slot)
{
    struct pool *pool = slot->pool;

    pool->random ^= pool->random << 13;
    pool->random ^= pool->random >> 7;
    pool->random ^= pool->random << 17;
    slot->ping_at =
        now_of(pool) + pool->state.pace.ping / 2 + pool->random % (pool->state.pace.ping + 1u);
}

static void on_ready(void *user)
{
    struct slot *slot = user;
    struct pool *pool = slot->pool;
    struct kind_pool *kind_pool = &pool->state.kinds[slot->kind];
    bool is_new = slot->state == SLOT_STARTING;
    struct pool_wait *wait;

    plan_next_ping(slot);
    if (is_new) {
        kind_pool->started++;
        if (kind_pool->logged)
            log_info("executor", "sandboxes of kind %s start again",
                     execution_kinds[slot->kind].name);
        kind_pool->logged = false;
        slot->ready_at = now_of(pool);
        wait = plan_next_wait(&pool->state, slot->kind);
    } else {
        wait = admission_first_of(&kind_pool->queue, slot->session);
    }
    if (wait)
        give(pool, slot, wait);
    else
        set_slot(slot, is_new ? SLOT_READY : SLOT_IDLE);
    schedule(pool);
}

static void on_broken(void *user, const struct error *why)
{
    struct slot *slot = user;
    struct pool *pool = slot->pool;
    struct kind_pool *kind_pool = &pool->state.kinds[slot->kind];
    enum slot_state before = slot->state;

    end_slot(slot, sandbox_end);
    if (before != SLOT_STARTING)
        kind_pool->lost++;
    if (before == SLOT_STARTING ||
        (before == SLOT_READY && now_of(pool) - slot->ready_at < POOL_STABLE_MS))
        note_failure(pool, kind_pool, why);
    else
        log_warning("executor", "a %s sandbox of kind %s was lost: %s",
                    before == SLOT_READY ? "waiting" : "session's",
                    execution_kinds[slot->kind].name, why->text);
    schedule(pool);
}

static void on_frame(void *user, const struct frame *frame)
{
    struct error err = {0};

    error_set(&err, ERROR_MALFORMED, "a waiting sandbox sent a frame '%c'", frame->type);
    on_broken(user, &err);
}

static const struct sandbox_events pool_events = {
    .ready = on_ready, .frame = on_frame, .broken = on_broken};

static void on_gone(void *owner)
{
    struct slot *slot = owner;
    struct pool *pool = slot->pool;

    destroy_slot(slot);
    close_if_empty(pool);
    schedule(pool);
}

/* ---- executing the plan ---- */

static void start(struct pool *pool, int kind)
{
    struct slot *slot = create_slot(pool, kind);
    struct error err = {0};

    ask_made_of(pool, POOL_MADE_OF_FRESH_MS);
    if (slot)
        slot->sandbox = sandbox_start(pool->config.host, kind, &pool_events, on_gone, slot, &err);
    else
        error_set(&err, ERROR_MEMORY, "out of memory for a sandbox");
    if (slot && slot->sandbox)
        return;
    if (slot)
        destroy_slot(slot);
    note_failure(pool, &pool->state.kinds[kind], &err);
}

static void publish(struct pool *pool)
{
    for (int kind = 0; kind < KINDS_COUNT; kind++) {
        const struct kind_pool *kind_pool = &pool->state.kinds[kind];
        struct executor_kind_stats row = {
            .name = execution_kinds[kind].name,
            .ready = kind_pool->counts[SLOT_READY] + kind_pool->counts[SLOT_IDLE],
            .starting = kind_pool->counts[SLOT_STARTING],
            .busy = kind_pool->counts[SLOT_BUSY] + kind_pool->counts[SLOT_RECYCLING],
            .wanted = plan_wanted(&pool->state, kind, now_of(pool)),
            .started = kind_pool->started,
            .failed = kind_pool->failed,
            .lost = kind_pool->lost};

        pool->config.on_counts(pool->config.user, kind, &row, kind_pool->counts[SLOT_READY]);
    }
}

static void on_timer(uv_timer_t *timer)
{
    schedule(timer->data);
}

static void schedule(struct pool *pool)
{
    struct plan_step step;

    if (!pool->started || pool->stopping)
        return;
    while ((step = plan_next(&pool->state, now_of(pool))).action != PLAN_REST) {
        if (step.action == PLAN_GIVE)
            give(pool, step.slot, step.wait);
        else if (step.action == PLAN_START)
            start(pool, step.kind);
        else
            end_slot(step.slot, sandbox_end);
    }
    publish(pool);
    if (step.at == PLAN_NEVER)
        uv_timer_stop(&pool->timer);
    else
        uv_timer_start(&pool->timer, on_timer, step.at - now_of(pool), 0);
}

static void on_tick(uv_timer_t *timer)
{
    struct pool *pool = timer->data;
    struct slot *slot = plan_ping(&pool->state, now_of(pool));
    struct error err = {0};

    if (slot) {
        plan_next_ping(slot);
        if (sandbox_ping(slot->sandbox, pool->state.pace.pong, &err) < 0)
            on_broken(slot, &err);
    }
    while ((slot = plan_expired(&pool->state, now_of(pool))))
        end_slot(slot, sandbox_end);
    if (pool->state.counts[SLOT_BUSY] == 0)
        ask_made_of(pool, pool->state.pace.made_of);
    schedule(pool); /* demand is forgotten and sandboxes age as time passes */
}

/* ---- for the runs ---- */

void pool_ask(struct pool *pool, struct pool_wait *wait)
{
    struct kind_pool *kind_pool = &pool->state.kinds[wait->kind];
    struct slot *own;

    wait->since = now_of(pool);
    admission_add(&kind_pool->queue, wait);
    own = plan_find_idle(&pool->state, wait, now_of(pool));
    if (own) {
        give(pool, own, wait);
        schedule(pool);
        return;
    }
    if (!wait->again && plan_takes_new(&pool->state, wait) &&
        !(pool->state.isolation == ISOLATION_AUTO &&
          plan_has_own(&pool->state, wait->kind, wait->session)))
        demand_note(&kind_pool->demand, now_of(pool));
    /* A job waits: try now, not in half a minute. */
    if (kind_pool->failures > 0 &&
        kind_pool->retry_at > kind_pool->failed_at + pool->state.pace.retry)
        kind_pool->retry_at = kind_pool->failed_at + pool->state.pace.retry;
    schedule(pool);
    admission_tell(&kind_pool->queue);
}

void pool_forget(struct pool *pool, struct pool_wait *wait)
{
    if (!wait->queued)
        return;
    admission_remove(&pool->state.kinds[wait->kind].queue, wait);
    queue_changed(pool);
    schedule(pool);
}

void pool_return(struct pool *pool, struct slot *slot, enum pool_outcome outcome)
{
    if (outcome != POOL_UNUSED)
        pool->state.kinds[slot->kind].failures = 0;
    pool->state.idle_since = now_of(pool);
    if (outcome == POOL_GOOD && !pool->stopping &&
        plan_may_recycle(&pool->state, slot, now_of(pool))) {
        set_slot(slot, SLOT_RECYCLING);
        sandbox_hand_over(slot->sandbox, &pool_events, slot);
        sandbox_recycle(slot->sandbox, pool->state.pace.recycle);
    } else {
        end_slot(slot, outcome == POOL_GOOD ? sandbox_retire : sandbox_end);
    }
    schedule(pool);
}

/* ---- life ---- */

void pool_start(struct pool *pool)
{
    pool->started = true;
    uv_timer_start(&pool->tick, on_tick, pool->state.pace.tick, pool->state.pace.tick);
    schedule(pool);
}

void pool_stop(struct pool *pool)
{
    struct slot *slot;

    pool->stopping = true;
    uv_timer_stop(&pool->timer);
    uv_timer_stop(&pool->tick);
    uv_timer_stop(&pool->places);
    TAILQ_FOREACH(slot, &pool->state.slots, link)
    end_slot(slot, sandbox_end);
    close_if_empty(pool);
}

/* Zero selects the default. */
static void set_pace(struct pool_pace *pace)
{
    const unsigned *usual = (const unsigned *)&usual_pace;
    unsigned *given = (unsigned *)pace;

    for (size_t i = 0; i < sizeof *pace / sizeof *given; i++)
        given[i] = given[i] ? given[i] : usual[i];
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
    pool->state.isolation = config->isolation;
    memcpy(pool->state.warm, config->warm, sizeof config->warm);
    memcpy(pool->state.waiting, config->waiting, sizeof config->waiting);
    pool->state.pace = config->host->limits->pace;
    set_pace(&pool->state.pace);
    pool->state.room = config->room;
    TAILQ_INIT(&pool->state.slots);
    for (int kind = 0; kind < KINDS_COUNT; kind++) {
        admission_init(&pool->state.kinds[kind].queue);
        pool->state.kinds[kind].demand.slot_ms = pool->state.pace.slot;
    }
    init_timer(pool, &pool->timer);
    init_timer(pool, &pool->tick);
    init_timer(pool, &pool->places);
    return pool;
}
