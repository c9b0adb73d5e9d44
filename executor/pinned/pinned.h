/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pinned Python: the interpreter and the libraries of analyses, from the Debian packages of a
 * lock file, in a folder of their own. No root, no Python of this machine, no apt and no dpkg is
 * needed to make it. The folder is CACHE/python-HASH; HASH stands for the rows of the lock file, so
 * that a folder that is there is complete and right.
 *
 * The Python is started by its own loader, because that of this machine belongs to another libc:
 *
 *     FOLDER/usr/lib/TRIPLET/ld-linux-*.so.* --inhibit-cache --library-path FOLDER/usr/lib/TRIPLET
 *         FOLDER/usr/bin/python3.11 -I ...
 */
#ifndef LECTERN_PINNED_H
#define LECTERN_PINNED_H

#include <stddef.h>

#include "helpers/base/error.h"

/* Everything is borrowed. */
struct pinned_options {
    const char *lock;           /* path of the lock file */
    const char *added;          /* of a second one, with further packages; or NULL */
    const char *cache;          /* folder of the folder; NULL: /var/cache/lectern for root, else
                                   $XDG_CACHE_HOME/lectern or ~/.cache/lectern */
    const char *const *mirrors; /* URLs, NULL-terminated; asked before all others */
};

/* The path of the folder, whether it is there or not. */
int pinned_folder(const struct pinned_options *options, char *path, size_t size, struct error *err);

/* Writes the command that makes the folder. A file of added packages has the name of its profile.
 */
void pinned_fetch_command(const struct pinned_options *options, char *text, size_t size);

/* Makes the folder if it is not there; path is as above. Blocks for seconds to minutes, and shows
 * on stderr how far it is. If it fails or is killed, there is no folder. */
int pinned_fetch(const struct pinned_options *options, char *path, size_t size, struct error *err);

#endif
