/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The layer of calls with a key, above run.h. A call with a key is applied once: a repeat gets the
 * first answer. The key is the argument idempotency_key, or is in the request's _meta; it is valid
 * within its session.
 */
#ifndef LECTERN_TOOL_IDEMPOTENCY_H
#define LECTERN_TOOL_IDEMPOTENCY_H

#include <stdbool.h>

#include "mcp/tool/tool.h"

/* Runs the call (tool_call_run), or answers a repeat. With a key the writes and the answer are
 * stored together, or none of them. A call that fails may be sent again with the same key. */
int idempotency_run(struct tool_call *call, struct store *store, struct error *err);
/* Whether the call is a repeat, which gets the stored answer or is refused. */
bool idempotency_is_repeat(struct tool_call *call, struct store *store);

#endif
