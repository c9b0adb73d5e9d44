/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cuts a stream of bytes into frames (frame.h), however it arrives. Pure: no I/O, no thread of its
 * own. A type that does not belong to the direction, a length over the type's cap or a reserved
 * byte that is not zero is a breach: the stream cannot be trusted any more, and every later call
 * fails too.
 */
#ifndef LECTERN_EXECUTOR_FRAMES_H
#define LECTERN_EXECUTOR_FRAMES_H

#include <stddef.h>

#include "executor/frame.h"
#include "helpers/base/buf.h"
#include "helpers/base/error.h"

enum frame_direction { FRAMES_FROM_RUNNER, FRAMES_TO_RUNNER };

struct frame_decoder {
    enum frame_direction direction;
    unsigned char head[FRAME_HEAD_SIZE];
    size_t head_len;
    struct buf payload; /* grows with what came, never with what was announced */
    uint32_t expected;
    bool breached;
};

struct frame {
    enum frame_type type;
    const char *payload; /* borrowed until the next call; NUL-terminated beyond len */
    size_t len;
};

void frame_decoder_init(struct frame_decoder *decoder, enum frame_direction direction);
void frame_decoder_finish(struct frame_decoder *decoder);

/* Takes up to len bytes and counts them in *used. 1: *frame is filled, call again with the rest. 0:
 * all were taken, more are needed. -1: a breach (ERROR_MALFORMED), or no memory. */
int frame_decoder_feed(struct frame_decoder *decoder, const void *bytes, size_t len, size_t *used,
                       struct frame *frame, struct error *err);

/* Most bytes that a frame of this type may carry in this direction, or -1 where it does not belong
 * there. */
long frame_cap(enum frame_direction direction, unsigned char type);

#endif
