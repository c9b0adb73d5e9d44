/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The teaching order of a view, also where it has cycles: nodes that need one another form one
 * component, components are numbered so that every edge leads to a higher number, always taking the
 * one whose first node stands first in the curriculum. igraph finds the components; its own
 * topological sorting takes them in an order that depends on the edges, so the numbering is ours
 * (Kahn's algorithm with a heap). O((n + m) log n).
 */
#ifndef LECTERN_GRAPH_ORDER_H
#define LECTERN_GRAPH_ORDER_H

#include "helpers/graph/view.h"

struct graph_order {
    uint32_t count; /* components */
    uint32_t *of;   /* node -> its component */
    uint32_t
        *start; /* count + 1: the nodes of component c are nodes[start[c]] to nodes[start[c + 1]] */
    uint32_t *nodes;   /* all nodes in teaching order */
    uint32_t *place;   /* node -> its index in nodes */
    uint32_t *level;   /* component -> edges on the longest way to it */
    uint32_t levels;   /* 0 for a graph without nodes */
    uint32_t cycles;   /* components of more than one node */
    uint32_t in_cycle; /* nodes in them */
};

/* Borrowed from the view; made once. NULL: err. */
const struct graph_order *graph_order_get(struct graph_view *view, struct error *err);
void graph_order_destroy(struct graph_order *order); /* takes NULL */
size_t graph_order_bytes(const struct graph_order *order);

/* How many nodes node's component has. */
uint32_t graph_order_size(const struct graph_order *order, uint32_t node);

#endif
