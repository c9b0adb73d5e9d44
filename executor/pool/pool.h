/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeps sandboxes of each kind waiting, and gives a waiting job the next one that is ready.
 * Depending on the isolation, the sandbox is then removed, or it stays with the session of the job:
 * it is recycled until its runner is ready for the next job, and no other session gets it. With
 * automatic isolation a job takes a new sandbox if one waits, else the one that its session keeps;
 * so a burst does not wait for starts. A sandbox of a session runs only jobs of its own kind: a
 * smaller kind would work in it, but would delay jobs of the larger kind.
 *
 * Starting a sandbox uses CPU time that answers need: it increases the 99th percentile of a run
 * tenfold. So refills start one at a time, shortly after the last run ended, and are delayed while
 * runs are active, up to a limit. A sandbox that a job waits for starts at once. After a failed
 * start the next one waits for a pause that doubles with each failure; on the second failure in a
 * row, waiting jobs fail with its error.
 *
 * A waiting sandbox is pinged regularly, and replaced when it is old. When the engine reports that
 * what its sandboxes are made of has changed, the waiting ones are outdated, and are removed as new
 * ones become ready.
 *
 * Everything here runs on the executor's loop. plan.h decides what to do next; it has no clock and
 * no sandboxes.
 */
#ifndef LECTERN_EXECUTOR_POOL_H
#define LECTERN_EXECUTOR_POOL_H

#include "executor/pool/plan.h"

#define POOL_RETRY_MS_MAX     30000u /* maximum pause after a failed start */
#define POOL_FORGET_MS        60000u /* age after which a failure no longer counts */
#define POOL_STABLE_MS        10000u /* a start counts as successful after this time */
#define POOL_PLACES_MS        100u   /* minimum interval between two reports of a job's place */
#define POOL_MADE_OF_FRESH_MS 1000u  /* age after which a start asks for made_of again */
#define POOL_WORKQ_JOBS       (POOL_SANDBOXES_CAP + 1u) /* one per sandbox, and one for made_of */

struct pool;

struct pool_config {
    struct sandbox_host *host;
    enum execution_isolation isolation;
    struct pool_room room;
    bool warm[KINDS_COUNT];        /* whether any sandbox waits */
    unsigned waiting[KINDS_COUNT]; /* minimum number of waiting sandboxes, if warm */
    /* Called when the counts may have changed. ready: waiting sandboxes without a session. */
    void (*on_counts)(void *user, int kind, const struct executor_kind_stats *row, unsigned ready);
    void (*on_empty)(void *user); /* the pool is stopped and nothing is left */
    void *user;
};

struct pool *pool_create(const struct pool_config *config, struct error *err);
void pool_start(struct pool *pool); /* on the loop: starts to warm sandboxes */

/* Calls given or failed, later or at once, and placed in the meantime. */
void pool_ask(struct pool *pool, struct pool_wait *wait);
void pool_forget(struct pool *pool, struct pool_wait *wait); /* withdraws the request */

/* How the use of a sandbox ended. */
enum pool_outcome {
    POOL_UNUSED, /* it failed before the job's code ran */
    POOL_USED,   /* remove it */
    POOL_GOOD,   /* the job ended normally: its session may use it again */
};
void pool_return(struct pool *pool, struct slot *slot, enum pool_outcome outcome);

/* Ends every sandbox, then calls on_empty. No job may wait or run. The pool is freed when its
 * timers are closed. */
void pool_stop(struct pool *pool);

#endif
