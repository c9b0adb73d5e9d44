/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tools, in the order of tools/list. tool_NAME is defined in NAME.c, or with others of its kind
 * in edit_tools.c. A new tool is its file and a row here.
 */
#ifndef LECTERN_TOOL_TABLE_H
#define LECTERN_TOOL_TABLE_H

#include "mcp/tool/tool.h"

#define TOOL_TABLE(ROW)                                                                            \
    ROW(find_lessons)                                                                              \
    ROW(add_component)                                                                             \
    ROW(edit_component)                                                                            \
    ROW(delete_component)                                                                          \
    ROW(create_relationship)                                                                       \
    ROW(batch_add_components)                                                                      \
    ROW(change_curriculum)                                                                         \
    ROW(import_curriculum)                                                                         \
    ROW(history)                                                                                   \
    ROW(undo)                                                                                      \
    ROW(execute_code)                                                                              \
    ROW(query_graph)

#define TOOL_DECLARE(name) extern const struct tool tool_##name;
TOOL_TABLE(TOOL_DECLARE)

#endif
