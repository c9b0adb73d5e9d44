/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a call would change, found by doing it and rolling it back: for a person who is asked before
 * it is done (mcp/chat/approval.c, mcp/tool/confirm.c).
 */
#ifndef LECTERN_TOOL_TRIAL_H
#define LECTERN_TOOL_TRIAL_H

#include "mcp/change/change_set.h"
#include "mcp/store/history/history.h"
#include "mcp/tool/tool.h"

#define TRIAL_SHOWN_MAX 40u   /* changes that are listed; more are only counted */
#define TRIAL_TEXT_MAX  4000u /* characters of a before or an after */

struct tool_trial {
    /* What would be done; texts borrowed. */
    char sid[SESSION_ID_SIZE];
    const struct tool *tool;
    const char *who;  /* the author of the call: an undo without a name reverts their own change */
    const char *only; /* the only session that the call may name, or NULL */
    struct tool_preview asked;

    /* What came of it. */
    struct change_set_outcome outcome; /* of a change set */
    struct undo_state undone;          /* of the others */
    bool deletes;                      /* the session: it undoes the import */
    json_t *differences;               /* owned: as store_read_difference reports them */
    json_t *was, *is; /* owned: {component_id: its place}, before and after, of the first nodes */
    /* Owned: [{"node_id", "title", "what", "before": text or null, "after": text or null}]. For the
     * same state of the curriculum these and `more` are always the same. */
    json_t *changes;
    size_t more;     /* that are not shown */
    struct buf lost; /* a line for each of the first nodes that go */
    struct trial_counts {
        size_t nodes, components, relationships;
    } gone, changed, made;
    long remain; /* components of the node after the deletion of one; else -1 */
};

/* *trial is zeroed before, and needs tool_trial_finish in any case. Checks and converts the call's
 * arguments; texts of *trial are borrowed from them, and from call->who. */
int tool_trial_begin(struct tool_trial *trial, struct tool_call *call, const char *sid,
                     struct error *err);
/* On a copy of the session (store_trial_open), or on the store that the call is about to be done
 * on. Leaves nothing behind. */
int tool_trial_run(struct tool_trial *trial, struct store *store, struct error *err);
/* Appends at most four lines: what would be done, the first nodes that go, how much of what. */
void tool_trial_write(const struct tool_trial *trial, struct buf *to);
void tool_trial_finish(struct tool_trial *trial);

#endif
