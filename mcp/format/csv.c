/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pair of CSV files of graph tools, nodes and relationships.
 *
 * nodes.csv has the columns Id and Label, then the nodes' additional fields; relationships.csv has
 * Source, Target and relationship_type, then theirs. A field's name may be followed by its type, as
 * in Neo4j's import tool: "chapter_id:int", "weight:float", "draft:boolean", "title:string", and as
 * our addition "components:json". An empty cell is a missing field. What a cell cannot represent
 * (an empty text, null, a text with NUL, a number among texts) is in the last column,
 * "lectern:json". A text that a spreadsheet would run as a formula is written with an apostrophe
 * before it, which reading takes away again. If a row has "lectern:json", the row is exact;
 * otherwise a missing id or title is generated, as foreign files require. The other fields of the
 * curriculum (meta) are in a third file, curriculum.json.
 *
 * Read from a folder, from PREFIX-nodes.csv and its like, or from the file of the nodes, which is
 * enough alone: a column of it may name the prerequisites of each node. Written as a folder.
 */
#include "mcp/format/format.h"

#include <csv.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "helpers/base/json.h"
#include "mcp/format/file.h"
#include "mcp/session/component_type.h"
#include "mcp/session/curriculum_file.h"

#define COLUMNS_CAP      200 /* that are written */
#define COLUMNS_READ_CAP 2000
#define NAME_CAP         64 /* bytes of a field's name that gets a column */
#define REST             "lectern"
#define GUARD            "'" /* before a text that would be run */

#define NODES_FILE         "nodes.csv"
#define RELATIONSHIPS_FILE "relationships.csv"
#define FURTHER_FILE       "curriculum.json"

/* ---- the two sheets ---- */

#define SHEET_ROLES 3

struct csv_sheet {
    const char *file;        /* its name in a folder */
    struct {                 /* columns with a special meaning */
        const char *key;     /* of the entry; NULL ends the list */
        const char *heading; /* of the column that is written */
        /* Of those that are read, best first. One that begins with ":" is Neo4j's type of a column:
         * "personId:ID(Person)". */
        const char *names[12];
    } roles[SHEET_ROLES + 1];
    /* Columns that name other rows, best first, beside being a field. */
    const char *prerequisites[24];
    size_t needed;              /* of the roles, from the first */
    const char *heading_needed; /* in words */
};

const struct csv_sheet csv_nodes = {
    .file = NODES_FILE,
    .roles = {{"node_id", "Id", {":ID", "id", "node_id", "nodeid", "node", "key"}},
              {"title", "Label", {"label", "title", "name", "shared name", "titel", "titre"}}},
    .prerequisites = {"prerequisites", "prerequisite", "pre-requisites", "pre-requisite", "prereqs",
                      "prereq", "prerequisite_ids", "requires", "requirements", "depends_on",
                      "depends on", "dependencies", "needs", "Voraussetzungen", "Voraussetzung",
                      "vorausgesetzt", "prérequis", "prerrequisitos"},
    .needed = 1,
    .heading_needed =
        "Id (or id, node_id, :ID), and Label (or title, name) where nodes have titles",
};
const struct csv_sheet csv_relationships = {
    .file = RELATIONSHIPS_FILE,
    .roles = {{"from_node_id",
               "Source",
               {":START_ID", "source", "from_node_id", "from", "source_id", "from_id", "start_id",
                "start", "source_node"}},
              {"to_node_id",
               "Target",
               {":END_ID", "target", "to_node_id", "to", "target_id", "to_id", "end_id", "end",
                "target_node"}},
              {"relationship_type",
               "relationship_type",
               {"relationship_type", ":TYPE", "type", "relationship", "relation", "interaction",
                "kind"}}},
    .needed = 2,
    .heading_needed = "Source (or from_node_id, :START_ID), Target (or to_node_id, :END_ID), and "
                      "relationship_type (or Type) where they have types",
};

/* ---- headings and cells, as tools in the field write them ---- */

enum csv_kind { CSV_TEXT, CSV_NUMBER, CSV_BOOLEAN, CSV_JSON };

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

/* "chapter_id:int" in two: the length of the name without the type and the blanks around it, to
 * which *heading is moved; *kind is CSV_TEXT without a type. */
static size_t split_heading(const char **heading, enum csv_kind *kind)
{
    const char *name = *heading, *colon = strrchr(name, ':');
    size_t len = strlen(name);

    *kind = CSV_TEXT;
    for (size_t i = 0; numbers[i]; i++)
        if (strcasecmp(numbers[i], name) == 0)
            *kind = CSV_NUMBER;
    for (size_t i = 0; colon && colon > name && i < sizeof types / sizeof types[0]; i++) {
        if (strcasecmp(types[i].name, colon + 1) == 0) {
            *kind = types[i].kind;
            len = (size_t)(colon - name);
        }
    }
    for (; len > 0 && *name == ' '; len--)
        name++;
    while (len > 0 && name[len - 1] == ' ')
        len--;
    *heading = name;
    return len;
}

