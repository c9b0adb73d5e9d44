/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of formats, our own JSON, and the report that all of them write.
 */
#include "mcp/format/format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/format/file.h"
#include "mcp/session/component_type.h"
#include "mcp/session/curriculum_file.h"
#include "mcp/session/text.h"

/* ---- the curriculum file itself, one node a line ---- */

static bool looks_like(const char *path)
{
    return strcmp(path, "-") == 0 || file_ends_in(path, ".json");
}

static json_t *read_json(const char *path, struct format_report *report, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    size_t skip;

    (void)report;
    if (file_read(path, CURRICULUM_FILE_CAP, &text, err) < 0)
        return NULL;
    skip = file_mark(text.data, text.len);
    return json_read(text.data + skip, text.len - skip, "the file", err);
}

static void add_list(struct buf *text, const json_t *list)
{
    json_t *entry;
    size_t i;

    buf_addc(text, '[');
    json_array_foreach((json_t *)list, i, entry)
    {
        buf_adds(text, i > 0 ? ",\n" : "\n");
        json_write(text, entry);
    }
    buf_adds(text, "\n]");
}

static int write_json(const json_t *curriculum, const char *path, struct format_report *report,
                      struct error *err)
{
    struct buf BUF_AUTO text = {0};
    const char *key, *comma = "{";
    json_t *value;

    (void)report;
    json_object_foreach((json_t *)curriculum, key, value)
    {
        buf_adds(&text, comma);
        comma = ",\n";
        json_write_string(&text, key, strlen(key));
        buf_addc(&text, ':');
        if (json_is_array(value))
            add_list(&text, value);
        else
            json_write(&text, value);
    }
    buf_adds(&text, json_object_size(curriculum) > 0 ? "}\n" : "{}\n");
    if (buf_check(&text, "the export", err) < 0)
        return -1;
    return file_write(path, &text, err);
}

const struct format format_json = {
    .name = "json",
    .what = "one JSON file, Lectern's own",
    .looks_like = looks_like,
    .read = read_json,
    .write = write_json,
};

/* ---- the table ---- */

#define REPORT_LINE_CAP 1024 /* bytes of one line; longer ones are cut */

/* JSON is last: the default if no other format matches. */
const struct format *const formats[] = {&format_csv, &format_case, &format_markdown, &format_json,
                                        NULL};

const struct format *format_find(const char *name)
{
    for (size_t i = 0; formats[i]; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

const struct format *format_of_path(const char *path)
{
    for (size_t i = 0; formats[i]; i++)
        if (formats[i]->looks_like(path))
            return formats[i];
    return &format_json;
}

const char *format_names(void)
{
    return "json, csv, case, markdown";
}

static void add_line(struct format_report *report, const char *format, va_list arguments)
{
    char line[REPORT_LINE_CAP * 2], shown[REPORT_LINE_CAP];

    vsnprintf(line, sizeof line, format, arguments);
    buf_addf(&report->text, "%s\n", text_cut_line(shown, sizeof shown, line));
}

void format_loss(struct format_report *report, const char *format, ...)
{
    va_list arguments;

    if (++report->losses > FORMAT_LOSSES_CAP)
        return;
    va_start(arguments, format);
    add_line(report, format, arguments);
    va_end(arguments);
}

void format_note(struct format_report *report, const char *format, ...)
{
    va_list arguments;

    if (++report->notes > FORMAT_NOTES_CAP)
        return;
    va_start(arguments, format);
    add_line(report, format, arguments);
    va_end(arguments);
}

const char *format_untyped(const struct format_report *report)
{
    return report->untyped && *report->untyped ? report->untyped : relationship_types[0];
}

void format_note_untyped(struct format_report *report, const char *name, size_t count,
                         const char *what)
{
    format_note(report, "%s: %zu %s have no type: read as %s%s", name, count, what,
                format_untyped(report),
                report->untyped ? "" : "; where they mean order, import with untyped PREREQUISITE");
}

void format_report_finish(struct format_report *report)
{
    if (report)
        buf_finish(&report->text);
}
