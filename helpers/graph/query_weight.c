/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * bottlenecks, hubs and unlocks: the nodes on which the most depends, by three measures.
 *
 * Betweenness is directed, normalised by (n - 1)(n - 2) like networkx. The exact value costs
 * n * (n + m) steps; over a budget it is estimated from as many evenly spread sources as the budget
 * allows, and the answer says so. It is computed here, from one source after the other, because
 * igraph does not offer the turn to other questions.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/graph/ask.h"
#include "helpers/graph/igraph_guard.h"
#include "helpers/graph/view.h"

#define BETWEENNESS_BUDGET 500000000u /* sources times (nodes + edges) */
#define BETWEENNESS_STRIDE 500000u    /* steps between two checks of the bounds */
/* Sums are rounded to this unit before they are compared, because equal nodes may have been summed
 * in different orders. */
#define BETWEENNESS_GRAIN 1e-6

/* ---- ranking ---- */

static int compare_ranks(const void *a, const void *b)
{
    const struct graph_rank *left = a, *right = b;

    if (left->weight != right->weight)
        return left->weight > right->weight ? -1 : 1;
    return left->node < right->node ? -1 : left->node > right->node;
}

/* Sorts by weight, then by index; returns how many have a weight above 0. */
static size_t sort_ranks(struct graph_rank *ranks, size_t count)
{
    size_t weighing = 0;

    qsort(ranks, count, sizeof *ranks, compare_ranks);
    while (weighing < count && ranks[weighing].weight > 0)
        weighing++;
    return weighing;
}

/* The view's ranking by that measure, computed at the first request. Borrowed from the view. */
static const struct graph_ranking *get_ranking(struct graph_view *view, enum graph_measure measure,
                                               int (*weigh)(struct graph_view *,
                                                            struct graph_ranking *, struct error *),
                                               struct error *err)
{
    struct graph_ranking *ranking;

    if (view->rankings[measure])
        return view->rankings[measure];
    ranking = graph_alloc(1, sizeof *ranking, err);
    if (!ranking)
        return NULL;
    ranking->ranks = graph_alloc(view->n, sizeof *ranking->ranks, err);
    if (!ranking->ranks || weigh(view, ranking, err) < 0 || view->rankings[measure]) {
        graph_ranking_destroy(ranking);
        return view->rankings[measure]; /* by another question, meanwhile; or NULL */
    }
    ranking->weighing = sort_ranks(ranking->ranks, view->n);
    view->rankings[measure] = ranking;
    return ranking;
}

static void add_ranks(struct graph_ask *ask, const char *key, const char *unit,
                      const struct graph_rank *ranks, size_t count)
{
    const struct graph_column columns[] = {
        {"node_id", GRAPH_COLUMN_NODE, "%"}, {unit, GRAPH_COLUMN_COUNT, " %"}, {0}};
    struct graph_list list;

    graph_list_begin(&list, ask, key, count);
    while (graph_list_row(&list)) {
        const struct graph_rank *rank = &ranks[list.shown - 1];

        graph_row(&list, columns,
                  (union graph_value[]){{.node = rank->node}, {.count = (size_t)rank->weight}});
    }
}

/* ---- bottlenecks ---- */

/* Of the search from one source (Brandes, "A faster algorithm for betweenness centrality", 2001).
 */
struct brandes {
    uint32_t *queue;    /* the nodes that are reached, in order */
    uint32_t *distance; /* from the source; GRAPH_NO_NODE for those that are not reached */
    double *paths;      /* shortest ones from the source */
    double *share; /* of the paths that end at the node or go on from it, for each of `paths` */
};

/* Adds to weights[v] the part of the shortest paths from the source that pass v. Returns the number
 * of steps. */
static uint64_t add_source(const struct graph_view *view, uint32_t source, struct brandes *brandes,
                           double *weights)
{
    uint32_t *queue = brandes->queue, *distance = brandes->distance, count = 1;
    double *paths = brandes->paths, *share = brandes->share;
    uint64_t steps = 0;

    queue[0] = source;
    distance[source] = 0;
    paths[source] = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = queue[i];

        for (size_t k = view->out_start[v]; k < view->out_start[v + 1]; k++) {
            uint32_t to = view->out[k];

            if (distance[to] == GRAPH_NO_NODE) {
                distance[to] = distance[v] + 1;
                paths[to] = 0;
                queue[count++] = to;
            }
            if (distance[to] == distance[v] + 1)
                paths[to] += paths[v];
        }
        steps += view->out_start[v + 1] - view->out_start[v] + 1;
    }
    for (uint32_t i = count; i-- > 0;) {
        uint32_t v = queue[i];
        double shares = 0;

        for (size_t k = view->out_start[v]; k < view->out_start[v + 1]; k++)
            if (distance[view->out[k]] == distance[v] + 1)
                shares += share[view->out[k]];
        share[v] = 1 / paths[v] + shares;
        if (v != source)
            weights[v] += paths[v] * shares;
    }
    for (uint32_t i = 0; i < count; i++)
        distance[queue[i]] = GRAPH_NO_NODE;
    return 2 * steps;
}

/* From `count` sources, evenly spread over the curriculum. */
static int measure_betweenness(const struct graph_view *view, size_t count, double *weights,
                               struct error *err)
{
    cleanup_free uint32_t *queue = graph_alloc(view->n, sizeof *queue, err);
    cleanup_free uint32_t *distance = graph_alloc(view->n, sizeof *distance, err);
    cleanup_free double *paths = graph_alloc(view->n, sizeof *paths, err);
    cleanup_free double *share = graph_alloc(view->n, sizeof *share, err);
    struct brandes brandes = {queue, distance, paths, share};
    uint64_t steps = 0;

