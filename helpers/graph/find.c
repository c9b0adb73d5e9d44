/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which node a name means. O(n) where it is no exact id.
 */
#include <string.h>
#include <strings.h>

#include "helpers/base/nearest.h"
#include "helpers/graph/ask.h"
#include "helpers/graph/igraph_guard.h"
#include "helpers/graph/name.h"
#include "helpers/graph/text.h"

#define CANCEL_STRIDE 1024u /* nodes compared between two looks at the bounds */

static int say_shared(const struct graph *graph, const char *name, const char *what, size_t count,
                      struct error *err)
{
    struct buf BUF_AUTO text = {0};
    size_t shown = 0;

    buf_init(&text, ERROR_TEXT_CAP);
    graph_text_add(&text, name, GRAPH_TITLE_CAP, true);
    buf_addf(&text, " is the title of %zu nodes: ", count);
    for (uint32_t v = 0; v < graph->node_count && shown < GRAPH_NAME_SHOWN; v++) {
        const char *group = graph->groups[graph->nodes[v].group].name;

        if (!graph_text_same(name, graph->nodes[v].title))
            continue;
        buf_adds(&text, shown++ > 0 ? ", " : "");
        graph_text_add(&text, graph->nodes[v].id, GRAPH_ID_CAP / 2, false);
        if (graph_text_blank(group))
            continue;
        buf_adds(&text, " (");
        graph_text_add(&text, group, GRAPH_TITLE_CAP / 2, false);
        buf_addc(&text, ')');
    }
    if (shown < count)
        buf_addf(&text, " and %zu more", count - shown);
    return error_set(err, ERROR_CONFLICT, "%s: %s. Send the id of one of them.", what, text.data);
}

/* nearest_feed compares letter by letter; where the lengths alone rule a word out it only looks for
 * parts. */
static void feed(struct nearest *search, const char *word, const char *candidate, size_t *best,
                 size_t node)
{
    size_t len = strnlen(word, NEAREST_WORD_CAP), other = strnlen(candidate, NEAREST_WORD_CAP);
    size_t limit = len / 3 > 0 ? len / 3 : 1, fed = search->fed;

    if ((len > other ? len - other : other - len) > limit && !strcasestr(candidate, word) &&
        !strcasestr(word, candidate))
        return;
    nearest_feed(search, candidate);
    if (search->best && search->best_index == fed)
        *best = node;
}

static int say_nearest(const struct graph *graph, const char *name, const char *what,
                       struct error *err)
{
    struct buf BUF_AUTO text = {0};
    struct nearest ids, titles;
    size_t by_id = 0, by_title = 0;
    uint32_t node;

    nearest_begin(&ids, name);
    nearest_begin(&titles, name);
    for (uint32_t v = 0; v < graph->node_count; v++) {
        if (v % CANCEL_STRIDE == 0 && igraph_guard_wanted(err) < 0)
            return -1;
        feed(&ids, name, graph->nodes[v].id, &by_id, v);
        feed(&titles, name, graph->nodes[v].title, &by_title, v);
    }
    buf_init(&text, ERROR_TEXT_CAP);
    graph_text_add(&text, name, GRAPH_TITLE_CAP, false);
    if (!ids.best && !titles.best) {
        buf_adds(&text, "', and none is near. Ids look like ");
        graph_text_add(&text, graph->nodes[0].id, GRAPH_ID_CAP, false);
        return error_set(err, ERROR_NOT_FOUND,
                         "%s: no node has the id or title '%s; the query outline lists the nodes.",
                         what, text.data);
    }
    node = (uint32_t)(!titles.best || (ids.best && ids.best_distance <= titles.best_distance)
                          ? by_id
                          : by_title);
    buf_adds(&text, "'; the nearest is ");
    graph_text_add(&text, graph->nodes[node].id, GRAPH_ID_CAP, false);
    buf_addc(&text, ' ');
    graph_text_add(&text, graph->nodes[node].title, GRAPH_TITLE_CAP, true);
    return error_set(err, ERROR_NOT_FOUND, "%s: no node has the id or title '%s.", what, text.data);
}

int graph_find(const struct graph *graph, const char *name, const char *what, uint32_t *node,
               struct error *err)
{
    struct graph_name search;
    size_t place;

    *node = graph_node_by_id(graph, name);
    if (*node != GRAPH_NO_NODE)
        return 0;
    if (graph->node_count == 0)
        return error_set(err, ERROR_NOT_FOUND, "%s: the curriculum has no nodes yet.", what);
    graph_name_begin(&search, name);
    for (uint32_t v = 0; v < graph->node_count; v++) {
        if (v % CANCEL_STRIDE == 0 && igraph_guard_wanted(err) < 0)
            return -1;
        graph_name_feed(&search, graph->nodes[v].id, graph->nodes[v].title);
    }
    if (graph_name_found(&search, &place)) {
        *node = (uint32_t)place;
        return 0;
    }
    if (search.same_titles > 1)
        return say_shared(graph, name, what, search.same_titles, err);
    return say_nearest(graph, name, what, err);
}
