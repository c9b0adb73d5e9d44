/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The graphs of the sessions last asked about, so that a graph is built once for each state of a
 * session's nodes and edges; what else is edited leaves it as it is. Used on the graph work queue,
 * where one thread at a time has its turn; the counts may be read on any.
 */
#ifndef LECTERN_SESSION_GRAPH_CACHE_H
#define LECTERN_SESSION_GRAPH_CACHE_H

#include "helpers/graph/graph.h"
#include "mcp/store/store.h"

/* What is kept; the least recently asked goes first. One graph alone may be larger. */
#define GRAPH_CACHE_ENTRIES   64u
#define GRAPH_CACHE_BYTES_CAP ((size_t)256 << 20)

struct graph_cache;

/* Any thread; destroyed when the work queue's threads are gone. timeout_s: for one question, 0 for
 * none.
 */
struct graph_cache *graph_cache_create(unsigned timeout_s, struct error *err);
void graph_cache_destroy(struct graph_cache *cache); /* takes NULL */

/* The graph of the session as it is now in the store. Borrowed until the next call. NULL: err. */
struct graph *graph_cache_get(struct graph_cache *cache, struct store *store, const char *sid,
                              struct error *err);

/* The bounds of a question that cancel (may be NULL) gives up; cache may be NULL, too. */
struct graph_bounds graph_cache_bounds(const struct graph_cache *cache,
                                       const struct cancel *cancel);

struct graph_cache_counts {
    uint64_t kept;  /* times that a graph was there already */
    uint64_t built; /* times that it was read from the store */
};
/* Any thread; takes NULL. */
struct graph_cache_counts graph_cache_counts(const struct graph_cache *cache);

/* The session's graph, uncached and the caller's. *version (may be NULL): store_graph_version's. */
struct graph *graph_of_session(struct store *store, const char *sid, int64_t *version,
                               struct error *err);

/* The graph of an outline, the caller's. */
struct graph *graph_of_outline(const struct outline *outline, struct error *err);

#endif
