/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files and folders: read, checked and written; folders are written beside their place and put
 * there in one step, and listed without following links.
 */
#include "mcp/format/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/base/terminal.h"
#include "mcp/format/format.h"

/* ---- files ---- */

#define READ_STEP ((size_t)64 << 10)

/* What an export writes into a folder, by the ends of the names. */
static const char *const export_suffixes[] = {".md", ".csv", ".yaml", ".json", NULL};

static int read_all(int fd, const char *shown, size_t cap, struct buf *to, struct error *err)
{
    ssize_t got = 1;

    buf_init(to, cap + READ_STEP);
    while (got != 0) {
        char *room = buf_reserve(to, READ_STEP);

        if (!room || to->len > cap)
            return error_set(err, ERROR_TOO_LARGE, "%s is larger than %zu bytes", shown, cap);
        got = read(fd, room, READ_STEP);
        if (got > 0)
            to->len += (size_t)got;
        else if (got < 0 && errno != EINTR)
            return error_errno(err, errno, "%s", shown);
    }
    buf_add(to, "", 0);
    return 0;
}

int file_read(const char *path, size_t cap, struct buf *to, struct error *err)
{
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    int rc;

    if (fd < 0)
        return error_errno(err, errno, "%s", path);
    rc = read_all(fd, path, cap, to, err);
    if (fd != STDIN_FILENO)
        close(fd);
    return rc;
}

int file_head(const char *path, size_t cap, struct buf *to, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *room = buf_reserve(to, cap);
    ssize_t got;

    if (fd < 0)
        return error_errno(err, errno, "%s", path);
    got = room ? read(fd, room, cap) : -1;
    close(fd);
    if (got < 0)
        return error_errno(err, errno, "%s", path);
    to->len += (size_t)got;
    buf_add(to, "", 0);
    return 0;
}

int file_read_in(const char *folder, const char *name, size_t cap, struct buf *to,
                 struct error *err)
{
    char shown[PATH_MAX];
    struct stat found;
    int fd, rc;

    if (snprintf(shown, sizeof shown, "%s/%s", folder, name) >= (int)sizeof shown)
        return error_set(err, ERROR_INVALID, "%s is too long a path", shown);
    /* Without O_NONBLOCK, a pipe that nobody writes to would hold us here. */
    fd = open(shown, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno == ELOOP)
        return error_set(err, ERROR_INVALID, "%s is a link, and links are not followed", shown);
    if (fd < 0)
        return error_errno(err, errno, "%s", shown);
    if (fstat(fd, &found) < 0 || !S_ISREG(found.st_mode))
        rc = error_set(err, ERROR_INVALID, "%s is not a regular file", shown);
    else
        rc = read_all(fd, shown, cap, to, err);
    close(fd);
    return rc;
}

