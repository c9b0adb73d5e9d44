/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text of others (output of analyses, titles, error texts) on a terminal: what would drive the
 * terminal, or make it show another order than the text has, is shown escaped. Where the output is
 * no terminal, the bytes go out as they are.
 */
#ifndef LECTERN_BASE_TERMINAL_H
#define LECTERN_BASE_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

#define TERMINAL_ESCAPE_SIZE 8 /* "\x1b" or "\u202e", with its NUL */

/* Looks at the first character of a text that is not empty, and returns its length in bytes. escape
 * gets the escaped form of a control character (C0, DEL, C1), of a bidirectional control and of a
 * byte that is not UTF-8; "" for any other character. */
size_t terminal_escape(const char *text, size_t len, char escape[TERMINAL_ESCAPE_SIZE]);

/* As fwrite and fprintf. On a terminal all of the above is escaped but newline ("\r\n" as well) and
 * tab. A failed write is seen by ferror. */
void terminal_write(FILE *to, const char *text, size_t len);
void terminal_printf(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
