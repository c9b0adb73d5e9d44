/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of one container as data: the JSON that creates it, and the JSON that sets its CPU limit
 * once it is warm. Pure.
 */
#ifndef LECTERN_EXECUTOR_DOCKER_PLAN_H
#define LECTERN_EXECUTOR_DOCKER_PLAN_H

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

/* Owned; NULL with an error. */
json_t *docker_plan_create(const struct execution_kind *kind, const char *image, const char *owner,
                           long started, struct error *err);
json_t *docker_plan_settle(struct error *err);

#endif
