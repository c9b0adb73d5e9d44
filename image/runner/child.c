/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "image/runner/drop_privileges.h"
#include "image/runner/log_error.h"
#include "image/runner/landlock.h"
#include "image/runner/seccomp.h"
#include "image/runner/zygote.h"

#define START_MS_MAX 10000 /* from fork to exec */

static int open_statm(pid_t pid)
{
    char path[32];

    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* What Python may write to, less than the cap: its code's pages and the runner count there too, and
 * the code shall meet a MemoryError, which it can tell, before anybody kills it. Set from outside,
 * while the child waits for its exec: a build with a sanitizer has more before. */
static int limit_memory(pid_t pid, const struct options *options)
{
    rlim_t bytes = ((rlim_t)options->memory_mb << 20) / 6 * 5;
    const struct rlimit limit = {bytes, bytes};

    return prlimit(pid, RLIMIT_DATA, &limit, NULL) < 0 ? log_errno("prlimit") : 0;
}

/* Once the child has sent what its one exec waits for. Where it failed before, its own message
 * comes through its standard error. */
static int let_it_start(struct child *child, const struct options *options)
{
    struct pollfd waiting = {.fd = child->ends.control, .events = POLLIN};
    uint64_t asked;
    int listener;
    char byte;

    if (poll(&waiting, 1, START_MS_MAX) != 1 ||
        descriptors_receive(child->ends.control, &byte, 1, &listener, 1) < 0)
        return 0;
    if (listener < 0)
        return limit_memory(child->pid, options);
    child->exec_once = true;
    if (seccomp_exec_once_wait(listener, START_MS_MAX, &asked) < 0 ||
        limit_memory(child->pid, options) < 0)
        return -1;
    return seccomp_exec_once_end(listener, asked);
}

int child_start(struct child *child, const struct options *options)
{
    struct ends its;
    pid_t runner = getpid();

    *child = (struct child){.pidfd = -1, .statm = -1, .landlock_abi = landlock_abi()};
    if (ends_make(&child->ends, &its) < 0)
        return -1;
    child->pid = fork();
    if (child->pid < 0)
        return log_errno("fork");
    if (child->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != runner)
            _exit(DROP_PRIVILEGES_FAILED);
        drop_privileges_and_exec(options, &its);
    }
    /* From here on no other process of this user reads the runner's memory or descriptors. */
    if (prctl(PR_SET_DUMPABLE, 0) < 0)
        return log_errno("PR_SET_DUMPABLE");
    ends_close(&its);
    child->statm = open_statm(child->pid);
    return let_it_start(child, options);
}

void child_signal(const struct child *child, int signal)
{
    if (child->pidfd >= 0)
        syscall(SYS_pidfd_send_signal, child->pidfd, signal, NULL, 0u);
    else if (child->pid > 0)
        kill(child->pid, signal);
}

void child_finish(struct child *child)
{
    ends_close(&child->ends);
    if (child->statm >= 0)
        close(child->statm);
    if (child->pidfd >= 0)
        close(child->pidfd);
    child->statm = child->pidfd = -1;
}

unsigned long long child_resident(const struct child *child)
{
    char text[128] = "";
    unsigned long long resident = 0;
    ssize_t len = child->statm < 0 ? -1 : pread(child->statm, text, sizeof text - 1, 0);
    char *second = len > 0 ? strchr(text, ' ') : NULL;

    if (second)
        resident = strtoull(second, NULL, 10);
    return resident * (unsigned long long)sysconf(_SC_PAGESIZE);
}

int child_ask_copy(const struct child *zygote, struct child *copy)
{
    const unsigned char word = ZYGOTE_ASK;
    struct ends its;
    int fds[ZYGOTE_ENDS];
    int done;

    *copy = (struct child){.pidfd = -1,
                           .statm = -1,
                           .landlock_abi = zygote->landlock_abi,
                           .exec_once = zygote->exec_once};
    if (ends_make(&copy->ends, &its) < 0)
        return -1;
    fds[ZYGOTE_OUT] = its.out;
    fds[ZYGOTE_ERR] = its.err;
    fds[ZYGOTE_CONTROL] = its.control;
    done = descriptors_send(zygote->ends.control, &word, sizeof word, fds, ZYGOTE_ENDS);
    ends_close(&its);
    return done;
}

int child_take_copy(const struct child *zygote, struct child *copy)
{
    struct zygote_answer said = {0};
    int proofs[ZYGOTE_PROOFS];
    int count =
        descriptors_receive(zygote->ends.control, &said, sizeof said, proofs, ZYGOTE_PROOFS);

    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (copy->pid != 0 || count < 0)
        return log_error("the warm interpreter has ended");
    if (said.pid < 0) {
        errno = -said.pid;
        return log_errno("the warm interpreter could not be copied");
    }
    copy->pid = said.pid;
    copy->pidfd = proofs[ZYGOTE_PIDFD];
    copy->statm = proofs[ZYGOTE_STATM];
    if (said.pid < 2 || copy->pidfd < 0)
        return log_error("the warm interpreter did not say what its copy is");
    return 1;
}
