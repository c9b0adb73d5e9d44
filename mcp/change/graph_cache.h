/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeps the graphs of recently queried sessions, so that a graph is built once for each state of a
 * session's nodes and edges; other edits do not invalidate it. Any thread; while one builds the
 * graph of a session, others that want it wait.
 */
#ifndef LECTERN_CHANGE_GRAPH_CACHE_H
#define LECTERN_CHANGE_GRAPH_CACHE_H

#include <jansson.h>

#include "helpers/graph/graph.h"
#include "mcp/store/entities/outline.h"
#include "mcp/store/store.h"

/* Limits of the cache; the least recently used graph is evicted first. A single graph may be
 * larger. */
#define GRAPH_CACHE_ENTRIES   64u
#define GRAPH_CACHE_BYTES_CAP ((size_t)256 << 20)

struct graph_cache;

/* timeout_s is the limit for one query, 0 for none. */
struct graph_cache *graph_cache_create(unsigned timeout_s, struct error *err);
void graph_cache_destroy(struct graph_cache *cache); /* takes NULL */

/* The graph of the session's current state in the store; the caller gives up the reference by
 * graph_destroy. NULL with err on failure. */
struct graph *graph_cache_get(struct graph_cache *cache, struct store *store, const char *sid,
                              struct error *err);

/* The same if it is in the cache, with no more than a look at the store: 1 with *graph, likewise, 0
 * if it is not there, -1 with err. */
int graph_cache_peek(struct graph_cache *cache, struct store *store, const char *sid,
                     struct graph **graph, struct error *err);

/* The limits of a query, which cancel (may be NULL) aborts; cache may be NULL. */
struct graph_bounds graph_cache_bounds(const struct graph_cache *cache,
                                       const struct cancel *cancel);

struct graph_cache_counts {
    uint64_t kept;  /* times that the graph was in the cache */
    uint64_t built; /* times that it was read from the store */
};
/* Takes NULL. */
struct graph_cache_counts graph_cache_counts(struct graph_cache *cache);

/* The session's graph, not cached, owned by the caller. *version (may be NULL) gets
 * store_graph_version. */
struct graph *graph_of_session(struct store *store, const char *sid, int64_t *version,
                               struct error *err);

/* The graph of an outline, owned by the caller. */
struct graph *graph_of_outline(const struct outline *outline, struct error *err);

/* What graph queries say of a session beside its graph (struct graph_facts): the relationships with
 * their ids and explanations, and the words of the nodes. One thread. */

struct session_facts {
    struct graph_facts facts;                /* for graph_question.facts */
    json_t *relationships, *by_ends, *words; /* owned; NULL: not read */
};

/* Reads what the question needs, before the graph is asked for: a store in front of a service may
 * wait. Sets question->facts, which is valid until facts is finished. facts is zeroed before. */
int session_facts_read(struct session_facts *facts, struct store *store, const char *sid,
                       struct graph_question *question, struct error *err);
void session_facts_finish(struct session_facts *facts);

#define FACTS_AUTO __attribute__((cleanup(session_facts_finish)))

/* ---- the other curriculum of a question ---- */

struct framework {
    char sid[SESSION_ID_SIZE];
    struct graph *graph; /* owned */
};

/* Finds the curriculum by id or title, and sets it in the question, which borrows it. graphs: NULL
 * outside of a server. only: the one session that the reader may know of, or NULL. */
int framework_get(struct framework *framework, struct graph_cache *graphs, struct store *store,
                  const struct session_scope *scope, const char *name,
                  struct graph_question *question, struct error *err);
void framework_finish(struct framework *framework);
#define FRAMEWORK_AUTO __attribute__((cleanup(framework_finish)))

#endif
