/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pair of CSV files of graph tools, nodes and relationships.
 *
 * nodes.csv has the columns Id and Label, then the nodes' further fields; relationships.csv has
 * Source, Target and relationship_type, then theirs. Behind a field's name may stand its type, as
 * Neo4j's import tool has it: "chapter_id:int", "weight:float", "draft:boolean", "title:string",
 * and of ours "components:json". An empty cell: the field is not there. What no cell says rightly
 * (an empty text, null, a text with NUL, a number among texts) stands in the last column,
 * "lectern:json"; where it has a cell, the row is exactly so, and where not, id and title are made
 * up as a foreign file needs it. The file's other fields (meta) are in a third file beside them,
 * curriculum.json.
 *
 * Read from a folder, from PREFIX-nodes.csv and its like, or from the file of the nodes; written as
 * a folder.
 */
#include "mcp/format/csv.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "helpers/base/json.h"
#include "mcp/format/file.h"
#include "mcp/session/component_type.h"
#include "mcp/session/curriculum_file.h"

/* ---- the two sheets ---- */

const struct csv_sheet csv_nodes = {
    .file = CSV_NODES_FILE,
    .roles = {{"node_id", "Id", CSV_ID}, {"title", "Label", CSV_TITLE}, {NULL, NULL, CSV_FIELD}},
    .needed = 1,
    .heading_needed =
        "Id (or id, node_id, :ID), and Label (or title, name) where nodes have titles",
};
const struct csv_sheet csv_relationships = {
    .file = CSV_RELATIONSHIPS_FILE,
    .roles = {{"from_node_id", "Source", CSV_SOURCE},
              {"to_node_id", "Target", CSV_TARGET},
              {"relationship_type", "relationship_type", CSV_TYPE},
              {NULL, NULL, CSV_FIELD}},
    .needed = 2,
    .heading_needed = "Source (or from_node_id, :START_ID), Target (or to_node_id, :END_ID), and "
                      "relationship_type (or Type) where they have types",
};

/* reading a sheet: the heading says what each column is, then each row is an entry */

#define COLUMNS_READ_CAP 2000

enum column_use { USE_FIELD, USE_ROLE, USE_REST, USE_NOTHING };

struct sheet_reader {
    const struct csv_sheet *sheet;
    const char *name;
    struct format_report *report;
    bool has_heading;
    bool ours; /* it has our last column: no word in it is another tool's */
    size_t columns;
    enum column_use uses[COLUMNS_READ_CAP];
    enum csv_kind kinds[COLUMNS_READ_CAP];
    json_t *keys;  /* of the entry, a text a column */
    json_t *taken; /* keys that have a column */
    json_t *entries;
    size_t titles_made, types_made, undirected;
};

/* ---- the heading ---- */

static int find_roles(struct sheet_reader *reader, const json_t *heading, struct error *err)
{
    for (size_t r = 0; reader->sheet->roles[r].key; r++) {
        int best_rank = -1;
        size_t best = 0;

        for (size_t i = 0; i < reader->columns; i++) {
            const char *text = json_string_value(json_array_get(heading, i));
            int rank = csv_role_rank(reader->sheet->roles[r].role, text);

            if (rank >= 0 && (best_rank < 0 || rank < best_rank) && reader->uses[i] == USE_FIELD) {
                best_rank = rank;
                best = i;
            }
        }
        if (best_rank < 0 && r < reader->sheet->needed)
            return error_set(
                err, ERROR_INVALID, "%s line 1: no column is called %s; the heading needs %s",
                reader->name, reader->sheet->roles[r].heading, reader->sheet->heading_needed);
        if (best_rank < 0)
            continue;
        reader->uses[best] = USE_ROLE;
        json_array_set_new(reader->keys, best, json_string(reader->sheet->roles[r].key));
    }
    return 0;
}

