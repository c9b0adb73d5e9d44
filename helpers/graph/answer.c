/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of an answer, rendered as text and as JSON. See ask.h.
 *
 * The last byte shows whether JSON needs a comma: texts end with a quote, so an open bracket or a
 * colon there is never part of a text.
 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "helpers/graph/ask.h"

#define TYPES_SHOWN 8u /* relationship types listed in one line of words */

bool graph_has_room(const struct graph_ask *ask)
{
    return ask->answer->len < ask->rows_end;
}

/* The next type of the links that the view follows, starting at *at; false after the last. The
 * links are sorted by type. */
static bool next_type(const struct graph_ask *ask, const struct graph_link *links, size_t count,
                      size_t *at, uint32_t *type)
{
    for (; *at < count; ++*at) {
        if (links[*at].type != *type && ask->view->follows[links[*at].type]) {
            *type = links[*at].type;
            return true;
        }
    }
    return false;
}

/* ---- words ---- */

static void add_node(struct graph_ask *ask, struct buf *to, uint32_t node)
{
    const struct graph_vertex *vertex = &ask->graph->nodes[node];

    graph_text_add(to, vertex->id, GRAPH_ID_CAP, false);
    buf_addc(to, ' ');
    if (!graph_text_blank(vertex->code) && !graph_text_same(vertex->code, vertex->id)) {
        graph_text_add(to, vertex->code, GRAPH_CODE_CAP, false);
        buf_addc(to, ' ');
    }
    if (graph_text_blank(vertex->title))
        buf_adds(to, "(no title)");
    else
        graph_text_add(to, vertex->title, GRAPH_TITLE_CAP, true);
}

static struct buf *next_piece(struct graph_ask *ask)
{
    struct buf *piece = &ask->pieces[ask->piece++ % GRAPH_PIECES];

    buf_clear(piece);
    return piece;
}

static const char *piece_text(struct graph_ask *ask, const struct buf *piece)
{
    if (piece->failed)
        ask->answer->failed = ask->answer->starved = true;
    return piece->data ? piece->data : "";
}

const char *graph_node_text(struct graph_ask *ask, uint32_t node)
{
    struct buf *piece = next_piece(ask);

    add_node(ask, piece, node);
    return piece_text(ask, piece);
}

const char *graph_count_text(struct graph_ask *ask, size_t count, const char *thing)
{
    struct buf *piece = next_piece(ask);

    buf_addf(piece, "%zu %s%s", count, thing, count == 1 ? "" : "s");
    return piece_text(ask, piece);
}

const char *graph_words_text(struct graph_ask *ask, const uint32_t *nodes, size_t count)
{
    struct buf *piece = next_piece(ask);

    if (ask->words)
        buf_addf(piece, ", %zu words", graph_words(ask, nodes, count));
    return piece_text(ask, piece);
}

void graph_write_type(struct graph_ask *ask, uint32_t type)
{
    if (graph_text_blank(ask->graph->types[type].name))
        buf_adds(ask->answer, "(no type)");
    else
        graph_text_add(ask->answer, ask->graph->types[type].name, GRAPH_TYPE_CAP, false);
}

static void write_types_between(struct graph_ask *ask, uint32_t from, uint32_t to)
{
    uint32_t type = GRAPH_NO_NODE;
    size_t count, at = 0;
    const struct graph_link *links = graph_links_between(ask->graph, from, to, &count);

    for (size_t shown = 0; shown < TYPES_SHOWN && next_type(ask, links, count, &at, &type);
         shown++) {
        buf_adds(ask->answer, shown > 0 ? ", " : "");
        graph_write_type(ask, type);
    }
}

static void write_left_out_rows(const struct graph_list *list)
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

