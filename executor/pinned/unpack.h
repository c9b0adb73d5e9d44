/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Unpacks Debian packages into a folder, and the only user of libarchive. Whatever a package says,
 * nothing outside the folder is written, and no link leads out of it: paths are relative and
 * without "..", only files, folders and links are made, and symbolic links are made last, when no
 * file is written any more. Files are 0644 or 0755, and nothing is setuid.
 *
 * As on an installed system /lib is /usr/lib, and likewise bin, sbin and lib64. Links are relative.
 * What no program needs when it runs is left out: documentation, translations, headers, tests.
 */
#ifndef LECTERN_PINNED_UNPACK_H
#define LECTERN_PINNED_UNPACK_H

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

#define UNPACK_FILE_CAP ((size_t)256 << 20) /* bytes of one file */

struct unpack;
struct unpack *unpack_create(const char *folder); /* which is empty; borrowed */
void unpack_destroy(struct unpack *unpack);       /* takes NULL */

/* Unpacks the package, but its symbolic links. */
int unpack_package(struct unpack *unpack, const char *path, struct error *err);
/* Makes the symbolic links of all packages. */
int unpack_links(struct unpack *unpack, struct error *err);
/* A further link: both are paths in the folder, without a leading slash. If one is there, or if
 * there is no such target, nothing happens. */
int unpack_link(struct unpack *unpack, const char *path, const char *target, struct error *err);

/* Appends the content of a compressed file. */
int unpack_bytes(const void *bytes, size_t len, struct buf *to, struct error *err);

#endif
