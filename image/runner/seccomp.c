/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "image/runner/log_error.h"
#include "image/runner/zygote.h"

#define ALL_BITS UINT64_C(0xffffffff)

#define CONDITIONS_MAX 2

/* An allowed call. Every condition on its arguments must hold: (argument & mask) == value. */
struct allowed {
    int call;
    unsigned conditions;
    struct {
        unsigned argument;
        uint64_t mask;
        uint64_t value;
    } when[CONDITIONS_MAX];
};

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define ANY(name)                                                                                  \
    {                                                                                              \
        .call = SCMP_SYS(name)                                                                     \
    }
#define WHEN(name, arg, bits, is)                                                                  \
    {                                                                                              \
        .call = SCMP_SYS(name), .conditions = 1, .when = { {(arg), (bits), (is)} }                 \
    }
#define WHEN_BOTH(name, arg, bits, is, arg2, bits2, is2)                                           \
    {                                                                                              \
        .call = SCMP_SYS(name), .conditions = 2, .when = {                                         \
            {(arg), (bits), (is)},                                                                 \
            {(arg2), (bits2), (is2)}                                                               \
        }                                                                                          \
    }
#define NEGATIVE UINT64_C(0x80000000)

/* Masks of the bits that must be absent, and so lists of the flags that may be there. No O_PATH, no
 * O_DIRECT, which reads past the page cache and so slows the host's disk for all. */
#define NO_OPEN_FLAGS_BUT                                                                          \
    (ALL_BITS & ~(uint64_t)(O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK))
#define NO_PROTECTION_BUT_DATA (ALL_BITS & ~(uint64_t)(PROT_READ | PROT_WRITE))
#define NO_PROTECTION_BUT_CODE (ALL_BITS & ~(uint64_t)(PROT_READ | PROT_EXEC))
#define NO_FILE_FLAGS_BUT                                                                          \
    (ALL_BITS & ~(uint64_t)(MAP_FIXED | MAP_DENYWRITE | MAP_NORESERVE | MAP_STACK))
#define NO_MAP_FLAGS_BUT (NO_FILE_FLAGS_BUT & ~(uint64_t)MAP_ANONYMOUS)
/* A futex that is not private is found by its file's page: two sandboxes could exchange bytes over
 * the pages of libraries that both have mapped. */
#define FUTEX_KIND (ALL_BITS & ~(uint64_t)FUTEX_CLOCK_REALTIME)

/* For Python that is warm: the calls that a job needs. The signal of abort() is added separately.
 * The reason of each call is in tests/data/system_calls.txt. */
static const struct allowed interpreter_calls[] = {
    ANY(read),
    ANY(readv),
    ANY(pread64),
    ANY(write),
    ANY(writev),
    ANY(close),
    ANY(lseek),
    ANY(pselect6),
    WHEN(fcntl, 1, ALL_BITS, F_GETFD),
    WHEN(fcntl, 1, ALL_BITS, F_SETFD),
    WHEN(fcntl, 1, ALL_BITS, F_GETFL),
    WHEN(fcntl, 1, ALL_BITS, F_DUPFD_CLOEXEC),
    WHEN(ioctl, 1, ALL_BITS, TCGETS),
    WHEN(ioctl, 1, ALL_BITS, FIOCLEX),
    /* opening for reading; Landlock decides which files */
    WHEN(openat, 2, NO_OPEN_FLAGS_BUT, 0),
    ANY(fstat),
    ANY(newfstatat),
    ANY(readlink),
    ANY(readlinkat),
    ANY(getdents64),
    ANY(getcwd),
    /* Memory must be private, because shared anonymous pages do not count towards a limit of the
     * process. It is writable or executable, and executable only from a file. */
    ANY(brk),
    ANY(munmap),
    ANY(mremap),
    /* No page leaves the process' memory for swap, or is merged with those of others. */
    WHEN(madvise, 2, ALL_BITS, MADV_DONTNEED),
    WHEN(madvise, 2, ALL_BITS, MADV_FREE),
    WHEN(madvise, 2, ALL_BITS, MADV_HUGEPAGE),
    WHEN_BOTH(mmap, 2, NO_PROTECTION_BUT_DATA, 0, 3, NO_MAP_FLAGS_BUT, MAP_PRIVATE),
    WHEN_BOTH(mmap, 2, NO_PROTECTION_BUT_CODE, 0, 3, NO_FILE_FLAGS_BUT, MAP_PRIVATE),
    WHEN(mprotect, 2, NO_PROTECTION_BUT_DATA, 0),
    WHEN(futex, 1, FUTEX_KIND, FUTEX_WAIT_PRIVATE),
    WHEN(futex, 1, FUTEX_KIND, FUTEX_WAKE_PRIVATE),
    WHEN(futex, 1, FUTEX_KIND, FUTEX_WAIT_BITSET_PRIVATE),
    ANY(exit),
    ANY(exit_group),
    ANY(rt_sigaction),
    ANY(rt_sigprocmask),
    ANY(rt_sigreturn),
    ANY(restart_syscall),
    ANY(sched_yield),
    ANY(getrandom),
    ANY(getpid),
    ANY(gettid),
    ANY(uname),
    WHEN(sched_getaffinity, 0, ALL_BITS, 0),
    /* clocks; a negative number is the CPU time of any process, which earlier runs use too */
    WHEN(clock_gettime, 0, NEGATIVE, 0),
    WHEN(clock_getres, 0, NEGATIVE, 0),
    WHEN(clock_nanosleep, 0, NEGATIVE, 0),
    ANY(gettimeofday),
    ANY(time),
};
static const size_t interpreter_call_count = COUNT(interpreter_calls);

