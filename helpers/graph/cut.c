/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/graph/ask.h"

#include <stdlib.h>

#include "helpers/graph/igraph_guard.h"

int graph_cutter_begin(struct graph_cutter *cutter, uint32_t nodes, struct error *err)
{
    cutter->mark = graph_alloc(nodes, sizeof *cutter->mark, err);
    cutter->stack = graph_alloc(nodes, sizeof *cutter->stack, err);
    cutter->finish = graph_alloc(nodes, sizeof *cutter->finish, err);
    cutter->next = graph_alloc(nodes, sizeof *cutter->next, err);
    return cutter->mark && cutter->stack && cutter->finish && cutter->next ? 0 : -1;
}

void graph_cutter_finish(struct graph_cutter *cutter)
{
    free(cutter->mark);
    free(cutter->stack);
    free(cutter->finish);
    free(cutter->next);
}

/* ---- the nodes that are in a cycle without one edge: two depth-first searches (Kosaraju) ---- */

/* Edges along which a search goes, within one component, without one edge. */
struct way {
    const size_t *start;
    const uint32_t *ends;
    const uint32_t *of; /* the component of each node */
    uint32_t skip_from, skip_to;
};

/* Visits what is not marked yet, and puts each node into finish (may be NULL) when it is left;
 * returns how many. */
static uint32_t search(struct graph_cutter *cutter, const struct way *way, uint32_t first,
                       uint32_t *finish)
{
    uint32_t depth = 1, count = 0;

    cutter->stack[0] = first;
    cutter->next[first] = way->start[first];
    cutter->mark[first] = cutter->stamp;
    while (depth > 0) {
        uint32_t v = cutter->stack[depth - 1], to;

        if (cutter->next[v] == way->start[v + 1]) {
            if (finish)
                finish[count] = v;
            count++;
            depth--;
            continue;
        }
        to = way->ends[cutter->next[v]++];
        cutter->edges++;
        if (way->of[to] != way->of[first] || cutter->mark[to] == cutter->stamp ||
            (v == way->skip_from && to == way->skip_to))
            continue;
        cutter->mark[to] = cutter->stamp;
        cutter->next[to] = way->start[to];
        cutter->stack[depth++] = to;
    }
    return count;
}

static uint32_t count_left(struct graph_cutter *cutter, const struct graph_view *view,
                           const struct graph_order *order, uint32_t from, uint32_t to)
{
    const struct way onward = {view->out_start, view->out, order->of, from, to};
    const struct way back = {view->in_start, view->in, order->of, to, from};
    const uint32_t component = order->of[from], end = order->start[component + 1];
    uint32_t count = 0, left = 0;

    cutter->stamp++;
    for (uint32_t i = order->start[component]; i < end; i++) {
        if (cutter->mark[order->nodes[i]] != cutter->stamp)
            count += search(cutter, &onward, order->nodes[i], cutter->finish + count);
    }
    cutter->stamp++;
    while (count-- > 0) {
        uint32_t size;

        if (cutter->mark[cutter->finish[count]] == cutter->stamp)
            continue;
        size = search(cutter, &back, cutter->finish[count], NULL);
        left += size > 1 ? size : 0;
    }
    return left;
}

/* ---- which edge ---- */

static void add_relationship(struct graph_ask *ask, const char *type,
                             const struct graph_relationship *relationship, void *user)
{
    struct graph_cycle_cut *cut = user;

    (void)ask;
    (void)type;
    cut->relationships++;
    if (relationship->confidence > cut->confidence)
        cut->confidence = relationship->confidence;
}

static bool is_cheaper(const struct graph_cycle_cut *one, const struct graph_cycle_cut *other)
{
    if (one->left != other->left)
        return one->left < other->left;
    if (one->relationships != other->relationships)
        return one->relationships < other->relationships;
    return one->confidence <= other->confidence;
}

int graph_cut_find(struct graph_cutter *cutter, struct graph_ask *ask,
                   const struct graph_order *order, const uint32_t *cycle, uint32_t length,
                   uint64_t edges_cap, struct graph_cycle_cut *cut, struct error *err)
{
    for (uint32_t i = 0; i < length && (i == 0 || cutter->edges < edges_cap); i++) {
        uint32_t from = cycle[i], to = cycle[(i + 1) % length];
        struct graph_cycle_cut one = {.at = i};

        if (igraph_guard_wanted(err) < 0)
            return -1;
        graph_relationships(ask, from, to, add_relationship, &one);
        one.left = count_left(cutter, ask->view, order, from, to);
        if (i == 0 || is_cheaper(&one, cut))
            *cut = one;
    }
    return 0;
}
