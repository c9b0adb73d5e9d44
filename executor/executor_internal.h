/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the executor's outside share: executor.c makes it and takes it down,
 * submission.c brings jobs from any thread to its loop.
 */
#ifndef LECTERN_EXECUTOR_EXECUTOR_INTERNAL_H
#define LECTERN_EXECUTOR_EXECUTOR_INTERNAL_H

#include <pthread.h>

#include "executor/run.h"

struct executor {
    const struct engine *engine;
    void *state;
    char description[ENGINE_DESCRIPTION_CAP];
    struct executor_limits limits;
    uv_loop_t loop;
    pthread_t thread;
    struct loop_queue *loop_queue;
    struct workq *workq;
    struct loop_handle *loop_handle;
    struct pool *pool;
    struct sandbox_host sandbox_host;
    struct run_host run_host;
    struct loop_task start, stop;
    struct stats stats; /* with a lock of its own, taken last */

    pthread_mutex_t lock;
    pthread_cond_t ready_changed;
    LIST_HEAD(, submission) submissions;
    uint64_t last_id;
    unsigned waiting; /* of the submissions */
    unsigned ready[KINDS_COUNT];
};

/* For the hosts of runs; user is the submission. On the loop. */
void submission_on_taken(void *user);
void submission_on_end(void *user);

/* Ends every run that there is. On the loop. */
void submissions_abort(struct executor *executor, const char *why);

#endif
