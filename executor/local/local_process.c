/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/local/local_process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/owner.h"
#include "helpers/base/cleanup.h"

#define IOPRIO_LOWEST_BE                                                                           \
    (2 << 13 | 7) /* class best-effort, level 7: ioprio_set(2) has no header                       \
                   */

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

int local_spawn(struct local_process *process, const struct local_plan *plan, const int *fds,
                size_t fd_count, struct error *err)
{
    int stream[2] = {-1, -1}, errors[2] = {-1, -1};

    memset(process, 0, sizeof *process);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream) < 0 ||
        pipe2(errors, O_CLOEXEC | O_NONBLOCK) < 0) {
        error_errno(err, errno, "a channel to the sandbox");
        goto fail;
    }
    fcntl(stream[0], F_SETFL, O_NONBLOCK);
    process->pid = fork();
    if (process->pid == 0)
        become(plan, fds, fd_count, stream[1], errors[1]);
    if (process->pid < 0) {
        error_errno(err, errno, "fork");
        goto fail;
    }
    setpgid(process->pid, process->pid); /* here as well: whichever of the two comes first */
    close(stream[1]);
    close(errors[1]);
    process->stream = stream[0];
    process->errors = errors[0];
    return 0;
fail:
    for (int i = 0; i < 2; i++) {
        if (stream[i] >= 0)
            close(stream[i]);
        if (errors[i] >= 0)
            close(errors[i]);
    }
    return -1;
}

const char *local_stderr_tail(struct local_process *process)
{
    char text[1024];
    ssize_t got;

    while ((got = read(process->errors, text, sizeof text)) > 0)
        runner_stderr_add(&process->tail, text, (size_t)got);
    return runner_stderr_line(&process->tail);
}

void local_forget(struct local_process *process)
{
    close(process->stream);
    close(process->errors);
}

void local_kill(struct local_process *process)
{
    /* Killing bubblewrap ends its PID namespace with all that is in it. The whole group, because
     * bubblewrap's inner process, while it is still being made, does not yet die with the outer
     * one. */
    kill(-process->pid, SIGKILL);
    kill(process->pid, SIGKILL);
    while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    local_stderr_tail(process);
    local_forget(process);
}

/* ---- orphans ---- */

#define TEXT_CAP 16384 /* bytes of a command line that are looked at */

static size_t read_command(long pid, char text[TEXT_CAP])
{
    char path[64];
    ssize_t len;

    snprintf(path, sizeof path, "/proc/%ld/cmdline", pid);
    cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0; /* gone, or not ours to see */
    len = read(fd, text, TEXT_CAP - 1);
    text[len > 0 ? len : 0] = '\0';
    return len > 0 ? (size_t)len : 0;
}

/* The words of its command line: bwrap the first, the runner's place in the sandbox and a dead
 * owner among them. */
static bool is_orphan(long pid)
{
    char text[TEXT_CAP];
    size_t len = read_command(pid, text), first = strlen(text);
    const char *owner = NULL, *word;
    bool ours = false;

    if (len == 0 || first < strlen("bwrap") || strcmp(text + first - strlen("bwrap"), "bwrap") != 0)
        return false;
    for (size_t at = 0; at < len; at += strlen(word) + 1) {
        word = text + at;
        ours = ours || strcmp(word, RUNNER_FOLDER "/runner") == 0;
        if (!owner && strcmp(word, LOCAL_OWNER) == 0 && at + strlen(word) + 1 < len)
            owner = word + strlen(word) + 1;
    }
    return ours && owner && owner_is_dead(owner);
}

size_t local_orphans_end(void)
{
    cleanup_dir DIR *processes = opendir("/proc");
    struct dirent *entry;
    size_t ended = 0;

    /* The stream is this call's own. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while (processes && (entry = readdir(processes))) {
        long pid = strtol(entry->d_name, NULL, 10);

        if (pid > 1 && is_orphan(pid) && kill((pid_t)pid, SIGKILL) == 0)
            ended++;
    }
    return ended;
}
