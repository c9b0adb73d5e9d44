/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tutor/standing.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/array.h"
#include "mcp/learner/tiers.h"

#define NO_ITEM SIZE_MAX

/* One row of the log. */
struct row {
    struct evidence evidence; /* without the item */
    uint32_t lesson;
    size_t item; /* offset in the strings; or NO_ITEM */
};

struct log_reading {
    const struct course *course;
    struct buf *strings;
    struct row *rows;
    size_t count;
    bool failed;
};

static void on_evidence(void *user, const char *session, const char *node,
                        const struct evidence *evidence)
{
    struct log_reading *reading = user;
    uint32_t item =
                 evidence->item ? course_item_find(reading->course, evidence->item) : COURSE_NONE,
             lesson = item != COURSE_NONE ? reading->course->items[item].lesson
                                          : course_lesson_find(reading->course, node);

    (void)session;
    if (lesson == COURSE_NONE || reading->failed)
        return;
    if (!ARRAY_ROOM(reading->rows, reading->count)) {
        reading->failed = true;
        return;
    }
    reading->rows[reading->count] = (struct row){
        .evidence = *evidence,
        .lesson = lesson,
        .item = evidence->item ? reading->strings->len : NO_ITEM,
    };
    reading->count++;
    if (evidence->item)
        buf_add(reading->strings, evidence->item, strlen(evidence->item) + 1);
}

/* Distributes the rows, which are in the order of time, to the lessons. */
static int take_rows(struct standing *standing, struct log_reading *reading, struct error *err)
{
    const uint32_t lessons = reading->course->count;

    standing->evidence = calloc(reading->count + 1, sizeof *standing->evidence);
    standing->start = calloc((size_t)lessons + 2, sizeof *standing->start);
    if (!standing->evidence || !standing->start || reading->failed)
        return error_set(err, ERROR_MEMORY, "out of memory for a learner's evidence");
    for (size_t i = 0; i < reading->count; i++)
        standing->start[reading->rows[i].lesson + 2]++;
    for (uint32_t v = 2; v <= lessons; v++)
        standing->start[v] += standing->start[v - 1];
    /* Now start[v + 1] is the first place of lesson v, and at the end that after its last. */
    for (size_t i = 0; i < reading->count; i++) {
        const struct row *row = &reading->rows[i];
        struct evidence *evidence = &standing->evidence[standing->start[row->lesson + 1]++];

        *evidence = row->evidence;
        evidence->item = row->item == NO_ITEM ? NULL : standing->strings.data + row->item;
    }
    return 0;
}

static int read_evidence(struct standing *standing, struct learners *learners, const char *learner,
                         const struct course *course, struct error *err)
{
    struct log_reading reading = {.course = course, .strings = &standing->strings};
    int rc = learners_evidence(learners, learner, course->sid, NULL, on_evidence, &reading, err);

    if (rc == 0)
        rc = buf_check(&standing->strings, "a learner's evidence", err);
    if (rc == 0)
        rc = take_rows(standing, &reading, err);
    free(reading.rows);
    return rc;
}

static int find_path(struct standing *standing, const struct course *course,
                     const struct tier *tier, int64_t now, struct error *err)
{
    const struct path_request request = {
        .lessons = standing->lessons,
        .count = course->count,
        .edges = course->edges,
        .edge_count = course->edge_count,
        .goal = standing->goal,
        .now = now,
    };

    for (uint32_t v = 0; v < course->count; v++) {
        const struct course_lesson *lesson = &course->lessons[v];
        const size_t first = standing->start[v];

        standing->lessons[v].knowledge = knowledge_fold(
            standing->evidence + first, standing->start[v + 1] - first, lesson->graded);
        standing->lessons[v].withheld = !tier_allows(tier, lesson->chapter, lesson->id);
    }
    standing->path = path_create(&request, err);
    return standing->path ? 0 : -1;
}

struct standing *standing_read(struct learners *learners, const char *learner,
                               const struct course *course, const char *goal,
                               const struct tier *tier, int64_t now, struct error *err)
{
    struct standing *standing = calloc(1, sizeof *standing);

    if (standing)
        standing->lessons = calloc((size_t)course->count + 1, sizeof *standing->lessons);
    if (!standing || !standing->lessons) {
        free(standing);
        error_set(err, ERROR_MEMORY, "out of memory for a learner's standing");
        return NULL;
    }
    standing->goal = goal ? course_lesson_find(course, goal) : COURSE_NONE;
    if (standing->goal == COURSE_NONE)
        standing->goal = PATH_NO_GOAL;
    if (read_evidence(standing, learners, learner, course, err) == 0 &&
        find_path(standing, course, tier, now, err) == 0)
        return standing;
    standing_free(standing);
    return NULL;
}

void standing_free(struct standing *standing)
{
    if (!standing)
        return;
    path_destroy(standing->path);
    free(standing->lessons);
    free(standing->evidence);
    free(standing->start);
    buf_finish(&standing->strings);
    free(standing);
}

struct item_standing standing_of_item(const struct standing *standing,
                                      const struct course_item *item)
{
    struct item_standing found = {0};

    for (size_t i = standing->start[item->lesson]; i < standing->start[item->lesson + 1]; i++) {
        const struct evidence *evidence = &standing->evidence[i];

        if (evidence->kind > EVIDENCE_VERDICT_WRONG || strcmp(evidence->item, item->id) != 0)
            continue;
        found.attempts++;
        if (evidence->kind == EVIDENCE_GRADED_RIGHT || evidence->kind == EVIDENCE_VERDICT_RIGHT) {
            found.solved = true;
            found.last_right = evidence->time;
            found.wrong = 0;
        } else {
            found.wrong++;
        }
    }
    return found;
}
