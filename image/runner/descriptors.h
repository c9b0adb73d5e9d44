/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Descriptors: made in pairs for an interpreter, passed over a socket, and to its memory's size.
 */
#ifndef LECTERN_IMAGE_DESCRIPTORS_H
#define LECTERN_IMAGE_DESCRIPTORS_H

#include <stddef.h>
#include <sys/types.h>

#define DESCRIPTORS_MAX 4 /* in one message */

/* What lies between the runner and one interpreter: its two output pipes and its control socket. */
struct ends {
    int out, err, control;
};

/* mine: the runner's, which do not block. its: the interpreter's, which do. All are closed on exec.
 * -1 with a message logged; then none is open. */
int ends_make(struct ends *mine, struct ends *its);
void ends_close(struct ends *ends); /* those that are not -1, which they become */

/* One message of a few bytes with up to DESCRIPTORS_MAX descriptors. -1 with a message logged. */
int descriptors_send(int socket, const void *bytes, size_t len, const int *fds, size_t count);

/* One such message, whole, with at most `wanted` descriptors: how many came, the rest of fds is -1.
 * -1 where there is none (errno EAGAIN: not yet) or it is another. */
int descriptors_receive(int socket, void *bytes, size_t len, int *fds, size_t wanted);

/* /proc/PID/statm, which tells how much memory that process has; -1 where there is no /proc. */
int open_statm(pid_t pid);

#endif
