/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * First the components: Tarjan's strongly connected components (SIAM J. Comput. 1 (2), 1972), by
 * depth first along the edges from a lesson to its prerequisites. Then their order: depth first
 * again, over the components by their first lesson, each placed after all that it needs.
 */
#include "helpers/graph/order.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/graph/model.h"

#define WANTED_STRIDE 4096u /* nodes between two calls of wanted */
#define NOT_VISITED   0u

/* ---- the components ---- */

struct order_search {
    uint32_t n;
    const size_t *needs_start;
    const uint32_t *needs;
    struct graph_order *order;
    /* By node: */
    uint32_t *number; /* when it was visited, from 1; NOT_VISITED */
    uint32_t *lowest; /* the lowest number that is reached from it inside its component */
    size_t *next;     /* the next of its prerequisites to look at */
    /* Stacks: */
    uint32_t *path; /* from the start of the search to the current node */
    uint32_t *open; /* visited nodes whose component is not complete */
    uint32_t path_len, open_len, visited;
};

static void visit(struct order_search *search, uint32_t v)
{
    search->number[v] = search->lowest[v] = ++search->visited;
    search->next[v] = search->needs_start[v];
    search->path[search->path_len++] = v;
    search->open[search->open_len++] = v;
    search->order->of[v] = GRAPH_NO_NODE;
}

/* The open nodes from v on are one component. */
static void complete(struct order_search *search, uint32_t v)
{
    uint32_t component = search->order->count++, member;

    do {
        member = search->open[--search->open_len];
        search->order->of[member] = component;
    } while (member != v);
}

/* Looks at the next prerequisite of the last node of the path, or leaves that node. */
static void step(struct order_search *search)
{
    uint32_t v = search->path[search->path_len - 1], other;

    if (search->next[v] < search->needs_start[v + 1]) {
        other = search->needs[search->next[v]++];
        if (search->number[other] == NOT_VISITED)
            visit(search, other);
        else if (search->order->of[other] == GRAPH_NO_NODE &&
                 search->number[other] < search->lowest[v])
            search->lowest[v] = search->number[other];
        return;
    }
    if (search->lowest[v] == search->number[v])
        complete(search, v);
    if (--search->path_len > 0) {
        other = search->path[search->path_len - 1];
        if (search->lowest[v] < search->lowest[other])
            search->lowest[other] = search->lowest[v];
    }
}

static int find_components(struct order_search *search, int (*wanted)(struct error *err),
                           struct error *err)
{
    for (uint32_t v = 0; v < search->n; v++) {
        if (v % WANTED_STRIDE == 0 && wanted && wanted(err) < 0)
            return -1;
        if (search->number[v] == NOT_VISITED)
            visit(search, v);
        while (search->path_len > 0)
            step(search);
    }
    return 0;
}

/* ---- the order ---- */

/* Fills start and nodes from of: the nodes of each component, ascending. next has room for a number
 * for each component. */
static void fill_nodes(struct graph_order *order, uint32_t n, uint32_t *next)
{
    memset(order->start, 0, ((size_t)order->count + 1) * sizeof *order->start);
    for (uint32_t v = 0; v < n; v++)
        order->start[order->of[v] + 1]++;
    for (uint32_t c = 0; c < order->count; c++) {
        order->start[c + 1] += order->start[c];
        next[c] = order->start[c];
    }
    for (uint32_t v = 0; v < n; v++)
        order->nodes[next[order->of[v]]++] = v;
}

static void renumber(struct graph_order *order, uint32_t n, const uint32_t *number, uint32_t *next)
{
    for (uint32_t v = 0; v < n; v++)
        order->of[v] = number[order->of[v]];
    fill_nodes(order, n, next);
}

/* Numbers the components by their first nodes. number and next have room for n. */
static void number_by_first(struct graph_order *order, uint32_t n, uint32_t *number, uint32_t *next)
{
    uint32_t count = 0;

    memset(number, 0xff, order->count * sizeof *number);
    for (uint32_t v = 0; v < n; v++) {
        if (number[order->of[v]] == GRAPH_NO_NODE)
            number[order->of[v]] = count++;
    }
    renumber(order, n, number, next);
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

    return one < other ? -1 : one > other;
}

