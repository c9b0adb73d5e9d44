/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tools, in the order of tools/list. A new tool is its file and a row here.
 */
#include "mcp/tool/table.h"

const struct tool *const tools[] = {
    &tool_add_component,
    &tool_edit_component,
    &tool_delete_component,
    &tool_create_relationship,
    &tool_batch_add_components,
    &tool_change_curriculum,
    &tool_history,
    &tool_execute_code,
    &tool_query_graph,
    NULL,
};
