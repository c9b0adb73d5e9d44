/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * cycles: each group of nodes that need one another, with one shortest cycle, the relationships on
 * it, the edge that it costs least to take out (ask.h), and edges from a node to itself.
 *
 * igraph computes the groups (strong components). Its girth ignores directions, so the cycle is
 * computed here: a breadth-first search from each node of the group, limited to the length found so
 * far. That is quadratic in the worst case, so each question has a budget; if it is exceeded, the
 * answer says "a cycle" instead of "a shortest cycle".
 */
#include "helpers/graph/ask.h"
#include "helpers/graph/igraph_guard.h"

#define EDGES_BUDGET 200000000u /* edges visited in one question; takes one to two seconds */

struct search {
    const struct graph_view *view;
    const struct graph_order *order;
    uint32_t *seen_from; /* node -> the start whose search visited it last, plus 1 */
    uint32_t *before;    /* node -> its predecessor in the search */
    uint32_t *depth;
    uint32_t *queue;
    uint32_t *cycle; /* the shortest so far, beginning at its start */
    uint32_t length;
    uint64_t edges;
};

static void keep_cycle(struct search *search, uint32_t start, uint32_t last)
{
    uint32_t at = search->length = search->depth[last] + 1;

    for (uint32_t v = last; at-- > 0; v = v == start ? v : search->before[v])
        search->cycle[at] = v;
}

/* Looks for a cycle through start that is shorter than the current one. */
static void search_from(struct search *search, uint32_t start)
{
    const struct graph_view *view = search->view;
    uint32_t head = 0, tail = 0;

    search->queue[tail++] = start;
    search->seen_from[start] = start + 1;
    search->depth[start] = 0;
    while (head < tail) {
        uint32_t v = search->queue[head++];

        if (search->length > 0 && search->depth[v] + 1 >= search->length)
            return;
        for (size_t i = view->out_start[v]; i < view->out_start[v + 1]; i++) {
            uint32_t next = view->out[i];

            search->edges++;
            if (next == start) {
                keep_cycle(search, start, v);
                return;
            }
            if (search->order->of[next] != search->order->of[start] ||
                search->seen_from[next] == start + 1)
                continue;
            search->seen_from[next] = start + 1;
            search->before[next] = v;
            search->depth[next] = search->depth[v] + 1;
            search->queue[tail++] = next;
        }
    }
}

/* Sets *shortest if the search was complete. */
static int find_cycle(struct search *search, uint32_t component, bool *shortest, struct error *err)
{
    const struct graph_order *order = search->order;

    search->length = 0;
    *shortest = true;
    for (uint32_t i = order->start[component];
         i < order->start[component + 1] && search->length != 2; i++) {
        if (search->length > 0 && search->edges > EDGES_BUDGET) {
            *shortest = false;
            return 0;
        }
        if (igraph_guard_wanted(err) < 0)
            return -1;
        search_from(search, order->nodes[i]);
    }
    return 0;
}

/* In words on one line: … -> … -> the first again. */
static void add_cycle(struct graph_ask *ask, const struct search *search, uint32_t size,
                      bool shortest)
{
    size_t shown = 0;

    if (ask->data) {
        graph_put_nodes(ask, "cycle", search->cycle, search->length);
        graph_put_bool(ask, "shortest", shortest);
        return;
    }
    graph_say(ask, "%s; %s of %u: ", graph_count_text(ask, size, "node"),
              shortest ? "a shortest cycle" : "a cycle", search->length);
    while (shown < search->length && shown < ask->limit && ask->answer->len < ask->rows_end)
        graph_say(ask, "%s -> ", graph_node_text(ask, search->cycle[shown++]));
    if (shown < search->length)
        graph_say(ask, "… %zu more -> ", search->length - shown);
    graph_say(ask, "%s\n", graph_node_text(ask, search->cycle[0]));
}

/* ---- the relationships of the cycle ---- */

