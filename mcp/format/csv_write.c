/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A curriculum as a pair of CSV files: first which columns there are and of what type, by what the
 * entries have most of, then a row an entry. Form and rules: csv.h.
 */
#include "mcp/format/csv_write.h"

#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "mcp/format/csv.h"
#include "mcp/format/file.h"

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
        if (!strcmp(sheet->roles[i].key, key))
            return true;
    return false;
}

static bool has_column(const struct csv_sheet *sheet, const char *key)
{
    size_t len = strlen(key);

    if (is_role(sheet, key) || len == 0 || len > CSV_NAME_CAP || key[0] == ' ' ||
        key[len - 1] == ' ' || strchr(key, ':') || !strcasecmp(key, CSV_REST))
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

static void add_rest(struct table *table, struct buf *row, const json_t *entry)
{
    json_t *rest =
        json_is_object(entry) ? rest_of(table, entry) : json_pack("{s:O}", "entry", entry);

    if (rest) {
        table->rest++;
        add_value(row, rest, CSV_JSON);
    }
    json_decref(rest);
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
    add_rest(table, text, entry);
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

int csv_write_sheet(const struct csv_sheet *sheet, const json_t *entries, struct buf *text,
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
