/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sandboxes without Docker: the same runner under bubblewrap, with this machine's python3.
 *
 * Each has namespaces of its own for everything (no network, no other process, no session), an
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
 * A sandbox dies with the server: bubblewrap asks the kernel for it (--die-with-parent), and the
 * runner ends when its standard input does. --die-with-parent means the thread that started it, so
 * only the lane's threads start sandboxes.
 */
#include "executor/engine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/local_orphans.h"
#include "executor/local_plan.h"
#include "executor/words.h"
#include "helpers/base/log.h"

#define TRIAL_MS 5000
#define IOPRIO_LOWEST_BE                                                                           \
    (2 << 13 | 7) /* class best-effort, level 7: ioprio_set(2) has no header                       \
                   */
#define SHARE_PATH_CAP 4096

struct local {
    struct local_setup setup;
    char share_dir[SHARE_PATH_CAP];
    atomic_bool stopping;
};

struct engine_box {
    pid_t pid;
    int stream; /* the runner's standard input and output, one socket */
    int errors; /* its standard error, or -1 */
    struct words words;
    char line[3 * WORDS_KEPT + 1];
};

/* ---- what this machine has ---- */

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

/* The runner, all Python that lies beside it, and the tables it judges by. */
static int find_files(struct local *local, struct error *err)
{
    DIR *folder = opendir(local->share_dir);
    struct dirent *entry;
    int rc = 0;

    if (!folder)
        return error_set(err, ERROR_UNAVAILABLE, "%s: %s: make build", local->share_dir,
                         strerrordesc_np(errno));
    add_file(&local->setup, "runner", "0555");
    add_file(&local->setup, "fork.so", "0444");
    add_file(&local->setup, "policy.json", "0444");
    while (rc == 0 &&
           (entry = readdir(folder))) { // NOLINT(concurrency-mt-unsafe): this thread's own folder
        const char *dot = strrchr(entry->d_name, '.');

        if (dot && strcmp(dot, ".py") == 0 && !add_file(&local->setup, entry->d_name, "0444"))
            rc = error_set(err, ERROR_UNAVAILABLE, "%s holds more than it should: make build",
                           local->share_dir);
    }
    closedir(folder);
    return rc;
}

static void close_files(const struct local *local, int *fds)
{
    for (size_t i = 0; i < local->setup.file_count; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
}

static int open_files(const struct local *local, int *fds, struct error *err)
{
    char path[SHARE_PATH_CAP + 64];

    for (size_t i = 0; i < LOCAL_FILES_CAP; i++)
        fds[i] = -1;
    for (size_t i = 0; i < local->setup.file_count; i++) {
        snprintf(path, sizeof path, "%s/%s", local->share_dir, local->setup.files[i].name);
        fds[i] = open(path, O_RDONLY | O_CLOEXEC);
        if (fds[i] < 0) {
            error_set(err, ERROR_UNAVAILABLE, "%s: %s: make build", path, strerrordesc_np(errno));
            close_files(local, fds);
            return -1;
        }
    }
    return 0;
}

/* ---- starting ---- */

/* Between fork and exec: only calls that are safe there. Never returns. */
static void become(const struct local_plan *plan, const int *fds, size_t fd_count, int stream,
                   int errors)
{
    static char *const no_environment[] = {NULL};
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int signal_number = 1; signal_number < NSIG; signal_number++)
        sigaction(signal_number, &plain, NULL);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0); /* a group of its own: ended whole, and out of the terminal's reach */
    if (dup2(stream, STDIN_FILENO) < 0 || dup2(stream, STDOUT_FILENO) < 0 ||
        dup2(errors, STDERR_FILENO) < 0)
        _exit(126);
    /* Whatever a library has opened without close-on-exec stays outside. */
    if (close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) < 0) {
        for (int fd = STDERR_FILENO + 1; fd < (int)sysconf(_SC_OPEN_MAX); fd++)
            fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    for (size_t i = 0; i < fd_count; i++)
        fcntl(fds[i], F_SETFD, 0);
    for (size_t i = 0; i < local_limit_count; i++) {
        struct rlimit limit = {.rlim_cur = local_limits[i].value,
                               .rlim_max = local_limits[i].value};

        if (setrlimit((__rlimit_resource_t)local_limits[i].resource, &limit) < 0 && errno != EPERM)
            _exit(126);
    }
    setpriority(PRIO_PROCESS, 0, LOCAL_NICE);
    syscall(SYS_ioprio_set, 1, 0, IOPRIO_LOWEST_BE);
    if (plan->drop &&
        (setgroups(0, NULL) < 0 || setresgid(RUNNER_USER, RUNNER_USER, RUNNER_USER) < 0 ||
         setresuid(RUNNER_USER, RUNNER_USER, RUNNER_USER) < 0))
        _exit(126);
    execve(plan->argv[0], (char *const *)plan->argv, no_environment);
    _exit(127);
}

