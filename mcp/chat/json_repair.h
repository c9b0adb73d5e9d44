/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON that cannot be kept, made so that it can: escapes of half a character (a surrogate without
 * its other half) and of NUL become U+FFFD. A service that counts text in UTF-16 units cuts it
 * between the two halves of an emoji; so a half at the end of a string, and one at the beginning,
 * is reported, to be joined with what comes next. Pure.
 */
#ifndef LECTERN_CHAT_JSON_REPAIR_H
#define LECTERN_CHAT_JSON_REPAIR_H

#include "helpers/base/buf.h"

/* Of all strings of the text together; 0: none. Each stands there as U+FFFD. */
struct json_halves {
    unsigned low;  /* that a string begins with */
    unsigned high; /* that a string ends with */
};

/* Appends len bytes of text, repaired. halves: may be NULL. What is not JSON stays none. */
void json_repair(const char *text, size_t len, struct buf *to, struct json_halves *halves);

/* Whether there is anything to repair; false means certainly not. */
bool json_repair_needed(const char *text, size_t len);

#endif
