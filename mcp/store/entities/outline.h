/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A curriculum as a graph: its nodes and relationships, without their contents.
 */
#ifndef LECTERN_STORE_ENTITIES_OUTLINE_H
#define LECTERN_STORE_ENTITIES_OUTLINE_H

#include <stddef.h>
#include <stdint.h>

#include "helpers/base/buf.h"
#include "mcp/store/store.h"

/* The strings live as long as the outline. */
struct outline_node {
    const char *id, *title, *group;
    const char *code; /* another name: humanCodingScheme; or NULL */
    size_t components;
};
struct outline_edge {
    const char *from, *to, *type;
};
struct outline_link { /* to a node of another curriculum */
    int64_t id;
    const char *from, *curriculum, *node; /* ids */
    const char *type, *title;             /* title: of that node when the link was made */
};
struct outline {
    struct outline_node *nodes;
    size_t node_count;
    struct outline_edge *edges;
    size_t edge_count;
    struct outline_link *links;
    size_t link_count;
    int64_t version;       /* the session's; nodes, edges and versions are of one snapshot */
    int64_t graph_version; /* of store_graph_version */
    struct buf strings;
};
int store_read_outline(struct store *store, const char *sid, struct outline *outline,
                       struct error *err);
void outline_finish(struct outline *outline);

/* *version increases when a node's id, title, group or number of components changes, or an edge. */
int store_graph_version(struct store *store, const char *sid, int64_t *version, struct error *err);

#endif
