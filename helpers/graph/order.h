/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The teaching order: the one place that decides in which order lessons are taught. Lessons are
 * visited in the curriculum's own order, and the prerequisites of each that were not visited yet
 * come right before it, in the curriculum's order. Lessons that need one another have no correct
 * order; they form one component and stay together, in the curriculum's order. No igraph here, so
 * any thread may call it.
 */
#ifndef LECTERN_GRAPH_ORDER_H
#define LECTERN_GRAPH_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "helpers/base/error.h"

/* Components are numbered in teaching order: every edge between two leads to the higher number. */
struct graph_order {
    uint32_t count; /* components */
    uint32_t *of;   /* node -> its component */
    uint32_t
        *start; /* count + 1: the nodes of component c are nodes[start[c]] to nodes[start[c + 1]] */
    uint32_t *nodes;   /* all nodes in teaching order */
    uint32_t *level;   /* component -> edges on the longest path to it */
    uint32_t levels;   /* 0 for a graph without nodes */
    uint32_t cycles;   /* components of more than one node */
    uint32_t in_cycle; /* number of nodes in them */
};

/* The order of n nodes, numbered in the curriculum's order. needs[needs_start[v]] to
 * needs[needs_start[v + 1]] are the direct prerequisites of v, ascending, without v itself;
 * needs_start has n + 1 elements. wanted (or NULL) is asked now and then whether to go on: -1 with
 * err ends the work. Takes O(n + edges). NULL with err; free it with graph_order_destroy. */
struct graph_order *graph_order_create(uint32_t n, const size_t *needs_start, const uint32_t *needs,
                                       int (*wanted)(struct error *err), struct error *err);
void graph_order_destroy(struct graph_order *order); /* takes NULL */

/* The number of nodes in the node's component. */
uint32_t graph_order_size(const struct graph_order *order, uint32_t node);

#endif