static void name_field(struct sheet_reader *reader, size_t i, const char *heading)
{
    size_t len = csv_heading(heading, &reader->kinds[i]);
    char key[CSV_NAME_CAP * 4];

    while (len > 0 && *heading == ' ') {
        heading++;
        len--;
    }
    while (len > 0 && heading[len - 1] == ' ')
        len--;
    if (len == strlen(CSV_REST) && strncmp(heading, CSV_REST, len) == 0 &&
        reader->kinds[i] == CSV_JSON) {
        reader->uses[i] = USE_REST;
        reader->ours = true;
        return;
    }
    if (strcasecmp(heading, ":IGNORE") == 0) {
        reader->uses[i] = USE_NOTHING;
        return;
    }
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

static int read_heading(struct sheet_reader *reader, const json_t *heading, struct error *err)
{
    reader->has_heading = true;
    reader->columns = json_array_size(heading);
    if (reader->columns > COLUMNS_READ_CAP)
        return error_set(err, ERROR_TOO_LARGE, "%s line 1: more than %d columns", reader->name,
                         COLUMNS_READ_CAP);
    for (size_t i = 0; i < reader->columns; i++)
        json_array_append_new(reader->keys, json_null());
    if (find_roles(reader, heading, err) < 0)
        return -1;
    for (size_t r = 0; reader->sheet->roles[r].key; r++)
        json_object_set_new(reader->taken, reader->sheet->roles[r].key, json_true());
    for (size_t i = 0; i < reader->columns; i++)
        if (reader->uses[i] == USE_FIELD)
            name_field(reader, i, json_string_value(json_array_get(heading, i)));
    return 0;
}

/* ---- rows ---- */

static int read_cell(struct sheet_reader *reader, size_t i, size_t line, const json_t *cell,
                     json_t *entry, struct error *err)
{
    const char *key = json_string_value(json_array_get(reader->keys, i));
    enum csv_kind kind = reader->uses[i] == USE_ROLE ? CSV_TEXT : reader->kinds[i];
    json_t *value = csv_value(json_string_value(cell), json_string_length(cell), kind);

    if (!value && kind == CSV_JSON)
        return error_set(err, ERROR_MALFORMED, "%s line %zu: the cell of '%s' is not JSON",
                         reader->name, line, key);
    if (!value) {
        format_loss(reader->report, "%s line %zu: '%s' of '%s' is not a %s: kept as text",
                    reader->name, line, json_string_value(cell), key,
                    kind == CSV_NUMBER ? "number" : "true or false");
        value = json_incref((json_t *)cell);
    }
    if (json_object_set_new(entry, key, value) < 0)
        return error_set(err, ERROR_MEMORY, "out of memory for %s", reader->name);
    return 0;
}

/* The last column's cell: what no other says. A new reference to the whole entry. */
static json_t *add_rest(struct sheet_reader *reader, size_t line, const json_t *cell, json_t *entry,
                        struct error *err)
{
    json_auto_t *rest = json_read(json_string_value(cell), json_string_length(cell), "", NULL);
    json_t *whole = json_object_get(rest, "entry"), *value;
    const char *key;

    if (!json_is_object(rest) || (!whole && !json_is_object(json_object_get(rest, "fields")))) {
        error_set(err, ERROR_MALFORMED,
                  "%s line %zu: the cell of '" CSV_REST
                  ":json' is not {\"fields\": {...}}; empty it to do without",
                  reader->name, line);
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
static int complete(struct sheet_reader *reader, size_t line, json_t *entry, struct error *err)
{
    for (size_t r = 0; r < reader->sheet->needed; r++)
        if (!json_object_get(entry, reader->sheet->roles[r].key))
            return error_set(err, ERROR_INVALID, "%s line %zu: the cell of %s is empty",
                             reader->name, line, reader->sheet->roles[r].heading);
    if (reader->sheet == &csv_nodes) {
        if (!json_object_get(entry, "title")) {
            json_object_set(entry, "title", json_object_get(entry, "node_id"));
            reader->titles_made++;
        }
        return 0;
    }
    if (!reader->ours && is_direction(json_get_string(entry, "relationship_type"))) {
        /* Gephi's Type */
        reader->undirected +=
            strcasecmp(json_get_string(entry, "relationship_type"), "directed") != 0;
        json_object_del(entry, "relationship_type");
    }
    if (!json_object_get(entry, "relationship_type")) {
        json_object_set_new(entry, "relationship_type", json_string(relationship_types[0]));
        reader->types_made++;
    }
    return 0;
}

static int read_row(void *user, size_t line, const json_t *cells, struct error *err)
{
    struct sheet_reader *reader = user;
    const json_t *cell, *rest = NULL;
    json_auto_t *entry = NULL, *whole = NULL;
    int rc = 0;
    size_t i;

    if (!reader->has_heading)
        return read_heading(reader, cells, err);
    entry = json_object();
    json_array_foreach((json_t *)cells, i, cell)
    {
        if (rc < 0 || json_string_length(cell) == 0)
            continue;
        if (i >= reader->columns)
            rc = error_set(err, ERROR_MALFORMED,
                           "%s line %zu: %zu cells, where the heading has %zu: a cell with a "
                           "separator in it must stand in quotes",
                           reader->name, line, json_array_size(cells), reader->columns);
        else if (reader->uses[i] == USE_REST)
            rest = cell;
        else if (reader->uses[i] != USE_NOTHING)
            rc = read_cell(reader, i, line, cell, entry, err);
    }
    if (rc == 0 && rest) {
        whole = add_rest(reader, line, rest, entry, err);
        rc = whole ? 0 : -1;
    } else if (rc == 0 && json_object_size(entry) > 0) {
        rc = complete(reader, line, entry, err);
        whole = json_incref(entry);
    }
    if (rc == 0 && whole && json_array_append(reader->entries, whole) < 0)
        rc = error_set(err, ERROR_MEMORY, "out of memory for %s", reader->name);
    return rc;
}

static void say_what_was_made(const struct sheet_reader *reader)
{
    if (reader->titles_made > 0)
        format_note(reader->report, "%s: %zu nodes have no title: the id stands for it",
                    reader->name, reader->titles_made);
    if (reader->types_made > 0)
        format_note(reader->report, "%s: %zu rows have no type of relationship: read as %s",
                    reader->name, reader->types_made, relationship_types[0]);
    if (reader->undirected > 0)
        format_loss(reader->report,
                    "%s: %zu relationships without a direction are read as from source to target",
                    reader->name, reader->undirected);
}

json_t *csv_read_sheet(const struct csv_sheet *sheet, const char *name, const struct buf *text,
                       struct format_report *report, struct error *err)
{
    struct sheet_reader reader = {.sheet = sheet,
                                  .name = name,
                                  .report = report,
                                  .keys = json_array(),
                                  .taken = json_object(),
                                  .entries = json_array()};
    int rc = csv_rows(name, text, read_row, &reader, err);

    if (rc == 0 && !reader.has_heading)
        rc = error_set(err, ERROR_MALFORMED, "%s is empty; its first line must be a heading: %s",
                       name, sheet->heading_needed);
    if (rc == 0)
        say_what_was_made(&reader);
    json_decref(reader.keys);
    json_decref(reader.taken);
    if (rc == 0)
        return reader.entries;
    json_decref(reader.entries);
    return NULL;
}

/* Writing a sheet: first which columns there are and of what type, by what the entries have most
 * of, then a row an entry. */

struct column {
    const char *name; /* borrowed from an entry */
    size_t found[CSV_JSON + 1];
    bool whole; /* numbers without a fraction alone */
    enum csv_kind kind;
};

struct table {
    const struct csv_sheet *sheet;
    struct column columns[CSV_COLUMNS_CAP];
    size_t count;
    json_t *index; /* name -> place in columns */
    size_t rest;   /* rows with a cell in the last column */
};

/* ---- which columns ---- */

static bool is_role(const struct csv_sheet *sheet, const char *key)
{
    for (size_t i = 0; sheet->roles[i].key; i++)
        if (strcmp(sheet->roles[i].key, key) == 0)
            return true;
    return false;
}

static bool has_column(const struct csv_sheet *sheet, const char *key)
{
    size_t len = strlen(key);

    if (is_role(sheet, key) || len == 0 || len > CSV_NAME_CAP || key[0] == ' ' ||
        key[len - 1] == ' ' || strchr(key, ':') || strcasecmp(key, CSV_REST) == 0)
        return false;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)key[i] < ' ' || key[i] == 127)
            return false;
    return true;
}

static void see_value(struct column *column, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_STRING:
        column->found[CSV_TEXT]++;
        break;
    case JSON_REAL:
        column->whole = false;
        column->found[CSV_NUMBER]++;
        break;
    case JSON_INTEGER:
        column->found[CSV_NUMBER]++;
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        column->found[CSV_BOOLEAN]++;
        break;
    case JSON_OBJECT:
    case JSON_ARRAY:
        column->found[CSV_JSON]++;
        break;
    case JSON_NULL:
        break;
    }
}

