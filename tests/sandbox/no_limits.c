/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stands in for executor/docker/docker_plan.c in a server of the tests: containers without a limit,
 * as root, with the machine's network, to look at what the runner holds by itself. It starts with
 * no new privileges all the same: without that it refuses to.
 */
#define docker_plan_create limited_plan_create
#include "executor/docker/docker_plan.c" /* NOLINT(bugprone-suspicious-include) */
#undef docker_plan_create

json_t *docker_plan_create(const struct docker_plan *plan, struct error *err);

json_t *docker_plan_create(const struct docker_plan *plan, struct error *err)
{
    json_t *limited = limited_plan_create(plan, err);
    json_t *host;

    if (!limited)
        return NULL;
    host = json_pack("{s:s, s:b, s:[s, s]}", "NetworkMode", "host", "AutoRemove", 1, "SecurityOpt",
                     "seccomp=unconfined", "no-new-privileges");
    if (!host || json_object_set_new(limited, "HostConfig", host) < 0 ||
        json_object_set_new(limited, "NetworkDisabled", json_false()) < 0 ||
        json_object_set_new(limited, "User", json_string("0:0")) < 0) {
        json_decref(limited);
        error_set(err, ERROR_MEMORY, "out of memory for a container");
        return NULL;
    }
    return limited;
}
