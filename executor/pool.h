/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeps sandboxes of each kind waiting, and gives a waiting job the next one that is ready. A
 * sandbox that was given is never given again.
 *
 * Starting a sandbox costs CPU that answers need: it raises the 99th percentile of a run ten times.
 * So a refill starts one at a time, a little after the last run ended, and is put off while runs
 * are under way, though not for ever. A sandbox that a job waits for starts at once. When starts
 * fail, the next is tried after a pause that doubles; jobs that wait hear what is wrong on the
 * second failure in a row.
 *
 * Everything here runs on the executor's loop.
 */
#ifndef LECTERN_EXECUTOR_POOL_H
#define LECTERN_EXECUTOR_POOL_H

#include <sys/queue.h>

#include "executor/kinds.h"
#include "executor/sandbox.h"
#include "executor/stats.h"

#define POOL_STARTS_MAX        3u    /* under way at once */
#define POOL_SANDBOXES_CAP     16u   /* in any state, those being removed too */
#define POOL_REFILL_PAUSE_MS   30u   /* after the last run ended */
#define POOL_REFILL_PUT_OFF_MS 1000u /* most that runs under way put it off */
#define POOL_RETRY_MS          250u  /* after the first failed start */
#define POOL_RETRY_MS_MAX      30000u
#define POOL_FORGET_MS         60000u /* after which an old failure no longer counts */
#define POOL_STABLE_MS         10000u /* a sandbox that waited this long did not fail to start */

struct pool;

/* A job that wants a sandbox. Embedded in the run. */
struct pool_wait {
    TAILQ_ENTRY(pool_wait) link;
    int kind;
    bool queued;
    void (*given)(struct pool_wait *wait,
                  struct sandbox *sandbox); /* it is the job's now, with no events yet */
    void (*failed)(struct pool_wait *wait, const struct error *why);
};

struct pool_config {
    struct sandbox_host *host;
    struct stats *stats;
    bool warm[KINDS_COUNT];
    void (*on_ready)(void *user, int kind, unsigned ready); /* the number that waits has changed */
    void (*on_empty)(void *user);                           /* stopped, and nothing is left */
    void *user;
};

struct pool *pool_create(const struct pool_config *config, struct error *err);
void pool_start(struct pool *pool); /* on the loop: begins to warm */

/* Calls given or failed later, or at once. */
void pool_ask(struct pool *pool, struct pool_wait *wait);
void pool_forget(struct pool *pool, struct pool_wait *wait); /* does not want one any more */

/* A sandbox that was given is done with: it is removed and another started. worked: it ran its job.
 */
void pool_return(struct pool *pool, struct sandbox *sandbox, bool worked);

/* Ends every sandbox; on_empty follows. No job may wait or run. The pool is freed with the close of
 * its timer. */
void pool_stop(struct pool *pool);

#endif