    if (!queue || !distance || !paths || !share)
        return -1;
    memset(distance, 0xff, view->n * sizeof *distance); /* GRAPH_NO_NODE */
    for (size_t i = 0; i < count; i++) {
        steps += add_source(view, (uint32_t)(i * (uint64_t)view->n / count), &brandes, weights);
        if (steps < BETWEENNESS_STRIDE)
            continue;
        steps = 0;
        if (igraph_guard_wanted(err) < 0)
            return -1;
    }
    for (uint32_t v = 0; count < view->n && v < view->n; v++)
        weights[v] *= (double)view->n / (double)count;
    return 0;
}

static int rank_betweenness(struct graph_view *view, struct graph_ranking *ranking,
                            struct error *err)
{
    size_t affordable = BETWEENNESS_BUDGET / (view->n + view->m + 1);

    ranking->sources = affordable < view->n ? affordable : view->n;
    ranking->figures = graph_alloc(view->n, sizeof *ranking->figures, err);
    if (!ranking->figures || measure_betweenness(view, ranking->sources, ranking->figures, err) < 0)
        return -1;
    for (uint32_t v = 0; v < view->n; v++)
        ranking->ranks[v] =
            (struct graph_rank){v, llround(ranking->figures[v] / BETWEENNESS_GRAIN)};
    return 0;
}

int graph_query_bottlenecks(struct graph_ask *ask, struct error *err)
{
    static const struct graph_column columns[] = {
        {"node_id", GRAPH_COLUMN_NODE, "%"}, {"betweenness", GRAPH_COLUMN_REAL, " %"}, {0}};
    const struct graph_ranking *ranking =
        get_ranking(ask->view, GRAPH_BETWEENNESS, rank_betweenness, err);
    double n = ask->view->n, scale = n > 2 ? 1 / ((n - 1) * (n - 2)) : 1;
    struct graph_list list;
    size_t without;

    if (!ranking)
        return -1;
    without = ask->view->n - ranking->weighing;
    graph_put_bool(ask, "exact", ranking->sources >= ask->view->n);
    graph_put(ask, "sources", ranking->sources);
    graph_put(ask, "without", without);
    graph_say(ask, ranking->weighing == 0
                       ? "No node lies between others.\n"
                       : "Betweenness, normalised (part of the shortest paths between others that "
                         "pass the node):\n");
    if (ranking->sources < ask->view->n)
        graph_say(
            ask,
            "An estimate from %zu of %u sources: the graph is too large for the exact figures.\n",
            ranking->sources, ask->view->n);
    graph_list_begin(&list, ask, "nodes", ranking->weighing);
    while (graph_list_row(&list)) {
        uint32_t v = ranking->ranks[list.shown - 1].node;

        graph_row(&list, columns,
                  (union graph_value[]){{.node = v}, {.real = ranking->figures[v] * scale}});
    }
    if (ranking->weighing > 0 && without > 0)
        graph_say(ask, "%s between no others.\n", graph_count_text(ask, without, "node"));
    return 0;
}

/* ---- hubs ---- */

static void add_side(struct graph_ask *ask, const char *head, const char *key, const size_t *start,
                     struct graph_rank *ranks)
{
    size_t weighing;

    for (uint32_t v = 0; v < ask->view->n; v++)
        ranks[v] = (struct graph_rank){v, (int64_t)(start[v + 1] - start[v])};
    weighing = sort_ranks(ranks, ask->view->n);
    graph_say(ask, "%s%s\n", head, weighing > 0 ? ":" : ": none.");
    add_ranks(ask, key, "count", ranks, weighing);
}

int graph_query_hubs(struct graph_ask *ask, struct error *err)
{
    cleanup_free struct graph_rank *ranks = graph_alloc(ask->view->n, sizeof *ranks, err);

    if (!ranks)
        return -1;
    add_side(ask, "Direct prerequisite of the most nodes", "most_direct_dependents",
             ask->view->out_start, ranks);
    add_side(ask, "With the most direct prerequisites", "most_direct_prerequisites",
             ask->view->in_start, ranks);
    return 0;
}

/* ---- unlocks ---- */

static int rank_dependents(struct graph_view *view, struct graph_ranking *ranking,
                           struct error *err)
{
    const struct graph_order *order = graph_order_get(view, err);
    cleanup_free uint32_t *dependents =
        order ? graph_alloc(order->count, sizeof *dependents, err) : NULL;

    if (!dependents || graph_reach_all(view, order, dependents, NULL, err) < 0)
        return -1;
    for (uint32_t v = 0; v < view->n; v++)
        ranking->ranks[v] = (struct graph_rank){v, (int64_t)dependents[order->of[v]] - 1};
    return 0;
}

int graph_query_unlocks(struct graph_ask *ask, struct error *err)
{
    const struct graph_ranking *ranking =
        get_ranking(ask->view, GRAPH_DEPENDENTS, rank_dependents, err);
    size_t without = ranking ? ask->view->n - ranking->weighing : 0;

    if (!ranking)
        return -1;
    graph_put(ask, "without", without);
    graph_say(ask, ranking->weighing > 0 ? "Nodes by how many others need them, directly or not:\n"
                                         : "No node is needed.\n");
    add_ranks(ask, "nodes", "dependents", ranking->ranks, ranking->weighing);
    if (ranking->weighing > 0 && without > 0)
        graph_say(ask, "%s needed by none.\n", graph_count_text(ask, without, "node"));
    return 0;
}
