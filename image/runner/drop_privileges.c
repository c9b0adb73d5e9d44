/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/drop_privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "image/runner/log_error.h"
#include "image/runner/landlock.h"
#include "image/runner/seccomp.h"
#include "image/runner/zygote.h"

#define CPU_SECONDS        120 /* backstop for the deadlines: warming, importing and running together */
#define ZYGOTE_CPU_SECONDS 900 /* for warming, and some milliseconds a clone */
#define OPEN_FILES         64
#define STACK_BYTES        (16u << 20)

/* What the interpreter finds in its environment: one thread, one locale, one time zone. */
static char *const environment[] = {"LANG=C.UTF-8",
                                    "TZ=UTC",
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
        /* A zygote's own walls let it clone; its copies have this limit again. */
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

/* First to go when the machine or the container has no memory left. A wish: there may be no /proc.
 */
static void offer_to_oom_killer(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)!write(fd, "1000", 4);
    close(fd);
}

/* As root, too, without any capability, now and after exec. */
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

/* Where it stays over exec. The one that was is left open, to be closed on exec. */
static int place(int fd, int at)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 16);

    return high < 0 || dup2(high, at) < 0 ? log_errno("descriptor %d", at) : 0;
}

/* 0 null, 1 out, 2 err, 3 control, and nothing else. */
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

    offer_to_oom_killer();
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
    if ((options->session ? seccomp_confine_zygote() : seccomp_confine_interpreter()) < 0)
        return -1;
#endif
    return 0;
}

/* What a zygote's copies shall have around them, made while files may still be opened. */
static int leave_for_copies(const struct options *options, int *ruleset)
{
    int filter = memfd_create("filter", MFD_CLOEXEC);
    int rules = -1;

    if (filter < 0)
        return log_errno("memfd_create");
    if (seccomp_write_interpreter(filter) < 0 || place(filter, ZYGOTE_FILTER_FD) < 0)
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
    char *argv[] = {(char *)options->python,
                    "-I",
                    "-B",
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
    execve(options->python, argv, environment);
    log_errno("cannot start %s", options->python);
    _exit(DROP_PRIVILEGES_FAILED);
}

_Noreturn void drop_privileges_and_exec(const struct options *options, const struct ends *its)
{
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    int ruleset = -1;
    sigset_t none;

    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    sigaction(SIGPIPE, &plain, NULL);
    umask(077);
    setsid();
    if (place_descriptors(its) < 0 || chdir("/") < 0 ||
        (options->session && leave_for_copies(options, &ruleset) < 0) || confine(options) < 0)
        _exit(DROP_PRIVILEGES_FAILED);
    start(options, ruleset);
}
