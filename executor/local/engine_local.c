/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sandboxes without Docker: the same runner under bubblewrap, with this machine's python3.
 *
 * Each has separate namespaces for everything (no network, no other process, no session), an
 * empty read-only root with this machine's /usr in it read-only, 16 MB of /tmp, and no capability;
 * its user is nobody. Where the server is root, it becomes nobody for the kernel too before
 * bubblewrap is called; where the kernel does not let nobody make namespaces, nobody is only the
 * name inside, and the description says so.
 *
 * There is no cgroup. In its place stand: for memory, the runner's RLIMIT_AS and its watch over
 * what the interpreter really uses; for CPU, RLIMIT_CPU (60 s a process), the deadlines on the wall
 * clock, niceness 5 and the lowest best-effort I/O priority, so that one run may use a whole CPU
 * for its 5 s, but not against others who want it; for the number of processes, the runner's
 * seccomp filter.
 *
 * Where the machine lacks something, each start looks again, so that what was mended works at once.
 *
 * A sandbox dies with the server: bubblewrap asks the kernel for it (--die-with-parent), and the
 * runner ends when its standard input does. --die-with-parent means the thread that started it, so
 * only the work queue's threads start sandboxes.
 */
#include "executor/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "executor/local/local_machine.h"
#include "executor/local/local_process.h"
#include "helpers/base/log.h"

#define SHARE_PATH_CAP 4096

struct local {
    char share_dir[SHARE_PATH_CAP];
    pthread_mutex_t lock;     /* of all below; held while the machine is looked at */
    struct local_setup setup; /* without files */
    bool ready;               /* setup is what works */
    bool logged;              /* the log says that it does not */
    atomic_bool stopping;     /* of its own */
};

struct engine_box {
    struct local_process process;
};

/* ---- starting ---- */

/* Whether the machine and the runner's files are such that a sandbox comes up. */
static int look(const struct local *local, struct local_setup *setup, struct error *err)
{
    int fds[LOCAL_FILES_CAP];

    if (local_machine_open(setup, local->share_dir, fds, err) < 0)
        return -1;
    local_machine_close(setup, fds);
    return local_machine_look(setup, err);
}

/* 0 when sandboxes can be made here; looks again where they could not. *setup, with the files as
 * they are now, may be NULL. */
static int prepare(struct local *local, bool quiet, struct local_setup *setup, struct error *err)
{
    struct local_setup found;
    struct error why = {0};
    int rc = 0;

    pthread_mutex_lock(&local->lock);
    if (atomic_load(&local->stopping))
        rc = error_set(&why, ERROR_CANCELLED, "the server is stopping");
    found = local->setup;
    if (rc == 0)
        rc = local_machine_files(&found, local->share_dir, &why);
    if (rc == 0 && !local->ready) {
        rc = look(local, &found, &why);
        local->ready = rc == 0;
        if (rc == 0)
            local->setup = found;
    }
    if (rc == 0 && local->logged)
        log_info("executor", "local sandboxes can be made again");
    if (rc < 0 && why.kind != ERROR_CANCELLED && !local->logged && !quiet)
        log_warning("executor", "%s. Analyses wait for it; it is looked for again", why.text);
    if (rc == 0 || !quiet)
        local->logged = rc < 0;
    pthread_mutex_unlock(&local->lock);
    if (rc < 0)
        return error_set(err, why.kind, "%s", why.text);
    if (setup)
        *setup = found;
    return 0;
}

static struct engine_box *local_start(void *state, const struct execution_kind *kind,
                                      struct error *err)
{
    struct local *local = state;
    struct engine_box *box = NULL;
    struct runner_command command;
    struct local_setup setup = {0};
    struct local_plan plan;
    int fds[LOCAL_FILES_CAP];

    if (prepare(local, false, &setup, err) < 0 || runner_command_build(&command, kind, err) < 0 ||
        local_machine_open(&setup, local->share_dir, fds, err) < 0)
        return NULL;
    if (local_plan_build(&plan, &setup, fds, command.argv, err) == 0) {
        box = calloc(1, sizeof *box);
        if (!box)
            error_set(err, ERROR_MEMORY, "out of memory for a sandbox");
    }
    if (box && local_spawn(&box->process, &plan, fds, setup.file_count, err) < 0) {
        free(box);
        box = NULL;
    }
    local_machine_close(&setup, fds);
    return box;
}

