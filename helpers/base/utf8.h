/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cutting a text without cutting a character. Pure.
 */
#ifndef LECTERN_BASE_UTF8_H
#define LECTERN_BASE_UTF8_H

#include <stddef.h>

/* len, or where it is more than cap, the greatest length up to cap at which a character of the
 * valid UTF-8 text ends. */
size_t utf8_cut(const char *text, size_t len, size_t cap);

/* The same of a NUL-terminated text, as a precision for "%.*s". cap: at most INT_MAX. */
int utf8_shown(const char *text, size_t cap);

/* Ends a text that filled its buffer of size bytes with "..." at a character's end. */
void utf8_mark_cut(char *text, size_t size);

#endif
