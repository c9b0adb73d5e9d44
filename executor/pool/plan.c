/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/pool/plan.h"

#include <string.h>

/* A sandbox with its libraries loaded has about 100 MB of its own; half of the memory is for them.
 */
#define ROOM_BYTES         (UINT64_C(128) << 20)
#define ROOM_PER_PROCESSOR 8u
#define ROOM_LEAST         4u

/* ---- admission ---- */

void admission_init(struct admission *admission)
{
    TAILQ_INIT(&admission->waits);
    admission->count = 0;
    admission->round = 0;
}

bool admission_same(const char *session, const char *other)
{
    return session == other || (session && other && strcmp(session, other) == 0);
}

static uint64_t next_round(const struct admission *admission, const struct pool_wait *wait)
{
    const struct pool_wait *other;
    uint64_t last = admission->round;

    TAILQ_FOREACH(other, &admission->waits, link)
    {
        if (admission_same(other->session, wait->session) && other->round > last)
            last = other->round;
    }
    return last + 1;
}

void admission_add(struct admission *admission, struct pool_wait *wait)
{
    struct pool_wait *before;

    wait->round = wait->again ? 0 : next_round(admission, wait);
    wait->queued = true;
    wait->place = 0;
    admission->count++;
    TAILQ_FOREACH_REVERSE(before, &admission->waits, wait_list, link)
    {
        if (before->round <= wait->round) {
            TAILQ_INSERT_AFTER(&admission->waits, before, wait, link);
            return;
        }
    }
    TAILQ_INSERT_HEAD(&admission->waits, wait, link);
}

void admission_remove(struct admission *admission, struct pool_wait *wait)
{
    TAILQ_REMOVE(&admission->waits, wait, link);
    wait->queued = false;
    admission->count--;
}

void admission_serve(struct admission *admission, struct pool_wait *wait)
{
    if (wait->round > admission->round)
        admission->round = wait->round;
    admission_remove(admission, wait);
}

struct pool_wait *admission_first_of(const struct admission *admission, const char *session)
{
    struct pool_wait *wait;

    TAILQ_FOREACH(wait, &admission->waits, link)
    {
        if (admission_same(wait->session, session))
            return wait;
    }
    return NULL;
}

void admission_tell(struct admission *admission)
{
    struct pool_wait *wait;
    unsigned place = 0;

    TAILQ_FOREACH(wait, &admission->waits, link)
    {
        place++;
        if (wait->place != place) {
            wait->place = place;
            wait->placed(wait, place);
        }
    }
}

/* ---- demand ---- */

static void forget(struct demand *demand, uint64_t now)
{
    uint64_t slots = (now - demand->slot_at) / demand->slot_ms;

    demand->slot_at += slots * demand->slot_ms;
    if (slots >= DEMAND_SLOTS) {
        memset(demand->peaks, 0, sizeof demand->peaks);
        return;
    }
    for (; slots > 0; slots--) {
        demand->slot = (demand->slot + 1) % DEMAND_SLOTS;
        demand->peaks[demand->slot] = 0;
    }
}

void demand_note(struct demand *demand, uint64_t now)
{
    forget(demand, now);
    if (now - demand->span_at >= DEMAND_SPAN_MS) {
        demand->span_at = now;
        demand->in_span = 0;
    }
    demand->in_span++;
    if (demand->in_span > demand->peaks[demand->slot])
        demand->peaks[demand->slot] = demand->in_span;
}

unsigned demand_peak(struct demand *demand, uint64_t now)
{
    unsigned peak = 0;

    forget(demand, now);
    for (unsigned i = 0; i < DEMAND_SLOTS; i++)
        peak = demand->peaks[i] > peak ? demand->peaks[i] : peak;
    return peak;
}

/* ---- room ---- */

static unsigned between(uint64_t number, unsigned least, unsigned most)
{
    return number < least ? least : number > most ? most : (unsigned)number;
}

struct pool_room plan_room(unsigned processors, uint64_t memory_bytes)
{
    uint64_t fit = memory_bytes / 2 / ROOM_BYTES, used = (uint64_t)processors * ROOM_PER_PROCESSOR;
    unsigned sandboxes = between(fit < used ? fit : used, ROOM_LEAST, POOL_SANDBOXES_CAP);

    return (struct pool_room){.sandboxes = sandboxes,
                              .of_session = sandboxes * 3 / 4,
                              .waiting = sandboxes * 3 / 4,
                              .by_demand = between(2 * (uint64_t)processors, 1, sandboxes / 4),
                              .starts = between((uint64_t)processors + 1, 2, POOL_STARTS_CAP)};
}

