/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The way of one learner through a curriculum: the state of each lesson, the locks of a lesson, the
 * lessons that are left to a goal, and up to three lessons to learn next, each with a reason.
 *
 * A lesson is fulfilled if its state unlocks others (lesson_state_unlocks), or if it is withheld: a
 * lesson that must not be offered to this learner blocks no other one. A lesson is ready if all its
 * prerequisites are fulfilled. Lessons that need one another are one group: they do not lock each
 * other, and all are ready when the prerequisites outside of the group are fulfilled.
 *
 * The lessons left to a goal are the goal and its prerequisites, direct and indirect, without those
 * that are fulfilled. Prerequisites of a fulfilled lesson count too. None is left to a goal that is
 * mastered or read.
 *
 * The next lessons, of those that are not withheld:
 *
 *   1. a lesson that is due for a review: at most one, that with the lowest probability of recall,
 *      which is that with the most days since the last review for its stability (review.h)
 *   2. lessons that are begun or ready, by these rules, each for ties of the one before it: those
 *      that were not skipped before others; those left to the goal before others; begun before
 *      ready; the one that unlocks more first; teaching order (helpers/graph/order.h)
 *
 * A lesson unlocks each locked lesson that lacks no other prerequisite, so that "unlocks 7 lessons"
 * becomes true with this lesson alone. The number of all dependants would need more than linear
 * time. Equal input gives equal results.
 *
 * Pure, any thread. Nothing recurses over the graph.
 */
#ifndef LECTERN_LEARNER_PATH_H
#define LECTERN_LEARNER_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/learner/knowledge.h"

#define PATH_NO_GOAL     UINT32_MAX
#define PATH_NEXT_MAX    3u
#define PATH_LESSONS_CAP 200000u
#define PATH_EDGES_CAP   2000000u

struct path_lesson {
    struct knowledge knowledge;
    bool withheld;
};

/* Indices of lessons: `before` is a prerequisite of `after`. */
struct path_edge {
    uint32_t before, after;
};

struct path_request {
    const struct path_lesson *lessons; /* in the curriculum's order */
    uint32_t count;
    const struct path_edge *edges; /* in any order; repeated ones and loops change nothing */
    size_t edge_count;
    uint32_t goal; /* index of a lesson, or PATH_NO_GOAL */
    int64_t now;   /* seconds since 1970 */
};

enum path_reason {
    PATH_REVIEW,
    PATH_GOAL,          /* it is the goal */
    PATH_BEGUN_TO_GOAL, /* begun, and left to the goal */
    PATH_TO_GOAL,       /* ready, and left to the goal */
    PATH_BEGUN,
    PATH_UNLOCKS,
    PATH_IN_ORDER,
    PATH_REASON_COUNT,
};

struct path_step {
    uint32_t lesson;
    enum path_reason reason;
    uint32_t number; /* PATH_REVIEW: whole days since the date; otherwise lessons that it unlocks */
};

struct graph_order;

struct path {
    uint32_t count;
    /* By lesson: */
    enum lesson_state *states;
    bool *fulfilled;
    uint32_t *unlocks; /* number of lessons, without those that are withheld */
    size_t *needs_start;
    uint32_t *needs; /* needs[needs_start[v]] to needs[needs_start[v + 1]] are its prerequisites */
    struct graph_order *order; /* teaching order */
    uint32_t *left;            /* to the goal, in teaching order */
    uint32_t left_count;
    struct path_step next[PATH_NEXT_MAX];
    uint32_t next_count;
};

/* Takes O(n + m log m). NULL with err: ERROR_TOO_LARGE over a cap, ERROR_INVALID for an index that
 * is none, ERROR_MEMORY. */
struct path *path_create(const struct path_request *request, struct error *err);
void path_destroy(struct path *path); /* takes NULL */

/* Lists the locks of a lesson: its missing prerequisites that are begun or ready, and behind each
 * one that is locked itself, those of that one. The nearest come first, counted in groups, then
 * those earlier in teaching order. list has room for path->count; *count is 0 for a lesson that is
 * not locked. Takes O(n log n + m). */
int path_locks(const struct path *path, uint32_t lesson, uint32_t *list, uint32_t *count,
               struct error *err);

/* The name of a reason: "unlocks"; static. */
const char *path_reason_name(enum path_reason reason);

/* Appends the reason in words: "unlocks 7 lessons". goal: the title of the goal, or NULL without
 * one. */
void path_reason_write(const struct path_step *step, const char *goal, struct buf *to);

#endif
