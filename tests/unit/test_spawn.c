/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nothing of a sandbox on this machine outlives its server, also where a process in it does not die
 * with its parent: that of a shell, and bubblewrap's inner process before its user is mapped.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "executor/local/spawn.h"

static const char *const no_environment[] = {NULL};

/* The first child of the process, once there is one; 0 if the process ends before. */
static pid_t wait_child(pid_t pid)
{
    char path[64];
    int child = 0;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    while (child == 0 && waitpid(pid, NULL, WNOHANG) == 0) {
        FILE *file = fopen(path, "re");

        if (file && fscanf(file, "%d", &child) != 1)
            child = 0;
        if (file)
            fclose(file);
        usleep(1000);
    }
    return child;
}

/* This process is a subreaper, so an orphan becomes its child, and its end can be awaited; the
 * kernel itself reaps the processes of a PID namespace that ends. CTest bounds the time. */
static void await_end(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && kill(pid, 0) == 0)
        usleep(1000);
}

/* Carries out the plan in a process of its own, the server, kills that, and waits for the end of
 * the sandbox's process and of its child. Returns false if the plan's process ended by itself. */
static bool check_killed_server(const struct local_plan *plan, const struct local_setup *setup)
{
    pid_t server, pids[2] = {0};
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    server = fork();
    assert_true(server >= 0);
    if (server == 0) {
        struct engine_box box;

        if (spawn(&box, plan, setup, NULL, NULL) < 0)
            _exit(1);
        pids[0] = box.pid;
        pids[1] = wait_child(box.pid);
        (void)!write(ends[1], pids, sizeof pids);
        for (;;)
            pause();
    }
    assert_int_equal(read(ends[0], pids, sizeof pids), sizeof pids);
    close(ends[0]);
    close(ends[1]);
    kill(server, SIGKILL);
    await_end(server);
    if (pids[1] == 0)
        return false;
    await_end(pids[0]);
    await_end(pids[1]);
    return true;
}

static void test_child_of_a_shell(void **state)
{
    const struct local_plan plan = {.argv = {"/bin/sh", "-c", "sleep 1000 & wait"},
                                    .contained = true,
                                    .environment = no_environment};
    const struct local_setup setup = {0};

    (void)state;
    assert_true(check_killed_server(&plan, &setup));
}

/* bubblewrap waits for the descriptor before it maps its inner process's user. */
static void test_bubblewrap_half_made(void **state)
{
    struct local_setup setup = {.file_count = 1};
    char number[16];
    const struct local_plan plan = {
        .argv = {"/usr/bin/bwrap", "--unshare-user", "--unshare-pid", "--die-with-parent",
                 "--info-fd", "1", "--userns-block-fd", number, "--ro-bind", "/", "/", "/bin/true"},
        .files = true,
        .contained = true,
        .environment = no_environment};
    bool checked;
    int never[2];

    (void)state;
    assert_int_equal(pipe(never), 0);
    setup.files[0].fd = never[0];
    snprintf(number, sizeof number, "%d", never[0]);
    checked = check_killed_server(&plan, &setup);
    close(never[0]);
    close(never[1]);
    if (!checked) {
        print_message("SKIPPED: bubblewrap cannot make a sandbox here; see lectern doctor\n");
        skip();
    }
}

/* The server ends a sandbox that it no longer needs. */
static void test_end(void **state)
{
    const struct local_plan plan = {.argv = {"/bin/sh", "-c", "sleep 1000 & wait"},
                                    .contained = true,
                                    .environment = no_environment};
    const struct local_setup setup = {0};
    struct engine_box box;
    pid_t child;

    (void)state;
    assert_int_equal(spawn(&box, &plan, &setup, NULL, NULL), 0);
    child = wait_child(box.pid);
    assert_true(child > 0);
    spawn_end(&box);
    await_end(child);
}

static int set_up(void **state)
{
    (void)state;
    return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_child_of_a_shell),
        cmocka_unit_test(test_bubblewrap_half_made),
        cmocka_unit_test(test_end),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
