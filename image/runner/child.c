/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image/runner/log_error.h"
#include "image/runner/kills.h"
#include "image/runner/landlock.h"
#include "image/runner/seccomp.h"
#include "image/runner/zygote.h"

/* Turns a fork of the runner into the interpreter. The order is: its own session, descriptors,
 * resource limits, capabilities, no_new_privs, Landlock, seccomp, exec. A zygote gets the same,
 * except for what cloning needs, plus what it passes on to its copies. */
#define DROP_PRIVILEGES_FAILED 125 /* exit status of a child that failed before exec */
#define CPU_SECONDS            120 /* limit besides the deadlines: warming, importing and running together */
#define ZYGOTE_CPU_SECONDS     900 /* for warming, and some milliseconds for each clone */
#define OPEN_FILES             64
#define STACK_BYTES            (16u << 20)

/* The interpreter's environment: one thread, one time zone. The pinned Python has no locale but C,
 * in which -X utf8 makes texts and names of files UTF-8. */
static char *const environment[] = {"TZ=UTC",
                                    "HOME=/",
                                    "OPENBLAS_NUM_THREADS=1",
                                    "OMP_NUM_THREADS=1",
                                    "MKL_NUM_THREADS=1",
                                    "NUMEXPR_NUM_THREADS=1",
                                    "NUMEXPR_MAX_THREADS=1",
                                    "MALLOC_ARENA_MAX=1",
                                    NULL};

static int limit_resources(const struct options *options)
{
    rlim_t cpu = options->session ? ZYGOTE_CPU_SECONDS : CPU_SECONDS;
    const struct {
        int resource;
        rlim_t soft, hard;
    } limits[] = {
        {RLIMIT_NOFILE, OPEN_FILES, OPEN_FILES},
        {RLIMIT_CORE, 0, 0},
        {RLIMIT_FSIZE, 0, 0},
        /* A zygote must be able to clone; its copies get this limit again. */
        {RLIMIT_NPROC, options->session ? RLIM_INFINITY : 0, options->session ? RLIM_INFINITY : 0},
        {RLIMIT_MEMLOCK, 0, 0},
        {RLIMIT_MSGQUEUE, 0, 0},
        {RLIMIT_STACK, STACK_BYTES, STACK_BYTES},
        {RLIMIT_CPU, cpu, cpu + 5},
    };

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit limit = {limits[i].soft, limits[i].hard}, now;

        if (getrlimit(limits[i].resource, &now) < 0)
            return log_errno("getrlimit %d", limits[i].resource);
        if (now.rlim_max < limit.rlim_max)
            limit.rlim_max = now.rlim_max;
        if (limit.rlim_max < limit.rlim_cur)
            limit.rlim_cur = limit.rlim_max;
        if (setrlimit(limits[i].resource, &limit) < 0)
            return log_errno("setrlimit %d", limits[i].resource);
    }
    return 0;
}

/* Makes it the OOM killer's first choice. A zygote is a later one than its copies, and not before
 * the runner, because a lower score needs a privilege. Returns its score, to be changed for each
 * clone (zygote.h); -1 without /proc. */
static int offer_to_oom_killer(bool session)
{
    int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
    char text[ZYGOTE_SCORE_CAP] = "";
    long own;

    if (fd < 0 || pread(fd, text, sizeof text - 1, 0) < 0)
        return fd;
    own = strtol(text, NULL, 10);
    dprintf(fd, "%ld", session ? own + (1000 - own) / 5 : 1000);
    return fd;
}

/* Drops all capabilities, even as root, now and after exec. */
static int drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

    for (unsigned long cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++) {
        if (prctl(PR_CAPBSET_DROP, cap) < 0 && errno != EPERM)
            return log_errno("drop capability %lu", cap);
    }
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capset, &header, none) < 0)
        return log_errno("drop capabilities");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return log_errno("no_new_privs");
    return 0;
}

/* Moves a descriptor to a number where it survives exec. The original stays open until exec. */
static int place(int fd, int at)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 16);

    return high < 0 || dup2(high, at) < 0 ? log_errno("descriptor %d", at) : 0;
}

/* 0 null, 1 out, 2 err, 3 control, and no others. */
static int place_descriptors(const struct ends *its)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int from[] = {null, its->out, its->err, its->control};
    int high[4];

    if (null < 0)
        return log_errno("/dev/null");
    for (int i = 0; i < 4; i++)
        high[i] = fcntl(from[i], F_DUPFD_CLOEXEC, 16);
    for (int i = 0; i < 4; i++) {
        if (high[i] < 0 || dup2(high[i], i) < 0)
            return log_errno("descriptor %d", i);
    }
    return close_range(4, ~0u, 0) < 0 ? log_errno("close_range") : 0;
}

static int confine(const struct options *options)
{
    int listener = -1;

    if (!options->session)
        close(offer_to_oom_killer(false));
    if (limit_resources(options) < 0 || drop_capabilities() < 0)
        return -1;
#ifdef LECTERN_TEST_WITHOUT_LANDLOCK
    (void)options;
#else
    if (landlock_confine_interpreter(options) < 0)
        return -1;
#endif
#ifndef LECTERN_TEST_WITHOUT_SECCOMP
    listener = seccomp_exec_once_begin();
#endif
    if (descriptors_send(ZYGOTE_CONTROL_FD, "n", 1, &listener, listener >= 0) < 0)
        return -1;
#ifndef LECTERN_TEST_WITHOUT_SECCOMP
    if ((options->session ? seccomp_confine_zygote() : seccomp_confine_start()) < 0)
        return -1;
#endif
    return 0;
}

