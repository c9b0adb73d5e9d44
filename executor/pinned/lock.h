/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lock file (image/python.lock): the Debian packages of the pinned Python. A row is
 *
 *     package version architecture SHA-256 bytes path
 *
 * and stands for one file of Debian's archive; its architecture is that of the machines that unpack
 * it. Before the rows stand the format, the release, and the time at which Debian's archive of
 * snapshots has all of them. Lines that begin with # are comments.
 */
#ifndef LECTERN_PINNED_LOCK_H
#define LECTERN_PINNED_LOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/error.h"
#include "helpers/base/sha256.h"

#define PINNED_PACKAGES_CAP 500          /* of one architecture */
#define PINNED_PACKAGE_CAP  (128L << 20) /* bytes of one package */
#define PINNED_HASH_SIZE    17

struct pinned_package {
    char name[64], version[64];
    char sha256[SHA256_TEXT_SIZE];
    char path[256]; /* in the archive: "pool/main/p/python3.11/..." */
    size_t size;    /* of the file */
};

struct pinned_lock {
    char release[32];      /* "bookworm" */
    char snapshots[2][32]; /* "20260101T000000Z"; of the lock file, and of the added one or "" */
    char hash[PINNED_HASH_SIZE]; /* of the rows of this machine's architecture, and of the rules by
                                    which they are unpacked */
    struct pinned_package *packages; /* owned */
    size_t count;
    size_t bytes; /* of all files */
};

/* Reads the rows of one architecture, "amd64", and behind them those of a second file with further
 * packages, if added is not NULL. */
int pinned_lock_read(struct pinned_lock *lock, const char *path, const char *added,
                     const char *architecture, struct error *err);
void pinned_lock_finish(struct pinned_lock *lock); /* takes a zeroed struct */

/* The architectures for which lock files are written, NULL-terminated. */
extern const char *const pinned_architectures[];
/* That of this machine; "" if it is another one. */
const char *pinned_architecture(void);

/* "x86_64-linux-gnu", as in the paths of libraries; NULL on a machine without packages in the lock
 * file. */
const char *pinned_triplet(void);

#endif
