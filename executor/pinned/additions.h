/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Further packages for the pinned Python: a lock file for them, and the modules that they have.
 */
#ifndef LECTERN_PINNED_ADDITIONS_H
#define LECTERN_PINNED_ADDITIONS_H

#include "executor/pinned/pinned.h"
#include "helpers/base/buf.h"
#include "helpers/base/error.h"

/* Resolves the NULL-terminated names of packages against the release of options->lock, and appends
 * to `lock` the text of a lock file with them and their dependencies beside that one, for every
 * architecture. Downloads those of this machine, and appends the names of the modules that programs
 * could import from them to `modules`, sorted, one a line. Blocks for a minute. */
int pinned_resolve(const struct pinned_options *options, const char *const *packages,
                   struct buf *lock, struct buf *modules, struct error *err);

#endif
