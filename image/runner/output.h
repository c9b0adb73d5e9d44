/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One of the interpreter's two output pipes, and what becomes of what comes through it. It is read
 * as it comes, so that the code is never held back; what is within the cap is passed on, and of
 * what lies beyond it the end is kept.
 */
#ifndef LECTERN_IMAGE_OUTPUT_H
#define LECTERN_IMAGE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "executor/frame.h"
#include "image/runner/tail.h"

struct runner_run;

struct output {
    int fd;       /* -1 after its end */
    bool drained; /* there was no more when it was read last */
    enum frame_type type, tail_type;
    uint64_t cap, bytes, sent;
    struct tail tail; /* of what is beyond the cap */
};

void output_close(struct output *output);
/* One read. -1 where the frame could not be queued. */
int output_read(struct runner_run *run, struct output *output);
/* Reads on until nothing is left in the pipe, or the server must read first. */
int output_drain(struct runner_run *run, struct output *output);
/* What was said before the clock started is no output of the code. */
void output_forget_warm(struct runner_run *run);
/* The tail's frame, where there is a tail. After it nothing may be read. */
int output_send_tail(struct runner_run *run, const struct output *output);
/* Bytes that are neither in what was passed on nor in the tail. */
uint64_t output_cut(const struct output *output);

#endif