size_t file_mark(const char *text, size_t len)
{
    return len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

bool file_ends_in(const char *name, const char *suffix)
{
    size_t len = strlen(name), end = strlen(suffix);

    return len >= end && strcasecmp(name + len - end, suffix) == 0;
}

bool file_ends_in_any(const char *name, const char *const *suffixes)
{
    for (size_t i = 0; suffixes[i]; i++)
        if (file_ends_in(name, suffixes[i]))
            return true;
    return false;
}

bool file_is_there(const char *path)
{
    return strcmp(path, "-") == 0 || access(path, F_OK) == 0;
}

bool file_is_folder(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

bool file_is_in(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat found;

    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
           lstat(path, &found) == 0 && S_ISREG(found.st_mode);
}

static int write_all(int fd, const struct buf *text, const char *path, struct error *err)
{
    for (size_t done = 0; done < text->len;) {
        ssize_t wrote = write(fd, text->data + done, text->len - done);

        if (wrote < 0 && errno != EINTR)
            return error_errno(err, errno, "%s", path);
        if (wrote > 0)
            done += (size_t)wrote;
    }
    return 0;
}

mode_t file_mode(mode_t wanted)
{
    mode_t mask = umask(077); /* it can only be read by setting it */

    umask(mask);
    return wanted & ~mask;
}

int file_write(const char *path, const struct buf *text, struct error *err)
{
    char beside[PATH_MAX];
    int fd, rc;

    if (strcmp(path, "-") == 0 && isatty(STDOUT_FILENO)) {
        terminal_write(stdout, text->data, text->len);
        return 0;
    }
    if (strcmp(path, "-") == 0)
        return write_all(STDOUT_FILENO, text, "standard output", err);
    if (snprintf(beside, sizeof beside, "%s.XXXXXX", path) >= (int)sizeof beside)
        return error_set(err, ERROR_INVALID, "%s is too long a path", path);
    fd = mkostemp(beside, O_CLOEXEC);
    if (fd < 0)
        return error_errno(err, errno, "%s", beside);
    rc = write_all(fd, text, beside, err);
    if (rc == 0 && (fchmod(fd, file_mode(0666)) < 0 || fsync(fd) < 0))
        rc = error_errno(err, errno, "%s", beside);
    if (close(fd) < 0 && rc == 0)
        rc = error_errno(err, errno, "%s", beside);
    if (rc == 0 && rename(beside, path) < 0)
        rc = error_errno(err, errno, "%s", path);
    if (rc < 0)
        unlink(beside);
    return rc;
}

/* ---- may it be written over? ---- */

static bool is_of_exports(int folder, const char *name)
{
    struct stat found;

    if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(found.st_mode))
        return false;
    for (size_t i = 0; export_suffixes[i]; i++) {
        size_t len = strlen(name), end = strlen(export_suffixes[i]);

        if (len > end && strcmp(name + len - end, export_suffixes[i]) == 0)
            return true;
    }
    return false;
}

static int folder_replaceable(const char *path, bool force, struct error *err)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    int rc = 0;

    if (!folder)
        return error_errno(err, errno, "%s", path);
    /* The stream is this function\'s own. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while (rc == 0 && (entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (!force)
            rc = error_set(err, ERROR_CONFLICT,
                           "%s is a folder with something in it: name a new one, or --force to "
                           "replace it",
                           path);
        else if (!is_of_exports(dirfd(folder), entry->d_name))
            rc = error_set(err, ERROR_CONFLICT,
                           "%s holds '%s', which no export wrote: it is not replaced, name a new "
                           "folder",
                           path, entry->d_name);
    }
    closedir(folder);
    return rc;
}

static int begins_as_json(const char *path, struct error *err)
{
    struct buf BUF_AUTO head = {0};
    size_t i = 0;

    if (file_head(path, 64, &head, err) < 0)
        return -1;
    while (i < head.len && strchr(" \t\r\n", head.data[i]))
        i++;
    if (i == head.len || head.data[i] == '{')
        return 0;
    return error_set(err, ERROR_CONFLICT,
                     "%s is there and does not look like an export: name another, or --force to "
                     "replace it",
                     path);
}

int file_replaceable(const char *path, bool force, struct error *err)
{
    struct stat found;

    if (strcmp(path, "-") == 0 || (stat(path, &found) < 0 && errno == ENOENT))
        return 0;
    if (stat(path, &found) < 0)
        return error_errno(err, errno, "%s", path);
    if (S_ISDIR(found.st_mode))
        return folder_replaceable(path, force, err);
    return force || !S_ISREG(found.st_mode) ? 0 : begins_as_json(path, err);
}

/* ---- folders ---- */

int folder_begin(struct folder *folder, const char *path, struct error *err)
{
    size_t len = strlen(path);

    folder->fd = -1;
    if (strcmp(path, "-") == 0)
        return error_set(err, ERROR_INVALID, "this form is a folder: name one with -o PATH");
    while (len > 1 && path[len - 1] == '/')
        len--;
    if (len == 0 || snprintf(folder->path, sizeof folder->path, "%.*s", (int)len, path) >=
                        (int)sizeof folder->path - 8)
        return error_set(err, ERROR_INVALID, "'%.100s' is not the path of a folder to write", path);
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
    char shown[PATH_MAX + FILE_NAME_CAP + 2];
    int fd, rc;

    if (buf_check(text, name, err) < 0)
        return -1;
    snprintf(shown, sizeof shown, "%s/%s", folder->beside, name);
    fd = openat(folder->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return error_errno(err, errno, "%s", shown);
    rc = write_all(fd, text, shown, err);
    if (close(fd) < 0 && rc == 0)
        rc = error_errno(err, errno, "%s", shown);
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
    const char *const *suffixes;
    size_t cap;
    struct folder_rest *rest;
    size_t seen; /* entries of any kind */
    json_t *names;
};

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
    if (!S_ISREG(found.st_mode)) {
        listing->rest->links += S_ISDIR(found.st_mode) || S_ISLNK(found.st_mode) ||
                                file_ends_in_any(name, listing->suffixes);
    } else if (!file_ends_in_any(name, listing->suffixes) ||
               json_array_append_new(listing->names, json_string(path)) < 0) {
        if (listing->rest->others++ == 0)
            snprintf(listing->rest->other, sizeof listing->rest->other, "%.*s", FILE_NAME_CAP,
                     name);
    }
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

/* Names that differ only in zeros before numbers are in the order of their bytes. */
static int by_name(const void *a, const void *b)
{
    const char *one = json_string_value(*(json_t *const *)a);
    const char *other = json_string_value(*(json_t *const *)b);
    const char *x = one, *y = other;

    while (*x && *y) {
        size_t digits = 0, more = 0;

        if (!isdigit((unsigned char)*x) || !isdigit((unsigned char)*y)) {
            if (*x != *y)
                return (unsigned char)*x - (unsigned char)*y;
            x++;
            y++;
            continue;
        }
        x += strspn(x, "0");
        y += strspn(y, "0");
        digits = strspn(x, "0123456789");
        more = strspn(y, "0123456789");
        if (digits != more)
            return digits < more ? -1 : 1;
        if (strncmp(x, y, digits) != 0)
            return strncmp(x, y, digits);
        x += digits;
        y += more;
    }
    return *x || *y ? (unsigned char)*x - (unsigned char)*y : strcmp(one, other);
}

json_t *names_sorted(json_t *names)
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

json_t *folder_list(const char *path, const char *const *suffixes, size_t cap,
                    struct folder_rest *rest, struct error *err)
{
    struct listing listing = {
        .root = path, .suffixes = suffixes, .cap = cap, .rest = rest, .names = json_array()};
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    *rest = (struct folder_rest){0};
    if (fd < 0 || list_folder(&listing, fd, "", 0, err) < 0) {
        if (fd < 0)
            error_errno(err, errno, "%s", path);
        json_decref(listing.names);
        return NULL;
    }
    return names_sorted(listing.names);
}
