/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One case of an exercise-code, with its values in the normal form of python_value.h.
 *
 * Pure, any thread.
 */
#ifndef LECTERN_EXERCISE_CASE_H
#define LECTERN_EXERCISE_CASE_H

#include <stdbool.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

struct exercise_case {
    const json_t *authored; /* borrowed */
    json_t *expect;         /* owned; NULL without one */
    json_t *sent; /* owned: {"call", "args", "kwargs"} or {"stdin"}, as grading.py reads them */
    bool hidden;
};

/* Fails with ERROR_INVALID if a value is none, which cannot be in an exercise that was checked.
 * exercise_case_finish must follow in either case. */
int exercise_case_read(struct exercise_case *test, const json_t *authored, struct error *err);
void exercise_case_finish(struct exercise_case *test);

/* Appends its call, "area(2, 3)", or "the program". cap: bytes of each value. */
void exercise_case_show(const struct exercise_case *test, size_t cap, struct buf *to);

#endif
