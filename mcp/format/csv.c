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
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unictype.h>
#include <unistd.h>
#include <unistr.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/component_type.h"
#include "mcp/curriculum/findings.h"
#include "mcp/curriculum/limits.h"
#include "mcp/curriculum/text.h"
#include "mcp/format/column_content.h"
#include "mcp/format/column_role.h"
#include "mcp/format/csv_quotes.h"
#include "mcp/format/encoding.h"
#include "mcp/format/file.h"
#include "mcp/format/markdown.h"

#define COLUMNS_CAP      200 /* that are written */
#define COLUMNS_READ_CAP 2000
#define NEEDS_CAP        16 /* columns of prerequisites */
#define NAME_CAP         64 /* bytes of a field's name that gets a column */
#define REST             "lectern"
#define GUARD            "'"   /* before a text that would be run */
#define CELL_CHARACTERS  32767 /* of a cell in Excel (its specifications and limits) */

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
        enum column_role role;
    } roles[SHEET_ROLES + 1];
    size_t needed;              /* of the roles, from the first */
    const char *heading_needed; /* in words */
};

const struct csv_sheet csv_nodes = {
    .file = NODES_FILE,
    .roles = {{"node_id", "Id", COLUMN_ID}, {"title", "Label", COLUMN_TITLE}},
    .needed = 1,
    .heading_needed = "Id (or id, node_id, :ID) or Label (or title, name)",
};
const struct csv_sheet csv_relationships = {
    .file = RELATIONSHIPS_FILE,
    .roles = {{"from_node_id", "Source", COLUMN_SOURCE},
              {"to_node_id", "Target", COLUMN_TARGET},
              {"relationship_type", "relationship_type", COLUMN_TYPE}},
    .needed = 2,
    .heading_needed = "Source (or from_node_id, :START_ID), Target (or to_node_id, :END_ID), and "
                      "relationship_type (or Type) where they have types",
};

/* ---- headings and cells, as tools in the field write them ---- */

enum csv_kind { CSV_TEXT, CSV_NUMBER, CSV_BOOLEAN, CSV_JSON, CSV_LIST };

static const struct {
    const char *name;
    enum csv_kind kind;
} types[] = {
    {"string", CSV_TEXT},  {"int", CSV_NUMBER},   {"integer", CSV_NUMBER}, {"long", CSV_NUMBER},
    {"short", CSV_NUMBER}, {"float", CSV_NUMBER}, {"double", CSV_NUMBER},  {"boolean", CSV_BOOLEAN},
    {"bool", CSV_BOOLEAN}, {"json", CSV_JSON},    {"string[]", CSV_LIST},
};

/* Numbers by the contract, or by Gephi, whatever the heading says of them. */
static const char *const numbers[] = {"chapter_id", "confidence_score", "weight", NULL};

/* Spaces that people and programs leave around a value, or in a cell that looks empty. */
static const char *const blanks[] = {" ",
                                     "\t",
                                     "\r",
                                     "\n",
                                     "\xC2\xA0" /* U+00A0 */,
                                     "\xE2\x80\xAF" /* U+202F */,
                                     "\xE3\x80\x80" /* U+3000 */,
                                     NULL};

/* The length of the text without the blanks around it, to which *text is moved. */
static size_t trim(const char **text, size_t len)
{
    for (size_t i = 0; blanks[i]; i++) {
        size_t blank = strlen(blanks[i]), before = len;

        if (len >= blank && memcmp(*text, blanks[i], blank) == 0) {
            *text += blank;
            len -= blank;
        }
        if (len >= blank && memcmp(*text + len - blank, blanks[i], blank) == 0)
            len -= blank;
        if (len < before)
            i = (size_t)-1; /* from the first again */
    }
    return len;
}

static bool is_blank(const char *text, size_t len)
{
    return trim(&text, len) == 0;
}

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
    *heading = name;
    return trim(heading, len);
}

/* Whether a spreadsheet runs a cell with this text as a formula (OWASP, "CSV Injection"), also
 * after the apostrophes of a guard. The answer is the same for the guarded text, so that each guard
 * can be taken away again. */
static bool is_formula(const char *text)
{
    text += strspn(text, GUARD);
    return *text && strchr("=+-@\t\r\n", *text);
}

/* Neo4j's arrays, separated by semicolons. */
static json_t *split_list(const char *cell, size_t len)
{
    json_t *list = json_array();

    for (const char *end = cell + len; cell <= end;) {
        size_t part = strcspn(cell, ";");

        json_array_append_new(list, json_stringn(cell, part));
        cell += part + 1;
    }
    return list;
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
    case CSV_LIST:
        return split_list(cell, len);
    case CSV_JSON:
        break;
    }
    return json_read(cell, len, "", NULL);
}

/* ---- reading a sheet: the heading says what each column is, then each row is an entry ---- */

enum entry_kind { ENTRY_NODE, ENTRY_EDGE, ENTRY_KINDS };

static const struct csv_sheet *const sheet_of[] = {
    [ENTRY_NODE] = &csv_nodes, [ENTRY_EDGE] = &csv_relationships};

struct sheet_reader {
    const char *name; /* of the file, for errors and the report */
    struct format_report *report;
    struct error *err;
    bool wanted[ENTRY_KINDS]; /* by the caller, then by the heading */
    bool ids_are_fields;      /* a column is not of ids although a word says so */
    bool has_relationships;   /* elsewhere: no column is taken for prerequisites by its content */
    bool by_content;          /* the sheet is read again, with the roles in content */
    struct column_content content;

    /* The row that is read. */
    size_t line;     /* that is fed now */
    size_t row_line; /* first line of the row */
    bool in_row;
    json_t *cells;
    int rc;

    /* The rows whose content may give roles that the headings do not; or NULL. Owned. */
    json_t *survey;
    struct column_known known;
    bool unsurveyed; /* there are too many */
    bool unnamed;    /* no heading says what the sheet has: its rows are surveyed alone */

    bool has_heading;
    size_t columns;
    size_t rest; /* our last column, from 1: no word in the sheet is another tool's; 0: none */
    enum csv_kind kinds[COLUMNS_READ_CAP];
    size_t places[COLUMN_ROLES]; /* the column of a role, from 1; 0: none */
    enum column_fit fits[COLUMN_ROLES];
    json_t *keys[ENTRY_KINDS]; /* of the entry, a text a column; null: it is not read */
    size_t needs[NEEDS_CAP];   /* the columns of prerequisites, from 1 */
    size_t needs_count;
    json_t *naming[NEEDS_CAP];    /* the cells of each: [{"to", "line", "text"}] */
    json_t *lines;                /* id, without ".0" -> line */
    json_t *orders;               /* of each node: the number of its column, or null */
    json_t *entries[ENTRY_KINDS]; /* owned */
    struct findings told;         /* of this reading; owned */
    size_t titles_made, ids_made, types_made, undirected, twice;
};

static const char *heading_at(const struct sheet_reader *reader, size_t i)
{
    const char *heading = json_string_value(json_array_get(reader->cells, i));

    return heading ? heading : "";
}

/* The role that the user gives the column with this heading; COLUMN_ROLES: none. */
static enum column_role mapped_role(const struct sheet_reader *reader, const char *heading)
{
    const char *name = heading;
    enum csv_kind kind;
    size_t len = split_heading(&name, &kind);
    enum column_role role = column_role_mapped(reader->report->map, name, len);

