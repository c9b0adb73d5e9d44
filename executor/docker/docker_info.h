/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a Docker daemon says about itself (GET /info), as far as a sandbox depends on it: which
 * limits it can hold, its control groups, its seccomp profile, its runtimes. Pure.
 */
#ifndef LECTERN_EXECUTOR_DOCKER_INFO_H
#define LECTERN_EXECUTOR_DOCKER_INFO_H

#include <stdbool.h>

#include "helpers/base/json.h"

#define DOCKER_WORD_CAP     32
#define DOCKER_RUNTIMES_CAP 256

/* Limits that the daemon can hold. What it cannot, it refuses or silently ignores, so a container
 * is not asked for it, and the runner's own limits stand alone. */
struct docker_limits {
    bool memory, swap, cpu_quota, cpu_shares, pids;
};

struct docker_info {
    struct docker_limits limits;
    char cgroup_version[DOCKER_WORD_CAP]; /* "1", "2", or "" where it does not say */
    char cgroup_driver[DOCKER_WORD_CAP];  /* "cgroupfs", "systemd", "none" */
    char seccomp[DOCKER_WORD_CAP]; /* its profile: "default", "builtin"; "" where it has none */
    bool rootless, userns, apparmor;
    char runtimes[DOCKER_RUNTIMES_CAP]; /* their names, "io.containerd.runc.v2, runc" */
    char default_runtime[DOCKER_WORD_CAP];
};

/* info: the daemon's answer, or NULL where it gave none: then all limits are asked for. */
void docker_info_read(struct docker_info *info, const json_t *answer);

bool docker_info_has_runtime(const struct docker_info *info, const char *name);

/* "memory, CPU" of what cannot be held; "" where all can. */
void docker_info_missing(const struct docker_info *info, char *text, size_t size);

#endif
