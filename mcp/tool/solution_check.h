/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tests the solutions of the code exercises that an editing call saves, before the call is queued
 * for its write: grading takes longer than a transaction may. The call is tried on a copy of its
 * session, so that the exercises are those that it would leave. Their solutions then run one after
 * the other. The write happens in any case; its answer says how the solutions did.
 *
 * Threads: the loop, but the trial (the trial work queue) and the result of one grading (the
 * executor's thread).
 */
#ifndef LECTERN_TOOL_SOLUTION_CHECK_H
#define LECTERN_TOOL_SOLUTION_CHECK_H

#include "mcp/tool/tool.h"

#define SOLUTION_CHECKS_MAX 20u    /* in one call; of further exercises only the number is said */
#define SOLUTION_CHECK_MS   20000u /* after which none is begun: a client waits a minute at most */

struct solution_check;

/* Whether the operations of a change set may concern an exercise: one is created, or a parameter is
 * edited that has the name of one that grading depends on. */
bool solution_check_may_concern(const json_t *operations);
/* Whether a difference (store_read_difference) is that of a code exercise whose grading may have
 * another result afterwards, or is new. */
bool solution_check_is_due(const json_t *difference);

/* solution_check_may_concern of the operations of the call. */
bool solution_check_concerns(struct tool_call *call);
/* Sets call->solutions, then calls `then` on the loop, also if nothing could be checked. Uses
 * call->staged.job, whose key is set. Nothing is checked if is_answered, on the trial work queue,
 * says that the call will do nothing. */
int solution_check_start(struct tool_call *call,
                         bool (*is_answered)(struct tool_call *call, struct store *store),
                         void (*then)(struct tool_call *call), struct error *err);
/* Once call->cancel has fired: the check ends soon. */
void solution_check_cancel(const struct tool_call *call);
/* Appends a line for each exercise, and one for all whose solutions pass. Takes NULL. */
void solution_check_write(const struct solution_check *check, struct buf *to);
/* Appends how many exercises of an imported curriculum have a solution; imports check none. */
void solution_check_write_import(const json_t *curriculum, struct buf *to);
void solution_check_free(struct solution_check *check); /* takes NULL */

#endif
