/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is cut off, and what stands downstream of what was changed. Both O(n + m), by breadth-first
 * searches from many nodes at once.
 */
#include <string.h>

#include "helpers/graph/compare.h"

static bool has_in(const struct graph_view *view, uint32_t v)
{
    return view->in_start[v] != view->in_start[v + 1];
}

static bool has_any(const struct graph_view *view, uint32_t v)
{
    return has_in(view, v) || view->out_start[v] != view->out_start[v + 1];
}

struct search {
    const struct graph_side *side;
    bool *seen;
    uint32_t *queue;
    size_t count;
};

static int search_begin(struct search *search, const struct graph_side *side, struct error *err)
{
    *search = (struct search){.side = side};
    search->seen = graph_alloc(side->graph->node_count, sizeof *search->seen, err);
    search->queue = graph_alloc(side->graph->node_count, sizeof *search->queue, err);
    return search->seen && search->queue ? 0 : -1;
}

static void search_finish(struct search *search)
{
    graph_free(&search->seen);
    graph_free(&search->queue);
}

#define SEARCH_AUTO __attribute__((cleanup(search_finish)))

static void search_from(struct search *search, uint32_t node)
{
    if (search->seen[node])
        return;
    search->seen[node] = true;
    search->queue[search->count++] = node;
}

static void search_run(struct search *search)
{
    graph_spread(search->side->ways, search->seen, search->queue, search->count);
}

/* ---- cut off ---- */

/* Where the curriculum begins: before, what no way leads to; after, what was a beginning, whatever
 * leads to it now, and what is new and has no way in. A node that has lost its last way in is no
 * beginning. */
static void search_from_beginnings(struct search *search, const struct graph_side *earlier)
{
    const struct graph_side *side = search->side;

    for (uint32_t v = 0; v < side->graph->node_count; v++) {
        uint32_t old = earlier ? side->twin[v] : GRAPH_NO_NODE;

        if (old == GRAPH_NO_NODE ? !has_in(side->ways, v) : !has_in(earlier->ways, old))
            search_from(search, v);
    }
    search_run(search);
}

int graph_compare_cut_off(struct graph_comparison *comparison, struct error *err)
{
    const struct graph_side *before = &comparison->before, *after = &comparison->after;
    struct graph_difference *difference = comparison->difference;
    struct search SEARCH_AUTO was = {0}, SEARCH_AUTO is = {0};

    difference->cut_off = graph_alloc(after->graph->node_count, sizeof *difference->cut_off, err);
    if (!difference->cut_off || search_begin(&was, before, err) < 0 ||
        search_begin(&is, after, err) < 0)
        return -1;
    search_from_beginnings(&was, NULL);
    search_from_beginnings(&is, before);
    for (uint32_t v = 0; v < after->graph->node_count; v++) {
        uint32_t old = after->twin[v];
        enum graph_cut why = has_in(after->ways, v) ? GRAPH_CUT_BEHIND : GRAPH_CUT_NO_WAY;

        if (old == GRAPH_NO_NODE)
            continue;
        if (has_any(before->all, old) && !has_any(after->all, v))
            why = GRAPH_CUT_ALONE;
        else if (!has_in(before->ways, old) || !was.seen[old] || is.seen[v])
            continue;
        difference->cut_off[difference->cut_off_count++] =
            (struct graph_cut_off){graph_name_of(after, v), why};
    }
    return 0;
}

/* ---- downstream ---- */

/* Whether the other graph joins the same two nodes by an edge of the same type. */
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

/* From the ends of the edges, and from behind the nodes, that the other graph has not so. */
static void search_from_changes(struct search *search, const struct graph_side *other)
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
    search_run(search);
}

int graph_compare_downstream(struct graph_comparison *comparison, struct error *err)
{
    const struct graph_side *before = &comparison->before, *after = &comparison->after;
    struct graph_difference *difference = comparison->difference;
    struct search SEARCH_AUTO was = {0}, SEARCH_AUTO is = {0};

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
            difference->downstream[difference->downstream_count++] = graph_name_of(after, v);
    }
    return 0;
}
