/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The requests that code in a sandbox makes of the session API, on their way out and back. The
 * session is the job's; what the code sends is checked for its form here and answered by whoever
 * gave the job. Bounded in number, in bytes and in time.
 *
 * Threads: all on the executor's loop, but executor_answer, which may come from any thread, late,
 * or after the executor is gone: it goes through a loop handle that knows whether there is still a
 * loop behind it.
 */
#ifndef LECTERN_EXECUTOR_BROKER_H
#define LECTERN_EXECUTOR_BROKER_H

#include <sys/queue.h>

#include "executor/engine.h"
#include "executor/wire/frame_decoder.h"
#include "helpers/base/loop_queue.h"

#define BROKER_IN_FLIGHT_CAP 64u /* requests of one run that wait for their answer */
#define BROKER_OVER_CAP_MAX                                                                        \
    1000u /* requests over the cap that still get an answer; then the sandbox is ended */
#define BROKER_ANSWER_BODY_CAP (FRAME_ANSWER_CAP - 6u)

/* A way into the executor's loop for answers that may come late, when the loop is gone. Any thread.
 */
struct loop_handle;

struct loop_handle *loop_handle_create(struct loop_queue *loop_queue,
                                       struct error *err); /* one reference, the caller's */
void loop_handle_close(struct loop_handle *loop_handle);   /* nothing is posted any more */
void loop_handle_unref(struct loop_handle *loop_handle);   /* takes NULL */

/* Of one run; embedded in it. */
struct broker {
    uv_timer_t timer; /* looks for requests that take too long; the run's to init and close */
    struct loop_handle *loop_handle; /* borrowed */
    const char *session_id; /* borrowed; NULL: each request is answered that there is no session */
    const struct executor_limits *limits;
    void (*on_request)(void *user, struct broker_request *request);
    void *user;
    int (*send)(struct broker *broker, char *frame, size_t len); /* frame is owned by it */

    LIST_HEAD(, broker_request) waiting;
    size_t in_flight, requests, answer_bytes;
};

/* Takes a FRAME_REQUEST. -1 with ERROR_MALFORMED where it has no right to go on. */
int broker_take(struct broker *broker, const struct frame *frame, struct error *err);

/* The run has ended, or goes on in another sandbox: answers that come later are dropped, and those
 * at work on them are told. */
void broker_end(struct broker *broker);

#endif
