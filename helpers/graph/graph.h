/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Graph queries over a curriculum, computed by igraph: as short text with ids and titles for a
 * reader, or as JSON with ids for a program. The only user of igraph. Any thread may call these
 * functions; those that answer take turns (igraph_guard.h), also on one graph.
 *
 * All edges point from the earlier node to the later one. A query follows its default relationship
 * types (those that contain PREREQUISITE for needs, order, cycles, chains and redundancy; also
 * LEADS_TO for paths, reachability and bottlenecks; ENRICHMENT only when named) unless `types`
 * names others, and its answer says which. Parallel edges of several types count as one. Edges with
 * a missing end are left out, and the answer counts them.
 */
#ifndef LECTERN_GRAPH_H
#define LECTERN_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/base/buf.h"
#include "helpers/base/cancel.h"

#define GRAPH_LIMIT_DEFAULT 20u
#define GRAPH_LIMIT_MAX     500u
#define GRAPH_ANSWER_CAP                                                                           \
    (32u << 10) /* bytes of one answer; a truncated answer says how to get the rest */
#define GRAPH_DATA_CAP   (4u << 20) /* bytes of one answer as data, from which on no row begins */
#define GRAPH_NODES_CAP  200000u
#define GRAPH_EDGES_CAP  2000000u
#define GRAPH_BRIEF_SIZE 2000u
#define GRAPH_PARTS_MAX  500u

struct graph_node {
    const char *id;
    const char *title; /* may be "" */
    const char *group; /* chapter, section or node type, for the outline; may be NULL */
    size_t components; /* number of its components, for outline and counts */
    const char *code;  /* another name of it, such as "6.RP.A.1" of a standard; may be NULL */
};

struct graph_edge {
    const char *from, *to; /* node ids, which may not exist */
    const char *type;
};

/* A relationship to a node of another curriculum. No query follows it. */
struct graph_outside {
    int64_t id;                    /* of the relationship */
    const char *from, *type;       /* from: the id of a node */
    const char *curriculum, *node; /* ids */
    const char *title;             /* of that node when the link was made; may be "" */
};

struct graph;

/* Copies its arguments. If a node id repeats, the first node counts. Returns NULL with
 * ERROR_TOO_LARGE or ERROR_MEMORY. */
struct graph *graph_create(const struct graph_node *nodes, size_t node_count,
                           const struct graph_edge *edges, size_t edge_count, struct error *err);
/* Gives the graph its links to other curricula, once, before it is asked. Copies its argument. */
int graph_set_outsides(struct graph *graph, const struct graph_outside *outsides, size_t count,
                       struct error *err);
/* Another reference to it, which is given up by graph_destroy. */
struct graph *graph_ref(struct graph *graph);
void graph_destroy(struct graph *graph); /* frees it with the last reference; takes NULL */
static inline void graph_destroy_pointer(struct graph **graph)
{
    graph_destroy(*graph);
}
#define GRAPH_AUTO __attribute__((cleanup(graph_destroy_pointer)))
/* The memory it used after the latest question; it grows with each one about other types. */
size_t graph_bytes(const struct graph *graph);

/* Limits of the work on an answer. */
struct graph_bounds {
    const struct cancel *cancel; /* or NULL */
    unsigned timeout_ms;         /* 0: none; waits for other questions do not count */
    bool at_once;                /* do not wait for other questions */
};

/* A relationship, as far as the graph does not hold it. */
struct graph_relationship {
    int64_t id;
    const char *explanation; /* may be ""; valid until the answer is complete */
    double confidence;       /* from 0 to 1 */
};

/* What some answers say beside the graph. The functions are called while a question is answered, on
 * its thread, and wait for nothing. */
struct graph_facts {
    /* Returns false if there is no such relationship. */
    bool (*relationship)(void *user, const char *from, const char *to, const char *type,
                         struct graph_relationship *relationship);
    /* The words that a reader reads in a node. */
    size_t (*words)(void *user, const char *node);
    void *user;
};

