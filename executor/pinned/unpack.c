/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/pinned/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#include "helpers/base/cleanup.h"

#define BLOCK         65536
#define RELATIVE_SIZE ((size_t)2 * PATH_MAX) /* of a link, with its "../" */

/* What is not unpacked, as patterns for fnmatch, in which * reaches across folders. */
static const char *const left_out[] = {
    "usr/share/doc/*",
    "usr/share/doc-base/*",
    "usr/share/man/*",
    "usr/share/info/*",
    "usr/share/locale/*",
    "usr/share/lintian/*",
    "usr/share/bash-completion/*",
    "usr/share/bug/*",
    "usr/share/perl*",
    "usr/share/gdb/*",
    "usr/include/*",
    "usr/lib/systemd/*",
    "usr/lib/*/gconv/*",
    "usr/lib/*.a",
    "usr/lib/python3.11/config-*",
    "usr/lib/python3*/tests/*",
    "usr/lib/python3*/__pycache__/*",
    "usr/lib/python3.11/idlelib/*",
    "usr/lib/python3.11/lib2to3/*",
    "usr/lib/python3.11/ensurepip/*",
    "usr/lib/python3.11/turtledemo/*",
    "etc/[!fm]*", /* but the settings of fontconfig and matplotlib */
    "var/*",
};

struct link {
    SIMPLEQ_ENTRY(link) next;
    char *path, *target; /* owned; both in the folder */
};

struct unpack {
    const char *folder;
    SIMPLEQ_HEAD(, link) links;
};

struct unpack *unpack_create(const char *folder)
{
    struct unpack *unpack = calloc(1, sizeof *unpack);

    if (!unpack)
        abort();
    unpack->folder = folder;
    SIMPLEQ_INIT(&unpack->links);
    return unpack;
}

void unpack_destroy(struct unpack *unpack)
{
    while (unpack && !SIMPLEQ_EMPTY(&unpack->links)) {
        struct link *link = SIMPLEQ_FIRST(&unpack->links);

        SIMPLEQ_REMOVE_HEAD(&unpack->links, next);
        free(link->path);
        free(link->target);
        free(link);
    }
    free(unpack);
}

/* ---- paths ---- */

/* Appends the parts of `from` to the path `to`, without "." and empty parts. ".." removes a part,
 * and only before any other: what a part that is a link leads to is not known. -1: it leads out. */
static int append(char to[PATH_MAX], const char *from)
{
    bool named = false;

    while (*from) {
        size_t part = strcspn(from, "/"), len = strlen(to);
        char *slash;

        if (part == 2 && strncmp(from, "..", 2) == 0) {
            if (named || len == 0)
                return -1;
            slash = strrchr(to, '/');
            *(slash ? slash : to) = '\0';
        } else if (part > 0 && !(part == 1 && *from == '.')) {
            named = true;
            if (len + part + 2 > PATH_MAX)
                return -1;
            snprintf(to + len, PATH_MAX - len, "%s%.*s", len ? "/" : "", (int)part, from);
        }
        from += part + (from[part] == '/');
    }
    return 0;
}

/* /lib is /usr/lib: "lib/x" becomes "usr/lib/x". */
static void merge_usr(char path[PATH_MAX])
{
    static const char *const merged[] = {"lib", "lib64", "bin", "sbin"};
    size_t part = strcspn(path, "/"), len = strlen(path);

    for (size_t i = 0; i < sizeof merged / sizeof *merged; i++) {
        if (strlen(merged[i]) == part && strncmp(path, merged[i], part) == 0 &&
            len + 5 <= PATH_MAX) {
            memmove(path + 4, path, len + 1);
            memcpy(path, "usr/", 4);
            return;
        }
    }
}

/* A path that a package gives, as one in the folder. */
static int read_path(const char *given, char path[PATH_MAX], struct error *err)
{
    const char *dots = given ? strstr(given, "..") : NULL;

    *path = '\0';
    if (!given || *given == '/' || append(path, given) < 0 ||
        (dots && (dots[2] == '/' || dots[2] == '\0') && (dots == given || dots[-1] == '/')))
        return error_set(err, ERROR_INVALID, "the path '%.200s' leads out of the folder",
                         given ? given : "");
    merge_usr(path);
    return 0;
}

/* Where a symbolic link at `path` leads to, as a path in the folder. */
static int read_target(const char *path, const char *given, char target[PATH_MAX],
                       struct error *err)
{
    const char *slash = strrchr(path, '/');

    *target = '\0';
    if (given && *given != '/' && slash)
        snprintf(target, PATH_MAX, "%.*s", (int)(slash - path), path);
    if (!given || append(target, given) < 0 || !*target)
        return error_set(err, ERROR_INVALID,
                         "the link '%.200s' leads out of the folder, to '%.200s'", path,
                         given ? given : "");
    merge_usr(target);
    return 0;
}

