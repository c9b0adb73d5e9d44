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
 * Everything here runs on the executor's loop. Its parts: pool.c (asking, giving, taking back),
 * refill.c (what to start, what to end for room), health.c (the tick: pings, renewal, the image),
 * slot.c (one sandbox's place in all this), demand.h, admission.h.
 */
#ifndef LECTERN_EXECUTOR_POOL_H
#define LECTERN_EXECUTOR_POOL_H

#include "executor/admission.h"
#include "executor/kinds.h"
#include "executor/sandbox.h"
#include "executor/stats.h"

#define POOL_STARTS_MAX        3u    /* under way at once */
#define POOL_SANDBOXES_CAP     16u   /* in any state, those being removed too */
#define POOL_SESSION_CAP       12u   /* of one session, so that no one has all of them */
#define POOL_WAITING_BY_DEMAND 4u    /* most of a kind that wait because of demand */
#define POOL_REFILL_PAUSE_MS   30u   /* after the last run ended */
#define POOL_REFILL_PUT_OFF_MS 1000u /* most that runs under way put it off */
#define POOL_RETRY_MS          250u  /* after the first failed start */
#define POOL_RETRY_MS_MAX      30000u
#define POOL_FORGET_MS         60000u /* after which an old failure no longer counts */
#define POOL_STABLE_MS         10000u /* a sandbox that waited this long did not fail to start */
#define POOL_PLACES_MS         100u   /* a job is told its new place at most so often */
#define POOL_MADE_OF_FRESH_MS  1000u  /* a start asks again where the last answer is older */
#define POOL_TICK_MS           1000u
#define POOL_PING_MS           30000u
#define POOL_PONG_MS           5000u
#define POOL_RENEW_MS          1800000u
#define POOL_MADE_OF_MS        10000u
#define POOL_SLOT_MS           30000u /* DEMAND_SLOTS of them: five minutes */
#define POOL_RECYCLE_MS        2000u
#define POOL_IDLE_MS           60000u
#define POOL_HOLD_MS           500u
#define POOL_JOBS_MAX          1000u
#define POOL_WORKQ_JOBS        (POOL_SANDBOXES_CAP + 1u) /* one a sandbox, and made_of */

struct pool;

struct pool_config {
    struct sandbox_host *host;
    struct stats *stats;
    enum execution_isolation isolation;
    bool warm[KINDS_COUNT];                                 /* whether any wait at all */
    unsigned waiting[KINDS_COUNT];                          /* fewest that wait, of those */
    void (*on_ready)(void *user, int kind, unsigned ready); /* the number that waits has changed */
    void (*on_empty)(void *user);                           /* stopped, and nothing is left */
    void *user;
};

struct pool *pool_create(const struct pool_config *config, struct error *err);
void pool_start(struct pool *pool); /* on the loop: begins to warm */

/* Calls given or failed later, or at once; placed meanwhile. */
void pool_ask(struct pool *pool, struct pool_wait *wait);
void pool_forget(struct pool *pool, struct pool_wait *wait); /* does not want one any more */

/* A sandbox that was given is done with. */
struct sandbox *slot_sandbox(const struct slot *slot);
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
