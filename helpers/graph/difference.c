/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Compares two graphs: new cycles, what is cut off, what is downstream of the changes. See the
 * header.
 */
#include "helpers/graph/difference.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/graph/ask.h"
#include "helpers/graph/igraph_guard.h"
#include "helpers/graph/view.h"

#define STEPS_BUDGET                                                                               \
    50000000u /* nodes and edges visited for all new cycles; takes less than a second */

struct graph_side {
    struct graph *graph;
    struct graph_view *needs, *ways, *all;
    uint32_t *twin; /* node -> the same node in the other graph, or GRAPH_NO_NODE; owned */
};

struct graph_comparison {
    struct graph_side before, after;
    struct graph_difference *difference;
};

static struct graph_node_name name_of(const struct graph_side *side, uint32_t node)
{
    const struct graph_vertex *vertex = &side->graph->nodes[node];

    return (struct graph_node_name){vertex->id, vertex->title};
}

/* ---- new cycles ----
 *
 * A cycle is new if it contains a pair of nodes that was not connected before. Both ends of such a
 * pair are then in one strong component, and a shortest path back from its end to its start closes
 * a shortest cycle through it. */

struct cycles {
    const struct graph_comparison *comparison;
    const struct graph_order *order;
    uint32_t *path; /* room for all nodes */
    uint64_t steps;
};

static bool was_joined(const struct graph_comparison *comparison, uint32_t from, uint32_t to)
{
    const struct graph_view *view = comparison->before.needs;
    uint32_t old_from = comparison->after.twin[from], old_to = comparison->after.twin[to];

    if (old_from == GRAPH_NO_NODE || old_to == GRAPH_NO_NODE)
        return false;
    for (size_t i = view->out_start[old_from]; i < view->out_start[old_from + 1]; i++) {
        if (view->out[i] == old_to)
            return true;
    }
    return false;
}

/* Writes the cycle of the path, with names from the graph after the change. It begins at the node
 * that is first in the curriculum, whichever edge it was found by. */
static void name_cycle(const struct cycles *cycles, uint32_t count, struct graph_node_name *names)
{
    const uint32_t *path = cycles->path;
    uint32_t first = 0;

    for (uint32_t i = 1; i < count; i++)
        first = path[i] < path[first] ? i : first;
    for (uint32_t i = 0; i < count; i++)
        names[i] = name_of(&cycles->comparison->after, path[(first + i) % count]);
}

static bool is_kept(const struct graph_difference *difference, const struct graph_node_name *names,
                    uint32_t count)
{
    for (size_t i = 0; i < difference->cycle_count; i++) {
        if (difference->cycles[i].count == count &&
            memcmp(difference->cycles[i].nodes, names, count * sizeof *names) == 0)
            return true;
    }
    return false;
}

static int keep(struct cycles *cycles, uint32_t count, struct error *err)
{
    struct graph_difference *difference = cycles->comparison->difference;
    cleanup_free struct graph_node_name *names = graph_alloc(count, sizeof *names, err);

    if (!names)
        return -1;
    name_cycle(cycles, count, names);
    if (is_kept(difference, names, count))
        return 0;
    difference->cycles[difference->cycle_count++] =
        (struct graph_new_cycle){steal_pointer(&names), count};
    difference->cycles_total++;
    return 0;
}

static int look_at(struct cycles *cycles, uint32_t from, uint32_t to, struct error *err)
{
    const struct graph_view *view = cycles->comparison->after.needs;
    struct graph_difference *difference = cycles->comparison->difference;
    uint32_t count;

    if (cycles->order->of[from] != cycles->order->of[to] ||
        was_joined(cycles->comparison, from, to))
        return 0;
    if (difference->cycle_count == GRAPH_NEW_CYCLES_CAP || cycles->steps > STEPS_BUDGET) {
        difference->cycles_total++;
        return 0;
    }
    cycles->steps += view->n + view->m;
    if (igraph_guard_wanted(err) < 0 ||
        graph_reach_path(view, to, from, cycles->path, &count, err) < 0)
        return -1;
    return keep(cycles, count, err);
}

