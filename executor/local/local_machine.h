/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What this machine has for a local sandbox: bubblewrap, python3, the runner's files, what of the
 * system is mounted, and whether a sandbox comes up at all; whether its kernel lets ordinary users
 * make user namespaces, and which control groups it has.
 */
#ifndef LECTERN_EXECUTOR_LOCAL_MACHINE_H
#define LECTERN_EXECUTOR_LOCAL_MACHINE_H

#include <stdint.h>

#include "executor/local/local_plan.h"

#define LOCAL_PYTHON   "/usr/bin/python3"
#define LOCAL_TRIAL_MS 5000 /* most that one trial takes */

/* Fills setup but its owner and its files, and tries a sandbox with nothing in it: as nobody, else
 * as who we are. ERROR_UNAVAILABLE says what is missing and what fixes it. Blocks. */
int local_machine_look(struct local_setup *setup, struct error *err);

/* The runner, all Python and all modules that lie beside it, and the tables it judges by. */
int local_machine_files(struct local_setup *setup, const char *share_dir, struct error *err);

/* Opens them: fds has room for LOCAL_FILES_CAP. Close them with local_machine_close. */
int local_machine_open(const struct local_setup *setup, const char *share_dir, int *fds,
                       struct error *err);
void local_machine_close(const struct local_setup *setup, int *fds);

/* A number that changes when one of those files or python3 does: of names, inodes, sizes, times. */
int local_machine_state(const struct local_setup *setup, const char *share_dir, uint64_t *state,
                        struct error *err);

/* ---- the kernel ---- */

struct local_userns {
    const char *text; /* what is so; static */
    const char *fix;  /* the command that fixes it; NULL where nothing is in the way */
};

/* Whether it lets ordinary users make user namespaces, which bubblewrap needs, and where not, which
 * of its switches is off: each has a remedy of its own. root: "/proc/sys", or a folder like it in a
 * test. */
struct local_userns local_userns_look(const char *root);

enum cgroup_kind { CGROUP_NONE, CGROUP_V1, CGROUP_V2, CGROUP_HYBRID };

/* mountinfo: the text of /proc/self/mountinfo. Hybrid: controllers in version 1, and a tree of
 * version 2 beside them. */
enum cgroup_kind cgroup_kind(const char *mountinfo);

const char *cgroup_kind_text(enum cgroup_kind kind); /* "version 2", ...; static */

#endif
