/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which relationship types a question is about.
 */
#include <string.h>
#include <strings.h>

#include "helpers/base/nearest.h"
#include "helpers/graph/ask.h"
#include "helpers/graph/text.h"

#define TYPES_SHOWN 12u

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

void graph_default_types(const struct graph *graph, enum graph_follows which, bool *follows)
{
    for (uint32_t i = 0; i < graph->type_count; i++) {
        const char *name = graph->types[i].name;

        follows[i] = which == GRAPH_FOLLOWS_ALL || strstr(name, "PREREQUISITE") ||
                     (which == GRAPH_FOLLOWS_PATHS && strcmp(name, "LEADS_TO") == 0);
    }
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
        graph_default_types(graph, otherwise, follows);
        return 0;
    }
    for (size_t i = 0; question->types[i]; i++) {
        if (strcasecmp(question->types[i], "all") == 0)
            graph_default_types(graph, GRAPH_FOLLOWS_ALL, follows);
        else if (choose(graph, question->types[i], follows, err) < 0)
            return -1;
    }
    return 0;
}
