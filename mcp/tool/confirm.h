/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The layer above idempotency.h: the agreement of the person at a client, who is asked
 * (elicitation) before a call deletes something, or replaces it in more than CONFIRM_PLACES places.
 * The call is done only if it would still change exactly the shown places, and once. Clients that
 * cannot ask are not kept from anything: every change can be undone in one step, but for the undo
 * of an import, whose text the client has. The chat asks in its own way (mcp/chat/approval.h).
 */
#ifndef LECTERN_TOOL_CONFIRM_H
#define LECTERN_TOOL_CONFIRM_H

#include <stdbool.h>

#include "mcp/tool/tool.h"

#define CONFIRM_PLACES 10u /* changed without asking */
#define CONFIRM_SHOWN  10u /* changes that the person is shown one by one */

/* Whether the person may have to be asked, by the name and the arguments of the call, and has not
 * been yet. */
bool confirm_may_ask(const struct tool_call *call);
/* Tries the call on a copy of the session. Sets call->asks and call->kept if the person has to be
 * asked. On the trial work queue. */
int confirm_ask(struct tool_call *call, struct store *store, struct error *err);
/* What the person answered, if they were asked: 0 if they agreed (call->before then checks that
 * nothing has changed since, and that the answer has not been used), -1 with an error for the model
 * if not. */
int confirm_take_answer(struct tool_call *call, struct error *err);

/* Runs the call (idempotency_run): in one transaction if call->before has to check an answer, so
 * that nobody writes between that and the tool. On the work queue of the call. */
int confirm_run(struct tool_call *call, struct store *store, struct error *err);

#endif
