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
    atomic_int fd; /* -1: nobody has asked for it, as for most calls */
};

struct cancel *cancel_create(struct error *err)
{
    struct cancel *cancel = calloc(1, sizeof *cancel);

    if (!cancel) {
        error_set(err, ERROR_MEMORY, "out of memory for a cancel token");
        return NULL;
    }
    atomic_init(&cancel->references, 1);
    atomic_init(&cancel->fired, false);
    atomic_init(&cancel->fd, -1);
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
    if (atomic_load(&cancel->fd) >= 0)
        close(atomic_load(&cancel->fd));
    free(cancel);
}

/* Called twice at most, so the write always succeeds. */
static void make_readable(int fd)
{
    const uint64_t one = 1;

    while (write(fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

void cancel_fire(struct cancel *cancel)
{
    int fd;

    if (atomic_exchange(&cancel->fired, true))
        return;
    fd = atomic_load(&cancel->fd);
    if (fd >= 0)
        make_readable(fd);
}

bool cancel_fired(const struct cancel *cancel)
{
    return cancel && atomic_load(&cancel->fired);
}

/* cancel_fire stores fired and loads fd, this stores fd and loads fired: one of them sees the
 * other. */
int cancel_fd(const struct cancel *cancel)
{
    atomic_int *kept = &((struct cancel *)cancel)->fd; /* a token is never a constant */
    int fd = atomic_load(kept), none = -1;

    if (fd >= 0)
        return fd;
    fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0)
        return -1;
    if (!atomic_compare_exchange_strong(kept, &none, fd)) { /* another thread has made one */
        close(fd);
        return none;
    }
    if (cancel_fired(cancel))
        make_readable(fd);
    return fd;
}

int cancel_check(const struct cancel *cancel, struct error *err)
{
    return cancel_fired(cancel) ? error_set(err, ERROR_CANCELLED, "cancelled by the client") : 0;
}
