/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The curriculum as graph.c builds it: its nodes in order, all edges sorted, and the cached views.
 * For the files of this folder only. A node is identified by its index, a uint32_t; the caps ensure
 * that it fits.
 */
#ifndef LECTERN_GRAPH_MODEL_H
#define LECTERN_GRAPH_MODEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "helpers/base/cleanup.h"
#include "helpers/graph/graph.h"

#define GRAPH_NO_NODE   UINT32_MAX
#define GRAPH_VIEWS_CAP 3u   /* cached views; one of the largest graph uses about 200 MB */
#define GRAPH_KEPT_CAP  8u   /* answers in words that are kept, each of GRAPH_ANSWER_CAP at most */
#define GRAPH_KEPT_KEY  160u /* bytes of a question whose answer is kept */

struct graph_vertex {
    const char *id, *title;
    const char *code; /* "" if there is none */
    uint32_t group;   /* index in groups */
    size_t components;
};

struct graph_group {
    const char *name; /* "" for nodes without a group */
    uint32_t nodes;
    size_t components;
};

struct graph_link {
    uint32_t from, to; /* equal for an edge from a node to itself */
    uint32_t type;
};

/* An edge with an end that does not exist. */
struct graph_stray {
    const char *from, *to;
    uint32_t type;
};

struct graph_type {
    const char *name;
    size_t edges, strays, loops; /* edges includes strays and loops */
};

struct graph_view;

/* An answer that depends on nothing but the graph. */
struct graph_kept {
    char key[GRAPH_KEPT_KEY]; /* the question */
    size_t key_len, len;
    char *text; /* owned; NULL: free */
};

struct graph {
    char *node_strings, *edge_strings; /* the texts that the members below point to */
    struct graph_vertex *nodes;
    uint32_t node_count;
    uint32_t *by_id; /* indices of the nodes, sorted by id */
    size_t repeated_ids;
    struct graph_group *groups; /* in the order of their first nodes */
    uint32_t group_count;
    struct graph_type *types; /* sorted by name */
    uint32_t type_count;
    struct graph_link *links; /* sorted by from, to, type */
    size_t link_count;
    struct graph_stray *strays; /* in their original order */
    size_t stray_count;
    char *outside_strings;
    struct graph_outside *outsides; /* in their original order */
    size_t outside_count;
    struct graph_view *views[GRAPH_VIEWS_CAP]; /* newest first; owned */
    /* Views that have left the list while questions were asked, which may use them; the last of
     * these questions frees them. */
    struct graph_view *left_views;
    unsigned asking;
    atomic_uint references;
    atomic_size_t bytes; /* graph_bytes */
    struct graph_kept kept[GRAPH_KEPT_CAP];
    unsigned next_kept; /* the oldest, which the next answer replaces */
};

/* The node with exactly this id, or GRAPH_NO_NODE. */
uint32_t graph_node_by_id(const struct graph *graph, const char *id);

/* The links of any type between two nodes; *count is their number. */
const struct graph_link *graph_links_between(const struct graph *graph, uint32_t from, uint32_t to,
                                             size_t *count);

/* The type with this name, or else with the same name in other letter case; or GRAPH_NO_NODE. */
uint32_t graph_find_type(const struct graph *graph, const char *name);

/* Like calloc, but sets ERROR_MEMORY; does not return NULL for count 0. */
void *graph_alloc(size_t count, size_t size, struct error *err);

/* A question about the graph begins and ends, in its turn. */
void graph_asking_begin(struct graph *graph);
void graph_asking_end(struct graph *graph);

/* The total size of these allocations in bytes; NULL counts as 0. */
size_t graph_held(const void *const *parts, size_t count);

#endif
