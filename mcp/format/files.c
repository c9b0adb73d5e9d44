/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folders by file.h, archives by libarchive.
 */
#include "mcp/format/files.h"

#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uniconv.h>
#include <unistr.h>

#include <archive.h>
#include <archive_entry.h>

#include "helpers/base/array.h"
#include "helpers/base/cleanup.h"
#include "mcp/format/format.h"

#define BLOCK_BYTES  65536
#define HEAD_BYTES   512
#define CONSOLE_PAGE "CP850"

struct packed {
    char *name;      /* owned */
    struct buf text; /* owned */
};

struct files {
    char path[PATH_MAX];
    bool is_folder;
    struct packed *packed; /* owned; unless it is a folder, the files, by name */
    size_t count;
};

bool files_is_packed(const struct buf *bytes)
{
    static const struct {
        size_t at, len;
        const char *bytes;
    } marks[] = {{0, 4, "PK\003\004"},  {0, 4, "PK\005\006"}, {0, 2, "\x1F\x8B"},
                 {0, 5, "\xFD\x37zXZ"}, {0, 3, "BZh"},        {257, 5, "ustar"}};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (bytes->len >= marks[i].at + marks[i].len &&
            memcmp(bytes->data + marks[i].at, marks[i].bytes, marks[i].len) == 0)
            return true;
    return false;
}

bool files_is_archive(const char *path)
{
    struct buf BUF_AUTO head = {0};

    return strcmp(path, "-") != 0 && !file_is_folder(path) &&
           file_head(path, HEAD_BYTES, &head, NULL) == 0 && files_is_packed(&head);
}

/* ---- reading an archive ---- */

struct unpacking {
    struct files *files;
    struct archive *from;
    struct findings *findings;
    size_t seen, bytes; /* entries and bytes of all archives */
    size_t before;      /* bytes of the archives before this one */
    size_t most;        /* bytes of all archives */
};

enum path_kind { PATH_PLAIN, PATH_HIDDEN, PATH_OUTSIDE };

/* Copies a path without "." and empty parts. macOS adds a folder with the files' attributes. */
static enum path_kind clean_path(const char *given, char name[PATH_MAX])
{
    enum path_kind kind = *given == '/' ? PATH_OUTSIDE : PATH_PLAIN;
    size_t len = 0;

    for (size_t part; *given; given += part + (given[part] == '/')) {
        part = strcspn(given, "/");
        if (part == 0 || (part == 1 && *given == '.'))
            continue;
        if ((part == 2 && strncmp(given, "..", 2) == 0) || len + part + 2 > PATH_MAX)
            return PATH_OUTSIDE;
        if (kind == PATH_PLAIN &&
            (*given == '.' || (part == 8 && strncmp(given, "__MACOSX", 8) == 0)))
            kind = PATH_HIDDEN;
        if (len > 0)
            name[len++] = '/';
        memcpy(name + len, given, part);
        len += part;
    }
    name[len] = '\0';
    return len > 0 ? kind : PATH_HIDDEN;
}

static int refuse(const struct unpacking *unpacking, struct error *err)
{
    const char *why = archive_error_string(unpacking->from);

    return error_set(err, ERROR_INVALID, "%s cannot be unpacked: %s", unpacking->files->path,
                     why ? why : "it is damaged");
}

/* The packed bytes that were read so far. */
static int check_size(const struct unpacking *unpacking, struct error *err)
{
    size_t packed = (size_t)archive_filter_bytes(unpacking->from, -1);

    if (unpacking->bytes > unpacking->most)
        return error_set(err, ERROR_TOO_LARGE, "%s unpacks to more than %zu bytes%s",
                         unpacking->files->path, unpacking->most,
                         unpacking->most < ARCHIVE_BYTES_CAP ? ": import it with lectern import"
                                                             : "");
    if (unpacking->bytes > ARCHIVE_SMALL &&
        (unpacking->bytes - unpacking->before) / ARCHIVE_RATIO_CAP > packed)
        return error_set(err, ERROR_TOO_LARGE,
                         "%s unpacks to more than %d times its size, which no text does: unpack it "
                         "and import the folder",
                         unpacking->files->path, ARCHIVE_RATIO_CAP);
    return 0;
}

