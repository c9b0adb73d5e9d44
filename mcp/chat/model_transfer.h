/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One call's way to the service and back, for model.c: what happens on the work queue's thread, and
 * the buffer by which bytes come to the loop. One task is under way at most, however many bytes
 * come.
 */
#ifndef LECTERN_CHAT_MODEL_TRANSFER_H
#define LECTERN_CHAT_MODEL_TRANSFER_H

#include <pthread.h>
#include <sys/queue.h>

#include "helpers/base/http.h"
#include "mcp/chat/event_stream.h"
#include "mcp/chat/model.h"

/* How to ask: the same for all calls; borrowed for their life. */
struct model_way {
    const char *url;            /* .../v1/messages */
    const char *const *headers; /* NULL-terminated */
    bool local;                 /* on a loopback address: no proxy, and it may be silent for long */
    struct loop_queue *loop_queue;
};

/* Headers of an answer that decide on what comes next; "" where there is none. */
struct model_headers {
    char should_retry[16], retry_after_ms[32], retry_after[64];
};

struct model_transfer {
    /* Of model.c, on the loop's thread. */
    TAILQ_ENTRY(model_transfer) link;
    struct model *model; /* a reference; its owner may be gone */
    struct model_call *call;
    bool waits; /* for a thread; not on the work queue */
    struct event_stream stream;
    struct error stream_err; /* why the stream cannot be read on */
    struct buf reading;

    /* Set on the loop before an attempt, used on the work queue's thread. */
    const struct model_way *way;
    unsigned attempt;      /* from 1 */
    unsigned wait_ms;      /* before it */
    struct cancel *enough; /* fired where what came will do */

    /* Between the two, under the lock. */
    pthread_mutex_t lock;
    struct buf unread;
    bool mail_under_way;
    struct loop_task task;

    /* The attempt's end, written on the work queue's thread, read on the loop when it is done. */
    struct error err; /* as http_send says it */
    struct http_response response;
    struct model_headers headers;
    size_t bytes; /* of an answer that is no error */
};

/* on_bytes: on the loop, when there is something to take. NULL with ERROR_MEMORY. */
struct model_transfer *model_transfer_create(struct model_call *call, const struct model_way *way,
                                             void (*on_bytes)(void *transfer), struct error *err);
void model_transfer_destroy(struct model_transfer *transfer); /* takes NULL */

/* Forgets an attempt that has failed. On the loop. */
void model_transfer_reset(struct model_transfer *transfer);

/* One attempt, on the work queue's thread. */
void model_transfer_work(struct model_transfer *transfer, struct http_client *client);

/* On the loop: what came since the last time, in transfer->reading. false: nothing. */
bool model_transfer_take(struct model_transfer *transfer);

#endif
