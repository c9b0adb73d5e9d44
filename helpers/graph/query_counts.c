/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * counts: how large the curriculum is, how it hangs together, and what is wrong with it.
 */
#include <stdlib.h>

#include "helpers/graph/data.h"
#include "helpers/graph/igraph_guard.h"
#include "helpers/graph/order.h"
#include "helpers/graph/queries.h"
#include "helpers/graph/text.h"

#define TYPES_SHOWN  12u
#define STRAYS_SHOWN 3u

/* ---- what is found out ---- */

struct defects {
    size_t loops, repeats, untitled, bare, components;
};

static struct defects find_defects(const struct graph *graph)
{
    struct defects found = {0};

    for (size_t i = 0; i < graph->link_count; i++) {
        const struct graph_link *link = &graph->links[i];

        found.loops += link->from == link->to;
        found.repeats += i > 0 && link->from == link[-1].from && link->to == link[-1].to &&
                         link->type == link[-1].type;
    }
    for (uint32_t v = 0; v < graph->node_count; v++) {
        found.untitled += graph_text_blank(graph->nodes[v].title);
        found.components += graph->nodes[v].components;
        found.bare += graph->nodes[v].components == 0;
    }
    return found;
}

/* The types themselves are sorted by name. */
static int compare_by_edges(const void *a, const void *b, void *types_arg)
{
    const struct graph_type *types = types_arg;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    if (types[left].edges != types[right].edges)
        return types[left].edges > types[right].edges ? -1 : 1;
    return left < right ? -1 : left > right;
}

/* The places of the types, those with the most edges first; to be freed. */
static uint32_t *sort_types(const struct graph *graph, struct error *err)
{
    uint32_t *sorted = graph_alloc(graph->type_count, sizeof *sorted, err);

    if (!sorted)
        return NULL;
    for (uint32_t i = 0; i < graph->type_count; i++)
        sorted[i] = i;
    qsort_r(sorted, graph->type_count, sizeof *sorted, compare_by_edges, graph->types);
    return sorted;
}

struct pieces {
    igraph_integer_t count, largest, isolated;
};

static int find_pieces(const struct graph_view *view, struct pieces *pieces, struct error *err)
{
    igraph_vector_int_t IGRAPH_GUARD_VECTOR_INT sizes = {0};

    *pieces = (struct pieces){0};
    if (igraph_guard_check(igraph_vector_int_init(&sizes, 0), "the pieces", err) < 0 ||
        igraph_guard_check(
            igraph_connected_components(&view->igraph, NULL, &sizes, &pieces->count, IGRAPH_WEAK),
            "the pieces", err) < 0)
        return -1;
    for (igraph_integer_t i = 0; i < pieces->count; i++) {
        igraph_integer_t size = VECTOR(sizes)[i];

        pieces->largest = size > pieces->largest ? size : pieces->largest;
        pieces->isolated += size == 1;
    }
    return 0;
}

struct prerequisites {
    struct graph_view *view;
    const struct graph_order *order;
    size_t starts, ends;
};

static int find_prerequisites(struct graph_ask *ask, struct prerequisites *found, struct error *err)
{
    bool GRAPH_AUTO *follows = graph_alloc(ask->graph->type_count, sizeof *follows, err);
    struct graph_view *view;

    if (!follows)
        return -1;
    graph_default_types(ask->graph, GRAPH_FOLLOWS_PREREQUISITES, follows);
    view = graph_view_get(ask->graph, follows, err);
    *found = (struct prerequisites){view, view ? graph_order_get(view, err) : NULL, 0, 0};
    if (!found->order)
        return -1;
    for (uint32_t v = 0; v < view->n; v++) {
        found->starts += view->in_start[v] == view->in_start[v + 1];
        found->ends += view->out_start[v] == view->out_start[v + 1];
    }
    return 0;
}

/* ---- as words ---- */

