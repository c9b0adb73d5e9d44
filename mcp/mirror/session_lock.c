/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One writer of a session in the mirror at a time. A write transaction is set aside while the
 * service is waited for, so SQLite's lock keeps nobody out then; this one does, for its session
 * alone. It is a lock on one byte of a file beside the mirror, at the hash of the session's id, of
 * the kind that belongs to an open file: other connections of this process wait for it like other
 * processes, and it ends with its process.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "helpers/base/hash.h"
#include "mcp/mirror/service.h"

#define SECOND_PAUSE_MS 20
#define SECOND_MOST_MS  5000 /* for the lock of a second session: two may wait for each other */

static int set_lock(struct service *service, const char *sid, short type, int command)
{
    struct flock lock = {
        .l_type = type,
        .l_whence = SEEK_SET,
        .l_start = (off_t)(hash_bytes(HASH_START, sid, strlen(sid)) >> 2),
        .l_len = 1,
    };
    int rc;

    do
        rc = fcntl(service->base.shared, command, &lock);
    while (rc != 0 && errno == EINTR);
    return rc;
}

int session_lock(struct service *service, const char *sid, bool wait, struct error *err)
{
    if (set_lock(service, sid, F_WRLCK, wait ? F_OFD_SETLKW : F_OFD_SETLK) == 0)
        return 0;
    if (!wait && (errno == EAGAIN || errno == EACCES))
        return 1;
    return error_errno(err, errno, "cannot lock %s-locks", service->mirror_path);
}

void session_unlock(struct service *service, const char *sid)
{
    set_lock(service, sid, F_UNLCK, F_OFD_SETLK);
}

/* ---- of a write transaction ---- */

bool service_owns(const struct service *service, const char *sid)
{
    return json_object_get(service->owned, sid) != NULL;
}

static int lock_second(struct service *service, const char *sid, struct error *err)
{
    const struct timespec pause = {0, SECOND_PAUSE_MS * 1000000L};
    int rc = session_lock(service, sid, false, err);

    for (int ms = 0; rc > 0 && ms < SECOND_MOST_MS; ms += SECOND_PAUSE_MS) {
        nanosleep(&pause, NULL);
        rc = session_lock(service, sid, false, err);
    }
    return rc <= 0
               ? rc
               : error_set(err, ERROR_BUSY, "the session is written to, call again in a moment");
}

int service_own(struct mirror *mirror, struct store *store, const char *sid, struct error *err)
{
    struct service *service = service_of(mirror);
    int rc, suspended;

    if (service_owns(service, sid))
        return 0;
    suspended = store_suspend(store, err);
    if (suspended < 0)
        return -1;
    rc = json_object_size(service->owned) == 0 ? session_lock(service, sid, true, err)
                                               : lock_second(service, sid, err);
    if (rc == 0)
        json_object_set_new(service->owned, sid, json_true());
    return store_resume(store, suspended, rc, err);
}

void service_ended(struct mirror *mirror, struct store *store)
{
    struct service *service = service_of(mirror);
    const char *sid;
    json_t *value;

    if (store_is_suspended(store)) /* that was another, in between */
        return;
    json_object_foreach(service->owned, sid, value) session_unlock(service, sid);
    json_object_clear(service->owned);
}