/* A new string, or NULL. Windows packs names in the code page of its console, which the archive
 * does not name: that of Western Europe. */
static char *name_of(const struct unpacking *unpacking, struct archive_entry *entry)
{
    const char *name = archive_entry_pathname_utf8(entry);
    uint8_t *converted;
    size_t len = 0;

    if (!name)
        name = archive_entry_pathname(entry);
    if (!name || !u8_check((const uint8_t *)name, strlen(name)))
        return name ? strdup(name) : NULL;
    converted = u8_conv_from_encoding(CONSOLE_PAGE, iconveh_error, name, strlen(name) + 1, NULL,
                                      NULL, &len);
    if (converted)
        findings_add(unpacking->findings, FINDING_CHANGED,
                     PLACE(unpacking->files->path, 0, (const char *)converted),
                     "names in the archive are not UTF-8 and are read as " CONSOLE_PAGE);
    return (char *)converted;
}

/* 1: the file is larger than its cap. */
static int read_content(struct unpacking *unpacking, struct buf *text, struct error *err)
{
    la_ssize_t len = 1;

    buf_init(text, ARCHIVE_FILE_CAP);
    while (len > 0) {
        char *room = buf_reserve(text, BLOCK_BYTES);

        if (!room)
            return 1;
        len = archive_read_data(unpacking->from, room, BLOCK_BYTES);
        if (len < 0)
            return refuse(unpacking, err);
        text->len += (size_t)len;
        unpacking->bytes += (size_t)len;
        if (check_size(unpacking, err) < 0)
            return -1;
    }
    buf_add(text, "", 0);
    return 0;
}

static int unpack_entry(struct unpacking *unpacking, struct archive_entry *entry, struct error *err)
{
    struct files *files = unpacking->files;
    struct packed packed = {0};
    cleanup_free char *given = NULL;
    char name[PATH_MAX];
    int rc;

    if (archive_entry_filetype(entry) == AE_IFDIR)
        return 0;
    given = name_of(unpacking, entry);
    if (!given) {
        findings_add(unpacking->findings, FINDING_LEFT_OUT, PLACE(files->path, 0, NULL),
                     "names in the archive cannot be read: unpack it, and import the folder");
        return 0;
    }
    switch (clean_path(given, name)) {
    case PATH_HIDDEN:
        return 0;
    case PATH_OUTSIDE:
        findings_add(unpacking->findings, FINDING_LEFT_OUT, PLACE(files->path, 0, given),
                     "paths in the archive lead out of it, or are too long");
        return 0;
    case PATH_PLAIN:
        break;
    }
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry)) {
        findings_add(unpacking->findings, FINDING_LEFT_OUT, PLACE(files->path, 0, name),
                     "links and special files in the archive, which are not read");
        return 0;
    }
    if (archive_entry_is_encrypted(entry))
        return error_set(err, ERROR_INVALID,
                         "%s is encrypted: unpack it with its password, and import the folder",
                         files->path);
    rc = read_content(unpacking, &packed.text, err);
    if (rc != 0) {
        buf_finish(&packed.text);
        if (rc > 0)
            findings_add(unpacking->findings, FINDING_LEFT_OUT, PLACE(files->path, 0, name),
                         "files of the archive are too large");
        return rc < 0 ? -1 : 0;
    }
    packed.name = strdup(name);
    if (!packed.name)
        abort();
    files->packed[files->count++] = packed;
    return 0;
}

static int unpack_all(struct unpacking *unpacking, struct error *err)
{
    struct files *files = unpacking->files;
    struct archive_entry *entry;
    int found;

    while ((found = archive_read_next_header(unpacking->from, &entry)) == ARCHIVE_OK ||
           found == ARCHIVE_WARN) {
        if (++unpacking->seen > FORMAT_FILES_CAP)
            return error_set(err, ERROR_TOO_LARGE, "%s holds more than %u files", files->path,
                             FORMAT_FILES_CAP);
        if (!ARRAY_ROOM(files->packed, files->count))
            abort();
        if (unpack_entry(unpacking, entry, err) < 0)
            return -1;
    }
    return found == ARCHIVE_EOF ? 0 : refuse(unpacking, err);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct packed *)a)->name, ((const struct packed *)b)->name);
}

