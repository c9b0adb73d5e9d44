/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of one container as data: the JSON that creates it, and the JSON that sets its CPU limit
 * once it is warm. Pure.
 */
#ifndef LECTERN_EXECUTOR_DOCKER_PLAN_H
#define LECTERN_EXECUTOR_DOCKER_PLAN_H

#include "executor/docker/docker_info.h"
#include "executor/executor.h"
#include "helpers/base/json.h"

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

#endif
