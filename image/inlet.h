/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Frames read from bytes as they come. A table says which types this direction knows and how long
 * each may be; anything else is a breach, found before a byte of payload is kept. A payload is
 * handed over whole, but of a type with a `hold` only that many bytes are collected, and the rest
 * is handed over in pieces as it comes, so that a large answer is never held. Pure.
 */
#ifndef LECTERN_IMAGE_INLET_H
#define LECTERN_IMAGE_INLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executor/frame.h"

struct inlet_rule {
    unsigned char type; /* 0 ends the table */
    uint32_t min;
    uint32_t cap;
    uint32_t hold; /* 0: all of it */
};

struct inlet {
    const struct inlet_rule *rules; /* borrowed */
    unsigned char head[FRAME_HEAD_SIZE];
    size_t head_len;
    uint32_t len;        /* of the payload */
    uint32_t taken;      /* of the payload, so far */
    uint32_t hold;       /* bytes that are handed over first */
    unsigned char *held; /* owned; NULL between frames */
    bool opened;         /* the first hand-over has happened */
};

struct inlet_piece {
    unsigned char type;
    bool first;
    uint32_t len;              /* of the whole payload */
    const unsigned char *data; /* borrowed until the next inlet_take */
    size_t data_len;
};

enum inlet_state { INLET_BREACH = -1, INLET_MORE = 0, INLET_PIECE = 1 };

void inlet_init(struct inlet *inlet, const struct inlet_rule *rules);
void inlet_finish(struct inlet *inlet);

/* Takes from *data, which it moves on. INLET_PIECE: *piece is filled; call again. INLET_MORE: all
 * of it is used up. INLET_BREACH: complained about; read no further. */
enum inlet_state inlet_take(struct inlet *inlet, const unsigned char **data, size_t *len,
                            struct inlet_piece *piece);

#endif
