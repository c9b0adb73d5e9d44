/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bytes that wait to be written to a non-blocking descriptor. The queue grows up to its cap; an
 * addition beyond it fails and adds nothing. Pure, except for queue_flush.
 */
#ifndef LECTERN_IMAGE_QUEUE_H
#define LECTERN_IMAGE_QUEUE_H

#include <stddef.h>

#include "executor/frame.h"

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
