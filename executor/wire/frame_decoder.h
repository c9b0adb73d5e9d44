/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cuts a stream of bytes into frames (frame.h), for the server and for the runner. A table lists
 * the types that are valid in one direction, with limits of their lengths. An unknown type, a
 * length outside its limits, or a reserved byte that is not zero is a breach. It is detected before
 * any payload is stored, and every later call fails too, because the stream is no longer
 * trustworthy. Pure; needs only libc.
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
    uint32_t hold; /* if not 0, at most this many bytes are collected; the rest of the payload is
                      returned in pieces as it arrives, so that a large one is never in memory */
};

struct frame {
    enum frame_type type;
    const char *payload; /* borrowed until the next call; if is_first, followed by a NUL that len
                            does not count */
    size_t len;          /* bytes of payload; the whole payload unless hold is set */
    uint32_t total;      /* bytes of the whole payload */
    bool is_first;       /* false: a further piece */
};

struct frame_decoder {
    const struct frame_rule *rules; /* borrowed */
    const struct frame_rule *rule;  /* of the current frame, or NULL */
    unsigned char head[FRAME_HEAD_SIZE];
    size_t head_len;
    uint32_t expected, taken; /* bytes of the payload */
    char *held; /* owned; grows with the bytes received, not with the announced length */
    size_t size;
    char fault[FRAME_FAULT_CAP]; /* not "": there was a breach, or no memory */
};

void frame_decoder_init(struct frame_decoder *decoder, const struct frame_rule *rules);
void frame_decoder_finish(struct frame_decoder *decoder);

enum frame_decoded { FRAME_BREACH = -1, FRAME_MORE = 0, FRAME_COMPLETE = 1 };

/* Consumes bytes and advances *bytes. FRAME_COMPLETE: *frame is filled; call again. FRAME_MORE: all
 * bytes are consumed. FRAME_BREACH: decoder->fault has the reason. */
enum frame_decoded frame_decode(struct frame_decoder *decoder, const char **bytes, size_t *len,
                                struct frame *frame);

/* ---- checks of frame contents: by the runner, which passes them on, and by the server, which does
 * not trust the runner ---- */

#define ARTIFACT_MIME "image/png"

/* Whether the text is strict base64 (RFC 4648, section 4, no line ends) of bytes that begin like a
 * PNG file. The rest of the image is not checked; its viewer must do that. */
bool artifact_is_png(const char *base64, size_t len);

/* Whether the text is "GET /path" in printable ASCII, as in a URL. */
bool request_is_get(const char *text, size_t len);

#endif
