/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What Python's grammar asks of Unicode: which characters make names, and the form names are
 * compared in. The only user of libunistring, whose release in Debian 12 carries the same Unicode
 * 14 as CPython 3.11. Pure, any thread.
 */
#ifndef LECTERN_VALIDATOR_UNICODE_H
#define LECTERN_VALIDATOR_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/base/buf.h"

/* Appends the character as UTF-8; half a surrogate pair as three bytes, which are no UTF-8. */
void unicode_encode(struct buf *to, uint32_t character);

bool unicode_is_name_start(uint32_t character);    /* XID_Start or '_' */
bool unicode_is_name_continue(uint32_t character); /* XID_Continue */

/* Appends the NFKC form of len bytes of valid UTF-8, as Python compares names. */
void unicode_add_nfkc(struct buf *to, const char *text, size_t len);

/* True where a name mixes ASCII letters with letters of another alphabet that has look-alikes of
 * them (Cyrillic, Greek, Armenian, ...), as no language does. */
bool unicode_mixes_alphabets(const char *name, size_t len);

/* The character of that name, as CPython's unicodedata has it. False
 * for none. */
bool unicode_by_name(const char *name, size_t len, uint32_t *character);

/* Control characters, line and paragraph separators, and marks that reorder the text a reader sees.
 * NULL for none of them, else what it is, in words. Tab and line feed and carriage return are the
 * caller's. */
const char *unicode_hidden(uint32_t character);

#endif
