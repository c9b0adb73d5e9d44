/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who owns a container: a label that says which process of which machine started it, so that a
 * later start can know that the owner is dead. A process is told from a later one with its number
 * by the time it started; a machine, by its boot and the PID namespace, since numbers mean nothing
 * beyond them.
 */
#ifndef LECTERN_EXECUTOR_OWNER_H
#define LECTERN_EXECUTOR_OWNER_H

#include <stdbool.h>

#include "helpers/base/error.h"

#define OWNER_CAP 192

/* "BOOT/NAMESPACE/PID/START/RANDOM" of this process; RANDOM tells several executors in it apart. */
int owner_label(char label[OWNER_CAP], struct error *err);

/* True only where the label is of this machine and its process is gone. Of another machine nobody
 * here can know. */
bool owner_is_dead(const char *label);

#endif
