/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The packages that others need, by the fields Depends and Pre-Depends of a release's index. Of
 * alternatives the first counts that the release has, as for apt. Pure.
 */
#ifndef LECTERN_PINNED_RESOLVE_H
#define LECTERN_PINNED_RESOLVE_H

#include "executor/pinned/index.h"
#include "executor/pinned/lock.h"

/* Writes the packages of the NULL-terminated names, and those that they need, to chosen, which has
 * room for PINNED_PACKAGES_CAP. Left out are those of the lock, whose versions must be those that
 * are needed, and essential ones, which no program of a sandbox uses. ERROR_INVALID names the
 * package that cannot be had. */
int packages_resolve(const struct package_index *index, const struct pinned_lock *lock,
                     const char *const *names, const struct index_entry **chosen, size_t *count,
                     struct error *err);

#endif
