/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Single files: read, checked and written.
 */
#include "mcp/format/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/base/terminal.h"

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
        rc = error_set(err, ERROR_INVALID, "%s is no ordinary file", shown);
    else
        rc = read_all(fd, shown, cap, to, err);
    close(fd);
    return rc;
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

    if (!strcmp(path, "-") && isatty(STDOUT_FILENO)) {
        terminal_write(stdout, text->data, text->len);
        return 0;
    }
    if (!strcmp(path, "-"))
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

        if (len > end && !strcmp(name + len - end, export_suffixes[i]))
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
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
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

    if (!strcmp(path, "-") || (stat(path, &found) < 0 && errno == ENOENT))
        return 0;
    if (stat(path, &found) < 0)
        return error_errno(err, errno, "%s", path);
    if (S_ISDIR(found.st_mode))
        return folder_replaceable(path, force, err);
    return force || !S_ISREG(found.st_mode) ? 0 : begins_as_json(path, err);
}