/* Takes a folder off that holds all the files. */
static void leave_top_off(struct files *files)
{
    size_t len = files->count > 0 ? strcspn(files->packed[0].name, "/") + 1 : 0;

    for (size_t i = 0; i < files->count; i++)
        if (strncmp(files->packed[i].name, files->packed[0].name, len) != 0)
            return;
    if (len == 0 || files->packed[0].name[len - 1] != '/')
        return;
    for (size_t i = 0; i < files->count; i++)
        memmove(files->packed[i].name, files->packed[i].name + len,
                strlen(files->packed[i].name + len) + 1);
}

/* Later files of the same name replace earlier ones, as tar has it. */
static void sort(struct files *files)
{
    size_t kept = 0;

    if (files->count > 0)
        qsort(files->packed, files->count, sizeof *files->packed, by_name);
    for (size_t i = 0; i < files->count; i++) {
        if (i + 1 < files->count && by_name(&files->packed[i], &files->packed[i + 1]) == 0) {
            free(files->packed[i].name);
            buf_finish(&files->packed[i].text);
        } else {
            files->packed[kept++] = files->packed[i];
        }
    }
    files->count = kept;
    leave_top_off(files);
}

/* bytes: NULL: of the file at its path. */
static int unpack_one(struct unpacking *unpacking, const struct buf *bytes, struct error *err)
{
    int opened, rc;

    unpacking->from = archive_read_new();
    if (!unpacking->from)
        abort();
    unpacking->before = unpacking->bytes;
    archive_read_support_format_zip(unpacking->from);
    archive_read_support_format_tar(unpacking->from);
    archive_read_support_filter_gzip(unpacking->from);
    archive_read_support_filter_bzip2(unpacking->from);
    archive_read_support_filter_xz(unpacking->from);
    archive_read_support_filter_zstd(unpacking->from);
    opened = bytes
                 ? archive_read_open_memory(unpacking->from, bytes->data, bytes->len)
                 : archive_read_open_filename(unpacking->from, unpacking->files->path, BLOCK_BYTES);
    rc = opened == ARCHIVE_OK ? unpack_all(unpacking, err) : refuse(unpacking, err);
    archive_read_free(unpacking->from);
    return rc;
}

/* An archive of archives alone, as Notion exports a large workspace: the files of its parts. */
static int unpack_parts(struct unpacking *unpacking, struct error *err)
{
    struct files *files = unpacking->files;
    struct packed *parts = files->packed;
    size_t count = files->count;
    int rc = 0;

    for (size_t i = 0; i < count; i++)
        if (!file_ends_in(parts[i].name, ".zip"))
            return 0;
    files->packed = NULL;
    files->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (rc == 0)
            rc = unpack_one(unpacking, &parts[i].text, err);
        free(parts[i].name);
        buf_finish(&parts[i].text);
    }
    free(parts);
    return rc;
}

static int unpack(struct files *files, const struct buf *bytes, struct findings *findings,
                  struct error *err)
{
    struct unpacking unpacking = {
        .files = files, .findings = findings, .most = bytes ? GIVEN_BYTES_CAP : ARCHIVE_BYTES_CAP};
    /* Without one, libarchive names no file that has other letters than ASCII. */
    locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before;
    int rc;

    if (!unicode)
        abort();
    before = uselocale(unicode);
    rc = unpack_one(&unpacking, bytes, err);
    if (rc == 0)
        rc = unpack_parts(&unpacking, err);
    uselocale(before);
    freelocale(unicode);
    if (rc == 0)
        sort(files);
    return rc;
}

/* ---- all kinds ---- */

static struct files *begin(const char *path, struct error *err)
{
    struct files *files = calloc(1, sizeof *files);

