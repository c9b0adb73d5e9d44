/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The two component types that a learner answers, and the rules of their parameters. The types are
 * rows of mcp/curriculum/component_type.c; the rules that need more than one parameter are here.
 *
 * exercise-code: a task that is solved with a program. Its cases test the program:
 *   {"name", "call": "area", "args": [2, 3], "kwargs": {}, "expect": 6}   a call and its result
 *   {"name", "call": "area", "args": [-1, 3], "raises": "ValueError"}     a call that must raise
 *   {"name", "stdin": "2 3\n", "stdout": "6\n"}                           the program as a whole
 * with "hidden": true for a case that a learner never sees. Values are those of python_value.h.
 *
 * question: a task that is answered in words, with a number or by a choice.
 *
 * Pure, any thread.
 */
#ifndef LECTERN_EXERCISE_H
#define LECTERN_EXERCISE_H

#include <jansson.h>

#include "helpers/base/fields.h"
#include "helpers/base/validation.h"

#define EXERCISE_CODE     "exercise-code"
#define EXERCISE_QUESTION "question"

#define EXERCISE_CASES_CAP     200
#define EXERCISE_CASES_SIZE    ((size_t)64 << 10) /* bytes of the cases as JSON */
#define EXERCISE_HINTS_CAP     3
#define EXERCISE_SECONDS_MAX   5.0
#define EXERCISE_SECONDS_LEAST 0.1
#define EXERCISE_LIST_CAP      20 /* options, criteria, accepted answers */

extern const char *const question_kinds[]; /* "choice", "number", "text", "open"; NULL-terminated */

/* For the `of` of a row. */
extern const struct fields exercise_cases;   /* of an array */
extern const struct fields exercise_hints;   /* of an array of texts */
extern const struct fields exercise_list;    /* the same, with more of them */
extern const struct fields question_answers; /* a text, a number, or an array of them */

/* The rule between the parameters of a question, each of which is right alone: which ones its kind
 * needs, and that an answer is one of the options or a number. */
void question_check(const json_t *parameters, struct validation_errors *problems);

#endif