static bool is_called(const char *heading, const char *name)
{
    const char *colon = strrchr(heading, ':');
    size_t len = strlen(name);
    enum csv_kind kind;

    if (name[0] == ':')
        return colon && strncasecmp(colon, name, len) == 0 &&
               (colon[len] == '\0' || colon[len] == '(');
    return split_heading(&heading, &kind) == len && strncasecmp(name, heading, len) == 0;
}

/* Whether a spreadsheet runs a cell with this text as a formula (OWASP, "CSV Injection"), also
 * after the apostrophes of a guard. The answer is the same for the guarded text, so that each guard
 * can be taken away again. */
static bool is_formula(const char *text)
{
    text += strspn(text, GUARD);
    return *text && strchr("=+-@\t\r\n", *text);
}

/* The value of a cell; NULL if it is not of that kind. */
static json_t *value_of(const char *cell, size_t len, enum csv_kind kind)
{
    switch (kind) {
    case CSV_TEXT:
        if (strncmp(cell, GUARD, strlen(GUARD)) == 0 && is_formula(cell))
            return json_stringn(cell + strlen(GUARD), len - strlen(GUARD));
        return json_stringn(cell, len);
    case CSV_NUMBER:
        /* JSON text may have blanks around it; a cell with them is left as it is. */
        if (strchr(" \t\r\n\"{[tfn", cell[0]) || strchr(" \t\r\n", cell[len - 1]))
            return NULL;
        break;
    case CSV_BOOLEAN:
        return strcasecmp(cell, "true") == 0    ? json_true()
               : strcasecmp(cell, "false") == 0 ? json_false()
                                                : NULL;
    case CSV_JSON:
        break;
    }
    return json_read(cell, len, "", NULL);
}

/* ---- reading a sheet: the heading says what each column is, then each row is an entry ---- */

struct sheet_reader {
    const struct csv_sheet *sheet;
    const char *name; /* of the file, for errors and the report */
    struct format_report *report;
    struct error *err;

    /* The row that is read. */
    size_t line;     /* that is fed now */
    size_t row_line; /* first line of the row */
    bool in_row;
    json_t *cells;
    int rc;

    bool has_heading;
    size_t columns;
    size_t rest; /* our last column, from 1: no word in the sheet is another tool's; 0: none */
    enum csv_kind kinds[COLUMNS_READ_CAP];
    json_t *keys;         /* of the entry, a text a column; null: it is not read */
    json_t *taken;        /* keys that have a column */
    size_t prerequisites; /* the column that names other rows, from 1; 0: none */
    json_t *naming;       /* of that column: [{"to", "line", "text"}] */
    json_t *entries;
    size_t titles_made, types_made, undirected;
};

static bool find_role(struct sheet_reader *reader, size_t role)
{
    const char *const *names = reader->sheet->roles[role].names;
    const json_t *heading;
    size_t i;

    for (; *names; names++) {
        json_array_foreach(reader->cells, i, heading)
        {
            if (!json_is_null(json_array_get(reader->keys, i)) ||
                !is_called(json_string_value(heading), *names))
                continue;
            json_array_set_new(reader->keys, i, json_string(reader->sheet->roles[role].key));
            return true;
        }
    }
    return false;
}

static void name_field(struct sheet_reader *reader, size_t i, const char *heading)
{
    size_t len = split_heading(&heading, &reader->kinds[i]);
    char key[NAME_CAP * 4];

    if (len == strlen(REST) && strncmp(heading, REST, len) == 0 && reader->kinds[i] == CSV_JSON) {
        reader->rest = i + 1;
        return;
    }
    if (strcasecmp(heading, ":IGNORE") == 0)
        return;
    snprintf(key, sizeof key, "%.*s", (int)len, heading);
    if (strcasecmp(heading, ":LABEL") == 0) /* Neo4j's, which is a class and no title */
        snprintf(key, sizeof key, "node_type");
    if (len == 0)
        snprintf(key, sizeof key, "column %zu", i + 1);
    for (size_t n = 2; json_object_get(reader->taken, key); n++)
        snprintf(key, sizeof key, "%.*s (%zu)", (int)len, heading, n);
    if (strncmp(key, heading, len) != 0 || key[len] != '\0')
        format_loss(reader->report, "%s line 1: column %zu ('%s') is kept as '%s'", reader->name,
                    i + 1, heading, key);
    json_object_set_new(reader->taken, key, json_true());
    json_array_set_new(reader->keys, i, json_string(key));
}