/* For each component those that it needs, ascending: before[start[c]] to before[start[c + 1]]. */
static void find_before(const struct order_search *search, size_t *start, uint32_t *before)
{
    const struct graph_order *order = search->order;
    size_t at = 0;

    for (uint32_t c = 0; c < order->count; c++) {
        start[c] = at;
        for (uint32_t i = order->start[c]; i < order->start[c + 1]; i++) {
            uint32_t v = order->nodes[i];

            for (size_t j = search->needs_start[v]; j < search->needs_start[v + 1]; j++) {
                if (order->of[search->needs[j]] != c)
                    before[at++] = order->of[search->needs[j]];
            }
        }
        /* Where each component is one node, they are ascending already. */
        if (order->count < search->n && at - start[c] > 1)
            qsort(before + start[c], at - start[c], sizeof *before, compare_numbers);
    }
    start[order->count] = at;
}

/* Fills number: the place of each component in teaching order. next[c] begins as start[c]. */
static void place_all(const struct graph_order *order, const size_t *start, const uint32_t *before,
                      size_t *next, uint32_t *path, uint32_t *number)
{
    uint32_t placed = 0;

    memset(number, 0xff, order->count * sizeof *number);
    for (uint32_t c = 0; c < order->count; c++) {
        uint32_t len = 0;

        if (number[c] == GRAPH_NO_NODE)
            path[len++] = c;
        while (len > 0) {
            uint32_t top = path[len - 1];

            while (next[top] < start[top + 1] && number[before[next[top]]] != GRAPH_NO_NODE)
                next[top]++;
            if (next[top] < start[top + 1])
                path[len++] = before[next[top]];
            else
                number[path[--len]] = placed++;
        }
    }
}

/* Fills the levels and the counts. */
static void fill_levels(const struct order_search *search)
{
    struct graph_order *order = search->order;

    for (uint32_t c = 0; c < order->count; c++) {
        uint32_t size = order->start[c + 1] - order->start[c];

        order->cycles += size > 1;
        order->in_cycle += size > 1 ? size : 0;
        for (uint32_t i = order->start[c]; i < order->start[c + 1]; i++) {
            uint32_t v = order->nodes[i];

            for (size_t j = search->needs_start[v]; j < search->needs_start[v + 1]; j++) {
                uint32_t other = order->of[search->needs[j]];

                if (other != c && order->level[c] < order->level[other] + 1)
                    order->level[c] = order->level[other] + 1;
            }
        }
        if (order->levels < order->level[c] + 1)
            order->levels = order->level[c] + 1;
    }
}

struct graph_order *graph_order_create(uint32_t n, const size_t *needs_start, const uint32_t *needs,
                                       int (*wanted)(struct error *err), struct error *err)
{
    struct graph_order *order = graph_alloc(1, sizeof *order, err);
    cleanup_free uint32_t *number = graph_alloc(n, sizeof *number, err);
    cleanup_free uint32_t *lowest = graph_alloc(n, sizeof *lowest, err);
    cleanup_free size_t *next = graph_alloc((size_t)n + 1, sizeof *next, err);
    cleanup_free size_t *start = graph_alloc((size_t)n + 1, sizeof *start, err);
    cleanup_free uint32_t *path = graph_alloc(n, sizeof *path, err);
    cleanup_free uint32_t *open = graph_alloc(n, sizeof *open, err);
    cleanup_free uint32_t *before = graph_alloc(needs_start[n], sizeof *before, err);
    struct order_search search = {n,    needs_start, needs, order, number, lowest,
                                  next, path,        open,  0,     0,      0};

    if (!order || !number || !lowest || !next || !start || !path || !open || !before)
        goto fail;
    order->of = graph_alloc(n, sizeof *order->of, err);
    order->nodes = graph_alloc(n, sizeof *order->nodes, err);
    if (!order->of || !order->nodes || find_components(&search, wanted, err) < 0)
        goto fail;
    order->start = graph_alloc((size_t)order->count + 1, sizeof *order->start, err);
    order->level = graph_alloc(order->count, sizeof *order->level, err);
    if (!order->start || !order->level)
        goto fail;
    number_by_first(order, n, number, lowest);
    find_before(&search, start, before);
    memcpy(next, start, order->count * sizeof *next);
    place_all(order, start, before, next, path, number);
    renumber(order, n, number, lowest);
    fill_levels(&search);
    return order;
fail:
    graph_order_destroy(order);
    return NULL;
}

void graph_order_destroy(struct graph_order *order)
{
    if (!order)
        return;
    free(order->of);
    free(order->start);
    free(order->nodes);
    free(order->level);
    free(order);
}

uint32_t graph_order_size(const struct graph_order *order, uint32_t node)
{
    uint32_t component = order->of[node];

    return order->start[component + 1] - order->start[component];
}