struct graph_question {
    const char *query; /* a name of graph_queries */
    const char *node;  /* node id, or a code or title that only one node has; or NULL */
    const char *from, *to;
    /* Relationship types, NULL-terminated; "all" means every type; NULL or empty: the default types
     * of the query. */
    const char *const *types;
    unsigned limit; /* rows of each list; 0: the default, which is all for data */
    bool words;     /* count the words of nodes: only for queries that do so */
    unsigned parts; /* of pace, 1 to GRAPH_PARTS_MAX; 0: not given */
    /* Of coverage: the graph of the other curriculum, which has `node`, and its id; else NULL. */
    const struct graph *framework;
    const char *framework_id;
    const struct graph_facts *facts; /* NULL: relationships have only a type, nodes no words */
    struct graph_bounds bounds;
};

/* Which of node, from and to a query takes. */
enum graph_needs {
    GRAPH_TAKES_NOTHING,
    GRAPH_TAKES_NODE,
    GRAPH_TAKES_FROM_TO,
    GRAPH_MAY_TAKE_NODE,
    GRAPH_TAKES_FRAMEWORK /* and may take a node of it */
};

/* The types that a query follows if none are named. */
enum graph_follows {
    GRAPH_FOLLOWS_PREREQUISITES, /* those that contain PREREQUISITE */
    GRAPH_FOLLOWS_NEEDS,         /* the same; LEADS_TO in a curriculum that has none of them */
    GRAPH_FOLLOWS_PATHS,         /* those that contain PREREQUISITE, and LEADS_TO */
    GRAPH_FOLLOWS_ALL,
};

/* What a query says beside the graph. */
enum graph_uses {
    GRAPH_NO_FACTS,
    GRAPH_RELATIONSHIPS,
    GRAPH_MAY_COUNT_WORDS,
    GRAPH_COUNTS_WORDS, /* always, and takes parts */
};

struct graph_ask; /* a question while it is answered: helpers/graph/ask.h */

struct graph_query {
    const char *name;    /* "outline", "path", ... */
    const char *summary; /* what it answers, in a few words, for the tool's schema and --help */
    enum graph_needs needs;
    enum graph_follows follows;
    enum graph_uses uses;
    bool linear;                                             /* helpers/graph/ask.h */
    int (*answer)(struct graph_ask *ask, struct error *err); /* writes the form that ask requests */
};

/* The table of queries, static; *count is its length. */
const struct graph_query *graph_queries(size_t *count);
/* Finds a query by its name, or by a common alias ("prerequisites" for "needs"). Returns NULL with
 * ERROR_INVALID, the nearest name and the list of names. */
const struct graph_query *graph_query_find(const char *name, struct error *err);

/* Whether the answer surely takes less than a millisecond: the work of its query is linear, the
 * graph has at most GRAPH_BRIEF_SIZE nodes and edges, and nodes are named by their ids, not by what
 * must be searched for. */
bool graph_is_brief(const struct graph *graph, const struct graph_question *question);

/* Appends the answer in words to *answer. Returns -1 with ERROR_INVALID or ERROR_NOT_FOUND and what
 * would be valid (the queries, the nearest node id or title, the types), ERROR_CONFLICT for a title
 * that several nodes have, ERROR_CANCELLED, or ERROR_TIMEOUT. The newest answers are kept for the
 * same questions. Returns 1 without an answer if bounds.at_once and another question is worked
 * on. */
int graph_answer(struct graph *graph, const struct graph_question *question, struct buf *answer,
                 struct error *err);

/* Appends the same answer as one JSON object; the errors are the same. Its members:
 *
 * - query: its name
 * - over: {"types": [...], "edges": n, "left_out": {"missing_end", "to_itself", "parallel"},
 *   "not_followed": {type: edges}}
 * - those of the query; each node is its id, and rows are in the same order as in words
 * - cut: number of rows that the limit or GRAPH_DATA_CAP left out, in all lists together
 * - full: true if GRAPH_DATA_CAP was reached */
int graph_answer_data(struct graph *graph, const struct graph_question *question,
                      struct buf *answer, struct error *err);

#endif
