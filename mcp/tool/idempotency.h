/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A call that carries a key is applied once: sent again, it gets the answer of the first time.
 * The key is the argument idempotency_key, or comes in the request's _meta; it counts within its
 * session.
 */
#ifndef LECTERN_TOOL_IDEMPOTENCY_H
#define LECTERN_TOOL_IDEMPOTENCY_H

#include "mcp/tool/tool.h"

#define TOOL_KEY_MAX 128 /* bytes of a client's key */

typedef int tool_run(struct tool_call *call, struct store *store, struct error *err);

/* Runs a call that may write. With a key its writes and its answer are kept together, or none of
 * them; keeps false: its key is checked, but what writes nothing may be repeated. A call that fails
 * may be sent again with the same key. */
int tool_run_idempotent(struct tool_call *call, struct store *store, tool_run *run, bool keeps,
                        struct error *err);
/* After `then` has made more of an answer that is kept: keeps it whole. */
int tool_amend_idempotent(const struct tool_call *call, struct store *store, struct error *err);

#endif
