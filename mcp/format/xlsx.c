/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Workbooks of Excel and other programs (.xlsx, ECMA-376 part 1): the values of their sheets, which
 * are then read as sheets of CSV are. Of a formula, the value that was saved with it is read;
 * nothing is computed, and no macro or link is followed.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <csv.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "mcp/curriculum/limits.h"
#include "mcp/format/column_role.h"
#include "mcp/format/files.h"
#include "mcp/format/format.h"
#include "mcp/format/xml.h"

#define WORKBOOK       "xl/workbook.xml"
#define SHEETS_CAP     1000
#define ROWS_CAP       1048576u /* of a sheet in Excel (its specifications and limits) */
#define COLUMNS_CAP    1024u
#define HEADING_ROWS   20 /* in which the row of headings is looked for */
#define DATE_FIRST     14 /* numFmtId of the built-in formats of dates and times (18.8.30) ... */
#define DATE_LAST      22
#define DURATION_FIRST 45
#define DURATION_LAST  47
#define DAYS_1900      25569 /* from Excel's day 0 to 1970-01-01 */
#define DAYS_1904      24107
#define WHOLE_CAP      1e15 /* of the numbers of which Excel keeps each digit */
#define DAY_SECONDS    86400

struct workbook {
    const struct files *files;
    struct format_report *report;
    json_t *texts;   /* shared: by number */
    json_t *is_date; /* of a style: by number */
    json_t *formats; /* the code of a number format, by its id */
    long epoch;      /* days from its day 0 to 1970-01-01 */
};

/* A sheet, as rows of values. */
struct grid {
    const char *name;
    json_t *rows;   /* [[value or null, ...] or null, ...]; owned */
    size_t heading; /* the place of the row of headings */
};

static int read_part(const struct files *files, const char *name, const char *element,
                     xml_take *take, void *user, struct error *err)
{
    struct buf BUF_AUTO text = {0};

    if (!files_has(files, name))
        return 0;
    if (files_read(files, name, ARCHIVE_FILE_CAP, &text, err) < 0)
        return -1;
    return xml_each(name, text.data, text.len, element, take, user, err);
}

/* ---- texts and styles ---- */

/* The runs of a text, without the reading aids of Japanese. */
static json_t *text_of(const xmlNode *item)
{
    struct buf BUF_AUTO text = {0};

    for (const xmlNode *node = item; node; node = xml_walk(item, node)) {
        xmlChar *part;

        if (!xml_is(node, "t") || xml_is(node->parent, "rPh"))
            continue;
        part = xmlNodeGetContent(node);
        buf_adds(&text, part ? (const char *)part : "");
        xmlFree(part);
    }
    return json_stringn(text.data ? text.data : "", text.len);
}

static int take_text(void *user, const xmlNode *item, struct error *err)
{
    struct workbook *book = user;

    (void)err;
    json_array_append_new(book->texts, text_of(item));
    return 0;
}

static int take_format(void *user, const xmlNode *format, struct error *err)
{
    struct workbook *book = user;
    json_auto_t *id = xml_attribute(format, "numFmtId"),
                *code = xml_attribute(format, "formatCode");

    (void)err;
    if (id && code)
        json_object_set(book->formats, json_string_value(id), code);
    return 0;
}

/* Whether a format shows a date: it has a letter of one outside quotes and brackets. */
static bool shows_date(const char *code)
{
    for (char until = 0; *code; code++) {
        if (until)
            until = *code == until ? '\0' : until;
        else if (*code == '"' || *code == '[')
            until = *code == '"' ? '"' : ']';
        else if (*code == '\\' && code[1])
            code++;
        else if (strchr("yYmMdDhHsS", *code))
            return true;
    }
    return false;
}

static int take_style(void *user, const xmlNode *styles, struct error *err)
{
    struct workbook *book = user;

    (void)err;
    for (const xmlNode *style = xml_child(styles, "xf"); style; style = xml_next(style, "xf")) {
        json_auto_t *id = xml_attribute(style, "numFmtId");
        const char *number = id ? json_string_value(id) : "0";
        const json_t *code = json_object_get(book->formats, number);
        long format = strtol(number, NULL, 10);

        json_array_append_new(
            book->is_date,
            json_boolean(code ? shows_date(json_string_value(code))
                              : (format >= DATE_FIRST && format <= DATE_LAST) ||
                                    (format >= DURATION_FIRST && format <= DURATION_LAST)));
    }
    return 0;
}

