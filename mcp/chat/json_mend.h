/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON that cannot be kept, made so that it can: escapes of half a character (a surrogate without
 * its other half) and of NUL become U+FFFD. A service that counts text in UTF-16 units cuts it
 * between the two halves of an emoji; so a half at the end of a string, and one at the beginning,
 * is told, to be put together with what comes next. Pure.
 */
#ifndef LECTERN_CHAT_JSON_MEND_H
#define LECTERN_CHAT_JSON_MEND_H

#include "helpers/base/buf.h"

/* Of all strings of the text together; 0: none. Each stands there as U+FFFD. */
struct json_halves {
    unsigned low;  /* that a string begins with */
    unsigned high; /* that a string ends with */
};

/* Appends len bytes of text, mended. halves: may be NULL. What is no JSON stays none. */
void json_mend(const char *text, size_t len, struct buf *to, struct json_halves *halves);

/* Whether there is anything to mend, by a glance: false means certainly not. */
bool json_mend_needed(const char *text, size_t len);

/* Appends the character of two halves. */
void json_mend_join(unsigned high, unsigned low, struct buf *to);

#endif
