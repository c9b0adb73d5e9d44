/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Unicode properties that Python's grammar needs: which characters names may contain, and the
 * normal form for comparing names. Names have the letters of CPython 3.11, which are those of
 * Unicode 14, by a table that make_unicode_table.py writes with this Python; names of characters
 * assigned later are refused. All else is from libunistring, which may know a later Unicode: the
 * normal form of a character never changes once it is assigned, and no name contains others. Pure;
 * callable from any thread.
 */
#ifndef LECTERN_VALIDATOR_UNICODE_H
#define LECTERN_VALIDATOR_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/base/buf.h"

/* Appends the character as UTF-8; a surrogate as three bytes, which are not valid UTF-8. */
void unicode_encode(struct buf *to, uint32_t character);

/* Whether the character is a name by str.isidentifier(): alone, and behind another letter. */
bool unicode_is_name_start(uint32_t character);
bool unicode_is_name_continue(uint32_t character);

/* Appends the NFKC form of len bytes of valid UTF-8, as Python compares names. */
void unicode_add_nfkc(struct buf *to, const char *text, size_t len);

/* Whether a name mixes ASCII letters with letters of another alphabet that look like them
 * (Cyrillic, Greek, Armenian, ...). No language does that. */
bool unicode_mixes_alphabets(const char *name, size_t len);

/* Finds the character of that name, as in CPython's unicodedata. Returns false if there is none. */
bool unicode_by_name(const char *name, size_t len, uint32_t *character);

/* Describes a control character, a line or paragraph separator, or a mark that changes the visible
 * order of text; NULL for other characters. The caller handles tab, line feed and carriage return.
 */
const char *unicode_hidden(uint32_t character);

#endif
