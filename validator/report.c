/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validator/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/utf8.h"

/* Cuts at a character's boundary, so that the text stays UTF-8. */
__attribute__((format(printf, 5, 0))) static void add(struct report *report, const char *code,
                                                      size_t line, size_t column,
                                                      const char *format, va_list args)
{
    struct verdict *verdict = report->verdict;
    struct diagnostic *diagnostic;
    int len;

    if (verdict->diagnostic_count == VALIDATOR_DIAGNOSTICS_CAP) {
        verdict->diagnostics_left_out++;
        return;
    }
    diagnostic = &verdict->diagnostics[verdict->diagnostic_count++];
    diagnostic->code = code;
    diagnostic->line = line;
    diagnostic->column = column;
    len = vsnprintf(diagnostic->text, sizeof diagnostic->text, format, args);
    if (len >= (int)sizeof diagnostic->text) {
        utf8_mark_cut(diagnostic->text, sizeof diagnostic->text);
    }
}

/* The end of the line that starts at `at`, its line end not counted. */
static size_t line_end(const char *source, size_t len, size_t at)
{
    while (at < len && source[at] != '\n' && source[at] != '\r')
        at++;
    return at;
}

static size_t next_line(const char *source, size_t len, size_t end)
{
    if (end + 1 < len && source[end] == '\r' && source[end + 1] == '\n')
        return end + 2;
    return end < len ? end + 1 : len;
}

void report_line(const char *source, size_t len, size_t line, size_t *start, size_t *end)
{
    size_t at = 0, stop = line_end(source, len, 0);

    for (size_t i = 1; i < line; i++) {
        at = next_line(source, len, stop);
        stop = line_end(source, len, at);
    }
    *start = at;
    *end = stop;
}

static void locate(const struct report *report, size_t at, size_t *line, size_t *column)
{
    size_t start = 0, end = line_end(report->source, report->len, 0), next;

    *line = 1;
    while (end < at && (next = next_line(report->source, report->len, end)) <= at) {
        start = next;
        end = line_end(report->source, report->len, start);
        ++*line;
        if (start == report->len)
            break;
    }
    *column = 1;
    for (size_t i = start; i < at && i < report->len; i++)
        *column += ((unsigned char)report->source[i] & 0xC0) != 0x80;
}

/* A place that is no Python needs no further word. */
static bool is_reported(const struct verdict *verdict, size_t line, size_t column)
{
    for (size_t i = 0; i < verdict->diagnostic_count; i++)
        if (verdict->diagnostics[i].line == line && verdict->diagnostics[i].column == column &&
            strcmp(verdict->diagnostics[i].code, "syntax") == 0)
            return true;
    return false;
}

void report_add(struct report *report, const char *code, size_t at, const char *format, ...)
{
    size_t line = 0, column = 0;
    va_list args;

    if (report->verdict->diagnostic_count < VALIDATOR_DIAGNOSTICS_CAP) {
        locate(report, at, &line, &column);
        if (is_reported(report->verdict, line, column))
            return;
    }
    va_start(args, format);
    add(report, code, line, column, format, args);
    va_end(args);
}

bool report_is_full(struct report *report)
{
    if (report->verdict->diagnostic_count < VALIDATOR_DIAGNOSTICS_CAP)
        return false;
    report->verdict->diagnostics_left_out++;
    return true;
}

void report_add_whole(struct report *report, const char *code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add(report, code, 0, 0, format, args);
    va_end(args);
}

static int comes_before(const struct diagnostic *a, const struct diagnostic *b)
{
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

void report_finish(struct report *report)
{
    struct verdict *verdict = report->verdict;
    struct diagnostic moved;

    for (size_t i = 1; i < verdict->diagnostic_count; i++) {
        size_t to = i;

        if (!comes_before(&verdict->diagnostics[i], &verdict->diagnostics[i - 1]))
            continue;
        moved = verdict->diagnostics[i];
        for (; to > 0 && comes_before(&moved, &verdict->diagnostics[to - 1]); to--)
            verdict->diagnostics[to] = verdict->diagnostics[to - 1];
        verdict->diagnostics[to] = moved;
    }
    verdict->accepted = verdict->diagnostic_count == 0;
}
