/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * order, levels and longest_chain: the curriculum laid out by its prerequisites. Where nodes need
 * one another no order is right; they then stand together as one step, and the answer says so.
 */
#include "helpers/graph/order.h"
#include "helpers/graph/queries.h"

static void add_cycle_warning(struct graph_ask *ask, const struct graph_order *order)
{
    if (order->cycles == 0)
        return;
    graph_add_count(ask, order->in_cycle, "node");
    buf_adds(ask->answer, " in ");
    graph_add_count(ask, order->cycles, "cycle group");
    buf_adds(
        ask->answer,
        " need one another, which no order satisfies; each group counts as one step here (see the "
        "query cycles).\n");
}

/* ---- order ---- */

int graph_query_order(struct graph_ask *ask, struct error *err)
{
    const struct graph_order *order = graph_order_get(ask->view, ask->cancel, err);
    uint32_t group = 0, last = GRAPH_NO_NODE;
    struct graph_list list;

    if (!order)
        return -1;
    buf_adds(ask->answer, "Teaching order of ");
    graph_add_count(ask, ask->view->n, "node");
    buf_adds(ask->answer, ask->view->n > 0 ? ":\n" : ".\n");
    add_cycle_warning(ask, order);
    graph_list_begin(&list, ask, ask->view->n);
    while (graph_list_row(&list)) {
        uint32_t v = order->nodes[list.shown - 1];

        graph_add_node(ask, v);
        if (graph_order_size(order, v) > 1) {
            group += order->of[v] != last;
            last = order->of[v];
            buf_addf(ask->answer, " (cycle %u)", group);
        }
        buf_addc(ask->answer, '\n');
    }
    graph_list_end(&list);
    return 0;
}

/* ---- levels ---- */

/* Nodes by level, in their own order; start[l] is where level l begins. */
static int sort_by_level(const struct graph_order *order, uint32_t n, uint32_t *nodes,
                         uint32_t *start, struct error *err)
{
    uint32_t GRAPH_AUTO *next = graph_alloc(order->levels, sizeof *next, err);

    if (!next)
        return -1;
    for (uint32_t v = 0; v < n; v++)
        start[order->level[order->of[v]] + 1]++;
    for (uint32_t l = 0; l < order->levels; l++) {
        start[l + 1] += start[l];
        next[l] = start[l];
    }
    for (uint32_t v = 0; v < n; v++)
        nodes[next[order->level[order->of[v]]]++] = v;
    return 0;
}

int graph_query_levels(struct graph_ask *ask, struct error *err)
{
    const struct graph_order *order = graph_order_get(ask->view, ask->cancel, err);
    uint32_t GRAPH_AUTO *nodes = graph_alloc(ask->view->n, sizeof *nodes, err);
    uint32_t GRAPH_AUTO *start =
        order ? graph_alloc((size_t)order->levels + 1, sizeof *start, err) : NULL;
    struct graph_list list;
    size_t most;

    if (!order || !nodes || !start || sort_by_level(order, ask->view->n, nodes, start, err) < 0)
        return -1;
    if (ask->node != GRAPH_NO_NODE) {
        graph_add_node(ask, ask->node);
        buf_addf(ask->answer, " is on level %u of 0 to %u (0: no prerequisites).\n",
                 order->level[order->of[ask->node]], order->levels - 1);
        add_cycle_warning(ask, order);
        return 0;
    }
    graph_add_count(ask, order->levels, "level");
    buf_adds(ask->answer, "; each node stands one behind its latest prerequisite.\n");
    add_cycle_warning(ask, order);
    most = order->levels > 0 && ask->limit > order->levels ? ask->limit / order->levels : 1;
    if (ask->limit >= ask->view->n)
        most = ask->view->n;
    graph_list_begin(&list, ask, order->levels);
    while (graph_list_row(&list)) {
        size_t l = list.shown - 1;

        buf_addf(ask->answer, "level %zu, ", l);
        graph_add_count(ask, start[l + 1] - start[l], "node");
        buf_adds(ask->answer, ": ");
        graph_add_some(ask, nodes + start[l], start[l + 1] - start[l], most);
        buf_addc(ask->answer, '\n');
    }
    graph_list_end(&list);
    return 0;
}

/* ---- longest_chain ---- */

/* The component before this one on a longest way to it; the earliest in teaching order where
 * several are. */
static uint32_t step_back(const struct graph_view *view, const struct graph_order *order,
                          uint32_t component)
{
    uint32_t best = GRAPH_NO_NODE;

    for (uint32_t i = order->start[component]; i < order->start[component + 1]; i++) {
        uint32_t v = order->nodes[i];

        for (size_t j = view->in_start[v]; j < view->in_start[v + 1]; j++) {
            uint32_t other = order->of[view->in[j]];

            if (other != component && order->level[other] + 1 == order->level[component] &&
                other < best)
                best = other;
        }
    }
    return best;
}

static void add_step(struct graph_ask *ask, const struct graph_order *order, uint32_t component)
{
    uint32_t first = order->start[component], size = order->start[component + 1] - first;

    if (size > 1)
        buf_addf(ask->answer, "cycle of %u: ", size);
    graph_add_some(ask, order->nodes + first, size, 3);
    buf_addc(ask->answer, '\n');
}

int graph_query_longest_chain(struct graph_ask *ask, struct error *err)
{
    const struct graph_order *order = graph_order_get(ask->view, ask->cancel, err);
    uint32_t GRAPH_AUTO *chain = order ? graph_alloc(order->levels, sizeof *chain, err) : NULL;
    uint32_t last = 0;
    struct graph_list list;

    if (!order || !chain)
        return -1;
    if (order->levels == 0) {
        buf_adds(ask->answer, "No node, no chain.\n");
        return 0;
    }
    while (order->level[last] != order->levels - 1)
        last++;
    for (uint32_t l = order->levels; l-- > 0;
         last = l > 0 ? step_back(ask->view, order, last) : last)
        chain[l] = last;
    buf_adds(ask->answer, "The longest chain: ");
    graph_add_count(ask, order->levels - 1, "step");
    buf_adds(ask->answer, ", ");
    graph_add_count(ask, order->levels, "node");
    buf_adds(ask->answer, order->cycles > 0 ? " (a cycle group is one).\n" : ".\n");
    add_cycle_warning(ask, order);
    graph_list_begin(&list, ask, order->levels);
    while (graph_list_row(&list))
        add_step(ask, order, chain[list.shown - 1]);
    graph_list_end(&list);
    return 0;
}
