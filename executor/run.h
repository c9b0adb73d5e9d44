/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One execution, from job to result: asks the pool for a sandbox, sends the job, takes what comes,
 * keeps the deadlines, and says once how it ended.
 *
 * The runner inside keeps the job's deadline and caps; those here stand above it, for a runner that
 * does not. Each phase has its own: waiting for a sandbox, importing, running.
 *
 * Threads: run_create on any; everything else on the executor's loop.
 */
#ifndef LECTERN_EXECUTOR_RUN_H
#define LECTERN_EXECUTOR_RUN_H

#include "executor/broker.h"
#include "executor/pool/pool.h"

#define RUN_OUTPUT_SLACK                                                                           \
    (1u << 20) /* over EXECUTION_OUTPUT_LIMIT, for what the runner passes on before it sees */
#define RUN_ATTEMPTS_MAX 2u /* sandboxes tried when one breaks before the code has started */

struct executor_run;

struct run_host {
    uv_loop_t *loop;
    struct pool *pool;
    struct loop_handle *loop_handle;
    const struct executor_limits *limits;
    void (*on_taken)(void *user); /* it waits no longer: has a sandbox, or ended without */
    /* Before on_done. started: the code had. */
    void (*on_result)(void *user, const struct execution_result *result, bool started);
    unsigned (*retry_after)(void *user); /* as executor_retry_after */
    void (*on_end)(void *user);          /* after on_done; the run is no longer the caller's */
};

/* Copies the job. -1 with ERROR_INVALID (unknown kind, too long a profile, code that is not UTF-8)
 * or ERROR_TOO_LARGE.
 */
struct executor_run *run_create(const struct execution_job *job, struct error *err);
void run_discard(struct executor_run *run); /* one that never began; takes NULL */

/* host is borrowed for the run's life. */
void run_begin(struct executor_run *run, const struct run_host *host, void *user);
void run_cancel_now(struct executor_run *run);
void run_abort(struct executor_run *run, const char *why); /* the same, for another reason */
const char *run_session(const struct executor_run *run);   /* borrowed, or NULL */

#endif
