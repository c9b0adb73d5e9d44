/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One call of a tutor's tool, from the loop to the tutor's queue and back. A tool is a file with
 *
 *     static int start(struct tool_call *call, struct error *err);
 *     const struct tool tool_NAME = {.toolset = TOOLSET_TUTOR, .start = start, .stop =
 *                                    tutor_call_stop, ...};
 *     static int run(struct tutor_call *teaching, struct error *err);
 *     static int start(struct tool_call *call, struct error *err)
 *     {
 *         return tutor_call_start(call, run, err);
 *     }
 *
 * run executes on the queue and appends its answer to teaching->call->text. The words of all
 * answers are for a model that talks to the learner: each one, also each error, ends with advice
 * and the next call.
 */
#ifndef LECTERN_TUTOR_CALL_H
#define LECTERN_TUTOR_CALL_H

#include "mcp/tool/arguments.h"
#include "mcp/tool/tool.h"
#include "mcp/tutor/standing.h"
#include "mcp/tutor/tutor.h"

#define TUTOR_TITLE_SHOWN 80u /* bytes of a lesson's title in an answer */

struct tutor_call;

/* On the queue, with the thread's connections: appends to teaching->call->text, or -1 with err. */
typedef int tutor_work(struct tutor_call *teaching, struct error *err);

struct tutor_call {
    struct workq_job job;
    struct tool_call *call; /* borrowed; NULL after the client has cancelled it */
    struct tutor *tutor;
    tutor_work *work;
    /* Set by work for a call that does not end with it: called on the loop afterwards. It must lead
     * to tutor_call_resume or tutor_call_end, or return -1 with err. */
    int (*then)(struct tutor_call *teaching, struct error *err);
    int64_t submission; /* that `then` has graded */
    json_t *result;     /* its result; owned */
    bool waiting;       /* after `then`, on the loop: nothing on the queue uses the call */
    int failed;
    struct error err;

    /* For work. */
    struct store *store;
    struct learners *learners;
    int64_t now;                 /* seconds since 1970 */
    const char *learner;         /* id; NULL for a tool without it */
    json_t *record;              /* of learners_read; owned; NULL likewise */
    char sid[SESSION_ID_SIZE];   /* the curriculum */
    const struct course *course; /* a reference */
    struct standing *standing;   /* owned; NULL without a learner */
    struct tiers *tiers;         /* a reference */
    const struct tier *tier;     /* the learner's; borrowed from tiers */
};

int tutor_call_start(struct tool_call *call, tutor_work *work, struct error *err);
/* The stop of a tool. The call ends; a grading that has begun goes on without it. */
void tutor_call_stop(struct tool_call *call);

/* On the loop: runs work on the queue, with everything read again. */
void tutor_call_resume(struct tutor_call *teaching, tutor_work *work);
/* On the loop: ends the call, with an error unless err is NULL. */
void tutor_call_end(struct tutor_call *teaching, const struct error *err);

/* ---- for work ---- */

/* The lesson that the argument node_id names by id or title. Without it: the first of the next
 * lessons, or the goal; ERROR_NOT_FOUND if there is nothing left to learn. */
int tutor_lesson(struct tutor_call *teaching, uint32_t *lesson, struct error *err);
/* The item that the argument exercise_id names, in a lesson that is open. NULL with err. */
const struct course_item *tutor_item(struct tutor_call *teaching, struct error *err);
/* ERROR_FORBIDDEN for a lesson that is locked, with the lessons that unlock it, or that the
 * learner's tier does not have, with the link. */
int tutor_lesson_open(struct tutor_call *teaching, uint32_t lesson, struct error *err);

/* Appends N003 "Ratios". */
void tutor_add_lesson(const struct tutor_call *teaching, uint32_t lesson, struct buf *to);
/* Appends "practising, p 0.55, 1 of 3 exercises solved" without a line end. */
void tutor_add_state(const struct tutor_call *teaching, uint32_t lesson, struct buf *to);
/* Appends the next lessons, with reasons, one a line. */
void tutor_add_next(const struct tutor_call *teaching, struct buf *to);
/* Appends N001, N002 and 3 more. */
void tutor_add_lessons(const struct tutor_call *teaching, const uint32_t *list, size_t count,
                       size_t most, struct buf *to);
/* Appends the line with the link of the next tier; nothing if there is none. */
void tutor_add_upgrade(const struct tutor_call *teaching, struct buf *to);

#endif
