/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Containers that a dead server left: known by the owner's label, removed when a daemon is met.
 */
#ifndef LECTERN_EXECUTOR_DOCKER_SWEEP_H
#define LECTERN_EXECUTOR_DOCKER_SWEEP_H

#include "executor/docker/docker_daemon.h"

#define DOCKER_FOREIGN_AGE_S 600  /* after which what does not run is nobody's, whoever made it */
#define DOCKER_SWEEP_CAP     200u /* removed at once; the rest when it is met again */
#define DOCKER_SWEEP_S       5u   /* seconds for one, and for all: then the rest waits likewise */

/* Whether the container of a daemon's list is nobody's any more. now: seconds since 1970. */
bool docker_is_leftover(const json_t *container, long now);

/* Blocks. Trouble here is logged, and no reason not to start. */
void docker_sweep(struct docker_daemon *daemon);

#endif
