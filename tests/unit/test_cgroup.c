/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Control groups of version 2: where a process's own is, and on a machine that lets this process
 * make some, that they bound memory and processes, and that nothing of them is left. With the
 * argument "kernel" they must be there, and this process must be in the root of them, as in the
 * emulated machine of tests/arm64.
 *
 * A process has one home (cgroup_home), so each test is a process of its own. This program is the
 * sandbox too: its argument says what it does there.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

#include "executor/local/cgroup.h"
#include "executor/local/spawn.h"

#define MEMORY_MB 32
#define EATERS    8
#define EATEN_MB  12 /* by each: less than the bound, which all together exceed */
#define USER      1000

static bool kernel;

/* ---- texts ---- */

#define ONE "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
#define TWO "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 master:1 - cgroup2 cgroup2 rw\n"
#define ROOT                                                                                       \
    "23 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"                                              \
    "24 23 0:5 / /dev/cgroup2 rw - tmpfs cgroup rw\n"
#define UNIFIED "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
#define PART    "30 23 0:26 /docker/1a /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw\n"

static void test_kinds(void **state)
{
    (void)state;
    assert_int_equal(cgroup_kind(""), CGROUP_NONE);
    assert_int_equal(cgroup_kind(ROOT), CGROUP_NONE);
    assert_int_equal(cgroup_kind(ROOT ONE), CGROUP_V1);
    assert_int_equal(cgroup_kind(ROOT TWO), CGROUP_V2);
    assert_int_equal(cgroup_kind(TWO ROOT ONE), CGROUP_HYBRID);
    assert_int_equal(cgroup_kind("1 2 - cgroup"), CGROUP_NONE); /* cut off */
    assert_string_equal(cgroup_kind_text(CGROUP_V2), "version 2");
}

static void test_paths(void **state)
{
    static const struct {
        const char *groups, *mounts, *path; /* NULL: there is none */
    } rows[] = {
        {"0::/system.slice/lectern.service\n", ROOT TWO,
         "/sys/fs/cgroup/system.slice/lectern.service"},
        {"0::/\n", ROOT TWO, "/sys/fs/cgroup"},
        {"13:hugetlb:/\n4:memory:/a\n0::/b\n", ONE UNIFIED ROOT, "/sys/fs/cgroup/unified/b"},
        {"4:memory:/a\n", ROOT ONE, NULL},
        {"0::/b\n", ROOT ONE, NULL},
        {"", TWO, NULL},
        /* A container without a namespace of control groups sees its part only. */
        {"0::/docker/1a\n", PART, "/sys/fs/cgroup"},
        {"0::/docker/1a/b\n", PART, "/sys/fs/cgroup/b"},
        {"0::/docker/1ab\n", PART, NULL},
        {"0::/docker/1ab\n", PART UNIFIED, "/sys/fs/cgroup/unified/docker/1ab"},
        {"0::/../b\n", TWO, NULL}, /* outside of the namespace */
        {"0::/b", "30 23 0:26 / /my\\040groups rw - cgroup2 none rw", "/my groups/b"},
    };
    char path[CGROUP_PATH_CAP];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int rc = cgroup_path(path, rows[i].groups, rows[i].mounts);

        assert_int_equal(rc, rows[i].path ? 0 : -1);
        if (rows[i].path)
            assert_string_equal(path, rows[i].path);
    }
}

/* ---- inside ---- */

static void eat(size_t megabytes)
{
    size_t size = megabytes << 20;
    char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (size_t at = 0; bytes != MAP_FAILED && at < size; at += 1024)
        bytes[at] = 1;
}

/* Several processes, of which no limit of a single one stops any. Says how many were killed. */
static int eat_together(void)
{
    int killed = 0, status;

    for (int i = 0; i < EATERS; i++) {
        if (fork() == 0) {
            eat(EATEN_MB);
            sleep(2);
            _exit(0);
        }
    }
    while (wait(&status) > 0)
        killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    return dprintf(STDOUT_FILENO, "%d\n", killed) > 0 ? 0 : 1;
}

/* Says how many processes there were in the end. */
static int fork_many(void)
{
    int count = 1;

    for (pid_t pid = 1; count < 1000 && pid > 0; count += pid > 0) {
        pid = fork();
        if (pid == 0)
            for (;;)
                pause();
    }
    dprintf(STDOUT_FILENO, "%d\n", count);
    pause();
    return 0;
}

/* Says the number of a process that does not end with it. */
static int leave_one(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        setsid();
        for (;;)
            pause();
    }
    dprintf(STDOUT_FILENO, "%d\n", (int)pid);
    pause();
    return 0;
}

static const struct {
    const char *name;
    int (*run)(void);
} insides[] = {{"eat", eat_together}, {"fork", fork_many}, {"leave", leave_one}};

