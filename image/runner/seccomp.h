/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The system calls that remain allowed. Calls that are not listed fail with EPERM (or ENOSYS where
 * a library probes for them), and calls of a foreign architecture kill the process. The lists are
 * the tables at the top of seccomp.c.
 */
#ifndef LECTERN_IMAGE_SECCOMP_H
#define LECTERN_IMAGE_SECCOMP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Called in the interpreter's process. Makes every execve wait for the runner and returns the
 * descriptor over which the runner answers, or -1 if the kernel does not support that: then execve
 * stays allowed, and only Landlock limits what may be executed. */
int seccomp_exec_once_begin(void);
/* Applies the filter for Python that starts and warms up, permanently. Returns 0, or -1 with a
 * message logged. */
int seccomp_confine_start(void);
/* The same for a zygote, which also clones itself and confines the clone. */
int seccomp_confine_zygote(void);
/* Writes the filter for Python that is warm to fd as a kernel program, with ZYGOTE_PID_MARK as the
 * process id. It is applied over one of the two, before the first byte of a job is read
 * (image/python/fork.c). */
int seccomp_write_interpreter(int fd);

/* Called in the runner: waits until the one execve is requested at fd, then lets it continue and
 * closes fd; from then on execve fails in that process. Returns -1 with a message logged. */
int seccomp_exec_once_wait(int fd, int timeout_ms, uint64_t *asked);
int seccomp_exec_once_end(int fd, uint64_t asked);
/* Applies the runner's own filter: reading, writing, waiting, and killing that one process; in a
 * session also the messages to and from the zygote, and killing processes by pidfd. */
int seccomp_confine_runner(pid_t interpreter, bool session);

#endif
