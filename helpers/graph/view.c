/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Builds views and their teaching order, and caches the latest few. igraph finds the components of
 * the order. Its topological sort depends on the order of the edges, so the numbering is done here
 * (Kahn's algorithm with a heap of first nodes).
 */
#include "helpers/graph/view.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/graph/igraph_guard.h"

#define CANCEL_STRIDE 4096u /* components between two checks of the bounds */

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

/* ---- a heap of component labels, the smallest on top ---- */

struct heap {
    uint32_t *items;
    uint32_t count;
};

static void heap_push(struct heap *heap, uint32_t item)
{
    uint32_t at = heap->count++;

    while (at > 0 && heap->items[(at - 1) / 2] > item) {
        heap->items[at] = heap->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->items[at] = item;
}

static uint32_t heap_pop(struct heap *heap)
{
    uint32_t top = heap->items[0], last = heap->items[--heap->count], at = 0;

    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && heap->items[child + 1] < heap->items[child])
            child++;
        if (heap->items[child] >= last)
            break;
        heap->items[at] = heap->items[child];
        at = child;
    }
    if (heap->count > 0)
        heap->items[at] = last;
    return top;
}

/* ---- labels: components numbered by their first node, so that a smaller label is earlier in the
 * curriculum ---- */

struct labels {
    uint32_t count;
    uint32_t *of;      /* node -> label */
    uint32_t *start;   /* count + 1, into members */
    uint32_t *members; /* ascending within a label */
    size_t *arriving;  /* label -> edges from other labels not yet placed */
};

static void labels_finish(struct labels *labels)
{
    free(labels->of);
    free(labels->start);
    free(labels->members);
    free(labels->arriving);
}

static int labels_find(struct labels *labels, const struct graph_view *view, struct error *err)
{
    igraph_vector_int_t IGRAPH_GUARD_VECTOR_INT membership = {0};
    cleanup_free uint32_t *renamed = NULL, *next = NULL;
    igraph_integer_t count = 0;

    if (igraph_guard_check(igraph_vector_int_init(&membership, view->n), "the components", err) <
            0 ||
        igraph_guard_check(
            igraph_connected_components(&view->igraph, &membership, NULL, &count, IGRAPH_STRONG),
            "the components", err) < 0)
        return -1;
    renamed = graph_alloc((size_t)count, sizeof *renamed, err);
    next = graph_alloc((size_t)count, sizeof *next, err);
    labels->of = graph_alloc(view->n, sizeof *labels->of, err);
    labels->start = graph_alloc((size_t)count + 1, sizeof *labels->start, err);
    labels->members = graph_alloc(view->n, sizeof *labels->members, err);
    labels->arriving = graph_alloc((size_t)count, sizeof *labels->arriving, err);
    if (!renamed || !next || !labels->of || !labels->start || !labels->members || !labels->arriving)
        return -1;
    memset(renamed, 0xff, (size_t)count * sizeof *renamed);
    for (uint32_t v = 0; v < view->n; v++) {
        uint32_t *label = &renamed[VECTOR(membership)[v]];

        if (*label == GRAPH_NO_NODE)
            *label = labels->count++;
        labels->of[v] = *label;
        labels->start[*label + 1]++;
    }
    for (uint32_t i = 0; i < labels->count; i++) {
        labels->start[i + 1] += labels->start[i];
        next[i] = labels->start[i];
    }
    for (uint32_t v = 0; v < view->n; v++)
        labels->members[next[labels->of[v]]++] = v;
    return 0;
}

static void count_arriving(struct labels *labels, const struct graph_view *view)
{
    for (uint32_t v = 0; v < view->n; v++) {
        for (size_t i = view->out_start[v]; i < view->out_start[v + 1]; i++) {
            if (labels->of[v] != labels->of[view->out[i]])
                labels->arriving[labels->of[view->out[i]]]++;
        }
    }
}

/* ---- the order ---- */

