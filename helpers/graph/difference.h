/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a change has done to a graph: the graph before beside the graph after. Nodes are the same
 * where their ids are. "Needs" are the edges of types that contain PREREQUISITE, "ways" those and
 * LEADS_TO; edges with a missing end and from a node to itself count nowhere.
 */
#ifndef LECTERN_GRAPH_DIFFERENCE_H
#define LECTERN_GRAPH_DIFFERENCE_H

#include "helpers/graph/graph.h"

#define GRAPH_NEW_CYCLES_CAP 50u /* found one by one; what lies beyond is counted by its edges */

struct graph_node_name { /* a node of the graph after, borrowed from it */
    const char *id, *title;
};

/* Needs that go in a circle and did not before: a shortest one through a pair of nodes that was not
 * joined before. From the node that stands first in the curriculum. */
struct graph_new_cycle {
    struct graph_node_name *nodes;
    size_t count;
};

/* Why a node that was there before and is still there is cut off. */
enum graph_cut {
    GRAPH_CUT_ALONE,  /* edges of any type joined it to others, none does now */
    GRAPH_CUT_NO_WAY, /* ways led to it from a starting point (what no way led to); none arrives now
                       */
    GRAPH_CUT_BEHIND, /* ways led to it likewise; now none does, neither from one of those starting
                         points nor from a new one, but only from what is cut off or in a cycle */
};
struct graph_cut_off {
    struct graph_node_name node;
    enum graph_cut why;
};

struct graph_difference {
    struct graph_new_cycle cycles[GRAPH_NEW_CYCLES_CAP];
    size_t cycle_count;  /* of cycles */
    size_t cycles_total; /* those, and the new pairs on a cycle that were not looked at any more */
    struct graph_cut_off *cut_off; /* in the order of the curriculum */
    size_t cut_off_count;
    size_t chain_before, chain_after; /* steps of the longest chain of needs; a cycle is one node */
    /* Nodes that were there before and stand behind what was changed, by ways before or after:
     * behind a node that is new, gone or has another title, or at the end of an edge that is new or
     * gone, or behind it. In the order of the curriculum. */
    struct graph_node_name *downstream;
    size_t downstream_count;
};

/* Fills *difference, which is zeroed; wants graph_difference_finish on success, before the graphs
 * go. */
int graph_difference(struct graph *before, struct graph *after, const struct graph_bounds *bounds,
                     struct graph_difference *difference, struct error *err);
void graph_difference_finish(struct graph_difference *difference);

#endif
