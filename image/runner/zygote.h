/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The zygote, and how it is asked for a copy of itself (--isolation session).
 *
 * The Python that the runner starts warms up and then never runs anything: it waits, inside one C
 * call (image/python/fork.c), for the runner to ask. For each job it clones itself; the copy puts
 * the rest of the walls around itself, says that it is ready, and runs the one job like an
 * interpreter that was started for it. So a job finds what warming made, and nothing of the job
 * before it. What all copies share is what the zygote has: its modules, the layout of its memory,
 * the secret of its hashes.
 *
 * Asking is one byte with the three descriptors that the copy shall have; the answer is a pid with
 * a pidfd and /proc/PID/statm, or an errno. The zygote's word is taken: it has run no code of
 * others. A copy is a child of the runner's (CLONE_PARENT), which reaps it and signals it by its
 * pidfd.
 */
#ifndef LECTERN_IMAGE_ZYGOTE_H
#define LECTERN_IMAGE_ZYGOTE_H

#include <sched.h>
#include <signal.h>
#include <stdint.h>

/* Descriptors of the zygote, in front of its start: its socket is that of every interpreter. */
#define ZYGOTE_CONTROL_FD 3
#define ZYGOTE_RULESET_FD 4 /* the Landlock rules of its copies; not there without Landlock */
#define ZYGOTE_FILTER_FD  5 /* the seccomp filter of its copies, as a program for the kernel */

/* Where the filter names the process itself, which is known only when there is one. No pid and no
 * number of a system call is as large. */
#define ZYGOTE_PID_MARK 0x50494421u

#define ZYGOTE_CLONE_FLAGS (CLONE_PARENT | CLONE_PIDFD | SIGCHLD)
#define ZYGOTE_ASK         'f'

enum { ZYGOTE_OUT, ZYGOTE_ERR, ZYGOTE_CONTROL, ZYGOTE_ENDS }; /* with the question */

enum { ZYGOTE_PIDFD, ZYGOTE_STATM, ZYGOTE_PROOFS }; /* with the answer; the second may be missing */

struct zygote_answer {
    int32_t pid; /* below 0: an errno, negated */
};

#define COPY_CPU_SECONDS 120 /* backstop for the deadlines: importing and running together */

#endif
