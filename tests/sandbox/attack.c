/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Native code in the interpreter's place, as if an attacker had taken it over: a library that
 * attack_interpreter.py loads, and that runs when the process is confined. The job's code is one
 * line, NAME ARGUMENTS; the answer has a line for each attempt: its name, and "done" or the
 * error. test_attack.py sends the lines, and knows which answers are right.
 *
 * As a program, with FORGED_RUNNER, the same in the place of the runner.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "executor/frame.h"

#define NUMBERS  1024 /* system calls have numbers below */
#define CODE_CAP 65536
#define FAMILIES 46
#define READY    "3.11.2"

static int control, control_out; /* to the runner; of a forged runner to the server */
static char job[FRAME_JOB_CAP], code[CODE_CAP];
static unsigned char answer[1 << 20];

static void put(int fd, const void *bytes, size_t len)
{
    const char *at = bytes;

    while (len > 0) {
        ssize_t n = write(fd, at, len);

        if (n < 0)
            _exit(1);
        at += n;
        len -= (size_t)n;
    }
}

static void get(void *bytes, size_t len)
{
    char *at = bytes;

    while (len > 0) {
        ssize_t n = read(control, at, len);

        if (n <= 0)
            _exit(0);
        at += n;
        len -= (size_t)n;
    }
}

static void put_frame(unsigned char type, const void *payload, size_t len)
{
    unsigned char head[FRAME_HEAD_SIZE];

    frame_pack(head, type, (uint32_t)len);
    put(control_out, head, sizeof head);
    put(control_out, payload, len);
}

__attribute__((format(printf, 1, 2))) static void say(const char *form, ...)
{
    char line[4096];
    va_list values;
    int len;

    va_start(values, form);
    len = vsnprintf(line, sizeof line, form, values);
    va_end(values);
    if ((size_t)len >= sizeof line)
        len = sizeof line - 1;
#ifdef FORGED_RUNNER
    put_frame(FRAME_STDOUT, line, (size_t)len);
#else
    put(STDOUT_FILENO, line, (size_t)len);
#endif
}

/* result: of a system call, negative if it failed with errno. */
static void say_result(const char *what, long result)
{
    say("%s %s\n", what, result < 0 ? strerrorname_np(errno) : "done");
}

/* strtol() of a C library after 2.37 has another name, which that of the sandbox does not know. */
static long number_of(const char *digits)
{
    long number = 0;

    while (*digits >= '0' && *digits <= '9')
        number = number * 10 + (*digits++ - '0');
    return number;
}

/* ---- attempts ---- */

/* arguments: numbers that are left out. Each other call with all bits set, which none takes for
 * good; the answer lists those that are not refused. */
static void try_calls(char *arguments)
{
    static bool left_out[NUMBERS];
    char *rest;

    for (char *word = strtok_r(arguments, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        left_out[number_of(word) % NUMBERS] = true;
    for (long number = 0; number < NUMBERS; number++) {
        if (left_out[number])
            continue;
        if (syscall(number, -1L, -1L, -1L, -1L, -1L, -1L) >= 0 ||
            (errno != EPERM && errno != ENOSYS))
            say("%ld\n", number);
    }
}

static void try_files(char *arguments)
{
    static const struct {
        const char *name;
        int flags;
    } ways[] = {{"read", O_RDONLY},
                {"write", O_WRONLY},
                {"make", O_WRONLY | O_CREAT},
                {"unnamed", O_TMPFILE | O_RDWR},
                {"path", O_PATH},
                {"direct", O_RDONLY | O_DIRECT}};
    char *rest, byte;

    for (char *path = strtok_r(arguments, " ", &rest); path; path = strtok_r(NULL, " ", &rest)) {
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            long fd = syscall(SYS_openat, AT_FDCWD, path, ways[i].flags | O_CLOEXEC, 0600);
            char what[600];

            snprintf(what, sizeof what, "%s %.500s", ways[i].name, path);
            say_result(what, fd >= 0 && ways[i].flags == O_RDONLY ? read((int)fd, &byte, 1) : fd);
            if (fd >= 0)
                close((int)fd);
        }
    }
}

/* arguments: how many files are sought that are not there, each of which the kernel remembers, and
 * how many MiB are used. */
static void use_host(char *arguments)
{
    char path[64];
    long names = number_of(arguments), sought = 0;
    size_t bytes = (size_t)number_of(strchr(arguments, ' ') + 1) << 20;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (size_t at = 0; memory != MAP_FAILED && at < bytes; at += 4096)
        memory[at] = 1;
    say_result("use", memory == MAP_FAILED ? -1 : 0);
    for (long i = 0; i < names; i++) {
        snprintf(path, sizeof path, "/usr/lib/%d-%p-%ld", getpid(), (void *)memory, i);
        sought += syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0) < 0;
    }
    say("sought %ld\n", sought);
}

