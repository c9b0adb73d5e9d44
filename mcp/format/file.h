/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files and folders of the forms: read without following links out of a folder, written whole or
 * not at all.
 */
#ifndef LECTERN_SESSION_FORMAT_FILE_H
#define LECTERN_SESSION_FORMAT_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

#define FILE_NAME_CAP 255 /* bytes of one name, as most file systems have it */
#define FOLDERS_DEEP  16  /* folders in folders that are looked into */

/* A whole file, or standard input for "-", up to cap bytes. */
int file_read(const char *path, size_t cap, struct buf *to, struct error *err);
/* Its first bytes, up to cap. */
int file_head(const char *path, size_t cap, struct buf *to, struct error *err);
/* The same as file_read of a file in a folder; name may have "/" in it. A link is not followed:
 * ERROR_INVALID. */
int file_read_in(const char *folder, const char *name, size_t cap, struct buf *to,
                 struct error *err);

/* The bytes of a byte order mark that the text begins with: 3 or 0. */
size_t file_mark(const char *text, size_t len);
/* Whether a path or name ends so; ASCII, any case. */
bool file_ends_in(const char *name, const char *suffix);
bool file_is_folder(const char *path);
bool file_is_in(const char *folder, const char *name); /* a regular file */

/* The permissions of a new file or folder of the user's own: wanted, less the umask. For a process
 * of one thread. */
mode_t file_mode(mode_t wanted);

/* Beside its place and renamed over it, so that a failure leaves what was there. "-": standard
 * output. */
int file_write(const char *path, const struct buf *text, struct error *err);

/* A folder written beside its place, which takes it when it is whole. */
struct folder {
    char path[PATH_MAX];
    char beside[PATH_MAX];
    int fd;
};
int folder_begin(struct folder *folder, const char *path, struct error *err);
/* name: one name, without "/". Each is written once. */
int folder_add(struct folder *folder, const char *name, const struct buf *text, struct error *err);
/* keep: it takes its place, and what was there goes. Else all of it is taken away. */
int folder_end(struct folder *folder, bool keep, struct error *err);

/* Whether an export may go to path: it is not there, an empty folder, or force says so and it is a
 * file or a folder that holds such files alone as an export writes. ERROR_CONFLICT else. A file
 * that begins as JSON does may be replaced without force. */
int file_replaceable(const char *path, bool force, struct error *err);

/* The names of the regular files in a folder that end in suffix (ASCII, any case), folders in it
 * too as "folder/name", sorted; hidden ones are left out. *links counts what is no file or folder.
 * A new array of texts; NULL with ERROR_TOO_LARGE over cap names. */
json_t *folder_list(const char *path, const char *suffix, size_t cap, size_t *links,
                    struct error *err);

#endif
