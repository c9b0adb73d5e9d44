/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory and look-ups. See the header.
 */
#include "helpers/graph/model.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/graph/text.h"

/* ---- memory ---- */

void *graph_alloc(size_t count, size_t size, struct error *err)
{
    void *memory = calloc(count ? count : 1, size);

    if (!memory)
        error_set(err, ERROR_MEMORY, "out of memory for a graph of %zu parts", count);
    return memory;
}

size_t graph_held(const void *const *parts, size_t count)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += malloc_usable_size((void *)parts[i]);
    return bytes;
}

/* ---- look-ups ---- */

uint32_t graph_node_by_id(const struct graph *graph, const char *id)
{
    size_t low = 0, high = graph->node_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t node = graph->by_id[middle];
        int order = strcmp(id, graph->nodes[node].id);

        if (order == 0)
            return node;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return GRAPH_NO_NODE;
}

/* The first link at or behind (from, to). */
static size_t first_link(const struct graph *graph, uint32_t from, uint32_t to)
{
    size_t low = 0, high = graph->link_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct graph_link *link = &graph->links[middle];

        if (link->from < from || (link->from == from && link->to < to))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct graph_link *graph_links_between(const struct graph *graph, uint32_t from, uint32_t to,
                                             size_t *count)
{
    size_t start = first_link(graph, from, to), end = start;

    while (end < graph->link_count && graph->links[end].from == from && graph->links[end].to == to)
        end++;
    *count = end - start;
    return &graph->links[start];
}

uint32_t graph_find_type(const struct graph *graph, const char *name)
{
    for (uint32_t i = 0; i < graph->type_count; i++) {
        if (strcmp(name, graph->types[i].name) == 0)
            return i;
    }
    for (uint32_t i = 0; i < graph->type_count; i++) {
        if (graph_text_same(name, graph->types[i].name))
            return i;
    }
    return GRAPH_NO_NODE;
}
