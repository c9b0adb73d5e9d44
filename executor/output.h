/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Collects one output stream of a run: its beginning, its end if it exceeded the cap, and the
 * number of bytes in between. All text is valid UTF-8: invalid bytes become U+FFFD, and a character
 * that a cut divides counts as cut. Pure.
 */
#ifndef LECTERN_EXECUTOR_OUTPUT_H
#define LECTERN_EXECUTOR_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executor/executor.h"
#include "helpers/base/buf.h"

/* Converts any bytes to valid UTF-8, piece by piece. Each invalid sequence becomes U+FFFD, as
 * Unicode recommends (one for each maximal part of a well-formed sequence). A character that is
 * incomplete at the end of a piece waits for the next piece. */
struct utf8_repair {
    char pending[4]; /* the beginning of an incomplete character */
    size_t pending_len;
};

void utf8_repair_feed(struct utf8_repair *repair, const char *bytes, size_t len, struct buf *to);
void utf8_repair_end(struct utf8_repair *repair,
                     struct buf *to); /* replaces an incomplete character */

struct output {
    struct utf8_repair repair;
    struct buf text; /* NUL-terminated */
    size_t cap;      /* bytes kept from the beginning */
    size_t head;  /* after output_end: bytes of text before the cut; text.len if nothing was cut */
    uint64_t cut; /* bytes dropped, counted after the repair */
    struct buf tail; /* as received */
    bool has_tail;
};

void output_init(struct output *output, size_t cap);
void output_finish(struct output *output);

/* Appends the bytes to text, up to the cap. What was appended may be streamed on. */
void output_take(struct output *output, const char *bytes, size_t len);

/* Returns -1 with ERROR_MALFORMED for a second tail, or one over EXECUTION_TAIL_CAP. */
int output_take_tail(struct output *output, const char *bytes, size_t len, struct error *err);

/* Appends the tail. cut_inside: bytes that the sandbox reports as dropped before the tail. */
void output_end(struct output *output, uint64_t cut_inside);

/* Ends an interrupted output. The tail is dropped: what is missing before it is unknown. */
void output_break_off(struct output *output);

#endif