static int compare_cycles(struct graph_comparison *comparison, struct error *err)
{
    struct graph_view *view = comparison->after.needs;
    cleanup_free uint32_t *path = graph_alloc(view->n, sizeof *path, err);
    struct cycles cycles = {.comparison = comparison, .path = path};
    int rc = 0;

    cycles.order = path ? graph_order_get(view, err) : NULL;
    if (!cycles.order)
        return -1;
    for (uint32_t v = 0; rc == 0 && v < view->n; v++) {
        for (size_t i = view->out_start[v]; rc == 0 && i < view->out_start[v + 1]; i++)
            rc = look_at(&cycles, v, view->out[i], err);
    }
    return rc;
}

/* ---- breadth-first searches from many nodes at once, O(n + m) ---- */

struct difference_search {
    const struct graph_side *side;
    bool *seen;
    uint32_t *queue;
    size_t count;
};

static int search_begin(struct difference_search *search, const struct graph_side *side,
                        struct error *err)
{
    *search = (struct difference_search){.side = side};
    search->seen = graph_alloc(side->graph->node_count, sizeof *search->seen, err);
    search->queue = graph_alloc(side->graph->node_count, sizeof *search->queue, err);
    return search->seen && search->queue ? 0 : -1;
}

static void search_finish(struct difference_search *search)
{
    free(search->seen);
    free(search->queue);
}

#define SEARCH_AUTO __attribute__((cleanup(search_finish)))

static void search_from(struct difference_search *search, uint32_t node)
{
    if (search->seen[node])
        return;
    search->seen[node] = true;
    search->queue[search->count++] = node;
}

/* ---- cut off ---- */

/* Starting points. Before the change: nodes that no way leads to. After it: the previous starting
 * points, even if a way leads to them now, and new nodes that no way leads to. A node that has lost
 * its last incoming way is not a starting point. */
static void search_from_beginnings(struct difference_search *search,
                                   const struct graph_side *earlier)
{
    const struct graph_side *side = search->side;

    for (uint32_t v = 0; v < side->graph->node_count; v++) {
        uint32_t old = earlier ? side->twin[v] : GRAPH_NO_NODE;

        if (old == GRAPH_NO_NODE ? !graph_has_in(side->ways, v) : !graph_has_in(earlier->ways, old))
            search_from(search, v);
    }
    graph_reach_many(search->side->ways, search->seen, search->queue, search->count);
}

static bool is_alone(const struct graph_view *view, uint32_t v)
{
    return !graph_has_in(view, v) && !graph_has_out(view, v);
}

static int compare_cut_off(struct graph_comparison *comparison, struct error *err)
{
    const struct graph_side *before = &comparison->before, *after = &comparison->after;
    struct graph_difference *difference = comparison->difference;
    struct difference_search SEARCH_AUTO was = {0}, SEARCH_AUTO is = {0};

    difference->cut_off = graph_alloc(after->graph->node_count, sizeof *difference->cut_off, err);
    if (!difference->cut_off || search_begin(&was, before, err) < 0 ||
        search_begin(&is, after, err) < 0)
        return -1;
    search_from_beginnings(&was, NULL);
    search_from_beginnings(&is, before);
    for (uint32_t v = 0; v < after->graph->node_count; v++) {
        uint32_t old = after->twin[v];
        enum graph_cut why = graph_has_in(after->ways, v) ? GRAPH_CUT_BEHIND : GRAPH_CUT_NO_WAY;

        if (old == GRAPH_NO_NODE)
            continue;
        if (!is_alone(before->all, old) && is_alone(after->all, v))
            why = GRAPH_CUT_ALONE;
        else if (!graph_has_in(before->ways, old) || !was.seen[old] || is.seen[v])
            continue;
        difference->cut_off[difference->cut_off_count++] =
            (struct graph_cut_off){name_of(after, v), why};
    }
    return 0;
}

/* ---- downstream ---- */

/* Whether the other graph has an edge of the same type between the same two nodes. */
static bool has_twin(const struct graph_side *side, const struct graph_side *other,
                     const struct graph_link *link)
{
    uint32_t from = side->twin[link->from], to = side->twin[link->to];
    const char *type = side->graph->types[link->type].name;
    const struct graph_link *links;
    size_t count;

    if (from == GRAPH_NO_NODE || to == GRAPH_NO_NODE)
        return false;
    links = graph_links_between(other->graph, from, to, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(other->graph->types[links[i].type].name, type) == 0)
            return true;
    }
    return false;
}

