/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Handlers of the session API: the queries of the graph there are, and the answer of one as data.
 * The query is a segment of the path, what it is about stands behind the '?'. rest_graph runs on
 * the graph work queue.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/graph/graph.h"
#include "mcp/session/graph_cache.h"
#include "mcp/api/rest_internal.h"

#define TYPES_CAP 16u
#define LIMIT_MAX 1000000000u

static const char *const takes[] = {
    [GRAPH_TAKES_NOTHING] = "none of node_id, from_node_id and to_node_id",
    [GRAPH_TAKES_NODE] = "node_id: an id, or a title that only one node has",
    [GRAPH_TAKES_FROM_TO] = "from_node_id and to_node_id: ids, or titles that only one node has",
    [GRAPH_MAY_TAKE_NODE] = "node_id or nothing",
};

/* ---- the list ---- */

int rest_graph_queries(struct rest_call *call, struct error *err)
{
    static const char *const arguments[] = {
        [GRAPH_TAKES_NOTHING] = "",
        [GRAPH_TAKES_NODE] = "\"node_id\"",
        [GRAPH_TAKES_FROM_TO] = "\"from_node_id\",\"to_node_id\"",
        [GRAPH_MAY_TAKE_NODE] = "\"node_id?\"",
    };
    struct buf *to = &call->response->body;
    size_t count;
    const struct graph_query *queries = graph_queries(&count);

    if (store_session(call->store, call->session, NULL, 0, NULL, err) < 0)
        return -1;
    buf_adds(to, "{\"queries\":[");
    for (size_t i = 0; i < count; i++) {
        buf_addf(to, "%s{\"query\":\"%s\",\"takes\":[%s],\"summary\":", i > 0 ? "," : "",
                 queries[i].name, arguments[queries[i].needs]);
        rest_answer_string(to, queries[i].summary);
        buf_addc(to, '}');
    }
    buf_addf(to, "],\"total\":%zu}", count);
    return 0;
}

/* ---- a question ---- */

struct asked {
    struct graph_question question;
    char node[REST_QUERY_MAX], from[REST_QUERY_MAX], to[REST_QUERY_MAX];
    char type[TYPES_CAP][REST_QUERY_MAX];
    const char *types[TYPES_CAP + 1];
    size_t type_count;
};

static int read_limit(struct asked *asked, const char *value, struct error *err)
{
    unsigned limit = 0;
    size_t digits = strspn(value, "0123456789");

    if (digits == 0 || digits > 10 || value[digits] || sscanf(value, "%u", &limit) != 1 ||
        limit < 1 || limit > LIMIT_MAX)
        return error_set_at(err, "query.limit",
                            "limit must be a whole number from 1 on; leave it out for all rows");
    asked->question.limit = limit;
    return 0;
}

static int read_one(struct asked *asked, const char *name, const char *value, struct error *err)
{
    const struct {
        const char *name;
        char *text;
        const char **member;
    } texts[] = {
        {"node_id", asked->node, &asked->question.node},
        {"from_node_id", asked->from, &asked->question.from},
        {"to_node_id", asked->to, &asked->question.to},
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(texts[i].name, name) != 0)
            continue;
        memcpy(texts[i].text, value, strlen(value) + 1);
        *texts[i].member = texts[i].text;
        return 0;
    }
    if (strcmp(name, "limit") == 0)
        return read_limit(asked, value, err);
    if (strcmp(name, "types") != 0)
        return error_set_at(err, "query.",
                            "there is no '%s' here: node_id, from_node_id, to_node_id, limit, and "
                            "types once for each relationship type",
                            name);
    if (asked->type_count == TYPES_CAP)
        return error_set_at(err, "query.types",
                            "up to %u relationship types, or types=all for every one", TYPES_CAP);
    memcpy(asked->type[asked->type_count], value, strlen(value) + 1);
    asked->types[asked->type_count] = asked->type[asked->type_count];
    asked->type_count++;
    return 0;
}

static int read_question(const struct rest_call *call, struct asked *asked, struct error *err)
{
    char name[REST_NAME_MAX], value[REST_QUERY_MAX];
    const char *at = call->request->query;
    int more;

    memset(asked, 0, sizeof *asked);
    asked->question.query = call->item;
    asked->question.types = asked->types;
    asked->question.bounds = graph_cache_bounds(call->request->graphs, call->request->cancel);
    while ((more = rest_query_next(&at, name, value, err)) > 0) {
        if (read_one(asked, name, value, err) < 0)
            return -1;
    }
    return more;
}

/* The library's errors by the names that the path and its query have. */
static int rename_error(const char *query, struct error *err)
{
    size_t count;
    const struct graph_query *queries = graph_queries(&count);

    if (err->kind != ERROR_INVALID)
        return -1;
    if (strcmp(err->loc, "query") == 0)
        err->kind = ERROR_NOT_FOUND;
    for (size_t i = 0; i < count; i++) {
        bool ends = queries[i].needs == GRAPH_TAKES_FROM_TO;

        if (strcmp(queries[i].name, query) == 0 && strcmp(err->loc, ends ? "from" : "node") == 0)
            return error_set_at(err, ends ? "query.from_node_id" : "query.node_id",
                                "the graph query %s takes %s", query, takes[queries[i].needs]);
    }
    return -1;
}

int rest_graph(struct rest_call *call, struct error *err)
{
    struct graph *graph;
    struct asked asked;

    if (!call->request->graphs)
        return error_set(err, ERROR_UNAVAILABLE, "graph questions are not answered here");
    if (cancel_check(call->request->cancel, err) < 0 || read_question(call, &asked, err) < 0)
        return -1;
    graph = graph_cache_get(call->request->graphs, call->store, call->session, err);
    if (!graph)
        return -1;
    if (graph_answer_data(graph, &asked.question, &call->response->body, err) < 0)
        return rename_error(call->item, err);
    return 0;
}
