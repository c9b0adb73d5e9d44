/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/local/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/base/cleanup.h"

/* Class best-effort, level 7: ioprio_set(2) has no header. */
#define IOPRIO_LOWEST_BE (2 << 13 | 7)
#define TRIAL_MS         5000 /* time limit of one trial */

/* An empty folder that is already removed: nothing can be created in it, and nothing is left of it.
 */
static int enter_removed_folder(const char *folder)
{
    return mkdir(folder, 0700) < 0 || chdir(folder) < 0 || rmdir(folder) < 0 ? -1 : 0;
}

/* Says so where spawn_last_words finds it. */
static _Noreturn void give_up(const char *what)
{
    (void)!write(STDERR_FILENO, what, strlen(what));
    _exit(126);
}

/* With the group of the same number, and no other group. By system calls: the C library's functions
 * would change the other threads too, which the child of a fork does not have. */
static void become_user(uid_t user)
{
    if (syscall(SYS_setresgid, user, user, user) == 0 && syscall(SYS_setgroups, 0, NULL) == 0 &&
        syscall(SYS_setresuid, user, user, user) == 0)
        return;
    give_up("the server is root and may not become another user: give it CAP_SETUID and "
            "CAP_SETGID, run it as an ordinary user, or use Docker");
}

/* ---- the PID namespace ---- */

struct ids {
    uid_t user;
    gid_t group;
};

/* Like fork(). Root may make a PID namespace; others may in a user namespace of their own. Where
 * neither is allowed it is a plain fork. */
static pid_t fork_contained(const struct ids *ids)
{
    unsigned long flags = CLONE_NEWPID | (ids->user == 0 ? 0 : CLONE_NEWUSER) | SIGCHLD;
    long pid = syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);

    return pid < 0 ? fork() : (pid_t)pid;
}

static int write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t len = (ssize_t)strlen(text);
    int rc = fd < 0 || write(fd, text, (size_t)len) != len ? -1 : 0;

    close(fd);
    return rc;
}

/* Decimal digits of a number, from the end of text; async-signal-safe. */
static const char *digits(char text[16], unsigned number)
{
    char *at = text + 15;

    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return at;
}

/* In the new user namespace the process keeps the ids that it had: user_namespaces(7). */
static int map_ids(const struct ids *ids)
{
    const unsigned numbers[] = {ids->user, ids->group};
    static const char *const paths[] = {"/proc/self/uid_map", "/proc/self/gid_map"};

    if (write_file("/proc/self/setgroups", "deny") < 0)
        return -1;
    for (size_t i = 0; i < 2; i++) {
        char text[16], line[48];
        const char *number = digits(text, numbers[i]);

        stpcpy(stpcpy(stpcpy(stpcpy(line, number), " "), number), " 1");
        if (write_file(paths[i], line) < 0)
            return -1;
    }
    return 0;
}

/* ---- between fork and exec ---- */

/* The server's end of the stream is closed. */
static bool is_server_gone(void)
{
    struct pollfd stream = {.fd = STDIN_FILENO};

    return poll(&stream, 1, 0) != 0;
}

