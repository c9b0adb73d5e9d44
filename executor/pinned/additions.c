/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/pinned/additions.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "executor/cache.h"
#include "executor/pinned/download.h"
#include "executor/pinned/resolve.h"
#include "executor/pinned/unpack.h"
#include "helpers/base/array.h"
#include "helpers/base/cleanup.h"

#define PACKAGES_FOLDER "usr/lib/python3/dist-packages"
#define MODULE_CAP      256
#define DAY_SECONDS     86400L

/* ---- the modules of a folder ---- */

struct module_list {
    char **names; /* owned */
    size_t count;
};

static void add_module(struct module_list *list, const char *name)
{
    if (!ARRAY_ROOM(list->names, list->count) || !(list->names[list->count++] = strdup(name)))
        abort();
}

/* The length of the name by which an entry of a folder is a module; 0 for others, and private
 * ones. A library ("_x.cpython-311-x86_64-linux-gnu.so") may be one too. */
static size_t module_length(const char *folder, const char *entry)
{
    char init[PATH_MAX + 512];
    size_t len = strcspn(entry, ".");

    if (*entry == '_' || len == 0 ||
        strspn(entry, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != len)
        return 0;
    if (strcmp(entry + len, ".py") == 0 ||
        (strncmp(entry + len, ".cpython-311", 12) == 0 && strcmp(strrchr(entry, '.'), ".so") == 0))
        return len;
    snprintf(init, sizeof init, "%s/%s/__init__.py", folder, entry);
    return entry[len] == '\0' && access(init, F_OK) == 0 ? len : 0;
}

static void list_modules(const char *folder, const char *above, struct module_list *list)
{
    cleanup_dir DIR *opened = opendir(folder);
    const struct dirent *entry;

    while (opened &&
           (entry = readdir(opened))) { /* NOLINT(concurrency-mt-unsafe): its own folder */
        size_t len = module_length(folder, entry->d_name);
        char name[MODULE_CAP], below[PATH_MAX];

        if (len == 0 ||
            snprintf(name, sizeof name, "%s%s%.*s", above, *above ? "." : "", (int)len,
                     entry->d_name) >= MODULE_CAP ||
            snprintf(below, sizeof below, "%s/%s", folder, entry->d_name) >= PATH_MAX)
            continue;
        add_module(list, name);
        if (entry->d_name[len] == '\0')
            list_modules(below, name, list);
    }
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

static void write_modules(const char *root, struct buf *to)
{
    struct module_list list = {0};
    char folder[PATH_MAX + 64];

    snprintf(folder, sizeof folder, "%s/" PACKAGES_FOLDER, root);
    list_modules(folder, "", &list);
    if (list.count)
        qsort(list.names, list.count, sizeof *list.names, compare_names);
    for (size_t i = 0; i < list.count; i++) {
        if (i == 0 || strcmp(list.names[i - 1], list.names[i]) != 0)
            buf_addf(to, "%s\n", list.names[i]);
    }
    for (size_t i = 0; i < list.count; i++)
        free(list.names[i]);
    free(list.names);
}

/* ---- the packages ---- */

/* In a folder that exists only now. */
static int unpack_all(const struct pinned_lock *lock, const char *folder, struct buf *modules,
                      struct error *err)
{
    char root[PATH_MAX], path[PATH_MAX];
    struct unpack *unpack;
    int rc = 0;

    snprintf(root, sizeof root, "%s/root", folder);
    if (cache_make_folder(root, err) < 0)
        return -1;
    unpack = unpack_create(root);
    for (size_t i = 0; rc == 0 && i < lock->count; i++) {
        snprintf(path, sizeof path, "%s/%zu.deb", folder, i);
        rc = unpack_package(unpack, path, err);
    }
    unpack_destroy(unpack);
    if (rc == 0)
        write_modules(root, modules);
    return rc;
}

static int read_modules(const struct pinned_lock *lock, const struct sources *sources,
                        struct buf *modules, struct error *err)
{
    char folder[] = "/tmp/lectern-modules-XXXXXX";
    int rc;

    if (!mkdtemp(folder))
        return error_errno(err, errno, "%s", folder);
    rc = download_packages(lock, sources, folder, err);
    if (rc == 0)
        rc = unpack_all(lock, folder, modules, err);
    cache_remove(folder);
    return rc;
}

static int compare_entries(const void *one, const void *other)
{
    return strcmp((*(const struct index_entry *const *)one)->name,
                  (*(const struct index_entry *const *)other)->name);
}

/* The rows of one architecture, and the same packages as a lock. */
static void write_rows(const struct index_entry **chosen, size_t count, const char *architecture,
                       struct pinned_lock *lock, struct buf *to)
{
    qsort(chosen, count, sizeof(*chosen), compare_entries);
    for (size_t i = 0; i < count; i++) {
        const struct index_entry *entry = chosen[i];
        struct pinned_package *package = &lock->packages[i];

        buf_addf(to, "%s %s %s %s %s %s\n", entry->name, entry->version, architecture,
                 entry->sha256, entry->size, entry->path);
        snprintf(package->name, sizeof package->name, "%s", entry->name);
        snprintf(package->version, sizeof package->version, "%s", entry->version);
        snprintf(package->sha256, sizeof package->sha256, "%s", entry->sha256);
        snprintf(package->path, sizeof package->path, "%s", entry->path);
        package->size = strtoul(entry->size, NULL, 10);
        lock->bytes += package->size;
    }
    lock->count = count;
}

static int resolve_one(const struct pinned_options *options, const char *const *packages,
                       const char *architecture, time_t *signed_at, struct buf *rows,
                       struct buf *modules, struct error *err)
{
    const struct index_entry **chosen = calloc(PINNED_PACKAGES_CAP, sizeof *chosen);
    struct sources *sources = calloc(1, sizeof *sources);
    struct package_index index = {0};
    struct pinned_lock lock, added;
    size_t count = 0;
    int rc;

    if (!chosen || !sources)
        abort();
    rc = pinned_lock_read(&lock, options->lock, NULL, architecture, err);
    if (rc == 0) {
        fprintf(stderr, "Reading the packages of %s for %s\n", lock.release, architecture);
        sources_find(sources, &lock, options->mirrors);
        rc = package_index_read(&index, architecture, lock.release, sources, err);
    }
    if (rc == 0)
        rc = packages_resolve(&index, &lock, packages, chosen, &count, err);
    if (rc == 0) {
        added = (struct pinned_lock){.packages = calloc(count + 1, sizeof *added.packages)};
        if (!added.packages)
            abort();
        write_rows(chosen, count, architecture, &added, rows);
        if (index.signed_at > *signed_at)
            *signed_at = index.signed_at;
        if (strcmp(architecture, pinned_architecture()) == 0 && count > 0)
            rc = read_modules(&added, sources, modules, err);
        pinned_lock_finish(&added);
    }
    package_index_finish(&index);
    pinned_lock_finish(&lock);
    free(sources);
    free(chosen);
    return rc;
}

int pinned_resolve(const struct pinned_options *options, const char *const *packages,
                   struct buf *lock, struct buf *modules, struct error *err)
{
    struct buf BUF_AUTO rows = {0};
    struct pinned_lock base;
    struct tm time;
    time_t signed_at = 0;
    char snapshot[32];
    int rc = pinned_lock_read(&base, options->lock, NULL, pinned_architecture(), err);

    for (const char *const *one = pinned_architectures; rc == 0 && *one; one++)
        rc = resolve_one(options, packages, *one, &signed_at, &rows, modules, err);
    if (rc == 0) {
        /* The archive of snapshots takes a state of the mirror some hours after it was signed. */
        signed_at += DAY_SECONDS;
        strftime(snapshot, sizeof snapshot, "%Y%m%dT%H%M%SZ", gmtime_r(&signed_at, &time));
        buf_addf(
            lock,
            "# package version architecture SHA-256 bytes path\nformat 1\nrelease %s\nsnapshot "
            "%s\n",
            base.release, snapshot);
        buf_add(lock, rows.data, rows.len);
        rc = buf_check(lock, "the lock file", err);
    }
    pinned_lock_finish(&base);
    return rc;
}
