/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reachability: from one node by igraph's breadth-first search, O(n + m); from all nodes by bit
 * sets over the teaching order, one block of target nodes at a time, so that it needs n times 128
 * bytes instead of n * n bits, and n * m / 64 word operations.
 */
#ifndef LECTERN_GRAPH_REACH_H
#define LECTERN_GRAPH_REACH_H

#include "helpers/graph/view.h"

/* Sets distance[v] to the number of edges from node (IGRAPH_OUT) or to node (IGRAPH_IN), or
 * GRAPH_NO_NODE if there is no path. distance has room for view->n. before (may be NULL) receives
 * the predecessor of each node that is reached. */
int graph_reach_one(const struct graph_view *view, uint32_t node, igraph_neimode_t mode,
                    uint32_t *distance, igraph_vector_int_t *before, struct error *err);

/* Searches breadth-first along the edges from queue[0] to queue[count - 1], which are already
 * marked in seen. seen and queue have room for view->n. */
void graph_reach_many(const struct graph_view *view, bool *seen, uint32_t *queue, size_t count);

/* Finds a shortest path. Writes its *count nodes, including both ends, to path, which has room for
 * view->n; *count is 0 if there is none. */
int graph_reach_path(const struct graph_view *view, uint32_t from, uint32_t to, uint32_t *path,
                     uint32_t *count, struct error *err);

/* Sets dependents[c] to the number of nodes that can be reached from component c, including its
 * own. Sets redundant (by the edge's index in view->out) if a longer path leads from the component
 * of its start to that of its end; never for edges inside a component. Either may be NULL. */
int graph_reach_all(const struct graph_view *view, const struct graph_order *order,
                    uint32_t *dependents, bool *redundant, struct error *err);

#endif