#define EXPLANATION_SHOWN 100 /* bytes */

struct cycle_edge {
    uint32_t from, to;
};

static void write_id(struct graph_ask *ask, uint32_t node)
{
    graph_text_add(ask->answer, ask->graph->nodes[node].id, GRAPH_ID_CAP, false);
}

static void write_edge(struct graph_ask *ask, const char *before, const struct cycle_edge *edge)
{
    buf_adds(ask->answer, before);
    write_id(ask, edge->from);
    buf_adds(ask->answer, " -> ");
    write_id(ask, edge->to);
}

static void put_relationship(struct graph_ask *ask, const char *type,
                             const struct graph_relationship *relationship,
                             const struct cycle_edge *edge)
{
    graph_open(ask, NULL, '{');
    graph_put_node(ask, "from_node_id", edge->from);
    graph_put_node(ask, "to_node_id", edge->to);
    graph_put_text(ask, "relationship_type", type);
    if (relationship->id > 0) {
        graph_put(ask, "id", (size_t)relationship->id);
        graph_put_text(ask, "explanation", relationship->explanation);
        graph_put_real(ask, "confidence_score", relationship->confidence);
    }
    graph_close(ask, '}');
}

static void add_relationship(struct graph_ask *ask, const char *type,
                             const struct graph_relationship *relationship, void *user)
{
    struct buf *to = ask->answer;

    if (ask->data) {
        put_relationship(ask, type, relationship, user);
        return;
    }
    write_edge(ask, "  ", user);
    buf_adds(to, " ");
    graph_text_add(to, graph_text_blank(type) ? "(no type)" : type, GRAPH_TYPE_CAP, false);
    if (relationship->id > 0)
        buf_addf(to, " (id %lld)", (long long)relationship->id);
    if (!graph_text_blank(relationship->explanation)) {
        buf_adds(to, ": ");
        graph_text_add(to, relationship->explanation, EXPLANATION_SHOWN, true);
    }
    buf_addc(to, '\n');
}

static void add_cut(struct graph_ask *ask, const struct graph_cycle_cut *cut,
                    const struct cycle_edge *edge)
{
    graph_open(ask, "cheapest_cut", '{');
    graph_put(ask, "nodes_left_in_cycles", cut->left);
    if (ask->data) {
        graph_put_node(ask, "from_node_id", edge->from);
        graph_put_node(ask, "to_node_id", edge->to);
    } else {
        write_edge(ask, "  cheapest to delete: ", edge);
        if (cut->left == 0)
            buf_adds(ask->answer, " (then no cycle is left here)\n");
        else
            graph_say(ask, " (then %s are still in cycles)\n",
                      graph_count_text(ask, cut->left, "node"));
    }
    graph_close(ask, '}');
}

static int add_edges(struct graph_ask *ask, const struct search *search,
                     struct graph_cutter *cutter, struct error *err)
{
    struct graph_cycle_cut cut = {0};
    struct cycle_edge edge;

    graph_open(ask, "edges", '[');
    for (uint32_t i = 0; i < search->length && (ask->data || i < ask->limit) && graph_has_room(ask);
         i++) {
        edge = (struct cycle_edge){search->cycle[i], search->cycle[(i + 1) % search->length]};
        graph_relationships(ask, edge.from, edge.to, add_relationship, &edge);
    }
    graph_close(ask, ']');
    if (graph_cut_find(cutter, ask, search->order, search->cycle, search->length, EDGES_BUDGET,
                       &cut, err) < 0)
        return -1;
    edge = (struct cycle_edge){
        search->cycle[cut.at],
        search->cycle[cut.at + 1 < search->length ? cut.at + 1 : 0],
    };
    add_cut(ask, &cut, &edge);
    return 0;
}