/* In a sheet that we wrote, the relationships are in the other. */
static void find_prerequisites(struct sheet_reader *reader)
{
    const json_t *heading;
    size_t i;

    if (reader->rest > 0)
        return;
    for (const char *const *name = reader->sheet->prerequisites; *name; name++) {
        json_array_foreach(reader->cells, i, heading)
        {
            if (is_called(json_string_value(heading), *name)) {
                reader->prerequisites = i + 1;
                return;
            }
        }
    }
}

static int read_heading(struct sheet_reader *reader)
{
    reader->has_heading = true;
    reader->columns = json_array_size(reader->cells);
    if (reader->columns > COLUMNS_READ_CAP)
        return error_set(reader->err, ERROR_TOO_LARGE, "%s line 1: more than %d columns",
                         reader->name, COLUMNS_READ_CAP);
    for (size_t i = 0; i < reader->columns; i++)
        json_array_append_new(reader->keys, json_null());
    for (size_t r = 0; reader->sheet->roles[r].key; r++) {
        if (!find_role(reader, r) && r < reader->sheet->needed)
            return error_set(reader->err, ERROR_INVALID,
                             "%s line 1: no column is called %s; the heading needs %s",
                             reader->name, reader->sheet->roles[r].heading,
                             reader->sheet->heading_needed);
        json_object_set_new(reader->taken, reader->sheet->roles[r].key, json_true());
    }
    for (size_t i = 0; i < reader->columns; i++)
        if (json_is_null(json_array_get(reader->keys, i)))
            name_field(reader, i, json_string_value(json_array_get(reader->cells, i)));
    find_prerequisites(reader);
    return 0;
}

static int read_cell(struct sheet_reader *reader, size_t i, const json_t *cell, json_t *entry)
{
    const char *key = json_string_value(json_array_get(reader->keys, i));
    enum csv_kind kind = reader->kinds[i];
    json_t *value = value_of(json_string_value(cell), json_string_length(cell), kind);

    if (!value && kind == CSV_JSON)
        return error_set(reader->err, ERROR_MALFORMED, "%s line %zu: the cell of '%s' is not JSON",
                         reader->name, reader->row_line, key);
    if (!value) {
        format_loss(reader->report, "%s line %zu: '%s' of '%s' is not a %s: kept as text",
                    reader->name, reader->row_line, json_string_value(cell), key,
                    kind == CSV_NUMBER ? "number" : "true or false");
        value = json_incref((json_t *)cell);
    }
    if (json_object_set_new(entry, key, value) < 0)
        return error_set(reader->err, ERROR_MEMORY, "out of memory for %s", reader->name);
    return 0;
}

/* The last column's cell: what no other says. A new reference to the whole entry. */
static json_t *add_rest(struct sheet_reader *reader, const json_t *cell, json_t *entry)
{
    json_auto_t *rest = json_read(json_string_value(cell), json_string_length(cell), "", NULL);
    json_t *whole = json_object_get(rest, "entry"), *value;
    const char *key;

    if (!json_is_object(rest) || (!whole && !json_is_object(json_object_get(rest, "fields")))) {
        error_set(reader->err, ERROR_MALFORMED,
                  "%s line %zu: the cell of '" REST
                  ":json' is not {\"fields\": {...}}; empty it to do without",
                  reader->name, reader->row_line);
        return NULL;
    }
    if (whole && json_object_size(entry) == 0)
        return json_incref(whole);
    json_object_foreach(json_object_get(rest, "fields"), key, value)
    {
        if (!json_object_get(entry, key))
            json_object_set(entry, key, value);
    }
    return json_incref(entry);
}

static bool is_direction(const char *type)
{
    return type && (strcasecmp(type, "directed") == 0 || strcasecmp(type, "undirected") == 0 ||
                    strcasecmp(type, "mutual") == 0);
}

/* What a row of another tool must have, or is given. */
static int complete(struct sheet_reader *reader, json_t *entry)
{
    for (size_t r = 0; r < reader->sheet->needed; r++)
        if (!json_object_get(entry, reader->sheet->roles[r].key))
            return error_set(reader->err, ERROR_INVALID, "%s line %zu: the cell of %s is empty",
                             reader->name, reader->row_line, reader->sheet->roles[r].heading);
    if (reader->sheet == &csv_nodes) {
        if (!json_object_get(entry, "title")) {
            json_object_set(entry, "title", json_object_get(entry, "node_id"));
            reader->titles_made++;
        }
        return 0;
    }
    if (reader->rest == 0 && is_direction(json_get_string(entry, "relationship_type"))) {
        /* Gephi's Type */
        reader->undirected +=
            strcasecmp(json_get_string(entry, "relationship_type"), "directed") != 0;
        json_object_del(entry, "relationship_type");
    }
    if (!json_object_get(entry, "relationship_type")) {
        json_object_set_new(entry, "relationship_type",
                            json_string(format_untyped(reader->report)));
        reader->types_made++;
    }
    return 0;
}

