/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An exercise as a learner may see it: prompt, starter, visible cases as examples, options. Its
 * solution, answers, tolerance, criteria, hints and hidden cases are never in it; that there are
 * hidden cases is, but not how many.
 *
 * Pure, any thread.
 */
#ifndef LECTERN_EXERCISE_VIEW_H
#define LECTERN_EXERCISE_VIEW_H

#include <jansson.h>

#include "helpers/base/buf.h"

/* A longer text ends with VIEW_MARK. */
#define VIEW_MARK         " ... (cut)"
#define VIEW_PROMPT_CAP   4000u /* bytes of a prompt */
#define VIEW_STARTER_CAP  4000u /* bytes of a starter */
#define VIEW_OPTION_CAP   400u  /* bytes of an option */
#define VIEW_VALUE_CAP    300u  /* bytes of a value of an example, which ends with "..." */
#define VIEW_EXAMPLE_CAP  800u  /* bytes of an example */
#define VIEW_EXAMPLES_CAP 6u    /* visible cases */

/* Appends the exercise as Markdown for a model. type: EXERCISE_CODE or EXERCISE_QUESTION;
 * parameters: those that component_type_check accepts. */
void exercise_view(const char *type, const json_t *parameters, struct buf *to);

#endif
