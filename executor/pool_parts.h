/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the pool share.
 */
#ifndef LECTERN_EXECUTOR_POOL_PARTS_H
#define LECTERN_EXECUTOR_POOL_PARTS_H

#include "executor/demand.h"
#include "executor/pool.h"

enum berth_state {
    BERTH_STARTING,
    BERTH_READY, /* waits, for whoever comes */
    BERTH_BUSY,  /* given to a job */
    BERTH_RESTING,
    BERTH_IDLE, /* waits, for its session */
    BERTH_ENDING,
    BERTH_STATES,
};

/* A sandbox in the pool. */
struct berth {
    TAILQ_ENTRY(berth) link;
    struct pool *pool;
    struct sandbox *sandbox;
    int kind;
    enum berth_state state;
    unsigned generation; /* the pool's, when it began to start */
    uint64_t since;      /* in this state; ms of the loop, as all times here */
    uint64_t ready_at, bound_at, ping_at;
    bool bound;    /* was given to a job */
    char *session; /* whose it is since; owned, or NULL */
    unsigned jobs;
};
TAILQ_HEAD(berth_list, berth);

struct shelf { /* of one kind */
    unsigned counts[BERTH_STATES];
    struct admission queue;
    struct demand demand;
    unsigned failures; /* in a row */
    bool told;         /* the log says that starts fail */
    uint64_t failed_at;
    uint64_t retry_at;
    uint64_t wanted_at;             /* since when a refill is wanted; 0: none is */
    uint64_t started, failed, lost; /* ever */
};

struct pool {
    struct pool_config config;
    struct pool_pace pace;
    uv_timer_t timer, beat, places;
    unsigned handles;
    struct berth_list berths; /* oldest first */
    struct shelf shelves[KINDS_COUNT];
    unsigned counts[BERTH_STATES], total;
    int turn; /* the kind whose job is looked at first, in rotation */
    uint64_t idle_since;
    uint64_t random;
    bool started, stopping;

    /* What sandboxes are made of (health.c). */
    struct workq_job made_job;
    bool asking;
    uint64_t asked_at;
    bool answer_failed;
    char answer[ENGINE_MADE_OF_CAP], made_of[ENGINE_MADE_OF_CAP];
    struct error answer_error;
    unsigned generation;
};

uint64_t pool_now(const struct pool *pool);

/* berth.c */
struct berth *berth_create(struct pool *pool, int kind);
void berth_destroy(struct berth *berth);
void berth_set(struct berth *berth, enum berth_state state);
void berth_end(struct berth *berth);    /* removes its sandbox */
void berth_retire(struct berth *berth); /* the same in a moment, once its job is done */
int berth_bind(struct berth *berth, const char *session);
bool berth_is_stale(const struct berth *berth); /* of another image, or too old */
struct berth *berth_find_ready(struct pool *pool, int kind);
struct berth *berth_find_idle(struct pool *pool, int kind, const char *session);
unsigned berth_count_resting(const struct pool *pool, int kind, const char *session);
unsigned berth_count_of(const struct pool *pool, const char *session); /* given to it, or kept */

/* pool.c */
extern const struct sandbox_events pool_events;
void pool_on_gone(struct sandbox *sandbox, void *owner);
void pool_give_ready(struct pool *pool); /* to those that do */
void pool_close_if_empty(struct pool *pool);

/* pool_queue.c */
/* Whether a job that is queued wants a sandbox that nobody has had. */
bool pool_wants_new(const struct pool *pool, const struct pool_wait *wait);
struct pool_wait *pool_next_wait(struct pool *pool, int kind); /* that does, or NULL */
void pool_queue_changed(struct pool *pool);                    /* their places are told soon */
void pool_note_failure(struct pool *pool, struct shelf *shelf, const struct error *why);

/* refill.c */
unsigned pool_wanted(struct pool *pool, int kind); /* of the kind, to wait */
void pool_schedule(struct pool *pool);             /* after whatever changes the picture */
bool pool_needs_room(struct pool *pool);

/* health.c */
void health_start(struct pool *pool);
void health_ask_made_of(struct pool *pool, unsigned fresh_ms);
void health_plan_ping(struct berth *berth);

#endif