static void write_cell(struct graph_ask *ask, const struct graph_column *column,
                       const union graph_value *value)
{
    struct buf *to = ask->answer;
    const char *hole;

    if (!column->words || (column->kind == GRAPH_COLUMN_NONZERO && value->count == 0) ||
        (column->kind == GRAPH_COLUMN_WORDS && !ask->words) ||
        (column->kind == GRAPH_COLUMN_FLAG && !value->flag))
        return;
    hole = strchrnul(column->words, '%');
    buf_add(to, column->words, (size_t)(hole - column->words));
    if (column->kind == GRAPH_COLUMN_NODE)
        add_node(ask, to, value->node);
    else if (column->kind == GRAPH_COLUMN_REAL)
        buf_addf(to, "%.9f", value->real);
    else if (column->kind == GRAPH_COLUMN_TYPES)
        write_types_between(ask, value->ends.from, value->ends.to);
    else if (column->kind != GRAPH_COLUMN_FLAG)
        buf_addf(to, "%zu", value->count);
    buf_adds(to, *hole ? hole + 1 : hole);
}

static void write_some_nodes(struct graph_ask *ask, const uint32_t *nodes, size_t count,
                             size_t most)
{
    size_t shown;

    if (count == 0)
        return;
    for (shown = 0; shown < count && shown < most && graph_has_room(ask); shown++) {
        buf_adds(ask->answer, shown > 0 ? ", " : "");
        add_node(ask, ask->answer, nodes[shown]);
    }
    if (shown < count)
        buf_addf(ask->answer, "%s… %zu more", shown > 0 ? ", " : "", count - shown);
    buf_addc(ask->answer, '\n');
}

/* Lists the types that are followed, or those that are not. */
static size_t write_types(struct graph_ask *ask, const struct graph_view *view, bool followed)
{
    const struct graph *graph = ask->graph;
    size_t count = 0;

    for (uint32_t i = 0; i < graph->type_count; i++) {
        if (view->follows[i] != followed || count++ >= TYPES_SHOWN)
            continue;
        buf_adds(ask->answer, count > 1 ? ", " : "");
        graph_write_type(ask, i);
        if (!followed)
            buf_addf(ask->answer, " (%zu)", graph->types[i].edges);
    }
    if (count > TYPES_SHOWN)
        buf_addf(ask->answer, " and %zu more types", count - TYPES_SHOWN);
    return count;
}

static void write_left_out_edges(struct graph_ask *ask, const struct graph_view *view)
{
    const struct {
        size_t count;
        const char *what;
    } parts[] = {{view->strays, "with a missing end"},
                 {view->loops, "from a node to itself"},
                 {view->parallel, "parallel to another"}};
    const char *join = " Left out: ";

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].count == 0)
            continue;
        buf_addf(ask->answer, "%s%zu %s", join, parts[i].count, parts[i].what);
        join = ", ";
    }
    if (*join == ',')
        buf_addc(ask->answer, '.');
}

/* Lists types that were requested by name and that no edge here has; graph_choose_types accepts
 * only those of the contract. */
static size_t write_absent(struct graph_ask *ask, size_t followed)
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

static void write_scope(struct graph_ask *ask, const struct graph_view *view)
{
    size_t followed;

    buf_adds(ask->answer, "Over ");
    followed = write_types(ask, view, true);
    if (view == ask->view && ask->question->types && ask->question->types[0])
        followed += write_absent(ask, followed);
    if (followed == 0)
        buf_adds(ask->answer, "no type (none of those that count here occurs)");
    graph_say(ask, ": %s.", graph_count_text(ask, view->m, "edge"));
    write_left_out_edges(ask, view);
    if (memchr(view->follows, false, ask->graph->type_count)) {
        buf_adds(ask->answer, " Not followed: ");
        write_types(ask, view, false);
        buf_addc(ask->answer, '.');
    }
    buf_addc(ask->answer, '\n');
}

/* ---- data ---- */

/* Returns false if words are requested. */
static bool begin(struct graph_ask *ask, const char *key)
{
    struct buf *to = ask->answer;
    const char *last = to->len > 0 ? &to->data[to->len - 1] : "[";

    if (!ask->data)
        return false;
    if (!strchr("{[:", *last))
        buf_addc(to, ',');
    if (key)
        buf_addf(to, "\"%s\":", key);
    return true;
}

