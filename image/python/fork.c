/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A library that the interpreter loads while it warms up. Its functions confine the process for the
 * job: `narrow` an interpreter that will run it itself, `zygote_serve` each copy of a zygote
 * (image/runner/zygote.h); it returns only in the copies. It is in C so that no Python code runs
 * between the clone and the confinement of the copy.
 *
 * zygote_serve uses the raw clone call, because glibc's fork does not support CLONE_PARENT. That is
 * safe here: there is one thread, so no other thread holds a lock. glibc would also update the
 * thread id in its control block, which this process does not use (raise and abort ask the kernel).
 * The caller does Python's part: PyOS_BeforeFork before, PyOS_AfterFork_Child after.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "image/runner/log_error.h"
#include "image/runner/descriptors.h"
#include "image/runner/zygote.h"

#define EXIT_FAILED 125

#ifndef __NR_landlock_restrict_self
#define __NR_landlock_restrict_self 446
#endif

static struct sock_filter filter[BPF_MAXINSNS];
static struct sock_fprog program = {.filter = filter};
static char own_score[ZYGOTE_SCORE_CAP]; /* for the OOM killer; "" if it cannot be changed */

/* Returns -1 if it is not a complete program that names the process. */
static int load_filter(void)
{
    ssize_t len = pread(ZYGOTE_FILTER_FD, filter, sizeof filter, 0);

    if (len <= 0 || (size_t)len == sizeof filter || (size_t)len % sizeof *filter != 0)
        return log_error("the filter for the job cannot be read");
    program.len = (unsigned short)((size_t)len / sizeof *filter);
    return close(ZYGOTE_FILTER_FD);
}

static void set_score(const char *score)
{
    if (own_score[0])
        (void)!write(ZYGOTE_SCORE_FD, score, strlen(score));
}

static void name_process(uint32_t pid)
{
    for (unsigned i = 0; i < program.len; i++) {
        if (filter[i].code == (BPF_JMP | BPF_JEQ | BPF_K) && filter[i].k == ZYGOTE_PID_MARK)
            filter[i].k = pid;
    }
}

static int apply_filter(void)
{
    name_process((uint32_t)getpid());
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0u, &program) < 0)
        return log_errno("seccomp");
    return 0;
}

static int limit(int resource, rlim_t soft, rlim_t hard)
{
    struct rlimit now, wanted = {soft, hard};

    if (getrlimit(resource, &now) < 0)
        return log_errno("getrlimit %d", resource);
    if (wanted.rlim_max > now.rlim_max)
        wanted.rlim_max = now.rlim_max;
    if (wanted.rlim_cur > wanted.rlim_max)
        wanted.rlim_cur = wanted.rlim_max;
    return setrlimit(resource, &wanted) < 0 ? log_errno("setrlimit %d", resource) : 0;
}

/* Called in the copy: replaces the zygote's permissions by those of an interpreter, permanently.
 * Limits of memory and files, dropped capabilities, no_new_privs and protection from debuggers are
 * inherited by the clone. */
static int confine(int ruleset, pid_t runner)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
        return log_errno("PR_SET_PDEATHSIG");
    if (getppid() != runner)
        return -1;
    if (limit(RLIMIT_NPROC, 0, 0) < 0 ||
        limit(RLIMIT_CPU, COPY_CPU_SECONDS, COPY_CPU_SECONDS + 5) < 0)
        return -1;
    if (ruleset >= 0 && syscall(__NR_landlock_restrict_self, ruleset, 0u) < 0)
        return log_errno("landlock_restrict_self");
    if (close_range(ZYGOTE_CONTROL_FD + 1, ~0u, 0) < 0)
        return log_errno("close_range");
    return apply_filter();
}

/* The three descriptors replace the zygote's own. */
static int take_ends(const int ends[ZYGOTE_ENDS])
{
    if (dup2(ends[ZYGOTE_OUT], STDOUT_FILENO) < 0 || dup2(ends[ZYGOTE_ERR], STDERR_FILENO) < 0 ||
        dup2(ends[ZYGOTE_CONTROL], ZYGOTE_CONTROL_FD) < 0)
        return log_errno("dup2");
    return 0;
}

static int answer(pid_t pid, int pidfd)
{
    struct zygote_answer said = {pid < 0 ? -errno : pid};
    int proofs[ZYGOTE_PROOFS] = {pidfd, pid < 0 ? -1 : open_statm(pid)};
    size_t count = proofs[ZYGOTE_STATM] < 0 ? 1 : 2;
    int done = descriptors_send(ZYGOTE_CONTROL_FD, &said, sizeof said, proofs, pid < 0 ? 0 : count);

    for (size_t i = 0; i < ZYGOTE_PROOFS; i++) {
        if (proofs[i] >= 0)
            close(proofs[i]);
    }
    return done;
}

/* Makes one copy. Returns 0 in the copy and the pid in the zygote; -1 if the runner is gone. */
static pid_t serve_one(int ruleset, pid_t runner)
{
    int ends[ZYGOTE_ENDS], pidfd = -1;
    unsigned char asked = 0;
    pid_t pid;

    if (descriptors_receive(ZYGOTE_CONTROL_FD, &asked, sizeof asked, ends, ZYGOTE_ENDS) !=
            ZYGOTE_ENDS ||
        asked != ZYGOTE_ASK)
        return -1;
    set_score("1000");
    pid = (pid_t)syscall(SYS_clone, (unsigned long)ZYGOTE_CLONE_FLAGS, NULL, &pidfd, NULL, NULL);
    if (pid == 0) {
        if (take_ends(ends) < 0 || confine(ruleset, runner) < 0)
            _exit(EXIT_FAILED);
        return 0;
    }
    set_score(own_score);
    if (answer(pid, pidfd) < 0)
        return -1;
    for (size_t i = 0; i < ZYGOTE_ENDS; i++)
        close(ends[i]);
    return pid < 0 ? 1 : pid;
}

__attribute__((visibility("default"))) int narrow(void);
__attribute__((visibility("default"))) int zygote_prepare(void);
__attribute__((visibility("default"))) void zygote_serve(int ruleset);

static int leave_debuggers(void)
{
    return prctl(PR_SET_DUMPABLE, 0) < 0 ? log_errno("PR_SET_DUMPABLE") : 0;
}

/* Called when all is warm, before the job is read. Returns -1 with a message logged. */
int narrow(void)
{
    return leave_debuggers() < 0 || load_filter() < 0 || apply_filter() < 0 ? -1 : 0;
}

/* Called while warming, when error messages are still read. Returns -1 with one. */
int zygote_prepare(void)
{
    if (leave_debuggers() < 0)
        return -1;
    if (pread(ZYGOTE_SCORE_FD, own_score, sizeof own_score - 1, 0) < 0)
        own_score[0] = '\0';
    return load_filter();
}

/* ruleset: ZYGOTE_RULESET_FD, or -1 where the kernel has no Landlock. Returns in each copy. */
void zygote_serve(int ruleset)
{
    pid_t runner = getppid();
    pid_t pid = 1;

    while (pid > 0)
        pid = serve_one(ruleset, runner);
    if (pid < 0)
        _exit(EXIT_SUCCESS); /* the runner is gone */
}
