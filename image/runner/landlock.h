/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Landlock: which files the calling thread and what it execs may still open. The kernel's version
 * is asked at run time and everything that it knows is handled; the headers of the build machine
 * may be older, so the constants are here (kernel documentation, userspace-api/landlock).
 */
#ifndef LECTERN_IMAGE_LANDLOCK_H
#define LECTERN_IMAGE_LANDLOCK_H

#include <stdbool.h>

#include "image/runner/runner.h"

/* The kernel's Landlock ABI, 0 where it has none. */
int landlock_abi(void);

/* The interpreter's rules: reading below what Python needs, executing the Python binary and the
 * dynamic loader, nothing else; no TCP, no signal and no abstract socket that leads out. For good,
 * for this thread and its children. 0, also where the kernel has no Landlock; -1 with a message
 * logged.
 */
int landlock_confine_interpreter(const struct options *options);

/* The same rules, not yet in force: a descriptor to restrict oneself by, for a zygote's copies. To
 * the zygote itself landlock_confine_interpreter allows reading below /proc besides, where its
 * copies' use of memory stands; in the copies both rule. -1 with a message logged. */
int landlock_rules(const struct options *options);

/* The runner's own: no file at all. */
int landlock_confine_runner(void);

#endif