/* ---- outside ---- */

/* cmocka's assertions would go on with the next test, here in the wrong process. */
#define CHECK(condition)                                                                           \
    ((condition)                                                                                   \
         ? (void)0                                                                                 \
         : (fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, strerror(errno)),   \
            _exit(1)))

static void run_apart(void (*test)(void))
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        test();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

struct made {
    char owner[OWNER_CAP], folder[2 * CGROUP_PATH_CAP];
    struct cgroup group;
    struct engine_box box;
    long said;
};

static void make_group(struct made *made)
{
    struct error err = {0};
    const struct cgroup_home *home = cgroup_home(&err);

    CHECK(home);
    CHECK(owner_label(made->owner, NULL) == 0);
    CHECK(cgroup_make(&made->group, made->owner, MEMORY_MB, &err) == 0);
    snprintf(made->folder, sizeof made->folder, "%s/%s", home->path, made->group.name);
    CHECK(access(made->folder, F_OK) == 0);
}

/* Makes a sandbox that does this, and waits for the number that it says. */
static void make(struct made *made, const char *inside)
{
    const struct local_plan plan = {.argv = {"/proc/self/exe", inside},
                                    .environment = (const char *const *)environ};
    const struct local_setup setup = {0};
    char text[32] = "";
    size_t len = 0;
    struct error err = {0};

    make_group(made);
    CHECK(spawn(&made->box, &plan, &setup, &made->group, &err) == 0);
    while (len < sizeof text - 1 && !strchr(text, '\n')) {
        ssize_t got = recv(made->box.stream, text + len, sizeof text - 1 - len, 0);

        CHECK(got != 0);
        if (got > 0)
            len += (size_t)got;
        usleep(1000);
    }
    made->said = strtol(text, NULL, 10);
}

static void end(struct made *made)
{
    spawn_end(&made->box);
    cgroup_end(&made->group);
    CHECK(access(made->folder, F_OK) < 0);
}

