/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lets any thread run tasks on an event loop: posted tasks run on the loop's thread, in order. The
 * task is embedded in the sender's struct, so posting neither allocates nor fails.
 */
#ifndef LECTERN_BASE_LOOP_QUEUE_H
#define LECTERN_BASE_LOOP_QUEUE_H

#include <sys/queue.h>
#include <uv.h>

#include "helpers/base/error.h"

struct loop_task {
    STAILQ_ENTRY(loop_task) link;
    void (*run)(void *arg); /* on the loop's thread; may free what contains the task */
    void *arg;
};

struct loop_queue;

struct loop_queue *loop_queue_create(uv_loop_t *loop, struct error *err); /* on the loop's thread */
uv_loop_t *loop_queue_loop(const struct loop_queue *loop_queue); /* the loop of the queue */

/* Callable from any thread until the queue is destroyed. */
void loop_queue_post(struct loop_queue *loop_queue, struct loop_task *task);

/* Runs the remaining tasks, then closes the queue; its memory is freed after the loop has run its
 * close callbacks. On the loop's thread; nothing may post any more. Takes NULL. */
void loop_queue_destroy(struct loop_queue *loop_queue);

#endif
