/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of one run share: run.c (the loop, time, the end), from_child.c and from_server.c
 * (what each side may say, and what it does). For these three alone.
 */
#ifndef LECTERN_IMAGE_RUN_STATE_H
#define LECTERN_IMAGE_RUN_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "image/child.h"
#include "image/inlet.h"
#include "image/job.h"
#include "image/queue.h"

#define CHUNK (64u << 10)

_Static_assert(CHUNK <= FRAME_OUTPUT_CAP, "one read of output fits one frame");

enum phase { WARMING, IDLE, IMPORTING, RUNNING, ASKED, ENDING, ENDED };

/* One of the interpreter's two output pipes. */
struct output {
    int fd;       /* -1 after its end */
    bool drained; /* there was no more when it was read last */
    enum frame_type type;
    uint64_t cap, bytes, sent;
};

struct run {
    struct child *child;
    const struct options *options;
    int signals;
    enum phase phase;
    int64_t until; /* of the phase, on the monotonic clock in ms; 0: no end */
    int64_t rest;  /* output is not read before */
    int64_t started, stopped;
    bool reaped;
    int status; /* of wait */
    bool killed;
    bool has_job;
    struct job job;
    enum verdict verdict;
    uint32_t last_request;
    bool waiting_for_answer;
    unsigned artifacts; /* of this job, so far */
    bool answering; /* the answer that is coming in goes on to the interpreter */
    char *result;   /* the interpreter's, rewritten; owned */
    struct result_facts facts;
    struct output out, err;
    struct inlet from_server, from_child;
    struct queue to_server, to_child;
    unsigned char chunk[CHUNK];
};

extern const struct inlet_rule server_frames[];
extern const struct inlet_rule child_frames[];

/* One piece of a frame. -1 with a complaint where it does not belong. */
int run_take_from_server(struct run *run, const struct inlet_piece *piece);
int run_take_from_child(struct run *run, const struct inlet_piece *piece);

int64_t run_now(void); /* ms on the monotonic clock */
void run_enter(struct run *run, enum phase phase,
               int64_t ms); /* ms: how long at most, 0 for ever */
void run_stop_clock(struct run *run);
/* Decides how the run ended, unless that is decided, and ends it. */
void run_end(struct run *run, enum verdict verdict);
int run_hand_job_over(struct run *run); /* to an interpreter that is ready */

/* A frame to the server; -1 with a complaint when the queue is full. */
int run_send(struct run *run, enum frame_type type, const void *payload, size_t len);
int run_send_text(struct run *run, enum frame_type type, char *text); /* frees it; NULL is -1 */

#endif
