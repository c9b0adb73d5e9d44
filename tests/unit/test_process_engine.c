/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The engine without namespaces: on which machines it is refused, the users of its sandboxes, and
 * that nothing of its sandboxes outlives the runner or the server, also if either is killed.
 */
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "executor/local/process_host.h"
#include "executor/local/spawn.h"

static char folder[] = "/tmp/lectern-test-XXXXXX"; /* TMPDIR of the test */
static char share[PATH_MAX];

/* ---- refusals ---- */

static void test_refusals(void **state)
{
    static const struct {
        struct process_host host;
        const char *refusal; /* NULL: none */
    } rows[] = {
        {{.landlock_abi = 7, .seccomp = true, .network = true}, NULL},
        {{.landlock_abi = 4, .seccomp = true, .network = true}, NULL},
        {{.landlock_abi = 3, .seccomp = true, .network = true}, "Landlock ABI 3"},
        {{.landlock_abi = 3, .seccomp = true, .network = false}, NULL},
        {{.landlock_abi = 1, .seccomp = true, .network = false}, NULL},
        {{.landlock_abi = 0, .seccomp = true, .network = false}, "no Landlock"},
        {{.landlock_abi = 7, .seccomp = false, .network = false}, "no seccomp"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = {0};
        int rc = process_host_check(&rows[i].host, &err);

        assert_int_equal(rc, rows[i].refusal ? -1 : 0);
        if (rows[i].refusal)
            assert_non_null(strstr(err.text, rows[i].refusal));
    }
}

/* Only what the kernel has is said to hold. */
static void test_description(void **state)
{
    struct process_host host = {.landlock_abi = 3, .seccomp = true};
    char text[ENGINE_DESCRIPTION_CAP];

    (void)state;
    process_host_describe(&host, text, sizeof text);
    assert_non_null(strstr(text, "ABI 3 (files), no network in this namespace"));
    host = (struct process_host){.landlock_abi = 5, .seccomp = true, .network = true};
    process_host_describe(&host, text, sizeof text);
    assert_non_null(strstr(text, "ABI 5 (files, TCP), no new"));
    host.landlock_abi = 6;
    process_host_describe(&host, text, sizeof text);
    assert_non_null(strstr(text, "ABI 6 (files, TCP, signals), no new"));
    assert_true(strlen(text) < sizeof text - 128); /* the engine says as whom, before it */
}

/* ---- ends. What is stopped ends only by SIGKILL, not because it reads that a pipe was closed.
 * ----
 */

static bool is_python(int pid)
{
    char path[64], program[PATH_MAX] = "";
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    file = fopen(path, "re");
    if (!file)
        return false;
    (void)!fread(program, 1, sizeof program - 1, file);
    fclose(file);
    return strstr(program, "/ld-linux"); /* the loader of the pinned Python */
}

/* The interpreter of a runner, once it is one; CTest bounds the time. */
static pid_t wait_interpreter(pid_t runner)
{
    char path[64];
    int child = 0;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)runner, (int)runner);
    while (!is_python(child)) {
        FILE *file = fopen(path, "re");

        assert_non_null(file);
        if (fscanf(file, "%d", &child) != 1)
            child = 0;
        fclose(file);
        usleep(1000);
    }
    return child;
}

/* Skips the test where the kernel lacks something. */
static void *open_engine(void)
{
    struct executor_config config = {.share_dir = share};
    struct process_host host = process_host_look();
    struct error err = {0};
    void *engine = engine_process.open(&config, &err);

    assert_non_null(engine);
    if (process_host_check(&host, &err) < 0) {
        engine_process.close(engine);
        print_message("SKIPPED: %s\n", err.text);
        skip();
    }
    return engine;
}

static struct engine_box *start_box(void *engine)
{
    struct error err = {0};
    struct engine_box *box =
        engine_process.start(engine, &execution_kinds[kind_index("bare")], &err);

    if (!box)
        fail_msg("%s", err.text);
    return box;
}

/* This process is a subreaper, so what loses its parent is its child, and its end can be awaited.
 */
static void assert_ends(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0) /* until it is a child */
        usleep(1000);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void test_killed_server(void **state)
{
    void *engine = open_engine();
    pid_t server, pids[2] = {0};
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    server = fork();
    assert_true(server >= 0);
    if (server == 0) {
        pids[0] = start_box(engine)->pid;
        pids[1] = wait_interpreter(pids[0]);
        (void)!write(ends[1], pids, sizeof pids);
        for (;;)
            pause();
    }
    assert_int_equal(read(ends[0], pids, sizeof pids), sizeof pids);
    kill(pids[0], SIGSTOP);
    kill(pids[1], SIGSTOP);
    kill(server, SIGKILL);
    assert_ends(server);
    assert_ends(pids[0]);
    assert_ends(pids[1]);
    close(ends[0]);
    close(ends[1]);
    engine_process.close(engine);
}