unsigned plan_wanted(struct pool_state *state, int kind, uint64_t now)
{
    unsigned peak = demand_peak(&state->kinds[kind].demand, now);
    unsigned wanted = state->waiting[kind];

    if (!state->warm[kind])
        return 0;
    if (peak > state->room.by_demand)
        peak = state->room.by_demand;
    return peak > wanted ? peak : wanted;
}

/* ---- sandboxes ---- */

/* Made of an outdated image, or too old. */
static bool is_stale(const struct pool_state *state, const struct slot *slot, uint64_t now)
{
    return slot->generation != state->generation ||
           (slot->state == SLOT_READY && now - slot->ready_at >= state->pace.renew);
}

static bool is_pinged(const struct slot *slot)
{
    return slot->sandbox && sandbox_is_pinged(slot->sandbox);
}

/* Preference for a sandbox: current before outdated, then those not being pinged. */
static int merit(const struct pool_state *state, const struct slot *slot, uint64_t now)
{
    return (is_stale(state, slot, now) ? 0 : 2) + (is_pinged(slot) ? 0 : 1);
}

/* The best one in that state, of that session if one is given. Among equals it is the youngest,
 * because the oldest are renewed next. */
static struct slot *find_best(const struct pool_state *state, int kind, enum slot_state in,
                              const char *session, uint64_t now)
{
    struct slot *slot, *best = NULL;

    TAILQ_FOREACH(slot, &state->slots, link)
    {
        if (slot->kind == kind && slot->state == in &&
            (!session || admission_same(slot->session, session)) &&
            (!best || merit(state, slot, now) >= merit(state, best, now)))
            best = slot;
    }
    return best;
}

struct slot *plan_ping(const struct pool_state *state, uint64_t now)
{
    struct slot *slot;

    if (state->counts[SLOT_BUSY] > 0)
        return NULL;
    TAILQ_FOREACH(slot, &state->slots, link)
    {
        if ((slot->state == SLOT_READY || slot->state == SLOT_IDLE) && slot->ping_at <= now &&
            !is_pinged(slot))
            return slot;
    }
    return NULL;
}

/* ---- jobs that wait ---- */

/* The sandboxes of a session that are not ending: of any kind, and of one kind in some states. */
struct owned {
    unsigned all, busy, recycling, idle;
};

static struct owned count_owned(const struct pool_state *state, int kind, const char *session)
{
    const struct slot *slot;
    struct owned owned = {0};

    TAILQ_FOREACH(slot, &state->slots, link)
    {
        if (!slot->bound || slot->state == SLOT_ENDING || !admission_same(slot->session, session))
            continue;
        owned.all++;
        owned.busy += slot->kind == kind && slot->state == SLOT_BUSY;
        owned.recycling += slot->kind == kind && slot->state == SLOT_RECYCLING;
        owned.idle += slot->kind == kind && slot->state == SLOT_IDLE;
    }
    return owned;
}

static bool has_own(const char *session, struct owned owned)
{
    return session && owned.busy + owned.recycling + owned.idle > 0;
}

bool plan_has_own(const struct pool_state *state, int kind, const char *session)
{
    return has_own(session, count_owned(state, kind, session));
}

/* Whether the session keeps another one. Ending a sandbox uses CPU time that answers need. */
static bool is_surplus(const struct pool_state *state, const struct slot *slot, uint64_t now)
{
    return state->isolation == ISOLATION_AUTO && state->counts[SLOT_BUSY] == 0 &&
           now - slot->since >= state->pace.surplus &&
           count_owned(state, slot->kind, slot->session).idle > 1;
}

struct slot *plan_expired(const struct pool_state *state, uint64_t now)
{
    struct slot *slot;

    TAILQ_FOREACH(slot, &state->slots, link)
    {
        if (slot->state == SLOT_IDLE &&
            (now - slot->since >= state->pace.idle || is_stale(state, slot, now) ||
             is_surplus(state, slot, now)))
            return slot;
    }
    return NULL;
}

/* The jobs of the same session before it in the queue. */
static unsigned count_before(const struct pool_state *state, const struct pool_wait *wait)
{
    const struct pool_wait *other;
    unsigned before = 0;

    TAILQ_FOREACH(other, &state->kinds[wait->kind].queue.waits, link)
    {
        if (other == wait)
            break;
        before += admission_same(other->session, wait->session);
    }
    return before;
}

/* False if the session has its maximum number, or if isolation by session only has to wait for one
 * that is being recycled, which takes milliseconds. */
