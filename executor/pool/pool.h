/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeps sandboxes of each kind waiting, and gives a waiting job the next one that is ready. By the
 * isolation it is removed after that job, or stays with the job's session: then it is recycled
 * until its runner says that it can take the next, and is given to nobody but that session. A
 * sandbox of a session runs jobs of its own kind only: a lesser kind in it would work, but hold up
 * its like.
 *
 * Starting a sandbox costs CPU that answers need: it raises the 99th percentile of a run ten times.
 * So a refill starts one at a time, a little after the last run ended, and is put off while runs
 * are under way, though not for ever. A sandbox that a job waits for starts at once. When starts
 * fail, the next is tried after a pause that doubles; jobs that wait hear what is wrong on the
 * second failure in a row.
 *
 * A sandbox that waits is asked now and then whether it lives, and replaced once it has waited for
 * very long. The engine is asked what its sandboxes are made of: when that has changed, those that
 * wait are of yesterday, and go as others come.
 *
 * Everything here runs on the executor's loop. What is to be done next is decided by plan.h, which
 * has neither a clock nor a sandbox of its own.
 */
#ifndef LECTERN_EXECUTOR_POOL_H
#define LECTERN_EXECUTOR_POOL_H

#include "executor/pool/plan.h"

#define POOL_RETRY_MS_MAX     30000u /* between two starts that fail */
#define POOL_FORGET_MS        60000u /* after which an old failure no longer counts */
#define POOL_STABLE_MS        10000u /* a sandbox that waited this long did not fail to start */
#define POOL_PLACES_MS        100u   /* a job is told its new place at most so often */
#define POOL_MADE_OF_FRESH_MS 1000u  /* a start asks again where the last answer is older */
#define POOL_WORKQ_JOBS       (POOL_SANDBOXES_CAP + 1u) /* one a sandbox, and made_of */

struct pool;

struct pool_config {
    struct sandbox_host *host;
    enum execution_isolation isolation;
    bool warm[KINDS_COUNT];        /* whether any wait at all */
    unsigned waiting[KINDS_COUNT]; /* fewest that wait, of those */
    /* Whenever something may have changed. ready: those that wait for whoever comes. */
    void (*on_counts)(void *user, int kind, const struct executor_kind_stats *row, unsigned ready);
    void (*on_empty)(void *user); /* stopped, and nothing is left */
    void *user;
};

struct pool *pool_create(const struct pool_config *config, struct error *err);
void pool_start(struct pool *pool); /* on the loop: begins to warm */

/* Calls given or failed later, or at once; placed meanwhile. */
void pool_ask(struct pool *pool, struct pool_wait *wait);
void pool_forget(struct pool *pool, struct pool_wait *wait); /* does not want one any more */

/* A sandbox that was given is done with. */
enum pool_outcome {
    POOL_UNUSED, /* it broke before the job's code ran */
    POOL_USED,   /* it is removed */
    POOL_GOOD,   /* the job ended by itself: its session may have it again */
};
void pool_return(struct pool *pool, struct slot *slot, enum pool_outcome outcome);

/* Ends every sandbox; on_empty follows. No job may wait or run. The pool is freed with the close of
 * its timers. */
void pool_stop(struct pool *pool);

#endif
