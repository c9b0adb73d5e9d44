/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Compares a graph before a change with the graph after it. Nodes are the same if their ids are
 * equal. "Needs" are the edges of types that contain PREREQUISITE; "ways" are those and LEADS_TO.
 * Edges with a missing end, and edges from a node to itself, are ignored.
 */
#ifndef LECTERN_GRAPH_DIFFERENCE_H
#define LECTERN_GRAPH_DIFFERENCE_H

#include "helpers/graph/graph.h"

#define GRAPH_NEW_CYCLES_CAP 50u /* found one by one; what lies beyond is counted by its edges */

struct graph_node_name { /* a node of the graph after the change; borrowed from it */
    const char *id, *title;
};

/* A new cycle of needs: a shortest cycle through two nodes that were not on a common cycle before.
 * It begins with the node that is first in the curriculum. */
struct graph_new_cycle {
    struct graph_node_name *nodes;
    size_t count;
};

/* Why a node that exists before and after is cut off. */
enum graph_cut {
    GRAPH_CUT_ALONE,  /* it had edges of any type to other nodes, and has none now */
    GRAPH_CUT_NO_WAY, /* ways led to it from a starting point (a node that no way leads to), and
                         none leads to it now */
    GRAPH_CUT_BEHIND, /* ways led to it likewise; now they come only from nodes that are cut off or
                         in a cycle, not from an old or new starting point */
};
struct graph_cut_off {
    struct graph_node_name node;
    enum graph_cut why;
};

struct graph_difference {
    struct graph_new_cycle cycles[GRAPH_NEW_CYCLES_CAP];
    size_t cycle_count;            /* number of entries in cycles */
    size_t cycles_total;           /* also counts the new pairs on a cycle that were not examined */
    struct graph_cut_off *cut_off; /* in curriculum order */
    size_t cut_off_count;
    size_t chain_before, chain_after; /* of the longest chain; a cycle is one node */
    /* Existing nodes downstream of the changes, by the ways before or after: those after a node
     * that is new, deleted or renamed, and the end of a new or deleted edge and those after it. In
     * curriculum order. */
    struct graph_node_name *downstream;
    size_t downstream_count;
};

/* Fills *difference, which must be zeroed. On success call graph_difference_finish before the
 * graphs are destroyed. */
int graph_difference(struct graph *before, struct graph *after, const struct graph_bounds *bounds,
                     struct graph_difference *difference, struct error *err);
void graph_difference_finish(struct graph_difference *difference);

#endif