    return role != COLUMN_ROLES ? role
                                : column_role_mapped(reader->report->map, heading, strlen(heading));
}

/* The column of a role: the one whose heading is best, and whose role is no other. */
static void find_role(struct sheet_reader *reader, enum column_role role)
{
    size_t best = 0;

    if (reader->places[role] > 0)
        return;
    for (size_t i = 0; i < reader->columns; i++) {
        const char *heading = heading_at(reader, i);
        enum column_fit fit;
        enum csv_kind kind;
        size_t len = split_heading(&heading, &kind),
               rank = column_role_rank(role, heading, len, &fit);
        bool taken = mapped_role(reader, heading_at(reader, i)) != COLUMN_ROLES;

        for (size_t other = 0; other < COLUMN_ROLES; other++)
            taken = taken || reader->places[other] == i + 1;
        if (rank == 0 || taken || (best > 0 && rank >= best) ||
            (role == COLUMN_ID && reader->ids_are_fields && fit == COLUMN_BY_WORD))
            continue;
        best = rank;
        reader->places[role] = i + 1;
        reader->fits[role] = fit;
    }
}

/* In a sheet that we wrote, the first columns have roles, and no others. */
static void find_our_roles(struct sheet_reader *reader, const struct csv_sheet *sheet)
{
    for (size_t r = 0; sheet->roles[r].key; r++) {
        for (size_t i = 0; i < reader->columns && reader->places[sheet->roles[r].role] == 0; i++)
            if (strcasecmp(heading_at(reader, i), sheet->roles[r].heading) == 0)
                reader->places[sheet->roles[r].role] = i + 1;
        if (reader->places[sheet->roles[r].role] == 0)
            find_role(reader, sheet->roles[r].role);
    }
}

/* Whether the sheet has relationships: a sheet of nodes may have columns "Start" and "End", of
 * dates, and only a tool's own names are certain there. */
static bool has_edges(const struct sheet_reader *reader)
{
    enum column_fit fit = reader->fits[COLUMN_SOURCE] > reader->fits[COLUMN_TARGET]
                              ? reader->fits[COLUMN_SOURCE]
                              : reader->fits[COLUMN_TARGET];
    bool has_nodes = reader->places[COLUMN_ID] > 0 || reader->places[COLUMN_TITLE] > 0;

    if (reader->places[COLUMN_SOURCE] == 0 || reader->places[COLUMN_TARGET] == 0)
        return false;
    if (!reader->wanted[ENTRY_EDGE])
        return fit == COLUMN_BY_TOOL && reader->rest == 0;
    return !reader->wanted[ENTRY_NODE] || !has_nodes || fit < COLUMN_BY_WORD;
}

static void take_map(struct sheet_reader *reader)
{
    for (size_t i = 0; i < reader->columns; i++) {
        enum column_role role = mapped_role(reader, heading_at(reader, i));

        if (role == COLUMN_ROLES)
            continue;
        reader->places[role] = i + 1;
        reader->fits[role] = COLUMN_BY_TOOL; /* as certain */
    }
}

/* Whether a column of the sheet is the one that the user has named. */
static bool has_mapped(const struct sheet_reader *reader, const char *map)
{
    const char *const one[] = {map, NULL};
    struct format_report named = {.map = one};
    struct sheet_reader with = *reader;

    with.report = &named;
    for (size_t i = 0; i < reader->columns; i++)
        if (mapped_role(&with, heading_at(reader, i)) != COLUMN_ROLES)
            return true;
    return false;
}

/* Names the columns that the user has given a role and the sheet does not have, and those that it
 * has. */
static void name_unmapped(struct sheet_reader *reader)
{
    for (const char *const *map = reader->report->map; map && *map; map++) {
        struct buf BUF_AUTO value = {0};

        if (has_mapped(reader, *map))
            continue;
        buf_addf(&value, "%s; the columns are ", *map);
        for (size_t i = 0; i < reader->columns && value.len < FINDING_VALUE_CAP; i++)
            buf_addf(&value, "%s%s", i > 0 ? ", " : "", heading_at(reader, i));
        findings_add(&reader->told, FINDING_READ, PLACE(reader->name, 1, value.data),
                     "--map names a column that this sheet does not have");
    }
}

/* Whether a column names prerequisites; of several, people number the headings. */
static bool names_needs(const struct sheet_reader *reader, size_t i)
{
    const char *heading = heading_at(reader, i);
    enum csv_kind kind;
    enum column_fit fit;
    size_t len = split_heading(&heading, &kind);

    if (mapped_role(reader, heading_at(reader, i)) != COLUMN_ROLES)
        return mapped_role(reader, heading_at(reader, i)) == COLUMN_PREREQUISITES;
    while (len > 0 && strchr("0123456789 _#.-()", heading[len - 1]))
        len--;
    return column_role_rank(COLUMN_PREREQUISITES, heading, len, &fit) > 0;
}

/* Whether a column gets the role that its content says, which is reported then. */
static bool takes_role(struct sheet_reader *reader, enum column_role role, size_t column)
{
    if (column == 0 || reader->places[role] > 0 ||
        mapped_role(reader, heading_at(reader, column - 1)) != COLUMN_ROLES)
        return false;
    findings_add(
        &reader->told, FINDING_READ,
        PLACE(reader->name, reader->row_line, heading_at(reader, column - 1)),
        "a column is read as '%s' by its content; --map COLUMN=ROLE gives it another role, "
        "and --map COLUMN=field none",
        column_role_name(role));
    return true;
}

static void take_content(struct sheet_reader *reader, enum column_role role, size_t column)
{
    if (!reader->by_content || !takes_role(reader, role, column))
        return;
    reader->places[role] = column;
    reader->fits[role] = COLUMN_BY_NAME;
}

/* Whether the heading of a column is one of those of the role. */
static bool is_called(const struct sheet_reader *reader, size_t i, enum column_role role)
{
    const char *heading = heading_at(reader, i);
    enum csv_kind kind;
    enum column_fit fit;
    size_t len = split_heading(&heading, &kind);

    return column_role_rank(role, heading, len, &fit) > 0;
}

/* Whether the heading of a column, or the user, gives its role. */
static bool is_named(const struct sheet_reader *reader, size_t i)
{
    const char *whole = heading_at(reader, i), *heading = whole;
    enum csv_kind kind;
    size_t len = split_heading(&heading, &kind);

    if (strchr(whole, ':') && (i > 0 || kind != CSV_NUMBER)) /* numbers may be ids */
        return true;
    if (names_needs(reader, i) || mapped_role(reader, whole) != COLUMN_ROLES ||
        column_role_is_field(heading, len))
        return true;
    for (enum column_role role = COLUMN_ID; role < COLUMN_ROLES; role++)
        if (is_called(reader, i, role))
            return true;
    return false;
}

