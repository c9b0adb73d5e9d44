/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * path and neighbours: which edges lead from one node to another, and which meet at a node.
 */
#include "helpers/graph/queries.h"
#include "helpers/graph/reach.h"

/* ---- path ---- */

static void add_ends(struct graph_ask *ask, uint32_t from, uint32_t to)
{
    buf_adds(ask->answer, " from ");
    graph_add_node(ask, from);
    buf_adds(ask->answer, " to ");
    graph_add_node(ask, to);
}

static void add_steps(struct graph_ask *ask, const uint32_t *path, uint32_t count)
{
    struct graph_list list;

    graph_list_begin(&list, ask, count);
    while (graph_list_row(&list)) {
        size_t at = list.shown - 1;

        buf_adds(ask->answer, at > 0 ? "-> " : "");
        graph_add_node(ask, path[at]);
        if (at > 0) {
            buf_adds(ask->answer, " (");
            graph_add_types_between(ask, path[at - 1], path[at]);
            buf_addc(ask->answer, ')');
        }
        buf_addc(ask->answer, '\n');
    }
    graph_list_end(&list);
}

/* Where there is no way: the way back, and a way over all types, are what is asked next. */
static int add_hints(struct graph_ask *ask, uint32_t *path, struct error *err)
{
    bool GRAPH_AUTO *follows = graph_alloc(ask->graph->type_count, sizeof *follows, err);
    struct graph_view *all;
    uint32_t count;

    if (!follows || graph_reach_path(ask->view, ask->to, ask->from, path, &count, err) < 0)
        return -1;
    if (count > 0) {
        buf_adds(ask->answer, "The other way round there is one of ");
        graph_add_count(ask, count - 1, "step");
        buf_adds(ask->answer, ".\n");
    }
    graph_default_types(ask->graph, GRAPH_FOLLOWS_ALL, follows);
    all = graph_view_get(ask->graph, follows, err);
    if (!all || graph_reach_path(all, ask->from, ask->to, path, &count, err) < 0)
        return -1;
    if (count > 0) {
        buf_adds(ask->answer, "Over all types there is one of ");
        graph_add_count(ask, count - 1, "step");
        buf_adds(ask->answer, " (types=[\"all\"]).\n");
    }
    return 0;
}

int graph_query_path(struct graph_ask *ask, struct error *err)
{
    uint32_t GRAPH_AUTO *path = graph_alloc(ask->view->n, sizeof *path, err);
    uint32_t count;

    if (!path || graph_reach_path(ask->view, ask->from, ask->to, path, &count, err) < 0)
        return -1;
    if (ask->from == ask->to) {
        buf_adds(ask->answer, "Both ends are ");
        graph_add_node(ask, ask->from);
        buf_adds(ask->answer, ": 0 steps.\n");
        return 0;
    }
    buf_adds(ask->answer, count > 0 ? "A shortest path" : "No path");
    add_ends(ask, ask->from, ask->to);
    if (count == 0) {
        buf_adds(ask->answer, ".\n");
        return add_hints(ask, path, err);
    }
    buf_adds(ask->answer, ": ");
    graph_add_count(ask, count - 1, "step");
    buf_adds(ask->answer, ".\n");
    add_steps(ask, path, count);
    return 0;
}

/* ---- neighbours ---- */

static void add_side(struct graph_ask *ask, const char *head, const uint32_t *nodes, size_t count,
                     bool arriving)
{
    struct graph_list list;

    buf_addf(ask->answer, "%s: %zu\n", head, count);
    graph_list_begin(&list, ask, count);
    while (graph_list_row(&list)) {
        uint32_t other = nodes[list.shown - 1];

        graph_add_node(ask, other);
        buf_adds(ask->answer, " (");
        graph_add_types_between(ask, arriving ? other : ask->node, arriving ? ask->node : other);
        buf_adds(ask->answer, ")\n");
    }
    graph_list_end(&list);
}

int graph_query_neighbours(struct graph_ask *ask, struct error *err)
{
    const struct graph_view *view = ask->view;
    size_t in = view->in_start[ask->node], out = view->out_start[ask->node];

    (void)err;
    graph_add_node(ask, ask->node);
    buf_addc(ask->answer, '\n');
    add_side(ask, "Directly before it", view->in + in, view->in_start[ask->node + 1] - in, true);
    add_side(ask, "Directly after it", view->out + out, view->out_start[ask->node + 1] - out,
             false);
    return 0;
}
