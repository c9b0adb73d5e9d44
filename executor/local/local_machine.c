/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/local/local_machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/local/local_process.h"
#include "helpers/base/cleanup.h"
#include "helpers/base/hash.h"

#define PATH_CAP 4096

/* ---- the kernel ---- */

/* The number in the file; -1 where there is no such switch. */
static long read_switch(const char *root, const char *name)
{
    char path[512], text[32];
    ssize_t len;

    snprintf(path, sizeof path, "%s/%s", root, name);
    cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    len = read(fd, text, sizeof text - 1);
    if (len <= 0)
        return -1;
    text[len] = '\0';
    return strtol(text, NULL, 10);
}

struct local_userns local_userns_look(const char *root)
{
    static const struct {
        const char *name;
        long off; /* its value where it is in the way */
        struct local_userns found;
    } switches[] = {
        {"user/max_user_namespaces",
         0,
         {"this kernel is set to allow no user namespace at all (user.max_user_namespaces is 0)",
          "sysctl -w user.max_user_namespaces=15000"}},
        {"kernel/unprivileged_userns_clone",
         0,
         {"user namespaces are switched off for all but root (kernel.unprivileged_userns_clone is "
          "0)",
          "sysctl -w kernel.unprivileged_userns_clone=1"}},
        {"kernel/apparmor_restrict_unprivileged_userns",
         1,
         {"AppArmor denies user namespaces to programs without a profile "
          "(kernel.apparmor_restrict_unprivileged_userns is 1)",
          "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile with "
          "'userns,' for bwrap"}},
    };

    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        if (read_switch(root, switches[i].name) == switches[i].off)
            return switches[i].found;
    }
    return (struct local_userns){.text = "no switch of this kernel keeps users from making them"};
}

/* proc(5): the type stands behind " - ", which optional fields of any number come before. */
static bool is_type(const char *line, size_t len, const char *type)
{
    const char *dash = memmem(line, len, " - ", 3);
    size_t type_len = strlen(type);

    return dash && (size_t)(line + len - dash) > 3 + type_len &&
           memcmp(dash + 3, type, type_len) == 0 && dash[3 + type_len] == ' ';
}

enum cgroup_kind cgroup_kind(const char *mountinfo)
{
    bool one = false, two = false;

    for (const char *line = mountinfo; *line;) {
        size_t len = strcspn(line, "\n");

        one = one || is_type(line, len, "cgroup");
        two = two || is_type(line, len, "cgroup2");
        line += len;
        line += *line == '\n';
    }
    if (one)
        return two ? CGROUP_HYBRID : CGROUP_V1;
    return two ? CGROUP_V2 : CGROUP_NONE;
}

const char *cgroup_kind_text(enum cgroup_kind kind)
{
    static const char *const texts[] = {
        [CGROUP_NONE] = "none mounted",
        [CGROUP_V1] = "version 1",
        [CGROUP_V2] = "version 2",
        [CGROUP_HYBRID] = "hybrid: controllers in version 1, version 2 beside them",
    };

    return texts[kind];
}

/* ---- what is there ---- */

static void find_mounts(struct local_setup *setup)
{
    static const char *const paths[] = {
        "/usr",          "/lib", "/lib32",           "/lib64",
        "/libx32",       "/bin", "/etc/ld.so.cache", "/etc/alternatives",
        "/etc/localtime"};

    for (size_t i = 0; i < sizeof paths / sizeof *paths && setup->mount_count < LOCAL_MOUNTS_CAP;
         i++) {
        struct local_mount *mount = &setup->mounts[setup->mount_count];
        ssize_t len = readlink(paths[i], mount->target, sizeof mount->target - 1);

        mount->path = paths[i];
        mount->target[len > 0 ? len : 0] = '\0';
        if (len > 0 || access(paths[i], F_OK) == 0)
            setup->mount_count++;
    }
}

static int find_bwrap(struct local_setup *setup, struct error *err)
{
    static const char *const folders[] = {"/usr/bin", "/usr/local/bin", "/bin"};

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(setup->bwrap, sizeof setup->bwrap, "%s/bwrap", folders[i]);
        if (access(setup->bwrap, X_OK) == 0)
            return 0;
    }
    return error_set(err, ERROR_UNAVAILABLE,
                     "bubblewrap is not installed: apt-get install bubblewrap");
}

/* ---- the runner's files ---- */

static bool add_file(struct local_setup *setup, const char *name, const char *mode)
{
    struct local_file *file = &setup->files[setup->file_count];

    if (setup->file_count == LOCAL_FILES_CAP || strlen(name) >= sizeof file->name)
        return false;
    memcpy(file->name, name, strlen(name) + 1);
    file->mode = mode;
    setup->file_count++;
    return true;
}

static bool is_wanted(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && (strcmp(dot, ".py") == 0 || strcmp(dot, ".so") == 0);
}

