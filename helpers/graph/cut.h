/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which edge of a cycle to take out at least cost: the one that leaves the fewest nodes of the
 * group in cycles; of those the one with the fewest relationships, then with the least confidence,
 * then the last one of the cycle as it is written. For query_cycles.c.
 */
#ifndef LECTERN_GRAPH_CUT_H
#define LECTERN_GRAPH_CUT_H

#include "helpers/graph/ask.h"

struct graph_cut {
    uint32_t at;          /* the edge from cycle[at] to the node after it */
    uint32_t left;        /* nodes of the group that are still in a cycle without it */
    size_t relationships; /* of the types that are followed */
    double confidence;    /* the greatest of theirs */
};

/* Memory for searches; zeroed, then graph_cutter_begin. */
struct graph_cutter {
    uint32_t *mark, *stack, *finish, stamp;
    size_t *next;
    uint64_t edges; /* visited so far */
};
int graph_cutter_begin(struct graph_cutter *cutter, uint32_t nodes, struct error *err);
void graph_cutter_finish(struct graph_cutter *cutter);

/* For a cycle of `length` nodes in a component of the order. Edges are compared until edges_cap is
 * visited, the first one always. */
int graph_cut_find(struct graph_cutter *cutter, struct graph_ask *ask,
                   const struct graph_order *order, const uint32_t *cycle, uint32_t length,
                   uint64_t edges_cap, struct graph_cut *cut, struct error *err);

#endif
