/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Removing containers, and those that could not be removed yet: a daemon that is away is not asked,
 * and a container whose creation was never answered may come to be after it was told to remove it.
 * Both stay pending, and are tried again with the next starts. The list is bounded; what does not
 * fit in it, and what is left at the end, the next server's sweep finds by its label.
 *
 * Any thread; blocks.
 */
#ifndef LECTERN_EXECUTOR_DOCKER_REMOVALS_H
#define LECTERN_EXECUTOR_DOCKER_REMOVALS_H

#include <stdint.h>

#include "executor/docker/docker_daemon.h"

#define DOCKER_NAME_CAP         128 /* of a container, or its id */
#define DOCKER_REMOVALS_CAP     256u
#define DOCKER_REMOVALS_AT_ONCE 8u     /* with one start */
#define DOCKER_REMOVE_MS        10000u /* waiting for the daemon to remove one */
#define DOCKER_REMOVE_LAST_MS   3000u  /* the same when the server ends */
#define DOCKER_DOUBT_S          120u /* how long a container may come to be after its creation failed */
#define DOCKER_REMOVALS_RETRY_S 10u /* between two tries of one */

struct docker_removals;

struct docker_removals *docker_removals_create(struct docker_daemon *daemon, struct error *err);
/* Removes what can be removed within a few seconds. Takes NULL. */
void docker_removals_destroy(struct docker_removals *removals);

/* Removes it now or later. doubtful: whether it exists is not known. ending: the server is. */
void docker_removals_remove(struct docker_removals *removals, const char *name, bool doubtful,
                            bool ending);

/* Some of what is due. Does nothing where the daemon is away. */
void docker_removals_retry(struct docker_removals *removals);

/* What a dead server left: known by the owner's label, removed when a daemon is met. */
#define DOCKER_FOREIGN_AGE_S 600  /* after which what does not run is nobody's, whoever made it */
#define DOCKER_SWEEP_CAP     200u /* removed at once; the rest when it is met again */
#define DOCKER_SWEEP_S       5u   /* seconds for one, and for all: then the rest waits likewise */

/* Whether the container of a daemon's list is nobody's any more. now: seconds since 1970. */
bool docker_is_leftover(const json_t *container, long now);

/* Blocks. Trouble here is logged, and no reason not to start. */
void docker_sweep(struct docker_daemon *daemon);

#endif
