/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stands in for executor/docker_plan.c in a server of the tests: containers without a limit, as
 * root, with the machine's network, to look at what the runner holds by itself. It starts with no
 * new privileges all the same: without that it refuses to.
 */
#define docker_plan_create limited_plan_create
#include "executor/docker_plan.c" /* NOLINT(bugprone-suspicious-include) */
#undef docker_plan_create

json_t *docker_plan_create(const struct execution_kind *kind, const char *image, const char *owner,
                           long started, struct error *err);

json_t *docker_plan_create(const struct execution_kind *kind, const char *image, const char *owner,
                           long started, struct error *err)
{
    json_t *plan = limited_plan_create(kind, image, owner, started, err);
    json_t *host;

    if (!plan)
        return NULL;
    host = json_pack("{s:s, s:b, s:[s, s]}", "NetworkMode", "host", "AutoRemove", 1, "SecurityOpt",
                     "seccomp=unconfined", "no-new-privileges");
    if (!host || json_object_set_new(plan, "HostConfig", host) < 0 ||
        json_object_set_new(plan, "NetworkDisabled", json_false()) < 0 ||
        json_object_set_new(plan, "User", json_string("0:0")) < 0) {
        json_decref(plan);
        error_set(err, ERROR_MEMORY, "out of memory for a container");
        return NULL;
    }
    return plan;
}
