/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What waits for one client of /mcp-sync, for sync.c: errors and answers in their order, and behind
 * them refreshes ({"type": "refresh_ui", "target", "node_id"}), each once, however often the thing
 * has changed before the client reads. Pure, one thread at a time.
 */
#ifndef LECTERN_TRANSPORT_SYNC_OUTBOX_H
#define LECTERN_TRANSPORT_SYNC_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "helpers/base/buf.h"

enum sync_target { SYNC_COMPONENTS, SYNC_NODES, SYNC_RELATIONSHIPS };

struct sync_outbox {
    STAILQ_HEAD(, sync_said) said;
    size_t bytes;    /* of it */
    unsigned errors; /* in it */
    STAILQ_HEAD(, sync_refresh) refreshes;
    unsigned refresh_count;
    unsigned refresh_all; /* a bit for each target still to be told; the list is empty then */
};

void sync_outbox_init(struct sync_outbox *outbox);
void sync_outbox_finish(struct sync_outbox *outbox);

/* A message, copied. -1: it would be more than SYNC_SAID_CAP or SYNC_ERRORS_CAP, or no memory;
 * nothing is added. */
int sync_outbox_say(struct sync_outbox *outbox, const char *text, size_t len, bool is_error);

/* node_id "": all of them. false: that waits already. Beyond SYNC_QUEUE_CAP, or without memory, it
 * is to read everything anew. */
bool sync_outbox_refresh(struct sync_outbox *outbox, enum sync_target target, const char *node_id);
void sync_outbox_refresh_all(struct sync_outbox *outbox);
void sync_outbox_forget_refreshes(struct sync_outbox *outbox);

/* The next message, appended to *to; false where none waits. */
bool sync_outbox_next(struct sync_outbox *outbox, struct buf *to);

#endif
