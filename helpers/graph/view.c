/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Builds views, and caches the latest few.
 */
#include "helpers/graph/view.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/graph/igraph_guard.h"

/* ---- the edges ---- */

/* The links are sorted, so the distinct ends of those that are followed are already in the order of
 * the arrays. */
static void fill_out(struct graph_view *view)
{
    const struct graph *graph = view->graph;
    uint32_t from = GRAPH_NO_NODE, to = GRAPH_NO_NODE;

    for (size_t i = 0; i < graph->link_count; i++) {
        const struct graph_link *link = &graph->links[i];

        if (!view->follows[link->type])
            continue;
        if (link->from == link->to) {
            view->loops++;
        } else if (link->from == from && link->to == to) {
            view->parallel++;
        } else {
            from = link->from;
            to = link->to;
            view->out[view->m++] = to;
            view->out_start[from + 1]++;
            view->in_start[to + 1]++;
        }
    }
    for (uint32_t v = 0; v < view->n; v++) {
        view->out_start[v + 1] += view->out_start[v];
        view->in_start[v + 1] += view->in_start[v];
    }
}

static int fill_in(struct graph_view *view, struct error *err)
{
    cleanup_free size_t *next = graph_alloc(view->n, sizeof *next, err);

    if (!next)
        return -1;
    memcpy(next, view->in_start, view->n * sizeof *next);
    for (uint32_t v = 0; v < view->n; v++) {
        for (size_t i = view->out_start[v]; i < view->out_start[v + 1]; i++)
            view->in[next[view->out[i]]++] = v;
    }
    return 0;
}

static int fill_igraph(struct graph_view *view, struct error *err)
{
    igraph_vector_int_t IGRAPH_GUARD_VECTOR_INT ends = {0};
    igraph_integer_t at = 0;

    if (igraph_guard_check(igraph_vector_int_init(&ends, 2 * (igraph_integer_t)view->m),
                           "the list of edges", err) < 0)
        return -1;
    for (uint32_t v = 0; v < view->n; v++) {
        for (size_t i = view->out_start[v]; i < view->out_start[v + 1]; i++) {
            VECTOR(ends)[at++] = v;
            VECTOR(ends)[at++] = view->out[i];
        }
    }
    if (igraph_guard_check(igraph_create(&view->igraph, &ends, view->n, IGRAPH_DIRECTED),
                           "the graph", err) < 0)
        return -1;
    view->igraph_ready = true;
    return 0;
}

/* ---- the order ---- */

const struct graph_order *graph_order_get(struct graph_view *view, struct error *err)
{
    struct graph_order *order;

    if (view->order)
        return view->order;
    order = graph_order_create(view->n, view->in_start, view->in, igraph_guard_wanted, err);
    if (view->order) /* by another question, meanwhile */
        graph_order_destroy(order);
    else
        view->order = order;
    return view->order;
}

/* ---- the whole ---- */

static struct graph_view *view_create(const struct graph *graph, const bool *follows,
                                      struct error *err)
{
    struct graph_view *view = graph_alloc(1, sizeof *view, err);

    if (!view)
        return NULL;
    view->graph = graph;
    view->n = graph->node_count;
    view->follows = graph_alloc(graph->type_count, sizeof *view->follows, err);
    view->out_start = graph_alloc(view->n + 1, sizeof *view->out_start, err);
    view->in_start = graph_alloc(view->n + 1, sizeof *view->in_start, err);
    view->out = graph_alloc(graph->link_count, sizeof *view->out, err);
    view->in = graph_alloc(graph->link_count, sizeof *view->in, err);
    if (!view->follows || !view->out_start || !view->in_start || !view->out || !view->in)
        goto fail;
    memcpy(view->follows, follows, graph->type_count * sizeof *follows);
    for (uint32_t i = 0; i < graph->type_count; i++) {
        if (follows[i])
            view->strays += graph->types[i].strays;
    }
    fill_out(view);
    if (fill_in(view, err) < 0 || fill_igraph(view, err) < 0)
        goto fail;
    return view;
fail:
    graph_view_destroy(view);
    return NULL;
}

