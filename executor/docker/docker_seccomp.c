/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/docker/docker_seccomp.h"

#include <errno.h>
#include <sched.h>
#include <sys/socket.h>

#define NEW_NAMESPACES                                                                             \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |  \
     CLONE_NEWNET)

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Names that an architecture does not have are ignored there. */
static const char *const allowed[] = {
    /* the interpreter, a zygote and the runner under their own filters */
    "access",
    "arch_prctl",
    "brk",
    "clock_getres",
    "clock_gettime",
    "clock_nanosleep",
    "close",
    "close_range",
    "dup2",
    "dup3",
    "execve",
    "execveat",
    "exit",
    "exit_group",
    "faccessat",
    "fcntl",
    "fstat",
    "futex",
    "getcwd",
    "getdents64",
    "getpid",
    "getppid",
    "getrandom",
    "gettid",
    "gettimeofday",
    "ioctl",
    "kill",
    "landlock_restrict_self",
    "lseek",
    "madvise",
    "mmap",
    "mprotect",
    "mremap",
    "munmap",
    "newfstatat",
    "openat",
    "pidfd_send_signal",
    "pipe2",
    "poll",
    "ppoll",
    "prctl",
    "pread64",
    "prlimit64",
    "pselect6",
    "read",
    "readlink",
    "readlinkat",
    "readv",
    "recvmsg",
    "restart_syscall",
    "rseq",
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "sched_getaffinity",
    "sched_yield",
    "seccomp",
    "sendmsg",
    "set_robust_list",
    "set_tid_address",
    "sigaltstack",
    "tgkill",
    "time",
    "uname",
    "wait4",
    "waitid",
    "write",
    "writev",
    /* the runner until it has confined itself and the interpreter */
    "capset",
    "connect",
    "landlock_add_rule",
    "landlock_create_ruleset",
    "memfd_create",
    "setsid",
    "signalfd4",
    "umask",
    /* the runtime, between its loading of the profile and its start of the runner */
    "epoll_ctl",
    "epoll_pwait",
    "faccessat2",
    "fstatfs",
    "nanosleep",
    "openat2",
    "statx",
};

/* Allowed only with these bits of the first argument. */
static const struct {
    const char *name;
    json_int_t mask, value;
} checked[] = {
    {"clone", NEW_NAMESPACES, 0},
    {"socket", UINT32_MAX, AF_UNIX},
    {"socketpair", UINT32_MAX, AF_UNIX},
};

/* Calls that libraries try first: with EPERM they would not try the older ones. */
static const char *const unknown[] = {"clone3", "membarrier"};

/* Owned; NULL if out of memory. */
static json_t *name_array(const char *const *names, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < count; i++) {
        if (json_array_append_new(array, json_string(names[i])) < 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static int add_rules(json_t *rules)
{
    int rc = json_array_append_new(rules, json_pack("{s:o, s:s}", "names",
                                                    name_array(allowed, COUNT(allowed)), "action",
                                                    "SCMP_ACT_ALLOW"));

    for (size_t i = 0; i < COUNT(checked) && rc == 0; i++)
        rc = json_array_append_new(rules,
                                   json_pack("{s:[s], s:s, s:[{s:i, s:I, s:I, s:s}]}", "names",
                                             checked[i].name, "action", "SCMP_ACT_ALLOW", "args",
                                             "index", 0, "value", checked[i].mask, "valueTwo",
                                             checked[i].value, "op", "SCMP_CMP_MASKED_EQ"));
    return rc < 0 ? -1
                  : json_array_append_new(rules,
                                          json_pack("{s:o, s:s, s:i}", "names",
                                                    name_array(unknown, COUNT(unknown)), "action",
                                                    "SCMP_ACT_ERRNO", "errnoRet", ENOSYS));
}

json_t *docker_seccomp_profile(void)
{
    json_t *profile = json_pack("{s:s, s:[{s:s}, {s:s}], s:[]}", "defaultAction", "SCMP_ACT_ERRNO",
                                "archMap", "architecture", "SCMP_ARCH_X86_64", "architecture",
                                "SCMP_ARCH_AARCH64", "syscalls");

    if (profile && add_rules(json_object_get(profile, "syscalls")) < 0) {
        json_decref(profile);
        return NULL;
    }
    return profile;
}

size_t docker_seccomp_count(void)
{
    return COUNT(allowed) + COUNT(checked);
}