void graph_open(struct graph_ask *ask, const char *key, char bracket)
{
    if (begin(ask, key))
        buf_addc(ask->answer, bracket);
}

void graph_close(struct graph_ask *ask, char bracket)
{
    if (ask->data)
        buf_addc(ask->answer, bracket);
}

void graph_put(struct graph_ask *ask, const char *key, size_t count)
{
    if (begin(ask, key))
        buf_addf(ask->answer, "%zu", count);
}

void graph_put_bool(struct graph_ask *ask, const char *key, bool value)
{
    if (begin(ask, key))
        buf_adds(ask->answer, value ? "true" : "false");
}

void graph_put_null(struct graph_ask *ask, const char *key)
{
    if (begin(ask, key))
        buf_adds(ask->answer, "null");
}

void graph_put_real(struct graph_ask *ask, const char *key, double value)
{
    json_auto_t *number = isfinite(value) ? json_real(value) : json_null();

    if (!begin(ask, key))
        return;
    if (number)
        json_write(ask->answer, number);
    else
        ask->answer->failed = true;
}

static void add_text(struct buf *to, const char *text)
{
    struct buf BUF_AUTO repaired = {0};
    size_t len = strlen(text);

    if (graph_text_is_utf8(text)) {
        json_write_string(to, text, len);
        return;
    }
    graph_text_add(&repaired, text, len * 3 + 1, false);
    json_write_string(to, repaired.data ? repaired.data : "", repaired.len);
    to->failed = to->failed || repaired.failed;
}

void graph_put_text(struct graph_ask *ask, const char *key, const char *text)
{
    if (begin(ask, key))
        add_text(ask->answer, text);
}

void graph_put_node(struct graph_ask *ask, const char *key, uint32_t node)
{
    graph_put_text(ask, key, ask->graph->nodes[node].id);
}

void graph_put_types(struct graph_ask *ask, const char *key, uint32_t from, uint32_t to)
{
    uint32_t type = GRAPH_NO_NODE;
    size_t count, at = 0;
    const struct graph_link *links = graph_links_between(ask->graph, from, to, &count);

    graph_open(ask, key, '[');
    while (graph_has_room(ask) && next_type(ask, links, count, &at, &type))
        graph_put_text(ask, NULL, ask->graph->types[type].name);
    graph_close(ask, ']');
}

static void put_cell(struct graph_ask *ask, const struct graph_column *column,
                     const union graph_value *value)
{
    if (!column->key || (column->kind == GRAPH_COLUMN_WORDS && !ask->words))
        return;
    if (column->kind == GRAPH_COLUMN_NODE)
        graph_put_node(ask, column->key, value->node);
    else if (column->kind == GRAPH_COLUMN_REAL)
        graph_put_real(ask, column->key, value->real);
    else if (column->kind == GRAPH_COLUMN_FLAG)
        graph_put_bool(ask, column->key, value->flag);
    else if (column->kind == GRAPH_COLUMN_TYPES)
        graph_put_types(ask, column->key, value->ends.from, value->ends.to);
    else
        graph_put(ask, column->key, value->count);
}

static void put_scope(struct graph_ask *ask, const struct graph_view *view)
{
    const struct graph_type *types = ask->graph->types;
    uint32_t count = ask->graph->type_count;

    graph_open(ask, "over", '{');
    graph_open(ask, "types", '[');
    for (uint32_t i = 0; i < count && graph_has_room(ask); i++) {
        if (view->follows[i])
            graph_put_text(ask, NULL, types[i].name);
    }
    graph_close(ask, ']');
    graph_put(ask, "edges", view->m);
    graph_open(ask, "left_out", '{');
    graph_put(ask, "missing_end", view->strays);
    graph_put(ask, "to_itself", view->loops);
    graph_put(ask, "parallel", view->parallel);
    graph_close(ask, '}');
    graph_open(ask, "not_followed", '{');
    for (uint32_t i = 0; i < count && graph_has_room(ask); i++) {
        if (view->follows[i])
            continue;
        graph_put_text(ask, NULL, types[i].name);
        buf_addf(ask->answer, ":%zu", types[i].edges);
    }
    graph_close(ask, '}');
    graph_close(ask, '}');
}

