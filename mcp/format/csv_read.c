/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading a sheet: the heading says what each column is, then each row is an entry. Form and
 * rules: csv.h.
 */
#include "mcp/format/csv_read.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "mcp/session/component_type.h"

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
    if (len == strlen(CSV_REST) && !strncmp(heading, CSV_REST, len) &&
        reader->kinds[i] == CSV_JSON) {
        reader->uses[i] = USE_REST;
        reader->ours = true;
        return;
    }
    if (!strcasecmp(heading, ":IGNORE")) {
        reader->uses[i] = USE_NOTHING;
        return;
    }
    snprintf(key, sizeof key, "%.*s", (int)len, heading);
    if (!strcasecmp(heading, ":LABEL")) /* Neo4j's, which is a class and no title */
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
        return error_set(err, ERROR_MALFORMED, "%s line %zu: the cell of '%s' is no JSON",
                         reader->name, line, key);
    if (!value) {
        format_loss(reader->report, "%s line %zu: '%s' of '%s' is no %s: kept as text",
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
    json_t *rest = json_read(json_string_value(cell), json_string_length(cell), "", NULL);
    json_t *whole = json_object_get(rest, "entry"), *value, *result = NULL;
    const char *key;

    if (!json_is_object(rest) || (!whole && !json_is_object(json_object_get(rest, "fields")))) {
        error_set(err, ERROR_MALFORMED,
                  "%s line %zu: the cell of '" CSV_REST
                  ":json' is not {\"fields\": {...}}; empty it to do without",
                  reader->name, line);
    } else if (whole && json_object_size(entry) == 0) {
        result = json_incref(whole);
    } else {
        json_object_foreach(json_object_get(rest, "fields"), key, value)
        {
            if (!json_object_get(entry, key))
                json_object_set(entry, key, value);
        }
        result = json_incref(entry);
    }
    json_decref(rest);
    return result;
}

static bool is_direction(const char *type)
{
    return type && (!strcasecmp(type, "directed") || !strcasecmp(type, "undirected") ||
                    !strcasecmp(type, "mutual"));
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
    json_t *entry, *whole = NULL;
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
    json_decref(whole);
    json_decref(entry);
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
