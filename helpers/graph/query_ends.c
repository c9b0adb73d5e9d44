/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * starting_points, end_points and unreachable: where the curriculum begins, where it ends, and what
 * no way leads to.
 */
#include "helpers/graph/ask.h"
#include "helpers/graph/view.h"

static bool is_isolated(const struct graph_view *view, uint32_t v)
{
    return !graph_has_in(view, v) && !graph_has_out(view, v);
}

/* ---- starting_points, end_points ---- */

static int answer_ends(struct graph_ask *ask, bool (*has_edge)(const struct graph_view *, uint32_t),
                       const char *thing, const char *meaning, struct error *err)
{
    static const struct graph_column columns[] = {
        {"node_id", GRAPH_COLUMN_NODE, "%"}, {"isolated", GRAPH_COLUMN_FLAG, " (isolated)"}, {0}};
    const struct graph_view *view = ask->view;
    cleanup_free uint32_t *taken = graph_alloc(view->n, sizeof *taken, err);
    size_t count = 0, isolated = 0;
    struct graph_list list;

    if (!taken)
        return -1;
    for (uint32_t v = 0; v < view->n; v++) {
        if (!has_edge(view, v)) {
            taken[count++] = v;
            isolated += is_isolated(view, v);
        }
    }
    graph_say(ask, "%s (%s)", graph_count_text(ask, count, thing), meaning);
    if (isolated > 0)
        graph_say(ask, ", %zu of them isolated", isolated);
    graph_say(ask, count > 0 ? ":\n" : ".\n");
    graph_list_begin(&list, ask, "nodes", count);
    while (graph_list_row(&list)) {
        uint32_t v = taken[list.shown - 1];

        graph_row(&list, columns,
                  (union graph_value[]){{.node = v}, {.flag = is_isolated(view, v)}});
    }
    return 0;
}

int graph_query_starting_points(struct graph_ask *ask, struct error *err)
{
    return answer_ends(ask, graph_has_in, "starting point", "no edge arrives", err);
}

int graph_query_end_points(struct graph_ask *ask, struct error *err)
{
    return answer_ends(ask, graph_has_out, "end point", "no edge leaves", err);
}

/* ---- unreachable ---- */

/* Marks what can be reached from the node, or from all starting points. */
static void find_reached(struct graph_ask *ask, bool *seen, uint32_t *room)
{
    const struct graph_view *view = ask->view;
    size_t count = 0;

    for (uint32_t v = 0; v < view->n; v++) {
        seen[v] = ask->node == GRAPH_NO_NODE ? !graph_has_in(view, v) : v == ask->node;
        if (seen[v])
            room[count++] = v;
    }
    graph_reach_many(view, seen, room, count);
}

static void add_isolated(struct graph_ask *ask, uint32_t *room)
{
    size_t count = 0;

    for (uint32_t v = 0; v < ask->view->n; v++) {
        if (is_isolated(ask->view, v))
            room[count++] = v;
    }
    graph_say(ask, "%s (no edge arrives or leaves)%s\n",
              graph_count_text(ask, count, "isolated node"), count > 0 ? ":" : ".");
    graph_nodes(ask, "isolated", room, count);
}

int graph_query_unreachable(struct graph_ask *ask, struct error *err)
{
    const struct graph_view *view = ask->view;
    cleanup_free bool *seen = graph_alloc(view->n, sizeof *seen, err);
    cleanup_free uint32_t *taken = graph_alloc(view->n, sizeof *taken, err);
    size_t count = 0;

    if (!seen || !taken)
        return -1;
    find_reached(ask, seen, taken);
    for (uint32_t v = 0; v < view->n; v++) {
        if (!seen[v])
            taken[count++] = v;
    }
    if (ask->node == GRAPH_NO_NODE)
        graph_say(ask, "%s out of reach from every starting point%s\n",
                  graph_count_text(ask, count, "node"),
                  count > 0 ? ": each is in a cycle or behind one." : ".");
    else
        graph_say(ask, "%s out of reach from %s%s\n", graph_count_text(ask, count, "node"),
                  graph_node_text(ask, ask->node), count > 0 ? ":" : ".");
    graph_nodes(ask, "nodes", taken, count);
    if (ask->node == GRAPH_NO_NODE)
        add_isolated(ask, taken);
    return 0;
}
