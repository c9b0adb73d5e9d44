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

/* Bytes that wait to be written to a non-blocking descriptor. The queue grows up to its cap; an
 * addition beyond it fails and adds nothing. Pure, except for queue_flush. */

struct queue {
    unsigned char *data; /* owned */
    size_t start;        /* offset of the first waiting byte */
    size_t len;          /* number of waiting bytes */
    size_t size;
    size_t cap;
};

void queue_init(struct queue *queue, size_t cap);
void queue_finish(struct queue *queue);

/* Returns -1 if the cap is exceeded or memory ran out; nothing is added then. */
int queue_add(struct queue *queue, const void *data, size_t len);
int queue_add_frame(struct queue *queue, enum frame_type type, const void *payload, size_t len);

/* Writes as much as possible without blocking. Returns -1 if the other end is closed. */
int queue_flush(struct queue *queue, int fd);

#endif
