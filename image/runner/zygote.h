/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The zygote, and how the runner asks it for a copy of itself (--isolation session).
 *
 * The first Python process warms up and never runs any job: it waits, inside one C call
 * (image/python/fork.c), for requests of the runner. It clones itself for each job. The copy
 * applies the remaining restrictions to itself, reports that it is ready, and runs one job like a
 * new interpreter. So a job finds the warmed-up state, and nothing of the job before it. All copies
 * share what the zygote has: its modules, the layout of its memory, and the secret of its hashes.
 *
 * A request is one byte with the three descriptors for the copy. The answer is a pid with a pidfd
 * and /proc/PID/statm, or an errno. The zygote is trusted because it has run no foreign code. A
 * copy is a child of the runner (CLONE_PARENT), which reaps it and signals it by its pidfd.
 */
#ifndef LECTERN_IMAGE_ZYGOTE_H
#define LECTERN_IMAGE_ZYGOTE_H

#include <sched.h>
#include <signal.h>
#include <stdint.h>

/* Descriptors set up before the zygote starts. Its socket has the same number as that of every
 * interpreter. */
#define ZYGOTE_CONTROL_FD 3
#define ZYGOTE_RULESET_FD 4 /* Landlock rules of its copies; absent without Landlock */
#define ZYGOTE_FILTER_FD                                                                           \
    5 /* the seccomp filter for a job, as a kernel program; in each isolation */
/* Its own oom_score_adj; absent without /proc. A copy inherits the score of the moment of its
 * clone, and could not change its own: its /proc does not belong to it. */
#define ZYGOTE_SCORE_FD  6
#define ZYGOTE_SCORE_CAP 8 /* bytes of it */

/* Placeholder in the filter for the pid of the process, which is known only after the clone. No pid
 * and no system call number is as large. */
#define ZYGOTE_PID_MARK 0x50494421u

#define ZYGOTE_CLONE_FLAGS (CLONE_PARENT | CLONE_PIDFD | SIGCHLD)
#define ZYGOTE_ASK         'f'

enum { ZYGOTE_OUT, ZYGOTE_ERR, ZYGOTE_CONTROL, ZYGOTE_ENDS }; /* sent with the request */

enum {
    ZYGOTE_PIDFD,
    ZYGOTE_STATM,
    ZYGOTE_PROOFS
}; /* sent with the answer; the second may be missing */

struct zygote_answer {
    int32_t pid; /* negative: a negated errno */
};

#define COPY_CPU_SECONDS 120 /* limit besides the deadlines: importing and running together */

#endif
