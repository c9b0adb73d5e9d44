/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A short list of graphs, most recently used first. An entry is valid while the version of the
 * session's graph in the store is the one it was built from, so writes need not be reported here,
 * whichever process makes them.
 */
#include "mcp/change/graph_cache.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "helpers/base/cleanup.h"
#include "mcp/store/entities/outline.h"
#include "mcp/store/entities/session.h"

struct graph_entry {
    char sid[SESSION_ID_SIZE];
    int64_t version;
    struct graph *graph; /* a reference; NULL: this entry and all after it are free */
};

/* A session whose graph is being built. */
struct graph_build {
    LIST_ENTRY(graph_build) link;
    const char *sid;
};

struct graph_cache {
    unsigned timeout_s;
    pthread_mutex_t lock; /* of all that follows */
    struct graph_entry entries[GRAPH_CACHE_ENTRIES];
    LIST_HEAD(, graph_build) builds;
    pthread_cond_t built_one;
    struct graph_cache_counts counts;
};

struct graph_cache *graph_cache_create(unsigned timeout_s, struct error *err)
{
    struct graph_cache *cache = calloc(1, sizeof *cache);

    if (!cache) {
        error_set(err, ERROR_MEMORY, "out of memory for the graph cache");
        return NULL;
    }
    cache->timeout_s = timeout_s;
    pthread_mutex_init(&cache->lock, NULL);
    pthread_cond_init(&cache->built_one, NULL);
    LIST_INIT(&cache->builds);
    return cache;
}

void graph_cache_destroy(struct graph_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < GRAPH_CACHE_ENTRIES; i++)
        graph_destroy(cache->entries[i].graph);
    pthread_cond_destroy(&cache->built_one);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

/* ---- building ---- */

static int add_outsides(struct graph *graph, const struct outline *outline, struct error *err)
{
    cleanup_free struct graph_outside *outsides = calloc(outline->link_count + 1, sizeof *outsides);

    if (!outsides)
        return error_set(err, ERROR_MEMORY, "out of memory for the graph");
    for (size_t i = 0; i < outline->link_count; i++) {
        const struct outline_link *link = &outline->links[i];

        outsides[i] = (struct graph_outside){.id = link->id,
                                             .from = link->from,
                                             .type = link->type,
                                             .curriculum = link->curriculum,
                                             .node = link->node,
                                             .title = link->title};
    }
    return graph_set_outsides(graph, outsides, outline->link_count, err);
}

struct graph *graph_of_outline(const struct outline *outline, struct error *err)
{
    struct graph_node *nodes = calloc(outline->node_count + 1, sizeof *nodes);
    struct graph_edge *edges = calloc(outline->edge_count + 1, sizeof *edges);
    struct graph *graph = NULL;

    if (!nodes || !edges) {
        error_set(err, ERROR_MEMORY, "out of memory for the graph");
        goto out;
    }
    for (size_t i = 0; i < outline->node_count; i++) {
        const struct outline_node *node = &outline->nodes[i];

        nodes[i] =
            (struct graph_node){node->id, node->title, node->group, node->components, node->code};
    }
    for (size_t i = 0; i < outline->edge_count; i++) {
        const struct outline_edge *edge = &outline->edges[i];

        edges[i] = (struct graph_edge){edge->from, edge->to, edge->type};
    }
    graph = graph_create(nodes, outline->node_count, edges, outline->edge_count, err);
    if (graph && add_outsides(graph, outline, err) < 0) {
        graph_destroy(graph);
        graph = NULL;
    }
out:
    free(nodes);
    free(edges);
    return graph;
}

struct graph *graph_of_session(struct store *store, const char *sid, int64_t *version,
                               struct error *err)
{
    struct outline outline = {0};
    struct graph *graph;

    if (store_read_outline(store, sid, &outline, err) < 0)
        return NULL;
    graph = graph_of_outline(&outline, err);
    if (version)
        *version = outline.graph_version;
    outline_finish(&outline);
    return graph;
}

/* ---- keeping: all of it with the lock ---- */

static void drop(struct graph_cache *cache, size_t at)
{
    graph_destroy(cache->entries[at].graph);
    memmove(&cache->entries[at], &cache->entries[at + 1],
            (GRAPH_CACHE_ENTRIES - at - 1) * sizeof(struct graph_entry));
    memset(&cache->entries[GRAPH_CACHE_ENTRIES - 1], 0, sizeof(struct graph_entry));
}

/* Queries make graphs larger, so their bytes are counted again each time. The first entry is not
 * evicted. */
static void keep_to_cap(struct graph_cache *cache)
{
    size_t bytes = 0;

    for (size_t i = 0; i < GRAPH_CACHE_ENTRIES && cache->entries[i].graph; i++) {
        bytes += graph_bytes(cache->entries[i].graph);
        while (i > 0 && bytes > GRAPH_CACHE_BYTES_CAP && cache->entries[i].graph)
            drop(cache, i);
    }
}

