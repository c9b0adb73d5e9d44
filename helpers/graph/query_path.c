/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * path and neighbours: which edges lead from one node to another, and which edges a node has.
 */
#include <inttypes.h>
#include <string.h>

#include "helpers/graph/ask.h"
#include "helpers/graph/view.h"

/* The nodes of a path, with the types of the edges between them. */
static void add_path(struct graph_ask *ask, const uint32_t *path, uint32_t count)
{
    static const struct graph_column first[] = {{NULL, GRAPH_COLUMN_NODE, "%"}, {0}};
    static const struct graph_column step[] = {
        {NULL, GRAPH_COLUMN_NODE, "-> %"}, {NULL, GRAPH_COLUMN_TYPES, " (%)"}, {0}};
    struct graph_list list;

    if (ask->data) {
        graph_nodes(ask, "nodes", path, count);
        graph_list_begin(&list, ask, "types", count > 0 ? count - 1 : 0);
        while (graph_list_row(&list))
            graph_put_types(ask, NULL, path[list.shown - 1], path[list.shown]);
        return;
    }
    graph_list_begin(&list, ask, NULL, count);
    while (graph_list_row(&list)) {
        size_t at = list.shown - 1;

        graph_row(&list, at > 0 ? step : first,
                  (union graph_value[]){{.node = path[at]},
                                        {.ends = {path[at > 0 ? at - 1 : 0], path[at]}}});
    }
}

/* If there is no path, users ask next for the path back, and for a path over all types. Sets the
 * number of nodes of each, 0 if there is none. */
static int find_others(struct graph_ask *ask, uint32_t *room, uint32_t *back, uint32_t *over_all,
                       struct error *err)
{
    struct graph_view *all;

    if (graph_reach_path(ask->view, ask->to, ask->from, room, back, err) < 0)
        return -1;
    all = graph_default_view(ask->graph, GRAPH_FOLLOWS_ALL, err);
    return all ? graph_reach_path(all, ask->from, ask->to, room, over_all, err) : -1;
}

/* nodes of a path as its steps. */
static void put_steps(struct graph_ask *ask, const char *key, uint32_t nodes)
{
    if (nodes > 0)
        graph_put(ask, key, nodes - 1);
    else
        graph_put_null(ask, key);
}

int graph_query_path(struct graph_ask *ask, struct error *err)
{
    cleanup_free uint32_t *path = graph_alloc(ask->view->n, sizeof *path, err);
    uint32_t count, back = 0, over_all = 0;

    if (!path || graph_reach_path(ask->view, ask->from, ask->to, path, &count, err) < 0)
        return -1;
    if (ask->from == ask->to) {
        path[0] = ask->from;
        count = 1;
    }
    if (count == 0 && find_others(ask, path, &back, &over_all, err) < 0)
        return -1;
    graph_put_node(ask, "from_node_id", ask->from);
    graph_put_node(ask, "to_node_id", ask->to);
    put_steps(ask, "steps", count);
    if (ask->from == ask->to)
        graph_say(ask, "Both ends are %s: 0 steps.\n", graph_node_text(ask, ask->from));
    else
        graph_say(ask, "%s from %s to %s", count > 0 ? "A shortest path" : "No path",
                  graph_node_text(ask, ask->from), graph_node_text(ask, ask->to));
    if (count > 1)
        graph_say(ask, ": %s.\n", graph_count_text(ask, count - 1, "step"));
    if (count != 1 || ask->data)
        add_path(ask, path, count);
    if (count > 0)
        return 0;
    put_steps(ask, "steps_back", back);
    put_steps(ask, "steps_over_all_types", over_all);
    graph_say(ask, ".\n");
    if (back > 0)
        graph_say(ask, "The other way round there is one of %s.\n",
                  graph_count_text(ask, back - 1, "step"));
    if (over_all > 0)
        graph_say(ask, "Over all types there is one of %s (types=[\"all\"]).\n",
                  graph_count_text(ask, over_all - 1, "step"));
    return 0;
}

/* How many of the links to other curricula leave the node, which all have the same id. */
static size_t count_outsides(const struct graph *graph, const char *id)
{
    size_t count = 0;

    for (size_t i = 0; i < graph->outside_count; i++)
        count += strcmp(graph->outsides[i].from, id) == 0;
    return count;
}

/* Each with the id of its relationship, by which it can be edited or deleted. */
static void add_outsides(struct graph_ask *ask)
{
    const struct graph *graph = ask->graph;
    const char *id = graph->nodes[ask->node].id;
    size_t count = count_outsides(graph, id), at = 0;
    struct graph_list list;

    if (count > 0)
        graph_say(ask, "Linked to other curricula (%zu):\n", count);
    graph_list_begin(&list, ask, "links", count);
    while (graph_list_row(&list)) {
        const struct graph_outside *link;

        while (strcmp(graph->outsides[at].from, id) != 0)
            at++;
        link = &graph->outsides[at++];
        graph_open(ask, NULL, '{');
        if (ask->data) {
            graph_put(ask, "id", (size_t)link->id);
            graph_put_text(ask, "relationship_type", link->type);
            graph_put_text(ask, "session_id", link->curriculum);
            graph_put_text(ask, "node_id", link->node);
            graph_put_text(ask, "title", link->title);
        } else {
            graph_text_add(ask->answer, link->type, GRAPH_TYPE_CAP, false);
            graph_say(ask, " ");
            graph_text_add(ask->answer, link->node, GRAPH_ID_CAP, false);
            graph_say(ask, " ");
            graph_text_add(ask->answer, link->title, GRAPH_TITLE_CAP, true);
            graph_say(ask, " of curriculum %s (relationship id %" PRId64 ")\n", link->curriculum,
                      link->id);
        }
        graph_close(ask, '}');
    }
}

static void add_side(struct graph_ask *ask, const char *head, const char *key,
                     const uint32_t *nodes, size_t count, bool arriving)
{
    static const struct graph_column columns[] = {
        {"node_id", GRAPH_COLUMN_NODE, "%"}, {"types", GRAPH_COLUMN_TYPES, " (%)"}, {0}};
    struct graph_list list;

    graph_say(ask, "%s: %zu\n", head, count);
    graph_list_begin(&list, ask, key, count);
    while (graph_list_row(&list)) {
        uint32_t other = nodes[list.shown - 1], node = ask->node;

        graph_row(
            &list, columns,
            (union graph_value[]){{.node = other},
                                  {.ends = {arriving ? other : node, arriving ? node : other}}});
    }
}

int graph_query_neighbours(struct graph_ask *ask, struct error *err)
{
    const struct graph_view *view = ask->view;
    size_t in = view->in_start[ask->node], out = view->out_start[ask->node];

    (void)err;
    graph_put_node(ask, "node_id", ask->node);
    graph_say(ask, "%s\n", graph_node_text(ask, ask->node));
    add_side(ask, "Directly before it", "before", view->in + in, view->in_start[ask->node + 1] - in,
             true);
    add_side(ask, "Directly after it", "after", view->out + out,
             view->out_start[ask->node + 1] - out, false);
    add_outsides(ask);
    return 0;
}
