/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words that all answers share. See ask.h.
 */
#include <string.h>
#include <strings.h>

#include "helpers/graph/ask.h"
#include "helpers/graph/text.h"

#define TYPES_SHOWN 8u /* relationship types named in one line */

void graph_add_node(struct graph_ask *ask, uint32_t node)
{
    const struct graph_vertex *vertex = &ask->graph->nodes[node];

    graph_text_add(ask->answer, vertex->id, GRAPH_ID_CAP, false);
    buf_addc(ask->answer, ' ');
    if (graph_text_blank(vertex->title))
        buf_adds(ask->answer, "(no title)");
    else
        graph_text_add(ask->answer, vertex->title, GRAPH_TITLE_CAP, true);
}

void graph_add_type(struct graph_ask *ask, uint32_t type)
{
    if (graph_text_blank(ask->graph->types[type].name))
        buf_adds(ask->answer, "(no type)");
    else
        graph_text_add(ask->answer, ask->graph->types[type].name, GRAPH_TYPE_CAP, false);
}

void graph_add_count(struct graph_ask *ask, size_t count, const char *thing)
{
    buf_addf(ask->answer, "%zu %s%s", count, thing, count == 1 ? "" : "s");
}

void graph_add_types_between(struct graph_ask *ask, uint32_t from, uint32_t to)
{
    uint32_t last = GRAPH_NO_NODE;
    size_t count, shown = 0;
    const struct graph_link *links = graph_links_between(ask->graph, from, to, &count);

    for (size_t i = 0; i < count && shown < TYPES_SHOWN; i++) {
        if (!ask->view->follows[links[i].type] || links[i].type == last)
            continue;
        last = links[i].type;
        buf_adds(ask->answer, shown++ > 0 ? ", " : "");
        graph_add_type(ask, last);
    }
}

/* ---- lists ---- */

bool graph_has_room(const struct graph_ask *ask)
{
    return ask->answer->len < ask->rows_end;
}

void graph_list_begin(struct graph_list *list, struct graph_ask *ask, size_t total)
{
    *list = (struct graph_list){ask, 0, ask->limit, total};
}

bool graph_list_row(struct graph_list *list)
{
    if (list->shown >= list->total || list->shown >= list->limit || !graph_has_room(list->ask))
        return false;
    list->shown++;
    return true;
}

void graph_list_end(struct graph_list *list)
{
    struct buf *answer = list->ask->answer;
    size_t left = list->total - list->shown;

    if (left == 0)
        return;
    buf_addf(answer, "… and %zu more", left);
    if (list->shown < list->limit)
        buf_adds(answer,
                 " (the answer is full: ask about a single node, or let execute_code count)\n");
    else if (list->total <= GRAPH_LIMIT_MAX)
        buf_addf(answer, " (limit %zu shows all)\n", list->total);
    else if (list->limit < GRAPH_LIMIT_MAX)
        buf_addf(answer, " (limit %u shows the most)\n", GRAPH_LIMIT_MAX);
    else
        buf_adds(answer,
                 " (no limit shows more: ask about a single node, or let execute_code count)\n");
}

void graph_add_nodes(struct graph_ask *ask, const uint32_t *nodes, size_t count)
{
    struct graph_list list;

    graph_list_begin(&list, ask, count);
    while (graph_list_row(&list)) {
        graph_add_node(ask, nodes[list.shown - 1]);
        buf_addc(ask->answer, '\n');
    }
    graph_list_end(&list);
}

void graph_add_some(struct graph_ask *ask, const uint32_t *nodes, size_t count, size_t most)
{
    size_t shown;

    for (shown = 0; shown < count && shown < most && graph_has_room(ask); shown++) {
        buf_adds(ask->answer, shown > 0 ? ", " : "");
        graph_add_node(ask, nodes[shown]);
    }
    if (shown < count)
        buf_addf(ask->answer, "%s… %zu more", shown > 0 ? ", " : "", count - shown);
}

/* ---- the last line ---- */

/* The types that are followed, or those that are not. */
static size_t add_types(struct graph_ask *ask, const struct graph_view *view, bool followed)
{
    const struct graph *graph = ask->graph;
    size_t count = 0;

    for (uint32_t i = 0; i < graph->type_count; i++) {
        if (view->follows[i] != followed || count++ >= TYPES_SHOWN)
            continue;
        buf_adds(ask->answer, count > 1 ? ", " : "");
        graph_add_type(ask, i);
        if (!followed)
            buf_addf(ask->answer, " (%zu)", graph->types[i].edges);
    }
    if (count > TYPES_SHOWN)
        buf_addf(ask->answer, " and %zu more types", count - TYPES_SHOWN);
    return count;
}

static void add_left_out(struct graph_ask *ask, const struct graph_view *view)
{
    const char *join = " Left out: ";

    if (view->strays > 0) {
        buf_addf(ask->answer, "%s%zu with a missing end", join, view->strays);
        join = ", ";
    }
    if (view->loops > 0) {
        buf_addf(ask->answer, "%s%zu from a node to itself", join, view->loops);
        join = ", ";
    }
    if (view->parallel > 0)
        buf_addf(ask->answer, "%s%zu parallel to another", join, view->parallel);
    if (view->strays + view->loops + view->parallel > 0)
        buf_addc(ask->answer, '.');
}

/* Types that were asked for by name and that no edge here has; graph_choose_types let pass the
 * contract's own only. */
static size_t add_absent(struct graph_ask *ask, size_t followed)
{
    const char *const *types = ask->question->types;
    size_t count = 0;

    for (size_t i = 0; types[i] && count < TYPES_SHOWN; i++) {
        if (strcasecmp(types[i], "all") == 0 ||
            graph_find_type(ask->graph, types[i]) != GRAPH_NO_NODE)
            continue;
        buf_adds(ask->answer, followed + count++ > 0 ? ", " : "");
        graph_text_add(ask->answer, types[i], GRAPH_TYPE_CAP, false);
        buf_adds(ask->answer, " (none here)");
    }
    return count;
}

void graph_add_scope(struct graph_ask *ask, const struct graph_view *view)
{
    size_t followed;

    buf_adds(ask->answer, "Over ");
    followed = add_types(ask, view, true);
    if (view == ask->view && ask->question->types && ask->question->types[0])
        followed += add_absent(ask, followed);
    if (followed == 0)
        buf_adds(ask->answer, "no type (none of those that count here occurs)");
    buf_adds(ask->answer, ": ");
    graph_add_count(ask, view->m, "edge");
    buf_addc(ask->answer, '.');
    add_left_out(ask, view);
    if (memchr(view->follows, false, ask->graph->type_count)) {
        buf_adds(ask->answer, " Not followed: ");
        add_types(ask, view, false);
        buf_addc(ask->answer, '.');
    }
    buf_addc(ask->answer, '\n');
}
