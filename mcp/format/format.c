/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of formats, and the report that all of them write.
 */
#include "mcp/format/format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mcp/session/component_type.h"

#define HEAD_BYTES 64 /* of a file, which name some documents */

/* Courses are first, because they hold notes and sheets too. JSON is last: the default if no other
 * format matches. */
const struct format *const formats[] = {
    &format_olx,     &format_cartridge, &format_csv,  &format_case, &format_markdown,
    &format_graphml, &format_gexf,      &format_xlsx, &format_json, NULL};

const struct format *format_find(const char *name)
{
    for (size_t i = 0; formats[i]; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

static const struct format *format_of_files(const struct files *files)
{
    for (size_t i = 0; formats[i]; i++)
        if (formats[i]->has_files && formats[i]->has_files(files))
            return formats[i];
    return NULL;
}

const struct format *format_of_path(const char *path)
{
    struct files *folder = file_is_folder(path) ? files_open(path, NULL, NULL) : NULL;
    const struct format *found = folder ? format_of_files(folder) : NULL;

    files_close(folder);
    if (found)
        return found;
    for (size_t i = 0; formats[i]; i++)
        if (formats[i]->looks_like(path))
            return formats[i];
    return &format_json;
}

/* Documents that people name, and how to make a file of them that is read. */
static int refuse_files(const struct files *files, struct error *err)
{
    static const struct {
        const char *name, *what;
    } others[] = {
        {"word/document.xml", "a Word document: save it as Markdown (pandoc -t markdown)"},
        {"ppt/presentation.xml", "slides: save their texts as Markdown"},
        {"content.xml", "an OpenDocument file: save a sheet as .csv, and a text as Markdown"},
        {"META-INF/container.xml", "an e-book: save it as Markdown (pandoc -t markdown)"},
    };

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (files_has(files, others[i].name))
            return error_set(err, ERROR_INVALID, "%s is %s", files_path(files), others[i].what);
    return error_set(err, ERROR_INVALID,
                     "%s holds no curriculum: neither a sheet nodes.csv (or one sheet alone) nor "
                     "notes NAME.md",
                     files_path(files));
}

static json_t *read_files(const char *path, const struct format *format,
                          struct format_report *report, struct error *err)
{
    struct files *files = files_open(path, &report->lines, err);
    json_t *curriculum = NULL;

    if (!files)
        return NULL;
    if (!format)
        format = format_of_files(files);
    if (!format)
        refuse_files(files, err);
    else if (!format->read_files)
        error_set(err, ERROR_INVALID, "%s is a folder or an archive, and %s is one file", path,
                  format->name);
    else
        curriculum = format->read_files(files, report, err);
    files_close(files);
    return curriculum;
}

/* Documents in one file that no format reads, by their first bytes. */
static int refuse_document(const char *path, struct error *err)
{
    static const struct {
        const char *bytes, *what;
    } others[] = {
        {"%PDF-", "a PDF: copy its text into a file of Markdown (pdftotext), a lesson for each "
                  "heading"},
        {"\xD0\xCF\x11\xE0", "a file of an old Office: save it as .xlsx, .csv or Markdown"},
        {"SQLite format 3", "a database: export its tables as .csv"},
    };
    struct buf BUF_AUTO head = {0};

    if (strcmp(path, "-") == 0 || file_head(path, HEAD_BYTES, &head, NULL) < 0)
        return 0;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strncmp(head.data, others[i].bytes, strlen(others[i].bytes)) == 0)
            return error_set(err, ERROR_INVALID, "%s is %s", path, others[i].what);
    return 0;
}

/* A file that is taken for JSON only because no format knows its name: its first character decides.
 */
static int refuse_text(const char *path, struct error *err)
{
    struct buf BUF_AUTO head = {0};
    const char *at;

    if (strcmp(path, "-") == 0 || file_ends_in(path, ".json") ||
        file_head(path, HEAD_BYTES, &head, NULL) < 0 || head.len == 0)
        return 0;
    at = head.data + file_mark(head.data, head.len);
    at += strspn(at, " \t\r\n");
    if (*at == '<')
        return error_set(err, ERROR_INVALID, "%s is XML, but neither GraphML nor GEXF", path);
    if (*at && strchr("{[/#", *at)) /* JSON, or a comment above it */
        return 0;
    return error_set(err, ERROR_INVALID,
                     "%s is in no format that is read (%s): save it as one of them, or name its "
                     "format, as in --format markdown",
                     path, format_names());
}

json_t *format_read_path(const char *path, const struct format *format,
                         struct format_report *report, struct error *err)
{
    if (file_is_folder(path) || files_is_archive(path))
        return read_files(path, format, report, err);
    if (refuse_document(path, err) < 0)
        return NULL;
    if (!format) {
        format = format_of_path(path);
        if (format == &format_json && refuse_text(path, err) < 0)
            return NULL;
    }
    return format->read(path, report, err);
}

const char *format_names(void)
{
    return "json, csv, case, markdown, graphml, gexf, xlsx, olx, cartridge";
}

void format_note(struct format_report *report, const char *format, ...)
{
    char line[FINDING_TEXT_CAP * 2];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    findings_add(&report->lines, FINDING_READ, NULL, "%s", line);
}

const char *format_untyped(const struct format_report *report)
{
    return report->untyped && *report->untyped ? report->untyped : relationship_types[0];
}

void format_note_untyped(struct format_report *report, const char *name, size_t count,
                         const char *what)
{
    format_note(report, "%s: %s without a type (%zu) are read as %s%s", name, what, count,
                format_untyped(report),
                report->untyped ? "" : "; where they mean order, import with untyped PREREQUISITE");
}
