/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/gate.h"

#include <pthread.h>
#include <stdlib.h>

struct gate {
    pthread_mutex_t lock;
    struct loop_queue *loop_queue; /* NULL once closed */
    unsigned references;
};

struct gate *gate_create(struct loop_queue *loop_queue, struct error *err)
{
    struct gate *gate = calloc(1, sizeof *gate);

    if (!gate) {
        error_set(err, ERROR_MEMORY, "out of memory for the executor");
        return NULL;
    }
    pthread_mutex_init(&gate->lock, NULL);
    gate->loop_queue = loop_queue;
    gate->references = 1;
    return gate;
}

void gate_close(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->loop_queue = NULL;
    pthread_mutex_unlock(&gate->lock);
}

void gate_ref(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->references++;
    pthread_mutex_unlock(&gate->lock);
}

void gate_unref(struct gate *gate)
{
    bool last;

    if (!gate)
        return;
    pthread_mutex_lock(&gate->lock);
    last = --gate->references == 0;
    pthread_mutex_unlock(&gate->lock);
    if (!last)
        return;
    pthread_mutex_destroy(&gate->lock);
    free(gate);
}

bool gate_post(struct gate *gate, struct loop_task *task)
{
    bool open;

    pthread_mutex_lock(&gate->lock);
    open = gate->loop_queue != NULL;
    if (open)
        loop_queue_post(gate->loop_queue, task);
    pthread_mutex_unlock(&gate->lock);
    return open;
}