/* arguments: process ids, of the server, other runners and other sandboxes. */
static void try_processes(char *arguments)
{
    char *rest, what[64];

    for (char *word = strtok_r(arguments, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const long pid = number_of(word);
        const struct {
            const char *name;
            long number, arguments[3];
        } calls[] = {{"look", SYS_kill, {pid, 0}},
                     {"end", SYS_kill, {pid, SIGKILL}},
                     {"end group", SYS_kill, {-pid, SIGKILL}},
                     {"end thread", SYS_tgkill, {pid, pid, SIGKILL}},
                     {"pidfd", SYS_pidfd_open, {pid, 0}},
                     {"trace", SYS_ptrace, {16, pid, 0}},
                     {"memory", SYS_process_vm_readv, {pid, 0, 0}},
                     {"limits", SYS_prlimit64, {pid, 7, 0}},
                     {"affinity", SYS_sched_setaffinity, {pid, 0, 0}},
                     {"priority", SYS_setpriority, {0, pid, 0}}};

        if (pid == getpid())
            continue;
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
            snprintf(what, sizeof what, "%s %ld", calls[i].name, pid);
            say_result(what, syscall(calls[i].number, calls[i].arguments[0], calls[i].arguments[1],
                                     calls[i].arguments[2], 0L, 0L, 0L));
        }
    }
}

static void try_sockets(char *arguments)
{
    static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET};

    (void)arguments;
    for (int family = 0; family < FAMILIES; family++)
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            char what[64];

            snprintf(what, sizeof what, "socket %d,%d", family, types[i]);
            say_result(what, syscall(SYS_socket, family, types[i], 0));
        }
}