static void see_entry(struct table *table, const json_t *entry)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)entry, key, value)
    {
        const json_t *known = json_object_get(table->index, key);

        if (!known && (!has_column(table->sheet, key) || table->count == CSV_COLUMNS_CAP))
            continue;
        if (!known) {
            table->columns[table->count] = (struct column){.name = key, .whole = true};
            json_object_set_new(table->index, key, json_integer((json_int_t)table->count));
            known = json_object_get(table->index, key);
            table->count++;
        }
        see_value(&table->columns[json_integer_value(known)], value);
    }
}

static void choose_kinds(struct table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        struct column *column = &table->columns[i];

        for (size_t kind = CSV_TEXT; kind <= CSV_JSON; kind++)
            if (column->found[kind] > column->found[column->kind])
                column->kind = (enum csv_kind)kind;
    }
}

/* ---- cells ---- */

/* Whether a cell of that kind says the value, and no other. */
static bool fits(const json_t *value, enum csv_kind kind)
{
    switch (kind) {
    case CSV_TEXT:
        return json_is_string(value) && json_string_length(value) > 0 &&
               strlen(json_string_value(value)) == json_string_length(value);
    case CSV_NUMBER:
        return json_is_number(value);
    case CSV_BOOLEAN:
        return json_is_boolean(value);
    case CSV_JSON:
        return true;
    }
    return false;
}

