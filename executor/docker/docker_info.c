/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/docker/docker_info.h"

#include <stdio.h>
#include <string.h>

static void copy(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", text ? text : "");
}

/* True but where the daemon says no: an older one, or Podman, may not have the field. */
static bool unless_false(const json_t *answer, const char *key)
{
    return !json_is_false(json_object_get(answer, key));
}

/* "name=seccomp,profile=default", "name=rootless"; older ones just "seccomp". */
static void read_security(struct docker_info *info, const char *option)
{
    const char *profile = strstr(option, "profile=");

    if (strstr(option, "seccomp")) {
        copy(info->seccomp, sizeof info->seccomp,
             profile ? profile + strlen("profile=") : "default");
        info->seccomp[strcspn(info->seccomp, ",")] = '\0';
        if (strcmp(info->seccomp, "unconfined") == 0)
            info->seccomp[0] = '\0';
    }
    info->rootless = info->rootless || strstr(option, "rootless");
    info->userns = info->userns || strstr(option, "userns");
    info->apparmor = info->apparmor || strstr(option, "apparmor");
}

static void read_runtimes(struct docker_info *info, json_t *runtimes)
{
    const char *name;
    json_t *value;

    json_object_foreach(runtimes, name, value)
    {
        size_t used = strlen(info->runtimes);

        snprintf(info->runtimes + used, sizeof info->runtimes - used, "%s%s", used ? ", " : "",
                 name);
    }
}

void docker_info_read(struct docker_info *info, const json_t *answer)
{
    const char *text;
    json_t *option;
    size_t index;

    memset(info, 0, sizeof *info);
    info->limits = (struct docker_limits){
        .memory = unless_false(answer, "MemoryLimit"),
        .swap = unless_false(answer, "SwapLimit"),
        .cpu_quota = unless_false(answer, "CpuCfsQuota") && unless_false(answer, "CpuCfsPeriod"),
        .cpu_shares = unless_false(answer, "CPUShares"),
        .pids = unless_false(answer, "PidsLimit"),
    };
    copy(info->cgroup_version, sizeof info->cgroup_version,
         json_get_string(answer, "CgroupVersion"));
    copy(info->cgroup_driver, sizeof info->cgroup_driver, json_get_string(answer, "CgroupDriver"));
    copy(info->default_runtime, sizeof info->default_runtime,
         json_get_string(answer, "DefaultRuntime"));
    read_runtimes(info, json_object_get(answer, "Runtimes"));
    json_array_foreach(json_object_get(answer, "SecurityOptions"), index, option)
    {
        text = json_string_value(option);
        if (text)
            read_security(info, text);
    }
    /* Without a driver there are no control groups to hold anything. */
    if (strcmp(info->cgroup_driver, "none") == 0)
        info->limits = (struct docker_limits){.memory = false};
}

bool docker_info_has_runtime(const struct docker_info *info, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = info->runtimes; *at; at += strcspn(at, ",")) {
        at += strspn(at, ", ");
        if (strncmp(at, name, len) == 0 && (at[len] == ',' || at[len] == '\0'))
            return true;
    }
    return false;
}

void docker_info_missing(const struct docker_info *info, char *text, size_t size)
{
    const struct {
        bool held;
        const char *name;
    } limits[] = {
        {info->limits.memory, "memory"},
        {info->limits.swap, "swap"},
        {info->limits.cpu_quota, "CPU"},
        {info->limits.pids, "number of processes"},
    };

    text[0] = '\0';
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        size_t used = strlen(text);

        if (!limits[i].held)
            snprintf(text + used, size - used, "%s%s", used ? ", " : "", limits[i].name);
    }
}
