/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The index of a Debian release: the newest version of each package in its main part, with the
 * updates and the security updates. It counts only if gpgv accepts Debian's signature of the suite.
 */
#ifndef LECTERN_PINNED_INDEX_H
#define LECTERN_PINNED_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "executor/pinned/sources.h"
#include "helpers/base/buf.h"
#include "helpers/base/error.h"

#define INDEX_SUITES 3

/* Texts are the values of the fields, "" if there is no such field. */
struct index_entry {
    const char *name, *version, *sha256, *size, *path;
    const char *depends, *pre_depends, *provides;
    bool essential;
};

struct package_index {
    struct buf texts[INDEX_SUITES]; /* own the texts of the entries */
    struct index_entry *entries;    /* sorted by name; the newest version of each alone */
    size_t count;
    time_t signed_at; /* when the newest of the suites was signed */
};

/* architecture: "amd64". Blocks for seconds. Call package_index_finish in any case. */
int package_index_read(struct package_index *index, const char *architecture, const char *release,
                       const struct sources *sources, struct error *err);
void package_index_finish(struct package_index *index);

const struct index_entry *package_index_find(const struct package_index *index, const char *name,
                                             size_t len);

#endif
