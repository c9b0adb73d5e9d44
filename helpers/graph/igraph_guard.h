/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeps igraph within limits: its errors are returned as codes instead of aborting the process, its
 * warnings are dropped, and a cancelled or timed-out computation is interrupted. igraph's handlers
 * are global state, so only one thread at a time may use it.
 */
#ifndef LECTERN_GRAPH_IGRAPH_GUARD_H
#define LECTERN_GRAPH_IGRAPH_GUARD_H

#include <igraph/igraph.h>

#include "helpers/graph/graph.h"

/* Installs the handlers. The bounds (NULL: none) apply until igraph_guard_end; their time begins
 * now. Each entry point of this folder calls this pair. */
void igraph_guard_begin(const struct graph_bounds *bounds);
void igraph_guard_end(void);

/* Returns 0 while the answer is still needed, or -1 with ERROR_CANCELLED or ERROR_TIMEOUT. Every
 * loop over a graph must call it at least every few milliseconds. */
int igraph_guard_wanted(struct error *err);

/* Returns 0 for IGRAPH_SUCCESS, or -1 with ERROR_MEMORY, ERROR_INTERNAL, or the error of
 * igraph_guard_wanted. what names the step. */
int igraph_guard_check(igraph_error_t code, const char *what, struct error *err);

/* Vectors that are destroyed at the end of their scope; declare them = {0}. */
#define IGRAPH_GUARD_VECTOR_INT __attribute__((cleanup(igraph_vector_int_destroy)))
#define IGRAPH_GUARD_VECTOR     __attribute__((cleanup(igraph_vector_destroy)))

#endif
