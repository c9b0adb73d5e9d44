/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Builds a struct graph from a list of nodes and edges: texts are copied into one block, ids are
 * sorted for searching, edges are resolved to indices and sorted. igraph is not used until the
 * first question (view.c). Runs on the graph work queue, like all of this folder.
 */
#include "helpers/graph/model.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/graph/view.h"

/* ---- texts ---- */

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 1;
}

static const char *copy_text(char **end, const char *text)
{
    size_t size = text_size(text);
    char *copy = *end;

    memcpy(copy, text ? text : "", size);
    *end += size;
    return copy;
}

/* ---- nodes ---- */

static int compare_ids(const void *a, const void *b, void *nodes_arg)
{
    const struct graph_node *nodes = nodes_arg;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    int order = strcmp(nodes[left].id, nodes[right].id);

    if (order != 0)
        return order;
    return left < right ? -1 : left > right;
}

/* place[i]: the index of input node i, GRAPH_NO_NODE for a repeated id. */
static int place_nodes(struct graph *graph, const struct graph_node *nodes, size_t count,
                       uint32_t *place, struct error *err)
{
    cleanup_free uint32_t *sorted = graph_alloc(count, sizeof *sorted, err);
    uint32_t kept = 0;

    graph->by_id = graph_alloc(count, sizeof *graph->by_id, err);
    if (!sorted || !graph->by_id)
        return -1;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = (uint32_t)i;
        place[i] = 0;
    }
    qsort_r(sorted, count, sizeof *sorted, compare_ids, (void *)nodes);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(nodes[sorted[i]].id, nodes[sorted[i - 1]].id) == 0)
            place[sorted[i]] = GRAPH_NO_NODE;
    }
    for (size_t i = 0; i < count; i++) {
        if (place[i] != GRAPH_NO_NODE)
            place[i] = kept++;
    }
    graph->node_count = kept;
    graph->repeated_ids = count - kept;
    kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (place[sorted[i]] != GRAPH_NO_NODE)
            graph->by_id[kept++] = place[sorted[i]];
    }
    return 0;
}

static int compare_groups(const void *a, const void *b, void *nodes_arg)
{
    const struct graph_node *nodes = nodes_arg;
    const char *left = nodes[*(const uint32_t *)a].group,
               *right = nodes[*(const uint32_t *)b].group;

    return strcmp(left ? left : "", right ? right : "");
}

static int compare_groups_stably(const void *a, const void *b, void *nodes)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    int order = compare_groups(a, b, nodes);

    if (order != 0)
        return order;
    return left < right ? -1 : left > right;
}

/* Numbers the groups in the order of their first nodes. */
static int group_nodes(struct graph *graph, const struct graph_node *nodes, size_t count,
                       const uint32_t *place, char **end, struct error *err)
{
    cleanup_free uint32_t *sorted = graph_alloc(count, sizeof *sorted, err);
    cleanup_free uint32_t *first =
        graph_alloc(count, sizeof *first, err); /* of the same group, by input node */
    cleanup_free uint32_t *number = graph_alloc(count, sizeof *number, err);
    size_t kept = 0;

    graph->groups = graph_alloc(count, sizeof *graph->groups, err);
    if (!sorted || !first || !number || !graph->groups)
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (place[i] != GRAPH_NO_NODE)
            sorted[kept++] = (uint32_t)i;
    }
    qsort_r(sorted, kept, sizeof *sorted, compare_groups_stably, (void *)nodes);
    for (size_t i = 0; i < kept; i++) {
        bool same = i > 0 && compare_groups(&sorted[i - 1], &sorted[i], (void *)nodes) == 0;

        first[sorted[i]] = same ? first[sorted[i - 1]] : sorted[i];
    }
    for (size_t i = 0; i < count; i++) {
        struct graph_group *group;

        if (place[i] == GRAPH_NO_NODE)
            continue;
        if (first[i] == i) {
            number[i] = graph->group_count++;
            graph->groups[number[i]].name = copy_text(end, nodes[i].group);
        }
        group = &graph->groups[number[first[i]]];
        group->nodes++;
        group->components += nodes[i].components;
        graph->nodes[place[i]].group = number[first[i]];
    }
    return 0;
}

static int add_nodes(struct graph *graph, const struct graph_node *nodes, size_t count,
                     struct error *err)
{
    cleanup_free uint32_t *place = graph_alloc(count, sizeof *place, err);
    size_t size = 0;
    char *end;

