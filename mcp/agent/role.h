/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The roles in a table: the message that each sends, its instructions, and the request that it
 * gets. A role is asked by one forced call of a strict tool, whose input is its message; it never
 * answers in prose. Each sees only its part: the planner the question, sizes and chapter titles;
 * the coder the plan, helpers and modules; the debugger the plan, the failed program and its
 * execution; the answer is written from the executions. Pure, any thread.
 */
#ifndef LECTERN_AGENT_ROLE_H
#define LECTERN_AGENT_ROLE_H

#include "helpers/base/buf.h"
#include "mcp/agent/attempts.h"
#include "mcp/agent/message.h"
#include "mcp/server.h"
#include "mcp/store/entities/outline.h"
#include "mcp/store/store.h"

#define ROLE_CHAPTERS_SHOWN  200u               /* chapter titles that the planner sees */
#define ROLE_EXECUTION_SHOWN ((size_t)12 << 10) /* bytes of an execution that a role sees */

enum role { ROLE_PLANNER, ROLE_CODER, ROLE_DEBUGGER, ROLE_ANSWER, ROLE_COUNT };

struct role_kind {
    const char *name; /* "planner" */
    enum agent_message sends;
    const char *tool;    /* name of the forced tool */
    const char *purpose; /* its description */
    unsigned max_tokens; /* of its answer */
    void (*write_instructions)(const struct analyses *analyses, struct buf *to);
};
extern const struct role_kind roles[ROLE_COUNT];

/* Appends the complete request. messages: the conversation with the role, an array. The same bytes
 * for each request of a role up to the messages, so that the service can cache them. */
void role_write_request(enum role role, const struct analyses *analyses, const char *model,
                        unsigned max_tokens, const json_t *messages, struct buf *to);

/* Append the user message of a role; all curriculum texts stand in <data> tags. */
void role_write_question(const struct task *task, const struct outline *outline, struct buf *to);
void role_write_plan(const struct plan *plan, struct buf *to);
void role_write_failure(const struct plan *plan, const struct code *code,
                        const struct execution *execution, const struct attempts *attempts,
                        struct buf *to);
/* values: {step: value}; open: the steps without one, an array of texts. */
void role_write_values(const struct plan *plan, const json_t *values, const json_t *open,
                       struct buf *to);

#endif
