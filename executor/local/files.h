/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The runner, the Python modules beside it, and the tables of the policy: the files of the share
 * folder that a sandbox on this machine consists of, as open descriptors.
 */
#ifndef LECTERN_EXECUTOR_LOCAL_FILES_H
#define LECTERN_EXECUTOR_LOCAL_FILES_H

#include "executor/engine.h"
#include "executor/local/local_plan.h"

/* Opens them into the setup, which owns them until local_files_close. Returns -1 with none open. */
int local_files_open(struct local_setup *setup, const char *share_dir, struct error *err);
void local_files_close(struct local_setup *setup);

/* Identifies the files and python3 by their names, inodes, sizes and times (engine.h, made_of). */
int local_files_made_of(const char *share_dir, char text[ENGINE_MADE_OF_CAP], struct error *err);

#endif
