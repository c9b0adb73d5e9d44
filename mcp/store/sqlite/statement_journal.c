/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where SQLite keeps the pages that a statement or a savepoint may have to write back: in one block
 * of memory. By itself it has two ways: a file, which costs system calls for each page, and a list
 * of 1 KiB pieces (temp_store = MEMORY), which it walks at the end of each statement with triggers,
 * so that a large write is quadratic. A VFS like the default one, but for files of this kind
 * (https://sqlite.org/vfs.html).
 */
#include "mcp/store/sqlite/sqlite_internal.h"

#include <stdlib.h>
#include <string.h>

#define JOURNAL_FIRST ((sqlite3_int64)256 << 10)
#define JOURNAL_CAP   ((sqlite3_int64)1 << 30) /* bytes; then the statement fails: SQLITE_FULL */

struct statement_journal {
    sqlite3_file base;
    unsigned char *bytes; /* owned */
    sqlite3_int64 size, room;
};

static int close_journal(sqlite3_file *file)
{
    struct statement_journal *journal = (struct statement_journal *)file;

    free(journal->bytes);
    journal->bytes = NULL;
    return SQLITE_OK;
}

/* What is behind the end reads as zeros (xRead of https://sqlite.org/c3ref/io_methods.html). */
static int read_journal(sqlite3_file *file, void *to, int amount, sqlite3_int64 at)
{
    const struct statement_journal *journal = (const struct statement_journal *)file;
    sqlite3_int64 there = journal->size > at ? journal->size - at : 0;

    if (there >= amount) {
        memcpy(to, journal->bytes + at, (size_t)amount);
        return SQLITE_OK;
    }
    if (there > 0)
        memcpy(to, journal->bytes + at, (size_t)there);
    memset((unsigned char *)to + there, 0, (size_t)(amount - there));
    return SQLITE_IOERR_SHORT_READ;
}

static int make_room(struct statement_journal *journal, sqlite3_int64 end)
{
    sqlite3_int64 room = journal->room > 0 ? journal->room : JOURNAL_FIRST;
    unsigned char *more;

    while (room < end)
        room *= 2;
    if (room > JOURNAL_CAP)
        return SQLITE_FULL;
    more = realloc(journal->bytes, (size_t)room);
    if (!more)
        return SQLITE_IOERR_NOMEM;
    journal->bytes = more;
    journal->room = room;
    return SQLITE_OK;
}

static int write_journal(sqlite3_file *file, const void *from, int amount, sqlite3_int64 at)
{
    struct statement_journal *journal = (struct statement_journal *)file;
    int rc = at + amount > journal->room ? make_room(journal, at + amount) : SQLITE_OK;

    if (rc != SQLITE_OK)
        return rc;
    if (at > journal->size)
        memset(journal->bytes + journal->size, 0, (size_t)(at - journal->size));
    memcpy(journal->bytes + at, from, (size_t)amount);
    if (at + amount > journal->size)
        journal->size = at + amount;
    return SQLITE_OK;
}

static int truncate_journal(sqlite3_file *file, sqlite3_int64 size)
{
    struct statement_journal *journal = (struct statement_journal *)file;

    if (size < journal->size)
        journal->size = size;
    return SQLITE_OK;
}

static int sync_journal(sqlite3_file *file, int flags)
{
    (void)file;
    (void)flags;
    return SQLITE_OK;
}

static int size_journal(sqlite3_file *file, sqlite3_int64 *size)
{
    *size = ((const struct statement_journal *)file)->size;
    return SQLITE_OK;
}

static int control_journal(sqlite3_file *file, int operation, void *argument)
{
    (void)file;
    (void)operation;
    (void)argument;
    return SQLITE_NOTFOUND;
}

static int nothing_special(sqlite3_file *file)
{
    (void)file;
    return 0;
}

static const sqlite3_io_methods journal_methods = {
    .iVersion = 1,
    .xClose = close_journal,
    .xRead = read_journal,
    .xWrite = write_journal,
    .xTruncate = truncate_journal,
    .xSync = sync_journal,
    .xFileSize = size_journal,
    .xFileControl = control_journal,
    .xSectorSize = nothing_special,
    .xDeviceCharacteristics = nothing_special,
};

static sqlite3_vfs *default_files, files;

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *flags_then)
{
    struct statement_journal *journal = (struct statement_journal *)file;

    (void)vfs;
    if (!(flags & SQLITE_OPEN_SUBJOURNAL))
        return default_files->xOpen(default_files, name, file, flags, flags_then);
    *journal = (struct statement_journal){.base.pMethods = &journal_methods};
    if (flags_then)
        *flags_then = flags;
    return SQLITE_OK;
}

int sqlite_statement_journal_begin(void)
{
    int rc = sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, 0); /* not the list first */

    if (rc != SQLITE_OK || sqlite3_initialize() != SQLITE_OK)
        return -1;
    default_files = sqlite3_vfs_find(NULL);
    files = *default_files;
    files.zName = "lectern";
    files.xOpen = open_file;
    if (files.szOsFile < (int)sizeof(struct statement_journal))
        files.szOsFile = sizeof(struct statement_journal);
    return sqlite3_vfs_register(&files, 1) == SQLITE_OK ? 0 : -1;
}
