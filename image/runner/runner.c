/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The runner: the first process of a sandbox, PID 1 of the container or under bubblewrap, and a
 * subreaper without them. It starts the confined interpreter, exchanges frames (executor/frame.h)
 * with the server on its standard input and output or on a socket (--channel), enforces the job's
 * deadline and caps, and ends with the job. When the server hangs up, it kills the interpreter and
 * ends at once, so nothing is left behind.
 *
 *      runner --kind data --preload numpy,pandas,networkx --memory-mb 256
 *
 * With --isolation session it does not end with the job: each job runs in a clean copy of the warm
 * interpreter (zygote.h), until the server hangs up.
 *
 * One thread. Only the runner writes frames to the server, after it has checked what the
 * interpreter sends. Exit status: 0 after a job or a hang-up, 1 with a message logged on standard
 * error.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "image/runner/child.h"
#include "image/runner/log_error.h"
#include "image/runner/landlock.h"
#include "image/runner/runner.h"
#include "image/runner/seccomp.h"

/* ---- the command line ---- */

static const struct {
    const char *name;
    size_t offset; /* offset of a const char * in struct options */
} texts[] = {
    {"--kind", offsetof(struct options, kind)},
    {"--preload", offsetof(struct options, preload)},
    {"--python-root", offsetof(struct options, python_root)},
    {"--interpreter", offsetof(struct options, interpreter)},
    {"--helpers", offsetof(struct options, helpers)},
    {"--channel", offsetof(struct options, channel)},
};

static int read_memory(struct options *options, const char *text)
{
    char *end;
    unsigned long number;

    errno = 0;
    number = strtoul(text, &end, 10);
    if (errno || *end || end == text || number < MEMORY_MB_MIN || number > MEMORY_MB_MAX)
        return log_error("--memory-mb wants a number from %d to %d, not \"%s\"", MEMORY_MB_MIN,
                         MEMORY_MB_MAX, text);
    options->memory_mb = (unsigned)number;
    return 0;
}

static int read_isolation(struct options *options, const char *text)
{
    options->session = strcmp(text, "session") == 0;
    if (!options->session && strcmp(text, "execution") != 0)
        return log_error("--isolation wants execution or session, not \"%s\"", text);
    return 0;
}

static int read_one(struct options *options, const char *name, const char *value)
{
    if (strcmp(name, "--memory-mb") == 0)
        return read_memory(options, value);
    if (strcmp(name, "--isolation") == 0)
        return read_isolation(options, value);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(name, texts[i].name) == 0) {
            *(const char **)((char *)options + texts[i].offset) = value;
            return 0;
        }
    }
    return log_error("unknown option %s", name);
}

/* The folder part of path; "." if it has none. */
static void folder_of(char *folder, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');

    snprintf(folder, size, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
}

static int find_python(struct options *options)
{
    const char *root = options->python_root;
    char pattern[PATH_MAX];
    glob_t found = {0};
    int done = -1;

    if (snprintf(pattern, sizeof pattern, "%s/usr/lib/*/ld-linux-*.so.*", root) >=
        (int)sizeof pattern) {
        log_error("the path of %s is too long", root);
    } else if (glob(pattern, 0, NULL, &found) != 0) { // NOLINT(concurrency-mt-unsafe): one thread
        log_error("there is no loader %s", pattern);
    } else {
        snprintf(options->loader, sizeof options->loader, "%s", found.gl_pathv[0]);
        folder_of(options->libraries, sizeof options->libraries, options->loader);
        snprintf(options->python, sizeof options->python, "%s/usr/bin/python3.11", root);
        done = 0;
    }
    globfree(&found);
    return done;
}

static int find_files(struct options *options)
{
    char binary[PATH_MAX] = "";

    if (readlink("/proc/self/exe", binary, sizeof binary - 1) > 0)
        folder_of(options->beside, sizeof options->beside, binary);
    if (!options->interpreter) {
        if (!options->beside[0] ||
            snprintf(options->interpreter_path, sizeof options->interpreter_path,
                     "%s/interpreter.py", options->beside) >= (int)sizeof options->interpreter_path)
            return log_error("cannot find interpreter.py beside the runner: give --interpreter");
        options->interpreter = options->interpreter_path;
    }
    if (!options->helpers) {
        folder_of(options->helpers_path, sizeof options->helpers_path, options->interpreter);
        options->helpers = options->helpers_path;
    }
    return find_python(options);
}

static int read_options(struct options *options, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    options->kind = "bare";
    options->preload = "";
    options->python_root = "";
    options->memory_mb = MEMORY_MB_DEFAULT;
    options->hang_up = -1;
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts(LECTERN_VERSION);
        exit(EXIT_SUCCESS); // NOLINT(concurrency-mt-unsafe): there is one thread
    }
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            return log_error("%s wants a value; usage: runner [--kind NAME] [--preload MOD,MOD] "
                             "[--memory-mb N] [--isolation execution|session] [--python-root DIR] "
                             "[--interpreter PATH] [--helpers DIR] [--channel PATH]",
                             argv[i]);
        if (read_one(options, argv[i], argv[i + 1]) < 0)
            return -1;
    }
    return find_files(options);
}

/* ---- the process ---- */

/* Restores signals that were ignored when the runner was started. It uses the raw call because the
 * C library reserves two signals and refuses to change them. */
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

/* Replaces standard input and output by a connection to the server. If there is none, they are
 * used. The hang-up of the former standard input still ends the runner. */
static void connect_channel(struct options *options)
{
    struct sockaddr_un server = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

    snprintf(server.sun_path, sizeof server.sun_path, "%s", options->channel);
    if (fd < 0 || input < 0 || connect(fd, (struct sockaddr *)&server, sizeof server) < 0) {
        log_errno("connect to %s", options->channel);
        close(input);
    } else if (dup2(fd, STDIN_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0) {
        log_errno("dup2");
    } else {
        options->hang_up = input;
    }
    close(fd);
}

static int set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? log_errno("descriptor %d", fd)
                                                                   : 0;
}

/* Once the interpreter runs, the runner needs few permissions. */
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

    if (read_options(&options, argc, argv) < 0)
        return 1;
    signals = watch_signals();
    if (options.channel)
        connect_channel(&options);
    if (signals < 0 || set_nonblocking(STDIN_FILENO) < 0 || set_nonblocking(STDOUT_FILENO) < 0)
        return 1;
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
        return log_errno("PR_SET_CHILD_SUBREAPER") < 0;
    if (child_start(&child, &options) < 0 || confine_runner(&child, options.session) < 0)
        return 1;
    status = run_loop(&child, &options, signals);
    _exit(status);
}