static bool is_left_out(const char *path)
{
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        if (fnmatch(left_out[i], path, 0) == 0)
            return true;
    }
    return false;
}

static int place(const struct unpack *unpack, const char *path, char whole[PATH_MAX],
                 struct error *err)
{
    if (snprintf(whole, PATH_MAX, "%s/%s", unpack->folder, path) >= PATH_MAX)
        return error_set(err, ERROR_INVALID, "the path '%.200s' is too long", path);
    return 0;
}

/* Makes the folders above a path in the folder. There are no symbolic links yet. */
static int make_parents(const struct unpack *unpack, char whole[PATH_MAX], struct error *err)
{
    for (char *at = whole + strlen(unpack->folder) + 1; (at = strchr(at, '/')); at++) {
        int rc;

        *at = '\0';
        rc = mkdir(whole, 0755);
        if (rc < 0 && errno != EEXIST)
            return error_errno(err, errno, "%s", whole);
        *at = '/';
    }
    return 0;
}

/* ---- entries ---- */

static int archive_failure(struct archive *archive, struct error *err)
{
    return error_set(err, ERROR_INVALID, "the package cannot be read: %s",
                     archive_error_string(archive) ? archive_error_string(archive)
                                                   : "it is damaged");
}

static int write_file(struct archive *from, const char *whole, mode_t mode, struct error *err)
{
    cleanup_fd int fd = open(whole, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    char block[BLOCK];
    size_t bytes = 0;
    la_ssize_t len;

    if (fd < 0)
        return error_errno(err, errno, "%s", whole);
    while ((len = archive_read_data(from, block, sizeof block)) > 0) {
        for (la_ssize_t done = 0; done < len;) {
            ssize_t written = write(fd, block + done, (size_t)(len - done));

            if (written < 0 && errno != EINTR)
                return error_errno(err, errno, "%s", whole);
            done += written > 0 ? written : 0;
        }
        bytes += (size_t)len;
        if (bytes > UNPACK_FILE_CAP)
            return error_set(err, ERROR_TOO_LARGE, "%s is larger than %zu bytes", whole,
                             UNPACK_FILE_CAP);
    }
    if (len < 0)
        return archive_failure(from, err);
    return fchmod(fd, mode & 0111 ? 0755 : 0644) == 0 ? 0 : error_errno(err, errno, "%s", whole);
}

static int add_link(struct unpack *unpack, const char *path, const char *given, struct error *err)
{
    char target[PATH_MAX];
    struct link *link;

    if (read_target(path, given, target, err) < 0)
        return -1;
    link = calloc(1, sizeof *link);
    if (!link || !(link->path = strdup(path)) || !(link->target = strdup(target)))
        abort();
    SIMPLEQ_INSERT_TAIL(&unpack->links, link, next);
    return 0;
}

static int make_hard_link(const struct unpack *unpack, const char *whole, const char *given,
                          struct error *err)
{
    char target[PATH_MAX], from[PATH_MAX];

    if (read_path(given, target, err) < 0 || place(unpack, target, from, err) < 0)
        return -1;
    return link(from, whole) == 0 ? 0 : error_errno(err, errno, "%s", whole);
}

static int unpack_entry(struct unpack *unpack, struct archive *from, struct archive_entry *entry,
                        struct error *err)
{
    char path[PATH_MAX], whole[PATH_MAX];

    if (read_path(archive_entry_pathname(entry), path, err) < 0 ||
        place(unpack, path, whole, err) < 0)
        return -1;
    if (!*path || is_left_out(path))
        return 0;
    if (archive_entry_filetype(entry) == AE_IFDIR && !archive_entry_hardlink(entry))
        return 0; /* a folder is made with its first file */
    if (make_parents(unpack, whole, err) < 0)
        return -1;
    if (archive_entry_hardlink(entry))
        return make_hard_link(unpack, whole, archive_entry_hardlink(entry), err);
    if (archive_entry_filetype(entry) == AE_IFLNK)
        return add_link(unpack, path, archive_entry_symlink(entry), err);
    if (archive_entry_filetype(entry) == AE_IFREG)
        return write_file(from, whole, archive_entry_mode(entry), err);
    return error_set(err, ERROR_INVALID, "'%.200s' is neither a file nor a folder nor a link",
                     path);
}

/* ---- packages ---- */

/* data.tar stands in the package, which is an archive of ar, and is read from there. */
struct inside {
    struct archive *package;
    char block[BLOCK];
};

static la_ssize_t read_inside(struct archive *data, void *user, const void **bytes)
{
    struct inside *inside = user;
    la_ssize_t len = archive_read_data(inside->package, inside->block, sizeof inside->block);

    *bytes = inside->block;
    if (len < 0)
        archive_set_error(data, EIO, "%s", "the package is damaged");
    return len < 0 ? -1 : len;
}

static int unpack_data(struct unpack *unpack, struct archive *package, struct error *err)
{
    struct inside inside = {.package = package};
    struct archive *data = archive_read_new();
    struct archive_entry *entry;
    int found = ARCHIVE_OK, rc = 0;

    if (!data)
        abort();
    archive_read_support_format_tar(data);
    archive_read_support_filter_xz(data);
    archive_read_support_filter_gzip(data);
    archive_read_support_filter_zstd(data);
    if (archive_read_open(data, &inside, NULL, read_inside, NULL) != ARCHIVE_OK)
        rc = archive_failure(data, err);
    while (rc == 0 && (found = archive_read_next_header(data, &entry)) == ARCHIVE_OK)
        rc = unpack_entry(unpack, data, entry, err);
    if (rc == 0 && found != ARCHIVE_EOF)
        rc = archive_failure(data, err);
    archive_read_free(data);
    return rc;
}

int unpack_package(struct unpack *unpack, const char *path, struct error *err)
{
    struct archive *package = archive_read_new();
    struct archive_entry *entry;
    bool done = false;
    int found = ARCHIVE_OK, rc = 0;

    if (!package)
        abort();
    archive_read_support_format_ar(package);
    if (archive_read_open_filename(package, path, BLOCK) != ARCHIVE_OK)
        rc = archive_failure(package, err);
    while (rc == 0 && !done && (found = archive_read_next_header(package, &entry)) == ARCHIVE_OK) {
        done = strncmp(archive_entry_pathname(entry), "data.tar", 8) == 0;
        if (done)
            rc = unpack_data(unpack, package, err);
    }
    if (rc == 0 && !done)
        rc = found == ARCHIVE_EOF ? error_set(err, ERROR_INVALID, "the package has no data.tar")
                                  : archive_failure(package, err);
    archive_read_free(package);
    return rc;
}

int unpack_bytes(const void *bytes, size_t len, struct buf *to, struct error *err)
{
    struct archive *archive = archive_read_new();
    struct archive_entry *entry;
    char block[BLOCK];
    la_ssize_t got = 0;
    int rc = 0;

    if (!archive)
        abort();
    archive_read_support_format_raw(archive);
    archive_read_support_filter_xz(archive);
    archive_read_support_filter_gzip(archive);
    if (archive_read_open_memory(archive, bytes, len) != ARCHIVE_OK ||
        archive_read_next_header(archive, &entry) != ARCHIVE_OK)
        rc = archive_failure(archive, err);
    while (rc == 0 && (got = archive_read_data(archive, block, sizeof block)) > 0)
        buf_add(to, block, (size_t)got);
    if (got < 0)
        rc = archive_failure(archive, err);
    archive_read_free(archive);
    return rc < 0 ? -1 : buf_check(to, "the content of a compressed file", err);
}

/* ---- links ---- */

/* Writes `target` as seen from the folder of `path`; both are paths in the folder. */
static void relate(const char *path, const char *target, char relative[RELATIVE_SIZE])
{
    size_t shared = 0, len = 0;

    for (size_t i = 0; path[i] && path[i] == target[i]; i++) {
        if (path[i] == '/')
            shared = i + 1;
    }
    *relative = '\0';
    for (const char *at = path + shared; (at = strchr(at, '/')) && len < PATH_MAX; at++)
        len += (size_t)snprintf(relative + len, RELATIVE_SIZE - len, "../");
    snprintf(relative + len, RELATIVE_SIZE - len, "%s", target + shared);
}

static int make_link(const struct unpack *unpack, const char *path, const char *target,
                     struct error *err)
{
    char whole[PATH_MAX], relative[RELATIVE_SIZE];

    if (place(unpack, path, whole, err) < 0)
        return -1;
    relate(path, target, relative);
    return symlink(relative, whole) == 0 ? 0 : error_errno(err, errno, "%s", whole);
}

int unpack_links(struct unpack *unpack, struct error *err)
{
    const struct link *link;

    SIMPLEQ_FOREACH(link, &unpack->links, next)
    {
        if (make_link(unpack, link->path, link->target, err) < 0)
            return -1;
    }
    return 0;
}

int unpack_link(struct unpack *unpack, const char *path, const char *target, struct error *err)
{
    char whole[PATH_MAX], to[PATH_MAX];

    if (place(unpack, path, whole, err) < 0 || place(unpack, target, to, err) < 0)
        return -1;
    if (faccessat(AT_FDCWD, whole, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || access(to, F_OK) < 0)
        return 0;
    return make_link(unpack, path, target, err);
}
