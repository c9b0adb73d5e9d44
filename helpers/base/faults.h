/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each fault of one piece of input by itself, with the place it is at, for an answer that lists
 * them. One call's list: who wants it lends it to the call's struct error, problems.c fills it.
 * Lives on the stack; never allocates.
 */
#ifndef LECTERN_BASE_FAULTS_H
#define LECTERN_BASE_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/error.h"

#define FAULTS_BYTES 16384u /* of all places and texts; faults beyond are counted */

struct faults {
    size_t count, left_out;
    size_t used;
    char packed[FAULTS_BYTES]; /* place, NUL, text, NUL, ... */
};

/* Empties it; hands it through. The packed bytes need not be initialized. */
struct faults *faults_clear(struct faults *faults);

/* loc: dotted, as in struct error. */
void faults_add(struct faults *faults, const char *loc, const char *text);
void faults_add_all(struct faults *faults, const struct faults *others);

/* Puts more behind the text of the last one. */
void faults_append(struct faults *faults, const char *more);

/* The text of the last one; "" where there is none. */
const char *faults_last(const struct faults *faults);

/* *at: 0 before the first. Borrowed texts. */
bool faults_next(const struct faults *faults, size_t *at, const char **loc, const char **text);

/* An error's text without its place in front ("components.2.type: ..."). */
const char *faults_message(const struct error *err);

#endif