/* Keeps the rows from here on, where their content may give roles that the headings do not. */
static void begin_survey(struct sheet_reader *reader)
{
    struct column_known known = {.id = reader->places[COLUMN_ID],
                                 .title = reader->places[COLUMN_TITLE],
                                 .without_needs = reader->has_relationships,
                                 .without_ends = !reader->wanted[ENTRY_EDGE]};
    bool unknown = false;

    for (size_t i = 0; i < reader->columns && i < CONTENT_COLUMNS_CAP; i++) {
        known.has_role[i] = is_named(reader, i);
        unknown = unknown || !known.has_role[i];
        if (known.needs == 0 && names_needs(reader, i))
            known.needs = i + 1;
        if (i < 2 && is_called(reader, i, COLUMN_SOURCE))
            known.source = i + 1;
        if (i < 2 && is_called(reader, i, COLUMN_TARGET))
            known.target = i + 1;
    }
    if (reader->by_content || !unknown || reader->rest > 0 ||
        (known.id > 0 && reader->fits[COLUMN_ID] == COLUMN_BY_TOOL &&
         mapped_role(reader, heading_at(reader, known.id - 1)) != COLUMN_ID))
        return;
    reader->known = known;
    reader->survey = json_array();
    json_array_append_new(reader->survey, json_copy(reader->cells));
}

static void find_needs(struct sheet_reader *reader)
{
    size_t first = reader->places[COLUMN_PREREQUISITES];

    reader->needs_count = 0;
    if (first > 0)
        reader->needs[reader->needs_count++] = first;
    for (size_t i = 0; reader->rest == 0 && i < reader->columns; i++) {
        bool taken = i + 1 == first;

        for (size_t role = 0; role < COLUMN_ROLES; role++)
            taken = taken || reader->places[role] == i + 1;
        if (!taken && names_needs(reader, i) && reader->needs_count < NEEDS_CAP)
            reader->needs[reader->needs_count++] = i + 1;
    }
    for (size_t i = 0; reader->by_content && i < reader->content.needs_count; i++)
        if (reader->needs_count < NEEDS_CAP &&
            takes_role(reader, COLUMN_PREREQUISITES, reader->content.needs[i]))
            reader->needs[reader->needs_count++] = reader->content.needs[i];
    if (reader->needs_count > 0)
        reader->places[COLUMN_PREREQUISITES] = reader->needs[0];
}

static int refuse_heading(const struct sheet_reader *reader)
{
    const struct csv_sheet *sheet = sheet_of[reader->wanted[ENTRY_NODE] ? ENTRY_NODE : ENTRY_EDGE];

    return error_set(
        reader->err, ERROR_INVALID, "%s line 1: no column is called %s; the heading needs %s%s",
        reader->name,
        sheet->roles[!reader->wanted[ENTRY_NODE] && reader->places[COLUMN_SOURCE] > 0].heading,
        sheet->heading_needed,
        reader->unsurveyed
            ? "; name the columns with --map COLUMN=ROLE (their content is not looked at in a "
              "sheet of more than " CONTENT_ROWS_WORDS " rows)"
        : reader->wanted[ENTRY_NODE] && reader->wanted[ENTRY_EDGE]
            ? ", or Source and Target, and its cells be separated by , ; | or tabs"
            : "");
}

static int find_roles(struct sheet_reader *reader)
{
    static const enum column_role order[] = {COLUMN_SOURCE,        COLUMN_TARGET, COLUMN_ID,
                                             COLUMN_TITLE,         COLUMN_TYPE,   COLUMN_ORDER,
                                             COLUMN_PREREQUISITES, COLUMN_CHAPTER};
    bool edges, nodes;

    if (column_role_check_map(reader->report->map, reader->err) < 0)
        return -1;
    name_unmapped(reader);
    take_map(reader);
    if (reader->rest > 0) {
        enum entry_kind ours =
            strcasecmp(heading_at(reader, 0), csv_relationships.roles[0].heading) == 0;

        if (reader->wanted[ENTRY_NODE] && reader->wanted[ENTRY_EDGE])
            reader->wanted[!ours] = false;
        find_our_roles(reader, sheet_of[reader->wanted[ENTRY_NODE] ? ENTRY_NODE : ENTRY_EDGE]);
    } else {
        for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
            find_role(reader, order[i]);
    }
    take_content(reader, COLUMN_SOURCE, reader->content.source);
    take_content(reader, COLUMN_TARGET, reader->content.target);
    edges = has_edges(reader);
    if (!edges && reader->rest == 0 && reader->wanted[ENTRY_NODE]) {
        /* A column that is called like an end may be one of nodes. */
        memset(reader->places, 0, sizeof reader->places);
        take_map(reader);
        for (size_t i = 2; i < sizeof order / sizeof order[0]; i++)
            if (order[i] != COLUMN_TYPE)
                find_role(reader, order[i]);
    }
    if (!edges) {
        take_content(reader, COLUMN_ID, reader->content.id);
        take_content(reader, COLUMN_TITLE, reader->content.title);
    }
    nodes = reader->wanted[ENTRY_NODE] &&
            (reader->places[COLUMN_ID] > 0 || reader->places[COLUMN_TITLE] > 0);
    if (!edges && reader->wanted[ENTRY_NODE])
        begin_survey(reader);
    if (!edges && !nodes && reader->survey) {
        reader->unnamed = true;
        return 0;
    }
    if (!edges && !nodes)
        return refuse_heading(reader);
    reader->wanted[ENTRY_EDGE] = edges;
    reader->wanted[ENTRY_NODE] = nodes;
    find_needs(reader);
    return 0;
}

/* The key of a column that is a field; false if it is not read. */
static bool name_field(struct sheet_reader *reader, size_t i, json_t *taken, char *key, size_t size)
{
    const char *heading = heading_at(reader, i);
    size_t len = split_heading(&heading, &reader->kinds[i]);
    enum column_fit fit;

    if (i + 1 == reader->rest || mapped_role(reader, heading_at(reader, i)) == COLUMN_IGNORE ||
        column_role_rank(COLUMN_IGNORE, heading, len, &fit) > 0)
        return false;
    snprintf(key, size, "%.*s", (int)len, heading);
    if (i + 1 == reader->places[COLUMN_CHAPTER] && !json_object_get(taken, "chapter"))
        snprintf(key, size, "chapter");
    if (strcasecmp(heading, ":LABEL") == 0) /* Neo4j's, which is a class and no title */
        snprintf(key, size, "node_type");
    if (len == 0)
        snprintf(key, size, "column %zu", i + 1);
    for (size_t n = 2; json_object_get(taken, key); n++)
        snprintf(key, size, "%.*s (%zu)", (int)len, heading, n);
    return true;
}

/* The keys of the columns in entries of a kind. */
static void name_columns(struct sheet_reader *reader, enum entry_kind kind)
{
    const struct csv_sheet *sheet = sheet_of[kind];
    json_auto_t *taken = json_object();

    for (size_t r = 0; sheet->roles[r].key; r++)
        json_object_set_new(taken, sheet->roles[r].key, json_true());
    for (size_t i = 0; i < reader->columns; i++) {
        const char *key = NULL, *heading = heading_at(reader, i);
        char field[NAME_CAP * 4];

        for (size_t r = 0; sheet->roles[r].key; r++)
            if (reader->places[sheet->roles[r].role] == i + 1)
                key = sheet->roles[r].key;
        if (!key && name_field(reader, i, taken, field, sizeof field)) {
            enum csv_kind bare;
            size_t len = split_heading(&heading, &bare);

            key = field;
            if (strncmp(key, heading, len) != 0 || key[len] != '\0')
                findings_add(&reader->told, FINDING_CHANGED, PLACE(reader->name, 1, heading),
                             "a column is kept as '%s'", key);
            json_object_set_new(taken, key, json_true());
        }
        json_array_append_new(reader->keys[kind], key ? json_string(key) : json_null());
    }
}

