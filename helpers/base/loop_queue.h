/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A way into an event loop from any thread: tasks posted run on the loop's thread, in order.
 * The task is embedded in the sender's own struct, so posting neither allocates nor fails.
 */
#ifndef LECTERN_BASE_LOOP_QUEUE_H
#define LECTERN_BASE_LOOP_QUEUE_H

#include <sys/queue.h>
#include <uv.h>

#include "helpers/base/error.h"

struct loop_task {
    STAILQ_ENTRY(loop_task) link;
    void (*run)(void *arg); /* runs on the loop's thread; may free what embeds the task */
    void *arg;
};

struct loop_queue;

struct loop_queue *loop_queue_create(uv_loop_t *loop, struct error *err); /* on the loop's thread */
uv_loop_t *loop_queue_loop(const struct loop_queue *loop_queue);          /* that it was made for */

/* Any thread, until the queue is destroyed. */
void loop_queue_post(struct loop_queue *loop_queue, struct loop_task *task);

/* A queue keeps its loop alive unless told otherwise. On the loop's thread. */
void loop_queue_unref_loop(struct loop_queue *loop_queue);

/* On the loop's thread, when no one posts any more: runs what is still there, then closes; the
 * memory goes when the loop has run its close callbacks. Takes NULL. */
void loop_queue_destroy(struct loop_queue *loop_queue);

#endif