    if (!place || place_nodes(graph, nodes, count, place, err) < 0)
        return -1;
    /* Reserves room as if every group were new. */
    for (size_t i = 0; i < count; i++)
        size += text_size(nodes[i].id) + text_size(nodes[i].title) + text_size(nodes[i].group) +
                text_size(nodes[i].code);
    graph->node_strings = end = graph_alloc(size, 1, err);
    graph->nodes = graph_alloc(graph->node_count, sizeof *graph->nodes, err);
    if (!end || !graph->nodes)
        return -1;
    for (size_t i = 0; i < count; i++) {
        struct graph_vertex *node;

        if (place[i] == GRAPH_NO_NODE)
            continue;
        node = &graph->nodes[place[i]];
        node->id = copy_text(&end, nodes[i].id);
        node->title = copy_text(&end, nodes[i].title);
        node->code = copy_text(&end, nodes[i].code);
        node->components = nodes[i].components;
    }
    return group_nodes(graph, nodes, count, place, &end, err);
}

/* ---- edges ---- */

static int compare_types(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names belong to the caller until keep_edge_texts. */
static int add_types(struct graph *graph, const struct graph_edge *edges, size_t count,
                     struct error *err)
{
    cleanup_free const char **names = graph_alloc(count, sizeof *names, err);
    size_t kinds = 0;

    if (!names)
        return -1;
    for (size_t i = 0; i < count; i++)
        names[i] = edges[i].type ? edges[i].type : "";
    qsort(names, count, sizeof *names, compare_types);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(names[i], names[kinds - 1]) != 0)
            names[kinds++] = names[i];
    }
    graph->types = graph_alloc(kinds, sizeof *graph->types, err);
    if (!graph->types)
        return -1;
    for (size_t i = 0; i < kinds; i++)
        graph->types[i].name = names[i];
    graph->type_count = (uint32_t)kinds;
    return 0;
}

/* Replaces the texts of types and strays that are borrowed from the caller by copies. */
static int keep_edge_texts(struct graph *graph, struct error *err)
{
    size_t size = 0;
    char *end;

    for (uint32_t i = 0; i < graph->type_count; i++)
        size += text_size(graph->types[i].name);
    for (size_t i = 0; i < graph->stray_count; i++)
        size += text_size(graph->strays[i].from) + text_size(graph->strays[i].to);
    graph->edge_strings = end = graph_alloc(size, 1, err);
    if (!end)
        return -1;
    for (uint32_t i = 0; i < graph->type_count; i++)
        graph->types[i].name = copy_text(&end, graph->types[i].name);
    for (size_t i = 0; i < graph->stray_count; i++) {
        graph->strays[i].from = copy_text(&end, graph->strays[i].from);
        graph->strays[i].to = copy_text(&end, graph->strays[i].to);
    }
    return 0;
}

static int compare_name_with_type(const void *name, const void *type)
{
    return strcmp(name, ((const struct graph_type *)type)->name);
}

/* One of add_types. */
static struct graph_type *type_by_name(const struct graph *graph, const char *name)
{
    return bsearch(name, graph->types, graph->type_count, sizeof *graph->types,
                   compare_name_with_type);
}

static int compare_links(const void *a, const void *b)
{
    const struct graph_link *left = a, *right = b;

    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    if (left->to != right->to)
        return left->to < right->to ? -1 : 1;
    return left->type < right->type ? -1 : left->type > right->type;
}

static int add_edges(struct graph *graph, const struct graph_edge *edges, size_t count,
                     struct error *err)
{
    struct graph_stray *strays;

    if (add_types(graph, edges, count, err) < 0)
        return -1;
    graph->links = graph_alloc(count, sizeof *graph->links, err);
    graph->strays = graph_alloc(count, sizeof *graph->strays, err);
    if (!graph->links || !graph->strays)
        return -1;
    for (size_t i = 0; i < count; i++) {
        struct graph_type *type = type_by_name(graph, edges[i].type ? edges[i].type : "");
        uint32_t place = (uint32_t)(type - graph->types);
        uint32_t from = graph_node_by_id(graph, edges[i].from),
                 to = graph_node_by_id(graph, edges[i].to);

        type->edges++;
        if (from == GRAPH_NO_NODE || to == GRAPH_NO_NODE) {
            type->strays++;
            graph->strays[graph->stray_count++] =
                (struct graph_stray){edges[i].from, edges[i].to, place};
            continue;
        }
        type->loops += from == to;
        graph->links[graph->link_count++] = (struct graph_link){from, to, place};
    }
    qsort(graph->links, graph->link_count, sizeof *graph->links, compare_links);
    strays = realloc(graph->strays, (graph->stray_count + 1) * sizeof *strays);
    if (strays)
        graph->strays = strays; /* shrunk; if that failed, the old block is still valid */
    return keep_edge_texts(graph, err);
}

