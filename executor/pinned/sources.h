/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where packages are sought, in this order: mirrors that the user names, those of this machine's
 * apt where it is Debian, Debian's public mirror, and Debian's archive of snapshots.
 */
#ifndef LECTERN_PINNED_SOURCES_H
#define LECTERN_PINNED_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

#include "executor/pinned/lock.h"

#define SOURCES_CAP       64
#define SOURCE_URL_CAP    512
#define PINNED_MIRROR_CAP 16

struct package_source {
    char url[SOURCE_URL_CAP];
    char proxy[SOURCE_URL_CAP]; /* ""; that of the environment */
    /* An archive of security updates only has packages whose path says so. The main archive gets
     * them with the next point release, under another path. */
    bool security;
};

struct sources {
    struct package_source list[SOURCES_CAP];
    size_t count;
};

/* mirrors is NULL-terminated. */
void sources_find(struct sources *sources, const struct pinned_lock *lock,
                  const char *const *mirrors);

/* Writes the URL of a package. False if the source surely does not have it. */
bool source_url(const struct package_source *source, const struct pinned_package *package,
                char *url, size_t size);

#endif