static void add_value(struct buf *row, const json_t *value, enum csv_kind kind)
{
    struct buf BUF_AUTO text = {0};

    if (kind == CSV_TEXT) {
        csv_cell(row, json_string_value(value), json_string_length(value));
        return;
    }
    json_write(&text, value);
    if (text.failed)
        row->failed = true;
    else
        csv_cell(row, text.data, text.len);
}

/* What the cells do not say; NULL where they say all. */
static json_t *rest_of(const struct table *table, const json_t *entry)
{
    json_t *fields = json_object(), *value;
    bool exact = true;
    const char *key;

    for (size_t i = 0; table->sheet->roles[i].key; i++)
        exact = exact && fits(json_object_get(entry, table->sheet->roles[i].key), CSV_TEXT);
    json_object_foreach((json_t *)entry, key, value)
    {
        const json_t *place = json_object_get(table->index, key);
        bool said = place ? fits(value, table->columns[json_integer_value(place)].kind)
                          : is_role(table->sheet, key) && fits(value, CSV_TEXT);

        if (!said)
            json_object_set(fields, key, value);
    }
    if (exact && json_object_size(fields) == 0) {
        json_decref(fields);
        return NULL;
    }
    return json_pack("{s:o}", "fields", fields);
}

static void add_rest_cell(struct table *table, struct buf *row, const json_t *entry)
{
    json_auto_t *rest =
        json_is_object(entry) ? rest_of(table, entry) : json_pack("{s:O}", "entry", entry);

    if (rest) {
        table->rest++;
        add_value(row, rest, CSV_JSON);
    }
}

