/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of formats, and the report that all of them write.
 */
#include "mcp/format/format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mcp/session/component_type.h"

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