static int read_row(struct sheet_reader *reader)
{
    const json_t *cell, *rest = NULL;
    json_auto_t *entry = json_object(), *whole = NULL;
    size_t i;

    json_array_foreach(reader->cells, i, cell)
    {
        if (json_string_length(cell) == 0)
            continue;
        if (i >= reader->columns)
            return error_set(reader->err, ERROR_MALFORMED,
                             "%s line %zu: %zu cells, where the heading has %zu: a cell with a "
                             "separator in it must stand in quotes",
                             reader->name, reader->row_line, json_array_size(reader->cells),
                             reader->columns);
        if (i + 1 == reader->rest)
            rest = cell;
        else if (!json_is_null(json_array_get(reader->keys, i)) &&
                 read_cell(reader, i, cell, entry) < 0)
            return -1;
    }
    if (!rest && json_object_size(entry) == 0)
        return 0;
    if (!rest && complete(reader, entry) < 0)
        return -1;
    if (reader->prerequisites > 0 &&
        (cell = json_array_get(reader->cells, reader->prerequisites - 1)))
        json_array_append_new(reader->naming,
                              json_pack("{s:O, s:I, s:O}", "to", json_object_get(entry, "node_id"),
                                        "line", (json_int_t)reader->row_line, "text", cell));
    whole = rest ? add_rest(reader, rest, entry) : json_incref(entry);
    if (whole && json_array_append(reader->entries, whole) < 0)
        return error_set(reader->err, ERROR_MEMORY, "out of memory for %s", reader->name);
    return whole ? 0 : -1;
}

/* ---- rows by libcsv, which is fed line by line, so that an error can say which. RFC 4180, a byte
 * order mark and CRLF taken ---- */

#define CELL_STEP ((size_t)64 << 10) /* by which libcsv's buffer grows */

/* Blanks belong to the cell (RFC 4180, 2.4). */
static int no_space(unsigned char c)
{
    (void)c;
    return 0;
}

