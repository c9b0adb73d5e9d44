/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Grades the programs that are stored as submissions, each once. A submission without a result is
 * graded later: at the start, and every GRADING_RETRY_S seconds while there is one, so after a kill
 * and after a time without a sandbox. Two servers that grade the same one store the first result.
 *
 * On the loop's thread, unless stated otherwise.
 */
#ifndef LECTERN_TUTOR_GRADING_H
#define LECTERN_TUTOR_GRADING_H

#include <jansson.h>

#include "helpers/base/error.h"
#include "mcp/tutor/tutor.h"

#define GRADING_RETRY_S 20u /* between two attempts to grade the submissions without a result */
#define GRADING_LATER   4u  /* of them at once */

struct gradings;

struct gradings *gradings_create(struct tutor *tutor, struct error *err);
/* Starts none any more. */
void gradings_stop(struct gradings *gradings);
/* After the executor, the tutor's queue and the loop's queue have ended. Takes NULL. */
void gradings_destroy(struct gradings *gradings);

struct grading_request {
    int64_t submission;     /* 0: the program only runs, and nothing is stored */
    const char *learner;    /* copied */
    const json_t *exercise; /* parameters of an exercise-code, copied; NULL if it only runs */
    const char *code;       /* copied */
    const char *input;      /* of a program that only runs, or NULL; copied */
    /* Exactly once, after grading_start has returned 0: with the result (grade.h), stored and
     * borrowed, or with err if there is none yet. May be NULL. */
    void (*on_done)(void *user, const json_t *result, const struct error *err);
    void *user;
};

/* ERROR_BUSY if the submission is being graded, ERROR_UNAVAILABLE without a sandbox, or as
 * grade_start. The submission stays stored. */
int grading_start(struct gradings *gradings, const struct grading_request *request,
                  struct error *err);

#endif