/* ---- the whole ---- */

static size_t count_bytes(const struct graph *graph)
{
    const void *const parts[] = {graph,           graph->strays,         graph->links,
                                 graph->types,    graph->groups,         graph->by_id,
                                 graph->nodes,    graph->edge_strings,   graph->node_strings,
                                 graph->outsides, graph->outside_strings};
    size_t bytes = graph_held(parts, sizeof parts / sizeof *parts);

    for (size_t i = 0; i < GRAPH_VIEWS_CAP && graph->views[i]; i++)
        bytes += graph_view_bytes(graph->views[i]);
    for (size_t i = 0; i < GRAPH_KEPT_CAP; i++)
        bytes += graph->kept[i].len;
    return bytes;
}

int graph_set_outsides(struct graph *graph, const struct graph_outside *outsides, size_t count,
                       struct error *err)
{
    size_t size = 0;
    char *end;

    for (size_t i = 0; i < count; i++)
        size += text_size(outsides[i].from) + text_size(outsides[i].type) +
                text_size(outsides[i].curriculum) + text_size(outsides[i].node) +
                text_size(outsides[i].title);
    graph->outside_strings = end = graph_alloc(size, 1, err);
    graph->outsides = graph_alloc(count, sizeof *graph->outsides, err);
    if (!end || !graph->outsides)
        return -1;
    for (size_t i = 0; i < count; i++)
        graph->outsides[graph->outside_count++] = (struct graph_outside){
            .id = outsides[i].id,
            .from = copy_text(&end, outsides[i].from),
            .type = copy_text(&end, outsides[i].type),
            .curriculum = copy_text(&end, outsides[i].curriculum),
            .node = copy_text(&end, outsides[i].node),
            .title = copy_text(&end, outsides[i].title),
        };
    graph->bytes = count_bytes(graph);
    return 0;
}

struct graph *graph_create(const struct graph_node *nodes, size_t node_count,
                           const struct graph_edge *edges, size_t edge_count, struct error *err)
{
    struct graph *graph;

    if (node_count > GRAPH_NODES_CAP || edge_count > GRAPH_EDGES_CAP) {
        error_set(err, ERROR_TOO_LARGE,
                  "graph queries take up to %u nodes and %u relationships; these are %zu and %zu",
                  GRAPH_NODES_CAP, GRAPH_EDGES_CAP, node_count, edge_count);
        return NULL;
    }
    graph = graph_alloc(1, sizeof *graph, err);
    if (!graph)
        return NULL;
    graph->references = 1;
    if (add_nodes(graph, nodes, node_count, err) < 0 ||
        add_edges(graph, edges, edge_count, err) < 0) {
        graph_destroy(graph);
        return NULL;
    }
    graph->bytes = count_bytes(graph);
    return graph;
}

size_t graph_bytes(const struct graph *graph)
{
    return graph->bytes;
}

struct graph *graph_ref(struct graph *graph)
{
    graph->references++;
    return graph;
}

static void free_left_views(struct graph *graph)
{
    struct graph_view *view;

    while ((view = graph->left_views)) {
        graph->left_views = view->next_left;
        graph_view_destroy(view);
    }
}

void graph_asking_begin(struct graph *graph)
{
    graph->asking++;
}

void graph_asking_end(struct graph *graph)
{
    if (--graph->asking == 0)
        free_left_views(graph);
    graph->bytes = count_bytes(graph);
}

void graph_destroy(struct graph *graph)
{
    if (!graph || --graph->references > 0)
        return;
    free_left_views(graph);
    for (size_t i = 0; i < GRAPH_VIEWS_CAP; i++)
        graph_view_destroy(graph->views[i]);
    for (size_t i = 0; i < GRAPH_KEPT_CAP; i++)
        free(graph->kept[i].text);
    free(graph->outsides);
    free(graph->outside_strings);
    free(graph->strays);
    free(graph->links);
    free(graph->types);
    free(graph->groups);
    free(graph->by_id);
    free(graph->nodes);
    free(graph->edge_strings);
    free(graph->node_strings);
    free(graph);
}
