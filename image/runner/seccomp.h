/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The system calls that are left. Lists of what is allowed; everything else fails with EPERM (or
 * ENOSYS where a library asks whether the kernel has it), and a foreign architecture's calls kill.
 * The lists are the tables at the top of seccomp.c.
 */
#ifndef LECTERN_IMAGE_SECCOMP_H
#define LECTERN_IMAGE_SECCOMP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* In the interpreter's process. exec_once_begin makes every execve wait for the runner's word and
 * gives the descriptor over which it is said, -1 where the kernel cannot do that: then execve stays
 * open and Landlock alone says what may be executed. */
int seccomp_exec_once_begin(void);
/* The filter for Python. For good. 0, or -1 with a message logged. */
int seccomp_confine_interpreter(void);
/* The same, written to fd as a program for the kernel, with ZYGOTE_PID_MARK where it names the
 * process; and the filter for the zygote, which has what cloning and confining the clone take. */
int seccomp_write_interpreter(int fd);
int seccomp_confine_zygote(void);

/* In the runner: waits until the one execve is asked for at fd, then lets the one that was waited
 * for go on and closes fd; from then on execve fails in that process. -1 with a message logged. */
int seccomp_exec_once_wait(int fd, int timeout_ms, uint64_t *asked);
int seccomp_exec_once_end(int fd, uint64_t asked);
/* The runner's own filter: reading, writing, waiting, and killing that one process; in a session
 * also what goes between it and the zygote, and killing those of which it was handed a pidfd. */
int seccomp_confine_runner(pid_t interpreter, bool session);

#endif
