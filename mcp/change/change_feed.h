/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Passes committed changes from the stores' threads to the loop, for those who follow a session
 * (/mcp-sync, the chat page). A feed belongs to one loop.
 */
#ifndef LECTERN_CHANGE_CHANGE_FEED_H
#define LECTERN_CHANGE_CHANGE_FEED_H

#include <sys/queue.h>

#include "helpers/base/loop_queue.h"
#include "mcp/store/store.h"

struct change_feed;

struct change_listener {
    LIST_ENTRY(change_listener) link;
    /* Called on the loop's thread. The texts of the change are borrowed. */
    void (*on_change)(struct change_listener *listener, const struct store_change *change);
};

/* Destroy it after the work queues, and then the loop's queue, are gone. */
struct change_feed *change_feed_create(struct loop_queue *loop_queue, struct error *err);
void change_feed_destroy(struct change_feed *feed); /* takes NULL */

/* Called on the store's thread: from now on the feed reports its commits. */
void change_feed_attach(struct change_feed *feed, struct store *store);

/* Called on the loop's thread, but not from on_change. */
void change_feed_listen(struct change_feed *feed, struct change_listener *listener);
void change_feed_leave(struct change_listener *listener);

#endif
