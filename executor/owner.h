/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A label for containers that identifies the process that started them, so that a later server can
 * detect that the owner is dead. The start time distinguishes a process from a later one with the
 * same PID. The boot id and the PID namespace identify the machine, because a PID means nothing
 * outside them.
 */
#ifndef LECTERN_EXECUTOR_OWNER_H
#define LECTERN_EXECUTOR_OWNER_H

#include <stdbool.h>

#include "helpers/base/error.h"

#define OWNER_CAP 192

/* Writes "BOOT/NAMESPACE/PID/START/RANDOM" of this process. RANDOM distinguishes several executors
 * in one process. */
int owner_label(char label[OWNER_CAP], struct error *err);

/* True only if the label is from this machine and its process is gone. Processes of another machine
 * cannot be checked. */
bool owner_is_dead(const char *label);

#endif