/* Additional calls of Python until it is warm: its start, and the filter for the job. */
static const struct allowed start_calls[] = {
    ANY(execve),
    ANY(arch_prctl),
    ANY(set_tid_address),
    ANY(set_robust_list),
    ANY(rseq),
    WHEN(prlimit64, 2, UINT64_MAX, 0),
    ANY(access),
    ANY(faccessat),
    ANY(sched_getaffinity),
    WHEN(prctl, 0, ALL_BITS, PR_SET_DUMPABLE),
    WHEN(seccomp, 0, ALL_BITS, SECCOMP_SET_MODE_FILTER),
};
static const size_t start_call_count = COUNT(start_calls);

/* Calls that libraries try first and can do without. */
static const int unknown_calls[] = {
    SCMP_SYS(clone3),
    SCMP_SYS(openat2),
    SCMP_SYS(membarrier),
    SCMP_SYS(close_range),
};
static const size_t unknown_call_count = COUNT(unknown_calls);

/* Additional calls of a zygote, for each of its copies (image/python/fork.c). */
static const struct allowed zygote_calls[] = {
    ANY(recvmsg),
    ANY(sendmsg),
    WHEN(clone, 0, UINT64_MAX, ZYGOTE_CLONE_FLAGS),
    WHEN(prctl, 0, ALL_BITS, PR_SET_PDEATHSIG),
    ANY(getppid),
    WHEN(prlimit64, 1, ALL_BITS, RLIMIT_NPROC),
    WHEN(prlimit64, 1, ALL_BITS, RLIMIT_CPU),
    ANY(dup2),
    ANY(dup3),
    ANY(close_range),
    ANY(landlock_restrict_self),
    /* A copy's own filter, which contains the copy's pid, is added to this one. */
    ANY(kill),
    ANY(tgkill),
};
static const size_t zygote_call_count = COUNT(zygote_calls);

/* For the runner. Signals to the interpreter are added separately. */
static const struct allowed runner_calls[] = {
    ANY(read),
    ANY(write),
    ANY(pread64),
    ANY(close),
    ANY(poll),
    ANY(ppoll),
    ANY(wait4),
    ANY(waitid),
    ANY(exit),
    ANY(exit_group),
    ANY(clock_gettime),
    ANY(brk),
    ANY(munmap),
    ANY(mremap),
    ANY(madvise),
    WHEN(mmap, 2, PROT_EXEC, 0),
    WHEN(mprotect, 2, PROT_EXEC, 0),
    WHEN(futex, 1, FUTEX_KIND, FUTEX_WAIT_PRIVATE),
    WHEN(futex, 1, FUTEX_KIND, FUTEX_WAKE_PRIVATE),
    ANY(rt_sigreturn),
    ANY(rt_sigprocmask),
    ANY(restart_syscall),
    ANY(getpid),
    ANY(gettid),
    ANY(getrandom),
    ANY(sched_yield),
    ANY(sigaltstack),
};
static const size_t runner_call_count = COUNT(runner_calls);

