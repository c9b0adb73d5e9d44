/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * outline: the curriculum at a glance, a line a group (chapter, section or type, as the store names
 * it) with its first nodes, or one node's group in full.
 */
#include "helpers/graph/data.h"
#include "helpers/graph/queries.h"
#include "helpers/graph/text.h"

/* ---- words ---- */

static void add_group_name(struct graph_ask *ask, const struct graph_group *group)
{
    if (graph_text_blank(group->name))
        buf_adds(ask->answer, "(no group)");
    else
        graph_text_add(ask->answer, group->name, GRAPH_TITLE_CAP, false);
}

static void add_group_head(struct graph_ask *ask, const struct graph_group *group)
{
    add_group_name(ask, group);
    buf_adds(ask->answer, ": ");
    graph_add_count(ask, group->nodes, "node");
    buf_adds(ask->answer, ", ");
    graph_add_count(ask, group->components, "component");
}

static void add_one_group(struct graph_ask *ask, uint32_t number)
{
    const struct graph *graph = ask->graph;
    struct graph_list list;
    uint32_t v = 0;

    add_group_head(ask, &graph->groups[number]);
    buf_addc(ask->answer, '\n');
    graph_list_begin(&list, ask, graph->groups[number].nodes);
    while (graph_list_row(&list)) {
        while (graph->nodes[v].group != number)
            v++;
        graph_add_node(ask, v);
        buf_addf(ask->answer, " (%zu)\n", graph->nodes[v++].components);
    }
    graph_list_end(&list);
}

/* ---- data ---- */

static void add_group_data(struct graph_ask *ask, uint32_t number, const uint32_t *nodes)
{
    const struct graph_group *group = &ask->graph->groups[number];
    struct graph_list list;

    graph_data_open(ask, NULL, '{');
    if (graph_text_blank(group->name))
        graph_data_null(ask, "name");
    else
        graph_data_text(ask, "name", group->name);
    graph_data_count(ask, "components", group->components);
    graph_data_part(&list, ask, "nodes", group->nodes);
    while (graph_list_row(&list)) {
        uint32_t v = nodes[list.shown - 1];

        graph_data_open(ask, NULL, '{');
        graph_data_node(ask, "node_id", v);
        graph_data_count(ask, "components", ask->graph->nodes[v].components);
        graph_data_close(ask, '}');
    }
    graph_data_list_end(&list);
    graph_data_close(ask, '}');
}

/* All groups, or the one. */
static void add_groups_data(struct graph_ask *ask, const uint32_t *nodes, const uint32_t *start)
{
    bool one = ask->node != GRAPH_NO_NODE;
    uint32_t first = one ? ask->graph->nodes[ask->node].group : 0;
    struct graph_list list;

    graph_data_list(&list, ask, "groups", one ? 1 : ask->graph->group_count);
    while (graph_list_row(&list)) {
        uint32_t g = first + (uint32_t)list.shown - 1;

        add_group_data(ask, g, nodes + start[g]);
    }
    graph_data_list_end(&list);
}

/* ---- both ---- */

/* Nodes by group, in their order; start[g] is where group g begins. */
static int sort_by_group(const struct graph *graph, uint32_t *nodes, uint32_t *start,
                         struct error *err)
{
    uint32_t GRAPH_AUTO *next = graph_alloc(graph->group_count, sizeof *next, err);

    if (!next)
        return -1;
    for (uint32_t g = 0; g < graph->group_count; g++) {
        next[g] = start[g];
        start[g + 1] = start[g] + graph->groups[g].nodes;
    }
    for (uint32_t v = 0; v < graph->node_count; v++)
        nodes[next[graph->nodes[v].group]++] = v;
    return 0;
}

static int add_all_groups(struct graph_ask *ask, struct error *err)
{
    const struct graph *graph = ask->graph;
    uint32_t GRAPH_AUTO *nodes = graph_alloc(graph->node_count, sizeof *nodes, err);
    uint32_t GRAPH_AUTO *start = graph_alloc((size_t)graph->group_count + 1, sizeof *start, err);
    struct graph_list list;
    size_t most;

    if (!nodes || !start)
        return -1;
    start[0] = 0;
    if (sort_by_group(graph, nodes, start, err) < 0)
        return -1;
    if (ask->data) {
        add_groups_data(ask, nodes, start);
        return 0;
    }
    /* The limit is shared out: many groups with a node or two each, or few with more. */
    most = graph->group_count > 0 ? ask->limit / graph->group_count : 0;
    if (ask->limit >= graph->node_count)
        most = graph->node_count;
    most = most > 0 ? most : 1;
    graph_list_begin(&list, ask, graph->group_count);
    while (graph_list_row(&list)) {
        size_t g = list.shown - 1;

        add_group_head(ask, &graph->groups[g]);
        buf_adds(ask->answer, ": ");
        graph_add_some(ask, nodes + start[g], graph->groups[g].nodes, most);
        buf_addc(ask->answer, '\n');
    }
    graph_list_end(&list);
    return 0;
}

int graph_query_outline(struct graph_ask *ask, struct error *err)
{
    const struct graph *graph = ask->graph;
    size_t components = 0;

    for (uint32_t g = 0; g < graph->group_count; g++)
        components += graph->groups[g].components;
    if (ask->data) {
        graph_data_count(ask, "node_count", graph->node_count);
        graph_data_count(ask, "component_count", components);
        return add_all_groups(ask, err);
    }
    if (ask->node != GRAPH_NO_NODE) {
        add_one_group(ask, graph->nodes[ask->node].group);
        return 0;
    }
    graph_add_count(ask, graph->node_count, "node");
    buf_adds(ask->answer, " in ");
    graph_add_count(ask, graph->group_count, "group");
    buf_adds(ask->answer, ", ");
    graph_add_count(ask, components, "component");
    buf_adds(ask->answer, ".\n");
    return add_all_groups(ask, err);
}
