/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/docker/docker_plan.h"

#include <stdio.h>
#include <string.h>

#include "executor/docker/docker_channel.h"
#include "executor/docker/docker_seccomp.h"
#include "executor/owner.h"
#include "executor/runner.h"

/* ---- properties of the daemon ---- */

static void copy(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", text ? text : "");
}

/* True unless the daemon says no: older ones, and Podman, may not have the field. */
static bool unless_false(const json_t *answer, const char *key)
{
    return !json_is_false(json_object_get(answer, key));
}

/* "name=seccomp,profile=default", "name=rootless"; older daemons just "seccomp". */
static void read_security(struct docker_info *info, const char *option)
{
    const char *profile = strstr(option, "profile=");

    if (strstr(option, "seccomp")) {
        copy(info->seccomp, sizeof info->seccomp,
             profile ? profile + strlen("profile=") : "default");
        info->seccomp[strcspn(info->seccomp, ",")] = '\0';
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

/* Docker says so only in words for people. */
static bool has_block_io(const json_t *warnings)
{
    const char *text;
    json_t *warning;
    size_t index;

    json_array_foreach(warnings, index, warning)
    {
        text = json_string_value(warning);
        if (text &&
            (strstr(text, "No blkio weight support") || strstr(text, "No io.weight support")))
            return false;
    }
    return true;
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
        .block_io = has_block_io(json_object_get(answer, "Warnings")),
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
    /* A daemon that says nothing is asked, and one that cannot refuses (learn_seccomp). */
    info->own_seccomp = !answer || (info->seccomp[0] && !json_object_get(answer, "BuildahVersion"));
    /* Without a driver there are no control groups that could apply limits. */
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

/* ---- the plan ---- */

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

/* The same for every container, whatever the daemon supports. */
static json_t *fixed_config(void)
{
    char tmp[96];

    snprintf(tmp, sizeof tmp, "rw,noexec,nosuid,nodev,size=%d", DOCKER_TMP_BYTES);
    return json_pack("{s:s, s:s, s:b, s:[s], s:[s], s:{s:s},"
                     " s:[{s:s, s:i, s:i}, {s:s, s:i, s:i}, {s:s, s:i, s:i}],"
                     " s:b, s:b, s:i, s:{s:s}, s:{s:s}}",
                     "NetworkMode", "none", "IpcMode", "none", "ReadonlyRootfs", 1, "CapDrop",
                     "ALL", "SecurityOpt", "no-new-privileges", "Tmpfs", "/tmp", tmp, "Ulimits",
                     "Name", "nofile", "Soft", DOCKER_FILES_OPEN, "Hard", DOCKER_FILES_OPEN, "Name",
                     "core", "Soft", 0, "Hard", 0, "Name", "fsize", "Soft", DOCKER_TMP_BYTES,
                     "Hard", DOCKER_TMP_BYTES, "AutoRemove", 1, "Init", 0, "OomScoreAdj",
                     DOCKER_OOM_SCORE, "LogConfig", "Type", "none", "RestartPolicy", "Name", "no");
}

/* Adds the limits of control groups, the channel and the runtime; returns -1 if one could not be
 * added. */
static int add_limits(json_t *config, const struct docker_plan *plan)
{
    json_int_t memory = (json_int_t)plan->kind->memory_mb << 20;
    const struct {
        const char *name;
        bool held;
        json_int_t value;
    } limits[] = {
        {"Memory", plan->limits.memory, memory},
        {"MemorySwap", plan->limits.memory && plan->limits.swap, memory},
        {"PidsLimit", plan->limits.pids, SANDBOX_PIDS},
        {"BlkioWeight", plan->limits.block_io, DOCKER_BLOCK_IO_WEIGHT},
        {"CpuShares", plan->limits.cpu_shares,
         plan->cpu_at_once ? SANDBOX_SHARES_RUNNING : SANDBOX_SHARES_WARMING},
        {"NanoCpus", plan->limits.cpu_quota && plan->cpu_at_once, SANDBOX_NANO_CPUS},
    };

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (limits[i].held &&
            json_object_set_new(config, limits[i].name, json_integer(limits[i].value)) < 0)
            return -1;
    }
    if (plan->channel &&
        json_object_set_new(config, "Mounts",
                            json_pack("[{s:s, s:s, s:s, s:b}]", "Type", "bind", "Source",
                                      plan->channel, "Target", CHANNEL_TARGET, "ReadOnly", 1)) < 0)
        return -1;
    return plan->runtime && plan->runtime[0]
               ? json_object_set_new(config, "Runtime", json_string(plan->runtime))
               : 0;
}

static int add_profile(json_t *config)
{
    json_auto_t *profile = docker_seccomp_profile();
    BUF_AUTO struct buf text;

    buf_init(&text, 0);
    buf_adds(&text, "seccomp=");
    if (profile)
        json_write(&text, profile);
    return profile && !text.failed ? json_array_append_new(json_object_get(config, "SecurityOpt"),
                                                           json_string(text.data))
                                   : -1;
}

/* Owned; NULL if out of memory. */
static json_t *host_config(const struct docker_plan *plan)
{
    json_t *config = fixed_config();

    if (config &&
        (add_limits(config, plan) < 0 || (plan->own_seccomp && add_profile(config) < 0))) {
        json_decref(config);
        return NULL;
    }
    return config;
}

json_t *docker_plan_create(const struct docker_plan *plan, struct error *err)
{
    struct runner_command command;
    unsigned id = plan->user != 0 ? plan->user : RUNNER_USER;
    char user[32], since[32];
    json_t *json;

    if (runner_command_build(&command, plan->kind,
                             plan->channel ? CHANNEL_TARGET "/" CHANNEL_SOCKET : NULL, "", err) < 0)
        return NULL;
    snprintf(user, sizeof user, "%u:%u", id, id);
    snprintf(since, sizeof since, "%ld", plan->started);
    json = json_pack(
        "{s:s, s:s, s:s, s:s, s:o*, s:o*, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:{s:s, "
        "s:s, s:s}, s:o*}",
        "Image", plan->image, "User", user, "Hostname", "sandbox", "WorkingDir", "/tmp",
        /* The image's entry point is the runner. */
        "Cmd", word_array(command.argv + 1), "Env", word_array(runner_environment), "OpenStdin", 1,
        "StdinOnce", 1, "AttachStdin", 1, "AttachStdout", 1, "AttachStderr", 1, "Tty", 0,
        "NetworkDisabled", 1, "Labels", DOCKER_LABEL_OWNER, plan->owner, DOCKER_LABEL_KIND,
        plan->kind->name, DOCKER_LABEL_STARTED, since, "HostConfig", host_config(plan));
    if (json && json_object_get(json, "HostConfig") && json_object_get(json, "Cmd") &&
        json_object_get(json, "Env"))
        return json;
    json_decref(json);
    error_set(err, ERROR_MEMORY, "out of memory for a container");
    return NULL;
}

bool docker_plan_settles(const struct docker_plan *plan)
{
    return !plan->cpu_at_once && (plan->limits.cpu_quota || plan->limits.cpu_shares);
}

json_t *docker_plan_settle(const struct docker_limits *limits, struct error *err)
{
    json_t *json = json_object();
    int rc = json ? 0 : -1;

    if (rc == 0 && limits->cpu_quota)
        rc = json_object_set_new(json, "NanoCpus", json_integer(SANDBOX_NANO_CPUS));
    if (rc == 0 && limits->cpu_shares)
        rc = json_object_set_new(json, "CpuShares", json_integer(SANDBOX_SHARES_RUNNING));
    if (rc == 0)
        return json;
    json_decref(json);
    error_set(err, ERROR_MEMORY, "out of memory for a container's limits");
    return NULL;
}

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
