/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The graphs of the sessions last asked about, so that a graph is built once for each version of a
 * session. On the graph lane only, which is one thread: no locks.
 */
#ifndef LECTERN_SESSION_GRAPH_CACHE_H
#define LECTERN_SESSION_GRAPH_CACHE_H

#include "helpers/graph/graph.h"
#include "mcp/session/store.h"

#define GRAPH_CACHE_ENTRIES 4u
/* Nodes and edges kept in all; the least recently asked goes first. One graph alone may be larger.
 */
#define GRAPH_CACHE_PARTS_CAP 2000000u

struct graph_cache;

/* Any thread; destroyed when the lane's threads are gone. */
struct graph_cache *graph_cache_create(struct error *err);
void graph_cache_destroy(struct graph_cache *cache); /* takes NULL */

/* The graph of the session as it is now in the store. Borrowed until the next call. NULL: err. */
struct graph *graph_cache_get(struct graph_cache *cache, struct store *store, const char *sid,
                              struct error *err);

/* The session's graph, uncached and the caller's. *version (may be NULL) is the session's, *parts
 * the nodes and edges. */
struct graph *graph_of_session(struct store *store, const char *sid, int64_t *version,
                               size_t *parts, struct error *err);

/* The graph of an outline, the caller's. */
struct graph *graph_of_outline(const struct outline *outline, struct error *err);

#endif
