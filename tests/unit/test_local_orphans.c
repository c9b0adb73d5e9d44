/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An orphan looks like bubblewrap with our runner and has process 1 as its parent; nothing else is
 * touched. A shell under the name bwrap stands in for bubblewrap, whose window is microseconds.
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
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "executor/local_orphans.h"

/* Starts `name -c 'read line' ARGUMENT`, which waits on a pipe for ever; orphaned, when asked. */
static pid_t start(const char *name, char *argument, bool orphan, const int pipe_fds[2])
{
    char *argv[] = {(char *)name, "-c", "read line", argument, NULL};
    int told[2];
    pid_t pid = 0, child;

    assert_int_equal(pipe(told), 0);
    child = fork();
    if (child == 0) {
        pid = orphan ? fork() : getpid();
        if (pid != 0 && write(told[1], &pid, sizeof pid) != (ssize_t)sizeof pid)
            _exit(1);
        if (orphan && pid != 0)
            _exit(0);
        dup2(pipe_fds[0], STDIN_FILENO);
        close(pipe_fds[1]);
        execv("/bin/sh", argv);
        _exit(127);
    }
    assert_int_equal(read(told[0], &pid, sizeof pid), sizeof pid);
    close(told[0]);
    close(told[1]);
    if (orphan)
        waitpid(child, NULL, 0);
    return pid;
}

/* Until it is gone, five seconds at most. */
static bool ends(pid_t pid)
{
    for (int i = 0; i < 500; i++) {
        if (kill(pid, 0) < 0)
            return true;
        usleep(10000);
    }
    return false;
}

static void ends_orphans_alone(void **state)
{
    int fds[2];
    pid_t orphan, child, other;

    (void)state;
    assert_int_equal(pipe(fds), 0);
    child = start("/usr/bin/bwrap", "/lectern/runner", false, fds);
    other = start("/usr/bin/bwrap", "/other/program", true, fds);
    orphan = start("/usr/bin/bwrap", "/lectern/runner", true, fds);
    usleep(200000); /* until all have become what they are */
    assert_true(local_orphans_end() >= 1);
    assert_true(ends(orphan));
    assert_int_equal(kill(child, 0), 0);
    assert_int_equal(kill(other, 0), 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    kill(other, SIGKILL);
    close(fds[0]);
    close(fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_orphans_alone)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