static void test_killed_runner(void **state)
{
    void *engine = open_engine();
    struct engine_box *box = start_box(engine);
    pid_t interpreter = wait_interpreter(box->pid);

    (void)state;
    kill(interpreter, SIGSTOP);
    kill(box->pid, SIGKILL);
    assert_ends(interpreter);
    engine_process.destroy(engine, box);
    engine_process.close(engine);
}

/* ---- users ---- */

static void test_ranges(void **state)
{
    static const struct {
        const char *text, *refusal;
    } rows[] = {
        {"70000-99999", NULL},
        {"1000-65533", NULL},
        {"65536-4294967294", NULL},
        {"70000", "must be FIRST-LAST, such as 70000-99999, not '70000'"},
        {"70001-70000", "must be FIRST-LAST"},
        {"70000-70001x", "must be FIRST-LAST"},
        {"-1-70000", "must be FIRST-LAST"},
        {"", "must be FIRST-LAST"},
        {"0-70000", "from 1000 to 4294967294"},
        {"999-1001", "from 1000 to 4294967294"},
        {"70000-4294967295", "from 1000 to 4294967294"},
        {"65534-65534", "neither 65534 (nobody) nor 65535"},
        {"60000-70000", "neither 65534 (nobody) nor 65535"},
    };
    struct sandbox_users users;

    (void)state;
    assert_int_equal(sandbox_users_read(&users, NULL, NULL), 0);
    assert_int_equal(users.first, 70000);
    assert_int_equal(users.last, 99999);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = {0};

        assert_int_equal(sandbox_users_read(&users, rows[i].text, &err), rows[i].refusal ? -1 : 0);
        if (rows[i].refusal)
            assert_non_null(strstr(err.text, rows[i].refusal));
    }
}

static void test_maps(void **state)
{
    const struct sandbox_users users = {70000, 99999};

    (void)state;
    assert_true(sandbox_users_are_mapped(&users, "         0          0 4294967295\n"));
    assert_true(sandbox_users_are_mapped(&users, "80000 1 20000\n0 5 1\n70000 200000 10000\n"));
    assert_false(sandbox_users_are_mapped(&users, "80000 1 19999\n70000 200000 10000\n"));
    assert_false(sandbox_users_are_mapped(&users, "0 100000 65536\n"));
    assert_false(sandbox_users_are_mapped(&users, "0 0 1\n"));
    assert_false(sandbox_users_are_mapped(&users, ""));
}

/* The real, effective, saved and file-system ids of a process are one; writes the numbers of that
 * line of its status. */
static unsigned one_id(pid_t pid, const char *name)
{
    char path[64], line[256];
    unsigned ids[4] = {0};
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    file = fopen(path, "re");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) && strncmp(line, name, strlen(name)) != 0)
        ;
    fclose(file);
    assert_int_equal(sscanf(line + strlen(name), "%u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]),
                     4);
    for (size_t i = 1; i < 4; i++)
        assert_int_equal(ids[i], ids[0]);
    return ids[0];
}

static void *open_with(const char *uids, const char *share_dir)
{
    struct executor_config config = {.share_dir = share_dir, .sandbox_uids = uids};
    struct error err = {0};
    void *engine = engine_process.open(&config, &err);

    if (!engine)
        fail_msg("%s", err.text);
    return engine;
}

