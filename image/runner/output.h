/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Limits what the interpreter writes to one of its two output pipes: bytes within the cap are
 * passed on, and beyond it the last bytes are kept in a ring of fixed size. Pure.
 */
#ifndef LECTERN_IMAGE_OUTPUT_H
#define LECTERN_IMAGE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executor/frame.h"

struct runner_output {
    int fd;       /* -1 once closed */
    bool drained; /* the last read found nothing more */
    enum frame_type type, tail_type;
    uint64_t cap;       /* bytes that are passed on */
    size_t tail_cap;    /* bytes kept beyond the cap, at most FRAME_TAIL_CAP */
    uint64_t bytes;     /* total received */
    uint64_t sent;      /* of these, passed on */
    uint64_t tail_came; /* of these, beyond the cap */
    unsigned char ring[FRAME_TAIL_CAP];
};

/* Counts the bytes and keeps those beyond the cap. Returns how many of its first bytes to pass on.
 */
size_t output_take(struct runner_output *output, const unsigned char *data, size_t len);
/* The number of bytes kept from the end. */
size_t output_tail_len(const struct runner_output *output);
/* Copies them, oldest first, to a buffer of FRAME_TAIL_CAP bytes. */
void output_tail_copy(const struct runner_output *output, unsigned char *to);
/* The number of bytes that were neither passed on nor kept. */
uint64_t output_cut(const struct runner_output *output);

#endif
