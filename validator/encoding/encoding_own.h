/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Encodings that Python reads in a way of its own. Pure.
 */
#ifndef LECTERN_VALIDATOR_ENCODING_OWN_H
#define LECTERN_VALIDATOR_ENCODING_OWN_H

#include <stddef.h>

#include "helpers/base/buf.h"

/* Append the text as UTF-8. NULL, or what is wrong with it; static. What they append may hold lone
 * surrogates as three bytes. */
const char *encoding_utf7(const char *bytes, size_t len, struct buf *to);
const char *encoding_escape(const char *bytes, size_t len, struct buf *to); /* unicode_escape */
const char *encoding_raw_escape(const char *bytes, size_t len, struct buf *to);

/* RFC 1843: appends the same text as GB2312 in the form EUC-CN. */
const char *encoding_hz(const char *bytes, size_t len, struct buf *to);

#endif