static bool takes_new(const struct pool_state *state, const struct pool_wait *wait,
                      struct owned owned)
{
    unsigned before = count_before(state, wait);

    if (state->isolation == ISOLATION_SESSION && wait->session && before < owned.recycling)
        return false;
    return before + owned.all < state->room.of_session;
}

bool plan_takes_new(const struct pool_state *state, const struct pool_wait *wait)
{
    return takes_new(state, wait, count_owned(state, wait->kind, wait->session));
}

struct slot *plan_find_idle(const struct pool_state *state, const struct pool_wait *wait,
                            uint64_t now)
{
    if (!wait->session ||
        (state->isolation == ISOLATION_AUTO && state->kinds[wait->kind].counts[SLOT_READY] > 0 &&
         plan_takes_new(state, wait)))
        return NULL;
    return find_best(state, wait->kind, SLOT_IDLE, wait->session, now);
}

/* When a sandbox may be started for the job. Starting one takes far longer than most jobs, so a job
 * first waits for its session's sandbox. */
static uint64_t start_at(const struct pool_state *state, const struct pool_wait *wait,
                         struct owned owned)
{
    bool waits = state->isolation != ISOLATION_EXECUTION && has_own(wait->session, owned);

    return waits ? wait->since + state->pace.patience : wait->since;
}

struct pool_wait *plan_next_wait(const struct pool_state *state, int kind)
{
    struct pool_wait *wait;

    TAILQ_FOREACH(wait, &state->kinds[kind].queue.waits, link)
    {
        if (plan_takes_new(state, wait))
            return wait;
    }
    return NULL;
}

/* The number of additional starts that jobs of the kind could use now. If more jobs can use one
 * later, *later is set to an earlier time than it was. */
static unsigned unmet(const struct pool_state *state, int kind, uint64_t now, uint64_t *later)
{
    const struct kind_pool *kind_pool = &state->kinds[kind];
    const struct pool_wait *wait;
    unsigned starting = kind_pool->counts[SLOT_STARTING], could = 0;

    if (kind_pool->queue.count <= starting)
        return 0;
    TAILQ_FOREACH(wait, &kind_pool->queue.waits, link)
    {
        struct owned owned = count_owned(state, wait->kind, wait->session);
        uint64_t at = start_at(state, wait, owned);

        if (!takes_new(state, wait, owned))
            continue;
        if (at <= now)
            could++;
        else if (at < *later)
            *later = at;
        if (could >= starting + state->room.starts)
            break; /* more could not be started anyway */
    }
    return could > starting ? could - starting : 0;
}

/* Sandboxes that are ending also make room. */
static bool needs_room(const struct pool_state *state, uint64_t now)
{
    uint64_t later = PLAN_NEVER;
    unsigned needed = 0;

    if (state->total < state->room.sandboxes)
        return false;
    for (int kind = 0; kind < KINDS_COUNT; kind++)
        needed += unmet(state, kind, now, &later);
    if (needed > state->room.starts)
        needed = state->room.starts;
    return needed > state->counts[SLOT_ENDING];
}

/* If others need room, it may be kept only for its minimum time. */
bool plan_may_recycle(const struct pool_state *state, const struct slot *slot, uint64_t now)
{
    if (state->isolation == ISOLATION_EXECUTION || !slot->session ||
        slot->jobs >= state->pace.jobs || is_stale(state, slot, now))
        return false;
    return now - slot->bound_at < state->pace.hold || !needs_room(state, now);
}

/* ---- steps; each returns whether there is something to do ---- */

static bool give(const struct pool_state *state, uint64_t now, struct plan_step *step)
{
    for (int kind = 0; kind < KINDS_COUNT; kind++) {
        struct pool_wait *wait =
            state->kinds[kind].counts[SLOT_READY] > 0 ? plan_next_wait(state, kind) : NULL;

        if (wait) {
            step->action = PLAN_GIVE;
            step->wait = wait;
            step->slot = find_best(state, kind, SLOT_READY, NULL, now);
            return true;
        }
    }
    return false;
}

static bool start(int kind, struct plan_step *step)
{
    step->action = PLAN_START;
    step->kind = kind;
    return true;
}

static bool end(struct slot *slot, struct plan_step *step)
{
    step->action = PLAN_END;
    step->slot = slot;
    return true;
}

static void rest_until(struct plan_step *step, uint64_t at)
{
    step->at = at < step->at ? at : step->at;
}

/* Selects the session's sandbox that has been idle longest, except one that its session got only
 * recently: otherwise sandboxes would change sessions after each job. If there is none, a waiting
 * one of the kind that has most of them and no waiting jobs. */
