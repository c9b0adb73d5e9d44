/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * counts: how large the curriculum is, how it hangs together, and what is wrong with it.
 */
#include <stdlib.h>

#include "helpers/graph/igraph_guard.h"
#include "helpers/graph/order.h"
#include "helpers/graph/queries.h"
#include "helpers/graph/text.h"

#define TYPES_SHOWN  12u
#define STRAYS_SHOWN 3u

/* ---- what there is ---- */

static void add_sizes(struct graph_ask *ask)
{
    const struct graph *graph = ask->graph;
    size_t components = 0, bare = 0;

    for (uint32_t v = 0; v < graph->node_count; v++) {
        components += graph->nodes[v].components;
        bare += graph->nodes[v].components == 0;
    }
    graph_add_count(ask, graph->node_count, "node");
    buf_adds(ask->answer, " in ");
    graph_add_count(ask, graph->group_count, "group");
    buf_adds(ask->answer, ", ");
    graph_add_count(ask, components, "component");
    if (bare > 0)
        buf_addf(ask->answer, " (%zu of the nodes without any)", bare);
    buf_adds(ask->answer, ".\n");
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

static int add_types(struct graph_ask *ask, struct error *err)
{
    const struct graph *graph = ask->graph;
    uint32_t GRAPH_AUTO *sorted = graph_alloc(graph->type_count, sizeof *sorted, err);

    if (!sorted)
        return -1;
    for (uint32_t i = 0; i < graph->type_count; i++)
        sorted[i] = i;
    qsort_r(sorted, graph->type_count, sizeof *sorted, compare_by_edges, graph->types);
    graph_add_count(ask, graph->link_count + graph->stray_count, "relationship");
    for (uint32_t i = 0; i < graph->type_count && i < TYPES_SHOWN; i++) {
        buf_adds(ask->answer, i > 0 ? ", " : ": ");
        graph_add_type(ask, sorted[i]);
        buf_addf(ask->answer, " %zu", graph->types[sorted[i]].edges);
    }
    if (graph->type_count > TYPES_SHOWN)
        buf_addf(ask->answer, " and %u more types", graph->type_count - TYPES_SHOWN);
    buf_adds(ask->answer, ".\n");
    return 0;
}

/* ---- what is wrong ---- */

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

static void add_repeats(struct graph_ask *ask)
{
    const struct graph *graph = ask->graph;
    size_t repeats = 0, loops = 0, untitled = 0;

    for (size_t i = 0; i < graph->link_count; i++) {
        const struct graph_link *link = &graph->links[i];

        loops += link->from == link->to;
        repeats += i > 0 && link->from == link[-1].from && link->to == link[-1].to &&
                   link->type == link[-1].type;
    }
    for (uint32_t v = 0; v < graph->node_count; v++)
        untitled += graph_text_blank(graph->nodes[v].title);
    if (loops > 0) {
        graph_add_count(ask, loops, "relationship");
        buf_adds(ask->answer, " from a node to itself.\n");
    }
    if (repeats > 0) {
        graph_add_count(ask, repeats, "relationship");
        buf_adds(ask->answer, repeats == 1 ? " repeats" : " repeat");
        buf_adds(ask->answer, " one of the same type.\n");
    }
    if (untitled > 0) {
        graph_add_count(ask, untitled, "node");
        buf_adds(ask->answer, " without a title.\n");
    }
    if (graph->repeated_ids > 0) {
        graph_add_count(ask, graph->repeated_ids, "further node");
        buf_adds(ask->answer, " with an id in use; only the first of each id counts here.\n");
    }
}

/* ---- how it hangs together ---- */

static int add_pieces(struct graph_ask *ask, struct error *err)
{
    igraph_vector_int_t IGRAPH_GUARD_VECTOR_INT sizes = {0};
    igraph_integer_t count = 0, largest = 0, isolated = 0;

    if (igraph_guard_check(igraph_vector_int_init(&sizes, 0), "the pieces", err) < 0 ||
        igraph_guard_check(
            igraph_connected_components(&ask->view->igraph, NULL, &sizes, &count, IGRAPH_WEAK),
            "the pieces", err) < 0)
        return -1;
    for (igraph_integer_t i = 0; i < count; i++) {
        largest = VECTOR(sizes)[i] > largest ? VECTOR(sizes)[i] : largest;
        isolated += VECTOR(sizes)[i] == 1;
    }
    graph_add_count(ask, (size_t)count, "piece");
    if (count > 1)
        buf_addf(ask->answer, ", the largest of %ld nodes", (long)largest);
    buf_addf(ask->answer, "; %ld isolated. ", (long)isolated);
    graph_add_scope(ask, ask->view);
    return 0;
}

static int add_prerequisites(struct graph_ask *ask, struct error *err)
{
    bool GRAPH_AUTO *follows = graph_alloc(ask->graph->type_count, sizeof *follows, err);
    const struct graph_order *order;
    struct graph_view *view;
    size_t starts = 0, ends = 0;

    if (!follows)
        return -1;
    graph_default_types(ask->graph, GRAPH_FOLLOWS_PREREQUISITES, follows);
    view = graph_view_get(ask->graph, follows, err);
    order = view ? graph_order_get(view, ask->cancel, err) : NULL;
    if (!order)
        return -1;
    for (uint32_t v = 0; v < view->n; v++) {
        starts += view->in_start[v] == view->in_start[v + 1];
        ends += view->out_start[v] == view->out_start[v + 1];
    }
    buf_adds(ask->answer, "Prerequisites: ");
    graph_add_count(ask, starts, "starting point");
    buf_adds(ask->answer, ", ");
    graph_add_count(ask, ends, "end point");
    if (order->cycles > 0) {
        buf_adds(ask->answer, ", ");
        graph_add_count(ask, order->cycles, "cycle group");
        buf_addf(ask->answer, " of %u nodes in all", order->in_cycle);
    } else {
        buf_adds(ask->answer, ", no cycle");
    }
    buf_addf(ask->answer, ", %u levels. ", order->levels);
    graph_add_scope(ask, view);
    return 0;
}

int graph_query_counts(struct graph_ask *ask, struct error *err)
{
    ask->no_scope = true;
    add_sizes(ask);
    if (add_types(ask, err) < 0)
        return -1;
    add_strays(ask);
    add_repeats(ask);
    if (add_pieces(ask, err) < 0)
        return -1;
    return ask->question->types && ask->question->types[0] ? 0 : add_prerequisites(ask, err);
}
