/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A process of its own that writes to the test's store and is killed in the middle: what it had
 * told to be done must be there afterwards.
 */
#ifndef LECTERN_TEST_KILLED_WRITER_H
#define LECTERN_TEST_KILLED_WRITER_H

#include "tests/unit/session_fixture.h"

#include <signal.h>
#include <sys/wait.h>

/* Writes without end; each write that was acknowledged is told by size bytes on out. */
typedef void write_on(struct store *store, const char *sid, int out);

/* Closes the fixture's store; kills the writer once it has told wanted writes. Returns how many it
 * had told by then, most at the most, with the size bytes of each in told. */
static inline size_t kill_writer(struct fixture *fixture, write_on *write, size_t wanted,
                                 size_t most, void *told, size_t size)
{
    size_t count = 0;
    int ends[2], status;
    pid_t child;

    store_close(fixture->store);
    fixture->store = NULL;
    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct store *store = store_open(fixture->url, STORE_WRITE, NULL);

        close(ends[0]);
        if (store)
            write(store, fixture->sid, ends[1]);
        _exit(1);
    }
    close(ends[1]);
    while (count < wanted && read(ends[0], (char *)told + count * size, size) == (ssize_t)size)
        count++;
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    while (count < most && read(ends[0], (char *)told + count * size, size) == (ssize_t)size)
        count++;
    close(ends[0]);
    assert_true(count >= wanted);
    return count;
}

#endif