/* Additional calls in a session: creating pipes, asking the zygote, signals by pidfd. */
static const struct allowed session_calls[] = {
    ANY(pipe2),
    WHEN(socketpair, 0, ALL_BITS, AF_UNIX),
    WHEN(fcntl, 1, ALL_BITS, F_SETFL),
    ANY(sendmsg),
    ANY(recvmsg),
    ANY(pidfd_send_signal),
};
static const size_t session_call_count = COUNT(session_calls);

static int fail(scmp_filter_ctx context, int code, const char *what)
{
    errno = -code;
    log_errno("seccomp: %s", what);
    seccomp_release(context);
    return -1;
}

static int allow_calls(scmp_filter_ctx context, const struct allowed *calls, size_t count)
{
    int code = 0;

    for (size_t i = 0; i < count && code == 0; i++) {
        struct scmp_arg_cmp when[CONDITIONS_MAX];

        for (unsigned c = 0; c < calls[i].conditions; c++)
            when[c] = (struct scmp_arg_cmp){calls[i].when[c].argument, SCMP_CMP_MASKED_EQ,
                                            calls[i].when[c].mask, calls[i].when[c].value};
        code = seccomp_rule_add_array(context, SCMP_ACT_ALLOW, calls[i].call, calls[i].conditions,
                                      when);
    }
    return code;
}

/* Creates a filter that refuses all calls except the listed ones. */
static scmp_filter_ctx filter_create(const struct allowed *calls, size_t count)
{
    scmp_filter_ctx context = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int code;

    if (!context) {
        log_error("seccomp: no memory");
        return NULL;
    }
    seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    code = allow_calls(context, calls, count);
    if (code < 0) {
        fail(context, code, "a rule");
        return NULL;
    }
    return context;
}

/* Allows signals to that process only, or to that process group if it is negative. */
static int allow_signal(scmp_filter_ctx context, int call, pid_t to)
{
    const struct scmp_arg_cmp when = {0, SCMP_CMP_MASKED_EQ, ALL_BITS, (uint32_t)to};

    return seccomp_rule_add_array(context, SCMP_ACT_ALLOW, call, 1, &when);
}

/* abort() is a signal to oneself, and 0 only looks. Any other could pass for what the runner or the
 * kernel sends: SIGKILL for too much memory, SIGALRM for the deadline. */
static int allow_abort(scmp_filter_ctx context, int call, pid_t self, unsigned argument)
{
    static const int signals[] = {0, SIGABRT};
    int code = 0;

    for (size_t i = 0; i < COUNT(signals) && code == 0; i++) {
        const struct scmp_arg_cmp when[] = {
            {0, SCMP_CMP_MASKED_EQ, ALL_BITS, (scmp_datum_t)self},
            {argument, SCMP_CMP_MASKED_EQ, ALL_BITS, (scmp_datum_t)signals[i]}};

        code = seccomp_rule_add_array(context, SCMP_ACT_ALLOW, call, COUNT(when), when);
    }
    return code;
}

static int filter_load(scmp_filter_ctx context)
{
    int code = seccomp_load(context);

    if (code < 0)
        return fail(context, code, "load");
    seccomp_release(context);
    return 0;
}

/* Makes the calls that libraries probe for fail with ENOSYS, except `known`. */
static int deny_unknown(scmp_filter_ctx context, int known)
{
    int code = 0;

    for (size_t i = 0; i < unknown_call_count && code == 0; i++) {
        if (unknown_calls[i] != known)
            code = seccomp_rule_add(context, SCMP_ACT_ERRNO(ENOSYS), unknown_calls[i], 0);
    }
    return code;
}

/* For the process `self`; start: until it is warm. */
static scmp_filter_ctx interpreter_filter(pid_t self, bool start)
{
    scmp_filter_ctx context = filter_create(interpreter_calls, interpreter_call_count);
    int code = 0;

    if (!context)
        return NULL;
    code = deny_unknown(context, -1);
    if (code == 0)
        code = allow_abort(context, SCMP_SYS(tgkill), self, 2);
    if (code == 0)
        code = allow_abort(context, SCMP_SYS(kill), self, 1);
    if (code == 0 && start)
        code = allow_calls(context, start_calls, start_call_count);
    if (code == 0)
        return context;
    fail(context, code, "a rule");
    return NULL;
}

