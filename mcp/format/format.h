/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Formats of import and export besides our own JSON: a row and a file each. Each is converted to
 * and from the value of a curriculum file (curriculum_file.h), and reports what it cannot
 * represent. Pure except for the files at paths.
 */
#ifndef LECTERN_SESSION_FORMAT_H
#define LECTERN_SESSION_FORMAT_H

#include <stdbool.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/curriculum/findings.h"
#include "mcp/format/files.h"

#define FORMAT_FILES_CAP 100000u /* of one folder */
#define FORMAT_DEPTH_CAP                                                                           \
    64 /* nesting that the text formats write as such; deeper values are written as JSON */

struct format_report {
    /* Set by the caller: the type of relationships that the source gives no type; NULL: LEADS_TO */
    const char *untyped;
    /* Set by the caller: roles of columns of a sheet, "COLUMN=ROLE", NULL-terminated; or NULL */
    const char *const *map;
    struct findings lines; /* the caller finishes it */
};
/* The type of relationships without one. */
const char *format_untyped(const struct format_report *report);
/* Notes that as many relationships were read as that type, and how to choose another. */
void format_note_untyped(struct format_report *report, const char *name, size_t count,
                         const char *what);
/* FINDING_READ, without a place. */
void format_note(struct format_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct format {
    const char *name; /* "json", "csv", "graphml" */
    const char *what; /* for the help: "a pair of CSV files: nodes and relationships" */
    /* Whether a file of that name or path, or a new export to it, has this format. */
    bool (*has_name)(const char *name);
    /* Whether a file whose name does not say so, or says only JSON, has this format. NULL: never.
     */
    bool (*has_content)(const struct buf *bytes);
    /* Whether several files are in this format, and their curriculum; NULL: the format is one file.
     */
    bool (*has_files)(const struct files *files);
    json_t *(*read_files)(const struct files *files, struct format_report *report,
                          struct error *err);
    /* The curriculum of one file, whose name is for errors and the report; NULL with err, which
     * names file and line. */
    json_t *(*read)(const char *name, const struct buf *bytes, struct format_report *report,
                    struct error *err);
    /* Whether a path stands for files beside each other, such as nodes.csv and relationships.csv,
     * and their curriculum; also NULL: never. */
    bool (*has_beside)(const char *path);
    json_t *(*read_beside)(const char *path, struct format_report *report, struct error *err);
    /* Writes the file, files or folder at path, completely or not at all. NULL: it is only read. */
    int (*write)(const json_t *curriculum, const char *path, struct format_report *report,
                 struct error *err);
};

extern const struct format *const formats[]; /* NULL-terminated */
const struct format *format_find(const char *name);
const struct format *format_of_path(const char *path); /* JSON if no format matches */
/* The value of the curriculum file at a path: a file, a folder, or an archive of them. format:
 * NULL: by name and content. NULL with err. */
json_t *format_read_path(const char *path, const struct format *format,
                         struct format_report *report, struct error *err);
/* The same of files in memory: one file or archive, or the files of a folder. */
json_t *format_read_given(const struct given_file *given, size_t count, const struct format *format,
                          struct format_report *report, struct error *err);
const char *format_names(void); /* "json, csv, ..." */

extern const struct format format_json, format_csv, format_case, format_markdown, format_graphml,
    format_gexf, format_xlsx, format_olx, format_cartridge, format_text;

/* One sheet, ours or another tool's, as entries (csv.c): a new array, or NULL. name is the name of
 * the file, for errors and the report. */
struct csv_sheet;
extern const struct csv_sheet csv_nodes, csv_relationships;
json_t *csv_read_sheet(const struct csv_sheet *sheet, const char *name, const struct buf *text,
                       struct format_report *report, struct error *err);
/* A sheet of nodes. The relationships that its column of prerequisites names are appended to
 * relationships, except between nodes that have one. */
json_t *csv_read_nodes(const char *name, const struct buf *text, json_t *relationships,
                       struct format_report *report, struct error *err);
/* A curriculum from one sheet of nodes. */
json_t *csv_curriculum(const char *name, const struct buf *text, struct format_report *report,
                       struct error *err);
/* Puts nodes into the order of the numbers of another array, null for none: by chapter where the
 * numbers begin anew in each. */
int csv_put_in_order(json_t *nodes, const json_t *orders, const char *name,
                     struct format_report *report, struct error *err);

/* Appends a relationship PREREQUISITE for each node that a cell names, by id or title
 * (prerequisites.c). cells: [{"to": node id, "line": n, "text": "L1; L2"}] of the column; name is
 * the file's. What names no other node is reported. */
void prerequisites_add(const json_t *nodes, const json_t *cells, const char *name,
                       const char *column, json_t *relationships, struct format_report *report);
/* Replaces the ends of relationships that are no ids by those of the nodes that they name: by the
 * title, or by an id that another program wrote as a number (1.0 for 1). */
void prerequisites_resolve(const json_t *nodes, json_t *relationships, const char *name,
                           struct format_report *report);
/* An id as it is compared: without blanks around it, composed, and without the ".0" of a whole
 * number. A new string; NULL if it is not UTF-8. */
json_t *prerequisites_plain_id(const char *id, size_t len);

/* The curriculum in JSON that is ours, or a graph in node-link form (json.c): a new reference, or
 * NULL. */
json_t *json_curriculum(json_t *root, struct format_report *report, struct error *err);
/* The curriculum in a text (text.c): our own JSON, a graph or CASE if it begins like JSON, GraphML
 * or GEXF if it is XML, a sheet of nodes if its first line is a heading with separators, else
 * lessons or notes in Markdown; or one of these in a fence. NULL with err, which names the texts
 * that are taken. */
json_t *format_read_text(const char *text, size_t len, struct format_report *report,
                         struct error *err);
/* ERROR_INVALID: a file is in no format that is read. Returns -1. */
int format_refuse(const char *name, struct error *err);
/* The curriculum in GraphML or GEXF (graphml.c, gexf.c). is_text: the text is UTF-8, whatever it
 * declares. name: of the file, for errors and the report. */
json_t *graphml_curriculum(const char *name, const struct buf *text, bool is_text,
                           struct format_report *report, struct error *err);
json_t *gexf_curriculum(const char *name, const struct buf *text, bool is_text,
                        struct format_report *report, struct error *err);
/* The curriculum in a CFPackage (case.c). */
json_t *case_curriculum(const json_t *package, struct format_report *report, struct error *err);

#endif