static int read_heading(struct sheet_reader *reader)
{
    const char *last;
    enum csv_kind kind;
    size_t len;

    reader->columns = json_array_size(reader->cells);
    while (reader->columns > 0 && *heading_at(reader, reader->columns - 1) == '\0')
        reader->columns--; /* those of cells that are empty in all rows, mostly */
    if (reader->columns == 0)
        return 0; /* lines of blanks before the table */
    reader->has_heading = true;
    if (reader->columns > COLUMNS_READ_CAP)
        return error_set(reader->err, ERROR_TOO_LARGE, "%s line %zu: more than %d columns",
                         reader->name, reader->row_line, COLUMNS_READ_CAP);
    for (size_t i = 0; i < reader->columns; i++) {
        last = heading_at(reader, i);
        len = split_heading(&last, &kind);
        if (len == strlen(REST) && strncmp(last, REST, len) == 0 && kind == CSV_JSON)
            reader->rest = i + 1;
    }
    if (find_roles(reader) < 0)
        return -1;
    for (enum entry_kind of = ENTRY_NODE; of < ENTRY_KINDS && !reader->unnamed; of++)
        if (reader->wanted[of])
            name_columns(reader, of);
    return 0;
}

static int read_row(struct sheet_reader *reader);

/* A sheet without a row of headings: its columns are called by their places. */
static int read_first_row(struct sheet_reader *reader)
{
    json_t *row = reader->cells;
    int rc;

    reader->cells = json_array();
    for (size_t i = 0; i < reader->content.columns; i++)
        json_array_append_new(reader->cells, json_sprintf("column %zu", i + 1));
    findings_add(&reader->told, FINDING_READ, PLACE(reader->name, reader->row_line, NULL),
                 "the sheet has no row of headings: its first row is read as the others, and the "
                 "columns are called 'column 1' and so on");
    rc = read_heading(reader);
    json_decref(reader->cells);
    reader->cells = row;
    return rc == 0 ? read_row(reader) : -1;
}

static bool is_id_column(const struct sheet_reader *reader, size_t i)
{
    return reader->places[COLUMN_ID] == i + 1 ||
           (reader->wanted[ENTRY_EDGE] &&
            (reader->places[COLUMN_SOURCE] == i + 1 || reader->places[COLUMN_TARGET] == i + 1));
}