static void on_cell(void *text, size_t len, void *user)
{
    struct sheet_reader *reader = user;
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
    struct sheet_reader *reader = user;

    (void)end;
    if (reader->rc == 0)
        reader->rc = reader->has_heading ? read_row(reader) : read_heading(reader);
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

static int parse(struct csv_parser *parser, struct sheet_reader *reader, const char *text,
                 size_t len)
{
    for (size_t at = 0; at < len && reader->rc == 0;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t take = end ? (size_t)(end - text) + 1 - at : len - at;

        reader->line++;
        if (!reader->in_row)
            reader->row_line = reader->line;
        /* No callback is called for a line end within a quoted cell, and the row continues. */
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

/* The separator is "," ";" or tab, whichever the heading has most of, or as a first line "sep=;",
 * Excel's own, says. */
static int read_rows(struct sheet_reader *reader, const struct buf *text)
{
    const char *from = text->data ? text->data : "", *end = from + text->len;
    struct csv_parser parser;
    char separator;
    int rc;

    if (text->len >= 2 && (memcmp(from, "\xFF\xFE", 2) == 0 || memcmp(from, "\xFE\xFF", 2) == 0))
        return error_set(reader->err, ERROR_MALFORMED, "%s line 1: it is UTF-16: save it as UTF-8",
                         reader->name);
    from += file_mark(from, text->len);
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
        return error_set(reader->err, ERROR_MEMORY, "out of memory for %s", reader->name);
    separator = guess_separator(from, (size_t)(end - from));
    if (end - from > 5 && memcmp(from, "sep=", 4) == 0 && strchr(",;\t", from[4])) {
        separator = from[4];
        for (from += 5; from < end && (*from == '\r' || *from == '\n'); from++)
            reader->line += *from == '\n';
    }
    csv_set_delim(&parser, (unsigned char)separator);
    csv_set_space_func(&parser, no_space);
    csv_set_blk_size(&parser, CELL_STEP);
    rc = parse(&parser, reader, from, (size_t)(end - from));
    csv_free(&parser);
    return rc;
}

static void write_what_was_made(const struct sheet_reader *reader)
{
    if (reader->titles_made > 0)
        format_note(reader->report, "%s: %zu node%s no title: the id stands for it", reader->name,
                    reader->titles_made, reader->titles_made == 1 ? " has" : "s have");
    if (reader->types_made > 0)
        format_note_untyped(reader->report, reader->name, reader->types_made, "relationships");
    if (reader->undirected > 0)
        format_loss(reader->report,
                    "%s: %zu relationship%s without a direction: read as from source to target",
                    reader->name, reader->undirected, reader->undirected == 1 ? "" : "s");
}

/* relationships: the array to which csv_read_nodes appends; or NULL. */
static json_t *read_sheet(const struct csv_sheet *sheet, const char *name, const struct buf *text,
                          json_t *relationships, struct format_report *report, struct error *err)
{
    struct sheet_reader reader = {.sheet = sheet,
                                  .name = name,
                                  .report = report,
                                  .err = err,
                                  .cells = json_array(),
                                  .keys = json_array(),
                                  .taken = json_object(),
                                  .naming = json_array(),
                                  .entries = json_array()};
    int rc = read_rows(&reader, text);

    if (rc == 0 && !reader.has_heading)
        rc = error_set(err, ERROR_MALFORMED, "%s is empty; its first line must be a heading: %s",
                       name, sheet->heading_needed);
    if (rc == 0)
        write_what_was_made(&reader);
    if (rc == 0 && relationships && reader.prerequisites > 0)
        prerequisites_add(reader.entries, reader.naming, name,
                          json_string_value(json_array_get(reader.keys, reader.prerequisites - 1)),
                          relationships, report);
    json_decref(reader.naming);
    json_decref(reader.cells);
    json_decref(reader.keys);
    json_decref(reader.taken);
    if (rc == 0)
        return reader.entries;
    json_decref(reader.entries);
    return NULL;
}

json_t *csv_read_sheet(const struct csv_sheet *sheet, const char *name, const struct buf *text,
                       struct format_report *report, struct error *err)
{
    return read_sheet(sheet, name, text, NULL, report, err);
}

json_t *csv_read_nodes(const char *name, const struct buf *text, json_t *relationships,
                       struct format_report *report, struct error *err)
{
    return read_sheet(&csv_nodes, name, text, relationships, report, err);
}

json_t *csv_curriculum(const char *name, const struct buf *text, struct format_report *report,
                       struct error *err)
{
    json_auto_t *relationships = json_array();
    json_t *nodes = csv_read_nodes(name, text, relationships, report, err);

    if (!nodes)
        return NULL;
    if (json_array_size(relationships) == 0)
        format_note(report,
                    "%s: no column Prerequisites names other rows: there are no "
                    "relationships",
                    name);
    return json_pack("{s:o, s:O}", "nodes", nodes, "relationships", relationships);
}

/* ---- JSON of other tools, whose fields have the names of columns ---- */

/* Numbers become texts, as all ids are. */
static json_t *take_name(json_t *entry, const char *name)
{
    const char *key;
    json_t *value;

    json_object_foreach(entry, key, value)
    {
        if (!is_called(key, name) || (!json_is_string(value) && !json_is_integer(value)))
            continue;
        value = json_is_string(value) ? json_incref(value)
                                      : json_sprintf("%lld", json_integer_value(value));
        json_object_del(entry, key);
        return value;
    }
    return NULL;
}

static int name_entry(struct sheet_reader *reader, json_t *entry, size_t i)
{
    for (size_t r = 0; reader->sheet->roles[r].key; r++) {
        const char *key = reader->sheet->roles[r].key;

        for (const char *const *name = reader->sheet->roles[r].names;
             *name && !json_object_get(entry, key); name++) {
            json_t *value = take_name(entry, *name);

            if (value)
                json_object_set_new(entry, key, value);
        }
        if (r < reader->sheet->needed && !json_object_get(entry, key))
            return error_set(reader->err, ERROR_INVALID,
                             "%s[%zu]: it has no %s: send {\"nodes\": [{\"node_id\": \"N1\", "
                             "\"title\": \"Counting\"}], \"relationships\": [{\"from_node_id\": "
                             "\"N1\", \"to_node_id\": \"N2\", \"relationship_type\": "
                             "\"PREREQUISITE\"}]}, or nodes with id and %s with source and target",
                             reader->name, i, key,
                             reader->sheet == &csv_nodes ? "links" : reader->name);
    }
    return complete(reader, entry);
}

json_t *csv_name_entries(const struct csv_sheet *sheet, const char *key, const json_t *entries,
                         struct format_report *report, struct error *err)
{
    struct sheet_reader reader = {.sheet = sheet, .name = key, .report = report, .err = err};
    json_auto_t *named = json_array();
    const json_t *entry;
    size_t i;

    json_array_foreach((json_t *)entries, i, entry)
    {
        json_auto_t *copy = json_is_object(entry) ? json_copy((json_t *)entry) : json_object();

        if (name_entry(&reader, copy, i) < 0)
            return NULL;
        json_array_append(named, copy);
    }
    write_what_was_made(&reader);
    return json_incref(named);
}

/* ---- writing a sheet: first which columns there are and of what type, by what the entries have
 * most of, then a row an entry ---- */

struct column {
    const char *name; /* borrowed from an entry */
    size_t found[CSV_JSON + 1];
    bool whole; /* numbers without a fraction alone */
    enum csv_kind kind;
};

struct table {
    struct column columns[SHEET_ROLES + COLUMNS_CAP];
    size_t roles; /* the first columns, texts */
    size_t count;
    json_t *index; /* name -> place in columns */
    size_t rest;   /* rows with a cell in the last column */
};

static struct column *add_column(struct table *table, const char *name)
{
    json_object_set_new(table->index, name, json_integer((json_int_t)table->count));
    table->columns[table->count] = (struct column){.name = name, .whole = true};
    return &table->columns[table->count++];
}

static struct column *find_column(struct table *table, const char *name)
{
    const json_t *place = json_object_get(table->index, name);

    return place ? &table->columns[json_integer_value(place)] : NULL;
}

static bool can_have_column(const char *key)
{
    size_t len = strlen(key);

    if (len == 0 || len > NAME_CAP || is_formula(key) || key[0] == ' ' || key[len - 1] == ' ' ||
        strchr(key, ':') || strcasecmp(key, REST) == 0)
        return false;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)key[i] < ' ' || key[i] == 127)
            return false;
    return true;
}

/* The kind of cell that says a value of a type; null has none. */
static const enum csv_kind kinds_of_types[] = {
    [JSON_OBJECT] = CSV_JSON,    [JSON_ARRAY] = CSV_JSON,  [JSON_STRING] = CSV_TEXT,
    [JSON_INTEGER] = CSV_NUMBER, [JSON_REAL] = CSV_NUMBER, [JSON_TRUE] = CSV_BOOLEAN,
    [JSON_FALSE] = CSV_BOOLEAN,
};

static void see_entry(struct table *table, const json_t *entry)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)entry, key, value)
    {
        struct column *column = find_column(table, key);

        if (!column && can_have_column(key) && table->count < table->roles + COLUMNS_CAP)
            column = add_column(table, key);
        if (!column || json_is_null(value))
            continue;
        column->whole = column->whole && !json_is_real(value);
        column->found[kinds_of_types[json_typeof(value)]]++;
    }
}

