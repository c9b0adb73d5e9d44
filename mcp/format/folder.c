/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folders: written beside their place and put there in one step, listed without following links.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mcp/format/file.h"
#include "mcp/format/format.h"

int folder_begin(struct folder *folder, const char *path, struct error *err)
{
    size_t len = strlen(path);

    folder->fd = -1;
    if (!strcmp(path, "-"))
        return error_set(err, ERROR_INVALID, "this form is a folder: name one with -o PATH");
    while (len > 1 && path[len - 1] == '/')
        len--;
    if (len == 0 || snprintf(folder->path, sizeof folder->path, "%.*s", (int)len, path) >=
                        (int)sizeof folder->path - 8)
        return error_set(err, ERROR_INVALID, "'%.100s' is no path of a folder to write", path);
    memcpy(folder->beside, folder->path, len);
    memcpy(folder->beside + len, ".XXXXXX", 8);
    if (!mkdtemp(folder->beside))
        return error_errno(err, errno, "%s", folder->beside);
    folder->fd = open(folder->beside, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->fd < 0) {
        error_errno(err, errno, "%s", folder->beside);
        rmdir(folder->beside);
        return -1;
    }
    return 0;
}

int folder_add(struct folder *folder, const char *name, const struct buf *text, struct error *err)
{
    int fd, rc = 0;

    if (buf_check(text, name, err) < 0)
        return -1;
    fd = openat(folder->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return error_errno(err, errno, "%s/%s", folder->beside, name);
    for (size_t done = 0; rc == 0 && done < text->len;) {
        ssize_t wrote = write(fd, text->data + done, text->len - done);

        if (wrote < 0 && errno != EINTR)
            rc = error_errno(err, errno, "%s/%s", folder->beside, name);
        if (wrote > 0)
            done += (size_t)wrote;
    }
    if (close(fd) < 0 && rc == 0)
        rc = error_errno(err, errno, "%s/%s", folder->beside, name);
    return rc;
}

/* Files alone, as an export writes them and file_replaceable asks; a folder in it makes it fail. */
static int remove_folder(const char *path, struct error *err)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;

    if (!folder)
        return error_errno(err, errno, "%s", path);
    /* The stream is this function\'s own. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while ((entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
    return rmdir(path) < 0 ? error_errno(err, errno, "%s is left over", path) : 0;
}

static int put_in_place(struct folder *folder, struct error *err)
{
    if (fchmod(folder->fd, file_mode(0777)) < 0 || syncfs(folder->fd) < 0)
        return error_errno(err, errno, "%s", folder->beside);
    if (rename(folder->beside, folder->path) == 0) /* nothing there, or an empty folder */
        return 0;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return error_errno(err, errno, "%s", folder->path);
    if (renameat2(AT_FDCWD, folder->beside, AT_FDCWD, folder->path, RENAME_EXCHANGE) < 0)
        return error_errno(err, errno, "%s", folder->path);
    return remove_folder(folder->beside, err);
}

int folder_end(struct folder *folder, bool keep, struct error *err)
{
    int rc = 0;

    if (folder->fd < 0)
        return -1;
    if (keep)
        rc = put_in_place(folder, err);
    close(folder->fd);
    folder->fd = -1;
    if (!keep || rc < 0)
        remove_folder(folder->beside, NULL);
    return rc;
}

/* ---- listing ---- */

struct listing {
    const char *root;
    const char *suffix;
    size_t cap;
    size_t links;
    size_t seen; /* entries of any kind */
    json_t *names;
};

static bool ends_in(const char *name, const char *suffix)
{
    size_t len = strlen(name), end = strlen(suffix);

    return len > end && !strcasecmp(name + len - end, suffix);
}

static int list_folder(struct listing *listing, int fd, const char *inner, unsigned depth,
                       struct error *err);

static int list_entry(struct listing *listing, int folder, const char *inner, const char *name,
                      unsigned depth, struct error *err)
{
    char path[PATH_MAX];
    struct stat found;
    int fd;

    if (name[0] == '.')
        return 0;
    if (++listing->seen > listing->cap)
        return error_set(err, ERROR_TOO_LARGE, "%s holds more than %zu files", listing->root,
                         listing->cap);
    if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) < 0)
        return 0;
    if (snprintf(path, sizeof path, "%s%s%s", inner, *inner ? "/" : "", name) >= (int)sizeof path)
        return error_set(err, ERROR_TOO_LARGE, "%s holds paths that are too long", listing->root);
    if (S_ISDIR(found.st_mode) && depth < FOLDERS_DEEP) {
        fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return fd < 0 ? error_errno(err, errno, "%s/%s", listing->root, path)
                      : list_folder(listing, fd, path, depth + 1, err);
    }
    if (S_ISDIR(found.st_mode) || (!S_ISREG(found.st_mode) && ends_in(name, listing->suffix)))
        listing->links++;
    else if (!S_ISREG(found.st_mode))
        listing->links += S_ISLNK(found.st_mode);
    else if (ends_in(name, listing->suffix) &&
             json_array_append_new(listing->names, json_string(path)) < 0)
        return error_set(err, ERROR_INVALID,
                         "%s holds a file whose name is not UTF-8: give it another", listing->root);
    return 0;
}

/* Takes fd over. */
static int list_folder(struct listing *listing, int fd, const char *inner, unsigned depth,
                       struct error *err)
{
    DIR *folder = fdopendir(fd);
    const struct dirent *entry;
    int rc = 0;

    if (!folder) {
        error_errno(err, errno, "%s/%s", listing->root, inner);
        close(fd);
        return -1;
    }
    /* The stream is this function\'s own. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while (rc == 0 && (entry = readdir(folder)))
        rc = list_entry(listing, dirfd(folder), inner, entry->d_name, depth, err);
    closedir(folder);
    return rc;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(json_string_value(*(json_t *const *)a), json_string_value(*(json_t *const *)b));
}

static json_t *sorted(json_t *names)
{
    size_t count = json_array_size(names);
    json_t **each = calloc(count + 1, sizeof *each), *list = json_array();

    for (size_t i = 0; each && i < count; i++)
        each[i] = json_array_get(names, i);
    if (each && list)
        qsort(each, count, sizeof *each, by_name);
    for (size_t i = 0; each && i < count; i++)
        json_array_append(list, each[i]);
    free(each);
    json_decref(names);
    return list;
}

json_t *folder_list(const char *path, const char *suffix, size_t cap, size_t *links,
                    struct error *err)
{
    struct listing listing = {.root = path, .suffix = suffix, .cap = cap, .names = json_array()};
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || list_folder(&listing, fd, "", 0, err) < 0) {
        if (fd < 0)
            error_errno(err, errno, "%s", path);
        json_decref(listing.names);
        return NULL;
    }
    *links = listing.links;
    return sorted(listing.names);
}
