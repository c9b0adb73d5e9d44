/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A bounded queue with its own threads, for sequential code that blocks. A loop submits a job, and
 * the job returns as a task of that loop's queue. A full work queue refuses a job at once.
 */
#ifndef LECTERN_BASE_WORKQ_H
#define LECTERN_BASE_WORKQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "helpers/base/error.h"
#include "helpers/base/loop_queue.h"

struct workq;

struct workq_job {
    STAILQ_ENTRY(workq_job) link;
    struct loop_task task;
    uint64_t key; /* what the job is about (workq_key); 0: nothing that it shares with others */
    bool large;   /* it may take long: see workq_config.large */
    void (*work)(struct workq_job *job,
                 void *context);         /* on a thread of the work queue, with its context */
    void (*done)(struct workq_job *job); /* on the loop; may free what contains the job */
    /* On a thread of a work queue with groups, which requires it: the result of work was not kept,
     * and the job must end with err. May be called instead of work. */
    void (*undone)(struct workq_job *job, const struct error *err);
};

/* Executes waiting jobs as a group, whose results are kept for all of them or for none; no job
 * returns before that. If begin returns -1, each job of the group gets undone instead of work; if
 * end returns -1, each gets undone. */
struct workq_groups {
    int (*begin)(void *context, struct error *err);
    int (*end)(void *context, struct error *err);
    size_t jobs; /* upper limit for one group */
};

struct workq_config {
    const char *name; /* borrowed for the work queue's life; also the threads' name */
    size_t threads;
    size_t capacity; /* jobs that may wait, not counting active ones */
    size_t per_key;  /* maximum number of jobs with the same key that are active at once; they begin
                        in order, the jobs of other keys do not wait for them, and one key may use
                        half of the capacity. 0: ignore keys */

    /* How many large jobs are active at once, of different keys, so that they leave threads to the
     * others; then one key may use half of the capacity, too. 0: large jobs are like others. */
    size_t large;

    /* Each thread's context (for example a store connection), opened before workq_create returns.
     * Both may be NULL. */
    void *(*open)(void *arg, struct error *err);
    void (*close)(void *context);
    void *arg; /* argument of open */
    /* Background work, for a thread that finds no job; or NULL. It must be short, because a new job
     * waits for it. Returns true to be called again, after the jobs that have come meanwhile. */
    bool (*idle)(void *context);
    bool lends;                        /* workq_borrow works; not with groups */
    const struct workq_groups *groups; /* or NULL; borrowed for the work queue's life */
};

uint64_t workq_key(const char *name);

struct workq *workq_create(const struct workq_config *config, struct loop_queue *loop_queue,
                           struct error *err);

/* Any thread. The work queue owns job until done. Returns -1 with ERROR_BUSY if the job was not
 * accepted, as by a work queue that has ended (NULL); done is not called then. */
int workq_submit(struct workq *workq, struct workq_job *job, struct error *err);

/* For work that is known to be so short that another thread costs more than it does: lends the
 * caller the context of a thread that is idle while no job waits. Any thread. That thread takes no
 * job meanwhile, and jobs of the key (as in workq_job) count as if it worked on one. The caller is
 * then the only user of the context, up to workq_give_back on the same thread, which must come
 * before workq_destroy. NULL if no thread is idle, jobs wait, or the work queue does not lend. */
struct workq_thread;
struct workq_thread *workq_borrow(struct workq *workq, uint64_t key, void **context);
void workq_give_back(struct workq_thread *thread);

/* Executes the queued jobs and joins the threads. The tasks of the jobs are in the loop's queue
 * then. Takes NULL. */
void workq_destroy(struct workq *workq);

#endif
