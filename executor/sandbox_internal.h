/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of a sandbox share: sandbox.c has its life, sandbox_io.c the frames in and out.
 */
#ifndef LECTERN_EXECUTOR_SANDBOX_INTERNAL_H
#define LECTERN_EXECUTOR_SANDBOX_INTERNAL_H

#include <sys/queue.h>

#include "executor/sandbox.h"

enum sandbox_phase {
    SANDBOX_STARTING,
    SANDBOX_WARMING,
    SANDBOX_SETTLING,
    SANDBOX_READY,
    SANDBOX_RECYCLING,
    SANDBOX_ENDING
};

struct chunk {
    STAILQ_ENTRY(chunk) link;
    char *bytes; /* owned */
    size_t len, sent;
};

struct sandbox {
    struct sandbox_host *host;
    int kind;
    enum sandbox_phase phase;
    bool on_workq; /* the work queue has it: the end must wait until it is back */
    bool doomed;   /* sandbox_end was called */
    bool watched;  /* poll is initialised */
    bool pinged;   /* the answer is still to come */
    unsigned handles;
    struct engine_box *box; /* NULL before the start and after the end */
    struct error workq_error;
    bool workq_failed;
    struct workq_job workq_job;
    uv_poll_t poll;
    uv_timer_t timer; /* for FRAME_READY, or FRAME_PONG */
    unsigned patience_ms;
    struct frame_decoder decoder;
    STAILQ_HEAD(, chunk) out;
    const struct sandbox_events *events;
    void *user;
    void (*gone)(struct sandbox *sandbox, void *owner);
    void *owner;
};

/* sandbox.c */
void sandbox_break_off(struct sandbox *sandbox, const struct error *why);
void sandbox_settle(struct sandbox *sandbox);
void sandbox_say_ended(struct sandbox *sandbox, struct error *err);

/* sandbox_io.c */
void sandbox_watch(struct sandbox *sandbox);
void sandbox_receive(struct sandbox *sandbox);
void sandbox_drop_output(struct sandbox *sandbox); /* what was not sent */

#endif
