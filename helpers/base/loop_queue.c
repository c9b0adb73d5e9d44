/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/loop_queue.h"

#include <pthread.h>
#include <stdlib.h>

struct loop_queue {
    uv_async_t async;
    pthread_mutex_t lock;
    STAILQ_HEAD(, loop_task) tasks;
};

static void run_all(struct loop_queue *loop_queue)
{
    STAILQ_HEAD(, loop_task) taken = STAILQ_HEAD_INITIALIZER(taken);
    struct loop_task *task;

    pthread_mutex_lock(&loop_queue->lock);
    STAILQ_CONCAT(&taken, &loop_queue->tasks);
    pthread_mutex_unlock(&loop_queue->lock);
    while ((task = STAILQ_FIRST(&taken))) {
        STAILQ_REMOVE_HEAD(&taken, link);
        task->run(task->arg);
    }
}

static void on_async(uv_async_t *async)
{
    run_all(async->data);
}

struct loop_queue *loop_queue_create(uv_loop_t *loop, struct error *err)
{
    struct loop_queue *loop_queue = calloc(1, sizeof *loop_queue);
    int rc;

    if (!loop_queue) {
        error_set(err, ERROR_MEMORY, "out of memory for a loop's queue");
        return NULL;
    }
    STAILQ_INIT(&loop_queue->tasks);
    rc = uv_async_init(loop, &loop_queue->async, on_async);
    if (rc < 0) {
        error_errno(err, -rc, "uv_async_init");
        free(loop_queue);
        return NULL;
    }
    pthread_mutex_init(&loop_queue->lock, NULL);
    loop_queue->async.data = loop_queue;
    return loop_queue;
}

uv_loop_t *loop_queue_loop(const struct loop_queue *loop_queue)
{
    return loop_queue->async.loop;
}

void loop_queue_post(struct loop_queue *loop_queue, struct loop_task *task)
{
    /* Sent under the lock: the receiver, once it has seen this task, may destroy the queue, and
     * must find us gone. */
    pthread_mutex_lock(&loop_queue->lock);
    STAILQ_INSERT_TAIL(&loop_queue->tasks, task, link);
    uv_async_send(&loop_queue->async);
    pthread_mutex_unlock(&loop_queue->lock);
}

static void on_closed(uv_handle_t *handle)
{
    struct loop_queue *loop_queue = handle->data;

    pthread_mutex_destroy(&loop_queue->lock);
    free(loop_queue);
}

void loop_queue_destroy(struct loop_queue *loop_queue)
{
    if (!loop_queue)
        return;
    run_all(loop_queue);
    uv_close((uv_handle_t *)&loop_queue->async, on_closed);
}
