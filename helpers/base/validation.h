/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Collects all problems of one piece of input, so that one answer lists them: as the text of one
 * error and, for a caller that provides a list in struct error, each problem separately with its
 * place. Pure; lives on the stack; never allocates.
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
    const char *loc; /* prefix of the path of every field: "components.2"; or "" */
    size_t count;
    char first[ERROR_LOC_CAP];
    char text[ERROR_TEXT_CAP];
    size_t listed, left_out, used;
    char packed[VALIDATION_BYTES]; /* place, NUL, text, NUL, ... */
};

/* Initializes errors and returns it. loc is borrowed. */
struct validation_errors *validation_begin(struct validation_errors *errors, const char *loc);

/* field: "parameters.text", or "" for the whole. */
void validation_add(struct validation_errors *errors, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds the problems that another check found. */
void validation_take(struct validation_errors *errors, const struct error *found);

/* Returns 0 if there was no problem; otherwise -1 and ERROR_INVALID with the loc of the first
 * problem, and advice (or NULL) after the list. If err has a list, each problem is added to it. */
int validation_end(const struct validation_errors *errors, const char *advice, struct error *err);

/* Iterates over the problems of a list; *at is 0 before the first. The texts are borrowed. */
bool validation_next(const struct validation_errors *errors, size_t *at, const char **loc,
                     const char **text);

/* An error's text without the place in front ("components.2.type: ..."). */
const char *validation_message(const struct error *err);

#endif
