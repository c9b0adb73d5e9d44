/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of queries: name, summary, which of node, from and to it takes, the types it speaks
 * over. A new query is a row here and graph_query_NAME in a file query_*.c.
 */
#ifndef LECTERN_GRAPH_QUERIES_H
#define LECTERN_GRAPH_QUERIES_H

#include "helpers/graph/ask.h"

/* clang-format off */
#define GRAPH_QUERIES(ROW)                                                                         \
    ROW(outline, "nodes by chapter", MAY_TAKE_NODE, ALL)                                           \
    ROW(counts, "sizes, pieces, defects", TAKES_NOTHING, ALL)                                      \
    ROW(neighbours, "direct edges", TAKES_NODE, ALL)                                               \
    ROW(path, "shortest", TAKES_FROM_TO, PATHS)                                                    \
    ROW(needs, "all prerequisites in teaching order", TAKES_NODE, PREREQUISITES)                   \
    ROW(needed_by, "all dependents", TAKES_NODE, PREREQUISITES)                                    \
    ROW(common_needs, "needs of both", TAKES_FROM_TO, PREREQUISITES)                               \
    ROW(starting_points, "without prerequisites", TAKES_NOTHING, PREREQUISITES)                    \
    ROW(end_points, "needed by none", TAKES_NOTHING, PREREQUISITES)                                \
    ROW(order, "teaching order", TAKES_NOTHING, PREREQUISITES)                                     \
    ROW(levels, "by longest chain of prerequisites", MAY_TAKE_NODE, PREREQUISITES)                 \
    ROW(longest_chain, "of prerequisites", TAKES_NOTHING, PREREQUISITES)                           \
    ROW(cycles, "nodes that need one another", TAKES_NOTHING, PREREQUISITES)                       \
    ROW(bottlenecks, "highest betweenness", TAKES_NOTHING, PATHS)                                  \
    ROW(hubs, "most direct prerequisites or dependents", TAKES_NOTHING, PREREQUISITES)             \
    ROW(unlocks, "most dependents in all", TAKES_NOTHING, PREREQUISITES)                           \
    ROW(redundant, "edges that longer chains imply", TAKES_NOTHING, PREREQUISITES)                 \
    ROW(unreachable, "from all starts, or a node", MAY_TAKE_NODE, PATHS)
/* clang-format on */

#define GRAPH_QUERY_DECLARE(name, ...)                                                             \
    int graph_query_##name(struct graph_ask *ask, struct error *err);
GRAPH_QUERIES(GRAPH_QUERY_DECLARE)
#undef GRAPH_QUERY_DECLARE

#endif
