/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The part that is common to the two tools for handing in work: the rules of an attempt, and the
 * advice after one.
 */
#ifndef LECTERN_TUTOR_ATTEMPT_H
#define LECTERN_TUTOR_ATTEMPT_H

#include "mcp/tutor/tutor_call.h"

/* Stores the submission, with the hints that were given since the item was last solved. The same
 * digest counts once; after a right answer, once for each SITTING_SECONDS, so that a review may
 * repeat it. ERROR_FORBIDDEN with the link when the tier's attempts of the day (UTC) are used. The
 * caller owns submitted->result. */
int attempt_submit(struct tutor_call *teaching, const struct course_item *item, const char *text,
                   const char *digest, struct submitted *submitted, struct error *err);

/* The hints that count for the next attempt at the item. */
int attempt_hints(struct tutor_call *teaching, const struct course_item *item, int *hints,
                  struct error *err);

/* Appends advice for the conversation, and the next call. */
void attempt_add_next(struct tutor_call *teaching, const struct course_item *item, bool right,
                      struct buf *to);

#endif
