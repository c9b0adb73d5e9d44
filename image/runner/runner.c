/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The runner: the first process of a sandbox, PID 1 of the container or the main process under
 * bubblewrap. It starts the interpreter confined, speaks frames (executor/frame.h) with the server
 * on its standard input and output, keeps the job's deadline and caps, and ends with the job. When
 * the server hangs up it kills the interpreter and ends at once, so that nothing is left behind.
 *
 *      runner --kind data --preload numpy,pandas,networkx --memory-mb 256
 *
 * With --isolation session it does not end with the job: each runs in a clean copy of the
 * interpreter that has warmed up (zygote.h), until the server hangs up.
 *
 * One thread. Only the runner writes frames to the server; what the interpreter says is checked
 * first. Exit status: 0 after a job or a hang-up, 1 with a message logged on standard error.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "image/runner/child.h"
#include "image/runner/log_error.h"
#include "image/runner/landlock.h"
#include "image/runner/options.h"
#include "image/runner/run.h"
#include "image/runner/seccomp.h"

/* Whatever was ignored when the runner was started: by the raw call, for the C library keeps two
 * signals to itself and refuses them. */
static void reset_signals(void)
{
    static const unsigned long plain[4]; /* the kernel's struct: SIG_DFL, no flags, no mask */

    for (int number = 1; number < NSIG; number++)
        syscall(SYS_rt_sigaction, number, plain, NULL, sizeof plain[0]);
}

static int watch_signals(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t set;
    int fd;

    reset_signals();
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    if (sigaction(SIGPIPE, &ignore, NULL) < 0)
        return log_errno("sigaction");
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0)
        return log_error("the signals could not be blocked");
    fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    return fd < 0 ? log_errno("signalfd") : fd;
}

static int set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? log_errno("descriptor %d", fd)
                                                                   : 0;
}

/* With the interpreter running, the runner itself needs little. */
static int confine_runner(const struct child *child, bool session)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return log_errno("no_new_privs");
    if (landlock_confine_runner() < 0)
        return -1;
    return seccomp_confine_runner(child->pid, session);
}

int main(int argc, char **argv)
{
    struct options options;
    struct child child;
    int signals, status;

    if (options_read(&options, argc, argv) < 0)
        return 1;
    signals = watch_signals();
    if (signals < 0 || set_nonblocking(STDIN_FILENO) < 0 || set_nonblocking(STDOUT_FILENO) < 0)
        return 1;
    if (child_start(&child, &options) < 0 || confine_runner(&child, options.session) < 0)
        return 1;
    status = run_loop(&child, &options, signals);
    _exit(status);
}
