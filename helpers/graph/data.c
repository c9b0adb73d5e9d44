/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See data.h. Whether a comma is due is seen from the last byte: texts end with a quote, so an open
 * bracket or a colon there is never part of one.
 */
#include "helpers/graph/data.h"

#include <math.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/graph/text.h"

static void begin(struct graph_ask *ask, const char *key)
{
    struct buf *to = ask->answer;
    const char *last = to->len > 0 ? &to->data[to->len - 1] : "[";

    if (!strchr("{[:", *last))
        buf_addc(to, ',');
    if (key)
        buf_addf(to, "\"%s\":", key);
}

void graph_data_open(struct graph_ask *ask, const char *key, char bracket)
{
    begin(ask, key);
    buf_addc(ask->answer, bracket);
}

void graph_data_close(struct graph_ask *ask, char bracket)
{
    buf_addc(ask->answer, bracket);
}

void graph_data_count(struct graph_ask *ask, const char *key, size_t count)
{
    begin(ask, key);
    buf_addf(ask->answer, "%zu", count);
}

void graph_data_real(struct graph_ask *ask, const char *key, double value)
{
    json_t *number = isfinite(value) ? json_real(value) : json_null();

    begin(ask, key);
    if (number)
        json_write(ask->answer, number);
    else
        ask->answer->failed = true;
    json_decref(number);
}

void graph_data_bool(struct graph_ask *ask, const char *key, bool value)
{
    begin(ask, key);
    buf_adds(ask->answer, value ? "true" : "false");
}

void graph_data_null(struct graph_ask *ask, const char *key)
{
    begin(ask, key);
    buf_adds(ask->answer, "null");
}

static void add_text(struct buf *to, const char *text)
{
    struct buf BUF_AUTO mended = {0};
    size_t len = strlen(text);

    if (graph_text_is_utf8(text)) {
        json_write_string(to, text, len);
        return;
    }
    graph_text_add(&mended, text, len * 3 + 1, false);
    json_write_string(to, mended.data ? mended.data : "", mended.len);
    to->failed = to->failed || mended.failed;
}

void graph_data_text(struct graph_ask *ask, const char *key, const char *text)
{
    begin(ask, key);
    add_text(ask->answer, text);
}

void graph_data_node(struct graph_ask *ask, const char *key, uint32_t node)
{
    graph_data_text(ask, key, ask->graph->nodes[node].id);
}

/* ---- lists ---- */

void graph_data_list(struct graph_list *list, struct graph_ask *ask, const char *key, size_t total)
{
    graph_data_open(ask, key, '[');
    graph_list_begin(list, ask, total);
}

void graph_data_part(struct graph_list *list, struct graph_ask *ask, const char *key, size_t total)
{
    graph_data_list(list, ask, key, total);
    list->limit = total;
}

void graph_data_list_end(struct graph_list *list)
{
    list->ask->cut += list->total - list->shown;
    list->ask->full = list->ask->full || (list->shown < list->total && list->shown < list->limit);
    graph_data_close(list->ask, ']');
}

static void add_nodes(struct graph_list *list, const uint32_t *nodes)
{
    while (graph_list_row(list))
        graph_data_node(list->ask, NULL, nodes[list->shown - 1]);
    graph_data_list_end(list);
}

void graph_data_nodes(struct graph_ask *ask, const char *key, const uint32_t *nodes, size_t count)
{
    struct graph_list list;

    graph_data_list(&list, ask, key, count);
    add_nodes(&list, nodes);
}

void graph_data_part_nodes(struct graph_ask *ask, const char *key, const uint32_t *nodes,
                           size_t count)
{
    struct graph_list list;

    graph_data_part(&list, ask, key, count);
    add_nodes(&list, nodes);
}

void graph_data_types_between(struct graph_ask *ask, const char *key, uint32_t from, uint32_t to)
{
    uint32_t last = GRAPH_NO_NODE;
    size_t count;
    const struct graph_link *links = graph_links_between(ask->graph, from, to, &count);

    graph_data_open(ask, key, '[');
    for (size_t i = 0; i < count && graph_has_room(ask); i++) {
        if (!ask->view->follows[links[i].type] || links[i].type == last)
            continue;
        last = links[i].type;
        graph_data_text(ask, NULL, ask->graph->types[last].name);
    }
    graph_data_close(ask, ']');
}

/* ---- the scope ---- */

void graph_data_scope(struct graph_ask *ask, const struct graph_view *view)
{
    const struct graph_type *types = ask->graph->types;
    uint32_t count = ask->graph->type_count;

    graph_data_open(ask, "over", '{');
    graph_data_open(ask, "types", '[');
    for (uint32_t i = 0; i < count && graph_has_room(ask); i++) {
        if (view->follows[i])
            graph_data_text(ask, NULL, types[i].name);
    }
    graph_data_close(ask, ']');
    graph_data_count(ask, "edges", view->m);
    graph_data_open(ask, "left_out", '{');
    graph_data_count(ask, "missing_end", view->strays);
    graph_data_count(ask, "to_itself", view->loops);
    graph_data_count(ask, "parallel", view->parallel);
    graph_data_close(ask, '}');
    graph_data_open(ask, "not_followed", '{');
    for (uint32_t i = 0; i < count && graph_has_room(ask); i++) {
        if (view->follows[i])
            continue;
        begin(ask, NULL);
        add_text(ask->answer, types[i].name);
        buf_addf(ask->answer, ":%zu", types[i].edges);
    }
    graph_data_close(ask, '}');
    graph_data_close(ask, '}');
}
