/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What can be reached from where: from one node by igraph's breadth-first search, O(n + m); from
 * all nodes at once by bit sets over the teaching order, a block of target nodes at a time, so that
 * the memory is n times 128 bytes instead of n * n bits and the time n * m / 64 steps of words.
 */
#ifndef LECTERN_GRAPH_REACH_H
#define LECTERN_GRAPH_REACH_H

#include "helpers/graph/view.h"

/* distance[v]: edges from node (IGRAPH_OUT) or to node (IGRAPH_IN), GRAPH_NO_NODE where there is no
 * way. distance has room for view->n. before (may be NULL): the node each was reached from, where
 * it was reached at all. */
int graph_reach_one(const struct graph_view *view, uint32_t node, igraph_neimode_t mode,
                    uint32_t *distance, igraph_vector_int_t *before, struct error *err);

/* Breadth-first along the edges from queue[0] to queue[count - 1], which are seen already. seen and
 * queue have room for view->n. */
void graph_reach_many(const struct graph_view *view, bool *seen, uint32_t *queue, size_t count);

/* The nodes of a shortest path with both ends, *count of them; 0 where there is none. path has room
 * for view->n. */
int graph_reach_path(const struct graph_view *view, uint32_t from, uint32_t to, uint32_t *path,
                     uint32_t *count, struct error *err);

/* dependents[c]: nodes that can be reached from component c, those of c itself counted. redundant
 * (by place of the edge in view->out): whether a longer way leads from the component of its start
 * to that of its end. Edges inside a component are never marked. Either may be NULL. */
int graph_reach_all(const struct graph_view *view, const struct graph_order *order,
                    uint32_t *dependents, bool *redundant, struct error *err);

#endif
