/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Removing containers, and those that could not be removed yet: a daemon that is away is not asked,
 * and a container whose creation was never answered may come to be after it was told to remove it.
 * Both are owed, and paid with the next starts. The list is bounded; what does not fit in it, and
 * what is left at the end, the next server's sweep finds by its label.
 *
 * Any thread; blocks.
 */
#ifndef LECTERN_EXECUTOR_DOCKER_OWED_H
#define LECTERN_EXECUTOR_DOCKER_OWED_H

#include <stdint.h>

#include "executor/docker_daemon.h"

#define DOCKER_NAME_CAP       128 /* of a container, or its id */
#define DOCKER_OWED_CAP       256u
#define DOCKER_OWED_AT_ONCE   8u     /* paid by one start */
#define DOCKER_REMOVE_MS      10000u /* waiting for the daemon to remove one */
#define DOCKER_REMOVE_LAST_MS 3000u  /* the same when the server ends */
#define DOCKER_DOUBT_S        120u /* how long a container may come to be after its creation failed */
#define DOCKER_OWED_RETRY_S   10u /* between two tries of one */

struct docker_owed;

struct docker_owed *docker_owed_create(struct docker_daemon *daemon, struct error *err);
/* Pays what can be paid within a few seconds. Takes NULL. */
void docker_owed_destroy(struct docker_owed *owed);

/* 0 when it is gone, or the daemon is about it, or there is none of that name (*none is set then;
 * none may be NULL). */
int docker_remove(struct docker_daemon *daemon, const char *name, unsigned ms, bool *none,
                  struct error *err);

/* Removes it now or later. doubtful: whether it exists is not known. ending: the server is. */
void docker_owed_remove(struct docker_owed *owed, const char *name, bool doubtful, bool ending);

/* Some of what is due. Does nothing where the daemon is away. */
void docker_owed_pay(struct docker_owed *owed);

#endif
