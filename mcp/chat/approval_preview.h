/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of approval.h: what a call would change. It is done in a transaction, what is otherwise
 * then is read, and all of it is taken back; so what is told is what will be, however
 * the operations build on each other.
 */
#ifndef LECTERN_CHAT_APPROVAL_PREVIEW_H
#define LECTERN_CHAT_APPROVAL_PREVIEW_H

#include "mcp/session/change_set.h"
#include "mcp/tool/tool.h"

enum approval_action { APPROVAL_CHANGES, APPROVAL_UNDOES, APPROVAL_RESTORES };

struct approval_preview {
    /* What would be done; texts borrowed. */
    char sid[SESSION_ID_SIZE];
    const char *who; /* for whom it would be done: an undo without a name is of their own change */
    enum approval_action action;
    json_t *operations; /* owned: of a change set */
    bool keep_going;
    int64_t version;        /* expected by a change set; to restore; of what is undone, or 0 */
    const char *change_set; /* that is undone, or NULL */

    /* What came of it. */
    struct change_set_outcome outcome; /* of a change set */
    struct undo_state undone;          /* of the others */
    json_t *differences;               /* owned: as store_read_difference tells them */
    json_t *was, *is; /* owned: {component_id: its place}, before and after, of the first nodes */
    json_t *changes;  /* owned: as approval.h tells them */
    size_t more;      /* that are not shown */
    struct buf lost;  /* a line for each of the first nodes that go */
    struct approval_count {
        size_t nodes, components, relationships;
    } gone, changed, made;
    long remain; /* components of the node, where one is deleted; else -1 */
};

/* What a call takes from the curriculum, in rising order; run.h's enum approvals says from which on
 * a person is asked. What does very much counts as if it deleted. */
enum loss {
    LOSS_NO_EDIT, /* it only looks */
    LOSS_NOTHING, /* it adds, or puts in another order */
    LOSS_REPLACED,
    LOSS_DELETED, /* or emptied */
};

/* A tool that asks: the impact of a call of it, and what it would do. */
struct approval_row {
    const char *tool;
    enum loss (*impact)(const json_t *arguments);
    /* Sets what would be done; its texts are borrowed from arguments. */
    void (*preview_call)(const json_t *arguments, struct approval_preview *preview);
};
const struct approval_row *approval_row_find(const struct tool *tool); /* NULL: has none */

/* On a copy of the session (store_trial_open), or on the store that the call is about to be done
 * on. *look wants approval_preview_finish in any case. */
int approval_preview(struct approval_preview *preview, struct store *store, struct error *err);
void approval_preview_finish(struct approval_preview *preview);

/* Makes changes, counts and lost of the differences; store gives titles. */
int approval_changes(struct approval_preview *preview, struct store *store, struct error *err);

#endif
