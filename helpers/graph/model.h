/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The curriculum as graph.c makes it: nodes in their order, every edge sorted, and the views of it
 * that were asked for. For the files of this folder only. A node is named by its place, a uint32_t:
 * the caps leave room in it.
 */
#ifndef LECTERN_GRAPH_MODEL_H
#define LECTERN_GRAPH_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "helpers/base/cleanup.h"
#include "helpers/graph/graph.h"

#define GRAPH_NO_NODE UINT32_MAX
#define GRAPH_VIEWS_CAP                                                                            \
    3u /* views kept for the next question; one of the largest graph is some 200 MB */

struct graph_vertex {
    const char *id, *title;
    uint32_t group; /* place in groups */
    size_t components;
};

struct graph_group {
    const char *name; /* "" for nodes that have none */
    uint32_t nodes;
    size_t components;
};

struct graph_link {
    uint32_t from, to; /* from is to where a node leads to itself */
    uint32_t type;
};

/* An edge with an end that does not exist. */
struct graph_stray {
    const char *from, *to;
    uint32_t type;
};

struct graph_type {
    const char *name;
    size_t edges, strays, loops; /* edges counts all of the type, strays and loops too */
};

struct graph_view;

struct graph {
    char *node_strings, *edge_strings; /* what all texts below point into */
    struct graph_vertex *nodes;
    uint32_t node_count;
    uint32_t *by_id; /* nodes sorted by id */
    size_t repeated_ids;
    struct graph_group *groups; /* in the order of their first node */
    uint32_t group_count;
    struct graph_type *types; /* sorted by name */
    uint32_t type_count;
    struct graph_link *links; /* sorted by from, to, type */
    size_t link_count;
    struct graph_stray *strays; /* in the order given */
    size_t stray_count;
    struct graph_view *views[GRAPH_VIEWS_CAP]; /* the latest first; owned */
};

/* The node with this very id, or GRAPH_NO_NODE. */
uint32_t graph_node_by_id(const struct graph *graph, const char *id);

/* The links between two nodes, of any type; their number in *count. */
const struct graph_link *graph_links_between(const struct graph *graph, uint32_t from, uint32_t to,
                                             size_t *count);

/* The type with this name, or else with the same but for letter case; GRAPH_NO_NODE. */
uint32_t graph_find_type(const struct graph *graph, const char *name);

/* calloc of count members, with ERROR_MEMORY; never NULL for count 0. */
void *graph_alloc(size_t count, size_t size, struct error *err);

/* The bytes that allocations hold; NULL holds none. */
size_t graph_held(const void *const *parts, size_t count);

#endif
