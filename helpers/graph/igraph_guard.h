/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * igraph kept in bounds: errors come back as codes instead of aborting the process, warnings are
 * dropped, and what was cancelled or has run out of time is interrupted. igraph's handlers are
 * global state, hence one thread at a time.
 */
#ifndef LECTERN_GRAPH_IGRAPH_GUARD_H
#define LECTERN_GRAPH_IGRAPH_GUARD_H

#include <igraph/igraph.h>

#include "helpers/graph/graph.h"

/* Installs the handlers; the bounds (NULL: none) hold until the end, the time from now on. Every
 * entry from outside is within such a pair. */
void igraph_guard_begin(const struct graph_bounds *bounds);
void igraph_guard_end(void);

/* 0 while the answer is still wanted; -1: ERROR_CANCELLED or ERROR_TIMEOUT. Whatever loops over a
 * graph asks this at least every few milliseconds. */
int igraph_guard_wanted(struct error *err);

/* 0 for IGRAPH_SUCCESS, else -1: ERROR_MEMORY, ERROR_INTERNAL, or as igraph_guard_wanted. what
 * names the step. */
int igraph_guard_check(igraph_error_t code, const char *what, struct error *err);

/* For vectors that end with their function; declare them = {0}. */
#define IGRAPH_GUARD_VECTOR_INT __attribute__((cleanup(igraph_vector_int_destroy)))
#define IGRAPH_GUARD_VECTOR     __attribute__((cleanup(igraph_vector_destroy)))

#endif
