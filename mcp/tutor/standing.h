/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The standing of one learner in one course: the evidence by lesson, the knowledge of each lesson
 * that follows from it (knowledge.h), and the way to the goal (path.h). It is computed from the
 * whole log each time.
 *
 * Evidence belongs to the lesson that has its item now, else to the lesson that it was logged for:
 * so it follows an exercise that was moved or whose lesson was merged, and counts again after an
 * undo. Evidence without either stays in the log and counts nowhere.
 */
#ifndef LECTERN_TUTOR_STANDING_H
#define LECTERN_TUTOR_STANDING_H

#include "mcp/learner/learners.h"
#include "mcp/learner/path.h"
#include "mcp/tutor/course.h"

struct tier; /* mcp/learner/tiers.h */

struct standing {
    struct path_lesson *lessons; /* by lesson of the course, as the rest */
    struct path *path;
    uint32_t goal; /* or PATH_NO_GOAL */
    /* The evidence of lesson i is evidence[start[i]] to evidence[start[i + 1]], by time. */
    struct evidence *evidence;
    size_t *start;
    struct buf strings; /* the items of the evidence */
};

/* goal: the id of a lesson, which may not exist any more; or NULL. tier: which lessons are not
 * withheld. NULL with err. */
struct standing *standing_read(struct learners *learners, const char *learner,
                               const struct course *course, const char *goal,
                               const struct tier *tier, int64_t now, struct error *err);
void standing_free(struct standing *standing); /* takes NULL */

/* The learner's work on one item. */
struct item_standing {
    size_t attempts;    /* in all */
    size_t wrong;       /* since the last right one, in a row */
    bool solved;        /* by a right answer, at any time */
    int64_t last_right; /* its time; 0: none */
};
struct item_standing standing_of_item(const struct standing *standing,
                                      const struct course_item *item);

#endif
