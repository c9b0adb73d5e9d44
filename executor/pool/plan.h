/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of the pool (its sandboxes and waiting jobs) and the decisions that follow from it:
 * which job gets a sandbox, what to start, end and ping. Pure: the time is an argument (in ms of
 * the loop, like all times here); pool.c executes the decisions.
 */
#ifndef LECTERN_EXECUTOR_POOL_PLAN_H
#define LECTERN_EXECUTOR_POOL_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "executor/engine.h"
#include "executor/sandbox.h"

/* On any machine; see struct pool_room. */
#define POOL_SANDBOXES_CAP 64u
#define POOL_STARTS_CAP    16u

#define POOL_REFILL_PAUSE_MS 30u /* after the last run ended */
/* Maximum delay of a refill by active runs; much longer if these can do without it. */
#define POOL_REFILL_PUT_OFF_MS      1000u
#define POOL_REFILL_PUT_OFF_AUTO_MS 10000u

/* The recent demand for sandboxes of a kind: the largest number of jobs that arrived within one
 * second, in the last minutes. It reflects both a burst of callers and one caller who is faster
 * than sandboxes start. That many sandboxes should wait for the next time. */
#define DEMAND_SPAN_MS 1000u /* "at once": about the time that a few sandboxes take to start */
#define DEMAND_SLOTS   10u   /* each lasts slot_ms, and is forgotten as a whole */

struct demand {
    uint64_t slot_at, span_at; /* when they began */
    unsigned slot;             /* jobs in the current slot */
    unsigned peaks[DEMAND_SLOTS];
    unsigned in_span;
    unsigned slot_ms; /* set by the owner */
};

void demand_note(struct demand *demand, uint64_t now); /* counts one job */
unsigned demand_peak(struct demand *demand, uint64_t now);

/* ---- the queue of a kind ---- */

struct slot;

/* A job that wants a sandbox. Embedded in the run. */
struct pool_wait {
    TAILQ_ENTRY(pool_wait) link;
    uint64_t since; /* set by the pool */
    int kind;
    const char *session; /* borrowed, or NULL */
    bool again;          /* its sandbox failed before the code ran, so it is served first */
    void (*given)(struct pool_wait *wait, struct slot *slot); /* no events are set yet */
    void (*placed)(struct pool_wait *wait, unsigned place);   /* place 1 is the next */
    void (*failed)(struct pool_wait *wait, const struct error *why);

    bool queued; /* the members from here on belong to the queue */
    uint64_t round;
    unsigned place; /* last reported place */
};

/* The jobs that wait for sandboxes of one kind. The queue is fair between sessions: the round of a
 * job is one more than that of the last waiting job of its session, and than that of the job served
 * last. So a session that sends fifty jobs has one in each of fifty rounds, and the first job of
 * another session waits for only one of them. Jobs without a session share one turn, because their
 * origin is unknown, and many of them must not delay named sessions. */
struct admission {
    TAILQ_HEAD(wait_list, pool_wait) waits; /* in the order of service */
    unsigned count;
    uint64_t round; /* of the job served last */
};

void admission_init(struct admission *admission);
void admission_add(struct admission *admission, struct pool_wait *wait);
void admission_remove(struct admission *admission, struct pool_wait *wait);
void admission_serve(struct admission *admission, struct pool_wait *wait); /* also removes it */

/* The first job of that session, or NULL. */
struct pool_wait *admission_first_of(const struct admission *admission, const char *session);

/* Reports the new place to each job whose place has changed. */
void admission_tell(struct admission *admission);

bool admission_same(const char *session, const char *other); /* either may be NULL */

/* ---- sandboxes ---- */

enum slot_state {
    SLOT_STARTING,
    SLOT_READY, /* waits for any job */
    SLOT_BUSY,  /* given to a job */
    SLOT_RECYCLING,
    SLOT_IDLE, /* waits for a job of its session */
    SLOT_ENDING,
    SLOT_STATES,
};