static bool make_room(const struct pool_state *state, uint64_t now, struct plan_step *step)
{
    struct slot *slot, *longest = NULL, *spare = NULL;

    TAILQ_FOREACH(slot, &state->slots, link)
    {
        const struct kind_pool *kind_pool = &state->kinds[slot->kind];

        if (slot->state == SLOT_IDLE && slot->bound_at + state->pace.hold > now)
            rest_until(step, slot->bound_at + state->pace.hold);
        else if (slot->state == SLOT_IDLE && (!longest || slot->since < longest->since))
            longest = slot;
        else if (slot->state == SLOT_READY && kind_pool->queue.count == 0 &&
                 (!spare ||
                  kind_pool->counts[SLOT_READY] > state->kinds[spare->kind].counts[SLOT_READY]))
            spare = slot;
    }
    if (longest)
        return end(longest, step);
    return spare && end(spare, step);
}

static bool start_for_jobs(struct pool_state *state, uint64_t now, struct plan_step *step)
{
    /* At a cap, the end of a start or of a sandbox leads to the next check. */
    if (state->counts[SLOT_STARTING] >= state->room.starts)
        return false;
    for (int tried = 0; tried < KINDS_COUNT; tried++) {
        int kind = state->turn;
        unsigned wanted = unmet(state, kind, now, &step->at);

        if (wanted > 0 && state->kinds[kind].retry_at > now)
            rest_until(step, state->kinds[kind].retry_at);
        else if (wanted > 0 && state->total >= state->room.sandboxes) /* it keeps its turn */
            return needs_room(state, now) && make_room(state, now, step);
        state->turn = (state->turn + 1) % KINDS_COUNT;
        if (wanted > 0 && state->kinds[kind].retry_at <= now)
            return start(kind, step);
    }
    return false;
}

static bool wants_refill(struct pool_state *state, int kind, uint64_t now)
{
    const struct slot *slot;
    unsigned good = state->kinds[kind].counts[SLOT_STARTING];

    TAILQ_FOREACH(slot, &state->slots, link)
    good += slot->kind == kind && slot->state == SLOT_READY && !is_stale(state, slot, now);
    return good < plan_wanted(state, kind, now);
}

/* After a pause since the last run, or after the maximum delay. One at a time: its end, and the end
 * that makes room, lead to the next check. */
static bool refill(struct pool_state *state, uint64_t now, struct plan_step *step)
{
    uint64_t put_off =
        state->isolation == ISOLATION_AUTO ? POOL_REFILL_PUT_OFF_AUTO_MS : POOL_REFILL_PUT_OFF_MS;
    uint64_t calm = state->counts[SLOT_BUSY] > 0 ? PLAN_NEVER
                    : state->idle_since          ? state->idle_since + POOL_REFILL_PAUSE_MS
                                                 : 0;

    for (int kind = 0; kind < KINDS_COUNT; kind++) {
        struct kind_pool *kind_pool = &state->kinds[kind];
        uint64_t at;

        if (!wants_refill(state, kind, now)) {
            kind_pool->wanted_at = 0;
            continue;
        }
        if (!kind_pool->wanted_at)
            kind_pool->wanted_at = now;
        if (state->counts[SLOT_STARTING] > 0 || state->total >= state->room.sandboxes)
            continue;
        at = kind_pool->wanted_at + put_off;
        at = calm < at ? calm : at;
        at = at > kind_pool->retry_at ? at : kind_pool->retry_at;
        if (at <= now)
            return start(kind, step);
        rest_until(step, at);
    }
    return false;
}

/* Ends surplus sandboxes: outdated ones first, then the oldest. */
static bool trim(struct pool_state *state, uint64_t now, struct plan_step *step)
{
    for (int kind = 0; kind < KINDS_COUNT; kind++) {
        struct slot *slot, *worst = NULL;

        if (state->kinds[kind].counts[SLOT_READY] <= plan_wanted(state, kind, now))
            continue;
        TAILQ_FOREACH(slot, &state->slots, link)
        {
            if (slot->kind == kind && slot->state == SLOT_READY &&
                (!worst || (is_stale(state, slot, now) && !is_stale(state, worst, now))))
                worst = slot;
        }
        if (worst)
            return end(worst, step);
    }
    return false;
}

struct plan_step plan_next(struct pool_state *state, uint64_t now)
{
    struct plan_step step = {.action = PLAN_REST, .at = PLAN_NEVER};

    (void)(give(state, now, &step) || start_for_jobs(state, now, &step) ||
           refill(state, now, &step) || trim(state, now, &step));
    return step;
}
