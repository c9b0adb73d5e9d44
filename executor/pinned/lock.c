/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/pinned/lock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"

/* Increase it when the same packages shall become another folder. */
#define UNPACKING_RULES "rules 1"
#define LINE_CAP        1024

#if defined(__x86_64__)
#define ARCHITECTURE "amd64"
#define TRIPLET      "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define ARCHITECTURE "arm64"
#define TRIPLET      "aarch64-linux-gnu"
#else
#define ARCHITECTURE ""
#define TRIPLET      NULL
#endif

const char *const pinned_architectures[] = {"amd64", "arm64", NULL};

const char *pinned_architecture(void)
{
    return ARCHITECTURE;
}

const char *pinned_triplet(void)
{
    return TRIPLET;
}

static int refuse(const char *path, int number, const char *why, struct error *err)
{
    return error_set(err, ERROR_INVALID,
                     "%s, line %d: %s; take the file of this version of Lectern, or run `make "
                     "sandbox-update`",
                     path, number, why);
}

/* The path becomes part of a URL, and the name of messages; both hold only what Debian's do. */
static bool is_plain(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/.+-~_:%") ==
               strlen(text) &&
           !strstr(text, "..");
}

/* One file: the rows of an architecture are added to the lock, and to the digest. */
static int read_file(struct pinned_lock *lock, const char *path, const char *architecture,
                     char snapshot[32], struct sha256 *digest, struct error *err)
{
    cleanup_file FILE *file = fopen(path, "re");
    char line[LINE_CAP];
    int number = 0, format = 0, rc = 0;

    if (!file)
        return error_errno(err, errno, "%s", path);
    while (rc == 0 && fgets(line, sizeof line, file)) {
        struct pinned_package *package = &lock->packages[lock->count];
        char of[16];
        long size;

        number++;
        if (line[0] == '#' || sscanf(line, "format %d", &format) == 1 ||
            sscanf(line, "release %31s", lock->release) == 1 ||
            sscanf(line, "snapshot %31s", snapshot) == 1)
            continue;
        if (format != 1)
            rc = refuse(path, number, "\"format 1\" does not stand before the packages", err);
        else if (lock->count == PINNED_PACKAGES_CAP - 1)
            rc = refuse(path, number, "there are too many packages", err);
        else if (sscanf(line, "%63s %63s %15s %64s %ld %255s", package->name, package->version, of,
                        package->sha256, &size, package->path) != 6 ||
                 strlen(package->sha256) != SHA256_TEXT_SIZE - 1 || size <= 0 ||
                 size > PINNED_PACKAGE_CAP || !is_plain(package->path))
            rc = refuse(path, number,
                        "a package has a name, version, architecture, SHA-256, size and path", err);
        else if (strcmp(of, architecture) == 0) {
            package->size = (size_t)size;
            lock->bytes += package->size;
            lock->count++;
            sha256_add(digest, line, strlen(line));
        }
    }
    return rc;
}

int pinned_lock_read(struct pinned_lock *lock, const char *path, const char *added,
                     const char *architecture, struct error *err)
{
    struct sha256 *digest;
    char whole[SHA256_TEXT_SIZE];
    int rc;

    memset(lock, 0, sizeof *lock);
    lock->packages = calloc(PINNED_PACKAGES_CAP, sizeof *lock->packages);
    if (!lock->packages)
        return error_set(err, ERROR_MEMORY, "out of memory for %s", path);
    digest = sha256_create();
    sha256_add(digest, UNPACKING_RULES, strlen(UNPACKING_RULES));
    rc = read_file(lock, path, architecture, lock->snapshots[0], digest, err);
    if (rc == 0 && lock->count == 0)
        rc = error_set(err, ERROR_UNAVAILABLE,
                       "%s has no packages for this machine's processor; it has some for amd64 and "
                       "arm64",
                       path);
    if (rc == 0 && added)
        rc = read_file(lock, added, architecture, lock->snapshots[1], digest, err);
    sha256_end(digest, whole);
    sha256_destroy(digest);
    snprintf(lock->hash, sizeof lock->hash, "%.*s", PINNED_HASH_SIZE - 1, whole);
    return rc;
}

void pinned_lock_finish(struct pinned_lock *lock)
{
    free(lock->packages);
    memset(lock, 0, sizeof *lock);
}
