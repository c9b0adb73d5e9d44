/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a Docker daemon says about itself (GET /info), as far as a sandbox depends on it: which
 * limits it can hold, its control groups, its seccomp profile, its runtimes. And with that the plan
 * of one container as data: the JSON that creates it, and the JSON that sets its CPU limit once it
 * is warm. Pure.
 */
#ifndef LECTERN_EXECUTOR_DOCKER_PLAN_H
#define LECTERN_EXECUTOR_DOCKER_PLAN_H

#include <stdbool.h>

#include "executor/executor.h"
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

/* ---- the plan ---- */

#define DOCKER_LABEL_OWNER   "lectern.owner"
#define DOCKER_LABEL_KIND    "lectern.kind"
#define DOCKER_LABEL_STARTED "lectern.started" /* seconds since 1970 */

#define DOCKER_NANO_CPUS      500000000 /* half a CPU */
#define DOCKER_SHARES_WARMING 128       /* of CPU weight, against others' 1024 */
#define DOCKER_SHARES_RUNNING 1024
#define DOCKER_PIDS           32
#define DOCKER_TMP_BYTES      (16 << 20)
#define DOCKER_FILES_OPEN     256
#define DOCKER_OOM_SCORE      500 /* before the host's own work */

struct docker_plan {
    const struct execution_kind *kind;
    const char *image, *owner;
    const char *runtime;         /* NULL: the daemon's default */
    struct docker_limits limits; /* those that the daemon can hold; others are not asked for */
    bool cpu_at_once; /* the CPU limit from the start, for a daemon that cannot set it later */
    long started;     /* seconds since 1970 */
};

/* Owned; NULL with an error. */
json_t *docker_plan_create(const struct docker_plan *plan, struct error *err);
json_t *docker_plan_settle(const struct docker_limits *limits, struct error *err);

/* Whether there is anything to set once it is warm. */
bool docker_plan_settles(const struct docker_plan *plan);

#define DOCKER_FOREIGN_AGE_S 600 /* after which what does not run is nobody's, whoever made it */

/* Whether the container of a daemon's list is nobody's any more. now: seconds since 1970. */
bool docker_is_leftover(const json_t *container, long now);

#endif
