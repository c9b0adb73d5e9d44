/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the pool share.
 */
#ifndef LECTERN_EXECUTOR_POOL_INTERNAL_H
#define LECTERN_EXECUTOR_POOL_INTERNAL_H

#include "executor/pool/demand.h"
#include "executor/pool/pool.h"

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
    uint64_t since;      /* in this state; ms of the loop, as all times here */
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

struct pool {
    struct pool_config config;
    struct pool_pace pace;
    uv_timer_t timer, tick, places;
    unsigned handles;
    struct slot_list slots; /* oldest first */
    struct kind_pool kind_pools[KINDS_COUNT];
    unsigned counts[SLOT_STATES], total;
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

/* slot.c */
struct slot *slot_create(struct pool *pool, int kind);
void slot_destroy(struct slot *slot);
void slot_set(struct slot *slot, enum slot_state state);
void slot_end(struct slot *slot);    /* removes its sandbox */
void slot_retire(struct slot *slot); /* the same in a moment, once its job is done */
int slot_bind(struct slot *slot, const char *session);
bool slot_is_stale(const struct slot *slot); /* of another image, or too old */
struct slot *slot_find_ready(struct pool *pool, int kind);
struct slot *slot_find_idle(struct pool *pool, int kind, const char *session);
unsigned slot_count_recycling(const struct pool *pool, int kind, const char *session);
unsigned slot_count_of(const struct pool *pool, const char *session); /* given to it, or kept */

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
void pool_note_failure(struct pool *pool, struct kind_pool *kind_pool, const struct error *why);

/* refill.c */
unsigned pool_wanted(struct pool *pool, int kind); /* of the kind, to wait */
void pool_schedule(struct pool *pool);             /* after whatever changes the picture */
bool pool_needs_room(struct pool *pool);

/* health.c */
void health_start(struct pool *pool);
void health_ask_made_of(struct pool *pool, unsigned fresh_ms);
void health_plan_ping(struct slot *slot);

#endif
