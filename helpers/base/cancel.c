/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/cancel.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct cancel {
    atomic_int references;
    atomic_bool fired;
    int fd;
};

struct cancel *cancel_create(struct error *err)
{
    struct cancel *cancel = calloc(1, sizeof *cancel);

    if (!cancel) {
        error_set(err, ERROR_MEMORY, "out of memory for a cancel token");
        return NULL;
    }
    cancel->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (cancel->fd < 0) {
        error_errno(err, errno, "eventfd for a cancel token");
        free(cancel);
        return NULL;
    }
    atomic_init(&cancel->references, 1);
    atomic_init(&cancel->fired, false);
    return cancel;
}

struct cancel *cancel_ref(struct cancel *cancel)
{
    atomic_fetch_add(&cancel->references, 1);
    return cancel;
}

void cancel_unref(struct cancel *cancel)
{
    if (!cancel || atomic_fetch_sub(&cancel->references, 1) > 1)
        return;
    close(cancel->fd);
    free(cancel);
}

void cancel_fire(struct cancel *cancel)
{
    const uint64_t one = 1;

    if (atomic_exchange(&cancel->fired, true))
        return;
    /* The first write to an eventfd always succeeds. Code that only checks the flag does not need
     * it. */
    while (write(cancel->fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

bool cancel_fired(const struct cancel *cancel)
{
    return cancel && atomic_load(&cancel->fired);
}

int cancel_fd(const struct cancel *cancel)
{
    return cancel->fd;
}

int cancel_check(const struct cancel *cancel, struct error *err)
{
    return cancel_fired(cancel) ? error_set(err, ERROR_CANCELLED, "cancelled by the client") : 0;
}
