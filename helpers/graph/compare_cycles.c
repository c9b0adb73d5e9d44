/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cycles of needs that were not there before. A cycle is new where it runs over a pair of nodes
 * that was not joined before; both ends of such a pair lie in one strong component then, and a
 * shortest way back from its end to its start closes a shortest cycle through it.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/graph/compare.h"
#include "helpers/graph/igraph_guard.h"
#include "helpers/graph/order.h"
#include "helpers/graph/reach.h"

#define STEPS_BUDGET 50000000u /* nodes and edges looked at in all searches, below a second */

struct cycles {
    const struct graph_comparison *comparison;
    const struct graph_order *order;
    uint32_t *path;                       /* room for all nodes */
    uint32_t *kept[GRAPH_NEW_CYCLES_CAP]; /* those found, as places; owned */
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

/* The same cycle begins at the same node, whichever of its edges it was found by. */
static void turn_to_first(uint32_t *path, uint32_t *turned, uint32_t count)
{
    uint32_t first = 0;

    for (uint32_t i = 1; i < count; i++)
        first = path[i] < path[first] ? i : first;
    for (uint32_t i = 0; i < count; i++)
        turned[i] = path[(first + i) % count];
}

static bool is_same(const uint32_t *path, const uint32_t *other, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (path[i] != other[i])
            return false;
    return true;
}

static bool is_kept(const struct cycles *cycles, const uint32_t *cycle, uint32_t count)
{
    const struct graph_difference *difference = cycles->comparison->difference;

    for (size_t i = 0; i < difference->cycle_count; i++) {
        if (difference->cycles[i].count == count && cycles->kept[i] &&
            is_same(cycles->kept[i], cycle, count))
            return true;
    }
    return false;
}

static int keep(struct cycles *cycles, uint32_t count, struct error *err)
{
    struct graph_difference *difference = cycles->comparison->difference;
    size_t at = difference->cycle_count;
    uint32_t GRAPH_AUTO *turned = graph_alloc(count, sizeof *turned, err);
    struct graph_name *names;

    if (!turned)
        return -1;
    turn_to_first(cycles->path, turned, count);
    if (is_kept(cycles, turned, count))
        return 0;
    names = graph_alloc(count, sizeof *names, err);
    if (!names)
        return -1;
    for (uint32_t i = 0; i < count; i++)
        names[i] = graph_name_of(&cycles->comparison->after, turned[i]);
    difference->cycles[at] = (struct graph_new_cycle){names, count};
    difference->cycle_count++;
    difference->cycles_total++;
    cycles->kept[at] = turned;
    turned = NULL;
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

int graph_compare_cycles(struct graph_comparison *comparison, struct error *err)
{
    struct graph_view *view = comparison->after.needs;
    uint32_t GRAPH_AUTO *path = graph_alloc(view->n, sizeof *path, err);
    struct cycles cycles = {.comparison = comparison, .path = path};
    int rc = 0;

    cycles.order = path ? graph_order_get(view, err) : NULL;
    if (!cycles.order)
        return -1;
    for (uint32_t v = 0; rc == 0 && v < view->n; v++) {
        for (size_t i = view->out_start[v]; rc == 0 && i < view->out_start[v + 1]; i++)
            rc = look_at(&cycles, v, view->out[i], err);
    }
    for (size_t i = 0; i < GRAPH_NEW_CYCLES_CAP; i++)
        free(cycles.kept[i]);
    return rc;
}
