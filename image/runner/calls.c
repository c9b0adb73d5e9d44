/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/calls.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "image/runner/zygote.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define ANY(name)                                                                                  \
    {                                                                                              \
        .call = SCMP_SYS(name)                                                                     \
    }
#define WHEN(name, arg, bits, is)                                                                  \
    {                                                                                              \
        .call = SCMP_SYS(name), .conditional = true, .argument = (arg), .mask = (bits),            \
        .value = (is)                                                                              \
    }
#define NO_CHANGE ((uint64_t)(O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND))

const struct allowed interpreter_calls[] = {
    /* bytes through descriptors it has: pipes, the control socket, files that Landlock let it open
     */
    ANY(read),
    ANY(readv),
    ANY(pread64),
    ANY(write),
    ANY(writev),
    ANY(close),
    ANY(lseek),
    ANY(poll),
    ANY(ppoll),
    ANY(select),
    ANY(pselect6),
    ANY(dup),
    WHEN(fcntl, 1, ALL_BITS, F_GETFD),
    WHEN(fcntl, 1, ALL_BITS, F_SETFD),
    WHEN(fcntl, 1, ALL_BITS, F_GETFL),
    WHEN(fcntl, 1, ALL_BITS, F_DUPFD_CLOEXEC),
    WHEN(ioctl, 1, ALL_BITS, TCGETS),
    WHEN(ioctl, 1, ALL_BITS, FIOCLEX),
    /* opening for reading; Landlock says what */
    WHEN(open, 1, NO_CHANGE, 0),
    WHEN(openat, 2, NO_CHANGE, 0),
    ANY(stat),
    ANY(lstat),
    ANY(fstat),
    ANY(newfstatat),
    ANY(statx),
    ANY(access),
    ANY(faccessat),
    ANY(faccessat2),
    ANY(readlink),
    ANY(readlinkat),
    ANY(getdents64),
    ANY(getcwd),
    /* memory: writable or executable, an executable page only from a file */
    ANY(brk),
    ANY(munmap),
    ANY(mremap),
    ANY(madvise),
    WHEN(mmap, 2, PROT_EXEC, 0),
    WHEN(mmap, 3, MAP_ANONYMOUS, 0),
    WHEN(mprotect, 2, PROT_EXEC, 0),
    /* its own process, as it starts and ends; there is one thread, and there will be no other */
    ANY(execve),
    ANY(exit),
    ANY(exit_group),
    ANY(arch_prctl),
    ANY(set_tid_address),
    ANY(set_robust_list),
    ANY(rseq),
    ANY(futex),
    ANY(rt_sigaction),
    ANY(rt_sigprocmask),
    ANY(rt_sigreturn),
    ANY(sigaltstack),
    ANY(restart_syscall),
    ANY(sched_yield),
    ANY(getrandom),
    ANY(getpid),
    ANY(gettid),
    ANY(getppid),
    ANY(getuid),
    ANY(geteuid),
    ANY(getgid),
    ANY(getegid),
    ANY(uname),
    ANY(sysinfo),
    ANY(getrusage),
    ANY(times),
    ANY(sched_getaffinity),
    ANY(getrlimit),
    WHEN(prlimit64, 2, UINT64_MAX, 0),
    /* clocks */
    ANY(clock_gettime),
    ANY(clock_getres),
    ANY(clock_nanosleep),
    ANY(nanosleep),
    ANY(gettimeofday),
    ANY(time),
};
const size_t interpreter_call_count = COUNT(interpreter_calls);

const int unknown_calls[] = {
    SCMP_SYS(clone3),
    SCMP_SYS(openat2),
    SCMP_SYS(membarrier),
    SCMP_SYS(close_range),
};
const size_t unknown_call_count = COUNT(unknown_calls);

const struct allowed zygote_calls[] = {
    ANY(recvmsg),
    ANY(sendmsg),
    WHEN(clone, 0, UINT64_MAX, ZYGOTE_CLONE_FLAGS),
    WHEN(prctl, 0, ALL_BITS, PR_SET_DUMPABLE),
    WHEN(prctl, 0, ALL_BITS, PR_SET_PDEATHSIG),
    WHEN(prlimit64, 1, ALL_BITS, RLIMIT_NPROC),
    WHEN(prlimit64, 1, ALL_BITS, RLIMIT_CPU),
    ANY(dup2),
    ANY(dup3),
    ANY(close_range),
    ANY(landlock_restrict_self),
    WHEN(seccomp, 0, ALL_BITS, SECCOMP_SET_MODE_FILTER),
    /* A copy's own filter, which names the copy, comes on top of this one. */
    ANY(kill),
    ANY(tgkill),
};
const size_t zygote_call_count = COUNT(zygote_calls);

const struct allowed runner_calls[] = {
    ANY(read),
    ANY(write),
    ANY(pread64),
    ANY(close),
    ANY(poll),
    ANY(ppoll),
    ANY(wait4),
    ANY(exit),
    ANY(exit_group),
    ANY(clock_gettime),
    ANY(brk),
    ANY(munmap),
    ANY(mremap),
    ANY(madvise),
    WHEN(mmap, 2, PROT_EXEC, 0),
    WHEN(mprotect, 2, PROT_EXEC, 0),
    ANY(futex),
    ANY(rt_sigreturn),
    ANY(rt_sigprocmask),
    ANY(restart_syscall),
    ANY(getpid),
    ANY(gettid),
    ANY(getrandom),
    ANY(sched_yield),
    ANY(sigaltstack),
};
const size_t runner_call_count = COUNT(runner_calls);

const struct allowed session_calls[] = {
    ANY(pipe2),
    WHEN(socketpair, 0, ALL_BITS, AF_UNIX),
    WHEN(fcntl, 1, ALL_BITS, F_SETFL),
    ANY(sendmsg),
    ANY(recvmsg),
    ANY(pidfd_send_signal),
};
const size_t session_call_count = COUNT(session_calls);
