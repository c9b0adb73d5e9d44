/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The last words of a runner: the end of what it wrote to its standard error, as one line. Pure.
 */
#ifndef LECTERN_EXECUTOR_WORDS_H
#define LECTERN_EXECUTOR_WORDS_H

#include <stddef.h>

#define WORDS_KEPT 400u /* bytes, of the end */

struct words {
    char kept[WORDS_KEPT + 1];
    size_t len;
};

void words_add(struct words *words, const char *bytes, size_t len);

/* NUL-terminated, printable, lines parted by " / "; valid until the next call with the same line.
 */
const char *words_line(const struct words *words, char line[3 * WORDS_KEPT + 1]);

#endif
