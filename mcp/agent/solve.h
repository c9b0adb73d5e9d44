/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One task: a question about a curriculum, from its plan to its answer, by the roles of role.h.
 * Rules come before models; the budget is one for all roles; the code runs at most `attempts`
 * times, never twice the same program, each time after a change that a diagnosis names. A task only
 * reads: a plan to edit is proposed and not applied. Its entries are kept in the store
 * (store_task_append), the messages before the next step begins; a store that cannot be written to
 * is a warning, and loses no answer.
 *
 * Everything runs on the loop's thread, but the reads (the work queues read and graph) and the end
 * of a run (the executor's thread).
 */
#ifndef LECTERN_AGENT_SOLVE_H
#define LECTERN_AGENT_SOLVE_H

#include "mcp/agent/message.h"
#include "mcp/agent/solver.h"
#include "mcp/auth/identity.h"
#include "mcp/server.h"

#define SOLVE_BUSY_RETRIES_MAX 3u /* times that a program waits for a busy engine */

struct solve_request {
    const char *session_id, *question; /* copied */
    const char *task;                  /* instead of a question: a task of the session to go on
                                          with, or to answer from the store; copied; or NULL */
    const struct identity *identity;   /* whose limit of analyses counts; copied; NULL: nobody's */
};

/* One step of a task, for its trace: a message or a request to a model.
 *
 *     {"at": "2026-11-21T11:10:39.123Z", "kind": "plan", "role": "planner", "by": "rule"|"model",
 *      "message": {...}}
 *     {"at", "kind": "request", "role", "model", "outcome": "message"|"fault"|"refusal"|"cut"|
 *      an error's kind, "fault"?, "seconds", "retries"?, "usage": {"input", "output", "cache_read",
 *      "cache_write"}, "cost"?} */
struct solve_listener {
    /* A step that has ended; borrowed. May be NULL. */
    void (*on_entry)(struct solve_listener *listener, const json_t *entry);
    /* The next step begins; solve_progress names it. May be NULL. */
    void (*on_step)(struct solve_listener *listener);
    /* The last callback. trace: all entries, borrowed as the answer is. err: beside the answer, why
     * no model or engine could be used (ERROR_UNAVAILABLE, ERROR_BUSY), or no error. */
    void (*on_done)(struct solve_listener *listener, const struct answer *answer,
                    const json_t *trace, const struct error *err);
};

struct solve;
/* on_done is called, never before this returns; NULL with err instead if the question is not text
 * of 1 to TASK_QUESTION_MAX bytes, with ERROR_BUSY at SOLVER_TASKS_MAX, or without memory. */
struct solve *solve_start(struct solver *solver, const struct solve_request *request,
                          struct solve_listener *listener, struct error *err);
/* Ends it soon, with the status cancelled and the values so far. */
void solve_cancel(struct solve *solve);

/* A short line on the state of a task for a person: "coder: attempt 2 of 3". */
void solve_progress(const struct solve *solve, struct buf *to);

#endif
