/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Frames read from bytes as they come. A table says which types this direction knows and how long
 * each may be; anything else is a breach, found before a byte of payload is kept. A payload is
 * handed over whole, but of a type with a `hold` only that many bytes are collected, and the rest
 * is handed over in pieces as it comes, so that a large answer is never held. Pure.
 */
#ifndef LECTERN_IMAGE_FRAME_READER_H
#define LECTERN_IMAGE_FRAME_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executor/frame.h"

struct frame_reader_rule {
    unsigned char type; /* 0 ends the table */
    uint32_t min;
    uint32_t cap;
    uint32_t hold; /* 0: all of it */
};

struct frame_reader {
    const struct frame_reader_rule *rules; /* borrowed */
    unsigned char head[FRAME_HEAD_SIZE];
    size_t head_len;
    uint32_t len;        /* of the payload */
    uint32_t taken;      /* of the payload, so far */
    uint32_t hold;       /* bytes that are handed over first */
    unsigned char *held; /* owned; NULL between frames */
    bool opened;         /* the first hand-over has happened */
};

struct frame_reader_piece {
    unsigned char type;
    bool first;
    uint32_t len;              /* of the whole payload */
    const unsigned char *data; /* borrowed until the next frame_reader_take */
    size_t data_len;
};

enum frame_reader_state { FRAME_READER_BREACH = -1, FRAME_READER_MORE = 0, FRAME_READER_PIECE = 1 };

void frame_reader_init(struct frame_reader *reader, const struct frame_reader_rule *rules);
void frame_reader_finish(struct frame_reader *reader);

/* Takes from *data, which it moves on. FRAME_READER_PIECE: *piece is filled; call again.
 * FRAME_READER_MORE: all of it is used up. FRAME_READER_BREACH: logged; read no further. */
enum frame_reader_state frame_reader_take(struct frame_reader *reader, const unsigned char **data,
                                          size_t *len, struct frame_reader_piece *piece);

#endif
