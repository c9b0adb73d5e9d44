/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * File descriptors: creates the pairs between the runner and an interpreter, passes descriptors
 * over a socket, and opens a process's memory statistics.
 */
#ifndef LECTERN_IMAGE_DESCRIPTORS_H
#define LECTERN_IMAGE_DESCRIPTORS_H

#include <stddef.h>
#include <sys/types.h>

#define DESCRIPTORS_MAX 4 /* in one message */

/* The connections between the runner and one interpreter: two output pipes and a control socket. */
struct ends {
    int out, err, control;
};

/* Creates the pairs. mine: the runner's ends, non-blocking. its: the interpreter's ends, blocking.
 * All are close-on-exec. Returns -1 with a message logged and nothing open. */
int ends_make(struct ends *mine, struct ends *its);
void ends_close(struct ends *ends); /* closes those that are not -1 and sets them to -1 */

/* Sends one short message with up to DESCRIPTORS_MAX descriptors. Returns -1 with a message logged.
 */
int descriptors_send(int socket, const void *bytes, size_t len, const int *fds, size_t count);

/* Receives one such message, complete, with at most `wanted` descriptors. Returns their number; the
 * other fds are -1. Returns -1 if there is none (errno EAGAIN: not yet) or it has another form. */
int descriptors_receive(int socket, void *bytes, size_t len, int *fds, size_t wanted);

/* Opens /proc/PID/statm, the memory statistics of that process; -1 without /proc. */
int open_statm(pid_t pid);

#endif
