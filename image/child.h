/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The interpreter's process: started with three pipes and a control socket, confined before its
 * first instruction. The layers go on in this order: session of its own, descriptors, resource
 * limits, no capability, no new privilege, Landlock, seccomp, exec.
 */
#ifndef LECTERN_IMAGE_CHILD_H
#define LECTERN_IMAGE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "image/options.h"

#define CHILD_CONTROL_FD 3 /* the control socket, in the interpreter */

struct child {
    pid_t pid;
    int control; /* frames, both ways */
    int out;     /* its standard output */
    int err;     /* its standard error */
    int statm;   /* /proc/PID/statm, or -1 where there is no /proc */
    int landlock_abi;
    bool exec_once; /* execve fails in it from now on */
};

/* 0, or -1 with a complaint. All descriptors are non-blocking. */
int child_start(struct child *child, const struct options *options);

/* Bytes of memory that are resident; 0 where that cannot be told. */
unsigned long long child_resident(const struct child *child);

#endif
