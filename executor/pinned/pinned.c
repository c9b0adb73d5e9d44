/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/pinned/pinned.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/cache.h"
#include "executor/pinned/download.h"
#include "executor/pinned/unpack.h"
#include "helpers/base/cleanup.h"

#define NAME_CAP 64 /* of a file below a folder */
#define PYTHON   "python3.11"

/* ---- the place ---- */

static int join(char *path, size_t size, const char *folder, const char *name, struct error *err)
{
    if (snprintf(path, size, "%s/%s", folder, name) >= (int)size)
        return error_set(err, ERROR_INVALID, "the path of %s is too long", name);
    return 0;
}

static int name_folder(const struct pinned_options *options, const struct pinned_lock *lock,
                       char *path, size_t size, struct error *err)
{
    char cache[PATH_MAX], name[64];

    snprintf(name, sizeof name, "python-%s", lock->hash);
    return cache_find(options->cache, cache, sizeof cache, err) < 0
               ? -1
               : join(path, size, cache, name, err);
}

int pinned_folder(const struct pinned_options *options, char *path, size_t size, struct error *err)
{
    struct pinned_lock lock;
    int rc = pinned_lock_read(&lock, options->lock, options->added, pinned_architecture(), err);

    if (rc == 0)
        rc = name_folder(options, &lock, path, size, err);
    pinned_lock_finish(&lock);
    return rc;
}

void pinned_fetch_command(const struct pinned_options *options, char *text, size_t size)
{
    const char *slash = options->added ? strrchr(options->added, '/') : NULL;
    const char *name = slash ? slash + 1 : options->added;

    snprintf(text, size, "lectern sandbox fetch%s%.*s%s%s", name ? " --profile " : "",
             name ? (int)strcspn(name, ".") : 0, name ? name : "",
             options->cache ? " --cache " : "", options->cache ? options->cache : "");
}

/* ---- what the scripts of the packages would do ---- */

/* The implementations of BLAS and LAPACK that may be there, the best first. */
static int link_algebra(struct unpack *unpack, struct error *err)
{
    static const char *const folders[] = {"openblas-pthread", "blas", "lapack"};
    static const char *const libraries[] = {"libblas.so.3", "liblapack.so.3"};

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        for (size_t j = 0; j < sizeof libraries / sizeof *libraries; j++) {
            char path[256], target[256];

            snprintf(path, sizeof path, "usr/lib/%s/%s", pinned_triplet(), libraries[j]);
            snprintf(target, sizeof target, "usr/lib/%s/%s/%s", pinned_triplet(), folders[i],
                     libraries[j]);
            if (unpack_link(unpack, path, target, err) < 0)
                return -1;
        }
    }
    return unpack_link(unpack, "usr/bin/python3", "usr/bin/" PYTHON, err);
}

static int find_loader(const char *root, char path[PATH_MAX], struct error *err)
{
    char pattern[PATH_MAX + NAME_CAP];
    glob_t found;
    int rc = -1;

    snprintf(pattern, sizeof pattern, "%s/usr/lib/%s/ld-linux-*.so.*", root, pinned_triplet());
    if (glob(pattern, 0, NULL, &found) == 0) { /* NOLINT(concurrency-mt-unsafe) */
        rc = join(path, PATH_MAX, found.gl_pathv[0], "", err);
        path[strlen(path) - 1] = '\0';
        globfree(&found);
    } else {
        error_set(err, ERROR_INVALID, "the packages have no loader (%s)", pattern);
    }
    return rc;
}

/* Compiles all modules. The compiled files neither depend on times nor name the folder: programs
 * see /usr/lib/python3.11, as they do when the folder is the root of a sandbox. */