void graph_put_words(struct graph_ask *ask, const uint32_t *nodes, size_t count)
{
    if (ask->words)
        graph_put(ask, "words", graph_words(ask, nodes, count));
}

/* ---- both ---- */

size_t graph_words(const struct graph_ask *ask, const uint32_t *nodes, size_t count)
{
    size_t words = 0;

    for (size_t i = 0; i < count; i++)
        words += ask->words[nodes[i]];
    return words;
}

void graph_relationships(struct graph_ask *ask, uint32_t from, uint32_t to, graph_visit *visit,
                         void *user)
{
    const struct graph_facts *facts = ask->question->facts;
    const struct graph *graph = ask->graph;
    uint32_t type = GRAPH_NO_NODE;
    size_t count, at = 0;
    const struct graph_link *links = graph_links_between(graph, from, to, &count);

    while (next_type(ask, links, count, &at, &type)) {
        struct graph_relationship found = {.explanation = "", .confidence = 1};
        const char *name = graph->types[type].name;

        if (facts)
            facts->relationship(facts->user, graph->nodes[from].id, graph->nodes[to].id, name,
                                &found);
        visit(ask, name, &found, user);
    }
}

void graph_list_begin(struct graph_list *list, struct graph_ask *ask, const char *key, size_t total)
{
    *list = (struct graph_list){ask, 0, ask->limit, total};
    graph_open(ask, key, '[');
}

static void end_list(struct graph_list *list)
{
    struct graph_ask *ask = list->ask;

    if (!ask->data) {
        write_left_out_rows(list);
        return;
    }
    ask->cut += list->total - list->shown;
    ask->full = ask->full || (list->shown < list->total && list->shown < list->limit);
    graph_close(ask, ']');
}

bool graph_list_row(struct graph_list *list)
{
    if (list->shown < list->total && list->shown < list->limit && graph_has_room(list->ask)) {
        list->shown++;
        return true;
    }
    end_list(list);
    return false;
}

void graph_row(struct graph_list *list, const struct graph_column *columns,
               const union graph_value *values)
{
    struct graph_ask *ask = list->ask;

    graph_open(ask, NULL, '{');
    for (size_t i = 0; columns[i].kind != GRAPH_COLUMN_END; i++)
        (ask->data ? put_cell : write_cell)(ask, &columns[i], &values[i]);
    graph_close(ask, '}');
    graph_say(ask, "\n");
}

static void add_nodes(struct graph_list *list, const uint32_t *nodes)
{
    struct graph_ask *ask = list->ask;

    while (graph_list_row(list)) {
        if (ask->data) {
            graph_put_node(ask, NULL, nodes[list->shown - 1]);
        } else {
            add_node(ask, ask->answer, nodes[list->shown - 1]);
            buf_addc(ask->answer, '\n');
        }
    }
}

void graph_nodes(struct graph_ask *ask, const char *key, const uint32_t *nodes, size_t count)
{
    struct graph_list list;

    graph_list_begin(&list, ask, key, count);
    add_nodes(&list, nodes);
}

void graph_put_nodes(struct graph_ask *ask, const char *key, const uint32_t *nodes, size_t count)
{
    struct graph_list list;

    if (!ask->data)
        return;
    graph_list_begin(&list, ask, key, count);
    list.limit = count;
    add_nodes(&list, nodes);
}

void graph_some_nodes(struct graph_ask *ask, const char *key, const uint32_t *nodes, size_t count,
                      size_t most)
{
    if (ask->data)
        graph_put_nodes(ask, key, nodes, count);
    else
        write_some_nodes(ask, nodes, count, most);
}

void graph_scope(struct graph_ask *ask, const struct graph_view *view)
{
    (ask->data ? put_scope : write_scope)(ask, view);
}
