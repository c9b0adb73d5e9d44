/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Control groups of the sandboxes on this machine, version 2
 * (Documentation/admin-guide/cgroup-v2.rst of the kernel). The server makes them below its own
 * control group, where it may: as root, or with one that is delegated to its user (Delegate=yes of
 * systemd).
 *
 *     OWN/server                    the server, which moves there itself
 *     OWN/sandbox-OWNER-NUMBER      one for each sandbox, with its bounds
 *
 * The kernel lets no group but the root have both processes and children with bounds, so the server
 * leaves OWN. It does this only if it is the sole process there, because it moves no other. In the
 * root it stays where it is. OWNER is the label of owner.h, so that a later server can remove the
 * groups of one that was killed.
 *
 * Any thread.
 */
#ifndef LECTERN_EXECUTOR_LOCAL_CGROUP_H
#define LECTERN_EXECUTOR_LOCAL_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "executor/owner.h"

/* ---- the mounted ones ---- */

#define CGROUP_MOUNTS_CAP 65536 /* bytes of /proc/self/mountinfo that are read */
#define CGROUP_PATH_CAP   1024

enum cgroup_kind { CGROUP_NONE, CGROUP_V1, CGROUP_V2, CGROUP_HYBRID };

/* Reads /proc/self/mountinfo; "" if that fails. */
void cgroup_mounts(char text[CGROUP_MOUNTS_CAP]);

/* mounts: the text of /proc/self/mountinfo. Hybrid: controllers in version 1, with a tree of
 * version 2 beside them. */
enum cgroup_kind cgroup_kind(const char *mounts);

const char *cgroup_kind_text(enum cgroup_kind kind); /* "version 2", ...; static */

/* Writes the folder of a process's group of version 2. groups: the text of its /proc/PID/cgroup.
 * Returns -1 if there is none, or if no mount shows it. */
int cgroup_path(char path[CGROUP_PATH_CAP], const char *groups, const char *mounts);

/* ---- those of the sandboxes ---- */

#define CGROUP_NAME_CAP (OWNER_CAP + 32)

struct cgroup_home {
    char path[CGROUP_PATH_CAP]; /* OWN */
    bool cpu;                   /* its children may have bounds of CPU time */
};

/* The first call of a process prepares OWN, later ones give the same answer. Returns NULL with the
 * reason if sandboxes can have no control groups here. */
const struct cgroup_home *cgroup_home(struct error *err);

struct cgroup {
    char name[CGROUP_NAME_CAP];
    int folder; /* -1: none, because there is no home */
    int procs;  /* a process that writes "0" to it enters */
};

/* Makes the group of one sandbox, which may use little CPU time until it is settled. Without a home
 * it succeeds and makes none. */
int cgroup_make(struct cgroup *made, const char *owner, unsigned memory_mb, struct error *err);

/* The bound of CPU time, which would slow down the warming. */
int cgroup_settle(const struct cgroup *group, struct error *err);

/* Kills the processes of the group and removes it. Does nothing if there is none. */
void cgroup_end(struct cgroup *group);

/* Ends the groups whose owner is dead, and returns their number. */
size_t cgroup_orphans_end(void);

#endif
