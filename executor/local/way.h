/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The ways to confine a runner on this machine: one row for each engine of engine_local.c.
 */
#ifndef LECTERN_EXECUTOR_LOCAL_WAY_H
#define LECTERN_EXECUTOR_LOCAL_WAY_H

#include "executor/local/local_plan.h"

struct local_way {
    /* Fills the setup except its owner and files, and tries it. Returns -1 with what is missing. */
    int (*look)(struct local_setup *setup, const char *share_dir, struct error *err);
    int (*plan)(struct local_plan *plan, const struct local_setup *setup,
                const char *const *command, struct error *err);
    /* One sentence; the setup works. */
    void (*describe)(const struct local_setup *setup, char *text, size_t size);
};

extern const struct local_way local_way_bubblewrap;
extern const struct local_way local_way_process; /* without namespaces */

/* Tries the setup with try_out as nobody if the server is root, then as the current user, and sets
 * its drop. */
int local_way_choose_user(struct local_setup *setup,
                          int (*try_out)(const struct local_setup *setup, struct error *err),
                          struct error *err);

#endif
