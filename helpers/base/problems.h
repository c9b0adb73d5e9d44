/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gathers all that is wrong with one piece of input, so that one answer names it all. Pure; lives
 * on the stack.
 */
#ifndef LECTERN_BASE_PROBLEMS_H
#define LECTERN_BASE_PROBLEMS_H

#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/error.h"
#include "helpers/base/faults.h"

#define PROBLEMS_LISTED_CAP 10 /* named one by one; the others are counted */

struct problems {
    const char *loc; /* the path in front of every field: "components.2"; or "" */
    size_t count;
    char first[ERROR_LOC_CAP];
    char text[ERROR_TEXT_CAP];
    struct faults each; /* the same, one by one */
};

void problems_begin(struct problems *problems, const char *loc);

/* field: "parameters.text", or "" for the whole. */
void problems_add(struct problems *problems, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes over what another check found wrong. */
void problems_take(struct problems *problems, const struct error *found);

/* 0 when nothing was wrong; else -1, ERROR_INVALID with the first one's loc, and advice (or NULL)
 * behind the list. Where err has been lent a list of faults, each is added to it. */
int problems_end(const struct problems *problems, const char *advice, struct error *err);

#endif
