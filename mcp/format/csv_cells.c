/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows of CSV text by libcsv, and what headings and cells mean.
 */
#include "mcp/format/csv.h"

#include <csv.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "mcp/format/file.h"

/* ---- rows: libcsv is fed line by line, so that an error can say which ---- */

#define CELL_STEP ((size_t)64 << 10) /* by which libcsv's buffer grows */

struct cell_reader {
    const char *name;
    size_t line;     /* that is fed now */
    size_t row_line; /* where the row began */
    bool in_row;
    json_t *cells;
    int (*row)(void *user, size_t line, const json_t *cells, struct error *err);
    void *user;
    struct error *err;
    int rc;
};

/* Blanks belong to the cell (RFC 4180, 2.4). */
static int no_space(unsigned char c)
{
    (void)c;
    return 0;
}

static void on_cell(void *text, size_t len, void *user)
{
    struct cell_reader *reader = user;
    json_t *cell = reader->rc == 0 ? json_stringn(text ? text : "", len) : NULL;

    reader->in_row = true;
    if (reader->rc == 0 && json_array_append_new(reader->cells, cell) < 0)
        reader->rc = error_set(reader->err, ERROR_MALFORMED,
                               "%s line %zu: a cell is not UTF-8: save the file as UTF-8",
                               reader->name, reader->line);
    else if (reader->rc == 0 && text && memchr(text, '\0', len))
        reader->rc = error_set(reader->err, ERROR_MALFORMED, "%s line %zu: a NUL byte in a cell",
                               reader->name, reader->line);
}

static void on_row(int end, void *user)
{
    struct cell_reader *reader = user;

    (void)end;
    if (reader->rc == 0)
        reader->rc = reader->row(reader->user, reader->row_line, reader->cells, reader->err);
    json_array_clear(reader->cells);
    reader->in_row = false;
}

/* The first of the separators that the heading has most of, quoted ones not counted. */
static char guess_separator(const char *text, size_t len)
{
    static const char separators[] = {',', ';', '\t'};
    size_t counts[sizeof separators] = {0}, best = 0;
    bool quoted = false;

    for (size_t i = 0; i < len && (quoted || (text[i] != '\n' && text[i] != '\r')); i++) {
        if (text[i] == '"')
            quoted = !quoted;
        for (size_t s = 0; !quoted && s < sizeof separators; s++)
            counts[s] += text[i] == separators[s];
    }
    for (size_t s = 1; s < sizeof separators; s++)
        if (counts[s] > counts[best])
            best = s;
    return separators[best];
}

static int parse(struct csv_parser *parser, struct cell_reader *reader, const char *text,
                 size_t len)
{
    for (size_t at = 0; at < len && reader->rc == 0;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t take = end ? (size_t)(end - text) + 1 - at : len - at;

        reader->line++;
        if (!reader->in_row)
            reader->row_line = reader->line;
        /* Within a quoted cell no callback comes for a line, and the row is still the same. */
        reader->in_row = true;
        if (csv_parse(parser, text + at, take, on_cell, on_row, reader) != take)
            return error_set(reader->err, ERROR_MALFORMED,
                             "%s line %zu: %s: a cell with a quote in it must stand in quotes, and "
                             "the quote be doubled",
                             reader->name, reader->line, csv_strerror(csv_error(parser)));
        at += take;
    }
    if (reader->rc == 0 && csv_fini(parser, on_cell, on_row, reader) != 0)
        return error_set(reader->err, ERROR_MALFORMED,
                         "%s line %zu: a quote that is opened here is never closed", reader->name,
                         reader->row_line);
    return reader->rc;
}

static int check_bytes(const char *name, const char *text, size_t len, struct error *err)
{
    if (len >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0))
        return error_set(err, ERROR_MALFORMED, "%s line 1: it is UTF-16: save it as UTF-8", name);
    return 0;
}

int csv_rows(const char *name, const struct buf *text,
             int (*row)(void *user, size_t line, const json_t *cells, struct error *err),
             void *user, struct error *err)
{
    struct cell_reader reader = {.name = name, .row = row, .user = user, .err = err};
    struct csv_parser parser;
    const char *from = text->data ? text->data : "";
    size_t len = text->len;
    char separator;
    int rc;

    if (check_bytes(name, from, len, err) < 0)
        return -1;
    from += file_mark(from, len);
    len -= (size_t)(from - (text->data ? text->data : ""));
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for %s", name);
    separator = guess_separator(from, len);
    if (len > 5 && memcmp(from, "sep=", 4) == 0 && strchr(",;\t", from[4])) { /* Excel's own line */
        size_t skip = 5;

        separator = from[4];
        while (skip < len && (from[skip] == '\r' || from[skip] == '\n'))
            reader.line += from[skip++] == '\n';
        from += skip;
        len -= skip;
    }
    csv_set_delim(&parser, (unsigned char)separator);
    csv_set_space_func(&parser, no_space);
    csv_set_blk_size(&parser, CELL_STEP);
    reader.cells = json_array();
    rc = parse(&parser, &reader, from, len);
    csv_free(&parser);
    json_decref(reader.cells);
    return rc;
}

