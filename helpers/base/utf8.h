/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts characters, and truncates text between characters. Pure. For invalid UTF-8 see utf8_clean
 * in buf.h.
 */
#ifndef LECTERN_BASE_UTF8_H
#define LECTERN_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */
#define UTF8_LEN_MAX     4u             /* bytes of one character */

/* Returns the greatest length up to cap at which a character of the valid UTF-8 text ends, or len
 * if it is not more than cap. */
size_t utf8_cut(const char *text, size_t len, size_t cap);

/* The same for a NUL-terminated text, as a precision for "%.*s". cap is at most INT_MAX. */
int utf8_shown(const char *text, size_t cap);

/* Characters in len bytes of valid UTF-8. */
size_t utf8_count(const char *text, size_t len);

/* The offset of that character, counted from 0; len if there are fewer. */
size_t utf8_offset(const char *text, size_t len, size_t character);

/* The offset of the first character that begins at or after at; len if there is none. */
size_t utf8_skip(const char *text, size_t len, size_t at);

/* Decodes the character at text. Returns its length in bytes, or 0 if the bytes are invalid
 * (including overlong forms, surrogates and values above U+10FFFF) or incomplete. Reads no byte
 * after the first wrong one, so len may be UTF8_LEN_MAX within a NUL-terminated text. */
size_t utf8_decode(const char *text, size_t len, uint32_t *character);

/* Replaces the end of a text that filled its buffer of size bytes with "...", at a character
 * boundary. */
void utf8_mark_cut(char *text, size_t size);

#endif
