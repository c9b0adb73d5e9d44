/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes valid UTF-8 of any bytes, piece by piece: each byte sequence that is none becomes U+FFFD,
 * as Unicode recommends (one for each maximal part of a well-formed sequence). A character cut by
 * the end of a piece waits for the next. Pure.
 */
#ifndef LECTERN_EXECUTOR_UTF8_H
#define LECTERN_EXECUTOR_UTF8_H

#include <stddef.h>

#include "helpers/base/buf.h"

struct utf8_repair {
    char pending[4]; /* the beginning of a character */
    size_t pending_len;
};

void utf8_repair_feed(struct utf8_repair *repair, const char *bytes, size_t len, struct buf *to);
void utf8_repair_end(struct utf8_repair *repair,
                     struct buf *to); /* what still waits is no character */

#endif
