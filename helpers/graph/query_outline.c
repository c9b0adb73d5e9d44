/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * outline: an overview of the curriculum, one line for each group (chapter, section or type, as
 * provided by the store) with its first nodes, or one node's group in full.
 */
#include "helpers/graph/ask.h"

static void write_group(struct graph_ask *ask, const struct graph_group *group,
                        const uint32_t *nodes)
{
    if (graph_text_blank(group->name))
        buf_adds(ask->answer, "(no group)");
    else
        graph_text_add(ask->answer, group->name, GRAPH_TITLE_CAP, false);
    graph_say(ask, ": %s, %s%s", graph_count_text(ask, group->nodes, "node"),
              graph_count_text(ask, group->components, "component"),
              graph_words_text(ask, nodes, group->nodes));
}

static void put_group(struct graph_ask *ask, const struct graph_group *group)
{
    if (graph_text_blank(group->name))
        graph_put_null(ask, "name");
    else
        graph_put_text(ask, "name", group->name);
    graph_put(ask, "components", group->components);
}

/* most: rows, or the question's limit. */
static void add_members(struct graph_ask *ask, const uint32_t *nodes, size_t count, size_t most)
{
    static const struct graph_column columns[] = {{"node_id", GRAPH_COLUMN_NODE, "%"},
                                                  {"components", GRAPH_COLUMN_COUNT, " (%)"},
                                                  {"words", GRAPH_COLUMN_WORDS, ", % words"},
                                                  {0}};
    struct graph_list list;

    graph_list_begin(&list, ask, "nodes", count);
    list.limit = most;
    while (graph_list_row(&list)) {
        uint32_t v = nodes[list.shown - 1];

        graph_row(&list, columns,
                  (union graph_value[]){{.node = v},
                                        {.count = ask->graph->nodes[v].components},
                                        {.count = ask->words ? ask->words[v] : 0}});
    }
}

/* Sorts nodes by group, otherwise in their order; start[g] is the beginning of group g. */
static int sort_by_group(const struct graph *graph, uint32_t *nodes, uint32_t *start,
                         struct error *err)
{
    cleanup_free uint32_t *next = graph_alloc(graph->group_count, sizeof *next, err);

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

/* Data contains all nodes of the groups, even for one group. */
static void add_groups(struct graph_ask *ask, const uint32_t *nodes, const uint32_t *start)
{
    const struct graph *graph = ask->graph;
    bool one = ask->node != GRAPH_NO_NODE;
    uint32_t first = one ? graph->nodes[ask->node].group : 0;
    struct graph_list list;
    size_t most;

    if (one && !ask->data) {
        write_group(ask, &graph->groups[first], nodes + start[first]);
        buf_addc(ask->answer, '\n');
        add_members(ask, nodes + start[first], graph->groups[first].nodes, ask->limit);
        return;
    }
    /* The limit is divided among the groups. */
    most = graph->group_count > 0 ? ask->limit / graph->group_count : 0;
    if (ask->limit >= graph->node_count)
        most = graph->node_count;
    most = most > 0 ? most : 1;
    graph_list_begin(&list, ask, "groups", one ? 1 : graph->group_count);
    while (graph_list_row(&list)) {
        size_t g = first + list.shown - 1;
        const struct graph_group *group = &graph->groups[g];

        if (ask->data) {
            graph_open(ask, NULL, '{');
            put_group(ask, group);
            graph_put_words(ask, nodes + start[g], group->nodes);
            add_members(ask, nodes + start[g], group->nodes, group->nodes);
            graph_close(ask, '}');
        } else {
            write_group(ask, group, nodes + start[g]);
            buf_adds(ask->answer, ": ");
            graph_some_nodes(ask, NULL, nodes + start[g], group->nodes, most);
        }
    }
}

int graph_query_outline(struct graph_ask *ask, struct error *err)
{
    const struct graph *graph = ask->graph;
    cleanup_free uint32_t *nodes = graph_alloc(graph->node_count, sizeof *nodes, err);
    cleanup_free uint32_t *start = graph_alloc((size_t)graph->group_count + 1, sizeof *start, err);
    size_t components = 0;

    if (!nodes || !start || sort_by_group(graph, nodes, start, err) < 0)
        return -1;
    for (uint32_t g = 0; g < graph->group_count; g++)
        components += graph->groups[g].components;
    graph_put(ask, "node_count", graph->node_count);
    graph_put(ask, "component_count", components);
    if (ask->node == GRAPH_NO_NODE)
        graph_say(ask, "%s in %s, %s%s.\n", graph_count_text(ask, graph->node_count, "node"),
                  graph_count_text(ask, graph->group_count, "group"),
                  graph_count_text(ask, components, "component"),
                  graph_words_text(ask, nodes, graph->node_count));
    graph_put_words(ask, nodes, graph->node_count);
    add_groups(ask, nodes, start);
    return 0;
}
