/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * query_graph: a named query on a session's graph, answered as text. The queries and their
 * arguments come from the table of helpers/graph. On the graph work queue.
 */
#include <string.h>

#include "helpers/graph/graph.h"
#include "mcp/change/graph_cache.h"
#include "mcp/server.h"
#include "mcp/tool/arguments.h"

#define TYPES_CAP 16u

static bool is_large(const struct tool_call *call);
static int run(struct tool_call *call, struct store *store, struct error *err);
static const char *query_name(size_t i);
static void document_queries(const void *context, struct buf *to);

static const struct fields query_names = {
    .name = "query", .choice = query_name, .document = document_queries};

const struct tool tool_query_graph = {
    .name = "query_graph",
    .title = "Ask the graph",
    .description = "Exact graph answers.",
    .call_title = "Graph question: {query:words}[ of {node_id}][ from {from_node_id}]"
                  "[ to {to_node_id}]|Graph question",
    .icon = "ask",
    .use = "for a question that one query by name answers (what a node needs, a path, cycles, "
           "bottlenecks, teaching order). Exact and cheap.",
    .arguments = ARGUMENTS(
        "query_graph", ARGUMENT_SESSION,
        FIELD("query", FIELD_TEXT, .required = true, .of = &query_names),
        FIELD("node_id", FIELD_TEXT), FIELD("from_node_id", FIELD_TEXT),
        FIELD("to_node_id", FIELD_TEXT), FIELD("framework", FIELD_TEXT),
        FIELD("types", FIELD_ARRAY, .item = FIELD_TEXT, .documentation = "or all"),
        FIELD("limit", FIELD_WHOLE, .least = 1, .most = GRAPH_LIMIT_MAX),
        FIELD("words", FIELD_FLAG), FIELD("parts", FIELD_WHOLE, .least = 1, .most = INFINITY)),
    .read_only = true,
    .run = run,
    .graphs = true,
    .large = is_large,
    .brief = true,
};

static int read_types(const struct tool_call *call, const char *types[TYPES_CAP + 1],
                      struct error *err)
{
    const json_t *given = json_object_get(call->arguments, "types"), *type;
    size_t i;

    if (json_array_size(given) > TYPES_CAP)
        return error_set_at(err, "types", "types takes up to %u relationship types, or [\"all\"].",
                            TYPES_CAP);
    types[0] = NULL;
    json_array_foreach((json_t *)given, i, type)
    {
        types[i] = json_string_value(type);
        types[i + 1] = NULL;
    }
    return 0;
}

/* The library says the same, but not by the names of these arguments. */
static int check_needs(const struct graph_question *question, const char *framework,
                       struct error *err)
{
    size_t count;
    const struct graph_query *queries = graph_queries(&count);

    for (size_t i = 0; i < count; i++) {
        if (strcmp(queries[i].name, question->query) != 0)
            continue;
        if (queries[i].needs == GRAPH_TAKES_NODE && !question->node)
            return error_set_at(
                err, "node_id",
                "the query %s takes node_id: an id, or a title that only one node has.",
                question->query);
        if (queries[i].needs == GRAPH_TAKES_FRAMEWORK && !framework)
            return error_set_at(err, "framework",
                                "the query %s takes framework, the id or title of another "
                                "curriculum, such as \"Grade 6\".",
                                question->query);
        if (queries[i].needs == GRAPH_TAKES_FROM_TO && (!question->from || !question->to))
            return error_set_at(err, question->from ? "to_node_id" : "from_node_id",
                                "the query %s takes from_node_id and to_node_id: ids, or titles "
                                "that only one node has.",
                                question->query);
    }
    return 0;
}

static int answer(struct tool_call *call, struct store *store, const char *sid,
                  struct graph_question *question, struct error *err)
{
    struct graph_cache *graphs = call->server->store.graphs;
    const char *name = argument_text(call, "framework");
    struct session_facts FACTS_AUTO facts = {0};
    struct framework FRAMEWORK_AUTO framework = {0};
    struct graph GRAPH_AUTO *graph = NULL;
    int found;

    if (call->briefly && name)
        return 1;
    if (!call->briefly) {
        if ((name && framework_get(&framework, graphs, store,
                                   &(struct session_scope){.only = call->bound_session}, name,
                                   question, err) < 0) ||
            session_facts_read(&facts, store, sid, question, err) < 0)
            return -1;
        graph = graph_cache_get(graphs, store, sid, err);
        return graph ? graph_answer(graph, question, &call->text, err) : -1;
    }
    found = graph_cache_peek(graphs, store, sid, &graph, err);
    if (found < 0)
        return -1;
    if (found == 0 || !graph_is_brief(graph, question))
        return 1;
    question->bounds.at_once = true;
    return graph_answer(graph, question, &call->text, err);
}

static bool is_large(const struct tool_call *call)
{
    const char *name = argument_text(call, "query");
    const struct graph_query *query = name ? graph_query_find(name, NULL) : NULL;

    return query && !query->linear;
}

static int run(struct tool_call *call, struct store *store, struct error *err)
{
    const char *types[TYPES_CAP + 1];
    struct graph_question question = {
        .query = argument_text(call, "query"),
        .node = argument_text(call, "node_id"),
        .from = argument_text(call, "from_node_id"),
        .to = argument_text(call, "to_node_id"),
        .types = types,
        .limit = (unsigned)argument_whole(call, "limit", GRAPH_LIMIT_DEFAULT),
        .words = json_is_true(json_object_get(call->arguments, "words")),
        .parts = (unsigned)argument_whole(call, "parts", 0),
        .bounds = graph_cache_bounds(call->server->store.graphs, call->cancel),
    };
    char sid[SESSION_ID_SIZE];

    if (check_needs(&question, argument_text(call, "framework"), err) < 0 ||
        read_types(call, types, err) < 0 || tool_session(call, store, sid, err) < 0)
        return -1;
    return answer(call, store, sid, &question, err);
}

/* ---- the queries' names ---- */

static const char *query_name(size_t i)
{
    size_t count;
    const struct graph_query *queries = graph_queries(&count);

    return i < count ? queries[i].name : NULL;
}

/* Says which queries take nodes, and explains the one whose name does not explain it. */
static void document_queries(const void *context, struct buf *to)
{
    static const char *const takes[] = {
        [GRAPH_TAKES_NODE] = "node_id",
        [GRAPH_TAKES_FROM_TO] = "from_node_id, to_node_id",
        [GRAPH_MAY_TAKE_NODE] = "node_id or all",
        [GRAPH_TAKES_FRAMEWORK] = "framework",
    };
    static const char unclear[] = "unlocks";
    size_t count;
    const struct graph_query *queries = graph_queries(&count);

    (void)context;
    for (size_t needs = GRAPH_TAKES_NODE; needs < sizeof takes / sizeof takes[0]; needs++) {
        const char *comma = ": ";

        buf_adds(to, takes[needs]);
        for (size_t i = 0; i < count; i++) {
            if (queries[i].needs != needs)
                continue;
            buf_addf(to, "%s%s", comma, queries[i].name);
            comma = ", ";
        }
        buf_adds(to, "; ");
    }
    buf_addf(to, "%s: %s", unclear, graph_query_find(unclear, NULL)->summary);
}
