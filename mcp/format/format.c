/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of formats, and the report that all of them write.
 */
#include "mcp/format/format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mcp/curriculum/component_type.h"
#include "mcp/curriculum/limits.h"

/* Courses are first, because they hold notes and sheets too. JSON is last: the default if no other
 * format matches. */
const struct format *const formats[] = {
    &format_olx,      &format_cartridge, &format_csv,  &format_case,
    &format_markdown, &format_graphml,   &format_gexf, &format_xlsx,
    &format_text,     &format_json,      NULL};

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

static const struct format *format_of_name(const char *name)
{
    for (size_t i = 0; formats[i]; i++)
        if (formats[i]->has_name(name))
            return formats[i];
    return NULL;
}

const struct format *format_of_path(const char *path)
{
    struct files *folder = file_is_folder(path) ? files_open(path, NULL, NULL) : NULL;
    const struct format *found = folder ? format_of_files(folder) : NULL;

    files_close(folder);
    for (size_t i = 0; !found && formats[i]; i++)
        if (formats[i]->has_beside && formats[i]->has_beside(path))
            found = formats[i];
    if (!found)
        found = format_of_name(path);
    return found ? found : &format_json;
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
        {"moodle_backup.xml", "a backup of Moodle: back the course up as IMS Common Cartridge"},
        {"h5p.json", "an activity of H5P: save its texts as Markdown"},
        {"collection.anki2", "a deck of Anki: export its notes as plain text, and save it as .csv"},
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

/* Takes the files over; NULL: they could not be opened. */
static json_t *read_files(struct files *files, const struct format *format,
                          struct format_report *report, struct error *err)
{
    json_t *curriculum = NULL;

    if (!files)
        return NULL;
    if (!format)
        format = format_of_files(files);
    if (!format)
        refuse_files(files, err);
    else if (!format->read_files)
        error_set(err, ERROR_INVALID, "%s is a folder or an archive, and %s is one file",
                  files_path(files), format->name);
    else
        curriculum = format->read_files(files, report, err);
    files_close(files);
    return curriculum;
}

/* Documents in one file that no format reads, by their first bytes. */
static int refuse_document(const char *name, const struct buf *bytes, struct error *err)
{
    static const struct {
        const char *bytes, *what;
    } others[] = {
        {"%PDF-", "a PDF: copy its text into a file of Markdown (pdftotext), a lesson for each "
                  "heading"},
        {"\xD0\xCF\x11\xE0", "a file of an old Office: save it as .xlsx, .csv or Markdown"},
        {"SQLite format 3", "a database: export its tables as .csv"},
    };

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (bytes->len >= strlen(others[i].bytes) &&
            memcmp(bytes->data, others[i].bytes, strlen(others[i].bytes)) == 0)
            return error_set(err, ERROR_INVALID, "%s is %s", name, others[i].what);
    return 0;
}

/* Texts in languages that pandoc makes Markdown of, by their names. */
static int refuse_language(const char *name, struct error *err)
{
    static const char *const suffixes[] = {".html", ".htm",   ".rst",  ".org",       ".adoc",
                                           ".tex",  ".ipynb", ".opml", ".mediawiki", NULL};

    if (!file_ends_in_any(name, suffixes))
        return 0;
    return error_set(err, ERROR_INVALID,
                     "%s is in a language that is not read: make Markdown of it (pandoc -t "
                     "markdown), a lesson for each heading of level 1",
                     name);
}

int format_refuse(const char *name, struct error *err)
{
    return error_set(err, ERROR_INVALID,
                     "%s is in no format that is read (%s): save it as one of them, or name its "
                     "format, as in --format markdown",
                     name, format_names());
}

/* A file that is taken for JSON only because no format knows its name: its first character decides.
 */
static int refuse_text(const char *name, const struct buf *bytes, struct error *err)
{
    const char *at;

    if (bytes->len == 0)
        return 0;
    at = bytes->data + file_mark(bytes->data, bytes->len);
    at += strspn(at, " \t\r\n");
    if (*at == '<')
        return error_set(err, ERROR_INVALID, "%s is XML, but neither GraphML nor GEXF", name);
    if (*at && strchr("{[/#", *at)) /* JSON, or a comment above it */
        return 0;
    return format_refuse(name, err);
}

/* By its name, where that decides, or its content; NULL: neither is known. */
static const struct format *format_of_file(const char *name, const struct buf *bytes)
{
    const struct format *named = format_of_name(name);

    if (named && named != &format_json)
        return named;
    for (size_t i = 0; bytes->len > 0 && formats[i]; i++)
        if (formats[i]->has_content && formats[i]->has_content(bytes))
            return formats[i];
    return named;
}

/* One file that is no archive. */
static json_t *read_file(const char *name, const struct buf *bytes, const struct format *format,
                         struct format_report *report, struct error *err)
{
    if (refuse_document(name, bytes, err) < 0)
        return NULL;
    if (!format)
        format = format_of_file(name, bytes);
    if (!format) {
        if (refuse_language(name, err) < 0 || refuse_text(name, bytes, err) < 0)
            return NULL;
        format = &format_json;
    }
    return format->read(name, bytes, report, err);
}

json_t *format_read_path(const char *path, const struct format *format,
                         struct format_report *report, struct error *err)
{
    const struct format *likely = format ? format : format_of_path(path);
    struct buf BUF_AUTO bytes = {0};
    const char *slash;

    if (file_is_folder(path) || files_is_archive(path))
        return read_files(files_open(path, &report->lines, err), format, report, err);
    if (likely->read_beside && (likely->has_beside(path) || !file_is_there(path)))
        return likely->read_beside(path, report, err);
    if (file_read(path, CURRICULUM_FILE_CAP, &bytes, err) < 0)
        return NULL;
    slash = strrchr(path, '/');
    return read_file(slash ? slash + 1 : path, &bytes, format, report, err);
}

json_t *format_read_given(const struct given_file *given, size_t count, const struct format *format,
                          struct format_report *report, struct error *err)
{
    struct findings *lines = &report->lines;

    if (count != 1)
        return read_files(files_gather(given, count, lines, err), format, report, err);
    if (files_is_packed(given->bytes))
        return read_files(files_unpack(given, lines, err), format, report, err);
    return read_file(given->name, given->bytes, format, report, err);
}

const char *format_names(void)
{
    return "json, csv, case, markdown, graphml, gexf, xlsx, olx, cartridge, text";
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
