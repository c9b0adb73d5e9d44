/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The last bytes of a stream that is longer than what is wanted of it: a ring of a fixed size.
 * Pure.
 */
#ifndef LECTERN_IMAGE_TAIL_H
#define LECTERN_IMAGE_TAIL_H

#include <stddef.h>
#include <stdint.h>

#include "executor/frame.h"

struct tail {
    size_t cap;     /* bytes that are kept, at most FRAME_TAIL_CAP; set before the first is fed */
    uint64_t taken; /* bytes fed in all */
    unsigned char ring[FRAME_TAIL_CAP];
};

void tail_feed(struct tail *tail, const unsigned char *data, size_t len);
/* Bytes that are kept: the cap, or all of them where there were fewer. */
size_t tail_len(const struct tail *tail);
/* Writes these, oldest first, into a buffer of FRAME_TAIL_CAP bytes. */
void tail_copy(const struct tail *tail, unsigned char *to);

#endif