static int read_cell(struct sheet_reader *reader, size_t i, const json_t *cell, const char *key,
                     json_t *entry)
{
    static const char *const kind_names[] = {[CSV_TEXT] = "text",
                                             [CSV_NUMBER] = "a number",
                                             [CSV_BOOLEAN] = "true or false",
                                             [CSV_JSON] = "JSON",
                                             [CSV_LIST] = "a list"};
    enum csv_kind kind = reader->kinds[i];
    const char *text = json_string_value(cell);
    size_t len = json_string_length(cell), all = len;
    json_t *value;

    if (reader->rest == 0 && (is_id_column(reader, i) || kind != CSV_TEXT)) {
        len = trim(&text, len);
        if (len == 0)
            return 0;
        if (len < all)
            findings_add(&reader->told, FINDING_CHANGED,
                         PLACE(reader->name, reader->row_line, text),
                         "blanks around ids and numbers are left out");
    }
    {
        json_auto_t *trimmed = json_stringn(text, len);

        value = value_of(json_string_value(trimmed), len, kind);
        if (!value) {
            char shown[NAME_CAP * 2];
            bool is_list = strcmp(key, "components") == 0; /* no text, by the contract */

            snprintf(shown, sizeof shown, is_list ? "%.100s (text)" : "%.100s", key);
            findings_add(
                &reader->told, FINDING_CHANGED, PLACE(reader->name, reader->row_line, text),
                "a cell of '%s' is not %s: it is kept as text%s%s%s", key, kind_names[kind],
                is_list ? " in '" : "", is_list ? shown : "", is_list ? "'" : "");
            return json_object_set(entry, is_list ? shown : key, trimmed);
        }
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
        findings_add(&reader->told, FINDING_CHANGED,
                     PLACE(reader->name, reader->row_line, json_string_value(cell)),
                     "a cell of '" REST
                     ":json' is not {\"fields\": {...}}: it is kept as text in '" REST
                     " (text)', and the row is read without it");
        json_object_set(entry, REST " (text)", (json_t *)cell);
        return json_incref(entry);
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

/* A relationship of another tool has a type, or is given one. */
static void complete_edge(struct sheet_reader *reader, json_t *entry)
{
    const char *type, *contract;

    if (reader->rest == 0 && is_direction(json_get_string(entry, "relationship_type"))) {
        /* Gephi's Type */
        reader->undirected +=
            strcasecmp(json_get_string(entry, "relationship_type"), "directed") != 0;
        json_object_del(entry, "relationship_type");
    }
    type = json_get_string(entry, "relationship_type");
    contract = reader->rest == 0 && type ? relationship_type_spelled(type) : NULL;
    if (contract && strcmp(contract, type) != 0) {
        findings_add(&reader->told, FINDING_CHANGED, PLACE(reader->name, reader->row_line, type),
                     "a type of relationships in other letters is written as %s", contract);
        json_object_set_new(entry, "relationship_type", json_string(contract));
    }
    if (!json_object_get(entry, "relationship_type")) {
        json_object_set_new(entry, "relationship_type",
                            json_string(format_untyped(reader->report)));
        reader->types_made++;
    }
}

/* An id from a title: its letters and digits, and a number where another row has it. */
static json_t *make_id(const struct sheet_reader *reader, const char *title)
{
    char id[NAME_CAP + 32];
    size_t kept = 0, len = strlen(title);
    bool gap = false;

    for (size_t at = 0; at < len;) {
        ucs4_t letter;
        size_t took = (size_t)u8_mbtouc(&letter, (const uint8_t *)title + at, len - at);

        if (!uc_is_alnum(letter) && uc_combining_class(letter) == 0) {
            gap = kept > 0;
        } else {
            if (kept + took + 1 >= NAME_CAP)
                break;
            if (gap)
                id[kept++] = '-';
            memcpy(id + kept, title + at, took);
            kept += took;
            gap = false;
        }
        at += took;
    }
    if (kept == 0)
        kept = (size_t)snprintf(id, sizeof id, "N%03zu",
                                json_array_size(reader->entries[ENTRY_NODE]) + 1);
    id[kept] = '\0';
    for (size_t n = 2; json_object_get(reader->lines, id); n++)
        snprintf(id + kept, sizeof id - kept, "-%zu", n);
    return json_string(id);
}

/* A node of another tool has an id and a title, or is given the one for the other. */
static void complete_node(struct sheet_reader *reader, json_t *entry)
{
    const char *title = json_get_string(entry, "title");

    if (!json_get_string(entry, "node_id") && title && !is_blank(title, strlen(title))) {
        json_object_set_new(entry, "node_id", make_id(reader, title));
        if (reader->places[COLUMN_ID] > 0)
            findings_add(&reader->told, FINDING_CHANGED,
                         PLACE(reader->name, reader->row_line, title),
                         "a row without an id gets one from its title");
        else
            reader->ids_made++;
    }
    if (json_get_string(entry, "node_id") && !json_object_get(entry, "title")) {
        json_object_set(entry, "title", json_object_get(entry, "node_id"));
        reader->titles_made++;
    }
}

/* Whether the row has what an entry of its kind needs. */
static bool is_complete(struct sheet_reader *reader, enum entry_kind kind, const json_t *entry)
{
    const struct csv_sheet *sheet = sheet_of[kind];

    for (size_t r = 0; r < sheet->needed; r++) {
        const json_t *there = json_object_get(entry, sheet->roles[1 - r].key);

        if (json_object_get(entry, sheet->roles[r].key))
            continue;
        findings_add(&reader->told, FINDING_LEFT_OUT,
                     PLACE(reader->name, reader->row_line, json_string_value(there)),
                     kind == ENTRY_NODE ? "a row without an id and a title is left out"
                                        : "a row without %s is left out",
                     sheet->roles[r].heading);
        return false;
    }
    return true;
}

/* What is known of a node besides its entry: its line, its place in the order, the cell that names
 * others. */
static void see_node(struct sheet_reader *reader, const json_t *entry)
{
    const char *id = json_get_string(entry, "node_id");
    size_t order = reader->places[COLUMN_ORDER];
    const json_t *cell = order > 0 ? json_array_get(reader->cells, order - 1) : NULL;
    const char *number = cell ? json_string_value(cell) : "";
    char *end = NULL;
    double place = strtod(number, &end);

    if (id && reader->rest == 0) {
        json_auto_t *same = prerequisites_plain_id(id, strlen(id));
        const char *key = json_string_value(same);

        if (key && json_object_get(reader->lines, key)) {
            reader->twice++;
            findings_add(&reader->told, FINDING_READ, PLACE(reader->name, reader->row_line, id),
                         "another row has the same id; both are kept");
        } else if (key) {
            json_object_set_new(reader->lines, key, json_integer((json_int_t)reader->row_line));
        }
    }
    json_array_append_new(reader->orders,
                          end && end > number && isfinite(place) ? json_real(place) : json_null());
    for (size_t i = 0; id && i < reader->needs_count; i++) {
        cell = json_array_get(reader->cells, reader->needs[i] - 1);
        if (cell)
            json_array_append_new(reader->naming[i],
                                  json_pack("{s:s, s:I, s:O}", "to", id, "line",
                                            (json_int_t)reader->row_line, "text", cell));
    }
}

static bool has_cell(const struct sheet_reader *reader, enum column_role role)
{
    const json_t *cell =
        reader->places[role] > 0 ? json_array_get(reader->cells, reader->places[role] - 1) : NULL;

    return cell && !is_blank(json_string_value(cell), json_string_length(cell));
}

/* Too many rows are not surveyed. */
static void survey_row(struct sheet_reader *reader)
{
    const json_t *cell;
    bool blank = true;
    size_t i;

    json_array_foreach(reader->cells, i, cell) blank =
        blank && is_blank(json_string_value(cell), json_string_length(cell));
    if (!blank)
        json_array_append_new(reader->survey, json_copy(reader->cells));
    if (json_array_size(reader->survey) > CONTENT_ROWS_CAP) {
        json_decref(reader->survey);
        reader->survey = NULL;
        reader->unsurveyed = true;
        if (reader->unnamed)
            reader->rc = refuse_heading(reader);
    }
}

static int read_row(struct sheet_reader *reader)
{
    const json_t *cell, *rest = NULL;
    json_auto_t *entry = json_object(), *whole = NULL;
    enum entry_kind kind = reader->wanted[ENTRY_NODE] ? ENTRY_NODE : ENTRY_EDGE;
    bool blank = true;
    size_t i;

    if (reader->survey)
        survey_row(reader);
    if (reader->unnamed)
        return reader->rc;
    if (reader->wanted[ENTRY_NODE] && reader->wanted[ENTRY_EDGE] &&
        (has_cell(reader, COLUMN_SOURCE) || has_cell(reader, COLUMN_TARGET)))
        kind = ENTRY_EDGE;
    json_array_foreach(reader->cells, i, cell)
    {
        const char *key = json_string_value(json_array_get(reader->keys[kind], i));
        char extra[NAME_CAP];

        if (json_string_length(cell) == 0)
            continue;
        if (!is_blank(json_string_value(cell), json_string_length(cell)))
            blank = false;
        else if (i >= reader->columns)
            continue;
        if (i >= COLUMNS_READ_CAP) {
            findings_add(&reader->told, FINDING_LEFT_OUT,
                         PLACE(reader->name, reader->row_line, json_string_value(cell)),
                         "cells behind the %dth are left out", COLUMNS_READ_CAP);
        } else if (i >= reader->columns) {
            snprintf(extra, sizeof extra, "column %zu", i + 1);
            findings_add(
                &reader->told, FINDING_CHANGED,
                PLACE(reader->name, reader->row_line, json_string_value(cell)),
                "a row has more cells than the heading: each is kept in a field '%s' or its like; "
                "a cell with a separator in it must stand in quotes",
                extra);
            json_object_set(entry, extra, (json_t *)cell);
        } else if (i + 1 == reader->rest) {
            rest = cell;
        } else if (key && read_cell(reader, i, cell, key, entry) < 0) {
            return -1;
        }
    }
    if (blank && !rest)
        return 0;
    if (!rest && kind == ENTRY_NODE)
        complete_node(reader, entry);
    if (!rest && kind == ENTRY_EDGE)
        complete_edge(reader, entry);
    if (!rest && !is_complete(reader, kind, entry))
        return 0;
    whole = rest ? add_rest(reader, rest, entry) : json_incref(entry);
    if (kind == ENTRY_NODE)
        see_node(reader, whole);
    if (json_array_append(reader->entries[kind], whole) < 0)
        return error_set(reader->err, ERROR_MEMORY, "out of memory for %s", reader->name);
    return 0;
}

/* ---- rows by libcsv, which is fed line by line, so that an error can say which. RFC 4180, and
 * CRLF, LF or CR at the ends of lines ---- */

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
        reader->rc = error_set(reader->err, ERROR_MEMORY, "out of memory for %s", reader->name);
}

static void on_row(int end, void *user)
{
    struct sheet_reader *reader = user;

    (void)end;
    if (reader->rc == 0)
        reader->rc = reader->has_heading                                ? read_row(reader)
                     : reader->by_content && reader->content.no_heading ? read_first_row(reader)
                                                                        : read_heading(reader);
    json_array_clear(reader->cells);
    reader->in_row = false;
}

/* The first of the separators that the heading has most of, quoted ones not counted; all are
 * counted where a quote of the heading is not closed. */
static char guess_separator(const char *text, size_t len)
{
    static const char separators[] = {',', ';', '\t', '|'};
    size_t counts[sizeof separators] = {0}, best = 0;

    for (bool quotes = true, quoted = false, more = true; more; quotes = false) {
        memset(counts, 0, sizeof counts);
        for (size_t i = 0; i < len && (quoted || (text[i] != '\n' && text[i] != '\r')); i++) {
            if (text[i] == '"' && quotes)
                quoted = !quoted;
            for (size_t s = 0; !quoted && s < sizeof separators; s++)
                counts[s] += text[i] == separators[s];
        }
        more = quoted;
        quoted = false;
    }
    for (size_t s = 1; s < sizeof separators; s++)
        if (counts[s] > counts[best])
            best = s;
    return separators[best];
}

/* The length of the line that begins at text, with its end. */
static size_t line_length(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\n')
            return i + 1;
        if (text[i] == '\r')
            return i + 1 + (i + 1 < len && text[i + 1] == '\n');
    }
    return len;
}

