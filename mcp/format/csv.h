/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the form "csv" share; the form itself: csv.c.
 */
#ifndef LECTERN_SESSION_FORMAT_CSV_H
#define LECTERN_SESSION_FORMAT_CSV_H

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/format/format.h"

#define CSV_COLUMNS_CAP 200
#define CSV_NAME_CAP    64 /* bytes of a field's name that gets a column */
#define CSV_REST        "lectern"

#define CSV_NODES_FILE         "nodes.csv"
#define CSV_RELATIONSHIPS_FILE "relationships.csv"
#define CSV_FURTHER_FILE       "curriculum.json"

/* Calls row for each row, the heading first; cells are an array of texts, line is where it begins.
 * RFC 4180, a byte order mark and CRLF taken; the separator is "," ";" or tab, whichever the
 * heading has most of, or as a first line "sep=;" says. name: the file's, for errors. */
int csv_rows(const char *name, const struct buf *text,
             int (*row)(void *user, size_t line, const json_t *cells, struct error *err),
             void *user, struct error *err);
/* Appends one cell, quoted; NULL: an empty one. */
void csv_cell(struct buf *to, const char *text, size_t len);

/* What a cell is, by its column. */
enum csv_kind { CSV_TEXT, CSV_NUMBER, CSV_BOOLEAN, CSV_JSON };
/* "chapter_id:int" in two: the length of the name without the type; *kind is CSV_TEXT without one.
 */
size_t csv_heading(const char *heading, enum csv_kind *kind);
/* The value of a cell; NULL where it is none of that kind. */
json_t *csv_value(const char *cell, size_t len, enum csv_kind kind);

/* Columns with a meaning of their own. The heading's place in the role's names, best first; -1:
 * none. */
enum csv_role { CSV_ID, CSV_TITLE, CSV_SOURCE, CSV_TARGET, CSV_TYPE, CSV_FIELD };
int csv_role_rank(enum csv_role role, const char *heading);

#define CSV_SHEET_ROLES 3

struct csv_sheet {
    const char *file; /* its name in a folder */
    struct {
        const char *key;     /* of the entry; NULL ends the list */
        const char *heading; /* of the column */
        enum csv_role role;
    } roles[CSV_SHEET_ROLES + 1];
    size_t needed;              /* of the roles, from the first */
    const char *heading_needed; /* in words */
};
extern const struct csv_sheet csv_nodes, csv_relationships;

/* One sheet, ours or another tool's, as entries. name: the file's, for errors and the report. A new
 * array, or NULL. */
json_t *csv_read_sheet(const struct csv_sheet *sheet, const char *name, const struct buf *text,
                       struct format_report *report, struct error *err);

#endif
