/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Brings the packages of a lock file into a folder, a few at once. Of a file only its SHA-256
 * counts: one that a source does not have, or has with other bytes, is sought at the next source.
 */
#ifndef LECTERN_PINNED_DOWNLOAD_H
#define LECTERN_PINNED_DOWNLOAD_H

#include "executor/pinned/lock.h"
#include "executor/pinned/sources.h"

/* The files are named NUMBER.deb, after the place of the row in lock->packages. Progress goes to
 * stderr. ERROR_UNAVAILABLE: no source answers; ERROR_NOT_FOUND: none has a package. */
int download_packages(const struct pinned_lock *lock, const struct sources *sources,
                      const char *folder, struct error *err);

#endif
