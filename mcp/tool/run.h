/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The innermost layer of a call that runs on a work queue: the function of its tool.
 */
#ifndef LECTERN_TOOL_RUN_H
#define LECTERN_TOOL_RUN_H

#include "mcp/tool/tool.h"

/* call->before, then the tool with the id of its change set, then the lines about the solutions
 * that were checked before. */
int tool_call_run(struct tool_call *call, struct store *store, struct error *err);

#endif
