/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One stream of a run's output: its beginning as it came, the end of it where it was longer than
 * what leaves the sandbox, and how much lies between. Valid UTF-8 throughout: what is none becomes
 * U+FFFD, and a character that a cut goes through counts as cut. Pure.
 */
#ifndef LECTERN_EXECUTOR_OUTPUT_H
#define LECTERN_EXECUTOR_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executor/executor.h"
#include "helpers/base/buf.h"

/* Makes valid UTF-8 of any bytes, piece by piece: each byte sequence that is none becomes U+FFFD,
 * as Unicode recommends (one for each maximal part of a well-formed sequence). A character cut by
 * the end of a piece waits for the next. */
struct utf8_repair {
    char pending[4]; /* the beginning of a character */
    size_t pending_len;
};

void utf8_repair_feed(struct utf8_repair *repair, const char *bytes, size_t len, struct buf *to);
void utf8_repair_end(struct utf8_repair *repair,
                     struct buf *to); /* what still waits is no character */

struct output {
    struct utf8_repair repair;
    struct buf text; /* NUL-terminated */
    size_t cap;      /* bytes of the beginning */
    size_t head;     /* once ended: bytes of text in front of the cut; all of it without one */
    uint64_t cut;    /* counted after the repair; the same for text that needed none */
    struct buf tail; /* as it came */
    bool has_tail;
};

void output_init(struct output *output, size_t cap);
void output_finish(struct output *output);

/* Takes what came; what of it may go on is behind text.len as it was before. */
void output_take(struct output *output, const char *bytes, size_t len);

/* -1 with ERROR_MALFORMED for a second tail, or one over EXECUTION_TAIL_CAP. */
int output_take_tail(struct output *output, const char *bytes, size_t len, struct error *err);

/* Puts the tail behind. cut_inside: bytes that the sandbox says it threw away between the two. */
void output_end(struct output *output, uint64_t cut_inside);

/* It broke off: a tail without a word on what is missing before it is not kept. */
void output_break_off(struct output *output);

#endif