    if (!files)
        abort();
    if (snprintf(files->path, sizeof files->path, "%s", path) >= (int)sizeof files->path) {
        error_set(err, ERROR_INVALID, "%.100s... is too long a path", path);
        free(files);
        return NULL;
    }
    return files;
}

/* Returns files, or closes them if rc is negative. */
static struct files *end(struct files *files, int rc)
{
    if (rc == 0)
        return files;
    files_close(files);
    return NULL;
}

struct files *files_open(const char *path, struct findings *findings, struct error *err)
{
    struct files *files = begin(path, err);

    if (!files)
        return NULL;
    files->is_folder = file_is_folder(path);
    return end(files, files->is_folder ? 0 : unpack(files, NULL, findings, err));
}

struct files *files_unpack(const struct given_file *archive, struct findings *findings,
                           struct error *err)
{
    struct files *files = begin(archive->name, err);

    return files ? end(files, unpack(files, archive->bytes, findings, err)) : NULL;
}

struct files *files_gather(const struct given_file *given, size_t count, struct findings *findings,
                           struct error *err)
{
    struct files *files = begin("the files", err);

    if (!files)
        return NULL;
    files->packed = calloc(count + 1, sizeof *files->packed);
    if (!files->packed)
        abort();
    for (size_t i = 0; i < count; i++) {
        struct packed *packed = &files->packed[files->count];
        char name[PATH_MAX];
        enum path_kind kind = clean_path(given[i].name, name);

        if (kind == PATH_OUTSIDE)
            findings_add(findings, FINDING_LEFT_OUT, PLACE(given[i].name, 0, NULL),
                         "paths lead out of their folder, or are too long");
        if (kind != PATH_PLAIN)
            continue;
        packed->name = strdup(name);
        if (!packed->name)
            abort();
        buf_init(&packed->text, 0);
        buf_add(&packed->text, given[i].bytes->data, given[i].bytes->len);
        buf_add(&packed->text, "", 0);
        files->count++;
    }
    sort(files);
    return files;
}

void files_close(struct files *files)
{
    if (!files)
        return;
    for (size_t i = 0; i < files->count; i++) {
        free(files->packed[i].name);
        buf_finish(&files->packed[i].text);
    }
    free(files->packed);
    free(files);
}

const char *files_path(const struct files *files)
{
    return files->path;
}

static const struct packed *find(const struct files *files, const char *name)
{
    const struct packed wanted = {.name = (char *)name};

    return files->count == 0
               ? NULL
               : bsearch(&wanted, files->packed, files->count, sizeof *files->packed, by_name);
}

json_t *files_list(const struct files *files, const char *const *suffixes, struct folder_rest *rest,
                   struct error *err)
{
    json_t *names;

    if (files->is_folder)
        return folder_list(files->path, suffixes, FORMAT_FILES_CAP, rest, err);
    *rest = (struct folder_rest){0};
    names = json_array();
    for (size_t i = 0; i < files->count; i++) {
        const char *name = files->packed[i].name, *slash = strrchr(name, '/');

        if (file_ends_in_any(name, suffixes))
            json_array_append_new(names, json_string(name));
        else if (rest->others++ == 0)
            snprintf(rest->other, sizeof rest->other, "%s", slash ? slash + 1 : name);
    }
    return names_sorted(names);
}

bool files_has(const struct files *files, const char *name)
{
    return files->is_folder ? file_is_in(files->path, name) : find(files, name) != NULL;
}

int files_read(const struct files *files, const char *name, size_t cap, struct buf *to,
               struct error *err)
{
    const struct packed *packed;

    if (files->is_folder)
        return file_read_in(files->path, name, cap, to, err);
    packed = find(files, name);
    if (!packed)
        return error_set(err, ERROR_NOT_FOUND, "%s holds no %s", files->path, name);
    buf_init(to, cap);
    buf_add(to, packed->text.data ? packed->text.data : "", packed->text.len);
    if (to->failed)
        return error_set(err, ERROR_TOO_LARGE, "%s in %s is larger than %zu bytes", name,
                         files->path, cap);
    return 0;
}
