/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/docker/docker_sweep.h"

#include <string.h>
#include <time.h>

#include "executor/docker/docker_removals.h"
#include "executor/docker/docker_plan.h"
#include "executor/owner.h"
#include "helpers/base/log.h"

#define LEFTOVERS_PATH                                                                             \
    "/containers/json?all=1&filters=%7B%22label%22%3A%5B%22lectern.owner%22%5D%7D"

bool docker_is_leftover(const json_t *container, long now)
{
    const char *label = json_get_string(json_object_get(container, "Labels"), DOCKER_LABEL_OWNER);
    const char *state = json_get_string(container, "State");
    long created = (long)json_integer_value(json_object_get(container, "Created"));

    if (!label || !state)
        return false;
    if (owner_is_dead(label))
        return true;
    return strcmp(state, "running") != 0 && strcmp(state, "paused") != 0 &&
           now - created > DOCKER_FOREIGN_AGE_S;
}

/* Owned; NULL where the daemon does not say. */
static json_t *list_containers(struct docker_daemon *daemon)
{
    const struct docker_request request = {
        .method = "GET", .path = LEFTOVERS_PATH, .ms = DOCKER_LOOK_MS};
    struct error err = {0};
    json_t *list;
    long status = docker_daemon_call(daemon, &request, &list, &err);

    if (status == 200)
        return list;
    if (status >= 0)
        docker_refused(status, list, "list containers", &err);
    log_warning("executor", "leftover containers were not looked for: %s", err.text);
    json_decref(list);
    return NULL;
}

void docker_sweep(struct docker_daemon *daemon)
{
    json_t *list = list_containers(daemon), *container;
    time_t began = time(NULL);
    struct error err = {0};
    size_t index, removed = 0, kept = 0;

    json_array_foreach(list, index, container)
    {
        const char *id = json_get_string(container, "Id");

        if (!id || strlen(id) >= DOCKER_NAME_CAP || !docker_is_leftover(container, (long)began))
            continue;
        if (removed >= DOCKER_SWEEP_CAP || time(NULL) - began > DOCKER_SWEEP_S ||
            !docker_daemon_is_here(daemon) ||
            docker_remove(daemon, id, DOCKER_SWEEP_S * 1000, NULL, &err) < 0)
            kept++;
        else
            removed++;
    }
    json_decref(list);
    if (removed > 0)
        log_info("executor", "removed %zu containers that a server left behind", removed);
    if (kept > 0)
        log_warning("executor", "%zu leftover containers stay for now: %s", kept,
                    err.text[0] ? err.text : "there are too many");
}
