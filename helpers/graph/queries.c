/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a question to its answer: arguments checked, nodes found, types chosen, the view made, the
 * query's function called, the scope written.
 */
#include "helpers/graph/ask.h"

#include <string.h>

#include "helpers/base/nearest.h"
#include "helpers/graph/igraph_guard.h"

static const struct graph_query queries[] = {
#define ROW(name, summary, needs, follows)                                                         \
    {#name, summary, GRAPH_##needs, GRAPH_FOLLOWS_##follows, graph_query_##name},
    GRAPH_QUERIES(ROW)
#undef ROW
};

#define QUERY_COUNT (sizeof queries / sizeof *queries)

const struct graph_query *graph_queries(size_t *count)
{
    *count = QUERY_COUNT;
    return queries;
}

static const struct {
    const char *other, *name;
} other_names[] = {{"prerequisites", "needs"}, {"dependents", "needed_by"}};

const struct graph_query *graph_query_find(const char *name, struct error *err)
{
    struct buf BUF_AUTO known = {0}, BUF_AUTO text = {0};
    struct nearest search;

    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++) {
        if (strcmp(other_names[i].other, name) == 0)
            name = other_names[i].name;
    }
    buf_init(&known, ERROR_TEXT_CAP);
    buf_init(&text, ERROR_TEXT_CAP);
    nearest_begin(&search, name);
    for (size_t i = 0; i < QUERY_COUNT; i++) {
        if (strcmp(queries[i].name, name) == 0)
            return &queries[i];
        nearest_feed(&search, queries[i].name);
        buf_addf(&known, "%s%s", i > 0 ? ", " : "", queries[i].name);
    }
    graph_text_add(&text, name, GRAPH_TITLE_CAP, false);
    buf_adds(&text, search.best ? "'; did you mean '" : "'.");
    if (search.best)
        buf_addf(&text, "%s'?", search.best);
    if (graph_text_blank(name))
        error_set_at(err, "query", "say which query. The queries: %s.", known.data);
    else
        error_set_at(err, "query", "there is no query '%s The queries: %s.", text.data, known.data);
    return NULL;
}

static const char *given(const char *text)
{
    return text && !graph_text_blank(text) ? text : NULL;
}

/* Which arguments a kind of query takes, and what to say when it got others. */
static int check_arguments(const struct graph_query *query, const struct graph_question *question,
                           bool data, struct error *err)
{
    static const struct {
        bool node_needed, node_allowed, ends;
        const char *loc, *takes;
    } rules[] = {
        [GRAPH_TAKES_NOTHING] = {false, false, false, "node",
                                 "is about the whole curriculum: leave node, from and to out"},
        [GRAPH_TAKES_NODE] = {true, true, false, "node",
                              "takes one node: its id, or a title that only one node has"},
        [GRAPH_TAKES_FROM_TO] =
            {false, false, true, "from",
             "takes two nodes, from and to: ids, or titles that only one node has"},
        [GRAPH_MAY_TAKE_NODE] = {false, true, false, "node",
                                 "takes one node or none: leave from and to out"},
    };
    bool node = given(question->node), from = given(question->from), to = given(question->to);
    bool good = rules[query->needs].ends ? from && to : !from && !to;

    good = good && (node ? rules[query->needs].node_allowed : !rules[query->needs].node_needed);
    if (!good)
        return error_set_at(err, rules[query->needs].loc, "the query %s %s.", query->name,
                            rules[query->needs].takes);
    if (!data && question->limit > GRAPH_LIMIT_MAX)
        return error_set_at(err, "limit", "limit goes from 1 to %u.", GRAPH_LIMIT_MAX);
    return 0;
}

static int find_one(struct graph_ask *ask, const char *name, const char *what, uint32_t *node,
                    struct error *err)
{
    *node = GRAPH_NO_NODE;
    return given(name) ? graph_find(ask->graph, name, what, node, err) : 0;
}

static int prepare(struct graph_ask *ask, struct error *err)
{
    /* Programs have them by the names of the relationships' own fields. */
    static const char *const named[2][3] = {{"node", "from", "to"},
                                            {"node_id", "from_node_id", "to_node_id"}};
    const char *const *names = named[ask->data];
    const struct graph_question *question = ask->question;
    cleanup_free bool *follows = NULL;

    if (check_arguments(ask->query, question, ask->data, err) < 0 ||
        find_one(ask, question->node, names[0], &ask->node, err) < 0 ||
        find_one(ask, question->from, names[1], &ask->from, err) < 0 ||
        find_one(ask, question->to, names[2], &ask->to, err) < 0)
        return -1;
    follows = graph_alloc(ask->graph->type_count, sizeof *follows, err);
    if (!follows || graph_choose_types(ask->graph, question, ask->query->follows, follows, err) < 0)
        return -1;
    ask->view = graph_view_get(ask->graph, follows, err);
    return ask->view ? 0 : -1;
}

static int write_answer(struct graph_ask *ask, struct error *err)
{
    if (ask->data) {
        buf_addf(ask->answer, "{\"query\":\"%s\"", ask->query->name);
        graph_scope(ask, ask->view);
    }
    if (ask->query->answer(ask, err) < 0)
        return -1;
    if (!ask->data && !ask->no_scope)
        graph_scope(ask, ask->view);
    if (ask->data) {
        graph_put(ask, "cut", ask->cut);
        graph_put_bool(ask, "full", ask->full);
        graph_close(ask, '}');
    }
    return 0;
}

static int answer(struct graph_ask *ask, struct error *err)
{
    struct buf *to = ask->answer;
    size_t before = to->len;
    int rc;

    ask->query = graph_query_find(ask->question->query ? ask->question->query : "", err);
    if (!ask->query)
        return -1;
    igraph_guard_begin(&ask->question->bounds);
    rc = igraph_guard_wanted(err);
    if (rc == 0)
        rc = prepare(ask, err);
    if (rc == 0)
        rc = write_answer(ask, err);
    igraph_guard_end();
    for (size_t i = 0; i < GRAPH_PIECES; i++)
        buf_finish(&ask->pieces[i]);
    if (rc == 0)
        rc = buf_check(to, "the answer", err);
    if (rc < 0 && !to->failed && to->data) {
        to->len = before;
        to->data[before] = '\0';
    }
    return rc;
}

int graph_answer(struct graph *graph, const struct graph_question *question, struct buf *to,
                 struct error *err)
{
    struct graph_ask ask = {
        .graph = graph,
        .question = question,
        .limit = question->limit > 0 ? question->limit : GRAPH_LIMIT_DEFAULT,
        .answer = to,
        .rows_end = to->len + GRAPH_ANSWER_CAP - GRAPH_ANSWER_RESERVE,
    };

    return answer(&ask, err);
}

int graph_answer_data(struct graph *graph, const struct graph_question *question, struct buf *to,
                      struct error *err)
{
    struct graph_ask ask = {
        .graph = graph,
        .question = question,
        .limit = question->limit > 0 ? question->limit : SIZE_MAX,
        .answer = to,
        .rows_end = to->len + GRAPH_DATA_CAP,
        .data = true,
    };

    return answer(&ask, err);
}
