/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the stores' threads to the loop: what was committed, for those who look on (/mcp-sync, the
 * chat page). A feed belongs to one loop.
 */
#ifndef LECTERN_SESSION_CHANGE_FEED_H
#define LECTERN_SESSION_CHANGE_FEED_H

#include <sys/queue.h>

#include "helpers/base/loop_queue.h"
#include "mcp/store/store.h"

struct change_feed;

struct change_listener {
    LIST_ENTRY(change_listener) link;
    /* On the loop's thread; the change's texts are borrowed. */
    void (*on_change)(struct change_listener *listener, const struct store_change *change);
};

/* Destroyed when the work queues and then the loop's queue are gone. */
struct change_feed *change_feed_create(struct loop_queue *loop_queue, struct error *err);
void change_feed_destroy(struct change_feed *feed); /* takes NULL */

/* On the store's thread: its commits come through the feed from now on. */
void change_feed_attach(struct change_feed *feed, struct store *store);

/* On the loop's thread; not from within on_change. */
void change_feed_listen(struct change_feed *feed, struct change_listener *listener);
void change_feed_leave(struct change_listener *listener);

#endif
