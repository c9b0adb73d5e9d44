/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A curriculum as its learners meet it: the lessons, the prerequisites between them, and the items
 * (exercises and questions) of each. It is read once for each state of a session and then shared;
 * it does not change. Any thread.
 *
 * Prerequisites are the relationships whose type contains PREREQUISITE; LEADS_TO in a curriculum
 * that has none of these, as for the queries needs and order.
 */
#ifndef LECTERN_TUTOR_COURSE_H
#define LECTERN_TUTOR_COURSE_H

#include <jansson.h>

#include "mcp/learner/path.h"
#include "mcp/store/entities/outline.h"
#include "mcp/store/store.h"

#define COURSE_CACHE_ENTRIES 8u /* courses that are kept, the least recently used goes first */
#define COURSE_SERVICE_S                                                                           \
    60u /* how long one is used while a service stores the curriculum,                             \
           which says nothing about changes */

struct course_item {
    const char *id;           /* of the component */
    uint32_t lesson, place;   /* place: in the order of the file or the lesson */
    bool code;                /* an exercise-code; otherwise a question */
    bool graded;              /* by the server: not an open question */
    const json_t *parameters; /* as component_type_check accepts them */
};

struct course_lesson {
    const char *id, *title, *chapter; /* chapter: or NULL */
    uint32_t first_item, items;       /* in course->items, in the order of the lesson */
    uint32_t graded;                  /* how many of them the server grades */
};

struct course {
    char sid[SESSION_ID_SIZE];
    struct course_lesson *lessons; /* in the curriculum's order */
    uint32_t count;
    struct path_edge *edges;
    size_t edge_count;
    struct course_item *items; /* by lesson */
    uint32_t item_count;
    struct course_index *index; /* the course's own, like all that follows */
    struct outline outline;
    json_t *components, *of_file;
    unsigned references;
};

#define COURSE_NONE UINT32_MAX

struct courses;
/* exercises: of items beside those of the curricula, the path of an exercise_file, or NULL. */
struct courses *courses_create(const char *exercises, struct error *err);
void courses_destroy(struct courses *courses); /* takes NULL */

/* The session's current course. The caller gives up the reference by course_release. NULL with err:
 * as store_read_outline, or ERROR_TOO_LARGE. */
const struct course *course_get(struct courses *courses, struct store *store, const char *sid,
                                struct error *err);
void course_release(struct courses *courses, const struct course *course); /* takes NULL */

/* The index of a lesson by its id, or of an item by its component id; COURSE_NONE. */
uint32_t course_lesson_find(const struct course *course, const char *id);
uint32_t course_item_find(const struct course *course, const char *id);

#endif
