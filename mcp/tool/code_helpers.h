/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The helpers of analysis code (code_helpers), described for a model that writes a program. Pure,
 * any thread.
 */
#ifndef LECTERN_TOOL_CODE_HELPERS_H
#define LECTERN_TOOL_CODE_HELPERS_H

#include "helpers/base/buf.h"
#include "mcp/server.h"

/* Appends "`from code_helpers import ...` what you use; ...:" and a line for each helper that
 * programs of the server's profile can use. */
void code_helpers_write(const struct analyses *analyses, struct buf *to);
bool code_helpers_have_networkx(const struct analyses *analyses);

#endif
