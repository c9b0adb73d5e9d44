/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Graph questions over a curriculum, answered by igraph: in short words with ids and titles for a
 * reader, or as JSON with ids for a program. The only user of igraph. igraph 0.10 keeps global
 * state: every function here is for one thread at a time (the graph work queue).
 *
 * All edges point from the earlier node to the later one. A query speaks over its own default set
 * of relationship types (those that contain PREREQUISITE for needs, order, cycles, chains and
 * redundancy; LEADS_TO as well for paths, reachability and bottlenecks; ENRICHMENT only when named)
 * unless `types` says otherwise, and its answer says over which. Parallel edges of several types
 * count once; an edge with a missing end is left out, and the answer counts it.
 */
#ifndef LECTERN_GRAPH_H
#define LECTERN_GRAPH_H

#include <stddef.h>

#include "helpers/base/buf.h"
#include "helpers/base/cancel.h"

#define GRAPH_LIMIT_DEFAULT 20u
#define GRAPH_LIMIT_MAX     500u
#define GRAPH_ANSWER_CAP                                                                           \
    (32u << 10) /* bytes of one answer; what is cut is said, with how to get the rest */
#define GRAPH_DATA_CAP  (4u << 20) /* bytes of one answer as data, from which on no row begins */
#define GRAPH_NODES_CAP 200000u
#define GRAPH_EDGES_CAP 2000000u

struct graph_node {
    const char *id;
    const char *title; /* may be "" */
    const char *group; /* chapter, section or node type for the outline; may be NULL */
    size_t components; /* how many it has, for outline and counts */
};

struct graph_edge {
    const char *from, *to; /* node ids, also such as do not exist */
    const char *type;
};

struct graph;

/* Copies what it needs. A node id that repeats: the first counts. NULL with ERROR_TOO_LARGE,
 * ERROR_MEMORY. */
struct graph *graph_create(const struct graph_node *nodes, size_t node_count,
                           const struct graph_edge *edges, size_t edge_count, struct error *err);
void graph_destroy(struct graph *graph); /* takes NULL */
/* The memory it holds now; more with each question over other types. */
size_t graph_bytes(const struct graph *graph);

/* When work is given up. */
struct graph_bounds {
    const struct cancel *cancel; /* or NULL */
    unsigned timeout_s;          /* 0: none */
};

struct graph_question {
    const char *query; /* a name of graph_queries */
    const char *node;  /* node id, or a title that only one node has; NULL when not given */
    const char *from, *to;
    /* Relationship types, NULL-terminated, "all" for every one; NULL or empty: the query's own. */
    const char *const *types;
    unsigned limit; /* rows of each list, 0: the default, which is all for data */
    struct graph_bounds bounds;
};

/* Which of node, from and to a query takes. */
enum graph_needs {
    GRAPH_TAKES_NOTHING,
    GRAPH_TAKES_NODE,
    GRAPH_TAKES_FROM_TO,
    GRAPH_MAY_TAKE_NODE
};

/* The types a query speaks over when none is named. */
enum graph_follows {
    GRAPH_FOLLOWS_PREREQUISITES, /* those that contain PREREQUISITE */
    GRAPH_FOLLOWS_PATHS,         /* and LEADS_TO */
    GRAPH_FOLLOWS_ALL,
};

struct graph_ask; /* a question on its way: helpers/graph/ask.h */

struct graph_query {
    const char *name;    /* "outline", "path", ... */
    const char *summary; /* what it answers, in few words: for the tool's schema and for --help */
    enum graph_needs needs;
    enum graph_follows follows;
    int (*answer)(struct graph_ask *ask, struct error *err); /* in the form that ask wants */
};

/* The table of queries; count in *count. Static. */
const struct graph_query *graph_queries(size_t *count);
/* By its name, or one of a few other names that people use ("prerequisites" for "needs"). NULL:
 * ERROR_INVALID with the nearest name and all there are. */
const struct graph_query *graph_query_find(const char *name, struct error *err);

/* Appends the answer in words to *answer. -1: ERROR_INVALID or ERROR_NOT_FOUND with what would be
 * right (the queries, the nearest node id or title, the types there are), ERROR_CONFLICT for a
 * title that several nodes have, ERROR_CANCELLED, ERROR_TIMEOUT. */
int graph_answer(struct graph *graph, const struct graph_question *question, struct buf *answer,
                 struct error *err);

/* The same answer as one JSON object, with the same errors. Its members:
 *
 * - query: its name
 * - over: {"types": [...], "edges": n, "left_out": {"missing_end", "to_itself", "parallel"},
 *   "not_followed": {type: edges}}
 * - the query's own; each node is its id, and rows are in the order of the words
 * - cut: how many rows the limit or GRAPH_DATA_CAP left out, in all lists together
 * - full: true where it was GRAPH_DATA_CAP
 */
int graph_answer_data(struct graph *graph, const struct graph_question *question,
                      struct buf *answer, struct error *err);

#endif
