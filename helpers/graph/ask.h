/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One question on its way, and what every query's answer is written with: nodes, lists that keep to
 * a limit and to the answer's cap, and the line that says over which types the answer speaks. Here
 * as words; as data in data.h. A query finds out once, then says it in the form asked for.
 */
#ifndef LECTERN_GRAPH_ASK_H
#define LECTERN_GRAPH_ASK_H

#include "helpers/graph/view.h"

/* Rows stop this many bytes before GRAPH_ANSWER_CAP, so that what is said about the cut and the
 * types always fits. */
#define GRAPH_ANSWER_RESERVE 4096u

struct graph_ask {
    struct graph *graph;
    const struct graph_question *question;
    const struct graph_query *query;
    struct graph_view *view; /* over the types of the question */
    uint32_t node, from, to; /* GRAPH_NO_NODE where not given */
    size_t limit;
    struct buf *answer;
    size_t rows_end; /* length of the answer from which on no row begins */
    bool no_scope;   /* the query says itself over which types it speaks; of words only */
    bool data;       /* JSON is asked for, not words */
    size_t cut;      /* rows left out so far, of data only */
    bool full;       /* some of them because the answer was full */
};

/* ---- pieces ---- */

/* N003 "Comparing fractions" */
void graph_add_node(struct graph_ask *ask, uint32_t node);
void graph_add_type(struct graph_ask *ask, uint32_t type);
/* "1 node", "3 nodes" */
void graph_add_count(struct graph_ask *ask, size_t count, const char *thing);
/* The relationship types of the edges between two nodes that the view follows: "LEADS_TO,
 * PREREQUISITE". */
void graph_add_types_between(struct graph_ask *ask, uint32_t from, uint32_t to);

/* ---- lists ---- */

/* Whether another row may begin. */
bool graph_has_room(const struct graph_ask *ask);

struct graph_list {
    struct graph_ask *ask;
    size_t shown, limit, total;
};

void graph_list_begin(struct graph_list *list, struct graph_ask *ask, size_t total);
/* Whether another row may be written: under the limit and with room for it. Counts it. */
bool graph_list_row(struct graph_list *list);
/* "… and 17 more (limit 37 shows all)" on a line, where rows were left out. */
void graph_list_end(struct graph_list *list);

/* A list of nodes, one a line. */
void graph_add_nodes(struct graph_ask *ask, const uint32_t *nodes, size_t count);
/* The first few of them on one line: N001 "A", N002 "B", … 3 more */
void graph_add_some(struct graph_ask *ask, const uint32_t *nodes, size_t count, size_t most);

/* ---- the last line ---- */

/* Over PREREQUISITE: 46 edges. Left out: ... */
void graph_add_scope(struct graph_ask *ask, const struct graph_view *view);

/* ---- naming nodes (find.c) ---- */

/* The node with this id, or the only one with this title. what names the argument. -1:
 * ERROR_NOT_FOUND with the nearest, ERROR_CONFLICT with those that share the title. */
int graph_find(const struct graph *graph, const char *name, const char *what, uint32_t *node,
               struct error *err);

/* ---- choosing types (types.c) ---- */

/* follows (by type) for the question's types, or the query's own. */
int graph_choose_types(const struct graph *graph, const struct graph_question *question,
                       enum graph_follows otherwise, bool *follows, struct error *err);
/* The type with this name, or else with the same but for letter case; GRAPH_NO_NODE. */
uint32_t graph_find_type(const struct graph *graph, const char *name);
/* The query's own types. */
void graph_default_types(const struct graph *graph, enum graph_follows which, bool *follows);

#endif