/* at: its place until now, or one that is free. */
static void put_first(struct graph_cache *cache, size_t at, const struct graph_entry *entry)
{
    memmove(&cache->entries[1], &cache->entries[0], at * sizeof *entry);
    cache->entries[0] = *entry;
    keep_to_cap(cache);
}

/* The place of the session's entry, or GRAPH_CACHE_ENTRIES. */
static size_t place_of(const struct graph_cache *cache, const char *sid)
{
    size_t at = 0;

    while (at < GRAPH_CACHE_ENTRIES && strcmp(cache->entries[at].sid, sid) != 0)
        at++;
    return at;
}

/* The session's graph of that version, if it is there: a reference for the caller. */
static struct graph *find(struct graph_cache *cache, const char *sid, int64_t version)
{
    size_t at = place_of(cache, sid);
    struct graph_entry entry;

    if (at == GRAPH_CACHE_ENTRIES || cache->entries[at].version != version)
        return NULL;
    entry = cache->entries[at];
    put_first(cache, at, &entry);
    cache->counts.kept++;
    return graph_ref(entry.graph);
}

static void add(struct graph_cache *cache, const struct graph_entry *entry)
{
    size_t at = place_of(cache, entry->sid);

    if (at < GRAPH_CACHE_ENTRIES)
        drop(cache, at);
    drop(cache, GRAPH_CACHE_ENTRIES - 1);
    graph_ref(entry->graph);
    put_first(cache, GRAPH_CACHE_ENTRIES - 1, entry);
    cache->counts.built++;
}

/* ---- asking ---- */

int graph_cache_peek(struct graph_cache *cache, struct store *store, const char *sid,
                     struct graph **graph, struct error *err)
{
    int64_t version;

    if (store_graph_version(store, sid, &version, err) < 0)
        return -1;
    pthread_mutex_lock(&cache->lock);
    *graph = find(cache, sid, version);
    pthread_mutex_unlock(&cache->lock);
    return *graph != NULL;
}

static bool is_being_built(const struct graph_cache *cache, const char *sid)
{
    const struct graph_build *build;

    LIST_FOREACH(build, &cache->builds, link)
    {
        if (strcmp(build->sid, sid) == 0)
            return true;
    }
    return false;
}

struct graph *graph_cache_get(struct graph_cache *cache, struct store *store, const char *sid,
                              struct error *err)
{
    struct graph_build build = {.sid = sid};
    struct graph_entry entry = {0};

    if (store_graph_version(store, sid, &entry.version, err) < 0)
        return NULL;
    pthread_mutex_lock(&cache->lock);
    while (!(entry.graph = find(cache, sid, entry.version)) && is_being_built(cache, sid))
        pthread_cond_wait(&cache->built_one, &cache->lock);
    if (!entry.graph)
        LIST_INSERT_HEAD(&cache->builds, &build, link);
    pthread_mutex_unlock(&cache->lock);
    if (entry.graph)
        return entry.graph;
    snprintf(entry.sid, sizeof entry.sid, "%s", sid);
    entry.graph = graph_of_session(store, sid, &entry.version, err);
    pthread_mutex_lock(&cache->lock);
    LIST_REMOVE(&build, link);
    if (entry.graph)
        add(cache, &entry);
    pthread_cond_broadcast(&cache->built_one);
    pthread_mutex_unlock(&cache->lock);
    return entry.graph;
}

struct graph_bounds graph_cache_bounds(const struct graph_cache *cache, const struct cancel *cancel)
{
    return (struct graph_bounds){cancel, cache ? cache->timeout_s * 1000 : 0, false};
}

struct graph_cache_counts graph_cache_counts(struct graph_cache *cache)
{
    struct graph_cache_counts counts = {0};

    if (!cache)
        return counts;
    pthread_mutex_lock(&cache->lock);
    counts = cache->counts;
    pthread_mutex_unlock(&cache->lock);
    return counts;
}

/* ---- the other curriculum of a question ---- */

static bool may_read(const struct session_scope *scope, const char *sid)
{
    for (size_t i = 0; i < scope->also_count; i++)
        if (strcmp(scope->also[i], sid) == 0)
            return true;
    return strcmp(scope->only, sid) == 0;
}

int framework_get(struct framework *framework, struct graph_cache *graphs, struct store *store,
                  const struct session_scope *scope, const char *name,
                  struct graph_question *question, struct error *err)
{
    if (scope->only && !may_read(scope, name))
        return error_set_at(err, "framework", "framework: session %s alone may be read here",
                            scope->only);
    if (store_session_named(store, name, "framework", framework->sid, err) < 0)
        return -1;
    framework->graph = graphs ? graph_cache_get(graphs, store, framework->sid, err)
                              : graph_of_session(store, framework->sid, NULL, err);
    question->framework = framework->graph;
    question->framework_id = framework->sid;
    return framework->graph ? 0 : -1;
}

void framework_finish(struct framework *framework)
{
    graph_destroy(framework->graph);
}
