/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One question while it is answered, and the functions that write its answer. A query computes its
 * answer once and writes it once: sentences with graph_say (words only), members with graph_put
 * (data only), and lists, whose rows answer.c renders as lines or as JSON. A node is an id with a
 * title in words, and an id in data.
 */
#ifndef LECTERN_GRAPH_ASK_H
#define LECTERN_GRAPH_ASK_H

#include "helpers/graph/text.h"
#include "helpers/graph/view.h"

/* Rows stop this many bytes before GRAPH_ANSWER_CAP, to leave room for the notes after them. */
#define GRAPH_ANSWER_RESERVE 4096u
#define GRAPH_PIECES         4u

struct graph_ask {
    struct graph *graph;
    const struct graph_question *question;
    const struct graph_query *query;
    struct graph_view *view; /* of the types of the question */
    uint32_t node, from, to; /* GRAPH_NO_NODE if not given */
    size_t limit;
    struct buf *answer;
    size_t rows_end; /* no row begins after this length of the answer */
    bool no_scope;   /* words only: the query itself writes which types it followed */
    bool data;       /* the answer is JSON, not words */
    size_t *words;   /* of each node, if the question counts them, else NULL; owned */
    size_t cut;      /* data only: number of rows left out so far */
    bool full;       /* some were left out because the answer was full */
    struct buf pieces[GRAPH_PIECES];
    unsigned piece; /* the next one to use */
};

/* ---- the table of queries ----
 *
 * Name, summary, which of node, from and to it takes, which types it follows, which facts
 * beside the graph it says, and whether its work is LINEAR in nodes and edges (apart from a
 * logarithm, where something is sorted) or HEAVY. To add a query, add a row here and
 * graph_query_NAME in a file query_*.c. */

/* clang-format off */
#define GRAPH_QUERIES(ROW)                                                                               \
    ROW(outline, "nodes by chapter", MAY_TAKE_NODE, ALL, MAY_COUNT_WORDS, LINEAR)                        \
    ROW(counts, "sizes, pieces, defects", TAKES_NOTHING, ALL, NO_FACTS, LINEAR)                          \
    ROW(neighbours, "direct edges", TAKES_NODE, ALL, NO_FACTS, LINEAR)                                   \
    ROW(path, "shortest", TAKES_FROM_TO, PATHS, NO_FACTS, LINEAR)                                        \
    ROW(needs, "all prerequisites in teaching order", TAKES_NODE, NEEDS, NO_FACTS, LINEAR)               \
    ROW(needed_by, "all dependents", TAKES_NODE, NEEDS, NO_FACTS, LINEAR)                                \
    ROW(common_needs, "needs of both", TAKES_FROM_TO, NEEDS, NO_FACTS, LINEAR)                           \
    ROW(starting_points, "without prerequisites", TAKES_NOTHING, NEEDS, NO_FACTS, LINEAR)                \
    ROW(end_points, "needed by none", TAKES_NOTHING, NEEDS, NO_FACTS, LINEAR)                            \
    ROW(order, "teaching order", TAKES_NOTHING, NEEDS, MAY_COUNT_WORDS, LINEAR)                          \
    ROW(pace, "teaching order in even parts", TAKES_NOTHING, NEEDS, COUNTS_WORDS, LINEAR)                \
    ROW(levels, "by longest chain of prerequisites", MAY_TAKE_NODE, NEEDS, MAY_COUNT_WORDS, LINEAR)      \
    ROW(longest_chain, "of prerequisites", TAKES_NOTHING, NEEDS, NO_FACTS, LINEAR)                       \
    ROW(cycles, "nodes that need one another", TAKES_NOTHING, NEEDS, RELATIONSHIPS, HEAVY)               \
    ROW(bottlenecks, "highest betweenness", TAKES_NOTHING, PATHS, NO_FACTS, HEAVY)                       \
    ROW(hubs, "most direct prerequisites or dependents", TAKES_NOTHING, NEEDS, NO_FACTS, LINEAR)         \
    ROW(unlocks, "most dependents", TAKES_NOTHING, NEEDS, NO_FACTS, HEAVY)                               \
    ROW(redundant, "edges that longer chains imply", TAKES_NOTHING, NEEDS, NO_FACTS, HEAVY)              \
    ROW(unreachable, "from all starts, or a node", MAY_TAKE_NODE, PATHS, NO_FACTS, LINEAR)               \
    ROW(coverage, "statements without lessons, and the reverse", TAKES_FRAMEWORK, ALL, NO_FACTS, LINEAR)
/* clang-format on */

#define GRAPH_QUERY_DECLARE(name, ...)                                                             \
    int graph_query_##name(struct graph_ask *ask, struct error *err);
GRAPH_QUERIES(GRAPH_QUERY_DECLARE)
#undef GRAPH_QUERY_DECLARE

/* The node of a graph by its id, or by a title that only one has; what: the argument, for the
 * error. */
int graph_find_node(const struct graph *graph, const char *name, const char *what, uint32_t *node,
                    struct error *err);

/* ---- words only ---- */

#define graph_say(ask, ...) ((ask)->data ? (void)0 : buf_addf((ask)->answer, __VA_ARGS__))

/* Arguments for one call of graph_say, which may use GRAPH_PIECES of them: `N003 "Comparing
 * fractions"`, and "1 node" or "3 nodes". */