/* Gives the next number to a label and removes the edges that leave it. level_of is by label. */
static void place_label(struct graph_order *order, struct labels *labels,
                        const struct graph_view *view, uint32_t label, struct heap *heap,
                        uint32_t *level_of)
{
    uint32_t number = order->count++, at = order->start[number];

    for (uint32_t i = labels->start[label]; i < labels->start[label + 1]; i++) {
        uint32_t v = labels->members[i];

        order->of[v] = number;
        order->nodes[at++] = v;
        for (size_t j = view->out_start[v]; j < view->out_start[v + 1]; j++) {
            uint32_t other = labels->of[view->out[j]];

            if (other == label)
                continue;
            if (level_of[other] < level_of[label] + 1)
                level_of[other] = level_of[label] + 1;
            if (--labels->arriving[other] == 0)
                heap_push(heap, other);
        }
    }
    order->start[number + 1] = at;
    order->level[number] = level_of[label];
    if (order->levels < level_of[label] + 1)
        order->levels = level_of[label] + 1;
    if (at - order->start[number] > 1) {
        order->cycles++;
        order->in_cycle += at - order->start[number];
    }
}

static int place_all(struct graph_order *order, struct labels *labels,
                     const struct graph_view *view, struct error *err)
{
    cleanup_free uint32_t *items = graph_alloc(labels->count, sizeof *items, err);
    cleanup_free uint32_t *level_of = graph_alloc(labels->count, sizeof *level_of, err);
    struct heap heap = {items, 0};

    if (!items || !level_of)
        return -1;
    count_arriving(labels, view);
    for (uint32_t i = 0; i < labels->count; i++) {
        if (labels->arriving[i] == 0)
            heap_push(&heap, i);
    }
    while (heap.count > 0) {
        if (order->count % CANCEL_STRIDE == 0 && igraph_guard_wanted(err) < 0)
            return -1;
        place_label(order, labels, view, heap_pop(&heap), &heap, level_of);
    }
    return 0;
}

static void order_destroy(struct graph_order *order)
{
    if (!order)
        return;
    free(order->of);
    free(order->start);
    free(order->nodes);
    free(order->level);
    free(order);
}

static struct graph_order *order_create(const struct graph_view *view, struct error *err)
{
    struct graph_order *order = graph_alloc(1, sizeof *order, err);
    struct labels labels = {0};
    bool good = false;

    if (!order || labels_find(&labels, view, err) < 0)
        goto out;
    order->of = graph_alloc(view->n, sizeof *order->of, err);
    order->start = graph_alloc((size_t)labels.count + 1, sizeof *order->start, err);
    order->nodes = graph_alloc(view->n, sizeof *order->nodes, err);
    order->level = graph_alloc(labels.count, sizeof *order->level, err);
    good = order->of && order->start && order->nodes && order->level &&
           place_all(order, &labels, view, err) == 0;
out:
    labels_finish(&labels);
    if (good)
        return order;
    order_destroy(order);
    return NULL;
}

const struct graph_order *graph_order_get(struct graph_view *view, struct error *err)
{
    if (!view->order)
        view->order = order_create(view, err);
    return view->order;
}

uint32_t graph_order_size(const struct graph_order *order, uint32_t node)
{
    uint32_t component = order->of[node];

    return order->start[component + 1] - order->start[component];
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
    order_destroy(view->order);
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
        if (at == GRAPH_VIEWS_CAP)
            graph_view_destroy(graph->views[--at]);
    }
    memmove(&graph->views[1], &graph->views[0], at * sizeof(struct graph_view *));
    graph->views[0] = view;
    return view;
}

void graph_default_types(const struct graph *graph, enum graph_follows which, bool *follows)
{
    for (uint32_t i = 0; i < graph->type_count; i++) {
        const char *name = graph->types[i].name;

        follows[i] = which == GRAPH_FOLLOWS_ALL || strstr(name, "PREREQUISITE") ||
                     (which == GRAPH_FOLLOWS_PATHS && strcmp(name, "LEADS_TO") == 0);
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
