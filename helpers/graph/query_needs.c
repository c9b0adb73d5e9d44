/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * needs, needed_by and common_needs: what must be taught before a node, and what depends on it,
 * directly or not, in teaching order.
 */
#include "helpers/graph/ask.h"
#include "helpers/graph/view.h"

/* Collects the nodes of the order that have a distance, except node itself. */
static uint32_t take_reached(const struct graph_order *order, const struct graph_view *view,
                             const uint32_t *distance, uint32_t node, uint32_t *taken)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < view->n; i++) {
        if (order->nodes[i] != node && distance[order->nodes[i]] != GRAPH_NO_NODE)
            taken[count++] = order->nodes[i];
    }
    return count;
}

static uint32_t count_direct(const struct graph_view *view, const uint32_t *distance)
{
    uint32_t count = 0;

    for (uint32_t v = 0; v < view->n; v++)
        count += distance[v] == 1;
    return count;
}

static int answer_reach(struct graph_ask *ask, igraph_neimode_t mode, struct error *err)
{
    static const struct graph_column columns[] = {
        {"node_id", GRAPH_COLUMN_NODE, "%"}, {"steps", GRAPH_COLUMN_COUNT, " %"}, {0}};
    const struct graph_order *order = graph_order_get(ask->view, err);
    cleanup_free uint32_t *distance = graph_alloc(ask->view->n, sizeof *distance, err);
    cleanup_free uint32_t *taken = graph_alloc(ask->view->n, sizeof *taken, err);
    struct graph_list list;
    uint32_t count, direct, in_cycle;

    if (!order || !distance || !taken ||
        graph_reach_one(ask->view, ask->node, mode, distance, NULL, err) < 0)
        return -1;
    count = take_reached(order, ask->view, distance, ask->node, taken);
    direct = count_direct(ask->view, distance);
    in_cycle = graph_order_size(order, ask->node) - 1;
    graph_put_node(ask, "node_id", ask->node);
    graph_put(ask, "direct", direct);
    graph_put(ask, "in_cycle_with", in_cycle);
    graph_say(ask, "%s %s ", graph_node_text(ask, ask->node),
              mode == IGRAPH_IN ? "needs" : "is needed by");
    if (count == 0)
        graph_say(ask, "nothing.\n");
    else
        graph_say(ask, "%s, %u of them directly. In teaching order, with steps away:\n",
                  graph_count_text(ask, count, "node"), direct);
    graph_list_begin(&list, ask, "nodes", count);
    while (graph_list_row(&list)) {
        uint32_t v = taken[list.shown - 1];

        graph_row(&list, columns, (union graph_value[]){{.node = v}, {.count = distance[v]}});
    }
    if (in_cycle > 0)
        graph_say(ask, "It and %u of these need one another: a cycle (see the query cycles).\n",
                  in_cycle);
    return 0;
}

int graph_query_needs(struct graph_ask *ask, struct error *err)
{
    return answer_reach(ask, IGRAPH_IN, err);
}

int graph_query_needed_by(struct graph_ask *ask, struct error *err)
{
    return answer_reach(ask, IGRAPH_OUT, err);
}

int graph_query_common_needs(struct graph_ask *ask, struct error *err)
{
    const struct graph_order *order = graph_order_get(ask->view, err);
    cleanup_free uint32_t *first = graph_alloc(ask->view->n, sizeof *first, err);
    cleanup_free uint32_t *second = graph_alloc(ask->view->n, sizeof *second, err);
    cleanup_free uint32_t *taken = graph_alloc(ask->view->n, sizeof *taken, err);
    uint32_t count = 0, of_first = 0, of_second = 0;

    if (!order || !first || !second || !taken ||
        graph_reach_one(ask->view, ask->from, IGRAPH_IN, first, NULL, err) < 0 ||
        graph_reach_one(ask->view, ask->to, IGRAPH_IN, second, NULL, err) < 0)
        return -1;
    for (uint32_t i = 0; i < ask->view->n; i++) {
        uint32_t v = order->nodes[i];
        bool in_first = v != ask->from && first[v] != GRAPH_NO_NODE;
        bool in_second = v != ask->to && second[v] != GRAPH_NO_NODE;

        of_first += in_first;
        of_second += in_second;
        if (in_first && in_second)
            taken[count++] = v;
    }
    graph_put_node(ask, "from_node_id", ask->from);
    graph_put_node(ask, "to_node_id", ask->to);
    graph_put(ask, "needs_of_from", of_first);
    graph_put(ask, "needs_of_to", of_second);
    graph_say(ask, "%s needs %u, %s needs %u; %u in common%s\n", graph_node_text(ask, ask->from),
              of_first, graph_node_text(ask, ask->to), of_second, count,
              count > 0 ? ", in teaching order:" : ".");
    graph_nodes(ask, "nodes", taken, count);
    return 0;
}
