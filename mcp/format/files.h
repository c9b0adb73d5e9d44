/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The files of an import that consists of several: those of a folder, those of an archive (.zip,
 * .tar.gz, and the same under other names), or those of a request. The last two are kept in memory,
 * so that nothing is left on the disk. Links are not followed, and hidden files are not seen.
 */
#ifndef LECTERN_FORMAT_FILES_H
#define LECTERN_FORMAT_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/curriculum/findings.h"
#include "mcp/format/file.h"

#define ARCHIVE_FILE_CAP  ((size_t)64 << 20)  /* bytes of one file; larger ones are left out */
#define ARCHIVE_BYTES_CAP ((size_t)512 << 20) /* bytes of all files */
#define GIVEN_BYTES_CAP   ((size_t)64 << 20)  /* the same for an archive in memory */
/* Bytes of all files for each byte of the archive, above ARCHIVE_SMALL bytes. Text shrinks to a
 * tenth, and tables of numbers to a thirtieth. */
#define ARCHIVE_RATIO_CAP 200
#define ARCHIVE_SMALL     ((size_t)16 << 20)

struct files;

/* A file in memory. */
struct given_file {
    const char *name;        /* "folder/name" */
    const struct buf *bytes; /* with a NUL behind them */
};

/* Whether a file begins as an archive does: the one at a path, or its bytes. */
bool files_is_archive(const char *path);
bool files_is_packed(const struct buf *bytes);
/* Opens a folder or an archive; NULL with err. The parts of an archive that cannot be read, such as
 * a path that leads out of it, go to findings. A folder that holds all files of an archive is left
 * off their names. */
struct files *files_open(const char *path, struct findings *findings, struct error *err);
/* The same of an archive in memory, and of single files in memory, which are copied. */
struct files *files_unpack(const struct given_file *archive, struct findings *findings,
                           struct error *err);
struct files *files_gather(const struct given_file *given, size_t count, struct findings *findings,
                           struct error *err);
void files_close(struct files *files); /* takes NULL */
/* The path or name that it was opened by, for errors. */
const char *files_path(const struct files *files);

/* As folder_list (file.h). */
json_t *files_list(const struct files *files, const char *const *suffixes, struct folder_rest *rest,
                   struct error *err);
/* Whether there is a file with that name ("folder/name"), and its content, up to cap bytes. */
bool files_has(const struct files *files, const char *name);
int files_read(const struct files *files, const char *name, size_t cap, struct buf *to,
               struct error *err);

#endif