static void add_sizes(struct graph_ask *ask, const struct defects *found)
{
    graph_add_count(ask, ask->graph->node_count, "node");
    buf_adds(ask->answer, " in ");
    graph_add_count(ask, ask->graph->group_count, "group");
    buf_adds(ask->answer, ", ");
    graph_add_count(ask, found->components, "component");
    if (found->bare > 0)
        buf_addf(ask->answer, " (%zu of the nodes without any)", found->bare);
    buf_adds(ask->answer, ".\n");
}

static void add_types(struct graph_ask *ask, const uint32_t *sorted)
{
    const struct graph *graph = ask->graph;

    graph_add_count(ask, graph->link_count + graph->stray_count, "relationship");
    for (uint32_t i = 0; i < graph->type_count && i < TYPES_SHOWN; i++) {
        buf_adds(ask->answer, i > 0 ? ", " : ": ");
        graph_add_type(ask, sorted[i]);
        buf_addf(ask->answer, " %zu", graph->types[sorted[i]].edges);
    }
    if (graph->type_count > TYPES_SHOWN)
        buf_addf(ask->answer, " and %u more types", graph->type_count - TYPES_SHOWN);
    buf_adds(ask->answer, ".\n");
}

static void add_strays(struct graph_ask *ask)
{
    const struct graph *graph = ask->graph;

    if (graph->stray_count == 0)
        return;
    graph_add_count(ask, graph->stray_count, "relationship");
    buf_adds(ask->answer, " with a missing end: ");
    for (size_t i = 0; i < graph->stray_count && i < STRAYS_SHOWN; i++) {
        buf_adds(ask->answer, i > 0 ? ", " : "");
        graph_text_add(ask->answer, graph->strays[i].from, GRAPH_ID_CAP, false);
        buf_adds(ask->answer, " -> ");
        graph_text_add(ask->answer, graph->strays[i].to, GRAPH_ID_CAP, false);
    }
    buf_adds(ask->answer, graph->stray_count > STRAYS_SHOWN ? ", ….\n" : ".\n");
}

static void add_defects(struct graph_ask *ask, const struct defects *found)
{
    if (found->loops > 0) {
        graph_add_count(ask, found->loops, "relationship");
        buf_adds(ask->answer, " from a node to itself.\n");
    }
    if (found->repeats > 0) {
        graph_add_count(ask, found->repeats, "relationship");
        buf_adds(ask->answer, found->repeats == 1 ? " repeats" : " repeat");
        buf_adds(ask->answer, " one of the same type.\n");
    }
    if (found->untitled > 0) {
        graph_add_count(ask, found->untitled, "node");
        buf_adds(ask->answer, " without a title.\n");
    }
    if (ask->graph->repeated_ids > 0) {
        graph_add_count(ask, ask->graph->repeated_ids, "further node");
        buf_adds(ask->answer, " with an id in use; only the first of each id counts here.\n");
    }
}

static void add_pieces(struct graph_ask *ask, const struct pieces *pieces)
{
    graph_add_count(ask, (size_t)pieces->count, "piece");
    if (pieces->count > 1)
        buf_addf(ask->answer, ", the largest of %ld nodes", (long)pieces->largest);
    buf_addf(ask->answer, "; %ld isolated. ", (long)pieces->isolated);
    graph_add_scope(ask, ask->view);
}

static void add_prerequisites(struct graph_ask *ask, const struct prerequisites *found)
{
    const struct graph_order *order = found->order;

    buf_adds(ask->answer, "Prerequisites: ");
    graph_add_count(ask, found->starts, "starting point");
    buf_adds(ask->answer, ", ");
    graph_add_count(ask, found->ends, "end point");
    if (order->cycles > 0) {
        buf_adds(ask->answer, ", ");
        graph_add_count(ask, order->cycles, "cycle group");
        buf_addf(ask->answer, " of %u nodes in all", order->in_cycle);
    } else {
        buf_adds(ask->answer, ", no cycle");
    }
    buf_addf(ask->answer, ", %u levels. ", order->levels);
    graph_add_scope(ask, found->view);
}