/* Leaves the filter for the job, which the interpreter applies to itself when it is warm. */
static int leave_filter(void)
{
    int filter = memfd_create("filter", MFD_CLOEXEC);

    if (filter < 0)
        return log_errno("memfd_create");
    return seccomp_write_interpreter(filter) < 0 ? -1 : place(filter, ZYGOTE_FILTER_FD);
}

/* Creates the further restrictions for a zygote's copies while files can still be opened. */
static int leave_for_copies(const struct options *options, int *ruleset)
{
    int score = offer_to_oom_killer(true);
    int rules = -1;

    if (score >= 0 && place(score, ZYGOTE_SCORE_FD) < 0)
        return -1;
#ifdef LECTERN_TEST_WITHOUT_LANDLOCK
    (void)options;
#else
    if (landlock_abi() > 0) {
        rules = landlock_rules(options);
        if (rules < 0 || place(rules, ZYGOTE_RULESET_FD) < 0)
            return -1;
    }
#endif
    *ruleset = rules < 0 ? -1 : ZYGOTE_RULESET_FD;
    return 0;
}

static _Noreturn void start(const struct options *options, int ruleset)
{
    char memory[16], rules[16];
    char *argv[] = {(char *)options->loader,
                    "--inhibit-cache",
                    "--library-path",
                    (char *)options->libraries,
                    (char *)options->python,
                    "-I",
                    "-B",
                    "-X",
                    "utf8",
                    (char *)options->interpreter,
                    "--preload",
                    (char *)options->preload,
                    "--helpers",
                    (char *)options->helpers,
                    "--memory-mb",
                    memory,
                    options->session ? "--ruleset" : NULL,
                    rules,
                    NULL};

    snprintf(memory, sizeof memory, "%u", options->memory_mb);
    snprintf(rules, sizeof rules, "%d", ruleset);
    execve(argv[0], argv, environment);
    log_errno("cannot start %s", argv[0]);
    _exit(DROP_PRIVILEGES_FAILED);
}

/* Called in the child, with its own ends. Its messages go to its standard error, which the runner
 * passes on. */
static _Noreturn void drop_privileges_and_exec(const struct options *options,
                                               const struct ends *its)
{
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    int ruleset = -1;
    sigset_t none;

    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    sigaction(SIGPIPE, &plain, NULL);
    umask(077);
    setsid();
    if (place_descriptors(its) < 0 || leave_filter() < 0 ||
        (options->session && leave_for_copies(options, &ruleset) < 0) || confine(options) < 0)
        _exit(DROP_PRIVILEGES_FAILED);
    start(options, ruleset);
}

/* ---- the runner's side ---- */

#define START_MS_MAX 10000 /* from fork to exec */
/* Pages that nothing is written to are no data, but their page tables take memory: 8 MB for this.
 */
#define ADDRESS_SPACE_BYTES (UINT64_C(4) << 30)

/* Limits Python's writable memory to less than the cap: code pages and the runner count towards the
 * cap too, and the code should get a MemoryError, which it can report, before it is killed. Set
 * from outside while the child waits for its exec, because a build with a sanitizer needs more
 * before that. */
static int limit_memory(pid_t pid, const struct options *options)
{
    rlim_t bytes = ((rlim_t)options->memory_mb << 20) / 6 * 5;
    const struct rlimit data = {bytes, bytes}, space = {ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES};

    if (prlimit(pid, RLIMIT_DATA, &data, NULL) < 0 || prlimit(pid, RLIMIT_AS, &space, NULL) < 0)
        return log_errno("prlimit");
    return 0;
}

/* Called after the child has sent the descriptor on which its exec waits. If it failed before, its
 * message is on its standard error. */
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

    *child =
        (struct child){.pidfd = -1, .statm = -1, .kills_fd = -1, .landlock_abi = landlock_abi()};
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
    /* From here on no other process of this user can read the runner's memory or descriptors. */
    if (prctl(PR_SET_DUMPABLE, 0) < 0)
        return log_errno("PR_SET_DUMPABLE");
    ends_close(&its);
    child->statm = open_statm(child->pid);
    if (runner == 1) /* outside a container the kernel counts those of others too */
        child->kills_fd = kills_open(KILLS_ROOT);
    return let_it_start(child, options);
}

void child_signal(const struct child *child, int signal)
{
    if (child->pidfd >= 0)
        syscall(SYS_pidfd_send_signal, child->pidfd, signal, NULL, 0u);
    else if (child->pid > 0)
        kill(signal == SIGKILL ? -child->pid : child->pid, signal);
}

pid_t child_wait(const struct child *child, int *status)
{
    bool copy = child->pidfd >= 0;
    siginfo_t info = {0};

    /* Until it is reaped, no other group can have its number. */
    if (!copy && waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == child->pid)
        child_signal(child, SIGKILL);
    return waitpid(copy ? child->pid : -1, status, WNOHANG);
}

void child_finish(struct child *child)
{
    ends_close(&child->ends);
    if (child->statm >= 0)
        close(child->statm);
    if (child->pidfd >= 0)
        close(child->pidfd);
    child->statm = child->pidfd = -1; /* its count of kills is needed to the end */
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
                           .kills_fd = -1,
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
