/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What works on this machine to run code, and the command that mends what does not: a row a check.
 * Blocks; runs on the thread that asks.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/docker_api.h"
#include "executor/engine.h"

#define PYTHON "/usr/bin/python3"

#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#endif
#define LANDLOCK_ASK_VERSION 1u

__attribute__((format(printf, 5, 6))) static void fill(struct executor_check *check,
                                                       const char *name, bool ok, const char *mend,
                                                       const char *format, ...)
{
    va_list args;

    *check = (struct executor_check){.name = name, .ok = ok};
    va_start(args, format);
    vsnprintf(check->text, sizeof check->text, format, args);
    va_end(args);
    snprintf(check->mend, sizeof check->mend, "%s", ok ? "" : mend);
}

static void check_docker(const struct executor_config *config, struct executor_check *daemon,
                         struct executor_check *image)
{
    struct error err = {0};
    struct docker_api *api = docker_api_create(config->docker_host, &err);
    const char *name = config->docker_image ? config->docker_image : "(none named)";

    if (!api) {
        fill(daemon, "docker daemon", false,
             "apt-get install docker.io, or point DOCKER_HOST to a daemon", "%s", err.text);
        fill(image, "sandbox image", false, "make image", "%s: no daemon to ask", name);
        return;
    }
    fill(daemon, "docker daemon", true, "", "%s at %s, API %s",
         docker_api_server(api)[0] ? docker_api_server(api) : "answers", docker_api_host(api),
         docker_api_version(api));
    if (docker_check_image(api, name, &err) == 0)
        fill(image, "sandbox image", true, "", "%s is there", name);
    else
        fill(image, "sandbox image", false, "make image", "%s", err.text);
    docker_api_destroy(api);
}

static void check_bubblewrap(const struct executor_config *config, struct executor_check *check)
{
    struct error err = {0};
    char text[ENGINE_DESCRIPTION_CAP];
    void *state = engine_local.open(config, &err);

    if (!state) {
        fill(check, "bubblewrap", false, "make deps && make build", "%s", err.text);
        return;
    }
    engine_local.describe(state, text, sizeof text);
    engine_local.close(state);
    fill(check, "bubblewrap", true, "", "%s", text);
}

static void check_landlock(struct executor_check *check)
{
    long abi = syscall(__NR_landlock_create_ruleset, NULL, 0, LANDLOCK_ASK_VERSION);

    if (abi > 0)
        fill(check, "landlock", true, "",
             "this kernel has ABI %ld; what code may read is limited by it", abi);
    else
        fill(check, "landlock", false, "a kernel with lsm=landlock (5.13 or newer)",
             "this kernel has no Landlock: code can read every file of its sandbox, which is only "
             "the system's");
}

/* The standard output of this Python with that script, or -1 where it failed. */
static int run_python(const char *script, char *text, size_t size)
{
    char *argv[] = {PYTHON, "-I", "-c", (char *)script, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], status = -1, rc;
    size_t len = 0;
    ssize_t got;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    rc = posix_spawn(&pid, PYTHON, &actions, NULL, argv, environ);
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

static void check_modules(struct executor_check *check)
{
    static const char script[] = "import importlib.util as u, sys\n"
                                 "names = 'numpy pandas networkx scipy tabulate'.split()\n"
                                 "missing = [n for n in names if u.find_spec(n) is None]\n"
                                 "print(sys.version.split()[0] + (' lacks ' + ' '.join(missing) if "
                                 "missing else ''), end='')";
    char text[256] = "";

    if (run_python(script, text, sizeof text) < 0)
        fill(check, "python modules", false, "make deps", PYTHON " does not run");
    else if (strstr(text, " lacks "))
        fill(check, "python modules", false, "make deps", PYTHON " %s: analyses cannot import them",
             text);
    else
        fill(check, "python modules", true, "",
             PYTHON " %s has numpy, pandas, networkx, scipy and tabulate", text);
}

size_t executor_doctor(const struct executor_config *config, struct executor_check *checks,
                       size_t cap)
{
    struct executor_check all[5];
    size_t count = sizeof all / sizeof *all < cap ? sizeof all / sizeof *all : cap;
    bool docker, local;

    check_docker(config, &all[0], &all[1]);
    check_bubblewrap(config, &all[2]);
    check_landlock(&all[3]);
    check_modules(&all[4]);
    docker = all[0].ok && all[1].ok;
    local = all[2].ok && all[4].ok;
    /* One engine of the two is enough; one that was asked for by name is needed. */
    all[0].needed = all[1].needed =
        config->engine == EXECUTOR_DOCKER || (config->engine == EXECUTOR_AUTO && !local);
    all[2].needed = all[4].needed =
        config->engine == EXECUTOR_LOCAL || (config->engine == EXECUTOR_AUTO && !docker);
    memcpy(checks, all, count * sizeof *all);
    return count;
}
