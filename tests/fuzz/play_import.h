/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One input of the fuzzers of imports played, for these and for the unit test that replays what
 * they have found. A reader gets any bytes and gives a curriculum or an error, and stays within its
 * memory. The input is one file; of a reader of several files it is a text, in which each line
 * "=== NAME" begins a file, and which is packed as a tar.
 */
#ifndef LECTERN_TESTS_PLAY_IMPORT_H
#define LECTERN_TESTS_PLAY_IMPORT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>
#include <jansson.h>

#include "helpers/base/buf.h"
#include "mcp/format/format.h"

#define PLAY_FILE_MARK "=== "

static inline void expect_import(bool holds)
{
    if (!holds)
        abort();
}

static inline void pack_file(struct archive *tar, const char *name, size_t name_len,
                             const char *text, size_t len)
{
    struct archive_entry *entry = archive_entry_new();
    char path[256];

    snprintf(path, sizeof path, "%.*s", (int)(name_len < 200 ? name_len : 200), name);
    archive_entry_set_pathname(entry, path);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, (la_int64_t)len);
    if (archive_write_header(tar, entry) == ARCHIVE_OK)
        archive_write_data(tar, text, len);
    archive_entry_free(entry);
}

/* The text as an archive of its files. */
static inline void pack_files(const char *text, size_t size, int fd)
{
    struct archive *tar = archive_write_new();
    const char *end = text + size, *at = text;

    archive_write_set_format_ustar(tar);
    archive_write_set_bytes_in_last_block(tar, 1);
    expect_import(archive_write_open_fd(tar, fd) == ARCHIVE_OK);
    while (at < end && strncmp(at, PLAY_FILE_MARK, strlen(PLAY_FILE_MARK)) == 0) {
        const char *name = at + strlen(PLAY_FILE_MARK), *from = name + strcspn(name, "\n");
        const char *next = from;

        from += *from == '\n';
        while ((next = strstr(next, "\n" PLAY_FILE_MARK)) && next < from - 1)
            next++;
        at = next ? next + 1 : end;
        pack_file(tar, name, strcspn(name, "\n"), from, at > from ? (size_t)(at - from) : 0);
    }
    archive_write_close(tar);
    archive_write_free(tar);
}

/* It can be written as JSON. Any value may be one: the importer refuses those without nodes. */
static inline void expect_curriculum(const json_t *curriculum)
{
    expect_import(json_dumpb(curriculum, NULL, 0, JSON_ENCODE_ANY) > 0);
}

/* format: NULL: by the content. */
static inline void play_import(const struct format *format, bool has_files, const uint8_t *data,
                               size_t size)
{
    struct format_report report = {0};
    struct buf BUF_AUTO said = {0};
    struct error err = {0};
    char path[64], *text = malloc(size + 1);
    int fd = memfd_create("import", MFD_CLOEXEC);
    json_t *curriculum;

    expect_import(fd >= 0 && text);
    memcpy(text, data, size);
    text[size] = '\0';
    if (has_files)
        pack_files(text, strlen(text), fd);
    else
        expect_import(write(fd, data, size) == (ssize_t)size);
    free(text);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    curriculum = format_read_path(path, format, &report, &err);
    close(fd);
    if (curriculum)
        expect_curriculum(curriculum);
    else
        expect_import(err.kind != ERROR_NONE && err.text[0] != '\0');
    findings_write(&said, &report.lines, "read", FINDINGS_REASONS_CAP + 1);
    expect_import(!said.failed);
    findings_finish(&report.lines);
    json_decref(curriculum);
}

#endif