static void add_row(struct table *table, struct buf *text, const json_t *entry)
{
    for (size_t i = 0; table->sheet->roles[i].key; i++) {
        const json_t *value = json_object_get(entry, table->sheet->roles[i].key);

        if (fits(value, CSV_TEXT))
            add_value(text, value, CSV_TEXT);
        buf_addc(text, ',');
    }
    for (size_t i = 0; i < table->count; i++) {
        const json_t *value = json_object_get(entry, table->columns[i].name);

        if (value && fits(value, table->columns[i].kind))
            add_value(text, value, table->columns[i].kind);
        buf_addc(text, ',');
    }
    add_rest_cell(table, text, entry);
    buf_adds(text, "\r\n");
}

static void add_heading(const struct table *table, struct buf *text)
{
    static const char *const suffixes[] = {
        [CSV_TEXT] = "", [CSV_NUMBER] = ":float", [CSV_BOOLEAN] = ":boolean", [CSV_JSON] = ":json"};

    for (size_t i = 0; table->sheet->roles[i].key; i++)
        buf_addf(text, "%s,", table->sheet->roles[i].heading);
    for (size_t i = 0; i < table->count; i++) {
        const struct column *column = &table->columns[i];
        struct buf BUF_AUTO heading = {0};
        enum csv_kind bare;

        csv_heading(column->name, &bare);
        buf_adds(&heading, column->name);
        if (column->kind == CSV_NUMBER && column->whole)
            buf_adds(&heading, ":int");
        else if (column->kind == CSV_TEXT && bare != CSV_TEXT)
            buf_adds(&heading, ":string");
        else
            buf_adds(&heading, suffixes[column->kind]);
        csv_cell(text, heading.data, heading.len);
        buf_addc(text, ',');
    }
    buf_adds(text, CSV_REST ":json\r\n");
}

static int csv_write_sheet(const struct csv_sheet *sheet, const json_t *entries, struct buf *text,
                           size_t *rest, struct error *err)
{
    struct table table = {.sheet = sheet, .index = json_object()};
    json_t *entry;
    size_t i;

    json_array_foreach((json_t *)entries, i, entry) see_entry(&table, entry);
    choose_kinds(&table);
    add_heading(&table, text);
    json_array_foreach((json_t *)entries, i, entry) add_row(&table, text, entry);
    json_decref(table.index);
    *rest = table.rest;
    return buf_check(text, sheet->file, err);
}

/* ---- the files ---- */

static const char *const node_names[] = {CSV_NODES_FILE, "Nodes.csv", "nodes.tsv", NULL};
static const char *const relationship_names[] = {
    CSV_RELATIONSHIPS_FILE, "edges.csv", "links.csv", "Relationships.csv", "Edges.csv",
    "relationships.tsv",    "edges.tsv", NULL};
static const char *const further_names[] = {CSV_FURTHER_FILE, NULL};
static const char *const joints[] = {"-", "_", ".", NULL};

/* What stands in front of the files' names: "folder/", "folder/algebra-". */
struct csv_place {
    char prefix[PATH_MAX];
};

static bool find(const struct csv_place *place, const char *const *names, char *path, size_t size)
{
    for (size_t i = 0; names[i]; i++)
        if (snprintf(path, size, "%s%s", place->prefix, names[i]) < (int)size &&
            access(path, F_OK) == 0)
            return true;
    return false;
}

static bool is_there(const struct csv_place *place)
{
    char path[PATH_MAX];

    return find(place, node_names, path, sizeof path);
}

