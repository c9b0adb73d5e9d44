/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A work queue: a bounded queue and the threads that work it off, for straight-line code that
 * blocks. A job goes out from a loop and comes back to that loop's queue. A full work queue says
 * so at once.
 */
#ifndef LECTERN_BASE_WORKQ_H
#define LECTERN_BASE_WORKQ_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "helpers/base/error.h"
#include "helpers/base/loop_queue.h"

struct workq;

struct workq_job {
    STAILQ_ENTRY(workq_job) link;
    struct loop_task task;
    uint64_t key; /* what the job is about (workq_key); 0: nothing that others are about */
    void (*work)(struct workq_job *job,
                 void *context); /* on a thread of the work queue, with that thread's own context */
    void (*done)(struct workq_job *job); /* back on the loop; may free what embeds the job */
    /* On a thread of a work queue with groups: what work did is not kept, and the job is to end
     * with err. May come instead of work. Needed there. */
    void (*undone)(struct workq_job *job, const struct error *err);
};

/* Jobs that are done together where several wait: what they did is kept at the end, for all of them
 * or for none, and none is told before. begin -1: each job of the group is undone without work;
 * end -1: each is undone. */
struct workq_groups {
    int (*begin)(void *context, struct error *err);
    int (*end)(void *context, struct error *err);
    size_t jobs; /* at most, of one group */
};

struct workq_config {
    const char *name; /* borrowed for the work queue's life; also the threads' name */
    size_t threads;
    size_t capacity; /* jobs that may wait, those under work not counted */
    size_t per_key;  /* of the jobs of one key so many are worked on at once, begun in their order;
                        the others are not kept waiting, and have half of the room. 0: keys do not
                        matter */

    /* Each thread's own context (a store connection, say), opened before workq_create returns. Both
     * may be NULL. */
    void *(*open)(void *arg, struct error *err);
    void (*close)(void *context);
    void *arg;                         /* for open */
    const struct workq_groups *groups; /* or NULL; borrowed for the work queue's life */
};

uint64_t workq_key(const char *name);

struct workq *workq_create(const struct workq_config *config, struct loop_queue *loop_queue,
                           struct error *err);

/* Any thread. job is the work queue's until done. -1 with ERROR_BUSY: not taken, done will not be
 * called.
 */
int workq_submit(struct workq *workq, struct workq_job *job, struct error *err);

/* Works off what is queued, joins the threads. Their tasks are in the loop's queue then. Takes
 * NULL. */
void workq_destroy(struct workq *workq);

#endif
