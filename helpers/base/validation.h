/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Collects everything that is wrong with one piece of input, so that one answer names it all: as
 * the text of one error and, for a caller who has lent a list of its own to struct error, each
 * fault by itself with its place. Pure; lives on the stack; never allocates.
 *
 *     validation_begin(&errors, "components.2");
 *     if (...)
 *         validation_add(&errors, "type", "'%s' is unknown", type);
 *     return validation_end(&errors, NULL, err);
 */
#ifndef LECTERN_BASE_VALIDATION_H
#define LECTERN_BASE_VALIDATION_H

#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/error.h"

#define VALIDATION_SHOWN_CAP 10     /* named in the text; the others are counted */
#define VALIDATION_BYTES     16384u /* of all places and texts; more are counted */

struct validation_errors {
    const char *loc; /* the path in front of every field: "components.2"; or "" */
    size_t count;
    char first[ERROR_LOC_CAP];
    char text[ERROR_TEXT_CAP];
    size_t listed, left_out, used;
    char packed[VALIDATION_BYTES]; /* place, NUL, text, NUL, ... */
};

/* Empties it, and returns it. loc is borrowed. */
struct validation_errors *validation_begin(struct validation_errors *errors, const char *loc);

/* field: "parameters.text", or "" for the whole. */
void validation_add(struct validation_errors *errors, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes over what another check found. */
void validation_take(struct validation_errors *errors, const struct error *found);

/* 0 if nothing was wrong; otherwise -1, ERROR_INVALID with the first one's loc, and advice (or
 * NULL) behind the list. Where err has been lent a list, that gets each fault. */
int validation_end(const struct validation_errors *errors, const char *advice, struct error *err);

/* Each fault of a list that was lent: *at is 0 before the first. Borrowed texts. */
bool validation_next(const struct validation_errors *errors, size_t *at, const char **loc,
                     const char **text);

/* An error's text without its place in front ("components.2.type: ..."). */
const char *validation_message(const struct error *err);

#endif
