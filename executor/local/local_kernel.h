/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What this kernel has for sandboxes: whether it lets ordinary users make user namespaces, which
 * bubblewrap needs, and where not, which of its switches is off (each has a remedy of its own);
 * and which control groups are mounted.
 */
#ifndef LECTERN_EXECUTOR_LOCAL_KERNEL_H
#define LECTERN_EXECUTOR_LOCAL_KERNEL_H

struct local_userns {
    const char *text; /* what is so; static */
    const char *fix;  /* the command that fixes it; NULL where nothing is in the way */
};

/* root: "/proc/sys", or a folder like it in a test. */
struct local_userns local_userns_look(const char *root);

enum cgroup_kind { CGROUP_NONE, CGROUP_V1, CGROUP_V2, CGROUP_HYBRID };

/* mountinfo: the text of /proc/self/mountinfo. Hybrid: controllers in version 1, and a tree of
 * version 2 beside them. */
enum cgroup_kind cgroup_kind(const char *mountinfo);

const char *cgroup_kind_text(enum cgroup_kind kind); /* "version 2", ...; static */

#endif
