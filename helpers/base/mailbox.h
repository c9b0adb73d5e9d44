/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A way into an event loop from any thread: mail posted is opened on the loop's thread, in order.
 * The mail is embedded in the sender's own struct, so posting neither allocates nor fails.
 */
#ifndef LECTERN_BASE_MAILBOX_H
#define LECTERN_BASE_MAILBOX_H

#include <sys/queue.h>
#include <uv.h>

#include "helpers/base/error.h"

struct mail {
    STAILQ_ENTRY(mail) link;
    void (*open)(void *arg); /* runs on the loop's thread; may free what embeds the mail */
    void *arg;
};

struct mailbox;

struct mailbox *mailbox_create(uv_loop_t *loop, struct error *err); /* on the loop's thread */

/* Any thread, until the mailbox is destroyed. */
void mailbox_post(struct mailbox *mailbox, struct mail *mail);

/* A mailbox keeps its loop alive unless told otherwise. On the loop's thread. */
void mailbox_unref_loop(struct mailbox *mailbox);

/* On the loop's thread, when no one posts any more: opens what is still there, then closes; the
 * memory goes when the loop has run its close callbacks. Takes NULL. */
void mailbox_destroy(struct mailbox *mailbox);

#endif
