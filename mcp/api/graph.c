/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Routes of the session API: the list of graph queries, and the answer of one as data. The name of
 * the query is a segment of the path, its arguments are in the query string. ask runs on the graph
 * work queue.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/graph/graph.h"
#include "mcp/api/rest_internal.h"
#include "mcp/change/graph_cache.h"
#include "mcp/store/entities/session.h"

#define TYPES_CAP 16u
#define LIMIT_MAX 1000000000u

static const char *const takes[] = {
    [GRAPH_TAKES_NOTHING] = "none of node_id, from_node_id and to_node_id",
    [GRAPH_TAKES_NODE] = "node_id: an id, or a title that only one node has",
    [GRAPH_TAKES_FROM_TO] = "from_node_id and to_node_id: ids, or titles that only one node has",
    [GRAPH_MAY_TAKE_NODE] = "node_id or nothing",
    [GRAPH_TAKES_FRAMEWORK] = ("framework, the id or title of another curriculum, and node_id, a "
                               "chapter or statement of it, or nothing"),
};

/* ---- the list ---- */

static int list_queries(struct rest_call *call, struct error *err)
{
    static const char *const arguments[] = {
        [GRAPH_TAKES_NOTHING] = "",
        [GRAPH_TAKES_NODE] = "\"node_id\"",
        [GRAPH_TAKES_FROM_TO] = "\"from_node_id\",\"to_node_id\"",
        [GRAPH_MAY_TAKE_NODE] = "\"node_id?\"",
        [GRAPH_TAKES_FRAMEWORK] = "\"framework\",\"node_id?\"",
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

/* Borrows its texts from the call. */
static void read_question(const struct rest_call *call, struct graph_question *question,
                          const char *types[TYPES_CAP + 1])
{
    const json_t *given = json_object_get(call->asked, "types"), *type;
    size_t i;

    *question = (struct graph_question){
        .query = call->item,
        .node = json_get_string(call->asked, "node_id"),
        .from = json_get_string(call->asked, "from_node_id"),
        .to = json_get_string(call->asked, "to_node_id"),
        .limit = (unsigned)rest_asked_whole(call, "limit", 0),
        .words = json_is_true(json_object_get(call->asked, "words")),
        .parts = (unsigned)rest_asked_whole(call, "parts", 0),
        .types = types,
        .bounds = graph_cache_bounds(call->request->graphs, call->request->cancel),
    };
    types[0] = NULL;
    json_array_foreach((json_t *)given, i, type)
    {
        types[i] = json_string_value(type);
        types[i + 1] = NULL;
    }
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

        if (strcmp(queries[i].name, query) == 0 && strcmp(err->loc, "framework") == 0)
            return error_set_at(err, "query.framework", "the graph query %s takes %s", query,
                                takes[queries[i].needs]);
        if (strcmp(queries[i].name, query) == 0 && strcmp(err->loc, ends ? "from" : "node") == 0)
            return error_set_at(err, ends ? "query.from_node_id" : "query.node_id",
                                "the graph query %s takes %s", query, takes[queries[i].needs]);
    }
    return -1;
}

static int ask(struct rest_call *call, struct error *err)
{
    const char *framework_name = json_get_string(call->asked, "framework");
    struct session_facts FACTS_AUTO facts = {0};
    struct framework FRAMEWORK_AUTO framework = {0};
    struct graph_question question;
    const char *types[TYPES_CAP + 1];
    struct graph GRAPH_AUTO *graph = NULL;

    if (!call->request->graphs)
        return error_set(err, ERROR_UNAVAILABLE, "graph questions are not answered here");
    if (cancel_check(call->request->cancel, err) < 0)
        return -1;
    if (json_array_size(json_object_get(call->asked, "types")) > TYPES_CAP)
        return error_set_at(err, "query.types",
                            "up to %u relationship types, or types=all for every one", TYPES_CAP);
    read_question(call, &question, types);
    if (framework_name && framework_get(&framework, call->request->graphs, call->store,
                                        &call->request->scope, framework_name, &question, err) < 0)
        return -1;
    if (session_facts_read(&facts, call->store, call->session, &question, err) < 0)
        return rename_error(call->item, err);
    graph = graph_cache_get(call->request->graphs, call->store, call->session, err);
    if (!graph)
        return -1;
    if (graph_answer_data(graph, &question, &call->response->body, err) < 0)
        return rename_error(call->item, err);
    return 0;
}

bool rest_is_large(const struct rest_route *route, const char *target)
{
    size_t len = strcspn(target, "?");
    const char *slash = memrchr(target, '/', len);
    const struct graph_query *query;
    char name[REST_PATH_MAX];

    if (rest_workq(route) != REST_GRAPH || !slash)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(target + len - slash - 1), slash + 1);
    query = graph_query_find(name, NULL);
    return !query || !query->linear; /* a name that is encoded is not known yet */
}

/* clang-format off */
/* ---- shapes ---- */

static const struct fields query_row =
    REST_ANSWER(NULL, REST_TEXT("query"), FIELD("takes", FIELD_ARRAY, .item = FIELD_TEXT, .required = true),
                REST_TEXT("summary"));
static const struct fields queries_answer =
    REST_ANSWER("GraphQueries", REST_LIST("queries", &query_row), REST_WHOLE("total"));
static const struct fields answer = {
    .flags = FIELDS_ANSWER, .schema = "GraphAnswer", .documentation = "Of another form for each query; nodes by their ids",
};
static const struct fields ask_query = {
    .name = "the query", .flags = FIELDS_AS_TEXT, .noun = "parameter",
    .rows = (const struct field[]){
        FIELD("node_id", FIELD_TEXT, .documentation = "A node's id, or its title"),
        FIELD("framework", FIELD_TEXT, .documentation = "Of coverage: another curriculum, by id or title"),
        FIELD("from_node_id", FIELD_TEXT, .documentation = "Where a path begins: id or title"),
        FIELD("to_node_id", FIELD_TEXT, .documentation = "Where a path ends: id or title"),
        FIELD("types", FIELD_ARRAY, .item = FIELD_TEXT, .documentation = "Relationship types, or all"),
        FIELD("limit", FIELD_WHOLE, .least = 1, .most = LIMIT_MAX,
         .documentation = "Rows of each list at most; left out: all"),
        FIELD("words", FIELD_FLAG, .documentation = "Count words: of outline, order and levels"),
        FIELD("parts", FIELD_WHOLE, .least = 1, .most = GRAPH_PARTS_MAX,
         .documentation = "Into how many parts pace cuts the order"), {0}},
};

const struct rest_route rest_graph_routes[] = {
    {"GET", "/session/{sid}/graph", list_queries, ROUTE_BROKER, REST_STATE_SESSION, NULL,
     "listGraphQueries", "graph", "The questions that the graph answers", NULL, NULL, &queries_answer},
    {"GET", "/session/{sid}/graph/{query}", ask, ROUTE_BROKER | ROUTE_GRAPH, REST_STATE_SESSION, NULL,
     "askGraph", "graph", "One of them, answered as data", &ask_query, NULL, &answer},
    {0},
};
/* clang-format on */
