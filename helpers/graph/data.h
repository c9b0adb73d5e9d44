/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An answer as JSON, beside its words: what a query has found out is said by one of the two. Nodes
 * are their ids. Members are appended as they come, the comma before each is seen to here.
 */
#ifndef LECTERN_GRAPH_DATA_H
#define LECTERN_GRAPH_DATA_H

#include "helpers/graph/ask.h"

/* Everywhere: key NULL inside an array. */
void graph_data_open(struct graph_ask *ask, const char *key, char bracket); /* '{' or '[' */
void graph_data_close(struct graph_ask *ask, char bracket);                 /* '}' or ']' */
void graph_data_count(struct graph_ask *ask, const char *key, size_t count);
void graph_data_real(struct graph_ask *ask, const char *key, double value);
void graph_data_bool(struct graph_ask *ask, const char *key, bool value);
void graph_data_null(struct graph_ask *ask, const char *key);
void graph_data_node(struct graph_ask *ask, const char *key, uint32_t node);
/* A text of the curriculum; bytes that are no UTF-8 are replaced. */
void graph_data_text(struct graph_ask *ask, const char *key, const char *text);

/* An array of rows: begin, then a row as long as graph_list_row() says so, then the end, which
 * counts what was left out. Its limit is the question's. */
void graph_data_list(struct graph_list *list, struct graph_ask *ask, const char *key, size_t total);
/* One inside a row: whole, but for the answer's cap. */
void graph_data_part(struct graph_list *list, struct graph_ask *ask, const char *key, size_t total);
void graph_data_list_end(struct graph_list *list);

/* Arrays of ids, of either kind. */
void graph_data_nodes(struct graph_ask *ask, const char *key, const uint32_t *nodes, size_t count);
void graph_data_part_nodes(struct graph_ask *ask, const char *key, const uint32_t *nodes,
                           size_t count);
/* The types of the edges between two nodes that the view follows. */
void graph_data_types_between(struct graph_ask *ask, const char *key, uint32_t from, uint32_t to);

/* "over": over which types the answer speaks, how many edges that are, and what was left out. */
void graph_data_scope(struct graph_ask *ask, const struct graph_view *view);

#endif
