/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * redundant: the edges that a longer chain implies, which a transitive reduction removes, each with
 * a node of such a chain. Edges inside a group of nodes that need one another are ignored, because
 * the reduction is not unique there.
 */
#include <string.h>

#include "helpers/graph/ask.h"
#include "helpers/graph/igraph_guard.h"
#include "helpers/graph/view.h"

/* Searches backwards from the component of `to`, without entering that of `from`, for a node that
 * the component of `from` leads to: one on the longer path. seen and queue have room for all nodes.
 */
static uint32_t find_between(const struct graph_view *view, const struct graph_order *order,
                             uint32_t from, uint32_t to, bool *seen, uint32_t *queue)
{
    uint32_t source = order->of[from], target = order->of[to], head = 0, tail = 0,
             found = GRAPH_NO_NODE;

    for (uint32_t i = order->start[target]; i < order->start[target + 1]; i++) {
        seen[order->nodes[i]] = true;
        queue[tail++] = order->nodes[i];
    }
    while (head < tail && found == GRAPH_NO_NODE) {
        uint32_t v = queue[head++];

        for (size_t i = view->in_start[v]; i < view->in_start[v + 1]; i++) {
            uint32_t other = view->in[i];

            if (order->of[other] == source && order->of[v] != target)
                found = v;
            /* Nodes before the source in teaching order cannot be reached from it. */
            if (order->of[other] <= source || seen[other])
                continue;
            seen[other] = true;
            queue[tail++] = other;
        }
    }
    for (uint32_t i = 0; i < tail; i++)
        seen[queue[i]] = false;
    return found;
}

/* The rows of a list that has begun. */
static int add_rows(struct graph_list *list, const struct graph_order *order, const bool *redundant,
                    struct error *err)
{
    static const struct graph_column columns[] = {
        {"from_node_id", GRAPH_COLUMN_NODE, "%"},
        {"to_node_id", GRAPH_COLUMN_NODE, " -> %"},
        {"through_node_id", GRAPH_COLUMN_NODE, " (also through %)"},
        {0}};
    const struct graph_view *view = list->ask->view;
    cleanup_free bool *seen = graph_alloc(view->n, sizeof *seen, err);
    cleanup_free uint32_t *queue = graph_alloc(view->n, sizeof *queue, err);
    uint32_t v = 0;
    size_t edge = 0;

    if (!seen || !queue)
        return -1;
    while (graph_list_row(list)) {
        uint32_t between;

        if (igraph_guard_wanted(err) < 0)
            return -1;
        while (!redundant[edge])
            edge++;
        while (view->out_start[v + 1] <= edge)
            v++;
        between = find_between(view, order, v, view->out[edge], seen, queue);
        graph_row(list, columns,
                  (union graph_value[]){{.node = v}, {.node = view->out[edge]}, {.node = between}});
        edge++;
    }
    return 0;
}

int graph_query_redundant(struct graph_ask *ask, struct error *err)
{
    const struct graph_order *order = graph_order_get(ask->view, err);
    cleanup_free bool *redundant = graph_alloc(ask->view->m, sizeof *redundant, err);
    struct graph_list list;
    size_t count = 0;

    if (!order || !redundant || graph_reach_all(ask->view, order, NULL, redundant, err) < 0)
        return -1;
    for (size_t i = 0; i < ask->view->m; i++)
        count += redundant[i];
    graph_put(ask, "cycle_groups_not_judged", order->cycles);
    graph_say(ask, "%s%s\n", graph_count_text(ask, count, "redundant edge"),
              count > 0 ? ", implied by a longer chain:" : ".");
    if (order->cycles > 0)
        graph_say(ask, "Edges inside %s are not checked (see the query cycles).\n",
                  graph_count_text(ask, order->cycles, "cycle group"));
    graph_list_begin(&list, ask, "edges", count);
    if (add_rows(&list, order, redundant, err) < 0)
        return -1;
    return 0;
}
