/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * order, levels and longest_chain: the curriculum laid out by its prerequisites. Where nodes need
 * one another no order is right; they then stand together as one step, and the answer says so.
 */
#include "helpers/graph/data.h"
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

static void add_cycles_data(struct graph_ask *ask, const struct graph_order *order)
{
    graph_data_count(ask, "cycle_groups", order->cycles);
    graph_data_count(ask, "nodes_in_cycles", order->in_cycle);
}

/* ---- order ---- */

/* Each node's step: nodes of one cycle group share one. */
static void add_order_data(struct graph_ask *ask, const struct graph_order *order)
{
    struct graph_list list;

    add_cycles_data(ask, order);
    graph_data_list(&list, ask, "nodes", ask->view->n);
    while (graph_list_row(&list)) {
        uint32_t v = order->nodes[list.shown - 1];

        graph_data_open(ask, NULL, '{');
        graph_data_node(ask, "node_id", v);
        graph_data_count(ask, "step", order->of[v]);
        graph_data_bool(ask, "in_cycle", graph_order_size(order, v) > 1);
        graph_data_close(ask, '}');
    }
    graph_data_list_end(&list);
}

int graph_query_order(struct graph_ask *ask, struct error *err)
{
    const struct graph_order *order = graph_order_get(ask->view, err);
    uint32_t group = 0, last = GRAPH_NO_NODE;
    struct graph_list list;

    if (!order)
        return -1;
    if (ask->data) {
        add_order_data(ask, order);
        return 0;
    }
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

static void add_levels_data(struct graph_ask *ask, const struct graph_order *order,
                            const uint32_t *nodes, const uint32_t *start)
{
    struct graph_list list;

    graph_data_count(ask, "level_count", order->levels);
    add_cycles_data(ask, order);
    if (ask->node != GRAPH_NO_NODE) {
        graph_data_node(ask, "node_id", ask->node);
        graph_data_count(ask, "level", order->level[order->of[ask->node]]);
        return;
    }
    graph_data_list(&list, ask, "levels", order->levels);
    while (graph_list_row(&list)) {
        size_t l = list.shown - 1;

        graph_data_part_nodes(ask, NULL, nodes + start[l], start[l + 1] - start[l]);
    }
    graph_data_list_end(&list);
}

int graph_query_levels(struct graph_ask *ask, struct error *err)
{
    const struct graph_order *order = graph_order_get(ask->view, err);
    uint32_t GRAPH_AUTO *nodes = graph_alloc(ask->view->n, sizeof *nodes, err);
    uint32_t GRAPH_AUTO *start =
        order ? graph_alloc((size_t)order->levels + 1, sizeof *start, err) : NULL;
    struct graph_list list;
    size_t most;

    if (!order || !nodes || !start || sort_by_level(order, ask->view->n, nodes, start, err) < 0)
        return -1;
    if (ask->data) {
        add_levels_data(ask, order, nodes, start);
        return 0;
    }
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

static void add_chain_data(struct graph_ask *ask, const struct graph_order *order,
                           const uint32_t *chain)
{
    struct graph_list list;

    if (order->levels > 0)
        graph_data_count(ask, "steps", order->levels - 1);
    else
        graph_data_null(ask, "steps");
    add_cycles_data(ask, order);
    graph_data_list(&list, ask, "chain", order->levels);
    while (graph_list_row(&list)) {
        uint32_t component = chain[list.shown - 1], first = order->start[component];

        graph_data_part_nodes(ask, NULL, order->nodes + first, order->start[component + 1] - first);
    }
    graph_data_list_end(&list);
}

/* chain has room for a component of each level. */
static void find_chain(const struct graph_view *view, const struct graph_order *order,
                       uint32_t *chain)
{
    uint32_t last = 0;

    if (order->levels == 0)
        return;
    while (order->level[last] != order->levels - 1)
        last++;
    for (uint32_t l = order->levels; l-- > 0; last = l > 0 ? step_back(view, order, last) : last)
        chain[l] = last;
}

int graph_query_longest_chain(struct graph_ask *ask, struct error *err)
{
    const struct graph_order *order = graph_order_get(ask->view, err);
    uint32_t GRAPH_AUTO *chain = order ? graph_alloc(order->levels, sizeof *chain, err) : NULL;
    struct graph_list list;

    if (!order || !chain)
        return -1;
    find_chain(ask->view, order, chain);
    if (ask->data) {
        add_chain_data(ask, order, chain);
        return 0;
    }
    if (order->levels == 0) {
        buf_adds(ask->answer, "No node, no chain.\n");
        return 0;
    }
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