void csv_cell(struct buf *to, const char *text, size_t len)
{
    char *room = buf_reserve(to, len * 2 + 2);

    if (room)
        to->len += csv_write(room, len * 2 + 2, text, len);
}

/* headings and cells: the tables of names and types, as tools in the field write them */

static const struct {
    const char *name;
    enum csv_kind kind;
} types[] = {
    {"string", CSV_TEXT},  {"int", CSV_NUMBER},   {"integer", CSV_NUMBER}, {"long", CSV_NUMBER},
    {"short", CSV_NUMBER}, {"float", CSV_NUMBER}, {"double", CSV_NUMBER},  {"boolean", CSV_BOOLEAN},
    {"bool", CSV_BOOLEAN}, {"json", CSV_JSON},
};

/* Numbers by the contract, or by Gephi, whatever the heading says of them. */
static const char *const numbers[] = {"chapter_id", "confidence_score", "weight", NULL};

/* Best first. A name that begins with ":" is Neo4j's type of a column: "personId:ID(Person)". */
static const char *const role_names[][12] = {
    [CSV_ID] = {":ID", "id", "node_id", "nodeid", "node", "key"},
    [CSV_TITLE] = {"label", "title", "name", "shared name"},
    [CSV_SOURCE] = {":START_ID", "source", "from_node_id", "from", "source_id", "from_id",
                    "start_id", "start", "source_node"},
    [CSV_TARGET] = {":END_ID", "target", "to_node_id", "to", "target_id", "to_id", "end_id", "end",
                    "target_node"},
    [CSV_TYPE] = {"relationship_type", ":TYPE", "type", "relationship", "relation", "interaction",
                  "kind"},
    [CSV_FIELD] = {NULL},
};

size_t csv_heading(const char *heading, enum csv_kind *kind)
{
    const char *colon = strrchr(heading, ':');

    *kind = CSV_TEXT;
    for (size_t i = 0; numbers[i]; i++)
        if (strcasecmp(numbers[i], heading) == 0)
            *kind = CSV_NUMBER;
    for (size_t i = 0; colon && colon > heading && i < sizeof types / sizeof types[0]; i++) {
        if (strcasecmp(types[i].name, colon + 1) == 0) {
            *kind = types[i].kind;
            return (size_t)(colon - heading);
        }
    }
    return strlen(heading);
}

static json_t *number_of(const char *cell, size_t len)
{
    /* JSON text may have blanks around it; a cell with them is left as it is. */
    if (len == 0 || strchr(" \t\r\n\"{[tfn", cell[0]) || strchr(" \t\r\n", cell[len - 1]))
        return NULL;
    return json_read(cell, len, "", NULL);
}

json_t *csv_value(const char *cell, size_t len, enum csv_kind kind)
{
    switch (kind) {
    case CSV_TEXT:
        return json_stringn(cell, len);
    case CSV_NUMBER:
        return number_of(cell, len);
    case CSV_BOOLEAN:
        return strcasecmp(cell, "true") == 0    ? json_true()
               : strcasecmp(cell, "false") == 0 ? json_false()
                                                : NULL;
    case CSV_JSON:
        return json_read(cell, len, "", NULL);
    }
    return NULL;
}

static bool is_of_type(const char *heading, const char *type)
{
    const char *colon = strrchr(heading, ':');
    size_t len = strlen(type);

    return colon && strncasecmp(colon, type, len) == 0 && (colon[len] == '\0' || colon[len] == '(');
}

int csv_role_rank(enum csv_role role, const char *heading)
{
    enum csv_kind kind;
    size_t len = csv_heading(heading, &kind);

    while (len > 0 && heading[0] == ' ') {
        heading++;
        len--;
    }
    while (len > 0 && heading[len - 1] == ' ')
        len--;
    for (int i = 0; role_names[role][i]; i++) {
        const char *name = role_names[role][i];

        if (name[0] == ':' ? is_of_type(heading, name)
                           : strlen(name) == len && strncasecmp(name, heading, len) == 0)
            return i;
    }
    return -1;
}
