/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * query_graph: a question by name over a session's graph, answered in words. The queries and what
 * they are about come from the table of helpers/graph. On the graph work queue.
 */
#include <string.h>

#include "helpers/graph/graph.h"
#include "mcp/server.h"
#include "mcp/tool/arguments.h"
#include "mcp/session/graph_cache.h"
#include "mcp/tool/schema.h"
#include "mcp/tool/table.h"

#define TYPES_CAP 16u

/* types: an array of texts, or one text that is no JSON, as models send it. The array keeps the
 * texts alive. */
static int read_types(const struct tool_call *call, json_t **array,
                      const char *types[TYPES_CAP + 1], struct error *err)
{
    const json_t *given = json_object_get(call->arguments, "types"), *type;
    size_t i;

    types[0] = NULL;
    if (!given || json_is_null(given))
        return 0;
    if (json_is_string(given) && json_string_value(given)[0] != '[')
        *array = json_pack("[O]", given);
    else if (argument_json(call, "types", JSON_ARRAY, array, err) < 0)
        return -1;
    if (json_array_size(*array) > TYPES_CAP)
        return error_set_at(err, "types", "types takes up to %u relationship types, or [\"all\"].",
                            TYPES_CAP);
    json_array_foreach(*array, i, type)
    {
        if (!json_is_string(type))
            return error_set_at(err, "types",
                                "types wants an array of texts such as [\"PREREQUISITE\"].");
        types[i] = json_string_value(type);
        types[i + 1] = NULL;
    }
    return 0;
}

/* The library says the same, but not by the names of these arguments. */
static int check_needs(const struct graph_question *question, struct error *err)
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
    struct graph *graph = graph_cache_get(call->server->graphs, store, sid, err);

    return graph ? graph_answer(graph, question, &call->text, err) : -1;
}

static int run(struct tool_call *call, struct store *store, struct error *err)
{
    struct graph_question question = {.bounds =
                                          graph_cache_bounds(call->server->graphs, call->cancel)};
    const char *types[TYPES_CAP + 1];
    char sid[SESSION_ID_SIZE];
    json_t *array = NULL;
    long limit;
    int rc = -1;

    question.types = types;
    if (argument_text_or(call, "query", &question.query, "", err) == 0 &&
        argument_text_or(call, "node_id", &question.node, NULL, err) == 0 &&
        argument_text_or(call, "from_node_id", &question.from, NULL, err) == 0 &&
        argument_text_or(call, "to_node_id", &question.to, NULL, err) == 0 &&
        argument_number_or(call, "limit", &limit, 1, GRAPH_LIMIT_MAX, GRAPH_LIMIT_DEFAULT, err) ==
            0 &&
        check_needs(&question, err) == 0 && read_types(call, &array, types, err) == 0 &&
        tool_session(call, store, sid, err) == 0) {
        question.limit = (unsigned)limit;
        rc = answer(call, store, sid, &question, err);
    }
    json_decref(array);
    return rc;
}

static void schema_write(const struct server *server, struct buf *to)
{
    static const char *const takes[] = {
        [GRAPH_TAKES_NOTHING] = "",
        [GRAPH_TAKES_NODE] = " (node)",
        [GRAPH_TAKES_FROM_TO] = " (from, to)",
        [GRAPH_MAY_TAKE_NODE] = " (node?)",
    };
    size_t count;
    const struct graph_query *queries = graph_queries(&count);

    (void)server;
    buf_adds(to, "{\"type\":\"object\",\"properties\":{" SCHEMA_SESSION
                 ",\"query\":{\"type\":\"string\",\"enum\":[");
    for (size_t i = 0; i < count; i++)
        buf_addf(to, "%s\"%s\"", i > 0 ? "," : "", queries[i].name);
    buf_adds(to, "],\"description\":\"");
    for (size_t i = 0; i < count; i++) {
        buf_addf(to, "%s%s%s: %s", i > 0 ? "; " : "", queries[i].name, takes[queries[i].needs],
                 queries[i].summary);
    }
    buf_adds(to, "\"}," SCHEMA_NODE
                 ",\"from_node_id\":{\"type\":\"string\"},\"to_node_id\":{\"type\":\"string\"},"
                 "\"types\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":"
                 "\"relationship types, or [\\\"all\\\"]\"},");
    buf_addf(to,
             "\"limit\":{\"type\":\"integer\",\"maximum\":%u,\"default\":%u}},"
             "\"required\":[\"query\"]}",
             GRAPH_LIMIT_MAX, GRAPH_LIMIT_DEFAULT);
}

const struct tool tool_query_graph = {
    .name = "query_graph",
    .title = "Ask the graph",
    .description = "Exact answers about the graph. Nodes by id or title.",
    .schema_write = schema_write,
    .read_only = true,
    .idempotent = true,
    .run = run,
    .graphs = true,
};
