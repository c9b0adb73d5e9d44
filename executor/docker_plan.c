/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/docker_plan.h"

#include <stdio.h>

#include "executor/runner_command.h"

static json_t *word_array(const char *const *words)
{
    json_t *array = json_array();

    for (; array && *words; words++) {
        if (json_array_append_new(array, json_string(*words)) < 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *host_config(const struct execution_kind *kind)
{
    json_int_t memory = (json_int_t)kind->memory_mb << 20;
    char tmp[96];

    snprintf(tmp, sizeof tmp, "rw,noexec,nosuid,nodev,size=%d", DOCKER_TMP_BYTES);
    return json_pack("{s:s, s:s, s:b, s:[s], s:[s], s:i, s:I, s:I, s:{s:s},"
                     " s:[{s:s, s:i, s:i}, {s:s, s:i, s:i}, {s:s, s:i, s:i}],"
                     " s:b, s:b, s:i, s:i, s:{s:s}, s:{s:s}}",
                     "NetworkMode", "none", "IpcMode", "none", "ReadonlyRootfs", 1, "CapDrop",
                     "ALL", "SecurityOpt", "no-new-privileges", "PidsLimit", DOCKER_PIDS, "Memory",
                     memory, "MemorySwap", memory, "Tmpfs", "/tmp", tmp, "Ulimits", "Name",
                     "nofile", "Soft", DOCKER_FILES_OPEN, "Hard", DOCKER_FILES_OPEN, "Name", "core",
                     "Soft", 0, "Hard", 0, "Name", "fsize", "Soft", DOCKER_TMP_BYTES, "Hard",
                     DOCKER_TMP_BYTES, "AutoRemove", 1, "Init", 0, "CpuShares",
                     DOCKER_SHARES_WARMING, "OomScoreAdj", DOCKER_OOM_SCORE, "LogConfig", "Type",
                     "none", "RestartPolicy", "Name", "no");
}

json_t *docker_plan_create(const struct execution_kind *kind, const char *image, const char *owner,
                           long started, struct error *err)
{
    struct runner_command command;
    char user[32], since[32];
    json_t *plan;

    if (runner_command_build(&command, kind, err) < 0)
        return NULL;
    snprintf(user, sizeof user, "%u:%u", RUNNER_USER, RUNNER_USER);
    snprintf(since, sizeof since, "%ld", started);
    plan = json_pack("{s:s, s:s, s:s, s:s, s:o*, s:o*, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:{s:s, "
                     "s:s, s:s}, s:o*}",
                     "Image", image, "User", user, "Hostname", "sandbox", "WorkingDir", "/tmp",
                     /* The image knows where its runner is: its entry point. */
                     "Cmd", word_array(command.argv + 1), "Env", word_array(runner_environment),
                     "OpenStdin", 1, "StdinOnce", 1, "AttachStdin", 1, "AttachStdout", 1,
                     "AttachStderr", 1, "Tty", 0, "NetworkDisabled", 1, "Labels",
                     DOCKER_LABEL_OWNER, owner, DOCKER_LABEL_KIND, kind->name, DOCKER_LABEL_STARTED,
                     since, "HostConfig", host_config(kind));
    if (plan && json_object_get(plan, "HostConfig") && json_object_get(plan, "Cmd") &&
        json_object_get(plan, "Env"))
        return plan;
    json_decref(plan);
    error_set(err, ERROR_MEMORY, "out of memory for a container");
    return NULL;
}

json_t *docker_plan_settle(struct error *err)
{
    json_t *plan =
        json_pack("{s:i, s:i}", "NanoCpus", DOCKER_NANO_CPUS, "CpuShares", DOCKER_SHARES_RUNNING);

    if (!plan)
        error_set(err, ERROR_MEMORY, "out of memory for a container's limits");
    return plan;
}