static void read_file(const char *folder, const char *name, char *text, size_t size)
{
    char path[3 * CGROUP_PATH_CAP];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "re");
    CHECK(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[3 * CGROUP_PATH_CAP];
    int fd;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

static void check_memory(void)
{
    char events[512];
    struct made made;

    make(&made, "eat");
    CHECK(made.said > 0);
    read_file(made.folder, "memory.events", events, sizeof events);
    CHECK(!strstr(events, "oom_kill 0\n"));
    end(&made);
}

static void check_processes(void)
{
    struct made made;

    make(&made, "fork");
    CHECK(made.said == SANDBOX_PIDS);
    end(&made);
}

/* A process that left the sandbox's process group ends with the sandbox. */
static void check_end(void)
{
    struct made made;
    int status;

    CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0); /* so that its end can be awaited */
    make(&made, "leave");
    CHECK(kill((pid_t)made.said, 0) == 0);
    end(&made);
    CHECK(waitpid((pid_t)made.said, &status, 0) == (pid_t)made.said);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void check_cpu(void)
{
    char text[64];
    struct made made;

    make_group(&made);
    if (cgroup_home(NULL)->cpu) {
        read_file(made.folder, "cpu.max", text, sizeof text);
        CHECK(strncmp(text, "max ", 4) == 0);
        CHECK(cgroup_settle(&made.group, NULL) == 0);
        read_file(made.folder, "cpu.max", text, sizeof text);
        CHECK(strcmp(text, "50000 100000\n") == 0);
        read_file(made.folder, "cpu.weight", text, sizeof text);
        CHECK(strcmp(text, "39\n") == 0);
    }
    cgroup_end(&made.group);
    CHECK(access(made.folder, F_OK) < 0);
}

/* Those of a killed server are removed with what is in them, those of a living one are not. */
static void check_orphans(void)
{
    struct made *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct made mine;
    int done[2];
    pid_t server;
    char byte;

    CHECK(shared != MAP_FAILED && pipe(done) == 0);
    make_group(&mine);
    server = fork();
    if (server == 0) {
        make(shared, "leave");
        CHECK(write(done[1], "", 1) == 1);
        for (;;)
            pause();
    }
    CHECK(read(done[0], &byte, 1) == 1);
    CHECK(cgroup_orphans_end() == 0);
    kill(server, SIGKILL);
    CHECK(waitpid(server, NULL, 0) == server);
    CHECK(access(shared->folder, F_OK) == 0);
    CHECK(cgroup_orphans_end() == 1);
    CHECK(access(shared->folder, F_OK) < 0);
    CHECK(access(mine.folder, F_OK) == 0);
    cgroup_end(&mine.group);
}

/* Where there is no home, sandboxes have none and start all the same. */
static void check_none(void)
{
    struct error err = {0};
    struct cgroup group;

    CHECK(!cgroup_home(&err));
    CHECK(err.text[0]);
    CHECK(cgroup_make(&group, "owner", MEMORY_MB, &err) == 0);
    CHECK(group.folder < 0 && group.procs < 0);
    CHECK(cgroup_settle(&group, &err) == 0);
    cgroup_end(&group);
    CHECK(cgroup_orphans_end() == 0);
}

static bool home_here(void)
{
    pid_t pid = fork();
    int status;

    if (pid == 0)
        _exit(cgroup_home(NULL) ? 0 : 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status == 0;
}

static void test_sandboxes(void **state)
{
    static void (*const checks[])(void) = {check_memory, check_processes, check_end, check_cpu,
                                           check_orphans};

    (void)state;
    if (!home_here()) {
        assert_false(kernel);
        run_apart(check_none);
        return;
    }
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        run_apart(checks[i]);
}

/* ---- a part of the tree that is delegated, in the emulated machine ---- */

static char delegated[64];

static void delegate(void)
{
    static const char *const names[] = {"", "cgroup.procs", "cgroup.subtree_control"};
    char path[128];

    write_file("/sys/fs/cgroup", "cgroup.subtree_control", "+memory +pids +cpu");
    snprintf(delegated, sizeof delegated, "/sys/fs/cgroup/delegated-%d", (int)getpid());
    CHECK(mkdir(delegated, 0755) == 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", delegated, names[i]);
        CHECK(chown(path, USER, USER) == 0);
    }
    write_file(delegated, "cgroup.procs", "0");
}

/* Of an ordinary user, as systemd delegates it. */
static void check_delegated(void)
{
    char groups[256], expected[128];
    struct made made;

    delegate();
    CHECK(setgid(USER) == 0 && setuid(USER) == 0);
    make(&made, "eat");
    CHECK(made.said > 0);
    CHECK(strncmp(made.folder, delegated, strlen(delegated)) == 0);
    read_file("/proc/self", "cgroup", groups, sizeof groups);
    snprintf(expected, sizeof expected, "0::%s/server\n", delegated + strlen("/sys/fs/cgroup"));
    CHECK(strcmp(groups, expected) == 0);
    end(&made);
}

/* A process that is not the server's stays where it is, and so does the server. */
static void check_shared(void)
{
    char groups[256], expected[128];
    struct error err = {0};
    pid_t other;

    delegate();
    other = fork();
    if (other == 0)
        for (;;)
            pause();
    CHECK(!cgroup_home(&err));
    CHECK(strstr(err.text, "other processes share"));
    read_file("/proc/self", "cgroup", groups, sizeof groups);
    snprintf(expected, sizeof expected, "0::%s\n", delegated + strlen("/sys/fs/cgroup"));
    CHECK(strcmp(groups, expected) == 0);
    CHECK(kill(other, 0) == 0);
    kill(other, SIGKILL);
    check_none();
}

/* Where systemd keeps the groups, only one that it has marked. */
static void check_systemd(void)
{
    struct error err = {0};

    delegate();
    CHECK(mkdir("/run", 0755) == 0 && mkdir("/run/systemd", 0755) == 0 &&
          mkdir("/run/systemd/system", 0755) == 0);
    CHECK(!cgroup_home(&err));
    CHECK(strstr(err.text, "systemd has not delegated"));
}

static void check_marked(void)
{
    delegate();
    CHECK(access("/run/systemd/system", F_OK) == 0);
    CHECK(setxattr(delegated, "user.delegate", "1", 1, 0) == 0);
    CHECK(cgroup_home(NULL));
    CHECK(rmdir("/run/systemd/system") == 0 && rmdir("/run/systemd") == 0 && rmdir("/run") == 0);
}

/* It belongs to another user. */
static void check_closed(void)
{
    struct error err = {0};

    delegate();
    CHECK(setgid(USER + 1) == 0 && setuid(USER + 1) == 0);
    CHECK(!cgroup_home(&err));
    CHECK(strstr(err.text, "may not make control groups"));
}

static void test_delegation(void **state)
{
    (void)state;
    if (!kernel)
        return;
    run_apart(check_delegated);
    run_apart(check_shared);
    run_apart(check_closed);
    run_apart(check_systemd);
    run_apart(check_marked);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_sandboxes),
        cmocka_unit_test(test_delegation),
    };

    for (size_t i = 0; argc == 2 && i < sizeof insides / sizeof *insides; i++) {
        if (strcmp(argv[1], insides[i].name) == 0)
            return insides[i].run();
    }
    kernel = argc == 2 && strcmp(argv[1], "kernel") == 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
