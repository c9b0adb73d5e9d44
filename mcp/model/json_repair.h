/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Repairs JSON that cannot be stored: escapes of an unpaired surrogate and of NUL become U+FFFD. A
 * service that counts text in UTF-16 units may cut it within a surrogate pair; so a high surrogate
 * at the end of a string and a low one at the beginning are reported, to be joined with the next
 * string. Pure.
 */
#ifndef LECTERN_MODEL_JSON_REPAIR_H
#define LECTERN_MODEL_JSON_REPAIR_H

#include "helpers/base/buf.h"

/* Of all strings of the text; 0: none. Each is replaced with U+FFFD. */
struct json_halves {
    unsigned low;  /* that a string begins with */
    unsigned high; /* that a string ends with */
};

/* Appends len bytes of text, repaired. halves may be NULL. Text that is not JSON remains
 * invalid. */
void json_repair(const char *text, size_t len, struct buf *to, struct json_halves *halves);

/* Whether there may be something to repair; false is certain. */
bool json_repair_needed(const char *text, size_t len);

#endif
