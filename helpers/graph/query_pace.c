/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pace: the teaching order cut into parts of about the same number of words: weeks, sessions,
 * chapters. Each cut is where the words before it come nearest to their share; no part is empty
 * while there are nodes for it.
 */
#include "helpers/graph/ask.h"

/* The end of part number `part` (from 1), which begins at `begin`. */
static uint32_t find_end(const struct graph_ask *ask, const uint32_t *nodes, uint32_t begin,
                         unsigned part, size_t before, size_t total)
{
    const unsigned parts = ask->question->parts, left = parts - part;
    const uint32_t n = ask->view->n;
    uint32_t last = n > left + begin ? n - left : begin + 1;
    const double share = (double)total * part / parts;
    uint32_t end = begin;

    if (part == parts)
        return n;
    while (end < last && end < n) {
        const double words = (double)ask->words[nodes[end]];

        if (end > begin && (double)before + words / 2 >= share)
            break;
        before += ask->words[nodes[end++]];
    }
    return end;
}

static void add_part(struct graph_ask *ask, const uint32_t *nodes, uint32_t count, size_t number)
{
    size_t most = ask->limit / ask->question->parts;

    if (ask->data) {
        graph_open(ask, NULL, '{');
        graph_put_nodes(ask, "nodes", nodes, count);
        graph_put_words(ask, nodes, count);
        graph_close(ask, '}');
        return;
    }
    graph_say(ask, "part %zu, %s%s%s", number, graph_count_text(ask, count, "node"),
              graph_words_text(ask, nodes, count), count > 0 ? ": " : "\n");
    graph_some_nodes(ask, NULL, nodes, count, ask->limit >= ask->view->n ? count : most + 1);
}

int graph_query_pace(struct graph_ask *ask, struct error *err)
{
    const struct graph_order *order = graph_order_get(ask->view, err);
    const uint32_t *nodes;
    struct graph_list list;
    uint32_t begin = 0;
    size_t before = 0, total;

    if (!order)
        return -1;
    nodes = order->nodes;
    total = graph_words(ask, nodes, ask->view->n);
    graph_say(ask, "Teaching order of %s%s, in %s:\n", graph_count_text(ask, ask->view->n, "node"),
              graph_words_text(ask, nodes, ask->view->n),
              graph_count_text(ask, ask->question->parts, "part"));
    graph_put_words(ask, nodes, ask->view->n);
    graph_list_begin(&list, ask, "parts", ask->question->parts);
    list.limit = ask->question->parts;
    while (graph_list_row(&list)) {
        uint32_t end = find_end(ask, nodes, begin, (unsigned)list.shown, before, total);

        add_part(ask, nodes + begin, end - begin, list.shown);
        before += graph_words(ask, nodes + begin, end - begin);
        begin = end;
    }
    return 0;
}