static void choose_kinds(struct table *table)
{
    for (size_t i = table->roles; i < table->count; i++) {
        struct column *column = &table->columns[i];

        for (size_t kind = CSV_TEXT; kind <= CSV_JSON; kind++)
            if (column->found[kind] > column->found[column->kind])
                column->kind = (enum csv_kind)kind;
    }
}

/* Whether a cell of that kind says the value, and no other. */
static bool fits(const json_t *value, enum csv_kind kind)
{
    if (!value || json_is_null(value) || kind == CSV_JSON)
        return kind == CSV_JSON;
    return kinds_of_types[json_typeof(value)] == kind &&
           (kind != CSV_TEXT || (json_string_length(value) > 0 &&
                                 strlen(json_string_value(value)) == json_string_length(value)));
}

/* One cell, quoted. */
static void add_cell(struct buf *to, const char *text, size_t len)
{
    char *room = buf_reserve(to, len * 2 + 2);

    if (room)
        to->len += csv_write(room, len * 2 + 2, text, len);
}

static void add_value(struct buf *row, const json_t *value, enum csv_kind kind)
{
    struct buf BUF_AUTO text = {0};

    if (kind == CSV_TEXT) {
        if (is_formula(json_string_value(value)))
            buf_adds(&text, GUARD);
        buf_add(&text, json_string_value(value), json_string_length(value));
    } else {
        json_write(&text, value);
    }
    if (text.failed)
        row->failed = true;
    else
        add_cell(row, text.data, text.len);
}

/* What the cells cannot represent; NULL if nothing. */
static json_t *rest_of(struct table *table, const json_t *entry)
{
    json_auto_t *fields = json_object();
    bool exact = true;
    const char *key;
    json_t *value;

    if (!json_is_object(entry))
        return json_pack("{s:O}", "entry", entry);
    for (size_t i = 0; i < table->roles; i++)
        exact = exact && fits(json_object_get(entry, table->columns[i].name), CSV_TEXT);
    json_object_foreach((json_t *)entry, key, value)
    {
        const struct column *column = find_column(table, key);

        if (!column || !fits(value, column->kind))
            json_object_set(fields, key, value);
    }
    return exact && json_object_size(fields) == 0 ? NULL : json_pack("{s:O}", "fields", fields);
}

static void add_row(struct table *table, struct buf *text, const json_t *entry)
{
    json_auto_t *rest = rest_of(table, entry);

    for (size_t i = 0; i < table->count; i++) {
        const json_t *value = json_object_get(entry, table->columns[i].name);

        if (value && fits(value, table->columns[i].kind))
            add_value(text, value, table->columns[i].kind);
        buf_addc(text, ',');
    }
    if (rest) {
        table->rest++;
        add_value(text, rest, CSV_JSON);
    }
    buf_adds(text, "\r\n");
}

