/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the pool knows of its sandboxes and of the jobs that wait, and what follows from it: whom to
 * give a sandbox, what to start, what to end, what to ping. Pure: the time is an argument (ms of
 * the loop, as all times here), and nothing is started or ended here; pool.c carries it out.
 */
#ifndef LECTERN_EXECUTOR_POOL_PLAN_H
#define LECTERN_EXECUTOR_POOL_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "executor/engine.h"
#include "executor/sandbox.h"

#define POOL_STARTS_MAX        3u    /* under way at once */
#define POOL_SANDBOXES_CAP     16u   /* in any state, those being removed too */
#define POOL_SESSION_CAP       12u   /* of one session, so that no one has all of them */
#define POOL_WAITING_BY_DEMAND 4u    /* most of a kind that wait because of demand */
#define POOL_REFILL_PAUSE_MS   30u   /* after the last run ended */
#define POOL_REFILL_PUT_OFF_MS 1000u /* most that runs under way put it off */

/* How many sandboxes of a kind were wanted lately: the most jobs that came within one second, of
 * the last minutes. Both a burst of callers and one caller who is quicker than sandboxes start show
 * in it, and as many as came at once then should wait for the next time. */
#define DEMAND_SPAN_MS 1000u /* "at once": about the time that a few sandboxes take to start */
#define DEMAND_SLOTS   10u   /* each of slot_ms: what is remembered, and forgotten, in one go */

struct demand {
    uint64_t slot_at, span_at; /* when they began */
    unsigned slot;             /* of now */
    unsigned peaks[DEMAND_SLOTS];
    unsigned in_span;
    unsigned slot_ms; /* set by the owner */
};

void demand_note(struct demand *demand, uint64_t now); /* a job came */
unsigned demand_peak(struct demand *demand, uint64_t now);

/* ---- the queue of a kind ---- */

struct slot;

/* A job that wants a sandbox. Embedded in the run. */
struct pool_wait {
    TAILQ_ENTRY(pool_wait) link;
    int kind;
    const char *session; /* borrowed, or NULL */
    bool again;          /* the sandbox that it had broke before the code ran: it is the next */
    void (*given)(struct pool_wait *wait, struct slot *slot); /* with no events yet */
    void (*placed)(struct pool_wait *wait, unsigned place);   /* 1: the next */
    void (*failed)(struct pool_wait *wait, const struct error *why);

    bool queued; /* from here on the queue's */
    uint64_t round;
    unsigned place; /* that it was told */
};

/* The queue of jobs that wait for sandboxes of one kind. It is fair between sessions: each job has
 * a round, one later than the last of its session that waits, and than the last that was served.
 * So a session that sends fifty has one job in each of fifty rounds, and the first of another is
 * behind one of them. Jobs without a session share the turn of one: nobody can tell whose they are,
 * and a flood of them is not to hold up those who say. */
struct admission {
    TAILQ_HEAD(wait_list, pool_wait) waits; /* in the order in which they are served */
    unsigned count;
    uint64_t round; /* of the last that was served */
};

void admission_init(struct admission *admission);
void admission_add(struct admission *admission, struct pool_wait *wait);
void admission_remove(struct admission *admission, struct pool_wait *wait);
void admission_serve(struct admission *admission, struct pool_wait *wait); /* removes it too */

/* The first of that session, or NULL. */
struct pool_wait *admission_first_of(struct admission *admission, const char *session);

/* Tells each whose place has changed since it was told. */
void admission_tell(struct admission *admission);

bool admission_same(const char *session, const char *other); /* either may be NULL */

/* ---- sandboxes ---- */

enum slot_state {
    SLOT_STARTING,
    SLOT_READY, /* waits, for whoever comes */
    SLOT_BUSY,  /* given to a job */
    SLOT_RECYCLING,
    SLOT_IDLE, /* waits, for its session */
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
    unsigned generation; /* the pool's, when it began to start */
    uint64_t since;      /* in this state */
    uint64_t ready_at, bound_at, ping_at;
    bool bound;    /* was given to a job */
    char *session; /* whose it is since; owned, or NULL */
    unsigned jobs;
};
TAILQ_HEAD(slot_list, slot);

struct kind_pool { /* of one kind */
    unsigned counts[SLOT_STATES];
    struct admission queue;
    struct demand demand;
    unsigned failures; /* in a row */
    bool logged;       /* the log says that starts fail */
    uint64_t failed_at;
    uint64_t retry_at;
    uint64_t wanted_at;             /* since when a refill is wanted; 0: none is */
    uint64_t started, failed, lost; /* ever */
};

struct pool_state {
    enum execution_isolation isolation;
    bool warm[KINDS_COUNT];        /* whether any wait at all */
    unsigned waiting[KINDS_COUNT]; /* fewest that wait, of those */
    struct pool_pace pace;
    struct slot_list slots; /* oldest first */
    struct kind_pool kinds[KINDS_COUNT];
    unsigned counts[SLOT_STATES], total;
    int turn; /* the kind whose job is looked at first, in rotation */
    uint64_t idle_since;
    unsigned generation; /* of what sandboxes are made of */
};

enum plan_action { PLAN_REST, PLAN_GIVE, PLAN_START, PLAN_END };

struct plan_step {
    enum plan_action action;
    int kind;               /* to start */
    struct slot *slot;      /* to give or end */
    struct pool_wait *wait; /* to give it to */
    uint64_t at;            /* to rest until, unless something happens; PLAN_NEVER: until then */
};
#define PLAN_NEVER UINT64_MAX

/* The next thing to do. Jobs first: each that waits gets a sandbox that waits, or a start at once,
 * as many as may be under way. Refills wait for calm. To be carried out, and asked again, until it
 * is rest. */
struct plan_step plan_next(struct pool_state *state, uint64_t now);

/* How many of the kind should wait. */
unsigned plan_wanted(struct pool_state *state, int kind, uint64_t now);

/* Whether a job that is queued wants a sandbox that nobody has had. */
bool plan_wants_new(const struct pool_state *state, const struct pool_wait *wait);
struct pool_wait *plan_next_wait(const struct pool_state *state, int kind); /* that does, or NULL */

/* A session's own that waits, or NULL. */
struct slot *plan_find_idle(const struct pool_state *state, int kind, const char *session,
                            uint64_t now);

/* Whether the session of one whose job ended well may have it again. */
bool plan_may_recycle(const struct pool_state *state, const struct slot *slot, uint64_t now);

/* One that waits and is to be asked whether it lives, or NULL: not two at once, and none while
 * answers are due. */
struct slot *plan_ping(const struct pool_state *state, uint64_t now);

/* One that has waited for its session for too long, or is of yesterday; or NULL. */
struct slot *plan_expired(const struct pool_state *state, uint64_t now);

#endif
