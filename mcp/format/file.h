/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The files and folders of the formats: read without following links out of a folder, written
 * completely or not at all.
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

#define FILE_NAME_CAP 255 /* bytes of one name, as in most file systems */
#define FOLDERS_DEEP  16  /* maximum depth of folders that are read */

/* A whole file, or standard input for "-", up to cap bytes. */
int file_read(const char *path, size_t cap, struct buf *to, struct error *err);
/* The first bytes of a file, up to cap. */
int file_head(const char *path, size_t cap, struct buf *to, struct error *err);
/* file_read for a file in a folder; name may contain "/". ERROR_INVALID for a link. */
int file_read_in(const char *folder, const char *name, size_t cap, struct buf *to,
                 struct error *err);

/* The length of the byte order mark at the beginning of the text: 3 or 0. */
size_t file_mark(const char *text, size_t len);
/* Whether a path or name ends with the suffix; ASCII, any case. */
bool file_ends_in(const char *name, const char *suffix);
bool file_ends_in_any(const char *name, const char *const *suffixes); /* NULL-terminated */
bool file_is_there(const char *path);
bool file_is_folder(const char *path);
bool file_is_in(const char *folder, const char *name); /* a regular file */

/* The permissions of a new file or folder of the user: wanted, less the umask. Only for a
 * single-threaded process. */
mode_t file_mode(mode_t wanted);

/* Writes to a temporary file and renames it over path, so that a failure keeps the old file. "-" is
 * standard output. */
int file_write(const char *path, const struct buf *text, struct error *err);

/* A folder that is written beside its path and renamed when it is complete. */
struct folder {
    char path[PATH_MAX];
    char beside[PATH_MAX];
    int fd;
};
int folder_begin(struct folder *folder, const char *path, struct error *err);
/* name has no "/". Write each name once. */
int folder_add(struct folder *folder, const char *name, const struct buf *text, struct error *err);
/* keep: replaces the folder at its path. Otherwise removes everything written. */
int folder_end(struct folder *folder, bool keep, struct error *err);

/* Whether an export may write to path: it does not exist, is an empty folder, is a file that begins
 * like JSON, or force is set and it is a file, or a folder with only such files as an export
 * writes. Otherwise ERROR_CONFLICT. */
int file_replaceable(const char *path, bool force, struct error *err);

/* What a list of a folder leaves out, hidden files and folders aside. */
struct folder_rest {
    size_t links;                  /* neither a file nor a folder that is read */
    size_t others;                 /* files with other endings, or whose names are not UTF-8 */
    char other[FILE_NAME_CAP + 1]; /* the name of the first of the others */
};

/* Sorts an array of names, which it takes over, as people count: "2 b" before "10 a". */
json_t *names_sorted(json_t *names);
/* The names of the regular files in a folder that end with one of the suffixes (ASCII, any case;
 * the list ends with NULL), including those in subfolders as "folder/name", without hidden ones;
 * sorted, where numbers in names sort as numbers. A new array of strings; NULL with ERROR_TOO_LARGE
 * above cap entries. */
json_t *folder_list(const char *path, const char *const *suffixes, size_t cap,
                    struct folder_rest *rest, struct error *err);

#endif
