/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of one run share: run.c (the loop), ending.c (time, the end), output.c (the
 * interpreter's output), from_child.c and from_server.c (what each side may say, and what it does).
 * For these alone.
 */
#ifndef LECTERN_IMAGE_RUN_STATE_H
#define LECTERN_IMAGE_RUN_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "image/runner/child.h"
#include "image/runner/frame_reader.h"
#include "image/runner/job.h"
#include "image/runner/output.h"
#include "image/runner/queue.h"

#define CHUNK (64u << 10)

_Static_assert(CHUNK <= FRAME_OUTPUT_CAP, "one read of output fits one frame");

enum phase {
    PHASE_WARMING,
    PHASE_WARMED,
    PHASE_COPYING,
    PHASE_IDLE,
    PHASE_IMPORTING,
    PHASE_RUNNING,
    PHASE_ASKED,
    PHASE_ENDING,
    PHASE_ENDED,
    PHASE_LINGERING
};

struct runner_run {
    const struct options *options;
    int signals;
    struct child *zygote; /* of a session, once it is warm; else NULL */
    struct child copy;
    struct child *child; /* whose run this is: the only one, or &copy */
    bool leaving;        /* no other run follows */
    enum phase phase;
    int64_t until; /* of the phase, on the monotonic clock in ms; 0: no end */
    int64_t rest;  /* output is not read before */
    int64_t hold;  /* what is for the server is not sent before */
    int64_t started, stopped;
    bool reaped;
    int status; /* of wait */
    bool killed;
    bool has_job;
    struct job job;
    enum verdict verdict;
    uint32_t last_request;
    uint32_t unanswered; /* the request that a run before waited for when it ended; 0: none */
    bool waiting_for_answer;
    bool waiting_for_pong;
    unsigned artifacts; /* of this job, so far */
    bool answering;     /* the answer that is coming in goes on to the interpreter */
    char *result;       /* the interpreter's, rewritten; owned */
    struct result_facts facts;
    struct output out, err;
    struct frame_reader from_server, from_child;
    struct queue to_server, to_child;
    unsigned char chunk[CHUNK];
};

extern const struct frame_reader_rule server_frames[];
extern const struct frame_reader_rule child_frames[];

/* One piece of a frame. -1 with a message logged where it does not belong. */
int run_take_from_server(struct runner_run *run, const struct frame_reader_piece *piece);
int run_take_from_child(struct runner_run *run, const struct frame_reader_piece *piece);

int64_t run_now(void); /* ms on the monotonic clock */
void run_enter(struct runner_run *run, enum phase phase,
               int64_t ms); /* ms: how long at most, 0 for ever */
void run_stop_clock(struct runner_run *run);
/* Decides how the run ended, unless that is decided, and ends it. */
void run_end(struct runner_run *run, enum verdict verdict);
/* A run's child and what lies between it and the runner; what a run has of it, closed and freed. */
void run_attach(struct runner_run *run, struct child *child);
void run_detach(struct runner_run *run);
void run_kill(struct runner_run *run); /* the interpreter, unless it is gone */
void run_reap(struct runner_run *run); /* who ended, and the signals that end the runner */
int run_on_deadline(struct runner_run *run);
void run_watch_memory(struct runner_run *run);
/* With a result all output has been written before it: what is in the pipes is all there is, and
 * nobody waits for a process of many pages to be taken down. Without one, its end tells. */
bool run_is_over(const struct runner_run *run);
int run_finish(struct runner_run *run);        /* the last frames */
int run_hand_job_over(struct runner_run *run); /* to an interpreter that is ready */

/* A frame to the server; -1 with a message logged when the queue is full. */
int run_send(struct runner_run *run, enum frame_type type, const void *payload, size_t len);
int run_send_text(struct runner_run *run, enum frame_type type,
                  char *text); /* frees it; NULL is -1 */

#endif
