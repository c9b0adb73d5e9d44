/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The turn to work on graphs, and igraph's limits. igraph 0.10 has global state and struct graph
 * has none of its own to protect it, so one thread at a time has the turn. It offers the turn to
 * others wherever it checks whether its answer is still needed: small questions are answered before
 * large ones, and large ones alternate.
 *
 * igraph's errors are returned as codes instead of aborting the process, its warnings are dropped,
 * and a cancelled or timed-out computation is interrupted.
 */
#ifndef LECTERN_GRAPH_IGRAPH_GUARD_H
#define LECTERN_GRAPH_IGRAPH_GUARD_H

#include <igraph/igraph.h>

#include "helpers/graph/graph.h"

/* Waits for the turn, and installs igraph's handlers. The bounds (NULL: none) apply until
 * igraph_guard_end; their time is that of the turn, without the waits. Each entry point of this
 * folder calls this pair. Returns 1, without the turn, if it is taken and bounds->at_once. */
int igraph_guard_begin(const struct graph_bounds *bounds);
void igraph_guard_end(void);

/* Returns 0 while the answer is still needed, or -1 with ERROR_CANCELLED or ERROR_TIMEOUT. Others
 * may have the turn meanwhile: what belongs to the graph and not to the question may be different
 * afterwards, but the question's graph and views stay. Every loop over a graph must call it at
 * least every few milliseconds. */
int igraph_guard_wanted(struct error *err);

/* Returns 0 for IGRAPH_SUCCESS, or -1 with ERROR_MEMORY, ERROR_INTERNAL, or the error of
 * igraph_guard_wanted. what names the step. */
int igraph_guard_check(igraph_error_t code, const char *what, struct error *err);

/* Vectors that are destroyed at the end of their scope; declare them = {0}. */
#define IGRAPH_GUARD_VECTOR_INT __attribute__((cleanup(igraph_vector_int_destroy)))

#endif
