/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The interpreter's process. It is started and confined before its first instruction (child.c), or,
 * in a session, cloned from a process that was (zygote.h).
 */
#ifndef LECTERN_IMAGE_CHILD_H
#define LECTERN_IMAGE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "image/runner/descriptors.h"
#include "image/runner/runner.h"

struct child {
    pid_t pid;                /* 0: not yet known */
    int pidfd;                /* -1 if the runner started it itself */
    struct ends ends;         /* the runner's ends; -1 once closed */
    int statm;                /* /proc/PID/statm, or -1 without /proc */
    int kills_fd;             /* of kills_open; -1 outside a container, and for a copy */
    unsigned long long kills; /* as last read there */
    int landlock_abi;
    bool exec_once; /* any further execve in it fails */
};

/* Starts the interpreter. Returns 0, or -1 with a message logged. */
int child_start(struct child *child, const struct options *options);

/* Asks the zygote for a copy. A session uses one copy after the other. A copy is a child of the
 * runner, like a process that it started, but its pid is not known until child_take_copy. */
int child_ask_copy(const struct child *zygote, struct child *copy);
/* Reads the zygote's answer. Returns 1 if the copy is known, 0 if there is no answer yet, -1 with a
 * message logged if the zygote has ended or its answer is not valid. */
int child_take_copy(const struct child *zygote, struct child *copy);

/* It must not be reaped yet. SIGKILL goes to all of its process group, unless it is a copy. */
void child_signal(const struct child *child, int signal);
/* Reaps it, or an orphan of it, if one has ended: waitpid's result. What it left in its process
 * group is killed. A copy may leave nothing and is the only process that is waited for. */
pid_t child_wait(const struct child *child, int *status);
void child_finish(struct child *child); /* closes its descriptors */

/* Resident memory in bytes; 0 if unknown. */
unsigned long long child_resident(const struct child *child);

#endif
