/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An orphan looks like bubblewrap with our runner and names an owner that is dead; nothing else is
 * touched, whoever its parent is. A shell under the name bwrap stands in for bubblewrap, whose
 * window is microseconds. Another Lectern that starts on this machine may end the orphan first.
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
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "executor/local/local_machine.h"
#include "executor/owner.h"

#define BWRAP "/usr/bin/bwrap"

static bool is_bwrap(pid_t pid)
{
    char path[64], program[sizeof BWRAP] = "";
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return false;
    (void)!fread(program, 1, sizeof program, file);
    fclose(file);
    return memcmp(program, BWRAP, sizeof program) == 0;
}

/* The process can still be waited for. */
static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/* Starts `/usr/bin/bwrap -c 'read line' LECTERN_OWNER OWNER PROGRAM`, which waits on a pipe for
 * ever. */
static pid_t start(char *owner, char *program, const int pipe_fds[2])
{
    char *argv[] = {BWRAP, "-c", "read line", "LECTERN_OWNER", owner, program, NULL};
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(pipe_fds[0], STDIN_FILENO);
        close(pipe_fds[1]);
        execv("/bin/sh", argv);
        _exit(127);
    }
    while (!is_bwrap(pid) && !has_ended(pid)) /* until it has become that; CTest bounds the time */
        usleep(1000);
    return pid;
}

/* The label of a process that is gone. */
static void dead_owner(char label[OWNER_CAP])
{
    int ends[2];
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
        owner_label(label, NULL);
        _exit(write(ends[1], label, OWNER_CAP) == OWNER_CAP ? 0 : 1);
    }
    assert_int_equal(read(ends[0], label, OWNER_CAP), OWNER_CAP);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(ends[0]);
    close(ends[1]);
}

/* Until it has ended, a minute at most. */
static bool ends(pid_t pid)
{
    for (int i = 0; i < 6000; i++) {
        if (waitpid(pid, NULL, WNOHANG) == pid)
            return true;
        usleep(10000);
    }
    return false;
}

/* All are children of this process, which is not process 1: as under a subreaper. */
static void ends_those_of_the_dead(void **state)
{
    char dead[OWNER_CAP], mine[OWNER_CAP];
    pid_t orphan, living, other, nameless;
    int fds[2];

    (void)state;
    assert_int_equal(pipe(fds), 0);
    dead_owner(dead);
    assert_int_equal(owner_label(mine, NULL), 0);
    living = start(mine, "/lectern/runner", fds);
    other = start(dead, "/other/program", fds);
    nameless = start("", "/lectern/runner", fds);
    orphan = start(dead, "/lectern/runner", fds);
    assert_in_range(local_orphans_end(), 0, 1);
    assert_true(ends(orphan));
    for (size_t i = 0; i < 3; i++) {
        pid_t pid = (pid_t[]){living, other, nameless}[i];

        assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
    }
    close(fds[0]);
    close(fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_those_of_the_dead)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