int local_machine_files(struct local_setup *setup, const char *share_dir, struct error *err)
{
    cleanup_dir DIR *folder = opendir(share_dir);
    struct dirent *entry;
    int rc = 0;

    if (!folder)
        return error_set(err, ERROR_UNAVAILABLE, "%s: %s: make build", share_dir,
                         strerrordesc_np(errno));
    setup->file_count = 0;
    add_file(setup, "runner", "0555");
    add_file(setup, "policy.json", "0444");
    while (rc == 0 &&
           (entry = readdir(folder))) { // NOLINT(concurrency-mt-unsafe): this thread's own folder
        if (is_wanted(entry->d_name) && !add_file(setup, entry->d_name, "0444"))
            rc = error_set(err, ERROR_UNAVAILABLE, "%s holds more than it should: make build",
                           share_dir);
    }
    return rc;
}

void local_machine_close(const struct local_setup *setup, int *fds)
{
    for (size_t i = 0; i < setup->file_count; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
}

int local_machine_open(const struct local_setup *setup, const char *share_dir, int *fds,
                       struct error *err)
{
    char path[PATH_CAP + 64];

    for (size_t i = 0; i < LOCAL_FILES_CAP; i++)
        fds[i] = -1;
    for (size_t i = 0; i < setup->file_count; i++) {
        snprintf(path, sizeof path, "%s/%s", share_dir, setup->files[i].name);
        fds[i] = open(path, O_RDONLY | O_CLOEXEC);
        if (fds[i] < 0) {
            error_set(err, ERROR_UNAVAILABLE, "%s: %s: make build", path, strerrordesc_np(errno));
            local_machine_close(setup, fds);
            return -1;
        }
    }
    return 0;
}

static int file_state(const char *path, uint64_t *state, struct error *err)
{
    struct stat status;

    if (stat(path, &status) < 0)
        return error_set(err, ERROR_UNAVAILABLE, "%s: %s", path, strerrordesc_np(errno));
    const uint64_t numbers[] = {(uint64_t)status.st_size, (uint64_t)status.st_mtim.tv_sec,
                                (uint64_t)status.st_mtim.tv_nsec, status.st_ino, status.st_dev};
    /* A sum, since a folder may list its files in any order. */
    *state += hash_bytes(hash_bytes(HASH_START, path, strlen(path)), numbers, sizeof numbers);
    return 0;
}

int local_machine_state(const struct local_setup *setup, const char *share_dir, uint64_t *state,
                        struct error *err)
{
    char path[PATH_CAP + 64];

    *state = 0;
    for (size_t i = 0; i < setup->file_count; i++) {
        snprintf(path, sizeof path, "%s/%s", share_dir, setup->files[i].name);
        if (file_state(path, state, err) < 0)
            return -1;
    }
    return file_state(LOCAL_PYTHON, state, err);
}

/* ---- whether it works ---- */

/* Whether a sandbox comes up at all, with nothing but true(1) in it. */
static int try_out(const struct local_setup *setup, struct error *err)
{
    static const char *const command[] = {"/usr/bin/true", NULL};
    struct pollfd poll_fd = {.events = POLLIN};
    struct local_process process;
    struct local_plan plan;
    int status = 0, rc;

    if (local_plan_build(&plan, setup, NULL, command, err) < 0 ||
        local_spawn(&process, &plan, NULL, 0, err) < 0)
        return -1;
    poll_fd.fd = process.stream;
    rc = poll(&poll_fd, 1, LOCAL_TRIAL_MS);
    if (rc > 0 && waitpid(process.pid, &status, 0) == process.pid) {
        rc = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
        if (rc < 0)
            error_set(err, ERROR_UNAVAILABLE, "bubblewrap cannot make a sandbox here: %s",
                      local_stderr_tail(&process));
        local_forget(&process);
        return rc;
    }
    error_set(err, ERROR_UNAVAILABLE, "bubblewrap did not end within %d s", LOCAL_TRIAL_MS / 1000);
    local_kill(&process);
    return -1;
}

static int try_ways(struct local_setup *setup, struct error *err)
{
    struct local_userns userns = local_userns_look("/proc/sys");
    struct error first = {0};

    setup->drop = geteuid() == 0;
    if (try_out(setup, &first) == 0)
        return 0;
    if (setup->drop) {
        setup->drop = false;
        if (try_out(setup, NULL) == 0)
            return 0;
    }
    if (userns.fix)
        return error_set(err, ERROR_UNAVAILABLE, "%s; %s: %s", first.text, userns.text, userns.fix);
    return error_set(err, ERROR_UNAVAILABLE,
                     "%s; %s, so where this is a container its seccomp profile may: run it with "
                     "--security-opt seccomp=unconfined, or use Docker from it",
                     first.text, userns.text);
}

int local_machine_look(struct local_setup *setup, struct error *err)
{
    setup->mount_count = 0;
    find_mounts(setup);
    if (find_bwrap(setup, err) < 0)
        return -1;
    if (access(LOCAL_PYTHON, X_OK) < 0)
        return error_set(err, ERROR_UNAVAILABLE, LOCAL_PYTHON " is not there: make deps");
    return try_ways(setup, err);
}
