/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bytes as text: base64, base64url, hex and percent-encoding.
 */
#ifndef LECTERN_BASE_ENCODE_H
#define LECTERN_BASE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/buf.h"

/* The digits of base64url (RFC 4648, section 5). */
#define BASE64URL_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/* Appends the bytes in the standard alphabet, with padding (RFC 4648, section 4). */
void base64_write(struct buf *to, const void *bytes, size_t len);
/* Appends the bytes of a text, which may have line ends anywhere and no padding; more than the
 * cap of *to makes it fail. -1 if it is not base64. */
int base64_read(struct buf *to, const char *text, size_t len);

/* Appends the bytes in base64url without padding. */
void base64url_write(struct buf *to, const void *bytes, size_t len);
/* Appends the bytes of a text. -1 for what base64url_write does not write, so that no two texts
 * have the same bytes. */
int base64url_read(struct buf *to, const char *text, size_t len);

/* The value of a hexadecimal digit in either case, or -1. */
static inline int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Writes 2 * len digits in lower case, and a NUL. */
void hex_write(char *to, const void *bytes, size_t len);
/* Reads len bytes from 2 * len digits; false if the text is anything else. */
bool hex_read(const char *text, size_t text_len, void *bytes, size_t len);

/* Decodes %XX (RFC 3986, section 2.1) in place, and + as a space if `plus`, as in a query. An
 * invalid escape stays as it is. *valid, unless NULL, is whether there was none, and no %00.
 * Returns the new length, which counts a NUL that was decoded. */
size_t percent_decode(char *text, bool plus, bool *valid);

#endif
