/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A graph of another tool as it becomes a curriculum: GraphML, GEXF and node-link JSON collect
 * their nodes and edges here. Attributes have the roles of columns of sheets (column_role.h); all
 * others are kept as fields.
 */
#ifndef LECTERN_FORMAT_GRAPH_FILE_H
#define LECTERN_FORMAT_GRAPH_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "helpers/base/error.h"
#include "mcp/format/format.h"

#define GRAPH_FILE_SAME_CAP     100u     /* fields of one entry with the same name */
#define GRAPH_FILE_DEFAULTS_CAP 1000000u /* values that come from the defaults of a file */
#define GRAPH_FILE_GROUPS_DEEP  16       /* groups within groups that the name of a chapter has */

struct graph_file {
    const char *node_place, *edge_place; /* the file, or a key of it: for errors and the report */
    struct format_report *report;
    bool by_place;                   /* ends that are numbers may be places of nodes, from 0 (D3) */
    json_t *nodes, *edges;           /* entries, by add; as of a curriculum file after complete */
    json_t *node_lines, *edge_lines; /* a number for each */
    json_t *parents;                 /* of each node: the id of the group that it is in, or null */
    json_t *node_ids;                /* of each node as it was added, or null; by complete */
    const json_t *node_defaults; /* name -> value, which no node says itself; borrowed; or NULL */
    size_t defaults, undirected, numbers;
};

void graph_file_begin(struct graph_file *graph, const char *place, struct format_report *report);
void graph_file_finish(struct graph_file *graph);

/* Adds an entry, which is taken over. An edge without ends, or a node without id and title, is left
 * out by graph_file_complete(). parent: NULL for none; borrowed. */
void graph_file_add_node(struct graph_file *graph, json_t *entry, size_t line,
                         const json_t *parent);
void graph_file_add_edge(struct graph_file *graph, json_t *entry, size_t line, bool directed);

/* Sets a field of an entry. Where it has another value with that name, the field is called
 * "name (2)", which is reported. Takes value over; nothing for NULL. place: of the entry. */
void graph_file_set(struct graph_file *graph, json_t *entry, const char *key, json_t *value,
                    const char *place, size_t line);
/* Sets the fields of defaults (key -> value) that the entry lacks. ERROR_TOO_LARGE above the cap.
 */
int graph_file_set_defaults(struct graph_file *graph, json_t *entry, const json_t *defaults,
                            struct error *err);
/* The value of an attribute with a declared type of GraphML or GEXF ("int", "boolean",
 * "liststring"): a new reference. A text that does not fit the type is kept, and reported. */
json_t *graph_file_value(struct graph_file *graph, const char *type, const json_t *text,
                         const char *key, size_t line);

/* Names the fields of all entries by their roles, gives each relationship a type, adds those of the
 * fields that name prerequisites, and makes chapters of the groups. ERROR_INVALID if no node can be
 * read. unread: set to the number of edges, if none of them could be read; else 0. With by_place,
 * nothing is done then. */
int graph_file_complete(struct graph_file *graph, size_t *unread, struct error *err);
/* The curriculum after that: a new reference. meta: of the curriculum, left out if it is empty. */
json_t *graph_file_curriculum(const struct graph_file *graph, const json_t *meta);

#endif
