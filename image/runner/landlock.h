/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Landlock limits the files that the calling thread, and what it executes, may open. The kernel's
 * version is determined at run time, and every right that it supports is handled. The build
 * machine's headers may be older, so the constants are defined in landlock.c (kernel documentation,
 * userspace-api/landlock).
 */
#ifndef LECTERN_IMAGE_LANDLOCK_H
#define LECTERN_IMAGE_LANDLOCK_H

#include <stdbool.h>

#include "image/runner/runner.h"

/* The kernel's Landlock ABI; 0 if it has none. */
int landlock_abi(void);

/* Applies the interpreter's rules: it may read below what Python needs, execute the Python binary
 * and the dynamic loader, and nothing else; no TCP, and no signals or abstract sockets to the
 * outside. Permanent, for this thread and its children. Returns 0, also if the kernel has no
 * Landlock; -1 with a message logged. */
int landlock_confine_interpreter(const struct options *options);

/* Returns a descriptor with the same rules, which a zygote's copies apply to themselves.
 * landlock_confine_interpreter lets the zygote itself also read below /proc, for the memory
 * statistics of its copies; both sets of rules apply to the copies. Returns -1 with a message
 * logged. */
int landlock_rules(const struct options *options);

/* Applies the runner's own rules: no file at all. */
int landlock_confine_runner(void);

#endif
