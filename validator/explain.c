/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A verdict in words, and as JSON.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "validator/report.h"
#include "validator/syntax/unicode.h"

#define SHOWN_CHARACTERS 100 /* of a source line; a longer one is cut around the caret */
#define SHOWN_BEFORE     60  /* characters kept before the caret when it is cut */

/* Copies characters [from, to) of the line; what a terminal or a reader could take wrongly becomes
 * '?'. */
static void add_characters(struct buf *to, const char *line, size_t len, size_t from, size_t end)
{
    size_t at = 0;

    for (size_t i = 0; at < len && i < end; i++) {
        uint32_t character = 0;
        size_t used = unicode_decode(line + at, len - at, &character);

        if (i >= from) {
            if (used == 0 || (character != '\t' && unicode_hidden(character)))
                buf_addc(to, '?');
            else if (character == '\t')
                buf_addc(to, ' '); /* one character, so that the caret fits */
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
        used = unicode_decode(line + at, len - at, &character);
    return count;
}

/* The source line, and a caret under its column. */
static void show_line(const struct diagnostic *diagnostic, const char *source, size_t len,
                      struct buf *to)
{
    size_t start, end, count, from = 0, column = diagnostic->column - 1;

    report_line(source, len, diagnostic->line, &start, &end);
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

void validator_explain_json(const struct verdict *verdict, struct buf *to)
{
    json_auto_t *object = NULL;
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
    object =
        json_pack("{s:b, s:s, s:s, s:o, s:o}", "accepted", verdict->accepted, "kind", verdict->kind,
                  "profile", verdict->profile, "modules", modules, "diagnostics", diagnostics);
    if (object)
        json_write(to, object);
    else
        to->failed = true;
}
