/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/loop_handle.h"

#include <pthread.h>
#include <stdlib.h>

struct loop_handle {
    pthread_mutex_t lock;
    struct loop_queue *loop_queue; /* NULL once closed */
    unsigned references;
};

struct loop_handle *loop_handle_create(struct loop_queue *loop_queue, struct error *err)
{
    struct loop_handle *loop_handle = calloc(1, sizeof *loop_handle);

    if (!loop_handle) {
        error_set(err, ERROR_MEMORY, "out of memory for the executor");
        return NULL;
    }
    pthread_mutex_init(&loop_handle->lock, NULL);
    loop_handle->loop_queue = loop_queue;
    loop_handle->references = 1;
    return loop_handle;
}

void loop_handle_close(struct loop_handle *loop_handle)
{
    pthread_mutex_lock(&loop_handle->lock);
    loop_handle->loop_queue = NULL;
    pthread_mutex_unlock(&loop_handle->lock);
}

void loop_handle_ref(struct loop_handle *loop_handle)
{
    pthread_mutex_lock(&loop_handle->lock);
    loop_handle->references++;
    pthread_mutex_unlock(&loop_handle->lock);
}

void loop_handle_unref(struct loop_handle *loop_handle)
{
    bool last;

    if (!loop_handle)
        return;
    pthread_mutex_lock(&loop_handle->lock);
    last = --loop_handle->references == 0;
    pthread_mutex_unlock(&loop_handle->lock);
    if (!last)
        return;
    pthread_mutex_destroy(&loop_handle->lock);
    free(loop_handle);
}

bool loop_handle_post(struct loop_handle *loop_handle, struct loop_task *task)
{
    bool open;

    pthread_mutex_lock(&loop_handle->lock);
    open = loop_handle->loop_queue != NULL;
    if (open)
        loop_queue_post(loop_handle->loop_queue, task);
    pthread_mutex_unlock(&loop_handle->lock);
    return open;
}
