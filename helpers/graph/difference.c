/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Puts two graphs side by side and has each answer found. See the header.
 */
#include "helpers/graph/difference.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/graph/compare.h"
#include "helpers/graph/igraph_guard.h"
#include "helpers/graph/order.h"

struct graph_name graph_name_of(const struct graph_side *side, uint32_t node)
{
    const struct graph_vertex *vertex = &side->graph->nodes[node];

    return (struct graph_name){vertex->id, vertex->title};
}

void graph_spread(const struct graph_view *view, bool *seen, uint32_t *queue, size_t count)
{
    for (size_t head = 0; head < count; head++) {
        uint32_t v = queue[head];

        for (size_t i = view->out_start[v]; i < view->out_start[v + 1]; i++) {
            if (!seen[view->out[i]]) {
                seen[view->out[i]] = true;
                queue[count++] = view->out[i];
            }
        }
    }
}

static struct graph_view *view_over(struct graph *graph, enum graph_follows which,
                                    struct error *err)
{
    bool GRAPH_AUTO *follows = graph_alloc(graph->type_count, sizeof *follows, err);

    if (!follows)
        return NULL;
    graph_default_types(graph, which, follows);
    return graph_view_get(graph, follows, err);
}

static int fill_side(struct graph_side *side, const struct graph *other, struct error *err)
{
    struct graph *graph = side->graph;

    side->twin = graph_alloc(graph->node_count, sizeof *side->twin, err);
    if (!side->twin)
        return -1;
    for (uint32_t v = 0; v < graph->node_count; v++)
        side->twin[v] = graph_node_by_id(other, graph->nodes[v].id);
    side->needs = view_over(graph, GRAPH_FOLLOWS_PREREQUISITES, err);
    side->ways = side->needs ? view_over(graph, GRAPH_FOLLOWS_PATHS, err) : NULL;
    side->all = side->ways ? view_over(graph, GRAPH_FOLLOWS_ALL, err) : NULL;
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
        graph_compare_cycles(comparison, err) < 0 || graph_compare_cut_off(comparison, err) < 0)
        return -1;
    return graph_compare_downstream(comparison, err);
}

int graph_difference(struct graph *before, struct graph *after, const struct graph_bounds *bounds,
                     struct graph_difference *difference, struct error *err)
{
    struct graph_comparison comparison = {
        .before.graph = before, .after.graph = after, .difference = difference};
    int rc;

    memset(difference, 0, sizeof *difference);
    igraph_guard_begin(bounds);
    rc = compare(&comparison, err);
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
