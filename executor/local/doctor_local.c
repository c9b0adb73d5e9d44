/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/doctor_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/local/cgroup.h"
#include "executor/engine.h"
#include "executor/local/local_machine.h"
#include "executor/local/local_userns.h"

#define MOUNTS_CAP 65536 /* bytes of /proc/self/mountinfo that are looked at */

#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#endif
#define LANDLOCK_ASK_VERSION 1u
#define LANDLOCK_USED        6 /* the newest ABI that the runner makes use of: image/runner/landlock.c */
#define LANDLOCK_WHOLE       3 /* the oldest that covers files wholly, truncation too */

/* ---- bubblewrap ---- */

static bool check_bubblewrap(struct doctor_rows *rows, const struct executor_config *config)
{
    char text[ENGINE_DESCRIPTION_CAP];
    struct error err = {0};
    void *state = engine_local.open(config, &err);
    bool works = state && engine_local.works(state, &err) == 0;

    if (works) {
        engine_local.describe(state, text, sizeof text);
        doctor_add(rows, "bubblewrap", true, "", "%s", text);
    } else {
        doctor_add(rows, "bubblewrap", false, "make deps && make build", "%s", err.text);
    }
    if (state)
        engine_local.close(state);
    return works;
}

static void check_userns(struct doctor_rows *rows)
{
    struct local_userns userns = local_userns_look("/proc/sys");

    doctor_add(rows, "user namespaces", !userns.fix, userns.fix ? userns.fix : "", "%s",
               userns.text);
}

/* ---- Python ---- */

/* The standard output of this Python with that script, or -1 where it failed. */
static int run_python(const char *script, char *text, size_t size)
{
    char *argv[] = {LOCAL_PYTHON, "-I", "-c", (char *)script, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], status = -1, rc;
    size_t len = 0;
    ssize_t got;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    rc = posix_spawn(&pid, LOCAL_PYTHON, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    while (rc == 0 && len < size - 1 && (got = read(ends[0], text + len, size - 1 - len)) > 0)
        len += (size_t)got;
    text[len] = '\0';
    close(ends[0]);
    if (rc != 0)
        return -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static bool check_modules(struct doctor_rows *rows)
{
    static const char script[] =
        "import importlib.util as u, sys\n"
        "names = 'numpy pandas networkx scipy tabulate matplotlib'.split()\n"
        "missing = [n for n in names if u.find_spec(n) is None]\n"
        "print(sys.version.split()[0] + (' lacks ' + ' '.join(missing) if missing else ''), "
        "end='')";
    char text[256] = "";

    if (run_python(script, text, sizeof text) < 0)
        doctor_add(rows, "python modules", false, "make deps", LOCAL_PYTHON " does not run");
    else if (strstr(text, " lacks "))
        doctor_add(rows, "python modules", false, "make deps",
                   LOCAL_PYTHON " %s: analyses in local sandboxes cannot import them", text);
    else
        doctor_add(rows, "python modules", true, "",
                   LOCAL_PYTHON " %s has numpy, pandas, networkx, scipy, tabulate and matplotlib",
                   text);
    return rows->rows[rows->count - 1].ok;
}

bool doctor_local(struct doctor_rows *rows, const struct executor_config *config)
{
    bool works = check_bubblewrap(rows, config), modules;

    check_userns(rows);
    modules = check_modules(rows);
    return works && modules;
}

/* ---- the kernel ---- */

static void check_landlock(struct doctor_rows *rows)
{
    long abi = syscall(__NR_landlock_create_ruleset, NULL, 0, LANDLOCK_ASK_VERSION);
    long used = abi < LANDLOCK_USED ? abi : LANDLOCK_USED;

    if (abi <= 0)
        doctor_add(rows, "landlock", false, "a kernel with lsm=landlock (5.13 or newer)",
                   "this kernel has no Landlock: code can read every file of its sandbox, which is "
                   "only the system's");
    else
        doctor_add(
            rows, "landlock", true, "",
            "this kernel has ABI %ld, of which %ld is used: what code may read is limited by "
            "it%s",
            abi, used, abi < LANDLOCK_WHOLE ? "; truncating files is not (6.2 or newer)" : "");
}

static void check_cgroup(struct doctor_rows *rows)
{
    char mounts[MOUNTS_CAP];
    FILE *file = fopen("/proc/self/mountinfo", "re");
    size_t len = file ? fread(mounts, 1, sizeof mounts - 1, file) : 0;
    enum cgroup_kind kind;

    if (file)
        fclose(file);
    mounts[len] = '\0';
    kind = cgroup_kind(mounts);
    doctor_add(rows, "control groups", kind != CGROUP_NONE, "mount -t cgroup2 none /sys/fs/cgroup",
               "of this machine: %s%s", cgroup_kind_text(kind),
               access("/sys/fs/cgroup/cgroup.controllers", R_OK) == 0 ? ", at /sys/fs/cgroup" : "");
}

void doctor_machine(struct doctor_rows *rows)
{
    check_landlock(rows);
    check_cgroup(rows);
}
