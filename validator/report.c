/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Collects diagnostics, sorts them, and renders them as text and as JSON.
 */
#include "validator/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/utf8.h"
#include "validator/syntax/unicode.h"

/* Truncates at a character boundary, so that the text remains valid UTF-8. */
__attribute__((format(printf, 5, 0))) static void add(struct report *report, const char *code,
                                                      size_t line, size_t column,
                                                      const char *format, va_list args)
{
    struct verdict *verdict = report->verdict;
    struct diagnostic *diagnostic;
    int len;

    report->last = NULL;
    if (verdict->diagnostic_count == VALIDATOR_DIAGNOSTICS_CAP) {
        verdict->diagnostics_left_out++;
        return;
    }
    diagnostic = &verdict->diagnostics[verdict->diagnostic_count++];
    diagnostic->correction.count = 0;
    report->last = diagnostic;
    diagnostic->code = code;
    diagnostic->line = line;
    diagnostic->column = column;
    len = vsnprintf(diagnostic->text, sizeof diagnostic->text, format, args);
    if (len >= (int)sizeof diagnostic->text) {
        utf8_mark_cut(diagnostic->text, sizeof diagnostic->text);
    }
}

/* The end of the line that starts at `at`, without its line end. */
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

/* Finds start and end (without the line end) of a 1-based line; an empty range after the last one.
 * Line ends are LF, CR LF and CR, as in Python. */
static void find_line(const char *source, size_t len, size_t line, size_t *start, size_t *end)
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

/* Whether this place already has a syntax error. */
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
        if (is_reported(report->verdict, line, column)) {
            report->last = NULL;
            return;
        }
    }
    va_start(args, format);
    add(report, code, line, column, format, args);
    va_end(args);
}

void report_correct(struct report *report, size_t at, size_t len, const char *with, ...)
{
    struct correction *correction = report->last ? &report->last->correction : NULL;
    va_list args;
    int written;

    if (!correction || correction->count == CORRECTION_EDITS_CAP)
        return;
    correction->edits[correction->count].at = at;
    correction->edits[correction->count].len = len;
    va_start(args, with);
    written = vsnprintf(correction->edits[correction->count].with, CORRECTION_TEXT_CAP, with, args);
    va_end(args);
    correction->count++;
    if (written >= (int)CORRECTION_TEXT_CAP) {
        correction->count = 0;
        report->last = NULL;
    }
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

/* ---- the verdict as text and as JSON ---- */

#define SHOWN_CHARACTERS 100 /* of a source line; a longer one is cut around the caret */
#define SHOWN_BEFORE     60  /* characters kept before the caret when it is cut */

/* Copies characters [from, to) of the line; characters that a terminal or a reader could
 * misinterpret become '?'. */
static void add_characters(struct buf *to, const char *line, size_t len, size_t from, size_t end)
{
    size_t at = 0;

    for (size_t i = 0; at < len && i < end; i++) {
        uint32_t character = 0;
        size_t used = utf8_decode(line + at, len - at, &character);

        if (i >= from) {
            if (used == 0 || (character != '\t' && unicode_hidden(character)))
                buf_addc(to, '?');
            else if (character == '\t')
                buf_addc(to, ' '); /* one character, so that the caret is under its column */
            else
                buf_add(to, line + at, used);
        }
        at += used ? used : 1;
    }
}

static size_t count_characters(const char *line, size_t len)
{
    size_t count = 0, used;
    uint32_t character;

    for (size_t at = 0; at < len; at += used ? used : 1, count++)
        used = utf8_decode(line + at, len - at, &character);
    return count;
}

/* Appends the source line, and a caret under the column. */
static void show_line(const struct diagnostic *diagnostic, const char *source, size_t len,
                      struct buf *to)
{
    size_t start, end, count, from = 0, column = diagnostic->column - 1;

    find_line(source, len, diagnostic->line, &start, &end);
    count = count_characters(source + start, end - start);
    if (count == 0)
        return;
    if (count > SHOWN_CHARACTERS && column > SHOWN_BEFORE)
        from = column - SHOWN_BEFORE;
    buf_adds(to, from ? "    ..." : "    ");
    add_characters(to, source + start, end - start, from, from + SHOWN_CHARACTERS);
    buf_adds(to, from + SHOWN_CHARACTERS < count ? "...\n" : "\n");
    buf_adds(to, from ? "       " : "    ");
    for (size_t i = from; i < column; i++)
        buf_addc(to, ' ');
    buf_adds(to, "^\n");
}

void validator_explain(const struct verdict *verdict, const char *source, size_t len,
                       struct buf *to)
{
    if (verdict->accepted) {
        buf_adds(to, "accepted\n");
        return;
    }
    for (size_t i = 0; i < verdict->diagnostic_count; i++) {
        const struct diagnostic *diagnostic = &verdict->diagnostics[i];

        if (diagnostic->line == 0) {
            buf_addf(to, "%s\n", diagnostic->text);
            continue;
        }
        buf_addf(to, "line %zu: %s\n", diagnostic->line, diagnostic->text);
        show_line(diagnostic, source, len, to);
    }
    if (verdict->diagnostics_left_out > 0)
        buf_addf(to, "... and %zu more problems.\n", verdict->diagnostics_left_out);
}

json_t *validator_explain_json(const struct verdict *verdict)
{
    json_t *modules = json_array(), *diagnostics = json_array();

    for (size_t i = 0; i < verdict->module_count; i++)
        json_array_append_new(modules, json_string(verdict->modules[i]));
    for (size_t i = 0; i < verdict->diagnostic_count; i++) {
        const struct diagnostic *diagnostic = &verdict->diagnostics[i];

        json_array_append_new(diagnostics,
                              json_pack("{s:s, s:I, s:I, s:s}", "code", diagnostic->code, "line",
                                        (json_int_t)diagnostic->line, "column",
                                        (json_int_t)diagnostic->column, "text", diagnostic->text));
    }
    return json_pack("{s:b, s:s, s:s, s:o, s:o}", "accepted", verdict->accepted, "kind",
                     verdict->kind, "profile", verdict->profile, "modules", modules, "diagnostics",
                     diagnostics);
}
