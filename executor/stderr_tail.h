/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The last words of a runner: the end of what it wrote to its standard error, as one line. Pure.
 */
#ifndef LECTERN_EXECUTOR_STDERR_TAIL_H
#define LECTERN_EXECUTOR_STDERR_TAIL_H

#include <stddef.h>

#define STDERR_TAIL_KEPT 400u /* bytes, of the end */

struct stderr_tail {
    char kept[STDERR_TAIL_KEPT + 1];
    size_t len;
};

void stderr_tail_add(struct stderr_tail *tail, const char *bytes, size_t len);

/* NUL-terminated, printable, lines parted by " / "; valid until the next call with the same line.
 */
const char *stderr_tail_line(const struct stderr_tail *tail, char line[3 * STDERR_TAIL_KEPT + 1]);

#endif
