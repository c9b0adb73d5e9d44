/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * path and neighbours: which edges lead from one node to another, and which meet at a node.
 */
#include "helpers/graph/data.h"
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

/* Where there is no way: the way back, and a way over all types, are what is asked next. Nodes of
 * each, 0 where there is none either. */
static int find_others(struct graph_ask *ask, uint32_t *room, uint32_t *back, uint32_t *over_all,
                       struct error *err)
{
    bool GRAPH_AUTO *follows = graph_alloc(ask->graph->type_count, sizeof *follows, err);
    struct graph_view *all;

    if (!follows || graph_reach_path(ask->view, ask->to, ask->from, room, back, err) < 0)
        return -1;
    graph_default_types(ask->graph, GRAPH_FOLLOWS_ALL, follows);
    all = graph_view_get(ask->graph, follows, err);
    return all ? graph_reach_path(all, ask->from, ask->to, room, over_all, err) : -1;
}

static void add_hints(struct graph_ask *ask, uint32_t back, uint32_t over_all)
{
    if (back > 0) {
        buf_adds(ask->answer, "The other way round there is one of ");
        graph_add_count(ask, back - 1, "step");
        buf_adds(ask->answer, ".\n");
    }
    if (over_all > 0) {
        buf_adds(ask->answer, "Over all types there is one of ");
        graph_add_count(ask, over_all - 1, "step");
        buf_adds(ask->answer, " (types=[\"all\"]).\n");
    }
}

/* nodes of a path as its steps. */
static void add_steps_data(struct graph_ask *ask, const char *key, uint32_t nodes)
{
    if (nodes > 0)
        graph_data_count(ask, key, nodes - 1);
    else
        graph_data_null(ask, key);
}

static void add_path_data(struct graph_ask *ask, const uint32_t *path, uint32_t count,
                          uint32_t back, uint32_t over_all)
{
    struct graph_list list;

    graph_data_node(ask, "from_node_id", ask->from);
    graph_data_node(ask, "to_node_id", ask->to);
    add_steps_data(ask, "steps", count);
    graph_data_nodes(ask, "nodes", path, count);
    graph_data_list(&list, ask, "types", count > 0 ? count - 1 : 0);
    while (graph_list_row(&list))
        graph_data_types_between(ask, NULL, path[list.shown - 1], path[list.shown]);
    graph_data_list_end(&list);
    if (count == 0) {
        add_steps_data(ask, "steps_back", back);
        add_steps_data(ask, "steps_over_all_types", over_all);
    }
}

int graph_query_path(struct graph_ask *ask, struct error *err)
{
    uint32_t GRAPH_AUTO *path = graph_alloc(ask->view->n, sizeof *path, err);
    uint32_t count, back = 0, over_all = 0;

    if (!path || graph_reach_path(ask->view, ask->from, ask->to, path, &count, err) < 0)
        return -1;
    if (ask->from == ask->to) {
        path[0] = ask->from;
        count = 1;
    }
    if (count == 0 && find_others(ask, path, &back, &over_all, err) < 0)
        return -1;
    if (ask->data) {
        add_path_data(ask, path, count, back, over_all);
        return 0;
    }
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
        add_hints(ask, back, over_all);
        return 0;
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

static void add_side_data(struct graph_ask *ask, const char *key, const uint32_t *nodes,
                          size_t count, bool arriving)
{
    struct graph_list list;

    graph_data_list(&list, ask, key, count);
    while (graph_list_row(&list)) {
        uint32_t other = nodes[list.shown - 1];

        graph_data_open(ask, NULL, '{');
        graph_data_node(ask, "node_id", other);
        graph_data_types_between(ask, "types", arriving ? other : ask->node,
                                 arriving ? ask->node : other);
        graph_data_close(ask, '}');
    }
    graph_data_list_end(&list);
}

int graph_query_neighbours(struct graph_ask *ask, struct error *err)
{
    const struct graph_view *view = ask->view;
    size_t in = view->in_start[ask->node], out = view->out_start[ask->node];

    (void)err;
    if (ask->data) {
        graph_data_node(ask, "node_id", ask->node);
        add_side_data(ask, "before", view->in + in, view->in_start[ask->node + 1] - in, true);
        add_side_data(ask, "after", view->out + out, view->out_start[ask->node + 1] - out, false);
        return 0;
    }
    graph_add_node(ask, ask->node);
    buf_addc(ask->answer, '\n');
    add_side(ask, "Directly before it", view->in + in, view->in_start[ask->node + 1] - in, true);
    add_side(ask, "Directly after it", view->out + out, view->out_start[ask->node + 1] - out,
             false);
    return 0;
}