static void try_memory(char *arguments)
{
    const size_t page = 4096;
    const int all = PROT_READ | PROT_WRITE | PROT_EXEC, data = PROT_READ | PROT_WRITE;
    void *plain = mmap(NULL, page, data, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const struct {
        const char *name;
        long result;
    } tried[] = {
        {"plain", plain == MAP_FAILED ? -1 : 0},
        {"all", syscall(SYS_mmap, 0L, page, all, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L)},
        {"code",
         syscall(SYS_mmap, 0L, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L)},
        {"code later", syscall(SYS_mprotect, plain, page, PROT_READ | PROT_EXEC)},
        {"all later", syscall(SYS_mprotect, plain, page, all)},
        {"key", syscall(SYS_pkey_mprotect, plain, page, all, -1)},
        {"shared", syscall(SYS_mmap, 0L, page, data, MAP_SHARED | MAP_ANONYMOUS, -1, 0L)},
        {"locked",
         syscall(SYS_mmap, 0L, page, data, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0L)},
        {"huge",
         syscall(SYS_mmap, 0L, 2L << 20, data, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0L)},
        {"file", syscall(SYS_memfd_create, "x", 0)},
        {"secret", syscall(SYS_memfd_secret, 0)},
        {"segment", syscall(SYS_shmget, 0L, page, 0600 | 01000)},
        {"faults", syscall(SYS_userfaultfd, 1)},
        {"merge", syscall(SYS_madvise, plain, page, MADV_MERGEABLE)},
        {"lock", syscall(SYS_mlock, plain, page)},
        {"ring", syscall(SYS_io_uring_setup, 1, plain)},
        {"key ring", syscall(SYS_add_key, "user", "x", "x", 1, -3)},
        {"program", syscall(SYS_bpf, 0, plain, 8)},
        {"events", syscall(SYS_perf_event_open, plain, 0, -1, -1, 0)},
        {"namespace", syscall(SYS_unshare, 0x10000000)},
        {"filter", syscall(SYS_seccomp, 1, 0, plain)},
    };

    (void)arguments;
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        say("%s %s\n", tried[i].name, tried[i].result < 0 ? "refused" : "done");
}

/* Two sandboxes share the pages of libraries. */
static void try_meeting(char *arguments)
{
    uint32_t *page = (uint32_t *)((uintptr_t)&strtok_r & ~(uintptr_t)4095);
    const struct timespec soon = {0, 1000000};
    int fd = open(arguments, O_RDONLY | O_CLOEXEC);
    struct flock whole = {.l_type = F_RDLCK};

    say_result("open", fd);
    say_result("wait", syscall(SYS_futex, page, FUTEX_WAIT, *page, &soon, 0, 0));
    say_result("wake", syscall(SYS_futex, page, FUTEX_WAKE, 1, 0, 0, 0));
    say_result("wait bits", syscall(SYS_futex, page, FUTEX_WAIT_BITSET, *page, &soon, 0, 1));
    say_result("requeue", syscall(SYS_futex, page, FUTEX_CMP_REQUEUE, 1, 1, page + 1, *page));
    say_result("lock", fcntl(fd, F_SETLK, &whole));
    say_result("open file lock", fcntl(fd, F_OFD_SETLK, &whole));
    say_result("flock", syscall(SYS_flock, fd, 1));
    say_result("lease", fcntl(fd, F_SETLEASE, F_RDLCK));
    say_result("notify", fcntl(fd, F_NOTIFY, 1));
    say_result("owner", fcntl(fd, F_SETOWN, getpid()));
    say_result("read ahead", syscall(SYS_readahead, fd, 0L, 4096L));
    say_result("forget", syscall(SYS_fadvise64, fd, 0L, 0L, 4));
    say_result("resident", syscall(SYS_mincore, page, 4096L, answer));
}

static unsigned digit(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

/* arguments: bytes as they are sent to the runner, in hexadecimal. */
static void try_frames(char *arguments)
{
    size_t len = strlen(arguments) / 2;

    for (size_t i = 0; i < len; i++)
        answer[i] = (unsigned char)(digit(arguments[2 * i]) << 4 | digit(arguments[2 * i + 1]));
    put(control_out, answer, len);
}

/* arguments: paths; each is asked of the server, as code_helpers would do it. */
static void try_routes(char *arguments)
{
    unsigned char head[FRAME_HEAD_SIZE], type;
    char *rest;
    uint32_t id = 0;

    for (char *path = strtok_r(arguments, " ", &rest); path; path = strtok_r(NULL, " ", &rest)) {
        char request[4096];
        size_t len;

        frame_put_u32((unsigned char *)request, ++id);
        snprintf(request + 4, sizeof request - 4, "GET %s", path);
        put_frame(FRAME_REQUEST, request, 4 + strlen(request + 4));
        get(head, sizeof head);
        len = frame_unpack(head, &type);
        if (type != FRAME_ANSWER || len > sizeof answer)
            _exit(2);
        get(answer, len);
        say("%d %s\n", answer[4] << 8 | answer[5], path);
    }
}

static void crash(char *arguments)
{
    *(volatile int *)number_of(arguments) = 1;
}

static void do_nothing(char *arguments)
{
    say("%s\n", arguments);
}

static const struct {
    const char *name;
    void (*run)(char *arguments);
} attempts[] = {{"calls", try_calls},     {"files", try_files},   {"processes", try_processes},
                {"sockets", try_sockets}, {"memory", try_memory}, {"meeting", try_meeting},
                {"frames", try_frames},   {"routes", try_routes}, {"crash", crash},
                {"host", use_host},       {"nothing", do_nothing}};

/* The job's code, up to the end of its line; the tests write nothing into it that JSON escapes. */
static void read_code(const char *text)
{
    const char *at = strstr(text, "\"code\"");

    at = at ? strchr(at + strlen("\"code\""), '"') : NULL;
    if (at)
        snprintf(code, sizeof code, "%.*s", (int)strcspn(at + 1, "\"\\"), at + 1);
}

/* Answers pings until the job has come; head: bytes of it before the JSON. */
static void take_job(size_t before)
{
    unsigned char head[FRAME_HEAD_SIZE], type;
    size_t len;

    do {
        get(head, sizeof head);
        len = frame_unpack(head, &type);
        if (len >= sizeof job)
            _exit(1);
        get(job, len);
        if (type == FRAME_PING)
            put_frame(FRAME_PONG, "", 0);
    } while (type != FRAME_JOB);
    job[len] = '\0';
    read_code(job + before);
}

static void run_code(void)
{
    char *arguments = strchr(code, ' ');

    if (arguments)
        *arguments++ = '\0';
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
        if (strcmp(attempts[i].name, code) == 0)
            attempts[i].run(arguments ? arguments : code);
}

static const char result[] = "{\"value\":null,\"error\":null,\"exit_code\":0}";

#ifdef FORGED_RUNNER
int main(int argc, char **argv)
{
    static const char ready[] = "{\"python\":\"" READY "\",\"landlock_abi\":7,\"seccomp\":1}";
    static const char end[] =
        "{\"status\":\"ok\",\"exit_code\":0,\"signal\":0,\"seconds\":0.1,\"ran\":true}";

    if (argc == 2 && strcmp(argv[1], "--version") == 0) /* process.c asks */
        return 0;
    control = STDIN_FILENO;
    control_out = STDOUT_FILENO;
    put_frame(FRAME_READY, ready, strlen(ready));
    take_job(FRAME_JOB_HEAD);
    put_frame(FRAME_STARTED, "", 0);
    run_code();
    put_frame(FRAME_RESULT, result, strlen(result));
    put_frame(FRAME_EXIT, end, strlen(end));
    get(answer, 1); /* to the end of input */
    return 0;
}
#else
void serve(int fd);
void serve(int fd)
{
    control = control_out = fd;
    put_frame(FRAME_READY, READY, strlen(READY));
    take_job(0);
    put_frame(FRAME_STARTED, "", 0);
    put_frame(FRAME_CHECKED, "", 0);
    run_code();
    put_frame(FRAME_RESULT, result, strlen(result));
    get(answer, FRAME_HEAD_SIZE);
    _exit(0);
}
#endif
