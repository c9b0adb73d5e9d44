/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The runner as an ordinary process, for machines where neither Docker nor bubblewrap can work. No
 * privilege is needed. seccomp and Landlock are the only walls, so a machine without them is
 * refused (process_host.h).
 *
 * The interpreter sees this machine's files: Landlock lets it read what Python needs and nothing
 * else, also where its user may read more. Its working folder is empty and already removed, so
 * nothing can be created in it and nothing is left of it. If the server is root, the runner has a
 * user of its own (sandbox_user.h); if that user cannot read the runner's files, the engine does
 * not start.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executor/local/spawn.h"

/* The setup's runner takes the place of command[0]. */
static int plan_build(struct local_plan *plan, const struct local_setup *setup,
                      const char *const *command, struct error *err)
{
    const char *folder = getenv("TMPDIR");          // NOLINT(concurrency-mt-unsafe): never changed
    struct process_host host = process_host_look(); /* a network may have come up */
    uint64_t number;
    int len;

    if (process_host_check(&host, err) < 0)
        return -1;
    memset(plan, 0, sizeof *plan);
    plan->user = setup->user;
    plan->environment = runner_environment;
    plan->argv[plan->argc++] = setup->runner;
    while (command[plan->argc] && plan->argc + 1 < LOCAL_WORDS_CAP) {
        plan->argv[plan->argc] = command[plan->argc];
        plan->argc++;
    }
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return error_errno(err, errno, "getrandom");
    len = snprintf(plan->folder, sizeof plan->folder, "%s/lectern-%016" PRIx64,
                   folder && folder[0] ? folder : "/tmp", number);
    if (command[plan->argc] || len < 0 || (size_t)len >= sizeof plan->folder)
        return error_set(err, ERROR_INTERNAL, "the plan of a sandbox is longer than its cap");
    return 0;
}

/* Whether the runner starts. */
static int try_out(const struct local_setup *setup, struct error *err)
{
    static const char *const command[] = {"runner", "--version", NULL};
    struct local_plan plan;

    return plan_build(&plan, setup, command, err) < 0 ? -1 : spawn_trial(&plan, setup, err);
}

static int refuse(const char *path, const char *lack, const char *mode, struct error *err)
{
    return error_set(err, ERROR_UNAVAILABLE,
                     "the server is root, and the user of a sandbox %s %s: chmod %s %s, make "
                     "install, or --share DIR with a copy that all can read",
                     lack, path, mode, path);
}

/* Whether any user can enter the folders of that path. */
static int check_folders(const char *whole, struct error *err)
{
    struct stat status;
    char path[PATH_MAX];

    for (const char *slash = strchr(whole + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof path, "%.*s", (int)(slash - whole), whole);
        if (stat(path, &status) < 0)
            return error_errno(err, errno, "%s", path);
        if (!(status.st_mode & S_IXOTH))
            return refuse(path, "cannot enter", "o+x", err);
    }
    return 0;
}

/* Whether any user can enter the folders of the runner and of Python and read the setup's files,
 * and none but their owner can change those. */
static int check_open(const struct local_setup *setup, const char *share_dir, struct error *err)
{
    struct stat status;
    char path[PATH_MAX];

    if (check_folders(setup->runner, err) < 0 || check_folders(setup->python, err) < 0)
        return -1;
    for (size_t i = 0; i < setup->file_count; i++) {
        snprintf(path, sizeof path, "%s/%s", share_dir, setup->files[i].name);
        if (fstat(setup->files[i].fd, &status) < 0)
            return error_errno(err, errno, "%s", path);
        if (!(status.st_mode & S_IROTH))
            return refuse(path, "cannot read", "o+r", err);
        if (status.st_mode & S_IWOTH)
            return refuse(path, "can write to", "o-w", err);
    }
    return 0;
}

static int look(struct local_setup *setup, const char *share_dir, struct error *err)
{
    char path[LOCAL_SHARE_CAP + 64], real[PATH_MAX];

    setup->host = process_host_look();
    if (process_host_check(&setup->host, err) < 0)
        return -1;
    snprintf(path, sizeof path, "%s/runner", share_dir);
    if (!realpath(path, real) || strlen(real) >= sizeof setup->runner)
        return error_set(err, ERROR_UNAVAILABLE, "%s: %s", path, strerrordesc_np(errno));
    memcpy(setup->runner, real, strlen(real) + 1);
    if (setup->user != 0 && check_open(setup, share_dir, err) < 0)
        return -1;
    return try_out(setup, err);
}

static void describe(const struct local_setup *setup, char *text, size_t size)
{
    const char *user = geteuid() == 0 ? "a separate user" : "the user of the server";
    int len = snprintf(text, size, "code runs as a process of this machine, as %s: ", user);

    process_host_describe(&setup->host, text + len, size - (size_t)len);
}

const struct local_way local_way_process = {NULL, look, plan_build, describe};