/* Two servers, of which the second has one id more than the first. */
static void test_users(void **state)
{
    void *first = open_engine(), *second;
    struct engine_box *boxes[3] = {NULL};
    unsigned users[3];
    struct error err = {0};

    (void)state;
    engine_process.close(first);
    first = open_with("71000-71001", share);
    second = open_with("71000-71002", share);
    for (size_t i = 0; i < 3; i++) {
        boxes[i] = start_box(i < 2 ? first : second);
        users[i] = one_id(wait_interpreter(boxes[i]->pid), "Uid:");
        assert_int_equal(one_id(boxes[i]->pid, "Uid:"), users[i]);
        assert_int_equal(one_id(boxes[i]->pid, "Gid:"), geteuid() == 0 ? users[i] : getegid());
        if (geteuid() != 0)
            assert_int_equal(users[i], geteuid());
    }
    if (geteuid() == 0) {
        assert_int_equal(users[0] + users[1], 71000 + 71001);
        assert_int_not_equal(users[0], users[1]);
        assert_int_equal(users[2], 71002);
        assert_null(engine_process.start(second, &execution_kinds[kind_index("bare")], &err));
        assert_non_null(strstr(err.text, "have all user ids from 71000 to 71002: a larger range"));
        engine_process.destroy(first, boxes[0]); /* its id is free again */
        boxes[0] = start_box(second);
        assert_int_equal(one_id(wait_interpreter(boxes[0]->pid), "Uid:"), users[0]);
    }
    for (size_t i = 0; i < 3; i++)
        engine_process.destroy(first, boxes[i]);
    engine_process.close(first);
    engine_process.close(second);
}

static int write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t len = write(fd, text, strlen(text));

    close(fd);
    return len == (ssize_t)strlen(text) ? 0 : -1;
}

/* Root, with no other user. */
static int enter_user_namespace(void)
{
    char users[32], groups[32];

    snprintf(users, sizeof users, "0 %u 1", (unsigned)geteuid());
    snprintf(groups, sizeof groups, "0 %u 1", (unsigned)getegid());
    return unshare(CLONE_NEWUSER) < 0 || write_text("/proc/self/setgroups", "deny") < 0 ||
                   write_text("/proc/self/uid_map", users) < 0 ||
                   write_text("/proc/self/gid_map", groups) < 0
               ? -1
               : 0;
}

