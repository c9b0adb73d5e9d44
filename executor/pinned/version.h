/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Versions of Debian packages.
 */
#ifndef LECTERN_PINNED_VERSION_H
#define LECTERN_PINNED_VERSION_H

/* Compares two versions as Debian does (Debian Policy Manual, 5.6.12): negative, 0, or positive. */
int version_compare(const char *one, const char *other);

#endif