/* Runs between fork and exec, so it may only make async-signal-safe calls. Never returns. */
static void become(const struct local_plan *plan, const struct local_setup *setup,
                   const struct cgroup *group, int stream, int errors, const struct ids *ids)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int signal_number = 1; signal_number < NSIG; signal_number++)
        sigaction(signal_number, &plain, NULL);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0); /* its own process group: it is killed as a whole, and the terminal does not
                      signal it */
    if (plan->contained && getpid() == 1 && ids->user != 0 && map_ids(ids) < 0)
        give_up("the user of a new namespace cannot be mapped");
    if (dup2(stream, STDIN_FILENO) < 0 || dup2(stream, STDOUT_FILENO) < 0 ||
        dup2(errors, STDERR_FILENO) < 0)
        _exit(126);
    if (group && group->procs >= 0 && write(group->procs, "0", 1) != 1)
        give_up("its control group cannot be entered");
    /* Descriptors that a library opened without close-on-exec must not be inherited. */
    if (close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) < 0) {
        for (int fd = STDERR_FILENO + 1; fd < (int)sysconf(_SC_OPEN_MAX); fd++)
            fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    for (size_t i = 0; plan->files && i < setup->file_count; i++)
        fcntl(setup->files[i].fd, F_SETFD, 0);
    for (size_t i = 0; i < local_limit_count; i++) {
        struct rlimit limit = {.rlim_cur = local_limits[i].value,
                               .rlim_max = local_limits[i].value};

        if (setrlimit((__rlimit_resource_t)local_limits[i].resource, &limit) < 0 && errno != EPERM)
            _exit(126);
    }
    setpriority(PRIO_PROCESS, 0, LOCAL_NICE);
    syscall(SYS_ioprio_set, 1, 0, IOPRIO_LOWEST_BE);
    if (plan->folder[0] && enter_removed_folder(plan->folder) < 0)
        give_up("no working folder can be made in TMPDIR, or in /tmp if that is not set");
    if (plan->user != 0)
        become_user(plan->user);
    /* After the change of user, which would undo it. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || is_server_gone())
        _exit(126);
    execve(plan->argv[0], (char *const *)plan->argv, (char *const *)plan->environment);
    give_up(errno == EACCES ? "the user of the sandbox may not execute it"
                            : "it cannot be executed");
}

int spawn(struct engine_box *box, const struct local_plan *plan, const struct local_setup *setup,
          const struct cgroup *group, struct error *err)
{
    const struct ids ids = {geteuid(), getegid()};
    int stream[2], errors[2];

    memset(box, 0, sizeof *box);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream) < 0)
        return error_errno(err, errno, "a channel to the sandbox");
    cleanup_fd int mine = stream[0], its = stream[1];
    if (pipe2(errors, O_CLOEXEC | O_NONBLOCK) < 0)
        return error_errno(err, errno, "a channel to the sandbox");
    cleanup_fd int words = errors[0], its_words = errors[1];
    fcntl(mine, F_SETFL, O_NONBLOCK);
    box->pid = plan->contained ? fork_contained(&ids) : fork();
    if (box->pid == 0) {
        close(mine); /* so that the stream tells whether the server is gone */
        become(plan, setup, group, its, its_words, &ids);
    }
    if (box->pid < 0)
        return error_errno(err, errno, "fork");
    setpgid(box->pid, box->pid); /* also done here, because either process may run first */
    box->stream = steal_fd(&mine);
    box->errors = steal_fd(&words);
    return 0;
}

const char *spawn_last_words(struct engine_box *box)
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

void spawn_end(struct engine_box *box)
{
    /* Killing the first process of a PID namespace ends everything in it. Where there is none, the
     * group is killed, because until bubblewrap's inner process is complete it does not die with
     * the outer one. Killing a runner without namespaces ends its interpreter
     * (image/runner/child.c). */
    kill(-box->pid, SIGKILL);
    kill(box->pid, SIGKILL);
    while (waitpid(box->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    spawn_last_words(box);
    close_process(box);
}

int spawn_trial(const struct local_plan *plan, const struct local_setup *setup, struct error *err)
{
    struct engine_box process;
    struct pollfd poll_fd;
    int status = 0, rc;

    if (spawn(&process, plan, setup, NULL, err) < 0)
        return -1;
    poll_fd = (struct pollfd){.fd = process.stream, .events = POLLIN};
    rc = poll(&poll_fd, 1, TRIAL_MS);
    if (rc > 0 && waitpid(process.pid, &status, 0) == process.pid) {
        rc = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
        if (rc < 0)
            error_set(err, ERROR_UNAVAILABLE, "%s cannot make a sandbox here: %s", plan->argv[0],
                      spawn_last_words(&process));
        close_process(&process);
        return rc;
    }
    error_set(err, ERROR_UNAVAILABLE, "%s did not end within %d s", plan->argv[0], TRIAL_MS / 1000);
    spawn_end(&process);
    return -1;
}
