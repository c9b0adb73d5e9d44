/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counting characters, and cutting a text without cutting one. Pure. (Text of any bytes: utf8_clean
 * in buf.h.)
 */
#ifndef LECTERN_BASE_UTF8_H
#define LECTERN_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */
#define UTF8_LEN_MAX     4u             /* bytes of one character */

/* len, or where it is more than cap, the greatest length up to cap at which a character of the
 * valid UTF-8 text ends. */
size_t utf8_cut(const char *text, size_t len, size_t cap);

/* The same of a NUL-terminated text, as a precision for "%.*s". cap: at most INT_MAX. */
int utf8_shown(const char *text, size_t cap);

/* Characters in len bytes of valid UTF-8. */
size_t utf8_count(const char *text, size_t len);

/* Where the character of that number, from 0, begins; len where there are fewer. */
size_t utf8_offset(const char *text, size_t len, size_t character);

/* The first beginning of a character at or behind at; len where none is. */
size_t utf8_skip(const char *text, size_t len, size_t at);

/* Decodes the character at text: its length in bytes, or 0 where these bytes are none (overlong
 * forms, surrogates and what is above U+10FFFF included) or are cut. Looks at no byte behind the
 * first wrong one, so UTF8_LEN_MAX will do as len within a NUL-terminated text. */
size_t utf8_decode(const char *text, size_t len, uint32_t *character);

/* Ends a text that filled its buffer of size bytes with "..." at a character's end. */
void utf8_mark_cut(char *text, size_t size);

#endif