static int local_settle(void *state, struct engine_box *box, struct error *err)
{
    (void)state, (void)box, (void)err;
    return 0; /* no limit slows the warming */
}

static void local_destroy(void *state, struct engine_box *box)
{
    (void)state;
    local_kill(&box->process);
    free(box);
}

/* ---- the stream ---- */

static int local_fd(const struct engine_box *box)
{
    return box->process.stream;
}

static ssize_t local_send(struct engine_box *box, const void *bytes, size_t len)
{
    return send(box->process.stream, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static const char *stderr_tail(struct engine_box *box)
{
    return local_stderr_tail(&box->process);
}

static ssize_t local_receive(struct engine_box *box, void *bytes, size_t size)
{
    ssize_t got = recv(box->process.stream, bytes, size, MSG_DONTWAIT);

    if (got >= 0)
        stderr_tail(box);
    return got;
}

/* ---- opening ---- */

static void local_close(void *state)
{
    struct local *local = state;

    pthread_mutex_destroy(&local->lock);
    free(local);
}

static void *local_open(const struct executor_config *config, struct error *err)
{
    struct local *local = calloc(1, sizeof *local);
    struct error why = {0};
    size_t ended;

    if (!local) {
        error_set(err, ERROR_MEMORY, "out of memory for the local engine");
        return NULL;
    }
    pthread_mutex_init(&local->lock, NULL);
    if (!config->share_dir || strlen(config->share_dir) >= sizeof local->share_dir) {
        error_set(err, ERROR_INVALID, "the folder with the runner is not known: --share");
        goto fail;
    }
    memcpy(local->share_dir, config->share_dir, strlen(config->share_dir) + 1);
    if (owner_label(local->setup.owner, err) < 0)
        goto fail;
    ended = local_orphans_end();
    if (ended > 0)
        log_warning("executor", "%zu sandboxes that a killed server left half made were ended",
                    ended);
    prepare(local, true, NULL, &why); /* what is missing now may be there later */
    return local;
fail:
    local_close(local);
    return NULL;
}

static int local_works(void *state, struct error *err)
{
    return prepare(state, true, NULL, err);
}

static int local_made_of(void *state, char text[ENGINE_MADE_OF_CAP], struct error *err)
{
    struct local *local = state;
    struct local_setup setup = {.file_count = 0};
    uint64_t sum;

    if (local_machine_files(&setup, local->share_dir, err) < 0 ||
        local_machine_state(&setup, local->share_dir, &sum, err) < 0)
        return -1;
    snprintf(text, ENGINE_MADE_OF_CAP, "%016" PRIx64, sum);
    return 0;
}

static void local_describe(void *state, char *text, size_t size)
{
    struct local *local = state;
    struct local_setup setup = {.drop = false};
    struct error err = {0};
    const char *user;

    if (prepare(local, true, &setup, &err) < 0) {
        snprintf(text, size, "no code can run yet, and that is tried again: %.400s", err.text);
        return;
    }
    user = setup.drop       ? "nobody"
           : geteuid() == 0 ? "nobody (root outside: this kernel lets nobody make no namespaces)"
                            : "nobody (outside, the user of the server)";
    snprintf(text, size,
             "code runs under bubblewrap on this machine as %s: separate namespaces, no network, "
             "read-only root, no capability, seccomp and Landlock by the runner; memory and CPU by "
             "rlimits and deadlines, since no cgroup holds them",
             user);
}

static void local_interrupt(void *state)
{
    struct local *local = state;

    atomic_store(&local->stopping, true);
}

const struct engine engine_local = {
    .name = "local",
    .open = local_open,
    .close = local_close,
    .works = local_works,
    .describe = local_describe,
    .interrupt = local_interrupt,
    .made_of = local_made_of,
    .start = local_start,
    .settle = local_settle,
    .destroy = local_destroy,
    .fd = local_fd,
    .send = local_send,
    .receive = local_receive,
    .stderr_tail = stderr_tail,
};
