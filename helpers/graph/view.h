/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The graph over some relationship types, simple: parallel edges are one, edges from a node to
 * itself and edges with a missing end are left out and counted. Held twice: as igraph's, for
 * igraph's algorithms, and as arrays, for ours.
 */
#ifndef LECTERN_GRAPH_VIEW_H
#define LECTERN_GRAPH_VIEW_H

#include <igraph/igraph.h>

#include "helpers/graph/model.h"

/* The teaching order, also where there are cycles: nodes that need one another form one component,
 * components are numbered so that every edge leads to a higher number, always taking the one whose
 * first node stands first in the curriculum. */
struct graph_order {
    uint32_t count; /* components */
    uint32_t *of;   /* node -> its component */
    uint32_t
        *start; /* count + 1: the nodes of component c are nodes[start[c]] to nodes[start[c + 1]] */
    uint32_t *nodes;   /* all nodes in teaching order */
    uint32_t *level;   /* component -> edges on the longest way to it */
    uint32_t levels;   /* 0 for a graph without nodes */
    uint32_t cycles;   /* components of more than one node */
    uint32_t in_cycle; /* nodes in them */
};

/* A measure of all nodes that takes long to find out, the same for every limit. */
struct graph_rank {
    uint32_t node;
    int64_t weight;
};
struct graph_ranking {
    struct graph_rank *ranks; /* all nodes, by weight, then by place */
    double *figures;          /* node -> the exact figure, or NULL: the weight is it */
    size_t weighing;          /* of ranks: those that weigh anything */
    size_t sources;           /* nodes that it was measured from */
};
enum graph_measure { GRAPH_BETWEENNESS, GRAPH_DEPENDENTS, GRAPH_MEASURES };

struct graph_view {
    const struct graph *graph; /* borrowed */
    bool *follows;             /* by type */
    uint32_t n;
    size_t m;
    size_t strays, loops, parallel; /* what was left out, of the types followed */
    size_t *out_start, *in_start;   /* n + 1 each: the edges of node v are out[out_start[v]] to
                                       out[out_start[v + 1]] */
    uint32_t *out, *in;             /* sorted by place within a node */
    igraph_t igraph;                /* edge i is the i-th of out */
    bool igraph_ready;
    /* Made when first asked for; owned. */
    struct graph_order *order;
    struct graph_ranking *rankings[GRAPH_MEASURES];
};

/* The view over the types with follows[type]; borrowed from the graph, good for this question and
 * one more call of this. NULL: err. */
struct graph_view *graph_view_get(struct graph *graph, const bool *follows, struct error *err);
/* follows (by type) for the types that a query speaks over where none is named. */
void graph_default_types(const struct graph *graph, enum graph_follows which, bool *follows);
/* The view over these, as graph_view_get. */
struct graph_view *graph_default_view(struct graph *graph, enum graph_follows which,
                                      struct error *err);
void graph_view_destroy(struct graph_view *view); /* takes NULL */
size_t graph_view_bytes(const struct graph_view *view);

/* Borrowed from the view; made once, in O((n + m) log n). NULL: err. */
const struct graph_order *graph_order_get(struct graph_view *view, struct error *err);

/* How many nodes node's component has. */
uint32_t graph_order_size(const struct graph_order *order, uint32_t node);

static inline bool graph_has_in(const struct graph_view *view, uint32_t v)
{
    return view->in_start[v] != view->in_start[v + 1];
}

static inline bool graph_has_out(const struct graph_view *view, uint32_t v)
{
    return view->out_start[v] != view->out_start[v + 1];
}

void graph_ranking_destroy(struct graph_ranking *ranking); /* takes NULL */

#endif
