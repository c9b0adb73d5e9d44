/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The queries' own functions, a file a family; queries.c has the table.
 */
#ifndef LECTERN_GRAPH_QUERIES_H
#define LECTERN_GRAPH_QUERIES_H

#include "helpers/graph/ask.h"

/* query_outline.c */
int graph_query_outline(struct graph_ask *ask, struct error *err);
/* query_counts.c */
int graph_query_counts(struct graph_ask *ask, struct error *err);
/* query_path.c */
int graph_query_path(struct graph_ask *ask, struct error *err);
int graph_query_neighbours(struct graph_ask *ask, struct error *err);
/* query_needs.c */
int graph_query_needs(struct graph_ask *ask, struct error *err);
int graph_query_needed_by(struct graph_ask *ask, struct error *err);
int graph_query_common_needs(struct graph_ask *ask, struct error *err);
/* query_ends.c */
int graph_query_starting_points(struct graph_ask *ask, struct error *err);
int graph_query_end_points(struct graph_ask *ask, struct error *err);
int graph_query_unreachable(struct graph_ask *ask, struct error *err);
/* query_order.c */
int graph_query_order(struct graph_ask *ask, struct error *err);
int graph_query_levels(struct graph_ask *ask, struct error *err);
int graph_query_longest_chain(struct graph_ask *ask, struct error *err);
/* query_cycles.c */
int graph_query_cycles(struct graph_ask *ask, struct error *err);
/* query_weight.c */
int graph_query_bottlenecks(struct graph_ask *ask, struct error *err);
int graph_query_hubs(struct graph_ask *ask, struct error *err);
int graph_query_unlocks(struct graph_ask *ask, struct error *err);
/* query_redundant.c */
int graph_query_redundant(struct graph_ask *ask, struct error *err);

#endif
