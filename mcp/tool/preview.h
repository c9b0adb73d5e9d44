/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What edits take away, for the tools' own impact functions; and what an undo goes back to.
 */
#ifndef LECTERN_TOOL_PREVIEW_H
#define LECTERN_TOOL_PREVIEW_H

#include "mcp/tool/tool.h"

#define TOOL_OPERATIONS_MAX                                                                        \
    10u /* operations of one call; what does more counts as if it deleted                          \
         */

/* Of an edit of a component with these parameters, which may be NULL: what is set to nothing is
 * gone, though its place stays. */
enum tool_loss tool_loss_of_edit(const json_t *parameters);
/* Of the operations of a change set; an unknown one counts as the worst. */
struct tool_impact tool_impact_of(const json_t *operations);

/* The id of the change set that ended with that version. */
int tool_set_of_version(struct store *store, const char *sid, long version,
                        char set[CHANGE_SET_ID_SIZE], struct error *err);

#endif