int seccomp_confine_start(void)
{
    scmp_filter_ctx context = interpreter_filter(getpid(), true);

    return context ? filter_load(context) : -1;
}

int seccomp_write_interpreter(int fd)
{
#ifdef LECTERN_TEST_WITHOUT_SECCOMP
    scmp_filter_ctx context = seccomp_init(SCMP_ACT_ALLOW);
#else
    scmp_filter_ctx context = interpreter_filter((pid_t)ZYGOTE_PID_MARK, false);
#endif
    int code;

    if (!context)
        return -1;
    code = seccomp_export_bpf(context, fd);
    if (code < 0)
        return fail(context, code, "write");
    seccomp_release(context);
    return 0;
}

int seccomp_confine_zygote(void)
{
    scmp_filter_ctx context = filter_create(interpreter_calls, interpreter_call_count);
    int code;

    if (!context)
        return -1;
    code = deny_unknown(context, SCMP_SYS(close_range));
    if (code == 0)
        code = allow_calls(context, start_calls, start_call_count);
    if (code == 0)
        code = allow_calls(context, zygote_calls, zygote_call_count);
    return code < 0 ? fail(context, code, "a rule") : filter_load(context);
}

int seccomp_confine_runner(pid_t interpreter, bool session)
{
    scmp_filter_ctx context = filter_create(runner_calls, runner_call_count);
    int code;

    if (!context)
        return -1;
    code = allow_signal(context, SCMP_SYS(kill), interpreter);
    if (code == 0)
        code = allow_signal(context, SCMP_SYS(kill), -interpreter);
    if (code == 0)
        code = allow_signal(context, SCMP_SYS(tgkill), getpid());
    if (code == 0 && session)
        code = allow_calls(context, session_calls, session_call_count);
    return code < 0 ? fail(context, code, "a rule") : filter_load(context);
}

/* ---- the single execve of the interpreter's process, which the runner permits ---- */

#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE (1UL << 0)
#endif

int seccomp_exec_once_begin(void)
{
    scmp_filter_ctx context = seccomp_init(SCMP_ACT_ALLOW);
    int fd = -1;

    if (!context)
        return -1;
    if (seccomp_rule_add(context, SCMP_ACT_NOTIFY, SCMP_SYS(execve), 0) == 0 &&
        seccomp_rule_add(context, SCMP_ACT_NOTIFY, SCMP_SYS(execveat), 0) == 0 &&
        seccomp_load(context) == 0)
        fd = fcntl(seccomp_notify_fd(context), F_DUPFD_CLOEXEC, 0);
    seccomp_release(context);
    return fd;
}

int seccomp_exec_once_wait(int fd, int timeout_ms, uint64_t *asked)
{
    struct pollfd waiting = {.fd = fd, .events = POLLIN};
    struct seccomp_notif *notice = NULL;

    if (poll(&waiting, 1, timeout_ms) != 1 || !(waiting.revents & POLLIN))
        return log_error("the interpreter was not started in %d ms", timeout_ms);
    if (seccomp_notify_alloc(&notice, NULL) < 0)
        return log_error("seccomp: no memory");
    if (seccomp_notify_receive(fd, notice) < 0) {
        seccomp_notify_free(notice, NULL);
        return log_error("seccomp: the start of the interpreter could not be read");
    }
    *asked = notice->id;
    seccomp_notify_free(notice, NULL);
    return 0;
}

int seccomp_exec_once_end(int fd, uint64_t asked)
{
    struct seccomp_notif_resp *answer = NULL;
    int code;

    if (seccomp_notify_alloc(NULL, &answer) < 0)
        return log_error("seccomp: no memory");
    answer->id = asked;
    answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    code = seccomp_notify_respond(fd, answer);
    seccomp_notify_free(NULL, answer);
    close(fd);
    return code < 0 ? log_error("seccomp: the start of the interpreter could not be let through")
                    : 0;
}
