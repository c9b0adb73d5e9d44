/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * counts: the size of the curriculum, how it is connected, and its defects.
 */
#include <stdlib.h>

#include "helpers/graph/igraph_guard.h"
#include "helpers/graph/ask.h"

#define TYPES_SHOWN  12u
#define STRAYS_SHOWN 3u

/* ---- computing ---- */

struct defects {
    size_t loops, repeats, untitled, bare, components;
    size_t linked; /* nodes with a link to another curriculum */
};

static int find_defects(const struct graph *graph, struct defects *found_defects, struct error *err)
{
    cleanup_free bool *is_linked = graph_alloc(graph->node_count, sizeof *is_linked, err);
    struct defects found = {0};

    if (!is_linked)
        return -1;
    for (size_t i = 0; i < graph->outside_count; i++) {
        uint32_t from = graph_node_by_id(graph, graph->outsides[i].from);

        if (from == GRAPH_NO_NODE || is_linked[from])
            continue;
        is_linked[from] = true;
        found.linked++;
    }

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
    *found_defects = found;
    return 0;
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

/* Returns the indices of the types, those with the most edges first; the caller frees them. */
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

static int find_pieces(struct graph_view *view, struct error *err)
{
    igraph_vector_int_t IGRAPH_GUARD_VECTOR_INT sizes = {0};
    struct graph_pieces pieces = {0};
    igraph_integer_t count;

    if (view->pieces.count > 0)
        return 0;
    if (igraph_guard_check(igraph_vector_int_init(&sizes, 0), "the pieces", err) < 0 ||
        igraph_guard_check(
            igraph_connected_components(&view->igraph, NULL, &sizes, &count, IGRAPH_WEAK),
            "the pieces", err) < 0)
        return -1;
    pieces.count = (size_t)count;
    for (igraph_integer_t i = 0; i < count; i++) {
        size_t size = (size_t)VECTOR(sizes)[i];

        pieces.largest = size > pieces.largest ? size : pieces.largest;
        pieces.isolated += size == 1;
    }
    view->pieces = pieces;
    return 0;
}

struct prerequisites {
    struct graph_view *view;
    const struct graph_order *order;
    size_t starts, ends;
};

static int find_prerequisites(struct graph_ask *ask, struct prerequisites *found, struct error *err)
{
    struct graph_view *view = graph_default_view(ask->graph, GRAPH_FOLLOWS_NEEDS, err);

    *found = (struct prerequisites){view, view ? graph_order_get(view, err) : NULL, 0, 0};
    if (!found->order)
        return -1;
    for (uint32_t v = 0; v < view->n; v++) {
        found->starts += !graph_has_in(view, v);
        found->ends += !graph_has_out(view, v);
    }
    return 0;
}

/* ---- as words ---- */

static void write_sizes(struct graph_ask *ask, const struct defects *found, const uint32_t *sorted)
{
    const struct graph *graph = ask->graph;

    graph_say(ask, "%s in %s, %s", graph_count_text(ask, graph->node_count, "node"),
              graph_count_text(ask, graph->group_count, "group"),
              graph_count_text(ask, found->components, "component"));
    if (found->bare > 0)
        graph_say(ask, " (%zu of the nodes without any)", found->bare);
    graph_say(ask, ".\n%s",
              graph_count_text(ask, graph->link_count + graph->stray_count, "relationship"));
    for (uint32_t i = 0; i < graph->type_count && i < TYPES_SHOWN; i++) {
        graph_say(ask, i > 0 ? ", " : ": ");
        graph_write_type(ask, sorted[i]);
        graph_say(ask, " %zu", graph->types[sorted[i]].edges);
    }
    if (graph->type_count > TYPES_SHOWN)
        graph_say(ask, " and %u more types", graph->type_count - TYPES_SHOWN);
    graph_say(ask, ".\n");
    if (graph->outside_count > 0)
        graph_say(ask, "%s to other curricula, from %s (query coverage).\n",
                  graph_count_text(ask, graph->outside_count, "link"),
                  graph_count_text(ask, found->linked, "node"));
}

static void write_defects(struct graph_ask *ask, const struct defects *found)
{
    const struct graph *graph = ask->graph;

    if (graph->stray_count > 0)
        graph_say(ask, "%s with a missing end: ",
                  graph_count_text(ask, graph->stray_count, "relationship"));
    for (size_t i = 0; i < graph->stray_count && i < STRAYS_SHOWN; i++) {
        graph_say(ask, i > 0 ? ", " : "");
        graph_text_add(ask->answer, graph->strays[i].from, GRAPH_ID_CAP, false);
        graph_say(ask, " -> ");
        graph_text_add(ask->answer, graph->strays[i].to, GRAPH_ID_CAP, false);
    }
    if (graph->stray_count > 0)
        graph_say(ask, graph->stray_count > STRAYS_SHOWN ? ", ….\n" : ".\n");
    if (found->loops > 0)
        graph_say(ask, "%s from a node to itself.\n",
                  graph_count_text(ask, found->loops, "relationship"));
    if (found->repeats > 0)
        graph_say(ask, "%s %s one of the same type.\n",
                  graph_count_text(ask, found->repeats, "relationship"),
                  found->repeats == 1 ? "repeats" : "repeat");
    if (found->untitled > 0)
        graph_say(ask, "%s without a title.\n", graph_count_text(ask, found->untitled, "node"));
    if (graph->repeated_ids > 0)
        graph_say(ask, "%s with an id in use; only the first of each id counts here.\n",
                  graph_count_text(ask, graph->repeated_ids, "further node"));
}

static void write_pieces(struct graph_ask *ask, const struct graph_pieces *pieces)
{
    graph_say(ask, "%s", graph_count_text(ask, pieces->count, "piece"));
    if (pieces->count > 1)
        graph_say(ask, ", the largest of %zu nodes", pieces->largest);
    graph_say(ask, "; %zu isolated. ", pieces->isolated);
    graph_scope(ask, ask->view);
}

static void write_prerequisites(struct graph_ask *ask, const struct prerequisites *found)
{
    const struct graph_order *order = found->order;

    graph_say(ask, "Prerequisites: %s, %s, ",
              graph_count_text(ask, found->starts, "starting point"),
              graph_count_text(ask, found->ends, "end point"));
    if (order->cycles > 0)
        graph_say(ask, "%s of %u nodes in all", graph_count_text(ask, order->cycles, "cycle group"),
                  order->in_cycle);
    else
        graph_say(ask, "no cycle");
    graph_say(ask, ", %u levels. ", order->levels);
    graph_scope(ask, found->view);
}

/* ---- as data ---- */

static void put_sizes(struct graph_ask *ask, const struct defects *found, const uint32_t *sorted)
{
    const struct graph *graph = ask->graph;
    struct graph_list list;

    graph_put(ask, "nodes", graph->node_count);
    graph_put(ask, "groups", graph->group_count);
    graph_put(ask, "components", found->components);
    graph_put(ask, "without_components", found->bare);
    graph_put(ask, "untitled", found->untitled);
    graph_put(ask, "repeated_ids", graph->repeated_ids);
    graph_put(ask, "relationships", graph->link_count + graph->stray_count);
    graph_put(ask, "to_itself", found->loops);
    graph_put(ask, "repeats", found->repeats);
    graph_put(ask, "links", graph->outside_count);
    graph_put(ask, "linked_nodes", found->linked);
    graph_list_begin(&list, ask, "by_type", graph->type_count);
    while (graph_list_row(&list)) {
        const struct graph_type *type = &graph->types[sorted[list.shown - 1]];

        graph_open(ask, NULL, '{');
        graph_put_text(ask, "relationship_type", type->name);
        graph_put(ask, "count", type->edges);
        graph_close(ask, '}');
    }
    graph_list_begin(&list, ask, "missing_end", graph->stray_count);
    while (graph_list_row(&list)) {
        const struct graph_stray *stray = &graph->strays[list.shown - 1];

        graph_open(ask, NULL, '{');
        graph_put_text(ask, "from_node_id", stray->from);
        graph_put_text(ask, "to_node_id", stray->to);
        graph_put_text(ask, "relationship_type", graph->types[stray->type].name);
        graph_close(ask, '}');
    }
}

static void put_pieces(struct graph_ask *ask, const struct graph_pieces *pieces)
{
    graph_put(ask, "pieces", pieces->count);
    graph_put(ask, "largest_piece", pieces->largest);
    graph_put(ask, "isolated", pieces->isolated);
}

static void put_prerequisites(struct graph_ask *ask, const struct prerequisites *found)
{
    graph_open(ask, "prerequisites", '{');
    graph_scope(ask, found->view);
    graph_put(ask, "starting_points", found->starts);
    graph_put(ask, "end_points", found->ends);
    graph_put(ask, "cycle_groups", found->order->cycles);
    graph_put(ask, "nodes_in_cycles", found->order->in_cycle);
    graph_put(ask, "levels", found->order->levels);
    graph_close(ask, '}');
}

/* The two forms have little in common here. */
int graph_query_counts(struct graph_ask *ask, struct error *err)
{
    bool own_types = ask->question->types && ask->question->types[0];
    cleanup_free uint32_t *sorted = sort_types(ask->graph, err);
    struct defects defects;
    struct prerequisites prerequisites;

    if (!sorted || find_defects(ask->graph, &defects, err) < 0 || find_pieces(ask->view, err) < 0)
        return -1;
    ask->no_scope = true;
    if (!ask->data) {
        write_sizes(ask, &defects, sorted);
        write_defects(ask, &defects);
        write_pieces(ask, &ask->view->pieces);
    } else {
        put_sizes(ask, &defects, sorted);
        put_pieces(ask, &ask->view->pieces);
    }
    if (own_types)
        return 0;
    if (find_prerequisites(ask, &prerequisites, err) < 0)
        return -1;
    (ask->data ? put_prerequisites : write_prerequisites)(ask, &prerequisites);
    return 0;
}