/* Root that cannot become another user starts no sandbox, of neither engine. */
static void test_only_root(void **state)
{
    static const char *const lacks[] = {"", "cannot make a user namespace", "started all the same",
                                        "another error"};
    pid_t pid;
    int status;

    (void)state;
    engine_process.close(open_engine());
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const struct engine *const engines[] = {&engine_process, &engine_local};

        if (enter_user_namespace() < 0)
            _exit(1);
        for (size_t i = 0; i < 2; i++) {
            struct executor_config config = {.share_dir = share};
            struct error err = {0};
            void *engine = engines[i]->open(&config, &err);

            if (engines[i]->start(engine, &execution_kinds[kind_index("bare")], &err) ||
                engines[i]->works(engine, &err) == 0)
                _exit(2);
            if (!strstr(err.text, "has no ids 70000-99999 for them (/proc/self/uid_map): name ids"))
                _exit(err.text[0] && strstr(err.text, "bubblewrap is not installed") ? 0 : 3);
            engines[i]->close(engine);
        }
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 1) {
        print_message("SKIPPED: %s here\n", lacks[1]);
        skip();
    }
    assert_string_equal(lacks[WEXITSTATUS(status)], "");
}

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void shell(const char *format, ...)
{
    char command[4 * PATH_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    assert_int_equal(system(command), 0); // NOLINT(concurrency-mt-unsafe,cert-env33-c): one thread
}

/* Starts a sandbox and ends it; the folder of its runner. */
static void folder_of_runner(void *engine, char path[PATH_MAX])
{
    struct engine_box *box = start_box(engine);
    char link[64];
    ssize_t len;

    wait_interpreter(box->pid);
    snprintf(link, sizeof link, "/proc/%d/exe", box->pid);
    len = readlink(link, path, PATH_MAX - 1);
    assert_true(len > 0);
    path[len] = '\0';
    *strrchr(path, '/') = '\0';
    engine_process.destroy(engine, box);
}

/* The user of a sandbox must be able to read the runner's files, and not to change them. Where it
 * cannot read them, a copy in the cache is used, which follows the files. */
static void test_closed_folder(void **state)
{
    char copy[sizeof folder + sizeof "/share"], found[2][PATH_MAX];
    struct error err = {0};
    void *engine = open_engine();

    (void)state;
    engine_process.close(engine);
    if (geteuid() != 0) {
        print_message("SKIPPED: the server becomes another user only as root\n");
        skip();
    }
    snprintf(copy, sizeof copy, "%s/share", folder);
    shell("cp -r '%s' '%s'", share, copy);
    umask(077);
    engine = open_with(NULL, copy); /* its folder is closed to others */
    folder_of_runner(engine, found[0]);
    shell("echo '# changed' >>'%s/report.py'", copy);
    folder_of_runner(engine,
                     found[1]); /* a new copy, which others can read in spite of the umask */
    umask(022);
    assert_string_not_equal(found[0], found[1]);
    for (size_t i = 0; i < 2; i++) {
        assert_memory_equal(found[i], "/var/cache/lectern/share-", 25);
        shell(
            "cd '%s' && [ $(grep -c changed report.py) = %zu ] && [ -z \"$(find . -perm /o=w)\" ]",
            found[i], i);
    }
    assert_int_equal(chmod(folder, 0755), 0);
    shell("touch '%s/report.py'", copy);
    folder_of_runner(engine, found[0]);
    assert_string_equal(found[0], copy);
    shell("chmod o-r '%s/policy.json' && touch '%s/report.py'", copy, copy);
    folder_of_runner(engine, found[0]);
    assert_string_equal(found[0], found[1]);
    shell("chmod o=rw '%s/policy.json' && touch '%s/report.py'", copy, copy);
    assert_int_equal(engine_process.works(engine, &err), -1);
    assert_non_null(strstr(err.text, "can write to /tmp/lectern-test-"));
    engine_process.close(engine);
    shell("rm -r '%s' '%s'", copy, found[1]);
    assert_int_equal(chmod(folder, 0700), 0);
}

/* Where others reach the server, the engine must be named. */
static void test_open_host(void **state)
{
    const struct executor_config config = {.open_host = "0.0.0.0"}, loopback = {0};
    struct error err = {0};

    (void)state;
    assert_int_equal(engine_may_be_chosen(&engine_process, &loopback, &err), 0);
    assert_int_equal(engine_may_be_chosen(&engine_docker, &config, &err), 0);
    assert_int_equal(engine_may_be_chosen(&engine_local, &config, &err), 0);
    assert_int_equal(engine_may_be_chosen(&engine_process, &config, &err), -1);
    assert_non_null(strstr(err.text, "listens on 0.0.0.0, not on loopback"));
    assert_non_null(strstr(err.text, "--sandbox process"));
}

/* ---- the working folder ---- */

static void test_working_folder(void **state)
{
    char path[64], cwd[PATH_MAX] = "";
    void *engine = open_engine();
    struct engine_box *box = start_box(engine);
    pid_t interpreter = wait_interpreter(box->pid);
    struct stat status;

    (void)state;
    snprintf(path, sizeof path, "/proc/%d/cwd", (int)interpreter);
    assert_true(readlink(path, cwd, sizeof cwd - 1) > 0);
    assert_memory_equal(cwd, folder, strlen(folder));
    assert_string_equal(cwd + strlen(cwd) - strlen(" (deleted)"), " (deleted)");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_nlink, 0);
    kill(interpreter, SIGSTOP);
    engine_process.destroy(engine, box);
    assert_ends(interpreter);
    engine_process.close(engine);
    assert_int_equal(rmdir(folder), 0); /* it is empty */
    assert_int_equal(mkdir(folder, 0700), 0);
}

/* The machine lacks what is needed, and says what; the next start after it is there works. */
static void test_no_working_folder(void **state)
{
    struct error err = {0};
    void *engine;

    (void)state;
    setenv("TMPDIR", "/nonexistent", 1); // NOLINT(concurrency-mt-unsafe): one thread
    engine = open_engine();
    assert_int_equal(engine_process.works(engine, &err), -1);
    assert_non_null(strstr(err.text, "no working folder can be made in TMPDIR"));
    setenv("TMPDIR", folder, 1); // NOLINT(concurrency-mt-unsafe): one thread
    assert_int_equal(engine_process.works(engine, &err), 0);
    engine_process.close(engine);
}

static int set_up(void **state)
{
    const char *build = getenv("LECTERN_BUILD"); // NOLINT(concurrency-mt-unsafe)

    (void)state;
    snprintf(share, sizeof share, "%s/share", build ? build : "build/dev");
    return prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 || !mkdtemp(folder) ||
                   setenv("TMPDIR", folder, 1) < 0 // NOLINT(concurrency-mt-unsafe): one thread
               ? -1
               : 0;
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_description),
        cmocka_unit_test(test_killed_server),  cmocka_unit_test(test_killed_runner),
        cmocka_unit_test(test_working_folder), cmocka_unit_test(test_no_working_folder),
        cmocka_unit_test(test_ranges),         cmocka_unit_test(test_maps),
        cmocka_unit_test(test_users),          cmocka_unit_test(test_only_root),
        cmocka_unit_test(test_closed_folder),  cmocka_unit_test(test_open_host),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
