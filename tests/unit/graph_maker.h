/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Graphs small enough to write down in a line. Include cmocka.h before.
 */
#ifndef LECTERN_TESTS_GRAPH_MAKER_H
#define LECTERN_TESTS_GRAPH_MAKER_H

#include <stdio.h>
#include <string.h>

#include "helpers/graph/graph.h"

#define NODES_CAP 16u
#define EDGES_CAP 32u

/* A graph from "A=Title|B=Title" and "A>B A>C:LEADS_TO"; the type is PREREQUISITE where none
 * stands. */
static inline struct graph *make_graph(const char *nodes, const char *edges)
{
    char node_text[1024], edge_text[1024], *save = NULL;
    struct graph_node node[NODES_CAP] = {{0}};
    struct graph_edge edge[EDGES_CAP] = {{0}};
    struct error err = {0};
    size_t node_count = 0, edge_count = 0;
    struct graph *graph;

    snprintf(node_text, sizeof node_text, "%s", nodes);
    snprintf(edge_text, sizeof edge_text, "%s", edges);
    for (char *at = strtok_r(node_text, "|", &save); at; at = strtok_r(NULL, "|", &save)) {
        char *title = strchr(at, '=');

        if (title)
            *title++ = '\0';
        node[node_count++] = (struct graph_node){at, title ? title : at, NULL, 1, NULL};
    }
    for (char *at = strtok_r(edge_text, " ", &save); at; at = strtok_r(NULL, " ", &save)) {
        char *to = strchr(at, '>'), *type;

        *to++ = '\0';
        type = strchr(to, ':');
        if (type)
            *type++ = '\0';
        edge[edge_count++] = (struct graph_edge){at, to, type ? type : "PREREQUISITE"};
    }
    graph = graph_create(node, node_count, edge, edge_count, &err);
    assert_non_null(graph);
    return graph;
}

#endif
