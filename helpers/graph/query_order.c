/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * order, levels and longest_chain: the curriculum ordered by its prerequisites. Nodes that need one
 * another have no correct order; they form one step, and the answer says so.
 */
#include "helpers/graph/ask.h"

static void put_cycles(struct graph_ask *ask, const struct graph_order *order)
{
    graph_put(ask, "cycle_groups", order->cycles);
    graph_put(ask, "nodes_in_cycles", order->in_cycle);
}

static void write_cycles(struct graph_ask *ask, const struct graph_order *order)
{
    if (order->cycles > 0)
        graph_say(ask,
                  "%s in %s need one another, which no order satisfies; each group counts as one "
                  "step here (see the query cycles).\n",
                  graph_count_text(ask, order->in_cycle, "node"),
                  graph_count_text(ask, order->cycles, "cycle group"));
}

/* ---- order ---- */

/* Nodes of one cycle group share a step. */
int graph_query_order(struct graph_ask *ask, struct error *err)
{
    static const struct graph_column columns[] = {
        {"node_id", GRAPH_COLUMN_NODE, "%"},        {"step", GRAPH_COLUMN_COUNT, NULL},
        {"in_cycle", GRAPH_COLUMN_FLAG, NULL},      {NULL, GRAPH_COLUMN_NONZERO, " (cycle %)"},
        {"words", GRAPH_COLUMN_WORDS, ", % words"}, {0}};
    const struct graph_order *order = graph_order_get(ask->view, err);
    uint32_t groups = 0, last = GRAPH_NO_NODE;
    struct graph_list list;

    if (!order)
        return -1;
    graph_say(ask, "Teaching order of %s%s%s\n", graph_count_text(ask, ask->view->n, "node"),
              graph_words_text(ask, order->nodes, ask->view->n), ask->view->n > 0 ? ":" : ".");
    graph_put_words(ask, order->nodes, ask->view->n);
    put_cycles(ask, order);
    write_cycles(ask, order);
    graph_list_begin(&list, ask, "nodes", ask->view->n);
    while (graph_list_row(&list)) {
        uint32_t v = order->nodes[list.shown - 1], step = order->of[v];
        bool in_cycle = graph_order_size(order, v) > 1;

        groups += in_cycle && step != last;
        last = in_cycle ? step : last;
        graph_row(&list, columns,
                  (union graph_value[]){{.node = v},
                                        {.count = step},
                                        {.flag = in_cycle},
                                        {.count = in_cycle ? groups : 0},
                                        {.count = ask->words ? ask->words[v] : 0}});
    }
    return 0;
}

/* ---- levels ---- */

/* Sorts nodes by level, otherwise in their order; start[l] is the beginning of level l. */
static int sort_by_level(const struct graph_order *order, uint32_t n, uint32_t *nodes,
                         uint32_t *start, struct error *err)
{
    cleanup_free uint32_t *next = graph_alloc(order->levels, sizeof *next, err);

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

static void put_level_words(struct graph_ask *ask, const uint32_t *nodes, const uint32_t *start,
                            uint32_t levels)
{
    if (!ask->words)
        return;
    graph_open(ask, "level_words", '[');
    for (uint32_t l = 0; l < levels && graph_has_room(ask); l++)
        graph_put(ask, NULL, graph_words(ask, nodes + start[l], start[l + 1] - start[l]));
    graph_close(ask, ']');
}

int graph_query_levels(struct graph_ask *ask, struct error *err)
{
    const struct graph_order *order = graph_order_get(ask->view, err);
    cleanup_free uint32_t *nodes = graph_alloc(ask->view->n, sizeof *nodes, err);
    cleanup_free uint32_t *start =
        order ? graph_alloc((size_t)order->levels + 1, sizeof *start, err) : NULL;
    struct graph_list list;
    size_t most;

    if (!order || !nodes || !start || sort_by_level(order, ask->view->n, nodes, start, err) < 0)
        return -1;
    graph_put(ask, "level_count", order->levels);
    put_cycles(ask, order);
    if (ask->node != GRAPH_NO_NODE) {
        uint32_t level = order->level[order->of[ask->node]];

        graph_put_node(ask, "node_id", ask->node);
        graph_put(ask, "level", level);
        graph_say(ask, "%s is on level %u of 0 to %u (0: no prerequisites).\n",
                  graph_node_text(ask, ask->node), level, order->levels - 1);
        write_cycles(ask, order);
        return 0;
    }
    graph_say(ask, "%s; each node stands one behind its latest prerequisite.\n",
              graph_count_text(ask, order->levels, "level"));
    write_cycles(ask, order);
    put_level_words(ask, nodes, start, order->levels);
    most = order->levels > 0 && ask->limit > order->levels ? ask->limit / order->levels : 1;
    if (ask->limit >= ask->view->n)
        most = ask->view->n;
    graph_list_begin(&list, ask, "levels", order->levels);
    while (graph_list_row(&list)) {
        size_t l = list.shown - 1, count = start[l + 1] - start[l];

        graph_say(ask, "level %zu, %s%s: ", l, graph_count_text(ask, count, "node"),
                  graph_words_text(ask, nodes + start[l], count));
        graph_some_nodes(ask, NULL, nodes + start[l], count, most);
    }
    return 0;
}

/* ---- longest_chain ---- */

/* The previous component on a longest path to this one; among several, the earliest in teaching
 * order. */
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

/* chain has room for one component of each level. */
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
    cleanup_free uint32_t *chain = order ? graph_alloc(order->levels, sizeof *chain, err) : NULL;
    struct graph_list list;

    if (!order || !chain)
        return -1;
    find_chain(ask->view, order, chain);
    if (order->levels > 0) {
        graph_put(ask, "steps", order->levels - 1);
        graph_say(ask, "The longest chain: %s, %s%s.\n",
                  graph_count_text(ask, order->levels - 1, "step"),
                  graph_count_text(ask, order->levels, "node"),
                  order->cycles > 0 ? " (a cycle group is one)" : "");
    } else {
        graph_put_null(ask, "steps");
        graph_say(ask, "No node, no chain.\n");
    }
    put_cycles(ask, order);
    write_cycles(ask, order);
    graph_list_begin(&list, ask, "chain", order->levels);
    while (graph_list_row(&list)) {
        uint32_t component = chain[list.shown - 1], first = order->start[component],
                 size = order->start[component + 1] - first;

        if (size > 1)
            graph_say(ask, "cycle of %u: ", size);
        graph_some_nodes(ask, NULL, order->nodes + first, size, 3);
    }
    return 0;
}
