/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The resources, in the order of the lists. A new one is its file and a row in table.c.
 */
#ifndef LECTERN_RESOURCE_TABLE_H
#define LECTERN_RESOURCE_TABLE_H

#include "mcp/resource/resource.h"

extern const struct resource resource_curriculum, resource_node;

/* Completes session_id and node_id. */
extern const struct tool tool_complete_curriculum;

#endif
