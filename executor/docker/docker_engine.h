/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the two halves of the Docker engine share: engine_docker.c, which knows the daemon, and
 * docker_box.c, which starts, feeds and removes one container.
 */
#ifndef LECTERN_EXECUTOR_DOCKER_ENGINE_H
#define LECTERN_EXECUTOR_DOCKER_ENGINE_H

#include <pthread.h>

#include "executor/docker/docker_daemon.h"
#include "executor/docker/docker_removals.h"
#include "executor/docker/docker_plan.h"
#include "executor/engine.h"
#include "executor/owner.h"

#define DOCKER_RUNTIME_CAP 128

struct docker {
    struct docker_daemon *daemon;
    struct docker_removals *removals;
    char owner[OWNER_CAP];
    char runtime[DOCKER_RUNTIME_CAP]; /* "": the daemon's default */
    struct cancel *stop;
    pthread_mutex_t lock;     /* of all below */
    unsigned long started;    /* for names */
    bool no_update;           /* the daemon does not change the limits of what runs */
    bool no_quota, no_shares; /* it refuses limits that it said it can hold */
};

/* Looks for the daemon where it is away; *err says why it cannot be used. quiet: the log does not.
 */
int docker_meet(struct docker *docker, bool quiet, struct error *err);

/* A container of that kind, with the limits that this daemon can hold. */
void docker_plan_box(struct docker *docker, const struct execution_kind *kind,
                     struct docker_plan *plan);

/* Takes note of a daemon's refusal, if it is for want of control groups of CPU: the next container
 * is asked for without. Of memory and processes nothing is given up for a daemon's words. */
bool docker_learn_limits(struct docker *docker, const char *message);

/* Whether that answer to an update says "I cannot", rather than that this container is no more. */
bool docker_cannot_update(struct docker *docker, long status, const json_t *answer);

/* engine.h's, of one box. */
struct engine_box *docker_start(void *state, const struct execution_kind *kind, struct error *err);
int docker_settle(void *state, struct engine_box *box, struct error *err);
void docker_destroy(void *state, struct engine_box *box);
int docker_fd(const struct engine_box *box);
ssize_t docker_send(struct engine_box *box, const void *bytes, size_t len);
ssize_t docker_receive(struct engine_box *box, void *bytes, size_t size);
const char *docker_stderr_tail(struct engine_box *box);

#endif