/* A sandbox in the pool. */
struct slot {
    TAILQ_ENTRY(slot) link;
    struct pool *pool;
    struct sandbox *sandbox;
    int kind;
    enum slot_state state;
    unsigned generation; /* that of the pool when it was started */
    uint64_t since;      /* since when it is in this state */
    uint64_t ready_at, bound_at, ping_at;
    bool bound;    /* it was given to a job */
    char *session; /* session that it is bound to; owned, or NULL */
    unsigned jobs;
};
TAILQ_HEAD(slot_list, slot);

struct kind_pool { /* of one kind */
    unsigned counts[SLOT_STATES];
    struct admission queue;
    struct demand demand;
    unsigned failures; /* consecutive */
    bool logged;       /* the failure has been logged */
    uint64_t failed_at;
    uint64_t retry_at;
    uint64_t wanted_at;             /* since when a refill is wanted; 0: not wanted */
    uint64_t started, failed, lost; /* totals */
};

struct pool_state {
    enum execution_isolation isolation;
    struct pool_room room;
    bool warm[KINDS_COUNT];        /* whether any sandbox waits */
    unsigned waiting[KINDS_COUNT]; /* minimum number of waiting sandboxes, if warm */
    struct pool_pace pace;
    struct slot_list slots; /* oldest first */
    struct kind_pool kinds[KINDS_COUNT];
    unsigned counts[SLOT_STATES], total;
    int turn; /* the kind whose jobs are served first; rotates */
    uint64_t idle_since;
    unsigned generation; /* number of the engine's current made_of */
};

enum plan_action { PLAN_REST, PLAN_GIVE, PLAN_START, PLAN_END };

struct plan_step {
    enum plan_action action;
    int kind;               /* for PLAN_START */
    struct slot *slot;      /* for PLAN_GIVE and PLAN_END */
    struct pool_wait *wait; /* for PLAN_GIVE: the job that gets it */
    uint64_t at;            /* for PLAN_REST: when to ask again at the latest, or PLAN_NEVER */
};
#define PLAN_NEVER UINT64_MAX

/* The room of a machine with so many processors and bytes of memory. */
struct pool_room plan_room(unsigned processors, uint64_t memory_bytes);

/* Returns the next action. Jobs come first: each waiting job gets a waiting sandbox, or one is
 * started, up to the room's number of starts: at once, or when it has waited for its session's
 * sandbox for pace.patience. Refills wait until no answers are due. The caller executes the action
 * and asks again, until it is PLAN_REST. */
struct plan_step plan_next(struct pool_state *state, uint64_t now);

/* The number of sandboxes of the kind that should wait. */
unsigned plan_wanted(struct pool_state *state, int kind, uint64_t now);

/* Whether a queued job takes a sandbox that is not bound to a session, if one is ready. */
bool plan_takes_new(const struct pool_state *state, const struct pool_wait *wait);
struct pool_wait *plan_next_wait(const struct pool_state *state, int kind); /* or NULL */

/* Whether the session has a sandbox of that kind, which it may be using. */
bool plan_has_own(const struct pool_state *state, int kind, const char *session);

/* The waiting sandbox of its session that a queued job takes, or NULL. With automatic isolation one
 * that waits for any job comes first. */
struct slot *plan_find_idle(const struct pool_state *state, const struct pool_wait *wait,
                            uint64_t now);

/* Whether a sandbox whose job ended well serves its session again. */
bool plan_may_recycle(const struct pool_state *state, const struct slot *slot, uint64_t now);

/* A waiting sandbox that should be pinged, or NULL. Only one is pinged at a time, and none while
 * answers are due. */
struct slot *plan_ping(const struct pool_state *state, uint64_t now);

/* A sandbox that has waited too long for its session, is outdated, or is surplus: with automatic
 * isolation a session keeps one when nothing runs. Or NULL. */
struct slot *plan_expired(const struct pool_state *state, uint64_t now);

#endif