static void add_heading(struct buf *text, const struct column *column)
{
    static const char *const suffixes[] = {
        [CSV_TEXT] = "", [CSV_NUMBER] = ":float", [CSV_BOOLEAN] = ":boolean", [CSV_JSON] = ":json"};
    const char *name = column->name, *suffix = suffixes[column->kind];
    struct buf BUF_AUTO heading = {0};
    enum csv_kind bare;

    split_heading(&name, &bare);
    if (column->kind == CSV_NUMBER && column->whole)
        suffix = ":int";
    else if (column->kind == CSV_TEXT && bare != CSV_TEXT)
        suffix = ":string";
    buf_addf(&heading, "%s%s", column->name, suffix);
    add_cell(text, heading.data, heading.len);
    buf_addc(text, ',');
}

static int write_sheet(const struct csv_sheet *sheet, const json_t *entries, struct buf *text,
                       size_t *rest, struct error *err)
{
    struct table table = {.index = json_object()};
    json_t *entry;
    size_t i;

    for (; sheet->roles[table.roles].key; table.roles++) {
        add_column(&table, sheet->roles[table.roles].key);
        buf_addf(text, "%s,", sheet->roles[table.roles].heading);
    }
    json_array_foreach((json_t *)entries, i, entry) see_entry(&table, entry);
    choose_kinds(&table);
    for (i = table.roles; i < table.count; i++)
        add_heading(text, &table.columns[i]);
    buf_adds(text, REST ":json\r\n");
    json_array_foreach((json_t *)entries, i, entry) add_row(&table, text, entry);
    json_decref(table.index);
    *rest = table.rest;
    return buf_check(text, sheet->file, err);
}

/* ---- the files ---- */

static const char *const node_names[] = {NODES_FILE, "Nodes.csv", "nodes.tsv", NULL};
static const char *const relationship_names[] = {
    RELATIONSHIPS_FILE, "edges.csv",         "links.csv", "Relationships.csv",
    "Edges.csv",        "relationships.tsv", "edges.tsv", NULL};
static const char *const further_names[] = {FURTHER_FILE, NULL};
static const char *const joints[] = {"-", "_", ".", NULL};

static bool find_file(const char *prefix, const char *const *names, char path[PATH_MAX])
{
    for (size_t i = 0; names[i]; i++)
        if (snprintf(path, PATH_MAX, "%s%s", prefix, names[i]) < PATH_MAX &&
            access(path, F_OK) == 0)
            return true;
    return false;
}

static bool is_there(const char *prefix)
{
    char path[PATH_MAX];

    return find_file(prefix, node_names, path);
}

/* The prefix of the files' names: "folder/", "folder/algebra-". */
static bool find_prefix(const char *path, char prefix[PATH_MAX])
{
    size_t len = strlen(path), size = PATH_MAX;

    if (len == 0 || len >= size - 16)
        return false;
    if (file_is_folder(path)) {
        snprintf(prefix, size, "%s/", path);
        return is_there(prefix);
    }
    for (size_t i = 0; node_names[i]; i++) {
        size_t end = strlen(node_names[i]);

        if (len >= end && strcmp(path + len - end, node_names[i]) == 0) {
            snprintf(prefix, size, "%.*s", (int)(len - end), path);
            return is_there(prefix);
        }
    }
    for (size_t i = 0; joints[i]; i++) {
        snprintf(prefix, size, "%s%s", path, joints[i]);
        if (is_there(prefix))
            return true;
    }
    return false;
}

static bool looks_like(const char *path)
{
    size_t len = strlen(path);
    char prefix[PATH_MAX];

    return find_prefix(path, prefix) || (len >= 3 && (strcasecmp(path + len - 3, "csv") == 0 ||
                                                      strcasecmp(path + len - 3, "tsv") == 0));
}

/* ---- reading ---- */

static json_t *read_relationships(const char *path, struct format_report *report, struct error *err)
{
    struct buf BUF_AUTO text = {0};

    if (file_read(path, CURRICULUM_FILE_CAP, &text, err) < 0)
        return NULL;
    return csv_read_sheet(&csv_relationships, path, &text, report, err);
}

/* The other fields of the curriculum, if their file exists: {"further": {...}, "relationships":
 * false}. */
static json_t *read_further(const char *path, bool *relationships, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *beside = NULL;
    json_t *further;

    if (file_read(path, CURRICULUM_FILE_CAP, &text, err) < 0)
        return NULL;
    beside = json_read(text.data, text.len, path, err);
    further = json_object_get(beside, "further");
    *relationships = !json_is_false(json_object_get(beside, "relationships"));
    if (json_is_object(further))
        return json_incref(further);
    if (beside)
        error_set(err, ERROR_INVALID,
                  "%s is not {\"further\": {...}}, as an export writes it; delete it to do without",
                  path);
    return NULL;
}

