/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first process of a sandbox on this machine: starting it with a stream to its standard input
 * and output, reading what it says, killing it with its whole group.
 *
 * The process dies with the calling thread (PR_SET_PDEATHSIG), so only threads of the executor's
 * work queue start sandboxes. Its children may have no such setting yet: bubblewrap's inner process
 * waits, without one, for the outer process to map its user, and would wait for ever. So where the
 * plan says so, the process is the first of a PID namespace (pid_namespaces(7)), and the kernel
 * kills all that it has started when it dies.
 */
#ifndef LECTERN_EXECUTOR_LOCAL_SPAWN_H
#define LECTERN_EXECUTOR_LOCAL_SPAWN_H

#include "executor/engine.h"
#include "executor/local/cgroup.h"
#include "executor/local/local_plan.h"
#include "executor/sandbox_user.h"

struct engine_box {
    pid_t pid;
    int stream; /* its standard input and output, one non-blocking socket */
    int errors; /* its standard error, non-blocking */
    struct runner_stderr tail;
    /* The engine's; spawn leaves them empty. */
    struct sandbox_user user;
    struct cgroup group;
};

/* Carries out the plan in that control group, if there is one (cgroup.h); NULL: in the server's.
 * The process inherits the setup's files. Returns -1 with nothing open. */
int spawn(struct engine_box *box, const struct local_plan *plan, const struct local_setup *setup,
          const struct cgroup *group, struct error *err);

/* Carries out a plan that ends by itself, in the server's control group. Returns -1 unless it ends
 * with status 0 within a few seconds. */
int spawn_trial(const struct local_plan *plan, const struct local_setup *setup, struct error *err);

/* The end of what it wrote to its standard error; valid until the next call. */
const char *spawn_last_words(struct engine_box *box);

/* Kills it with its process group, waits for its end, and closes its descriptors. */
void spawn_end(struct engine_box *box);

#endif
