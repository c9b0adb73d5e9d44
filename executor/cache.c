/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "helpers/base/cleanup.h"

#define TURN_NAME     "fetch.lock"
#define OPEN_MAX_TREE 16 /* descriptors while a tree is removed */
#define DAY_SECONDS   86400

int cache_find(const char *given, char *path, size_t size, struct error *err)
{
    /* NOLINTBEGIN(concurrency-mt-unsafe): nobody changes the environment */
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    /* NOLINTEND(concurrency-mt-unsafe) */

    if (given)
        snprintf(path, size, "%s", given);
    else if (geteuid() == 0)
        snprintf(path, size, "/var/cache/lectern");
    else if (base && *base)
        snprintf(path, size, "%s/lectern", base);
    else if (home && *home)
        snprintf(path, size, "%s/.cache/lectern", home);
    else
        return error_set(err, ERROR_INVALID, "HOME is not set; give --cache DIR");
    return 0;
}

int cache_make_folder(const char *path, struct error *err)
{
    char part[PATH_MAX];

    snprintf(part, sizeof part, "%s/", path);
    for (char *at = part + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        if (mkdir(part, 0755) < 0 && errno != EEXIST)
            return error_wrap((error_errno(err, errno, "%s", part), err),
                              "a folder of the cache cannot be made; give another: --cache DIR");
        *at = '/';
    }
    return 0;
}

static int remove_entry(const char *path, const struct stat *stat, int kind, struct FTW *at)
{
    (void)stat;
    (void)kind;
    (void)at;
    remove(path);
    return 0;
}

void cache_remove(const char *path)
{
    /* No other thread changes the folder meanwhile. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    nftw(path, remove_entry, OPEN_MAX_TREE, FTW_DEPTH | FTW_PHYS);
}

/* Whether it is the name of a folder of the cache, finished or unfinished. A cache may be in a
 * folder that has other files, which are not removed. */
static bool is_ours(const char *name, bool unfinished)
{
    static const char *const kinds[] = {"python-", "share-"};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *hash = name + strlen(kinds[i]), *rest;

        if (strncmp(name, kinds[i], strlen(kinds[i])) != 0)
            continue;
        rest = hash + strspn(hash, "0123456789abcdef");
        if (rest - hash == CACHE_HASH_DIGITS)
            return unfinished ? strncmp(rest, CACHE_UNFINISHED, strlen(CACHE_UNFINISHED)) == 0
                              : *rest == '\0';
    }
    return false;
}

/* Whether no process uses it, and none has used it for CACHE_DAYS_KEPT. */
static bool is_old(const char *path)
{
    cleanup_fd int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status;

    return fd >= 0 && fstat(fd, &status) == 0 &&
           time(NULL) - status.st_mtime > (time_t)CACHE_DAYS_KEPT * DAY_SECONDS &&
           flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* Removes the unfinished folders, or the old ones except `kept`. Only the process
 * that has the turn makes a folder, so unfinished ones belong to nobody. */
static void remove_folders(const char *cache, bool unfinished, const char *kept)
{
    cleanup_dir DIR *folder = opendir(cache);
    struct dirent *entry;
    char path[PATH_MAX];

    while (folder && (entry = readdir(folder))) { // NOLINT(concurrency-mt-unsafe): its own folder
        if (is_ours(entry->d_name, unfinished) &&
            snprintf(path, sizeof path, "%s/%s", cache, entry->d_name) < (int)sizeof path &&
            (unfinished || (strcmp(path, kept) != 0 && is_old(path))))
            cache_remove(path);
    }
}

static int open_turn(const char *cache, struct error *err)
{
    char path[PATH_MAX];
    int fd;

    if (snprintf(path, sizeof path, "%s/" TURN_NAME, cache) >= (int)sizeof path)
        return error_set(err, ERROR_INVALID, "the path of the cache is too long");
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return fd >= 0 ? fd : error_errno(err, errno, "%s; give another folder: --cache DIR", path);
}

int cache_take_turn(const char *cache, struct error *err)
{
    cleanup_fd int fd = cache_make_folder(cache, err) < 0 ? -1 : open_turn(cache, err);

    if (fd < 0)
        return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        fprintf(stderr, "Another process is making a folder in %s; waiting for it\n", cache);
        while (flock(fd, LOCK_EX) < 0) {
            if (errno != EINTR)
                return error_errno(err, errno, "%s", cache);
        }
    }
    remove_folders(cache, true, NULL);
    return steal_fd(&fd);
}

int cache_finish(const char *unfinished, const char *path, const char *cache, struct error *err)
{
    cleanup_fd int fd = open(cache, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || syncfs(fd) < 0 || rename(unfinished, path) < 0 || fsync(fd) < 0)
        return error_errno(err, errno, "%s", path);
    return 0;
}

void cache_remove_old(const char *cache, const char *kept)
{
    struct error ignored = {0};
    cleanup_fd int turn = open_turn(cache, &ignored);

    if (turn >= 0 && flock(turn, LOCK_EX | LOCK_NB) == 0)
        remove_folders(cache, false, kept);
}

int cache_use(const char *path, struct error *err)
{
    cleanup_fd int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) < 0)
        return error_errno(err, errno, "%s", path);
    futimens(fd, NULL); /* another user's folder keeps its time: that user removes it */
    return steal_fd(&fd);
}
