/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bytes that wait to be written to a descriptor that does not block. Grows up to its cap; adding
 * beyond it fails and adds nothing. Pure but for queue_flush.
 */
#ifndef LECTERN_IMAGE_QUEUE_H
#define LECTERN_IMAGE_QUEUE_H

#include <stddef.h>

#include "executor/frame.h"

struct queue {
    unsigned char *data; /* owned */
    size_t start;        /* first byte that waits */
    size_t len;          /* bytes that wait */
    size_t size;
    size_t cap;
};

void queue_init(struct queue *queue, size_t cap);
void queue_finish(struct queue *queue);

/* -1: over the cap, or no memory; nothing was added. */
int queue_add(struct queue *queue, const void *data, size_t len);
int queue_add_frame(struct queue *queue, enum frame_type type, const void *payload, size_t len);

/* Writes what goes without blocking. -1 where the other end is gone. */
int queue_flush(struct queue *queue, int fd);

#endif
