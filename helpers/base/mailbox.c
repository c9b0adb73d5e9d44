/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/mailbox.h"

#include <pthread.h>
#include <stdlib.h>

struct mailbox {
    uv_async_t async;
    pthread_mutex_t lock;
    STAILQ_HEAD(, mail) mails;
};

static void open_all(struct mailbox *mailbox)
{
    STAILQ_HEAD(, mail) taken = STAILQ_HEAD_INITIALIZER(taken);
    struct mail *mail;

    pthread_mutex_lock(&mailbox->lock);
    STAILQ_CONCAT(&taken, &mailbox->mails);
    pthread_mutex_unlock(&mailbox->lock);
    while ((mail = STAILQ_FIRST(&taken))) {
        STAILQ_REMOVE_HEAD(&taken, link);
        mail->open(mail->arg);
    }
}

static void on_async(uv_async_t *async)
{
    open_all(async->data);
}

struct mailbox *mailbox_create(uv_loop_t *loop, struct error *err)
{
    struct mailbox *mailbox = calloc(1, sizeof *mailbox);
    int rc;

    if (!mailbox) {
        error_set(err, ERROR_MEMORY, "out of memory for a mailbox");
        return NULL;
    }
    STAILQ_INIT(&mailbox->mails);
    rc = uv_async_init(loop, &mailbox->async, on_async);
    if (rc < 0) {
        error_errno(err, -rc, "uv_async_init");
        free(mailbox);
        return NULL;
    }
    pthread_mutex_init(&mailbox->lock, NULL);
    mailbox->async.data = mailbox;
    return mailbox;
}

void mailbox_post(struct mailbox *mailbox, struct mail *mail)
{
    /* Sent under the lock: the receiver, once it has seen this mail, may destroy the mailbox, and
     * must find us gone. */
    pthread_mutex_lock(&mailbox->lock);
    STAILQ_INSERT_TAIL(&mailbox->mails, mail, link);
    uv_async_send(&mailbox->async);
    pthread_mutex_unlock(&mailbox->lock);
}

void mailbox_unref_loop(struct mailbox *mailbox)
{
    uv_unref((uv_handle_t *)&mailbox->async);
}

static void on_closed(uv_handle_t *handle)
{
    struct mailbox *mailbox = handle->data;

    pthread_mutex_destroy(&mailbox->lock);
    free(mailbox);
}

void mailbox_destroy(struct mailbox *mailbox)
{
    if (!mailbox)
        return;
    open_all(mailbox);
    uv_close((uv_handle_t *)&mailbox->async, on_closed);
}
