/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pair of CSV files of graph tools, nodes and relationships, and what both directions share.
 *
 * nodes.csv has the columns Id and Label, then the nodes' further fields; relationships.csv has
 * Source, Target and relationship_type, then theirs. Behind a field's name may stand its type, as
 * Neo4j's import tool has it: "chapter_id:int", "weight:float", "draft:boolean", "title:string",
 * and of ours "components:json". An empty cell: the field is not there. What no cell says rightly
 * (an empty text, null, a text with NUL, a number among texts) stands in the last column,
 * "lectern:json"; where it has a cell, the row is exactly so, and where not, id and title are made
 * up as a foreign file needs it. The file's other fields (meta) are in a third file beside them,
 * curriculum.json.
 */
#ifndef LECTERN_SESSION_FORMAT_CSV_H
#define LECTERN_SESSION_FORMAT_CSV_H

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

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

#endif