const char *graph_node_text(struct graph_ask *ask, uint32_t node);
const char *graph_count_text(struct graph_ask *ask, size_t count, const char *thing);
/* ", 120 words" for the sum of some nodes; "" if the question does not count words. */
const char *graph_words_text(struct graph_ask *ask, const uint32_t *nodes, size_t count);

void graph_write_type(struct graph_ask *ask, uint32_t type);

/* ---- data only; key NULL: inside an array ---- */

void graph_open(struct graph_ask *ask, const char *key, char bracket); /* '{' or '[' */
void graph_close(struct graph_ask *ask, char bracket);                 /* '}' or ']' */
void graph_put(struct graph_ask *ask, const char *key, size_t count);
/* Writes "words", the sum of some nodes, if the question counts words. */
void graph_put_words(struct graph_ask *ask, const uint32_t *nodes, size_t count);
void graph_put_real(struct graph_ask *ask, const char *key, double value);
void graph_put_bool(struct graph_ask *ask, const char *key, bool value);
void graph_put_null(struct graph_ask *ask, const char *key);
void graph_put_node(struct graph_ask *ask, const char *key, uint32_t node);
/* text comes from the curriculum; invalid UTF-8 is replaced. */
void graph_put_text(struct graph_ask *ask, const char *key, const char *text);
/* Writes the types of the edges between two nodes, as far as the view follows them. */
void graph_put_types(struct graph_ask *ask, const char *key, uint32_t from, uint32_t to);
/* Writes all nodes, up to the cap of the answer, regardless of the question's limit. */
void graph_put_nodes(struct graph_ask *ask, const char *key, const uint32_t *nodes, size_t count);

/* ---- both ---- */

/* The sum of some nodes; the question counts words. */
size_t graph_words(const struct graph_ask *ask, const uint32_t *nodes, size_t count);
/* Whether the answer has room for more rows. */
bool graph_has_room(const struct graph_ask *ask);
/* Calls visit for each relationship between two nodes whose type the view follows. One that the
 * facts do not have has the id 0. */
typedef void graph_visit(struct graph_ask *ask, const char *type,
                         const struct graph_relationship *relationship, void *user);
void graph_relationships(struct graph_ask *ask, uint32_t from, uint32_t to, graph_visit *visit,
                         void *user);

/* Rows up to the question's limit and the answer's cap, followed by the number of rows left out: in
 * words a line "… and 17 more (limit 37 shows all)". */
struct graph_list {
    struct graph_ask *ask;
    size_t shown, limit, total;
};

void graph_list_begin(struct graph_list *list, struct graph_ask *ask, const char *key,
                      size_t total);
/* Returns whether another row may be written, and counts it: it is number shown - 1. If it returns
 * false, the list is ended. */
bool graph_list_row(struct graph_list *list);

/* The columns of a list's rows; the last has kind GRAPH_COLUMN_END. */
struct graph_column {
    const char *key; /* NULL: only in words */
    enum {
        GRAPH_COLUMN_END,
        GRAPH_COLUMN_NODE,
        GRAPH_COLUMN_COUNT,
        GRAPH_COLUMN_NONZERO, /* a count; in words omitted if 0 */
        GRAPH_COLUMN_WORDS,   /* a count; omitted if the question does not count words */
        GRAPH_COLUMN_REAL,
        GRAPH_COLUMN_FLAG, /* in words its text, if set */
        GRAPH_COLUMN_TYPES /* of the edges between two nodes */
    } kind;
    const char *words; /* with % for the value; NULL: only in data */
};
union graph_value {
    uint32_t node;
    size_t count;
    double real;
    bool flag;
    struct {
        uint32_t from, to;
    } ends;
};
void graph_row(struct graph_list *list, const struct graph_column *columns,
               const union graph_value *values);

/* A list of nodes. */
void graph_nodes(struct graph_ask *ask, const char *key, const uint32_t *nodes, size_t count);
/* Nodes within a row: in words the first `most` on a line (N001 "A", N002 "B", … 3 more), or
 * nothing if there are none. */
void graph_some_nodes(struct graph_ask *ask, const char *key, const uint32_t *nodes, size_t count,
                      size_t most);
/* Writes which types the answer followed, their number of edges, and what was left out: the last
 * line in words, "over" in data. */
void graph_scope(struct graph_ask *ask, const struct graph_view *view);

/* Which edge of a cycle to take out at least cost: the one that leaves the fewest nodes of the
 * group in cycles; of those the one with the fewest relationships, then with the least confidence,
 * then the last one of the cycle as it is written. For query_cycles.c. */

struct graph_cycle_cut {
    uint32_t at;          /* the edge from cycle[at] to the node after it */
    uint32_t left;        /* nodes of the group that are still in a cycle without it */
    size_t relationships; /* of the types that are followed */
    double confidence;    /* the greatest of theirs */
};

/* Memory for searches; zeroed, then graph_cutter_begin. */
struct graph_cutter {
    uint32_t *mark, *stack, *finish, stamp;
    size_t *next;
    uint64_t edges; /* visited so far */
};
int graph_cutter_begin(struct graph_cutter *cutter, uint32_t nodes, struct error *err);
void graph_cutter_finish(struct graph_cutter *cutter);

/* For a cycle of `length` nodes in a component of the order. Edges are compared until edges_cap is
 * visited, the first one always. */
int graph_cut_find(struct graph_cutter *cutter, struct graph_ask *ask,
                   const struct graph_order *order, const uint32_t *cycle, uint32_t length,
                   uint64_t edges_cap, struct graph_cycle_cut *cut, struct error *err);

#endif
