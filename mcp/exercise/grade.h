/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Grades a learner's program: runs it in a sandbox against the cases of an exercise, and compares
 * the results here, so that an expected value never enters a sandbox. Grading within the learner's
 * own process cannot be defended (PrairieLearn, issue 5184): the program can forge each result that
 * it sends, but to forge a right one it must know it.
 *
 * The time limit of an exercise is for all its cases together. A case that hangs or crashes is
 * marked, and the rest run again, GRADE_RUNS_MAX runs in all; the runs after the first share the
 * time limit once more. A program that hangs or crashes before its first call is stopped for good.
 *
 * Visible cases run first. A case's arguments enter the sandbox when its turn comes. From the first
 * hidden case on, neither output nor an error's text nor a value goes back, only pass or fail.
 *
 * Threads: grade_start may be called on any thread; on_done runs on the executor's thread.
 */
#ifndef LECTERN_EXERCISE_GRADE_H
#define LECTERN_EXERCISE_GRADE_H

#include <jansson.h>

#include "executor/executor.h"
#include "helpers/base/error.h"
#include "validator/validator.h"

#define GRADE_CODE_CAP    ((size_t)64 << 10) /* bytes of a program; the validator's cap */
#define GRADE_RUNS_MAX    4u   /* a case that hangs or crashes ends a run, and the rest run again */
#define GRADE_SHOWN_CAP   200u /* bytes of a value in a message */
#define GRADE_MESSAGE_CAP 2000u /* bytes of a message */
#define GRADE_OUTPUT_CAP  500u  /* characters of a case's output, as Exercism limits them */
#define GRADE_RUN_CAP     2000u /* characters of the output of a program without an exercise */

struct grade_request {
    /* Parameters of an exercise-code that component_type_check accepts. NULL: the program only
     * runs, once, for at most EXERCISE_SECONDS_MAX. */
    const json_t *exercise;
    const char *input; /* of a program without an exercise, for input(); NULL: none */
    const char *code;  /* copied; UTF-8 */
    size_t code_len;
    /* Exactly once after grade_start returned 0. result is borrowed; NULL if no sandbox could grade
     * (err: ERROR_BUSY or ERROR_UNAVAILABLE), which is no attempt of the learner.
     *
     * The result has the form of Exercism's test runners
     * (https://exercism.org/docs/building/tooling/test-runners/interface):
     * {"version": 2, "status": "pass" | "fail" | "error", "message": text of an error or null,
     *  "tests": [{"name", "status", "message", "output"}]}, in the order of the exercise's cases.
     * A hidden case has the name "hidden 1", and neither message nor output. Without an exercise it
     * is {"status": "ran" | "error", "message": text of an error, how the program was stopped, or
     * null, "output": text or null}; a program that was stopped has no output. */
    void (*on_done)(void *user, const json_t *result, const struct error *err);
    /* The id of each run, for executor_cancel, which ends the grading with ERROR_UNAVAILABLE. On
     * the thread of grade_start, where on_done may come first, then on the executor's. Or NULL. */
    void (*on_run)(void *user, uint64_t run_id);
    void *user;
};

/* Checks a program with the profile `learner`: ERROR_INVALID with the validator's explanation if it
 * refuses the program, or if there is none. *verdict is valid on success. Pure; any thread. */
int grade_check(const char *code, size_t len, struct verdict *verdict, struct error *err);

/* Fails as grade_check if the program is refused; nothing was
 * run, and it is no attempt. With ERROR_BUSY if too many programs wait. */
int grade_start(struct executor *executor, const struct grade_request *request, struct error *err);

#endif