static bool find_place(const char *path, struct csv_place *place)
{
    size_t len = strlen(path), size = sizeof place->prefix;

    if (len == 0 || len >= size - 16)
        return false;
    if (file_is_folder(path)) {
        snprintf(place->prefix, size, "%s/", path);
        return is_there(place);
    }
    for (size_t i = 0; node_names[i]; i++) {
        size_t end = strlen(node_names[i]);

        if (len >= end && strcmp(path + len - end, node_names[i]) == 0) {
            snprintf(place->prefix, size, "%.*s", (int)(len - end), path);
            return is_there(place);
        }
    }
    for (size_t i = 0; joints[i]; i++) {
        snprintf(place->prefix, size, "%s%s", path, joints[i]);
        if (is_there(place))
            return true;
    }
    return false;
}

static bool looks_like(const char *path)
{
    size_t len = strlen(path);
    struct csv_place place;

    return find_place(path, &place) || (len >= 3 && (strcasecmp(path + len - 3, "csv") == 0 ||
                                                     strcasecmp(path + len - 3, "tsv") == 0));
}

/* ---- reading ---- */

static json_t *read_sheet(const struct csv_sheet *sheet, const char *path,
                          struct format_report *report, struct error *err)
{
    struct buf BUF_AUTO text = {0};

    if (file_read(path, CURRICULUM_FILE_CAP, &text, err) < 0)
        return NULL;
    return csv_read_sheet(sheet, path, &text, report, err);
}

/* The file's other fields, where they stand beside: {"further": {...}, "relationships": false}. */
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

static json_t *read_csv(const char *path, struct format_report *report, struct error *err)
{
    json_auto_t *root = NULL, *nodes = NULL, *relationships = NULL;
    bool has_relationships = true;
    struct csv_place place;
    char name[PATH_MAX];

    if (!find_place(path, &place)) {
        error_set(err, ERROR_NOT_FOUND,
                  "%s is not a pair of CSV files: name a folder with " CSV_NODES_FILE
                  " and " CSV_RELATIONSHIPS_FILE " (or edges.csv), or PREFIX of "
                  "PREFIX-" CSV_NODES_FILE " and PREFIX-" CSV_RELATIONSHIPS_FILE,
                  path);
        return NULL;
    }
    root = find(&place, further_names, name, sizeof name)
               ? read_further(name, &has_relationships, err)
               : json_object();
    if (root && find(&place, node_names, name, sizeof name))
        nodes = read_sheet(&csv_nodes, name, report, err);
    if (nodes && find(&place, relationship_names, name, sizeof name)) {
        relationships = read_sheet(&csv_relationships, name, report, err);
        if (!relationships)
            return NULL;
    } else if (nodes) {
        format_loss(report, "%s%s is not there: the nodes come without relationships", place.prefix,
                    CSV_RELATIONSHIPS_FILE);
    }
    if (!nodes)
        return NULL;
    json_object_set(root, "nodes", nodes);
    if (relationships && (has_relationships || json_array_size(relationships) > 0))
        json_object_set(root, "relationships", relationships);
    return json_incref(root);
}

/* ---- writing ---- */

static int add_sheet(struct folder *folder, const struct csv_sheet *sheet, const json_t *entries,
                     struct format_report *report, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    size_t rest;

    if (csv_write_sheet(sheet, entries, &text, &rest, err) < 0)
        return -1;
    if (rest > 0)
        format_note(report,
                    "%s: what no cell can say (empty texts, null, missing or mixed fields) stands "
                    "in the column " CSV_REST ":json of %zu rows; other tools do not read it",
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
    return folder_add(folder, CSV_FURTHER_FILE, &text, err);
}

static int write_csv(const json_t *curriculum, const char *path, struct format_report *report,
                     struct error *err)
{
    struct folder folder;
    int rc;

    if (folder_begin(&folder, path, err) < 0)
        return -1;
    format_note(report,
                "components are one cell of JSON a node, and meta stands in " CSV_FURTHER_FILE
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
    .what =
        "a folder with the CSV pair of graph tools, " CSV_NODES_FILE " and " CSV_RELATIONSHIPS_FILE,
    .looks_like = looks_like,
    .read = read_csv,
    .write = write_csv,
};
