/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The interpreter's process as the runner has it: started and confined before its first instruction
 * (child.c), or, in a session, cloned from the one that was (zygote.h).
 */
#ifndef LECTERN_IMAGE_CHILD_H
#define LECTERN_IMAGE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "image/runner/descriptors.h"
#include "image/runner/runner.h"

struct child {
    pid_t pid;        /* 0: not known yet */
    int pidfd;        /* -1 where the runner started it itself */
    struct ends ends; /* the runner's; -1 after their end */
    int statm;        /* /proc/PID/statm, or -1 where there is no /proc */
    int landlock_abi;
    bool exec_once; /* execve fails in it from now on */
};

/* Starts the interpreter. 0, or -1 with a message logged. */
int child_start(struct child *child, const struct options *options);

/* In a session the runner has one copy of its zygote after the other. Asks for the next, which is
 * the runner's child like one that was started, but for its pid, which is not known yet. */
int child_ask_copy(const struct child *zygote, struct child *copy);
/* The zygote's answer: 1 when the copy is known now, 0 when there is none yet, -1 with a message
 * logged when the zygote has ended or answers what it was not asked. */
int child_take_copy(const struct child *zygote, struct child *copy);

void child_signal(const struct child *child, int signal); /* one that is not reaped yet */
void child_finish(struct child *child);                   /* closes what is open */

/* Bytes of memory that are resident; 0 where that cannot be told. */
unsigned long long child_resident(const struct child *child);

#endif
