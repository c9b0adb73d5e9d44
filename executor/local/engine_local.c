/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sandboxes without Docker: the same runner under bubblewrap, with this machine's python3.
 *
 * Each sandbox has its own namespaces (no network, no other processes, its own session), an empty
 * read-only root with this machine's /usr mounted read-only, 16 MB of /tmp, and no capabilities;
 * its user is nobody. If the server is root, it becomes nobody for the kernel too before it calls
 * bubblewrap. If the kernel does not let nobody create namespaces, nobody is only the name inside,
 * and the description says so.
 *
 * There is no cgroup. Instead there are, for memory, the runner's RLIMIT_AS and its check of the
 * interpreter's actual use; for CPU, RLIMIT_CPU (60 s for each process), the deadlines, niceness 5
 * and the lowest best-effort I/O priority, so a run may use a whole CPU for its 5 s, but yields to
 * others; for the number of processes, the runner's seccomp filter.
 *
 * If the machine lacks something, each start checks again, so that a fix takes effect at once.
 *
 * A sandbox dies with the server: bubblewrap asks the kernel for that (--die-with-parent), and the
 * runner ends when its standard input closes. --die-with-parent refers to the thread that started
 * it, so only threads of the work queue start sandboxes.
 */
#include "executor/engine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <linux/close_range.h>
#include <poll.h>
#include <pthread.h>
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

#include "executor/local/local_machine.h"
#include "executor/local/local_plan.h"
#include "helpers/base/cleanup.h"
#include "helpers/base/hash.h"
#include "helpers/base/log.h"

#define SHARE_PATH_CAP 4096
/* Class best-effort, level 7: ioprio_set(2) has no header. */
#define IOPRIO_LOWEST_BE (2 << 13 | 7)
#define TRIAL_MS         5000 /* time limit of one trial */

struct local {
    char share_dir[SHARE_PATH_CAP];
    pthread_mutex_t lock;     /* protects all members below; held while the machine is checked */
    struct local_setup setup; /* without files */
    bool ready;               /* setup works */
    bool logged;              /* it has been logged that it does not work */
    atomic_bool stopping;     /* not protected by lock */
};

struct engine_box {
    pid_t pid;
    int stream; /* its standard input and output, one non-blocking socket */
    int errors; /* its standard error, non-blocking */
    struct runner_stderr tail;
};

/* ---- bubblewrap's process ---- */

/* Runs between fork and exec, so it may only make async-signal-safe calls. Never returns. */
static void become(const struct local_plan *plan, const struct local_setup *setup, int stream,
                   int errors)
{
    static char *const no_environment[] = {NULL};
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int signal_number = 1; signal_number < NSIG; signal_number++)
        sigaction(signal_number, &plain, NULL);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0); /* its own process group: it is killed as a whole, and the terminal does not
                      signal it */
    if (dup2(stream, STDIN_FILENO) < 0 || dup2(stream, STDOUT_FILENO) < 0 ||
        dup2(errors, STDERR_FILENO) < 0)
        _exit(126);
    /* Descriptors that a library opened without close-on-exec must not be inherited. */
    if (close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) < 0) {
        for (int fd = STDERR_FILENO + 1; fd < (int)sysconf(_SC_OPEN_MAX); fd++)
            fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    for (size_t i = 0; i < setup->file_count; i++)
        fcntl(setup->files[i].fd, F_SETFD, 0);
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

/* Starts bubblewrap with a socket as its standard input and output and a pipe from its standard
 * error. It inherits the setup's files, and dies with the calling thread. */
static int spawn(struct engine_box *box, const struct local_plan *plan,
                 const struct local_setup *setup, struct error *err)
{
    int stream[2], errors[2];

    memset(box, 0, sizeof *box);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream) < 0)
        return error_errno(err, errno, "a channel to the sandbox");
    cleanup_fd int mine = stream[0], its = stream[1];
    if (pipe2(errors, O_CLOEXEC | O_NONBLOCK) < 0)
        return error_errno(err, errno, "a channel to the sandbox");
    cleanup_fd int words = errors[0], its_words = errors[1];
    fcntl(mine, F_SETFL, O_NONBLOCK);
    box->pid = fork();
    if (box->pid == 0)
        become(plan, setup, its, its_words);
    if (box->pid < 0)
        return error_errno(err, errno, "fork");
    setpgid(box->pid, box->pid); /* also done here, because either process may run first */
    box->stream = steal_fd(&mine);
    box->errors = steal_fd(&words);
    return 0;
}

