/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many processes of the container the kernel has killed for lack of memory: it counts them in
 * memory.events (version 2 of control groups) or memory.oom_control (version 1), in the line
 * "oom_kill NUMBER" (Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst).
 */
#ifndef LECTERN_IMAGE_KILLS_H
#define LECTERN_IMAGE_KILLS_H

#include <stdbool.h>

#define KILLS_ROOT "/sys/fs/cgroup"

/* The file below root in which they are counted, for the caller to close; -1 if there is none. */
int kills_open(const char *root);

/* Reads the number now. false if fd is -1 or the file has no such line; *number is then unchanged.
 */
bool kills_read(int fd, unsigned long long *number);

#endif
