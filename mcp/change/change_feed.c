/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/change/change_feed.h"

#include <stdlib.h>
#include <string.h>

struct change_feed {
    struct loop_queue *loop_queue;
    LIST_HEAD(, change_listener) listeners;
};

/* One change in transit; owns its texts, which are stored after it. */
struct change_task {
    struct loop_task task;
    struct change_feed *feed;
    struct store_change change;
    char text[];
};

struct change_feed *change_feed_create(struct loop_queue *loop_queue, struct error *err)
{
    struct change_feed *feed = calloc(1, sizeof *feed);

    if (!feed) {
        error_set(err, ERROR_MEMORY, "out of memory for the feed of changes");
        return NULL;
    }
    feed->loop_queue = loop_queue;
    LIST_INIT(&feed->listeners);
    return feed;
}

void change_feed_destroy(struct change_feed *feed)
{
    free(feed);
}

static void run_change(void *arg)
{
    struct change_task *posted = arg;
    struct change_listener *listener;

    LIST_FOREACH(listener, &posted->feed->listeners, link)
    listener->on_change(listener, &posted->change);
    free(posted);
}

/* Copies text to *to, and advances *to. */
static const char *keep(char **to, const char *text)
{
    char *at = *to;

    if (!text)
        return NULL;
    *to = stpcpy(at, text) + 1;
    return at;
}

static size_t size_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static void on_commit(void *user, const struct store_change *change)
{
    struct change_feed *feed = user;
    struct change_task *posted;
    char *at;

    posted = calloc(1, sizeof *posted + size_of(change->sid) + size_of(change->node_id) +
                           size_of(change->who));
    if (!posted)
        return; /* the write is committed; listeners see it at their next read */
    posted->feed = feed;
    posted->task.run = run_change;
    posted->task.arg = posted;
    posted->change = *change;
    at = posted->text;
    posted->change.sid = keep(&at, change->sid);
    posted->change.node_id = keep(&at, change->node_id);
    posted->change.who = keep(&at, change->who);
    loop_queue_post(feed->loop_queue, &posted->task);
}

void change_feed_attach(struct change_feed *feed, struct store *store)
{
    store_observe(store, on_commit, feed);
}

void change_feed_listen(struct change_feed *feed, struct change_listener *listener)
{
    LIST_INSERT_HEAD(&feed->listeners, listener, link);
}

void change_feed_leave(struct change_listener *listener)
{
    LIST_REMOVE(listener, link);
}
