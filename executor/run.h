/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One execution, from job to result: it asks the pool for a sandbox, sends the job, processes the
 * frames, enforces the deadlines, and reports the result once.
 *
 * The runner in the sandbox enforces the job's deadline and caps. The limits here are higher, and
 * act if the runner fails to. Each phase has its own deadline: waiting for a sandbox, importing,
 * running.
 *
 * Threads: any thread may call run_create; everything else runs on the executor's loop.
 */
#ifndef LECTERN_EXECUTOR_RUN_H
#define LECTERN_EXECUTOR_RUN_H

#include "executor/broker.h"
#include "executor/pool/pool.h"

#define RUN_OUTPUT_SLACK                                                                           \
    (1u << 20)              /* over EXECUTION_OUTPUT_LIMIT; the runner may send this much more */
#define RUN_ATTEMPTS_MAX 2u /* sandboxes that a job tries if one fails before the code starts */

struct executor_run;

struct run_host {
    uv_loop_t *loop;
    struct pool *pool;
    struct loop_handle *loop_handle;
    const struct executor_limits *limits;
    const struct execution_kind *kinds;
    void (*on_taken)(void *user); /* it no longer waits: it has a sandbox, or ended without one */
    /* Called before on_done. started: whether the code had started. */
    void (*on_result)(void *user, const struct execution_result *result, bool started);
    unsigned (*retry_after)(void *user); /* as executor_retry_after */
    void (*on_end)(void *user); /* called after on_done; the caller must not use the run any more */
};

/* Copies the job. Returns NULL with ERROR_INVALID (unknown kind, profile too long, code that is not
 * UTF-8) or ERROR_TOO_LARGE. */
struct executor_run *run_create(const struct execution_job *job, struct error *err);
void run_discard(struct executor_run *run); /* for a run that never began; takes NULL */

/* host is borrowed until the run ends. */
void run_begin(struct executor_run *run, const struct run_host *host, void *user);
void run_cancel_now(struct executor_run *run);
void run_abort(struct executor_run *run, const char *why); /* with another reason */
const char *run_session(const struct executor_run *run);   /* borrowed, or NULL */

#endif