/* ---- as data ---- */

static void add_sizes_data(struct graph_ask *ask, const struct defects *found,
                           const uint32_t *sorted)
{
    const struct graph *graph = ask->graph;
    struct graph_list list;

    graph_data_count(ask, "nodes", graph->node_count);
    graph_data_count(ask, "groups", graph->group_count);
    graph_data_count(ask, "components", found->components);
    graph_data_count(ask, "without_components", found->bare);
    graph_data_count(ask, "untitled", found->untitled);
    graph_data_count(ask, "repeated_ids", graph->repeated_ids);
    graph_data_count(ask, "relationships", graph->link_count + graph->stray_count);
    graph_data_count(ask, "to_itself", found->loops);
    graph_data_count(ask, "repeats", found->repeats);
    graph_data_list(&list, ask, "by_type", graph->type_count);
    while (graph_list_row(&list)) {
        const struct graph_type *type = &graph->types[sorted[list.shown - 1]];

        graph_data_open(ask, NULL, '{');
        graph_data_text(ask, "relationship_type", type->name);
        graph_data_count(ask, "count", type->edges);
        graph_data_close(ask, '}');
    }
    graph_data_list_end(&list);
}

static void add_strays_data(struct graph_ask *ask)
{
    struct graph_list list;

    graph_data_list(&list, ask, "missing_end", ask->graph->stray_count);
    while (graph_list_row(&list)) {
        const struct graph_stray *stray = &ask->graph->strays[list.shown - 1];

        graph_data_open(ask, NULL, '{');
        graph_data_text(ask, "from_node_id", stray->from);
        graph_data_text(ask, "to_node_id", stray->to);
        graph_data_text(ask, "relationship_type", ask->graph->types[stray->type].name);
        graph_data_close(ask, '}');
    }
    graph_data_list_end(&list);
}

static void add_pieces_data(struct graph_ask *ask, const struct pieces *pieces)
{
    graph_data_count(ask, "pieces", (size_t)pieces->count);
    graph_data_count(ask, "largest_piece", (size_t)pieces->largest);
    graph_data_count(ask, "isolated", (size_t)pieces->isolated);
}

static void add_prerequisites_data(struct graph_ask *ask, const struct prerequisites *found)
{
    graph_data_open(ask, "prerequisites", '{');
    graph_data_scope(ask, found->view);
    graph_data_count(ask, "starting_points", found->starts);
    graph_data_count(ask, "end_points", found->ends);
    graph_data_count(ask, "cycle_groups", found->order->cycles);
    graph_data_count(ask, "nodes_in_cycles", found->order->in_cycle);
    graph_data_count(ask, "levels", found->order->levels);
    graph_data_close(ask, '}');
}

int graph_query_counts(struct graph_ask *ask, struct error *err)
{
    bool own_types = ask->question->types && ask->question->types[0];
    uint32_t GRAPH_AUTO *sorted = sort_types(ask->graph, err);
    struct defects defects = find_defects(ask->graph);
    struct prerequisites prerequisites;
    struct pieces pieces;

    if (!sorted || find_pieces(ask->view, &pieces, err) < 0)
        return -1;
    if (ask->data) {
        add_sizes_data(ask, &defects, sorted);
        add_strays_data(ask);
        add_pieces_data(ask, &pieces);
    } else {
        ask->no_scope = true;
        add_sizes(ask, &defects);
        add_types(ask, sorted);
        add_strays(ask);
        add_defects(ask, &defects);
        add_pieces(ask, &pieces);
    }
    if (own_types)
        return 0;
    if (find_prerequisites(ask, &prerequisites, err) < 0)
        return -1;
    (ask->data ? add_prerequisites_data : add_prerequisites)(ask, &prerequisites);
    return 0;
}
