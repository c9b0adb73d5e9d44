/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Properties of this machine: whether its kernel lets ordinary users create user namespaces, which
 * bubblewrap needs, and the sandboxes that a killed server left behind.
 */
#ifndef LECTERN_EXECUTOR_LOCAL_MACHINE_H
#define LECTERN_EXECUTOR_LOCAL_MACHINE_H

#include <stddef.h>

struct local_userns {
    const char *text; /* the finding; static */
    const char *fix;  /* the command that fixes it; NULL if nothing is wrong */
};

/* Checks whether ordinary users may create user namespaces, and if not, which setting prevents it,
 * because each has a different fix. root: "/proc/sys", or a similar folder in a test. */
struct local_userns local_userns_look(const char *root);

/* Ends incomplete sandboxes that a killed server left behind, and returns their number: every bwrap
 * of a runner whose command line (local_plan.h) names an owner that is dead, by its PID and start
 * time (owner.h). bubblewrap's inner process waits for the outer one before it asks to die with it.
 * If the server is killed at that moment, the inner one waits forever. No code has run in it. */
size_t local_orphans_end(void);

#endif