static int parse(struct csv_parser *parser, struct sheet_reader *reader, const char *text,
                 size_t len)
{
    for (size_t at = 0; at < len && reader->rc == 0;) {
        size_t take = line_length(text + at, len - at);

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

/* The separator is the one that the heading has most of, or as a first line "sep=;", Excel's own,
 * says. */
static int read_rows(struct sheet_reader *reader, const struct buf *text)
{
    const char *from = text->data ? text->data : "", *end = from + text->len;
    struct buf BUF_AUTO mended = {0};
    struct csv_parser parser;
    char separator;
    int rc;

    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
        return error_set(reader->err, ERROR_MEMORY, "out of memory for %s", reader->name);
    separator = guess_separator(from, (size_t)(end - from));
    if (end - from > 5 && memcmp(from, "sep=", 4) == 0 && strchr(",;\t|", from[4])) {
        separator = from[4];
        for (from += 5; from < end && (*from == '\r' || *from == '\n'); from++)
            reader->line += *from == '\n';
    }
    csv_set_delim(&parser, (unsigned char)separator);
    csv_set_space_func(&parser, no_space);
    csv_set_blk_size(&parser, CELL_STEP);
    buf_init(&mended, 3 * (text->len + 16)); /* a cell that is one quote becomes four */
    csv_quotes_mend(from, (size_t)(end - from), separator, reader->line + 1, reader->name, &mended,
                    &reader->told);
    rc = buf_check(&mended, reader->name, reader->err);
    if (rc == 0)
        rc = mended.len > 0 ? parse(&parser, reader, mended.data, mended.len)
                            : parse(&parser, reader, from, (size_t)(end - from));
    csv_free(&parser);
    return rc;
}

static void write_what_was_made(const struct sheet_reader *reader)
{
    if (reader->ids_made > 0)
        format_note(reader->report,
                    "%s: no column has ids: those of the nodes are made from the titles (%zu)",
                    reader->name, reader->ids_made);
    if (reader->titles_made > 0)
        format_note(reader->report, "%s: %zu node%s no title: the id stands for it", reader->name,
                    reader->titles_made, reader->titles_made == 1 ? " has" : "s have");
    if (reader->types_made > 0)
        format_note_untyped(reader->report, reader->name, reader->types_made, "relationships");
    if (reader->undirected > 0)
        findings_add_count(&reader->report->lines, FINDING_CHANGED, reader->undirected,
                           PLACE(reader->name, 0, NULL),
                           "relationships without a direction: read as from source to target");
}

/* A node in its order: by chapter where the numbers begin anew in each, by number, by row. */
struct ordered {
    json_t *node;
    double number; /* infinite: none */
    size_t chapter, row;
};

static int compare_ordered(const void *left, const void *right)
{
    const struct ordered *a = left, *b = right;

    if (a->chapter != b->chapter)
        return a->chapter < b->chapter ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

int csv_put_in_order(json_t *nodes, const json_t *orders, const char *name,
                     struct format_report *report, struct error *err)
{
    size_t count = json_array_size(nodes);
    struct ordered *all = calloc(count + 1, sizeof *all);
    json_auto_t *chapters = json_object(), *seen = json_object();
    bool again = false, changed = false;

    if (!all)
        return error_set(err, ERROR_MEMORY, "out of memory for %s", name);
    for (size_t i = 0; i < count; i++) {
        json_t *node = json_array_get(nodes, i), *number = json_array_get(orders, i);
        const char *chapter = json_get_string(node, "chapter");
        char text[64];

        all[i] = (struct ordered){.node = node, .row = i, .number = INFINITY};
        if (json_is_real(number)) {
            all[i].number = json_real_value(number);
            snprintf(text, sizeof text, "%.17g", all[i].number);
            again = again || json_object_get(seen, text);
            json_object_set_new(seen, text, json_true());
        }
        if (chapter && !json_object_get(chapters, chapter))
            json_object_set_new(chapters, chapter,
                                json_integer((json_int_t)json_object_size(chapters) + 1));
        if (chapter)
            all[i].chapter = (size_t)json_integer_value(json_object_get(chapters, chapter));
    }
    for (size_t i = 0; i < count && !again; i++)
        all[i].chapter = 0;
    qsort(all, count, sizeof *all, compare_ordered);
    for (size_t i = 0; i < count; i++) {
        changed = changed || all[i].row != i;
        json_incref(all[i].node);
    }
    json_array_clear(nodes);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(nodes, all[i].node);
    free(all);
    if (changed)
        format_note(report, "%s: the lessons stand in the order of a column of numbers", name);
    return 0;
}

static void free_rows(struct sheet_reader *reader)
{
    for (size_t i = 0; i < NEEDS_CAP; i++)
        json_decref(reader->naming[i]);
    json_decref(reader->cells);
    json_decref(reader->survey);
    json_decref(reader->lines);
    json_decref(reader->orders);
    for (size_t kind = 0; kind < ENTRY_KINDS; kind++) {
        json_decref(reader->keys[kind]);
        json_decref(reader->entries[kind]);
    }
    findings_finish(&reader->told);
}

static void begin_rows(struct sheet_reader *reader, const struct sheet_reader *given)
{
    *reader = *given;
    reader->cells = json_array();
    for (size_t i = 0; i < NEEDS_CAP; i++)
        reader->naming[i] = json_array();
    reader->lines = json_object();
    reader->orders = json_array();
    for (size_t kind = 0; kind < ENTRY_KINDS; kind++) {
        reader->keys[kind] = json_array();
        reader->entries[kind] = json_array();
    }
}

/* Reads the sheet into the reader, which the caller frees. Words such as "Course" may be those of
 * ids: where several rows have the same, they are not. */
static int read_sheet(struct sheet_reader *reader, const struct buf *given)
{
    struct sheet_reader wanted = *reader;
    struct buf BUF_AUTO text = {0};
    int rc;

    buf_init(&text, 4 * (given->len + 16)); /* no encoding needs more bytes in UTF-8 */
    buf_add(&text, given->data ? given->data : "", given->len);
    begin_rows(reader, &wanted);
    rc = encoding_to_utf8(&text, reader->name, reader->report, reader->err);
    if (rc == 0)
        rc = read_rows(reader, &text);
    if (rc == 0 && reader->twice > 0 && reader->fits[COLUMN_ID] == COLUMN_BY_WORD &&
        reader->places[COLUMN_TITLE] > 0) {
        free_rows(reader);
        wanted.ids_are_fields = true;
        begin_rows(reader, &wanted);
        rc = read_rows(reader, &text);
    }
    if (rc == 0 && reader->survey) {
        wanted.content = column_content_find(reader->survey, &reader->known);
        wanted.by_content = wanted.content.id + wanted.content.title + wanted.content.source +
                                wanted.content.needs_count >
                            0;
    }
    if (rc == 0 && wanted.by_content) {
        free_rows(reader);
        begin_rows(reader, &wanted);
        rc = read_rows(reader, &text);
    }
    if (rc == 0 && reader->unnamed)
        rc = refuse_heading(reader);
    if (rc == 0 && !reader->has_heading)
        rc = error_set(
            reader->err, ERROR_MALFORMED, "%s is empty; its first line must be a heading: %s",
            reader->name,
            sheet_of[reader->wanted[ENTRY_NODE] ? ENTRY_NODE : ENTRY_EDGE]->heading_needed);
    if (rc == 0 && reader->places[COLUMN_ORDER] > 0)
        rc = csv_put_in_order(reader->entries[ENTRY_NODE], reader->orders, reader->name,
                              reader->report, reader->err);
    if (rc == 0) {
        write_what_was_made(reader);
        findings_move(&reader->report->lines, &reader->told);
    }
    return rc;
}

/* Appends the relationships of the sheet's rows and of its columns of prerequisites. */
static void take_relationships(struct sheet_reader *reader, json_t *relationships)
{
    const json_t *keys = reader->keys[ENTRY_NODE];

    json_array_extend(relationships, reader->entries[ENTRY_EDGE]);
    for (size_t i = 0; reader->wanted[ENTRY_NODE] && i < reader->needs_count; i++)
        prerequisites_add(reader->entries[ENTRY_NODE], reader->naming[i], reader->name,
                          json_string_value(json_array_get(keys, reader->needs[i] - 1)),
                          relationships, reader->report);
}

json_t *csv_read_sheet(const struct csv_sheet *sheet, const char *name, const struct buf *text,
                       struct format_report *report, struct error *err)
{
    enum entry_kind kind = sheet == &csv_nodes ? ENTRY_NODE : ENTRY_EDGE;
    struct sheet_reader reader = {.name = name, .report = report, .err = err};
    json_t *entries = NULL;

    reader.wanted[kind] = true;
    reader.has_relationships = true; /* none can be returned */
    if (read_sheet(&reader, text) == 0)
        entries = json_incref(reader.entries[kind]);
    free_rows(&reader);
    return entries;
}

json_t *csv_read_nodes(const char *name, const struct buf *text, json_t *relationships,
                       struct format_report *report, struct error *err)
{
    struct sheet_reader reader = {.name = name, .report = report, .err = err};
    json_t *nodes = NULL;

    reader.has_relationships = json_array_size(relationships) > 0;
    reader.wanted[ENTRY_NODE] = true;
    if (read_sheet(&reader, text) == 0) {
        take_relationships(&reader, relationships);
        if (reader.rest == 0)
            prerequisites_resolve(reader.entries[ENTRY_NODE], relationships, name, report);
        nodes = json_incref(reader.entries[ENTRY_NODE]);
    }
    free_rows(&reader);
    return nodes;
}

/* The nodes of an edge list: its ends, in the order in which they come. */
static void make_nodes(struct sheet_reader *reader)
{
    static const char *const ends[] = {"from_node_id", "to_node_id"};
    json_auto_t *seen = json_object();
    const json_t *edge;
    size_t i;

    json_array_foreach(reader->entries[ENTRY_EDGE], i, edge)
    {
        for (size_t end = 0; end < 2; end++) {
            const char *id = json_get_string(edge, ends[end]);

            if (!id || json_object_get(seen, id))
                continue;
            json_object_set_new(seen, id, json_true());
            json_array_append_new(reader->entries[ENTRY_NODE],
                                  json_pack("{s:s, s:s}", "node_id", id, "title", id));
        }
    }
    format_note(reader->report,
                "%s: the sheet has relationships alone: the nodes are made of their ends (%zu)",
                reader->name, json_array_size(reader->entries[ENTRY_NODE]));
}

json_t *csv_curriculum(const char *name, const struct buf *text, struct format_report *report,
                       struct error *err)
{
    struct sheet_reader reader = {.name = name, .report = report, .err = err};
    json_auto_t *relationships = json_array();
    json_t *curriculum = NULL;

    reader.wanted[ENTRY_NODE] = reader.wanted[ENTRY_EDGE] = true;
    if (read_sheet(&reader, text) == 0) {
        if (!reader.wanted[ENTRY_NODE] || json_array_size(reader.entries[ENTRY_NODE]) == 0)
            make_nodes(&reader);
        take_relationships(&reader, relationships);
        if (reader.rest == 0)
            prerequisites_resolve(reader.entries[ENTRY_NODE], relationships, name, report);
        if (!reader.wanted[ENTRY_EDGE] && reader.places[COLUMN_PREREQUISITES] == 0)
            format_note(
                report,
                "%s: no column is called Prerequisites, so there are no relationships: name "
                "it with --map 'COLUMN=prerequisites'",
                name);
        curriculum = json_pack("{s:O, s:O}", "nodes", reader.entries[ENTRY_NODE], "relationships",
                               relationships);
    }
    free_rows(&reader);
    return curriculum;
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
    size_t long_cells;
    char long_id[FINDING_VALUE_CAP]; /* of the first row with one */
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
           (kind != CSV_TEXT || (!is_blank(json_string_value(value), json_string_length(value)) &&
                                 strlen(json_string_value(value)) == json_string_length(value)));
}

/* One cell, quoted. */
static void add_cell(struct buf *to, const char *text, size_t len)
{
    char *room = buf_reserve(to, len * 2 + 2);

    if (room)
        to->len += csv_write(room, len * 2 + 2, text, len);
}

/* text: of the cell; row: whose it is. */
static void see_length(struct table *table, const struct buf *text, const json_t *entry)
{
    const char *id = json_get_string(entry, table->columns[0].name);

    if (text->len <= CELL_CHARACTERS ||
        u8_mbsnlen((const uint8_t *)text->data, text->len) <= CELL_CHARACTERS)
        return;
    if (table->long_cells++ == 0)
        text_cut_line(table->long_id, sizeof table->long_id, id ? id : "");
}

static void add_value(struct table *table, struct buf *row, const json_t *value, enum csv_kind kind,
                      const json_t *entry)
{
    struct buf BUF_AUTO text = {0};

    if (kind == CSV_TEXT) {
        if (is_formula(json_string_value(value)))
            buf_adds(&text, GUARD);
        buf_add(&text, json_string_value(value), json_string_length(value));
    } else {
        json_write(&text, value);
    }
    see_length(table, &text, entry);
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
            add_value(table, text, value, table->columns[i].kind, entry);
        buf_addc(text, ',');
    }
    if (rest) {
        table->rest++;
        add_value(table, text, rest, CSV_JSON, entry);
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
                       struct format_report *report, struct error *err)
{
    struct table table = {.index = json_object()};
    json_t *entry;
    size_t i;

    buf_adds(text, ENCODING_MARK);
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
    if (table.rest > 0)
        format_note(report,
                    "%s: what no cell can say (empty texts, null, missing or mixed fields) stands "
                    "in the column " REST ":json of %zu rows; other tools do not read it",
                    sheet->file, table.rest);
    if (table.long_cells > 0)
        findings_add_count(&report->lines, FINDING_READ, table.long_cells,
                           PLACE(sheet->file, 0, table.long_id),
                           "cells have more than 32,767 characters: Excel cuts them when it saves "
                           "the file; the first is in the row of");
    return buf_check(text, sheet->file, err);
}

/* ---- the files ---- */

static const char *const node_names[] = {NODES_FILE, "Nodes.csv", "nodes.tsv", NULL};
static const char *const relationship_names[] = {
    RELATIONSHIPS_FILE, "edges.csv",         "links.csv", "Relationships.csv",
    "Edges.csv",        "relationships.tsv", "edges.tsv", NULL};
static const char *const further_names[] = {FURTHER_FILE, NULL};
static const char *const joints[] = {"-", "_", ".", NULL};
static const char *const suffixes[] = {".csv", ".tsv", NULL};

/* The sheets of one curriculum, from files beside each other or in one folder. */
enum part { PART_NODES, PART_RELATIONSHIPS, PART_FURTHER, PARTS };
static const char *const *const part_names[PARTS] = {node_names, relationship_names, further_names};

struct parts {
    char names[PARTS][PATH_MAX]; /* "" where there is no such file */
    struct buf texts[PARTS];     /* owned */
};

static void parts_finish(struct parts *parts)
{
    for (size_t i = 0; i < PARTS; i++)
        buf_finish(&parts->texts[i]);
}

static bool find_file(const char *prefix, const char *const *names, char path[PATH_MAX])
{
    for (size_t i = 0; names[i]; i++)
        if (snprintf(path, PATH_MAX, "%s%s", prefix, names[i]) < PATH_MAX &&
            access(path, F_OK) == 0)
            return true;
    *path = '\0';
    return false;
}

static bool is_there(const char *prefix)
{
    char path[PATH_MAX];

    return find_file(prefix, node_names, path) || find_file(prefix, relationship_names, path);
}

/* The prefix of the files' names: "folder/algebra-". */
static bool find_prefix(const char *path, char prefix[PATH_MAX])
{
    size_t len = strlen(path), size = PATH_MAX;

    if (len == 0 || len >= size - 16)
        return false;
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

static bool has_beside(const char *path)
{
    char prefix[PATH_MAX];

    return find_prefix(path, prefix);
}

static bool has_name(const char *name)
{
    return file_ends_in_any(name, suffixes);
}

/* ---- reading ---- */

/* The other fields of the curriculum, if their file exists: {"further": {...}, "relationships":
 * false}. */
static json_t *read_further(const struct parts *parts, bool *relationships, struct error *err)
{
    const struct buf *text = &parts->texts[PART_FURTHER];
    const char *name = parts->names[PART_FURTHER];
    json_auto_t *beside = json_read(text->data, text->len, name, err);
    json_t *further = json_object_get(beside, "further");

    *relationships = !json_is_false(json_object_get(beside, "relationships"));
    if (json_is_object(further))
        return json_incref(further);
    if (beside)
        error_set(err, ERROR_INVALID,
                  "%s is not {\"further\": {...}}, as an export writes it; delete it to do without",
                  name);
    return NULL;
}

/* At least one of nodes and relationships is there. */
static json_t *read_parts(const struct parts *parts, struct format_report *report,
                          struct error *err)
{
    const char *nodes_name = parts->names[PART_NODES],
               *relationships_name = parts->names[PART_RELATIONSHIPS];
    json_auto_t *root = NULL, *nodes = NULL, *relationships = NULL;
    bool has_relationships = true, is_pair = *relationships_name != '\0';

    if (!*nodes_name)
        return csv_curriculum(relationships_name, &parts->texts[PART_RELATIONSHIPS], report, err);
    root =
        *parts->names[PART_FURTHER] ? read_further(parts, &has_relationships, err) : json_object();
    if (root)
        relationships = is_pair ? csv_read_sheet(&csv_relationships, relationships_name,
                                                 &parts->texts[PART_RELATIONSHIPS], report, err)
                                : json_array();
    if (relationships)
        nodes = csv_read_nodes(nodes_name, &parts->texts[PART_NODES], relationships, report, err);
    if (!nodes)
        return NULL;
    if (!is_pair && json_array_size(relationships) == 0)
        findings_add(&report->lines, FINDING_READ, PLACE(nodes_name, 0, NULL),
                     "there is no " RELATIONSHIPS_FILE
                     " beside the nodes, which come without relationships");
    json_object_set(root, "nodes", nodes);
    if ((is_pair && has_relationships) || json_array_size(relationships) > 0)
        json_object_set(root, "relationships", relationships);
    return json_incref(root);
}

static json_t *read_beside(const char *path, struct format_report *report, struct error *err)
{
    struct parts parts = {0};
    json_t *curriculum = NULL;
    char prefix[PATH_MAX];
    int rc = 0;

    if (!find_prefix(path, prefix))
        rc = error_set(err, ERROR_NOT_FOUND,
                       "there is no CSV file %s, nor a pair of them: name a file with the heading "
                       "Id,Title,Prerequisites, a folder with " NODES_FILE
                       " and " RELATIONSHIPS_FILE " (or edges.csv), or PREFIX of PREFIX-" NODES_FILE
                       " and PREFIX-" RELATIONSHIPS_FILE,
                       path);
    for (size_t i = 0; rc == 0 && i < PARTS; i++)
        if (find_file(prefix, part_names[i], parts.names[i]))
            rc = file_read(parts.names[i], CURRICULUM_FILE_CAP, &parts.texts[i], err);
    if (rc == 0)
        curriculum = read_parts(&parts, report, err);
    parts_finish(&parts);
    return curriculum;
}

/* The names of the sheets that are there; and the only sheet, if it has another name and stands
 * beside no notes. */
static bool find_parts(const struct files *files, struct parts *parts)
{
    struct folder_rest rest;
    json_auto_t *sheets = NULL, *notes = NULL;

    for (size_t i = 0; i < PARTS; i++)
        for (size_t j = 0; part_names[i][j] && !*parts->names[i]; j++)
            if (files_has(files, part_names[i][j]))
                snprintf(parts->names[i], PATH_MAX, "%s", part_names[i][j]);
    if (*parts->names[PART_NODES] || *parts->names[PART_RELATIONSHIPS])
        return true;
    notes = files_list(files, markdown_suffixes, &rest, NULL);
    sheets = files_list(files, suffixes, &rest, NULL);
    if (json_array_size(sheets) != 1 || json_array_size(notes) > 0)
        return false;
    snprintf(parts->names[PART_RELATIONSHIPS], PATH_MAX, "%s",
             json_string_value(json_array_get(sheets, 0)));
    return true;
}

static bool has_files(const struct files *files)
{
    struct parts parts = {0};

    return find_parts(files, &parts);
}

static json_t *read_files(const struct files *files, struct format_report *report,
                          struct error *err)
{
    struct parts parts = {0};
    json_t *curriculum = NULL;
    int rc = 0;

    if (!find_parts(files, &parts))
        rc = error_set(err, ERROR_NOT_FOUND,
                       "%s holds no " NODES_FILE " or " RELATIONSHIPS_FILE
                       " (edges.csv), nor one sheet alone",
                       files_path(files));
    for (size_t i = 0; rc == 0 && i < PARTS; i++)
        if (*parts.names[i])
            rc = files_read(files, parts.names[i], CURRICULUM_FILE_CAP, &parts.texts[i], err);
    if (rc == 0)
        curriculum = read_parts(&parts, report, err);
    parts_finish(&parts);
    return curriculum;
}

/* ---- writing ---- */

static int add_sheet(struct folder *folder, const struct csv_sheet *sheet, const json_t *entries,
                     struct format_report *report, struct error *err)
{
    struct buf BUF_AUTO text = {0};

    if (write_sheet(sheet, entries, &text, report, err) < 0)
        return -1;
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
    .has_name = has_name,
    .read = csv_curriculum,
    .has_beside = has_beside,
    .read_beside = read_beside,
    .has_files = has_files,
    .read_files = read_files,
    .write = write_csv,
};
