/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "image/complain.h"
#include "image/landlock.h"
#include "image/seccomp.h"

#define START_MS_MAX 10000 /* from fork to exec */
#define CPU_SECONDS  120   /* backstop for the deadlines: warming, importing and running together */
#define OPEN_FILES   64
#define STACK_BYTES  (16u << 20)
#define EXIT_FAILED  125 /* of a child that could not become the interpreter */

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

struct ends {
    int mine;
    int its;
};

static int limit_resources(void)
{
    const struct {
        int resource;
        rlim_t soft, hard;
    } limits[] = {
        {RLIMIT_NOFILE, OPEN_FILES, OPEN_FILES},
        {RLIMIT_CORE, 0, 0},
        {RLIMIT_FSIZE, 0, 0},
        {RLIMIT_NPROC, 0, 0},
        {RLIMIT_MEMLOCK, 0, 0},
        {RLIMIT_MSGQUEUE, 0, 0},
        {RLIMIT_STACK, STACK_BYTES, STACK_BYTES},
        {RLIMIT_CPU, CPU_SECONDS, CPU_SECONDS + 5},
    };

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit limit = {limits[i].soft, limits[i].hard}, now;

        if (getrlimit(limits[i].resource, &now) < 0)
            return complain_errno("getrlimit %d", limits[i].resource);
        if (now.rlim_max < limit.rlim_max)
            limit.rlim_max = now.rlim_max;
        if (limit.rlim_max < limit.rlim_cur)
            limit.rlim_cur = limit.rlim_max;
        if (setrlimit(limits[i].resource, &limit) < 0)
            return complain_errno("setrlimit %d", limits[i].resource);
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
            return complain_errno("drop capability %lu", cap);
    }
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capset, &header, none) < 0)
        return complain_errno("drop capabilities");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return complain_errno("no_new_privs");
    return 0;
}

/* 0 null, 1 out, 2 err, 3 control, and nothing else. */
static int place_descriptors(int out, int err, int control)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int from[4];

    if (null < 0)
        return complain_errno("/dev/null");
    from[0] = fcntl(null, F_DUPFD_CLOEXEC, 16);
    from[1] = fcntl(out, F_DUPFD_CLOEXEC, 16);
    from[2] = fcntl(err, F_DUPFD_CLOEXEC, 16);
    from[3] = fcntl(control, F_DUPFD_CLOEXEC, 16);
    for (int i = 0; i < 4; i++) {
        if (from[i] < 0 || dup2(from[i], i) < 0)
            return complain_errno("descriptor %d", i);
    }
    return close_range(4, ~0u, 0) < 0 ? complain_errno("close_range") : 0;
}

/* One byte to the runner, with the descriptor where there is one. */
static int send_descriptor(int socket, int fd)
{
    char byte = 'n';
    struct iovec bytes = {&byte, 1};
    union {
        struct cmsghdr align;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};

    if (fd >= 0) {
        message.msg_control = control.space;
        message.msg_controllen = sizeof control.space;
        control.align.cmsg_level = SOL_SOCKET;
        control.align.cmsg_type = SCM_RIGHTS;
        control.align.cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(&control.align), &fd, sizeof fd);
    }
    return sendmsg(socket, &message, 0) == 1 ? 0 : complain_errno("sendmsg");
}

static int receive_descriptor(int socket, int *fd)
{
    struct pollfd waiting = {.fd = socket, .events = POLLIN};
    char byte;
    struct iovec bytes = {&byte, 1};
    union {
        struct cmsghdr align;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = control.space,
                             .msg_controllen = sizeof control.space};

    *fd = -1;
    if (poll(&waiting, 1, START_MS_MAX) != 1 || recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1)
        return -1;
    if (message.msg_controllen >= CMSG_LEN(sizeof *fd) && control.align.cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(&control.align), sizeof *fd);
    return 0;
}

static int confine(const struct options *options)
{
    int listener = -1;

    offer_to_oom_killer();
    if (limit_resources() < 0 || drop_capabilities() < 0)
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
    if (send_descriptor(CHILD_CONTROL_FD, listener) < 0)
        return -1;
#ifndef LECTERN_TEST_WITHOUT_SECCOMP
    if (seccomp_confine_interpreter() < 0)
        return -1;
#endif
    return 0;
}

/* In the child. Its complaints go to its standard error, which the runner passes on. */
static _Noreturn void become_interpreter(const struct options *options, int out, int err,
                                         int control)
{
    char *argv[] = {(char *)options->python,
                    "-I",
                    "-B",
                    (char *)options->interpreter,
                    "--preload",
                    (char *)options->preload,
                    "--helpers",
                    (char *)options->helpers,
                    "--memory-mb",
                    NULL,
                    NULL};
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    char memory[16];
    sigset_t none;

    snprintf(memory, sizeof memory, "%u", options->memory_mb);
    argv[9] = memory;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    sigaction(SIGPIPE, &plain, NULL);
    umask(077);
    setsid();
    if (place_descriptors(out, err, control) < 0 || chdir("/") < 0 || confine(options) < 0)
        _exit(EXIT_FAILED);
    execve(options->python, argv, environment);
    complain_errno("cannot start %s", options->python);
    _exit(EXIT_FAILED);
}

static int make_ends(struct ends *out, struct ends *err, struct ends *control)
{
    int pair[2];

    if (pipe2(pair, O_CLOEXEC) < 0)
        return complain_errno("pipe");
    *out = (struct ends){pair[0], pair[1]};
    if (pipe2(pair, O_CLOEXEC) < 0)
        return complain_errno("pipe");
    *err = (struct ends){pair[0], pair[1]};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return complain_errno("socketpair");
    *control = (struct ends){pair[0], pair[1]};
    return 0;
}

static int set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? complain_errno("fcntl") : 0;
}

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

    return prlimit(pid, RLIMIT_DATA, &limit, NULL) < 0 ? complain_errno("prlimit") : 0;
}

/* Once the child has sent what its one exec waits for. Where it failed before, its own complaint
 * comes through its standard error. */
static int let_it_start(struct child *child, const struct options *options)
{
    uint64_t asked;
    int listener;

    if (receive_descriptor(child->control, &listener) < 0)
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
    struct ends out = {-1, -1}, err = {-1, -1}, control = {-1, -1};
    pid_t runner = getpid();

    memset(child, 0, sizeof *child);
    child->landlock_abi = landlock_abi();
    if (make_ends(&out, &err, &control) < 0)
        return -1;
    child->pid = fork();
    if (child->pid < 0)
        return complain_errno("fork");
    if (child->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != runner)
            _exit(EXIT_FAILED);
        become_interpreter(options, out.its, err.its, control.its);
    }
    /* From here on no other process of this user reads the runner's memory or descriptors. */
    if (prctl(PR_SET_DUMPABLE, 0) < 0)
        return complain_errno("PR_SET_DUMPABLE");
    close(out.its);
    close(err.its);
    close(control.its);
    child->out = out.mine;
    child->err = err.mine;
    child->control = control.mine;
    child->statm = open_statm(child->pid);
    if (let_it_start(child, options) < 0 || set_nonblocking(child->out) < 0 ||
        set_nonblocking(child->err) < 0)
        return -1;
    return set_nonblocking(child->control);
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