void graph_ranking_destroy(struct graph_ranking *ranking)
{
    if (!ranking)
        return;
    free(ranking->ranks);
    free(ranking->figures);
    free(ranking);
}

static size_t order_bytes(const struct graph_order *order)
{
    const void *const parts[] = {order, order->of, order->start, order->nodes, order->level};

    return graph_held(parts, sizeof parts / sizeof *parts);
}

static size_t ranking_bytes(const struct graph_ranking *ranking)
{
    const void *const parts[] = {ranking, ranking->ranks, ranking->figures};

    return graph_held(parts, sizeof parts / sizeof *parts);
}

/* igraph stores four numbers for each edge and two for each node. */
static size_t igraph_bytes(const struct graph_view *view)
{
    return view->igraph_ready ? sizeof(igraph_integer_t) * (4 * view->m + 2 * ((size_t)view->n + 1))
                              : 0;
}

size_t graph_view_bytes(const struct graph_view *view)
{
    const void *const parts[] = {view,           view->follows, view->out_start,
                                 view->in_start, view->in,      view->out};
    size_t bytes = graph_held(parts, sizeof parts / sizeof *parts) + igraph_bytes(view);

    if (view->order)
        bytes += order_bytes(view->order);
    for (size_t i = 0; i < GRAPH_MEASURES; i++) {
        if (view->rankings[i])
            bytes += ranking_bytes(view->rankings[i]);
    }
    return bytes;
}

void graph_view_destroy(struct graph_view *view)
{
    if (!view)
        return;
    graph_order_destroy(view->order);
    for (size_t i = 0; i < GRAPH_MEASURES; i++)
        graph_ranking_destroy(view->rankings[i]);
    if (view->igraph_ready)
        igraph_destroy(&view->igraph);
    free(view->in);
    free(view->out);
    free(view->in_start);
    free(view->out_start);
    free(view->follows);
    free(view);
}

struct graph_view *graph_view_get(struct graph *graph, const bool *follows, struct error *err)
{
    struct graph_view *view = NULL;
    size_t at;

    for (at = 0; at < GRAPH_VIEWS_CAP && graph->views[at]; at++) {
        if (memcmp(graph->views[at]->follows, follows, graph->type_count * sizeof *follows) == 0) {
            view = graph->views[at];
            break;
        }
    }
    if (!view) {
        view = view_create(graph, follows, err);
        if (!view)
            return NULL;
        if (at == GRAPH_VIEWS_CAP) {
            graph->views[--at]->next_left = graph->left_views;
            graph->left_views = graph->views[at];
        }
    }
    memmove(&graph->views[1], &graph->views[0], at * sizeof(struct graph_view *));
    graph->views[0] = view;
    return view;
}

void graph_default_types(const struct graph *graph, enum graph_follows which, bool *follows)
{
    bool leads = which == GRAPH_FOLLOWS_PATHS || which == GRAPH_FOLLOWS_NEEDS;

    for (uint32_t i = 0; i < graph->type_count && leads; i++)
        leads = which == GRAPH_FOLLOWS_PATHS || !strstr(graph->types[i].name, "PREREQUISITE");
    for (uint32_t i = 0; i < graph->type_count; i++) {
        const char *name = graph->types[i].name;

        follows[i] = which == GRAPH_FOLLOWS_ALL || strstr(name, "PREREQUISITE") ||
                     (leads && strcmp(name, "LEADS_TO") == 0);
    }
}

struct graph_view *graph_default_view(struct graph *graph, enum graph_follows which,
                                      struct error *err)
{
    cleanup_free bool *follows = graph_alloc(graph->type_count, sizeof *follows, err);

    if (!follows)
        return NULL;
    graph_default_types(graph, which, follows);
    return graph_view_get(graph, follows, err);
}
