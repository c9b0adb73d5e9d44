/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The engine without namespaces: on which machines it is refused, and that nothing of its sandboxes
 * outlives the runner or the server, also if either is killed.
 */
#include <limits.h>
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
    static const char python[] = "/usr/bin/python3";
    char path[64], program[sizeof python] = "";
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    file = fopen(path, "re");
    if (!file)
        return false;
    (void)!fread(program, 1, sizeof program, file);
    fclose(file);
    return memcmp(program, python, sizeof python) == 0;
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
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
