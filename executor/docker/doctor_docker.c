/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/doctor_rows.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "executor/docker/docker_api.h"
#include "executor/docker/docker_info.h"

/* When an image was made, in seconds since 1970; 0 where that cannot be read. */
static time_t image_time(const char *created)
{
    struct tm time = {0};

    return strptime(created, "%Y-%m-%dT%H:%M:%S", &time) ? timegm(&time) : 0;
}

/* The first file beside the runner that is newer than that; false where none is. */
static bool find_newer(const char *share_dir, time_t than, char *name, size_t size)
{
    DIR *folder = share_dir ? opendir(share_dir) : NULL;
    struct dirent *entry;
    struct stat status;
    char path[4096];
    bool found = false;

    while (folder && !found &&
           (entry = readdir(folder))) { // NOLINT(concurrency-mt-unsafe): this thread's own folder
        snprintf(path, sizeof path, "%s/%s", share_dir, entry->d_name);
        found = entry->d_name[0] != '.' && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
                status.st_mtime > than;
        if (found)
            snprintf(name, size, "%s", entry->d_name);
    }
    if (folder)
        closedir(folder);
    return found;
}

static bool check_image(struct doctor_rows *rows, const struct executor_config *config,
                        struct docker_api *api)
{
    const char *name = config->docker_image ? config->docker_image : "";
    struct docker_image image;
    struct error err = {0};
    char newer[256];
    time_t made;

    if (!name[0] || docker_find_image(api, name, &image, &err) < 0) {
        doctor_add(rows, "sandbox image", false, "make image", "%s",
                   name[0] ? err.text : "none is named: --image");
        return false;
    }
    made = image_time(image.created);
    if (made > 0 && find_newer(config->share_dir, made, newer, sizeof newer))
        doctor_add(rows, "sandbox image", true, "",
                   "%s of %.19s is there, but older than %s/%.64s: make image (where nothing has "
                   "changed it keeps the image)",
                   name, image.created, config->share_dir, newer);
    else
        doctor_add(rows, "sandbox image", true, "", "%s of %.19s is there", name, image.created);
    return true;
}

static bool check_runtime(struct doctor_rows *rows, const char *asked,
                          const struct docker_info *info)
{
    /* A shim of containerd's need not be registered: its name is its binary's, with dots in it. */
    bool ok = !asked || !asked[0] || !info->runtimes[0] || strchr(asked, '.') ||
              docker_info_has_runtime(info, asked);

    if (ok)
        doctor_add(rows, "docker runtime", true, "", "%s; the daemon has %s",
                   asked && asked[0]          ? asked
                   : info->default_runtime[0] ? info->default_runtime
                                              : "the default",
                   info->runtimes[0] ? info->runtimes : "one that it does not name");
    else
        doctor_add(rows, "docker runtime", false,
                   "install it and name it under \"runtimes\" in /etc/docker/daemon.json, or leave "
                   "out --runtime",
                   "the daemon has no runtime %s, only %s", asked, info->runtimes);
    return ok;
}

static void check_limits(struct doctor_rows *rows, const struct docker_info *info)
{
    char missing[64], groups[128];

    docker_info_missing(info, missing, sizeof missing);
    snprintf(groups, sizeof groups, "control groups version %s by %s%s",
             info->cgroup_version[0] ? info->cgroup_version : "unknown",
             info->cgroup_driver[0] ? info->cgroup_driver : "an unknown driver",
             info->rootless ? ", rootless" : "");
    if (missing[0])
        doctor_add(rows, "docker limits", false,
                   info->rootless ? "control groups version 2, delegated to the user: "
                                    "https://rootlesscontaine.rs/getting-started/common/cgroup2/"
                                  : "a kernel with these control groups, mounted",
                   "%s: the daemon holds no limit of %s; the runner's own limits and deadlines "
                   "stand in",
                   groups, missing);
    else
        doctor_add(rows, "docker limits", true, "",
                   "%s: memory, CPU and number of processes are held", groups);
}

static void check_seccomp(struct doctor_rows *rows, const struct docker_info *info)
{
    const char *users = info->userns ? "; containers have a user namespace" : "";

    if (info->seccomp[0])
        doctor_add(rows, "docker seccomp", true, "",
                   "profile %s around the runner's own filter%s%s", info->seccomp,
                   info->apparmor ? ", and AppArmor" : "", users);
    else
        doctor_add(rows, "docker seccomp", false,
                   "a daemon with its default seccomp profile (no --seccomp-profile unconfined)",
                   "the daemon sets no seccomp profile; the runner's own filter holds alone%s",
                   users);
}

static void check_info(struct doctor_rows *rows, const struct executor_config *config,
                       struct docker_api *api, bool *well)
{
    const struct docker_request request = {.method = "GET", .path = "/info", .ms = DOCKER_LOOK_MS};
    struct docker_info info;
    struct error err = {0};
    json_t *answer;
    long status = docker_call(api, &request, &answer, &err);

    if (status != 200) {
        if (status >= 0)
            docker_refused(status, answer, "/info", &err);
        doctor_add(rows, "docker limits", false, "", "the daemon does not say: %s", err.text);
    } else {
        docker_info_read(&info, answer);
        *well = check_runtime(rows, config->docker_runtime, &info) && *well;
        check_limits(rows, &info);
        check_seccomp(rows, &info);
    }
    json_decref(answer);
}

bool doctor_docker(struct doctor_rows *rows, const struct executor_config *config)
{
    struct error err = {0};
    struct docker_api *api = docker_api_create(config->docker_host, &err);
    char server[160];
    bool well = false;

    if (!api || docker_api_hello(api, &err) < 0) {
        doctor_add(rows, "docker daemon", false,
                   "apt-get install docker.io, or point DOCKER_HOST to a daemon", "%s", err.text);
        doctor_add(rows, "sandbox image", false, "make image", "%s: no daemon to ask",
                   config->docker_image ? config->docker_image : "none is named");
    } else {
        docker_api_server(api, server, sizeof server);
        doctor_add(rows, "docker daemon", true, "", "%s at %s", server,
                   docker_api_host(api)->address);
        well = check_image(rows, config, api);
        check_info(rows, config, api, &well);
    }
    docker_api_destroy(api);
    return well;
}
