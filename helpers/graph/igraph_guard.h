/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * igraph kept in bounds: errors come back as codes instead of aborting the process, warnings are
 * dropped, and a cancel token interrupts what runs long. igraph's handlers are global state, hence
 * one thread at a time.
 */
#ifndef LECTERN_GRAPH_IGRAPH_GUARD_H
#define LECTERN_GRAPH_IGRAPH_GUARD_H

#include <igraph/igraph.h>

#include "helpers/base/cancel.h"

/* Installs the handlers; cancel (may be NULL) is asked until the end. Every entry from outside is
 * within such a pair. */
void igraph_guard_begin(const struct cancel *cancel);
void igraph_guard_end(void);

/* 0 for IGRAPH_SUCCESS, else -1: ERROR_MEMORY, ERROR_CANCELLED or ERROR_INTERNAL. what names the
 * step. */
int igraph_guard_check(igraph_error_t code, const char *what, struct error *err);

/* For vectors that end with their function; declare them = {0}. */
#define IGRAPH_GUARD_VECTOR_INT __attribute__((cleanup(igraph_vector_int_destroy)))
#define IGRAPH_GUARD_VECTOR     __attribute__((cleanup(igraph_vector_destroy)))

#endif
