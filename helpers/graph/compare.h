/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of difference.h: the two graphs with their views, and each answer's own function.
 */
#ifndef LECTERN_GRAPH_COMPARE_H
#define LECTERN_GRAPH_COMPARE_H

#include "helpers/graph/ask.h"
#include "helpers/graph/difference.h"

struct graph_side {
    struct graph *graph;
    struct graph_view *needs, *ways, *all;
    uint32_t *twin; /* node -> the same in the other graph, or GRAPH_NO_NODE; owned */
};

struct graph_comparison {
    struct graph_side before, after;
    struct graph_difference *difference;
};

struct graph_name graph_name_of(const struct graph_side *side, uint32_t node);

/* Breadth-first along the view from queue[0] to queue[count - 1], which are seen already. seen and
 * queue have room for all nodes. */
void graph_spread(const struct graph_view *view, bool *seen, uint32_t *queue, size_t count);

int graph_compare_cycles(struct graph_comparison *comparison, struct error *err);
int graph_compare_cut_off(struct graph_comparison *comparison, struct error *err);
int graph_compare_downstream(struct graph_comparison *comparison, struct error *err);

#endif
