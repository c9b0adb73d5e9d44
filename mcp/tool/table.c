/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/arguments.h"

#define TOOL_ROW(name) &tool_##name,
const struct tool *const tools[] = {TOOL_TABLE(TOOL_ROW) NULL};
const bool tables_change = false;
