/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What this machine has: whether its kernel lets ordinary users make user namespaces, which
 * bubblewrap needs; which control groups are mounted; and which sandboxes a killed server left.
 */
#ifndef LECTERN_EXECUTOR_LOCAL_MACHINE_H
#define LECTERN_EXECUTOR_LOCAL_MACHINE_H

#include <stddef.h>

#define LOCAL_PYTHON "/usr/bin/python3"

struct local_userns {
    const char *text; /* what is so; static */
    const char *fix;  /* the command that fixes it; NULL where nothing is in the way */
};

/* Whether ordinary users may make user namespaces, and where not, which switch is off: each has a
 * remedy of its own. root: "/proc/sys", or a folder like it in a
 * test. */
struct local_userns local_userns_look(const char *root);

enum cgroup_kind { CGROUP_NONE, CGROUP_V1, CGROUP_V2, CGROUP_HYBRID };

/* mountinfo: the text of /proc/self/mountinfo. Hybrid: controllers in version 1, and a tree of
 * version 2 beside them. */
enum cgroup_kind cgroup_kind(const char *mountinfo);

const char *cgroup_kind_text(enum cgroup_kind kind); /* "version 2", ...; static */

/* Sandboxes that a killed server left half made: bubblewrap's inner process waits for its outer one
 * before it asks to die with it; where a server is killed in that moment, the inner one waits for
 * ever. No code has run in it, and nothing else ends it.
 *
 * Ends every bwrap of a runner whose owner, named in its command line (local_plan.h), is dead by
 * its process's number and start (owner.h); returns how many. */
size_t local_orphans_end(void);

#endif
