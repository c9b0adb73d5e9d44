/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Carries out the plan of a local sandbox: the process of bubblewrap, with a socket to its standard
 * input and output and a pipe from its standard error.
 */
#ifndef LECTERN_EXECUTOR_LOCAL_PROCESS_H
#define LECTERN_EXECUTOR_LOCAL_PROCESS_H

#include <sys/types.h>

#include "executor/local/local_plan.h"
#include "executor/runner.h"

struct local_process {
    pid_t pid;
    int stream; /* its standard input and output, one socket; does not block */
    int errors; /* its standard error; does not block */
    struct runner_stderr tail;
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

/* Sandboxes that a killed server left half made: bubblewrap's inner process waits for its outer one
 * before it asks to die with it; where a server is killed in that moment, the inner one waits for
 * ever. No code has run in it, and nothing else ends it.
 *
 * Ends every bwrap of a runner whose owner, named in its command line (local_plan.h), is dead by
 * its process's number and start (owner.h); returns how many. */
size_t local_orphans_end(void);

#endif
