/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tools' own definitions, each in the file of its name.
 */
#ifndef LECTERN_TOOL_TABLE_H
#define LECTERN_TOOL_TABLE_H

#include "mcp/tool/tool.h"

extern const struct tool tool_add_component, tool_edit_component, tool_delete_component,
    tool_create_relationship, tool_batch_add_components, tool_change_curriculum, tool_history,
    tool_execute_code, tool_query_graph;

#endif
