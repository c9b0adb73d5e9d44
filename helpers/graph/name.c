/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the names in a question mean: nodes by id or title, O(n) where it is no exact id, and
 * relationship types.
 */
#include "helpers/graph/name.h"

#include <string.h>
#include <strings.h>

#include "helpers/base/nearest.h"
#include "helpers/graph/ask.h"
#include "helpers/graph/igraph_guard.h"

#define CANCEL_STRIDE 1024u /* nodes compared between two looks at the bounds */
#define TYPES_SHOWN   12u

void graph_name_begin(struct graph_name *search, const char *name)
{
    memset(search, 0, sizeof *search);
    search->name = name;
}

void graph_name_feed(struct graph_name *search, const char *id, const char *title)
{
    bool blank = graph_text_blank(search->name);

    if (!blank && graph_text_same(search->name, id) && search->same_ids++ == 0)
        search->by_id = search->fed;
    if (!blank && title && graph_text_same(search->name, title) && search->same_titles++ == 0)
        search->by_title = search->fed;
    search->fed++;
}

bool graph_name_found(const struct graph_name *search, size_t *place)
{
    *place = search->same_ids == 1 ? search->by_id : search->by_title;
    return search->same_ids == 1 || search->same_titles == 1;
}

/* ---- nodes ---- */

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

/* ---- types ---- */

/* The contract's own types: a curriculum may have no edge of one, and asking about it is still no
 * mistake. */
static const char *const contract_types[] = {"LEADS_TO", "PREREQUISITE_FOR", "PREREQUISITE",
                                             "ENRICHMENT"};

static bool is_contract_type(const char *name)
{
    for (size_t i = 0; i < sizeof contract_types / sizeof *contract_types; i++) {
        if (strcasecmp(name, contract_types[i]) == 0)
            return true;
    }
    return false;
}

static void default_types(const struct graph *graph, enum graph_follows which, bool *follows)
{
    for (uint32_t i = 0; i < graph->type_count; i++) {
        const char *name = graph->types[i].name;

        follows[i] = which == GRAPH_FOLLOWS_ALL || strstr(name, "PREREQUISITE") ||
                     (which == GRAPH_FOLLOWS_PATHS && strcmp(name, "LEADS_TO") == 0);
    }
}

struct graph_view *graph_default_view(struct graph *graph, enum graph_follows which,
                                      struct error *err)
{
    cleanup_free bool *follows = graph_alloc(graph->type_count, sizeof *follows, err);

    if (!follows)
        return NULL;
    default_types(graph, which, follows);
    return graph_view_get(graph, follows, err);
}

static int say_unknown(const struct graph *graph, const char *name, struct error *err)
{
    struct buf BUF_AUTO text = {0}, BUF_AUTO known = {0};
    struct nearest search;

    buf_init(&text, ERROR_TEXT_CAP);
    buf_init(&known, ERROR_TEXT_CAP);
    nearest_begin(&search, name);
    for (uint32_t i = 0; i < graph->type_count; i++) {
        nearest_feed(&search, graph->types[i].name);
        if (i >= TYPES_SHOWN)
            continue;
        buf_adds(&known, i > 0 ? ", " : "");
        graph_text_add(&known, graph->types[i].name, GRAPH_TYPE_CAP, false);
    }
    if (graph->type_count > TYPES_SHOWN)
        buf_adds(&known, ", …");
    graph_text_add(&text, name, GRAPH_TITLE_CAP, false);
    buf_adds(&text, search.best ? "'; did you mean '" : "'.");
    if (search.best) {
        graph_text_add(&text, search.best, GRAPH_TYPE_CAP, false);
        buf_adds(&text, "'?");
    }
    return error_set(err, ERROR_NOT_FOUND,
                     "types: no relationship is of type '%s There are: %s (or \"all\").", text.data,
                     known.len > 0 ? known.data : "none");
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

static int choose(const struct graph *graph, const char *name, bool *follows, struct error *err)
{
    uint32_t type = graph_find_type(graph, name);

    if (type != GRAPH_NO_NODE)
        follows[type] = true;
    else if (!is_contract_type(name))
        return say_unknown(graph, name, err);
    return 0;
}

int graph_choose_types(const struct graph *graph, const struct graph_question *question,
                       enum graph_follows otherwise, bool *follows, struct error *err)
{
    if (!question->types || !question->types[0]) {
        default_types(graph, otherwise, follows);
        return 0;
    }
    for (size_t i = 0; question->types[i]; i++) {
        if (strcasecmp(question->types[i], "all") == 0)
            default_types(graph, GRAPH_FOLLOWS_ALL, follows);
        else if (choose(graph, question->types[i], follows, err) < 0)
            return -1;
    }
    return 0;
}
