/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The graph restricted to some relationship types and made simple: parallel edges become one; edges
 * from a node to itself and edges with a missing end are left out and counted. It is stored twice:
 * for igraph's algorithms, and as arrays for ours.
 */
#ifndef LECTERN_GRAPH_VIEW_H
#define LECTERN_GRAPH_VIEW_H

#include <igraph/igraph.h>

#include "helpers/graph/model.h"
#include "helpers/graph/order.h"

/* A measure of all nodes that is expensive to compute and independent of the limit. */
struct graph_rank {
    uint32_t node;
    int64_t weight;
};
struct graph_ranking {
    struct graph_rank *ranks; /* all nodes, by weight, then by index */
    double *figures;          /* node -> the exact value, or NULL if the weight is exact */
    size_t weighing;          /* number of ranks with a weight above 0 */
    size_t sources;           /* number of nodes that it was measured from */
};
/* The weakly connected components. */
struct graph_pieces {
    size_t count, largest, isolated;
};
enum graph_measure { GRAPH_BETWEENNESS, GRAPH_DEPENDENTS, GRAPH_MEASURES };

struct graph_view {
    const struct graph *graph; /* borrowed */
    bool *follows;             /* by type */
    uint32_t n;
    size_t m;
    size_t strays, loops, parallel; /* what was left out, of the types that are followed */
    size_t *out_start, *in_start;   /* n + 1 each: the edges of node v are out[out_start[v]] to
                                       out[out_start[v + 1]] */
    uint32_t *out, *in;             /* sorted by index within a node */
    igraph_t igraph;                /* edge i is out[i] */
    bool igraph_ready;
    /* Computed on demand; owned. */
    struct graph_order *order;
    struct graph_ranking *rankings[GRAPH_MEASURES];
    struct graph_pieces pieces;   /* count 0: not yet, or no nodes */
    struct graph_view *next_left; /* in graph.left_views */
};

/* Returns the view of the types with follows[type], or NULL with err. Borrowed from the graph until
 * the question ends. */
struct graph_view *graph_view_get(struct graph *graph, const bool *follows, struct error *err);
/* Sets follows (by type) to the types that a query follows if none are named. */
void graph_default_types(const struct graph *graph, enum graph_follows which, bool *follows);
/* The view of these types, like graph_view_get. */
struct graph_view *graph_default_view(struct graph *graph, enum graph_follows which,
                                      struct error *err);
void graph_view_destroy(struct graph_view *view); /* takes NULL */
size_t graph_view_bytes(const struct graph_view *view);

/* The teaching order of the view; borrowed from it, computed once. NULL with err. */
const struct graph_order *graph_order_get(struct graph_view *view, struct error *err);

static inline bool graph_has_in(const struct graph_view *view, uint32_t v)
{
    return view->in_start[v] != view->in_start[v + 1];
}

static inline bool graph_has_out(const struct graph_view *view, uint32_t v)
{
    return view->out_start[v] != view->out_start[v + 1];
}

void graph_ranking_destroy(struct graph_ranking *ranking); /* takes NULL */

/* Reachability: from one node by igraph's breadth-first search, O(n + m); from all nodes by bit
 * sets over the teaching order, one block of target nodes at a time, so that it needs n times 128
 * bytes instead of n * n bits, and n * m / 64 word operations. */

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
