/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Components by igraph, numbered by Kahn's algorithm over a heap of first nodes. See the header.
 */
#include "helpers/graph/order.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/graph/igraph_guard.h"

#define CANCEL_STRIDE 4096u /* components between two looks at the bounds */

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

/* ---- labels: components numbered by their first node, so that a smaller label stands earlier in
 * the curriculum ---- */

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
    uint32_t GRAPH_AUTO *renamed = NULL, GRAPH_AUTO *next = NULL;
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

/* Gives the next number to a label and lets go of the edges that leave it. level_of is by label. */
static void place_label(struct graph_order *order, struct labels *labels,
                        const struct graph_view *view, uint32_t label, struct heap *heap,
                        uint32_t *level_of)
{
    uint32_t number = order->count++, at = order->start[number];

    for (uint32_t i = labels->start[label]; i < labels->start[label + 1]; i++) {
        uint32_t v = labels->members[i];

        order->of[v] = number;
        order->place[v] = at;
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
    uint32_t GRAPH_AUTO *items = graph_alloc(labels->count, sizeof *items, err);
    uint32_t GRAPH_AUTO *level_of = graph_alloc(labels->count, sizeof *level_of, err);
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
    order->place = graph_alloc(view->n, sizeof *order->place, err);
    order->level = graph_alloc(labels.count, sizeof *order->level, err);
    good = order->of && order->start && order->nodes && order->place && order->level &&
           place_all(order, &labels, view, err) == 0;
out:
    labels_finish(&labels);
    if (good)
        return order;
    graph_order_destroy(order);
    return NULL;
}

const struct graph_order *graph_order_get(struct graph_view *view, struct error *err)
{
    if (!view->order)
        view->order = order_create(view, err);
    return view->order;
}

void graph_order_destroy(struct graph_order *order)
{
    if (!order)
        return;
    free(order->of);
    free(order->start);
    free(order->nodes);
    free(order->place);
    free(order->level);
    free(order);
}

size_t graph_order_bytes(const struct graph_order *order)
{
    const void *const parts[] = {order,        order->of,    order->start,
                                 order->nodes, order->place, order->level};

    return graph_held(parts, sizeof parts / sizeof *parts);
}

uint32_t graph_order_size(const struct graph_order *order, uint32_t node)
{
    uint32_t component = order->of[node];

    return order->start[component + 1] - order->start[component];
}