/* The end of what it wrote to its standard error; valid until the next call. */
static const char *last_words(struct engine_box *box)
{
    char text[1024];
    ssize_t got;

    while ((got = read(box->errors, text, sizeof text)) > 0)
        runner_stderr_add(&box->tail, text, (size_t)got);
    return runner_stderr_line(&box->tail);
}

/* The process must have been waited for. */
static void close_process(struct engine_box *box)
{
    close(box->stream);
    close(box->errors);
}

/* Kills it with everything in it, and waits for that. */
static void kill_process(struct engine_box *box)
{
    /* Killing bubblewrap ends its PID namespace with everything in it. The whole group is killed,
     * because until bubblewrap's inner process is complete it does not die with the outer one. */
    kill(-box->pid, SIGKILL);
    kill(box->pid, SIGKILL);
    while (waitpid(box->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    last_words(box);
    close_process(box);
}

/* ---- the runner's files ---- */

static void close_files(struct local_setup *setup)
{
    for (size_t i = 0; i < setup->file_count; i++)
        close(setup->files[i].fd);
    setup->file_count = 0;
}

static int open_file(struct local_setup *setup, const char *share_dir, const char *name,
                     const char *mode, struct error *err)
{
    struct local_file *file = &setup->files[setup->file_count];
    char path[SHARE_PATH_CAP + 64];

    if (setup->file_count == LOCAL_FILES_CAP || strlen(name) >= sizeof file->name)
        return error_set(err, ERROR_UNAVAILABLE, "%s holds more than it should: make build",
                         share_dir);
    snprintf(path, sizeof path, "%s/%s", share_dir, name);
    file->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (file->fd < 0)
        return error_set(err, ERROR_UNAVAILABLE, "%s: %s: make build", path,
                         strerrordesc_np(errno));
    memcpy(file->name, name, strlen(name) + 1);
    file->mode = mode;
    setup->file_count++;
    return 0;
}

static bool is_wanted(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && (strcmp(dot, ".py") == 0 || strcmp(dot, ".so") == 0);
}

/* Opens the runner, the Python modules beside it, and the tables of the policy. */
static int open_files(struct local_setup *setup, const char *share_dir, struct error *err)
{
    cleanup_dir DIR *folder = opendir(share_dir);
    struct dirent *entry;
    int rc;

    if (!folder)
        return error_set(err, ERROR_UNAVAILABLE, "%s: %s: make build", share_dir,
                         strerrordesc_np(errno));
    setup->file_count = 0;
    rc = open_file(setup, share_dir, "runner", "0555", err);
    if (rc == 0)
        rc = open_file(setup, share_dir, "policy.json", "0444", err);
    while (rc == 0 &&
           (entry = readdir(folder))) { // NOLINT(concurrency-mt-unsafe): this thread's own folder
        if (is_wanted(entry->d_name))
            rc = open_file(setup, share_dir, entry->d_name, "0444", err);
    }
    if (rc < 0)
        close_files(setup);
    return rc;
}

/* ---- the machine ---- */

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

/* Whether a sandbox with only true(1) starts. */
static int try_out(const struct local_setup *setup, struct error *err)
{
    static const char *const command[] = {"/usr/bin/true", NULL};
    struct local_setup empty = *setup;
    struct engine_box process;
    struct local_plan plan;
    struct pollfd poll_fd;
    int status = 0, rc;

    empty.file_count = 0;
    if (local_plan_build(&plan, &empty, command, err) < 0 ||
        spawn(&process, &plan, &empty, err) < 0)
        return -1;
    poll_fd = (struct pollfd){.fd = process.stream, .events = POLLIN};
    rc = poll(&poll_fd, 1, TRIAL_MS);
    if (rc > 0 && waitpid(process.pid, &status, 0) == process.pid) {
        rc = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
        if (rc < 0)
            error_set(err, ERROR_UNAVAILABLE, "bubblewrap cannot make a sandbox here: %s",
                      last_words(&process));
        close_process(&process);
        return rc;
    }
    error_set(err, ERROR_UNAVAILABLE, "bubblewrap did not end within %d s", TRIAL_MS / 1000);
    kill_process(&process);
    return -1;
}

/* Tries as nobody, then as the current user. */
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

/* Fills setup except its owner and files, and tries an empty sandbox. */
static int look(struct local_setup *setup, struct error *err)
{
    setup->mount_count = 0;
    find_mounts(setup);
    if (find_bwrap(setup, err) < 0)
        return -1;
    if (access(LOCAL_PYTHON, X_OK) < 0)
        return error_set(err, ERROR_UNAVAILABLE, LOCAL_PYTHON " is not there: make deps");
    return try_ways(setup, err);
}

/* ---- starting ---- */

/* Returns 0 if sandboxes work here; checks again if they did not. *setup gets the files opened now
 * (close_files); it may be NULL. */
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
        rc = open_files(&found, local->share_dir, &why);
    if (rc == 0 && !local->ready) {
        rc = look(&found, &why);
        local->ready = rc == 0;
        if (rc == 0)
            local->setup = found;
        local->setup.file_count = 0;
    }
    if (rc == 0 && local->logged)
        log_info("executor", "local sandboxes can be made again");
    if (rc < 0 && why.kind != ERROR_CANCELLED && !local->logged && !quiet)
        log_warning("executor", "%s. Analyses wait for it; it is looked for again", why.text);
    if (rc == 0 || !quiet)
        local->logged = rc < 0;
    pthread_mutex_unlock(&local->lock);
    if (rc == 0 && setup)
        *setup = found;
    else
        close_files(&found);
    return rc == 0 ? 0 : error_set(err, why.kind, "%s", why.text);
}

static struct engine_box *local_start(void *state, const struct execution_kind *kind,
                                      struct error *err)
{
    struct local *local = state;
    struct runner_command command;
    struct local_setup setup = {0};
    struct local_plan plan;
    struct engine_box *box;

    if (runner_command_build(&command, kind, NULL, err) < 0 || prepare(local, false, &setup, err) < 0)
        return NULL;
    box = calloc(1, sizeof *box);
    if (!box) {
        error_set(err, ERROR_MEMORY, "out of memory for a sandbox");
    } else if (local_plan_build(&plan, &setup, command.argv, err) < 0 ||
               spawn(box, &plan, &setup, err) < 0) {
        free(box);
        box = NULL;
    }
    close_files(&setup);
    return box;
}

static int local_settle(void *state, struct engine_box *box, struct error *err)
{
    (void)state, (void)box, (void)err;
    return 0; /* no limit slows down the warming */
}

static void local_destroy(void *state, struct engine_box *box)
{
    (void)state;
    kill_process(box);
    free(box);
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
    prepare(local, true, NULL, &why); /* what is missing now may be installed later */
    return local;
fail:
    local_close(local);
    return NULL;
}

static int local_works(void *state, struct error *err)
{
    return prepare(state, true, NULL, err);
}

/* A sum, because a folder may list its files in any order. */
static void add_state(uint64_t *sum, const char *name, const struct stat *status)
{
    const uint64_t numbers[] = {(uint64_t)status->st_size, (uint64_t)status->st_mtim.tv_sec,
                                (uint64_t)status->st_mtim.tv_nsec, status->st_ino, status->st_dev};

    *sum += hash_bytes(hash_bytes(HASH_START, name, strlen(name)), numbers, sizeof numbers);
}

/* Identifies the files and python3 by their names, inodes, sizes and times. */
static int local_made_of(void *state, char text[ENGINE_MADE_OF_CAP], struct error *err)
{
    struct local *local = state;
    struct local_setup setup = {.file_count = 0};
    struct stat status = {0};
    uint64_t sum = 0;
    int rc;

    if (open_files(&setup, local->share_dir, err) < 0)
        return -1;
    rc = stat(LOCAL_PYTHON, &status);
    add_state(&sum, LOCAL_PYTHON, &status);
    for (size_t i = 0; rc == 0 && i < setup.file_count; i++) {
        rc = fstat(setup.files[i].fd, &status);
        add_state(&sum, setup.files[i].name, &status);
    }
    if (rc < 0)
        error_set(err, ERROR_UNAVAILABLE, "%s: %s", LOCAL_PYTHON, strerrordesc_np(errno));
    close_files(&setup);
    snprintf(text, ENGINE_MADE_OF_CAP, "%016" PRIx64, sum);
    return rc;
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
    close_files(&setup);
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
    .stderr_tail = last_words,
};
