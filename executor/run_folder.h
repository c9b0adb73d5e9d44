/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The run folder: for what servers of one user have in common while they run, such as sockets and
 * locks. Only its user can enter it.
 */
#ifndef LECTERN_EXECUTOR_RUN_FOLDER_H
#define LECTERN_EXECUTOR_RUN_FOLDER_H

#include "helpers/base/error.h"

#define RUN_FOLDER_CAP 128

/* Makes the folder if needed and writes its path: /run/lectern for root; for others lectern in
 * XDG_RUNTIME_DIR; where that cannot be made, lectern-UID in TMPDIR or /tmp. Returns -1 if none can
 * be made, or if the last exists and belongs to another user or is open to others. */
int run_folder(char path[RUN_FOLDER_CAP], struct error *err);

#endif