/* The nodes of the group that are not on the cycle, into room; returns how many. */
static uint32_t find_others(const struct search *search, uint32_t component, uint32_t *room)
{
    const struct graph_order *order = search->order;
    uint32_t count = 0;

    /* The mark of the searches is done with for this group. */
    for (uint32_t i = 0; i < search->length; i++)
        search->seen_from[search->cycle[i]] = GRAPH_NO_NODE;
    for (uint32_t i = order->start[component]; i < order->start[component + 1]; i++) {
        if (search->seen_from[order->nodes[i]] != GRAPH_NO_NODE)
            room[count++] = order->nodes[i];
    }
    return count;
}

/* The rows of a list that has begun. */
static int add_groups(struct graph_list *list, struct search *search, struct graph_cutter *cutter,
                      struct error *err)
{
    const struct graph_order *order = search->order;
    struct graph_ask *ask = list->ask;
    uint32_t component = 0, others;
    bool shortest;

    while (graph_list_row(list)) {
        while (order->start[component + 1] - order->start[component] == 1)
            component++;
        if (find_cycle(search, component, &shortest, err) < 0)
            return -1;
        others = find_others(search, component, search->queue);
        graph_open(ask, NULL, '{');
        graph_say(ask, "%zu. ", list->shown);
        add_cycle(ask, search, order->start[component + 1] - order->start[component], shortest);
        if (others > 0)
            graph_say(ask, "  also: ");
        graph_some_nodes(ask, "also", search->queue, others, ask->limit);
        if (add_edges(ask, search, cutter, err) < 0)
            return -1;
        graph_close(ask, '}');
        component++;
    }
    return 0;
}

static int add_loops(struct graph_ask *ask, struct error *err)
{
    const struct graph *graph = ask->graph;
    cleanup_free uint32_t *nodes = graph_alloc(graph->node_count, sizeof *nodes, err);
    size_t count = 0;

    if (!nodes)
        return -1;
    for (size_t i = 0; i < graph->link_count; i++) {
        const struct graph_link *link = &graph->links[i];

        if (link->from == link->to && ask->view->follows[link->type] &&
            (count == 0 || nodes[count - 1] != link->from))
            nodes[count++] = link->from;
    }
    if (count > 0)
        graph_say(ask, "%s with an edge to %s:\n", graph_count_text(ask, count, "node"),
                  count == 1 ? "itself" : "themselves");
    graph_nodes(ask, "to_themselves", nodes, count);
    return 0;
}

int graph_query_cycles(struct graph_ask *ask, struct error *err)
{
    const struct graph_order *order = graph_order_get(ask->view, err);
    uint32_t n = ask->view->n;
    cleanup_free uint32_t *seen_from = graph_alloc(n, sizeof *seen_from, err);
    cleanup_free uint32_t *before = graph_alloc(n, sizeof *before, err);
    cleanup_free uint32_t *depth = graph_alloc(n, sizeof *depth, err);
    cleanup_free uint32_t *queue = graph_alloc(n, sizeof *queue, err);
    cleanup_free uint32_t *cycle = graph_alloc(n, sizeof *cycle, err);
    struct search search = {ask->view, order, seen_from, before, depth, queue, cycle, 0, 0};
    struct graph_cutter cutter = {0};
    struct graph_list list;
    int rc;

    if (!order || !seen_from || !before || !depth || !queue || !cycle)
        return -1;
    graph_put(ask, "nodes_in_cycles", order->in_cycle);
    if (order->cycles == 0)
        graph_say(ask, "No cycles.\n");
    else
        graph_say(ask, "%s of nodes that need one another, %u nodes in all:\n",
                  graph_count_text(ask, order->cycles, "group"), order->in_cycle);
    graph_list_begin(&list, ask, "groups", order->cycles);
    rc = graph_cutter_begin(&cutter, n, err);
    if (rc == 0)
        rc = add_groups(&list, &search, &cutter, err);
    graph_cutter_finish(&cutter);
    return rc < 0 ? -1 : add_loops(ask, err);
}