static int compile(const char *root, struct error *err)
{
    char loader[PATH_MAX], libraries[PATH_MAX], python[PATH_MAX], standard[PATH_MAX],
        packages[PATH_MAX];
    char *argv[] = {loader,
                    "--inhibit-cache",
                    "--library-path",
                    libraries,
                    python,
                    "-I",
                    "-B",
                    "-m",
                    "compileall",
                    "-q",
                    "--invalidation-mode",
                    "unchecked-hash",
                    "-s",
                    (char *)root,
                    "-p",
                    "/",
                    standard,
                    packages,
                    NULL};
    char *environment[] = {"LC_ALL=C.UTF-8", NULL};
    char triplet[64];
    pid_t pid;
    int status, failure;

    snprintf(triplet, sizeof triplet, "usr/lib/%s", pinned_triplet());
    if (find_loader(root, loader, err) < 0 ||
        join(libraries, sizeof libraries, root, triplet, err) < 0 ||
        join(python, sizeof python, root, "usr/bin/" PYTHON, err) < 0 ||
        join(standard, sizeof standard, root, "usr/lib/" PYTHON, err) < 0 ||
        join(packages, sizeof packages, root, "usr/lib/python3", err) < 0)
        return -1;
    failure = posix_spawn(&pid, loader, NULL, NULL, argv, environment);
    if (failure)
        return error_errno(err, failure, "%s", loader);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return error_set(err, ERROR_IO,
                         "Python could not compile its modules (see above); is there space in %s?",
                         root);
    return 0;
}

/* ---- the folder ---- */

/* Makes the tree `root` from the packages in `packages`. */
static int make_tree(const struct pinned_lock *lock, const char *packages, const char *root,
                     struct error *err)
{
    struct unpack *unpack = unpack_create(root);
    char path[PATH_MAX + NAME_CAP];
    int rc = 0;

    fprintf(stderr, "Unpacking\n");
    for (size_t i = 0; rc == 0 && i < lock->count; i++) {
        snprintf(path, sizeof path, "%s/%zu.deb", packages, i);
        rc = unpack_package(unpack, path, err);
        if (rc < 0)
            error_wrap(err, "%s %s", lock->packages[i].name, lock->packages[i].version);
        unlink(path); /* two copies of everything would take more of the disk */
    }
    if (rc == 0)
        rc = unpack_links(unpack, err);
    if (rc == 0)
        rc = link_algebra(unpack, err);
    unpack_destroy(unpack);
    snprintf(path, sizeof path, "%s/usr/bin/" PYTHON, root);
    if (rc == 0 && access(path, F_OK) == 0) { /* tests/python.lock has no Python */
        fprintf(stderr, "Compiling\n");
        rc = compile(root, err);
    }
    return rc;
}

static int make(const struct pinned_options *options, const struct pinned_lock *lock,
                const char *cache, const char *path, struct error *err)
{
    char unfinished[PATH_MAX], packages[PATH_MAX], root[PATH_MAX];
    struct sources *sources = calloc(1, sizeof *sources);
    int rc;

    if (!sources)
        abort();
    if (snprintf(unfinished, sizeof unfinished, "%s" CACHE_UNFINISHED "%d", path, (int)getpid()) >=
            PATH_MAX ||
        join(packages, sizeof packages, unfinished, "packages", err) < 0 ||
        join(root, sizeof root, unfinished, "root", err) < 0 ||
        cache_make_folder(packages, err) < 0 || cache_make_folder(root, err) < 0) {
        rc = -1;
    } else {
        sources_find(sources, lock, options->mirrors);
        rc = download_packages(lock, sources, packages, err);
        if (rc == 0)
            rc = make_tree(lock, packages, root, err);
        if (rc == 0)
            rc = cache_finish(root, path, cache, err);
    }
    free(sources);
    cache_remove(unfinished);
    return rc;
}

static int make_once(const struct pinned_options *options, const struct pinned_lock *lock,
                     const char *cache, const char *path, struct error *err)
{
    cleanup_fd int turn = cache_take_turn(cache, err);

    if (turn < 0 || (access(path, F_OK) < 0 && make(options, lock, cache, path, err) < 0))
        return error_wrap(err, "the pinned Python could not be made");
    return 0;
}

int pinned_fetch(const struct pinned_options *options, char *path, size_t size, struct error *err)
{
    struct pinned_lock lock;
    char cache[PATH_MAX];
    int rc = pinned_lock_read(&lock, options->lock, options->added, pinned_architecture(), err);

    umask(022); /* the user of a sandbox reads what is written here */
    if (rc == 0)
        rc = name_folder(options, &lock, path, size, err);
    if (rc == 0)
        rc = cache_find(options->cache, cache, sizeof cache, err);
    if (rc == 0 && access(path, F_OK) < 0)
        rc = make_once(options, &lock, cache, path, err);
    if (rc == 0)
        cache_remove_old(cache, path);
    pinned_lock_finish(&lock);
    return rc;
}
