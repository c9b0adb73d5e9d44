/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A call that carries a key is done once: sent again, it is told what it was told the first time.
 * The key is the argument idempotency_key, or comes in the request's _meta; it counts within its
 * session.
 */
#ifndef LECTERN_TOOL_IDEMPOTENCY_H
#define LECTERN_TOOL_IDEMPOTENCY_H

#include "mcp/tool/tool.h"

#define TOOL_KEY_MAX 128 /* bytes of a client's key */

/* Runs the call's tool, as tool->run. With a key its writes and its answer are kept together, or
 * none of them. A call that fails may be sent again with the same key. */
int tool_run_idempotent(struct tool_call *call, struct store *store, struct error *err);
/* After `then` has made more of an answer that is kept: keeps it whole. */
int tool_amend_idempotent(const struct tool_call *call, struct store *store, struct error *err);

#endif