static struct engine_box *spawn(const struct local_plan *plan, const int *fds, size_t fd_count,
                                struct error *err)
{
    struct engine_box *box = calloc(1, sizeof *box);
    int stream[2] = {-1, -1}, errors[2] = {-1, -1};

    if (!box) {
        error_set(err, ERROR_MEMORY, "out of memory for a sandbox");
        return NULL;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream) < 0 ||
        pipe2(errors, O_CLOEXEC | O_NONBLOCK) < 0) {
        error_errno(err, errno, "a channel to the sandbox");
        goto fail;
    }
    fcntl(stream[0], F_SETFL, O_NONBLOCK);
    box->pid = fork();
    if (box->pid == 0)
        become(plan, fds, fd_count, stream[1], errors[1]);
    if (box->pid < 0) {
        error_errno(err, errno, "fork");
        goto fail;
    }
    setpgid(box->pid, box->pid); /* here as well: whichever of the two comes first */
    close(stream[1]);
    close(errors[1]);
    box->stream = stream[0];
    box->errors = errors[0];
    return box;
fail:
    for (int i = 0; i < 2; i++) {
        if (stream[i] >= 0)
            close(stream[i]);
        if (errors[i] >= 0)
            close(errors[i]);
    }
    free(box);
    return NULL;
}

static const char *last_words(struct engine_box *box)
{
    char text[1024];
    ssize_t got;

    while ((got = read(box->errors, text, sizeof text)) > 0) {
        log_debug("executor", "runner: %.*s", (int)got, text);
        words_add(&box->words, text, (size_t)got);
    }
    return words_line(&box->words, box->line);
}