/* Starts at the ends of the edges, and after the nodes, that differ in the other graph. */
static void search_from_changes(struct difference_search *search, const struct graph_side *other)
{
    const struct graph_side *side = search->side;
    const struct graph_view *ways = side->ways;

    for (size_t i = 0; i < side->graph->link_count; i++) {
        const struct graph_link *link = &side->graph->links[i];

        if (ways->follows[link->type] && link->from != link->to && !has_twin(side, other, link))
            search_from(search, link->to);
    }
    for (uint32_t v = 0; v < side->graph->node_count; v++) {
        uint32_t twin = side->twin[v];

        if (twin != GRAPH_NO_NODE &&
            strcmp(side->graph->nodes[v].title, other->graph->nodes[twin].title) == 0)
            continue;
        for (size_t i = ways->out_start[v]; i < ways->out_start[v + 1]; i++)
            search_from(search, ways->out[i]);
    }
    graph_reach_many(search->side->ways, search->seen, search->queue, search->count);
}

static int compare_downstream(struct graph_comparison *comparison, struct error *err)
{
    const struct graph_side *before = &comparison->before, *after = &comparison->after;
    struct graph_difference *difference = comparison->difference;
    struct difference_search SEARCH_AUTO was = {0}, SEARCH_AUTO is = {0};

    difference->downstream =
        graph_alloc(after->graph->node_count, sizeof *difference->downstream, err);
    if (!difference->downstream || search_begin(&was, before, err) < 0 ||
        search_begin(&is, after, err) < 0)
        return -1;
    search_from_changes(&was, after);
    search_from_changes(&is, before);
    for (uint32_t v = 0; v < after->graph->node_count; v++) {
        uint32_t old = after->twin[v];

        if (old != GRAPH_NO_NODE && (is.seen[v] || was.seen[old]))
            difference->downstream[difference->downstream_count++] = name_of(after, v);
    }
    return 0;
}

/* ---- the whole ---- */

static int fill_side(struct graph_side *side, const struct graph *other, struct error *err)
{
    struct graph *graph = side->graph;

    side->twin = graph_alloc(graph->node_count, sizeof *side->twin, err);
    if (!side->twin)
        return -1;
    for (uint32_t v = 0; v < graph->node_count; v++)
        side->twin[v] = graph_node_by_id(other, graph->nodes[v].id);
    side->needs = graph_default_view(graph, GRAPH_FOLLOWS_PREREQUISITES, err);
    side->ways = side->needs ? graph_default_view(graph, GRAPH_FOLLOWS_PATHS, err) : NULL;
    side->all = side->ways ? graph_default_view(graph, GRAPH_FOLLOWS_ALL, err) : NULL;
    return side->all ? 0 : -1;
}

static int measure_chain(const struct graph_side *side, size_t *steps, struct error *err)
{
    const struct graph_order *order = graph_order_get(side->needs, err);

    if (!order)
        return -1;
    *steps = order->levels > 0 ? order->levels - 1 : 0;
    return 0;
}

static int compare(struct graph_comparison *comparison, struct error *err)
{
    struct graph_side *before = &comparison->before, *after = &comparison->after;

    if (fill_side(before, after->graph, err) < 0 || fill_side(after, before->graph, err) < 0 ||
        measure_chain(before, &comparison->difference->chain_before, err) < 0 ||
        measure_chain(after, &comparison->difference->chain_after, err) < 0 ||
        compare_cycles(comparison, err) < 0 || compare_cut_off(comparison, err) < 0)
        return -1;
    return compare_downstream(comparison, err);
}

int graph_difference(struct graph *before, struct graph *after, const struct graph_bounds *bounds,
                     struct graph_difference *difference, struct error *err)
{
    struct graph_comparison comparison = {
        .before.graph = before, .after.graph = after, .difference = difference};
    int rc;

    memset(difference, 0, sizeof *difference);
    if (igraph_guard_begin(bounds) > 0)
        return error_set(err, ERROR_BUSY, "other questions about graphs are being answered");
    graph_asking_begin(before);
    graph_asking_begin(after);
    rc = compare(&comparison, err);
    graph_asking_end(before);
    graph_asking_end(after);
    igraph_guard_end();
    free(comparison.before.twin);
    free(comparison.after.twin);
    if (rc < 0)
        graph_difference_finish(difference);
    return rc;
}

void graph_difference_finish(struct graph_difference *difference)
{
    for (size_t i = 0; i < difference->cycle_count; i++)
        free(difference->cycles[i].nodes);
    free(difference->cut_off);
    free(difference->downstream);
    memset(difference, 0, sizeof *difference);
}
