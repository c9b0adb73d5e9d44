/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Handles the requests that code in a sandbox sends to the session API. The broker
 * checks the form of each request and passes it to the owner of the job, who knows which sessions
 * the job may read, and answers it. The number of requests, their bytes and the time of each are
 * limited.
 *
 * Threads: all functions run on the executor's loop, except executor_answer. Any thread may call
 * it, even after the executor is gone, so it goes through a loop handle, which knows whether the
 * loop still exists.
 */
#ifndef LECTERN_EXECUTOR_BROKER_H
#define LECTERN_EXECUTOR_BROKER_H

#include <sys/queue.h>

#include "executor/engine.h"
#include "executor/wire/frame_decoder.h"
#include "helpers/base/loop_queue.h"

#define BROKER_IN_FLIGHT_CAP 64u /* requests of one run that may wait for an answer */
#define BROKER_OVER_CAP_MAX                                                                        \
    1000u /* requests over the cap that are still answered; after that the sandbox is ended */
#define BROKER_ANSWER_BODY_CAP (FRAME_ANSWER_CAP - 6u)

/* Lets any thread post late answers to the executor's loop, even when the loop is gone. */
struct loop_handle;

struct loop_handle *loop_handle_create(struct loop_queue *loop_queue,
                                       struct error *err); /* one reference, the caller's */
void loop_handle_close(struct loop_handle *loop_handle);   /* nothing is posted from now on */
void loop_handle_unref(struct loop_handle *loop_handle);   /* takes NULL */

/* State of one run, embedded in it. */
struct broker {
    uv_timer_t timer; /* finds requests that take too long; the run initializes and closes it */
    struct loop_handle *loop_handle; /* borrowed */
    const char *session_id; /* borrowed; NULL: requests are refused, as there is no session */
    const struct executor_limits *limits;
    void (*on_request)(void *user, struct broker_request *request);
    void (*on_case)(void *user, struct broker_request *request); /* NULL: the run has no cases */
    void *user;
    int (*send)(struct broker *broker, char *frame, size_t len); /* takes ownership of frame */

    LIST_HEAD(, broker_request) waiting;
    size_t in_flight, requests, answer_bytes;
};

/* Processes a FRAME_REQUEST or a FRAME_CASE. On -1 the sandbox must be ended (ERROR_MALFORMED: it
 * broke a rule; ERROR_TOO_LARGE: the code goes on asking after many refusals). */
int broker_take(struct broker *broker, const struct frame *frame, struct error *err);

/* Called when the run has ended or continues in another sandbox: cancels the open requests, and
 * drops answers that arrive later. */
void broker_end(struct broker *broker);

#endif