static void local_destroy(void *state, struct engine_box *box)
{
    (void)state;
    close(box->stream);
    /* Killing bubblewrap ends its PID namespace with all that is in it. */
    /* The whole group: bubblewrap's inner process, while it is still being made, does not yet die
     * with the outer one. */
    kill(-box->pid, SIGKILL);
    kill(box->pid, SIGKILL);
    while (waitpid(box->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    last_words(box);
    close(box->errors);
    free(box);
}

static struct engine_box *local_start(void *state, const struct execution_kind *kind,
                                      struct error *err)
{
    struct local *local = state;
    struct runner_command command;
    struct local_plan plan;
    struct engine_box *box = NULL;
    int fds[LOCAL_FILES_CAP];

    if (atomic_load(&local->stopping)) {
        error_set(err, ERROR_CANCELLED, "the server is stopping");
        return NULL;
    }
    if (runner_command_build(&command, kind, err) < 0 || open_files(local, fds, err) < 0)
        return NULL;
    if (local_plan_build(&plan, &local->setup, fds, command.argv, err) == 0)
        box = spawn(&plan, fds, local->setup.file_count, err);
    close_files(local, fds);
    return box;
}

static int local_settle(void *state, struct engine_box *box, struct error *err)
{
    (void)state, (void)box, (void)err;
    return 0; /* no limit slows the warming */
}

/* ---- the stream ---- */

static int local_fd(const struct engine_box *box)
{
    return box->stream;
}

static ssize_t local_send(struct engine_box *box, const void *bytes, size_t len)
{
    return send(box->stream, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static ssize_t local_receive(struct engine_box *box, void *bytes, size_t size)
{
    ssize_t got = recv(box->stream, bytes, size, MSG_DONTWAIT);

    if (got >= 0)
        last_words(box);
    return got;
}

/* ---- opening ---- */

/* Whether a sandbox comes up at all, with nothing but true(1) in it. */
static int try_out(const struct local_setup *setup, struct error *err)
{
    static const char *const command[] = {"/usr/bin/true", NULL};
    struct pollfd poll_fd = {.events = POLLIN};
    struct engine_box *box;
    struct local_plan plan;
    int status = 0, rc;

    if (local_plan_build(&plan, setup, NULL, command, err) < 0)
        return -1;
    box = spawn(&plan, NULL, 0, err);
    if (!box)
        return -1;
    poll_fd.fd = box->stream;
    rc = poll(&poll_fd, 1, TRIAL_MS);
    if (rc > 0 && waitpid(box->pid, &status, 0) == box->pid) {
        rc = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
        if (rc < 0)
            error_set(err, ERROR_UNAVAILABLE, "bubblewrap cannot make a sandbox here: %s",
                      last_words(box));
        close(box->stream);
        close(box->errors);
        free(box);
        return rc;
    }
    error_set(err, ERROR_UNAVAILABLE, "bubblewrap did not end within %d s", TRIAL_MS / 1000);
    local_destroy(NULL, box);
    return -1;
}

static int try_ways(struct local_setup *setup, struct error *err)
{
    struct error first = {0};

    setup->drop = geteuid() == 0;
    if (try_out(setup, &first) == 0)
        return 0;
    if (setup->drop) {
        setup->drop = false;
        if (try_out(setup, err) == 0)
            return 0;
    }
    return error_set(err, ERROR_UNAVAILABLE,
                     "%s. Where user namespaces are switched off: sysctl -w "
                     "kernel.unprivileged_userns_clone=1 (Debian), "
                     "kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu)",
                     first.text);
}

static void *local_open(const struct executor_config *config, struct error *err)
{
    struct local *local = calloc(1, sizeof *local);
    int fds[LOCAL_FILES_CAP];
    size_t ended;

    if (!local) {
        error_set(err, ERROR_MEMORY, "out of memory for the local engine");
        return NULL;
    }
    if (!config->share_dir || strlen(config->share_dir) >= sizeof local->share_dir) {
        error_set(err, ERROR_UNAVAILABLE, "the folder with the runner is not known: --share");
        goto fail;
    }
    memcpy(local->share_dir, config->share_dir, strlen(config->share_dir) + 1);
    ended = local_orphans_end();
    if (ended > 0)
        log_warning("executor", "%zu sandboxes that a killed server left half made were ended",
                    ended);
    find_mounts(&local->setup);
    if (find_bwrap(&local->setup, err) < 0 || find_files(local, err) < 0 ||
        open_files(local, fds, err) < 0)
        goto fail;
    close_files(local, fds);
    if (access("/usr/bin/python3", X_OK) < 0) {
        error_set(err, ERROR_UNAVAILABLE, "/usr/bin/python3 is not there: make deps");
        goto fail;
    }
    if (try_ways(&local->setup, err) < 0)
        goto fail;
    return local;
fail:
    free(local);
    return NULL;
}

static void local_close(void *state)
{
    free(state);
}

static void local_describe(void *state, char *text, size_t size)
{
    const struct local *local = state;
    const char *user = local->setup.drop ? "nobody"
                       : geteuid() == 0
                           ? "nobody (root outside: this kernel lets nobody make no namespaces)"
                           : "nobody (outside, the user of the server)";

    snprintf(text, size,
             "code runs under bubblewrap on this machine as %s: namespaces of its own, no network, "
             "read-only root, no "
             "capability, seccomp and Landlock by the runner; memory and CPU by rlimits and "
             "deadlines, since no cgroup holds "
             "them",
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
    .describe = local_describe,
    .interrupt = local_interrupt,
    .start = local_start,
    .settle = local_settle,
    .destroy = local_destroy,
    .fd = local_fd,
    .send = local_send,
    .receive = local_receive,
    .last_words = last_words,
};
