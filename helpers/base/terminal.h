/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Prints foreign text (output of analyses, titles, error texts) on a terminal. Characters that
 * would control the terminal, or show the text in a different order, are escaped. If the output is
 * not a terminal, the bytes are written unmodified.
 */
#ifndef LECTERN_BASE_TERMINAL_H
#define LECTERN_BASE_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

#define TERMINAL_ESCAPE_SIZE 8 /* "\x1b" or "\u202e", with its NUL */

/* Returns the length in bytes of the first character of a text, which must not be empty. escape
 * receives the escaped form of a control character (C0, DEL, C1), of a bidirectional control, or of
 * a byte that is not UTF-8; "" for any other character. */
size_t terminal_escape(const char *text, size_t len, char escape[TERMINAL_ESCAPE_SIZE]);

/* Like fwrite and fprintf. On a terminal, everything listed above is escaped except newline ("\r\n"
 * as well) and tab. ferror reports a failed write. */
void terminal_write(FILE *to, const char *text, size_t len);
void terminal_printf(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
