/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cuts a stream of bytes into frames (frame.h), however it arrives: for the server and for the
 * runner. A table says which types the direction knows and how long each may be. Any other type, a
 * length out of its bounds or a reserved byte that is not zero is a breach, found before a byte of
 * payload is kept: the stream cannot be trusted any more, and every later call fails too. Pure, and
 * links nothing but libc.
 */
#ifndef LECTERN_EXECUTOR_FRAME_DECODER_H
#define LECTERN_EXECUTOR_FRAME_DECODER_H

#include <stdbool.h>
#include <stddef.h>

#include "executor/frame.h"

#define FRAME_FAULT_CAP 96u /* bytes of the text on a breach */

struct frame_rule {
    unsigned char type; /* 0 ends the table */
    uint32_t min, cap;  /* bytes of payload */
    uint32_t hold;      /* not 0: only so many bytes are collected, and what follows of the payload
                           is handed on in pieces as it comes, so that a large one is never held */
};

struct frame {
    enum frame_type type;
    const char *payload; /* borrowed until the next call; NUL-terminated beyond len if is_first */
    size_t len;          /* of payload; all of it but with a hold */
    uint32_t total;      /* bytes of the whole payload */
    bool is_first;       /* false: a further piece */
};

struct frame_decoder {
    const struct frame_rule *rules; /* borrowed */
    const struct frame_rule *rule;  /* of the frame under way, or NULL */
    unsigned char head[FRAME_HEAD_SIZE];
    size_t head_len;
    uint32_t expected, taken; /* bytes of the payload */
    char *held;               /* owned; grows with what came, never with what was announced */
    size_t size;
    char fault[FRAME_FAULT_CAP]; /* not "": a breach, or no memory */
};

void frame_decoder_init(struct frame_decoder *decoder, const struct frame_rule *rules);
void frame_decoder_finish(struct frame_decoder *decoder);

enum frame_decoded { FRAME_BREACH = -1, FRAME_MORE = 0, FRAME_COMPLETE = 1 };

/* Takes from *bytes, which it moves on. FRAME_COMPLETE: *frame is filled; call again. FRAME_MORE:
 * all is used up. FRAME_BREACH: decoder->fault says why. */
enum frame_decoded frame_decode(struct frame_decoder *decoder, const char **bytes, size_t *len,
                                struct frame *frame);

/* ---- the form of what is in a frame: checked by the runner, which passes it on, and by the
 * server, which does not believe the runner ---- */

#define ARTIFACT_MIME "image/png"

/* Strict base64 (RFC 4648, section 4, no line ends) of bytes that begin as a PNG does. What follows
 * in it is the code's, and is for whoever shows it to judge. */
bool artifact_is_png(const char *base64, size_t len);

/* "GET /path" of printable ASCII, as a URL has it. */
bool request_is_get(const char *text, size_t len);

#endif