/* ---- cells ---- */

/* The number of a column: "A" is 0, "AB12" is 27; COLUMNS_CAP if it is none or too large. */
static size_t column_of(const char *reference)
{
    size_t column = 0;

    if (!isupper((unsigned char)*reference))
        return COLUMNS_CAP;
    for (; isupper((unsigned char)*reference) && column < COLUMNS_CAP; reference++)
        column = column * 26 + (size_t)(*reference - 'A') + 1;
    return column - 1 < COLUMNS_CAP ? column - 1 : COLUMNS_CAP;
}

/* "2026-03-31", with the time if there is one; NULL if it is no date that a calendar has. */
static json_t *date_of(const struct workbook *book, double days)
{
    double seconds = round((days - (double)book->epoch) * DAY_SECONDS);
    time_t moment = (time_t)seconds;
    struct tm date;
    char text[32];

    if (days < 1 || days > 2958465 || !gmtime_r(&moment, &date))
        return NULL;
    strftime(text, sizeof text, moment % DAY_SECONDS ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%d", &date);
    return json_string(text);
}

/* A number, or a date as text. */
static json_t *number_of(const struct workbook *book, const char *text, const json_t *style)
{
    char *end;
    double number = strtod(text, &end);
    json_t *date = NULL;

    if (end == text || *end || !isfinite(number))
        return json_string(text);
    if (style && json_is_true(json_array_get(book->is_date,
                                             (size_t)strtoul(json_string_value(style), NULL, 10))))
        date = date_of(book, number);
    return date ? date : json_real(number);
}

/* A text, a number or a boolean; NULL if it is empty. */
static json_t *cell_value(const struct workbook *book, const xmlNode *cell, const char *place)
{
    json_auto_t *kind = xml_attribute(cell, "t"), *style = xml_attribute(cell, "s");
    const char *type = kind ? json_string_value(kind) : "n";
    const xmlNode *value = xml_child(cell, "v");
    json_auto_t *text = NULL;

    if (strcmp(type, "inlineStr") == 0)
        return text_of(cell);
    if (!value)
        return NULL;
    text = xml_text(value);
    if (strcmp(type, "s") == 0)
        return json_incref(
            json_array_get(book->texts, (size_t)strtoul(json_string_value(text), NULL, 10)));
    if (strcmp(type, "b") == 0)
        return json_boolean(strcmp(json_string_value(text), "0") != 0);
    if (strcmp(type, "e") == 0)
        findings_add(&book->report->lines, FINDING_CHANGED,
                     PLACE(place, 0, json_string_value(text)),
                     "cells have an error instead of a value: it is kept as text");
    if (strcmp(type, "n") == 0)
        return number_of(book, json_string_value(text), style);
    return json_incref(text);
}

struct row_reader {
    const struct workbook *book;
    struct grid *grid;
};

static int take_row(void *user, const xmlNode *row, struct error *err)
{
    struct row_reader *reader = user;
    json_t *rows = reader->grid->rows, *cells = json_array();
    json_auto_t *number = xml_attribute(row, "r");
    size_t place = number ? strtoul(json_string_value(number), NULL, 10) : 0, column = 0;
    size_t next = json_array_size(rows) + 1;

    (void)err;
    place = place < next || place > ROWS_CAP ? next : place;
    for (; next < place; next++)
        json_array_append_new(rows, json_null());
    json_array_append_new(rows, cells);
    for (const xmlNode *cell = xml_child(row, "c"); cell; cell = xml_next(cell, "c"), column++) {
        json_auto_t *reference = xml_attribute(cell, "r");
        json_t *text;

        if (reference)
            column = column_of(json_string_value(reference));
        text = cell_value(reader->book, cell, reader->grid->name);
        if (text && column >= COLUMNS_CAP) {
            findings_add(&reader->book->report->lines, FINDING_LEFT_OUT,
                         PLACE(reader->grid->name, place, NULL), "cells stand beyond column %u",
                         COLUMNS_CAP);
            json_decref(text);
            continue;
        }
        while (text && json_array_size(cells) < column)
            json_array_append_new(cells, json_null());
        if (text && json_array_size(cells) == column)
            json_array_append_new(cells, text);
        else
            json_decref(text);
    }
    return 0;
}

/* ---- kinds of sheets ---- */

enum grid_kind {
    GRID_OTHER,
    GRID_LESSONS,
    GRID_EDGES,
    GRID_PLAIN /* the one sheet to read, if no headings are known and the first row may be none */
};

static bool names_role(const json_t *cells, enum column_role role)
{
    const json_t *cell;
    enum column_fit fit;
    size_t i;

    json_array_foreach(cells, i, cell)
    {
        const char *text = json_string_value(cell);

        if (text && column_role_rank(role, text, strcspn(text, ":\n"), &fit) > 0)
            return true;
    }
    return false;
}

/* The first row that names an id or a title is that of the headings: above it are a title and
 * remarks. */
static enum grid_kind find_heading(struct grid *grid)
{
    const json_t *row;
    size_t i;

    json_array_foreach(grid->rows, i, row)
    {
        grid->heading = i;
        if (i >= HEADING_ROWS)
            break;
        if (names_role(row, COLUMN_SOURCE) && names_role(row, COLUMN_TARGET))
            return GRID_EDGES;
        if (names_role(row, COLUMN_ID) || names_role(row, COLUMN_TITLE))
            return GRID_LESSONS;
    }
    grid->heading = 0;
    return GRID_OTHER;
}

/* ---- sheets of CSV ---- */

static void add_text(struct buf *to, const char *text)
{
    size_t len = strlen(text), size = 2 * len + 3;
    char *room = buf_reserve(to, size);

    if (room)
        to->len += csv_write(room, size, text, len);
    buf_addc(to, ',');
}

/* Numbers as they are shown: Excel writes 0.1 with all the digits of its binary form. */
static void add_value(struct buf *to, const json_t *value)
{
    char number[32];

    snprintf(number, sizeof number, "%.15g", json_real_value(value));
    if (json_is_real(value))
        add_text(to, number);
    else if (json_is_boolean(value))
        add_text(to, json_is_true(value) ? "true" : "false");
    else
        add_text(to, json_is_string(value) ? json_string_value(value) : "");
}

/* Appends the rows below the headings, in the order of the columns of all sheets. Blank lines keep
 * the numbers of the rows. */
static void add_rows(struct buf *text, const struct grid *grid, const json_t *columns)
{
    const json_t *headings = json_array_get(grid->rows, grid->heading), *row;
    size_t count = json_array_size(columns), i;
    size_t *places = calloc(count + 1, sizeof *places);

    if (!places)
        abort();
    for (size_t c = 0; c < count; c++) {
        places[c] = SIZE_MAX;
        for (i = json_array_size(headings); i-- > 0;)
            if (json_equal(json_array_get(headings, i), json_array_get(columns, c)))
                places[c] = i;
    }
    json_array_foreach(grid->rows, i, row)
    {
        if (i <= grid->heading)
            continue;
        for (size_t c = 0; c < count && json_array_size(row) > 0; c++)
            add_value(text, json_array_get(row, places[c]));
        buf_addc(text, '\n');
    }
    free(places);
}

static void note_above(const struct workbook *book, const struct grid *grid)
{
    for (size_t i = 0; i < grid->heading; i++) {
        const json_t *row = json_array_get(grid->rows, i), *cell;
        size_t c;

        json_array_foreach(row, c, cell)
        {
            if (json_string_length(cell) > 0)
                findings_add(&book->report->lines, FINDING_LEFT_OUT,
                             PLACE(grid->name, i + 1, json_string_value(cell)),
                             "cells stand above the row of headings");
        }
    }
}

/* The rows as they are, from the first of the table on. */
static void add_plain(const struct workbook *book, const struct grid *grid, struct buf *text)
{
    const json_t *row, *cell;
    size_t i, c;

    note_above(book, grid);
    json_array_foreach(grid->rows, i, row)
    {
        json_array_foreach(i >= grid->heading ? row : NULL, c, cell) add_value(text, cell);
        buf_addc(text, '\n');
    }
}

/* Names columns that have none by their letter, and tells those apart that have the same name. */
static void name_columns(struct grid *grid)
{
    json_t *headings = json_array_get(grid->rows, grid->heading);
    size_t count = 0, i;
    const json_t *row;

    json_array_foreach(grid->rows, i, row)
    {
        if (i > grid->heading && json_array_size(row) > count)
            count = json_array_size(row);
    }
    while (json_array_size(headings) < count)
        json_array_append_new(headings, json_null());
    for (i = 0; i < json_array_size(headings); i++) {
        json_t *heading = json_array_get(headings, i);
        size_t same = 1;

        if (!json_string_length(heading)) {
            json_array_set_new(headings, i,
                               json_is_real(heading)
                                   ? json_sprintf("%.15g", json_real_value(heading))
                                   : json_sprintf("column %zu", i + 1));
            continue;
        }
        for (size_t other = 0; other < i; other++)
            same += json_equal(json_array_get(headings, other), heading);
        if (same > 1)
            json_array_set_new(headings, i,
                               json_sprintf("%s %zu", json_string_value(heading), same));
    }
}

static bool has_role(const char *heading)
{
    enum column_fit fit;

    for (enum column_role role = COLUMN_ID; role < COLUMN_ROLES; role++)
        if (column_role_rank(role, heading, strlen(heading), &fit) > 0)
            return true;
    return strchr(heading, ':') != NULL;
}

/* The ending of the heading of a field: its type, where all of its cells are numbers or booleans,
 * as sheets of Neo4j have it; else "". */
static const char *type_of(const struct grid *grids, const enum grid_kind *kinds, size_t count,
                           enum grid_kind kind, const json_t *heading)
{
    bool number = true, whole = true, boolean = true, some = false;

    for (size_t i = 0; i < count && !has_role(json_string_value(heading)); i++) {
        const json_t *headings = json_array_get(grids[i].rows, grids[i].heading), *row;
        size_t place = 0, r;

        while (place < json_array_size(headings) &&
               !json_equal(json_array_get(headings, place), heading))
            place++;
        json_array_foreach(kinds[i] == kind ? grids[i].rows : NULL, r, row)
        {
            const json_t *cell = json_array_get(row, place);

            if (r <= grids[i].heading || !cell || json_is_null(cell))
                continue;
            some = true;
            number = number && json_is_real(cell);
            whole = whole && number && fabs(json_real_value(cell)) < WHOLE_CAP &&
                    floor(json_real_value(cell)) == json_real_value(cell);
            boolean = boolean && json_is_boolean(cell);
        }
    }
    if (!some || (!number && !boolean))
        return "";
    return boolean ? ":boolean" : whole ? ":int" : ":float";
}

/* One text of the sheets of a kind: the headings of all, then their rows. */
static void join(const struct workbook *book, struct grid *grids, const enum grid_kind *kinds,
                 size_t count, enum grid_kind kind, struct buf *text)
{
    json_auto_t *columns = json_array(), *seen = json_object();
    size_t first = count, j;
    const json_t *heading;

    for (size_t i = 0; i < count; i++) {
        if (kinds[i] != kind)
            continue;
        name_columns(&grids[i]);
        note_above(book, &grids[i]);
        first = first < i ? first : i;
        json_array_foreach(json_array_get(grids[i].rows, grids[i].heading), j, heading)
        {
            if (!json_object_get(seen, json_string_value(heading))) {
                json_object_set_new(seen, json_string_value(heading), json_true());
                json_array_append(columns, (json_t *)heading);
            }
        }
    }
    if (first == count)
        return;
    for (size_t i = 0; i < grids[first].heading; i++)
        buf_addc(text, '\n');
    json_array_foreach(columns, j, heading)
    {
        struct buf BUF_AUTO whole = {0};

        buf_addf(&whole, "%s%s", json_string_value(heading),
                 type_of(grids, kinds, count, kind, heading));
        add_text(text, whole.data);
    }
    buf_addc(text, '\n');
    for (size_t i = 0; i < count; i++)
        if (kinds[i] == kind)
            add_rows(text, &grids[i], columns);
}

/* ---- the workbook ---- */

struct sheet_list {
    json_t *names, *targets; /* of the sheets, in their order; owned */
    json_t *ids;             /* the names of relationships of the workbook's parts; owned */
};

static int take_sheet(void *user, const xmlNode *sheet, struct error *err)
{
    struct sheet_list *list = user;
    json_auto_t *name = xml_attribute(sheet, "name"), *id = xml_attribute(sheet, "id");

    if (json_array_size(list->names) >= SHEETS_CAP)
        return error_set(err, ERROR_TOO_LARGE, "the workbook has more than %d sheets", SHEETS_CAP);
    json_array_append_new(list->names, name ? json_incref(name) : json_string("sheet"));
    json_array_append_new(list->ids, id ? json_incref(id) : json_null());
    return 0;
}

static int take_part(void *user, const xmlNode *part, struct error *err)
{
    struct sheet_list *list = user;
    json_auto_t *id = xml_attribute(part, "Id"), *target = xml_attribute(part, "Target");

    (void)err;
    if (id && target)
        json_object_set(list->targets, json_string_value(id), target);
    return 0;
}

static int take_settings(void *user, const xmlNode *settings, struct error *err)
{
    struct workbook *book = user;
    json_auto_t *flag = xml_attribute(settings, "date1904");

    (void)err;
    if (flag &&
        (strcmp(json_string_value(flag), "1") == 0 || strcmp(json_string_value(flag), "true") == 0))
        book->epoch = DAYS_1904;
    return 0;
}

static int read_grid(const struct workbook *book, const struct sheet_list *list, size_t i,
                     struct grid *grid, struct error *err)
{
    struct row_reader reader = {.book = book, .grid = grid};
    const char *id = json_string_value(json_array_get(list->ids, i));
    const char *target = id ? json_get_string(list->targets, id) : NULL;
    char name[FILE_NAME_CAP + 4];

    grid->name = json_string_value(json_array_get(list->names, i));
    grid->rows = json_array();
    if (target)
        snprintf(name, sizeof name, "%s%s", *target == '/' ? "" : "xl/", target + (*target == '/'));
    if (!target || !files_has(book->files, name)) {
        findings_add(&book->report->lines, FINDING_LEFT_OUT, PLACE(grid->name, 0, target),
                     "a sheet is not in the file");
        return 0;
    }
    return read_part(book->files, name, "row", take_row, &reader, err);
}

/* The kind of a sheet without headings that are known: of lessons if its first row is full of
 * texts, which can be the headings whose meaning the content of the columns says. */
static enum grid_kind kind_of_unknown(struct grid *grid)
{
    const json_t *row, *cell;
    size_t columns = 0, i, first = 0, filled = 0;

    json_array_foreach(grid->rows, i, row)
    {
        columns = json_array_size(row) > columns ? json_array_size(row) : columns;
        if (json_array_size(row) < 2 && i == first)
            first++;
    }
    if (columns < 2 || first + 2 >= json_array_size(grid->rows))
        return GRID_OTHER;
    grid->heading = first;
    json_array_foreach(json_array_get(grid->rows, first), i, cell) filled +=
        json_string_length(cell) > 0;
    return filled == columns ? GRID_LESSONS : GRID_PLAIN;
}

/* Finds the kinds of the sheets, and their headings: if no sheet has any that is known, the first
 * sheet that can be one of lessons or relationships is. */
static void find_kinds(const struct workbook *book, struct grid *grids, size_t count,
                       enum grid_kind *kinds)
{
    bool known = false;

    for (size_t i = 0; i < count; i++) {
        kinds[i] = find_heading(&grids[i]);
        known = known || kinds[i] != GRID_OTHER;
    }
    for (size_t i = 0; i < count && !known; i++) {
        kinds[i] = kind_of_unknown(&grids[i]);
        known = kinds[i] != GRID_OTHER;
    }
    for (size_t i = 0; i < count; i++)
        if (kinds[i] == GRID_OTHER && json_array_size(grids[i].rows) > 0)
            findings_add(&book->report->lines, FINDING_LEFT_OUT, PLACE(grids[i].name, 0, NULL),
                         "sheets have no column with an id or a title");
}

/* The sheets of lessons as one, and those of relationships as one. */
static json_t *read_grids(const struct workbook *book, struct grid *grids, size_t count,
                          struct error *err)
{
    enum grid_kind *kinds = calloc(count + 1, sizeof *kinds);
    struct buf BUF_AUTO lessons = {0}, edges = {0};
    json_auto_t *nodes = NULL, *relationships = json_array(), *read = NULL;
    const char *path = files_path(book->files);
    json_t *curriculum = NULL;

    if (!kinds)
        abort();
    find_kinds(book, grids, count, kinds);
    join(book, grids, kinds, count, GRID_LESSONS, &lessons);
    join(book, grids, kinds, count, GRID_EDGES, &edges);
    for (size_t i = 0; i < count; i++)
        if (kinds[i] == GRID_PLAIN)
            add_plain(book, &grids[i], &lessons);
    free(kinds);
    if (lessons.len + edges.len == 0)
        error_set(err, ERROR_INVALID,
                  "%s: no sheet has a row of headings such as Id, Title, Prerequisites", path);
    else if (edges.len == 0 || lessons.len == 0)
        return csv_curriculum(path, edges.len > 0 ? &edges : &lessons, book->report, err);
    else if ((read = csv_read_sheet(&csv_relationships, path, &edges, book->report, err)) &&
             json_array_extend(relationships, read) == 0)
        nodes = csv_read_nodes(path, &lessons, relationships, book->report, err);
    if (nodes)
        curriculum = json_pack("{s:O, s:O}", "nodes", nodes, "relationships", relationships);
    return curriculum;
}

static json_t *read_workbook(struct workbook *book, struct sheet_list *list, struct error *err)
{
    struct grid *grids;
    json_t *curriculum = NULL;
    size_t count, i;
    int rc = 0;

    if (read_part(book->files, WORKBOOK, "workbookPr", take_settings, book, err) < 0 ||
        read_part(book->files, WORKBOOK, "sheet", take_sheet, list, err) < 0 ||
        read_part(book->files, "xl/_rels/workbook.xml.rels", "Relationship", take_part, list, err) <
            0 ||
        read_part(book->files, "xl/sharedStrings.xml", "si", take_text, book, err) < 0 ||
        read_part(book->files, "xl/styles.xml", "numFmt", take_format, book, err) < 0 ||
        read_part(book->files, "xl/styles.xml", "cellXfs", take_style, book, err) < 0)
        return NULL;
    count = json_array_size(list->names);
    grids = calloc(count + 1, sizeof *grids);
    if (!grids)
        abort();
    for (i = 0; rc == 0 && i < count; i++)
        rc = read_grid(book, list, i, &grids[i], err);
    if (rc == 0)
        curriculum = read_grids(book, grids, count, err);
    while (i-- > 0)
        json_decref(grids[i].rows);
    free(grids);
    return curriculum;
}

static json_t *read_files(const struct files *files, struct format_report *report,
                          struct error *err)
{
    struct workbook book = {.files = files,
                            .report = report,
                            .texts = json_array(),
                            .is_date = json_array(),
                            .formats = json_object(),
                            .epoch = DAYS_1900};
    struct sheet_list list = {.names = json_array(), .targets = json_object(), .ids = json_array()};
    json_t *curriculum = read_workbook(&book, &list, err);

    json_decref(book.texts);
    json_decref(book.is_date);
    json_decref(book.formats);
    json_decref(list.names);
    json_decref(list.targets);
    json_decref(list.ids);
    return curriculum;
}

static bool has_files(const struct files *files)
{
    return files_has(files, WORKBOOK);
}

static bool has_name(const char *name)
{
    return file_ends_in(name, ".xlsx") || file_ends_in(name, ".xlsm");
}

static json_t *read_damaged(const char *name, const struct buf *bytes, struct format_report *report,
                            struct error *err)
{
    (void)bytes;
    (void)report;
    error_set(err, ERROR_INVALID, "%s is not a workbook: save it again as .xlsx, or as .csv", name);
    return NULL;
}

const struct format format_xlsx = {
    .name = "xlsx",
    .what = "a workbook of Excel: sheets of lessons and of relationships",
    .has_name = has_name,
    .has_files = has_files,
    .read_files = read_files,
    .read = read_damaged,
};
