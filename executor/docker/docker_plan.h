/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a Docker daemon reports about itself (GET /info), as far as a sandbox depends on it: the
 * limits it supports, its control groups, seccomp profile and runtimes. From this follow the JSON
 * that creates a container and the JSON that sets its CPU limit once it is warm. Pure.
 */
#ifndef LECTERN_EXECUTOR_DOCKER_PLAN_H
#define LECTERN_EXECUTOR_DOCKER_PLAN_H

#include <stdbool.h>
#include <sys/types.h>

#include "executor/executor.h"
#include "helpers/base/json.h"

#define DOCKER_WORD_CAP     32
#define DOCKER_RUNTIMES_CAP 256

/* Limits that the daemon supports. It refuses or silently ignores the others, so they are not
 * requested, and only the runner's own limits apply. */
struct docker_limits {
    bool memory, swap, cpu_quota, cpu_shares, pids, block_io;
};

struct docker_info {
    struct docker_limits limits;
    char cgroup_version[DOCKER_WORD_CAP]; /* "1", "2", or "" if unknown */
    char cgroup_driver[DOCKER_WORD_CAP];  /* "cgroupfs", "systemd", "none" */
    char seccomp[DOCKER_WORD_CAP];        /* its profile: "default", "unconfined"; "" without */
    bool own_seccomp; /* it takes docker_seccomp_profile: Podman takes a file of its host only */
    bool rootless, userns, apparmor;
    char runtimes[DOCKER_RUNTIMES_CAP]; /* their names, "io.containerd.runc.v2, runc" */
    char default_runtime[DOCKER_WORD_CAP];
};

/* answer: the daemon's answer, or NULL if there is none; then all limits are requested. */
void docker_info_read(struct docker_info *info, const json_t *answer);

bool docker_info_has_runtime(const struct docker_info *info, const char *name);

/* Writes "memory, CPU": the limits that the daemon does not support; "" if it supports all. */
void docker_info_missing(const struct docker_info *info, char *text, size_t size);

/* ---- the plan ---- */

#define DOCKER_LABEL_OWNER   "lectern.owner"
#define DOCKER_LABEL_KIND    "lectern.kind"
#define DOCKER_LABEL_STARTED "lectern.started" /* seconds since 1970 */

/* The lowest there is, because a run reads libraries, which are usually in memory, and writes to no
 * disk. A middle one would not be low: with io.weight a runtime turns 100 into 910, where that of
 * others is 100. */
#define DOCKER_BLOCK_IO_WEIGHT 10
#define DOCKER_TMP_BYTES       (16 << 20)
#define DOCKER_FILES_OPEN      256
#define DOCKER_OOM_SCORE       500 /* the OOM killer selects it before processes of the host */

struct docker_plan {
    const struct execution_kind *kind;
    const char *image, *owner;
    uid_t user;                  /* and group; 0: nobody */
    const char *runtime;         /* NULL: the daemon's default */
    const char *channel;         /* folder of the channel's socket (docker_channel.h); NULL: none */
    struct docker_limits limits; /* those that the daemon supports; others are not requested */
    bool own_seccomp;            /* use docker_seccomp_profile instead of the daemon's profile */
    bool cpu_at_once; /* set the CPU limit at the start, for a daemon that cannot change it later */
    long started;     /* seconds since 1970 */
};

/* Owned by the caller; NULL with an error. */
json_t *docker_plan_create(const struct docker_plan *plan, struct error *err);
json_t *docker_plan_settle(const struct docker_limits *limits, struct error *err);

/* Whether there are limits to set once the container is warm. */
bool docker_plan_settles(const struct docker_plan *plan);

#define DOCKER_FOREIGN_AGE_S                                                                       \
    600 /* age after which a stopped container counts as left over, whoever made it */

/* Whether a container in the daemon's list has no living owner. now: seconds since 1970. */
bool docker_is_leftover(const json_t *container, long now);

#endif
