/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of approval.h: what a call would change. It is done in a transaction, what is otherwise
 * then is read, and all of it is taken back; so what is shown is what will be, however
 * the operations build on each other.
 */
#ifndef LECTERN_CHAT_APPROVAL_PREVIEW_H
#define LECTERN_CHAT_APPROVAL_PREVIEW_H

#include "mcp/session/change_set.h"
#include "mcp/tool/tool.h"

struct approval_preview {
    /* What would be done; texts borrowed. */
    char sid[SESSION_ID_SIZE];
    const char *who; /* for whom it would be done: an undo without a name is of their own change */
    struct tool_preview asked;

    /* What came of it. */
    struct change_set_outcome outcome; /* of a change set */
    struct undo_state undone;          /* of the others */
    json_t *differences;               /* owned: as store_read_difference reports them */
    json_t *was, *is; /* owned: {component_id: its place}, before and after, of the first nodes */
    json_t *changes;  /* owned: as approval.h describes them */
    size_t more;      /* that are not shown */
    struct buf lost;  /* a line for each of the first nodes that go */
    struct approval_count {
        size_t nodes, components, relationships;
    } gone, changed, made;
    long remain; /* components of the node, where one is deleted; else -1 */
};

/* On a copy of the session (store_trial_open), or on the store that the call is about to be done
 * on. *preview needs approval_preview_finish in any case. */
int approval_preview(struct approval_preview *preview, struct store *store, struct error *err);
void approval_preview_finish(struct approval_preview *preview);

#endif
