/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reachability. See the header.
 */
#include "helpers/graph/view.h"

#include <string.h>

#include "helpers/graph/igraph_guard.h"

/* ---- from one node ---- */

int graph_reach_one(const struct graph_view *view, uint32_t node, igraph_neimode_t mode,
                    uint32_t *distance, igraph_vector_int_t *before, struct error *err)
{
    igraph_vector_int_t IGRAPH_GUARD_VECTOR_INT order = {0}, IGRAPH_GUARD_VECTOR_INT layers = {0};

    memset(distance, 0xff, view->n * sizeof *distance);
    if (igraph_guard_check(igraph_vector_int_init(&order, 0), "a search", err) < 0 ||
        igraph_guard_check(igraph_vector_int_init(&layers, 0), "a search", err) < 0 ||
        igraph_guard_check(igraph_bfs_simple(&view->igraph, node, mode, &order, &layers, before),
                           "a search", err) < 0)
        return -1;
    for (igraph_integer_t depth = 0; depth + 1 < igraph_vector_int_size(&layers); depth++) {
        for (igraph_integer_t i = VECTOR(layers)[depth]; i < VECTOR(layers)[depth + 1]; i++)
            distance[VECTOR(order)[i]] = (uint32_t)depth;
    }
    return 0;
}

void graph_reach_many(const struct graph_view *view, bool *seen, uint32_t *queue, size_t count)
{
    for (size_t head = 0; head < count; head++) {
        uint32_t v = queue[head];

        for (size_t i = view->out_start[v]; i < view->out_start[v + 1]; i++) {
            if (!seen[view->out[i]]) {
                seen[view->out[i]] = true;
                queue[count++] = view->out[i];
            }
        }
    }
}

/* igraph_get_shortest_path of 0.10.2 would do this, but it leaks if memory runs out. */
int graph_reach_path(const struct graph_view *view, uint32_t from, uint32_t to, uint32_t *path,
                     uint32_t *count, struct error *err)
{
    igraph_vector_int_t IGRAPH_GUARD_VECTOR_INT before = {0};
    cleanup_free uint32_t *distance = graph_alloc(view->n, sizeof *distance, err);

    if (!distance || igraph_guard_check(igraph_vector_int_init(&before, 0), "a search", err) < 0 ||
        graph_reach_one(view, from, IGRAPH_OUT, distance, &before, err) < 0)
        return -1;
    *count = distance[to] == GRAPH_NO_NODE ? 0 : distance[to] + 1;
    for (uint32_t at = *count, v = to; at-- > 0; v = at > 0 ? (uint32_t)VECTOR(before)[v] : v)
        path[at] = v;
    return 0;
}

/* ---- from all nodes ---- */

#define BLOCK_WORDS 8u /* one cache line */
#define BLOCK_BITS  (BLOCK_WORDS * 64u)

struct bits {
    uint64_t word[BLOCK_WORDS];
};

struct sweep {
    const struct graph_view *view;
    const struct graph_order *order;
    struct bits
        *beyond; /* component -> the nodes of the block that it reaches in other components */
    struct bits *reached; /* these and its own nodes */
    uint32_t first, end;  /* indices of the block's nodes in teaching order */
    uint32_t *dependents;
    bool *redundant;
};

/* The bits of a component's own nodes, which are adjacent in teaching order. */
static struct bits own_bits(const struct sweep *sweep, uint32_t component)
{
    const struct graph_order *order = sweep->order;
    uint32_t low = order->start[component], high = order->start[component + 1];
    struct bits own = {{0}};

    low = low > sweep->first ? low : sweep->first;
    high = high < sweep->end ? high : sweep->end;
    for (uint32_t place = low; place < high; place++) {
        uint32_t bit = place - sweep->first;

        own.word[bit / 64] |= (uint64_t)1 << bit % 64;
    }
    return own;
}

/* Marks the edges of a component whose ends it also reaches through another component. through has
 * what its successors reach beyond themselves. */
static void mark_redundant(const struct sweep *sweep, uint32_t component,
                           const struct bits *through)
{
    const struct graph_order *order = sweep->order;
    const struct graph_view *view = sweep->view;

    for (uint32_t i = order->start[component]; i < order->start[component + 1]; i++) {
        uint32_t v = order->nodes[i];

        for (size_t j = view->out_start[v]; j < view->out_start[v + 1]; j++) {
            uint32_t other = order->of[view->out[j]];
            uint32_t place = order->start[other]; /* one node represents its component */

            if (other == component || place < sweep->first || place >= sweep->end)
                continue;
            place -= sweep->first;
            if (through->word[place / 64] >> place % 64 & 1)
                sweep->redundant[j] = true;
        }
    }
}

static void sweep_component(const struct sweep *sweep, uint32_t component)
{
    const struct graph_order *order = sweep->order;
    const struct graph_view *view = sweep->view;
    struct bits beyond = {{0}}, through = {{0}}, reached = own_bits(sweep, component);
    uint32_t count = 0;

    for (uint32_t i = order->start[component]; i < order->start[component + 1]; i++) {
        uint32_t v = order->nodes[i];

        for (size_t j = view->out_start[v]; j < view->out_start[v + 1]; j++) {
            uint32_t other = order->of[view->out[j]];

            /* Nodes after the block reach nothing in it. */
            if (other == component || order->start[other] >= sweep->end)
                continue;
            for (size_t k = 0; k < BLOCK_WORDS; k++) {
                beyond.word[k] |= sweep->reached[other].word[k];
                through.word[k] |= sweep->beyond[other].word[k];
            }
        }
    }
    for (size_t k = 0; k < BLOCK_WORDS; k++) {
        reached.word[k] |= beyond.word[k];
        count += (uint32_t)__builtin_popcountll(reached.word[k]);
    }
    sweep->beyond[component] = beyond;
    sweep->reached[component] = reached;
    if (sweep->dependents)
        sweep->dependents[component] += count;
    if (sweep->redundant)
        mark_redundant(sweep, component, &through);
}

int graph_reach_all(const struct graph_view *view, const struct graph_order *order,
                    uint32_t *dependents, bool *redundant, struct error *err)
{
    cleanup_free struct bits *beyond = graph_alloc(order->count, sizeof *beyond, err);
    cleanup_free struct bits *reached = graph_alloc(order->count, sizeof *reached, err);
    struct sweep sweep = {view, order, beyond, reached, 0, 0, dependents, redundant};

    if (!beyond || !reached)
        return -1;
    for (uint32_t first = 0; first < view->n; first += BLOCK_BITS) {
        uint32_t last;

        if (igraph_guard_wanted(err) < 0)
            return -1;
        sweep.first = first;
        sweep.end = view->n - first < BLOCK_BITS ? view->n : first + BLOCK_BITS;
        last = order->of[order->nodes[sweep.end - 1]];
        for (uint32_t component = last + 1; component-- > 0;)
            sweep_component(&sweep, component);
    }
    return 0;
}
