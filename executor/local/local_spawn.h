/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Carries out the plan of a local sandbox: the process of bubblewrap, with a socket to its standard
 * input and output and a pipe from its standard error.
 */
#ifndef LECTERN_EXECUTOR_LOCAL_SPAWN_H
#define LECTERN_EXECUTOR_LOCAL_SPAWN_H

#include <sys/types.h>

#include "executor/local/local_plan.h"
#include "executor/stderr_tail.h"

struct local_process {
    pid_t pid;
    int stream; /* its standard input and output, one socket; does not block */
    int errors; /* its standard error; does not block */
    struct stderr_tail tail;
    char line[3 * STDERR_TAIL_KEPT + 1];
};

/* fds: descriptors that it inherits. It dies with the thread that calls this. */
int local_spawn(struct local_process *process, const struct local_plan *plan, const int *fds,
                size_t fd_count, struct error *err);

/* The last of what it wrote to its standard error; valid until the next call. */
const char *local_stderr_tail(struct local_process *process);

/* Ends it with all that is in it, and waits for that. */
void local_kill(struct local_process *process);

/* Closes what belongs to one that was waited for. */
void local_forget(struct local_process *process);

#endif
