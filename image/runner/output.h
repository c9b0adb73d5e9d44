/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What becomes of what the interpreter writes to one of its two output pipes: what is within the
 * cap is passed on, and of what lies beyond it the last bytes are kept, in a ring of a fixed size.
 * Pure.
 */
#ifndef LECTERN_IMAGE_OUTPUT_H
#define LECTERN_IMAGE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executor/frame.h"

struct runner_output {
    int fd;       /* -1 after its end */
    bool drained; /* there was no more when it was read last */
    enum frame_type type, tail_type;
    uint64_t cap;       /* bytes that are passed on */
    size_t tail_cap;    /* bytes that are kept beyond, at most FRAME_TAIL_CAP */
    uint64_t bytes;     /* taken in all */
    uint64_t sent;      /* of these, passed on */
    uint64_t tail_came; /* of these, beyond the cap */
    unsigned char ring[FRAME_TAIL_CAP];
};

/* Counts what came and keeps what is beyond the cap. Returns how many of its first bytes are to be
 * passed on. */
size_t output_take(struct runner_output *output, const unsigned char *data, size_t len);
/* Bytes that are kept of the end. */
size_t output_tail_len(const struct runner_output *output);
/* Writes these, oldest first, into a buffer of FRAME_TAIL_CAP bytes. */
void output_tail_copy(const struct runner_output *output, unsigned char *to);
/* Bytes that are neither in what was passed on nor in the tail. */
uint64_t output_cut(const struct runner_output *output);

#endif
