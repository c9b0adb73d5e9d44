/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which control groups this machine has mounted. Pure.
 */
#ifndef LECTERN_EXECUTOR_CGROUP_H
#define LECTERN_EXECUTOR_CGROUP_H

enum cgroup_kind { CGROUP_NONE, CGROUP_V1, CGROUP_V2, CGROUP_HYBRID };

/* mountinfo: the text of /proc/self/mountinfo. Hybrid: controllers in version 1, and a tree of
 * version 2 beside them. */
enum cgroup_kind cgroup_kind(const char *mountinfo);

const char *cgroup_kind_text(enum cgroup_kind kind); /* "version 2", ...; static */

#endif