/* A file of nodes alone. */
static json_t *read_one(const char *path, struct format_report *report, struct error *err)
{
    struct buf BUF_AUTO text = {0};

    if (strcmp(path, "-") != 0 && (access(path, F_OK) != 0 || file_is_folder(path))) {
        error_set(err, ERROR_NOT_FOUND,
                  "there is no CSV file %s, nor a pair of them: name a file with the heading "
                  "Id,Title,Prerequisites, a folder with " NODES_FILE " and " RELATIONSHIPS_FILE
                  " (or edges.csv), or PREFIX of PREFIX-" NODES_FILE
                  " and PREFIX-" RELATIONSHIPS_FILE,
                  path);
        return NULL;
    }
    if (file_read(path, CURRICULUM_FILE_CAP, &text, err) < 0)
        return NULL;
    return csv_curriculum(path, &text, report, err);
}

static json_t *read_csv(const char *path, struct format_report *report, struct error *err)
{
    json_auto_t *root = NULL, *nodes = NULL, *relationships = NULL;
    bool has_relationships = true, is_pair;
    char prefix[PATH_MAX], name[PATH_MAX];
    struct buf BUF_AUTO text = {0};

    if (!find_prefix(path, prefix))
        return read_one(path, report, err);
    root = find_file(prefix, further_names, name) ? read_further(name, &has_relationships, err)
                                                  : json_object();
    is_pair = find_file(prefix, relationship_names, name);
    if (root)
        relationships = is_pair ? read_relationships(name, report, err) : json_array();
    if (relationships && find_file(prefix, node_names, name) &&
        file_read(name, CURRICULUM_FILE_CAP, &text, err) == 0)
        nodes = csv_read_nodes(name, &text, relationships, report, err);
    if (!nodes)
        return NULL;
    if (!is_pair && json_array_size(relationships) == 0)
        format_loss(report, "%s%s is not there: the nodes come without relationships", prefix,
                    RELATIONSHIPS_FILE);
    json_object_set(root, "nodes", nodes);
    if ((is_pair && has_relationships) || json_array_size(relationships) > 0)
        json_object_set(root, "relationships", relationships);
    return json_incref(root);
}

/* ---- writing ---- */

static int add_sheet(struct folder *folder, const struct csv_sheet *sheet, const json_t *entries,
                     struct format_report *report, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    size_t rest;

    if (write_sheet(sheet, entries, &text, &rest, err) < 0)
        return -1;
    if (rest > 0)
        format_note(report,
                    "%s: what no cell can say (empty texts, null, missing or mixed fields) stands "
                    "in the column " REST ":json of %zu rows; other tools do not read it",
                    sheet->file, rest);
    return folder_add(folder, sheet->file, &text, err);
}

static int add_further(struct folder *folder, const json_t *curriculum, struct error *err)
{
    const json_t *relationships = json_object_get(curriculum, "relationships");
    struct buf BUF_AUTO text = {0};
    json_t *further = json_copy((json_t *)curriculum);
    json_auto_t *beside = NULL;

    json_object_del(further, "nodes");
    if (json_is_array(relationships))
        json_object_del(further, "relationships");
    beside =
        json_pack("{s:o, s:b}", "further", further, "relationships", json_is_array(relationships));
    json_write(&text, beside);
    buf_addc(&text, '\n');
    return folder_add(folder, FURTHER_FILE, &text, err);
}

static int write_csv(const json_t *curriculum, const char *path, struct format_report *report,
                     struct error *err)
{
    struct folder folder;
    int rc;

    if (folder_begin(&folder, path, err) < 0)
        return -1;
    format_note(report, "components are one cell of JSON a node, and meta stands in " FURTHER_FILE
                        ": other tools show the one as text and do not read the other");
    rc = add_sheet(&folder, &csv_nodes, json_object_get(curriculum, "nodes"), report, err);
    if (rc == 0)
        rc = add_sheet(&folder, &csv_relationships, json_object_get(curriculum, "relationships"),
                       report, err);
    if (rc == 0)
        rc = add_further(&folder, curriculum, err);
    return folder_end(&folder, rc == 0, rc == 0 ? err : NULL) < 0 || rc < 0 ? -1 : 0;
}

const struct format format_csv = {
    .name = "csv",
    .what = "a folder with the CSV pair of graph tools, " NODES_FILE " and " RELATIONSHIPS_FILE,
    .looks_like = looks_like,
    .read = read_csv,
    .write = write_csv,
};
