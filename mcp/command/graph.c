/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern graph: one graph question from the shell, answered as query_graph answers it.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/graph/graph.h"
#include "mcp/command/command.h"
#include "mcp/session/store.h"
#include "mcp/session/graph_cache.h"

static int read_question(const struct config *config, struct graph_question *question,
                         struct error *err)
{
    static const char *const takes[] = {
        [GRAPH_TAKES_NOTHING] = "",
        [GRAPH_TAKES_NODE] = " --node N",
        [GRAPH_TAKES_FROM_TO] = " --from A --to B",
        [GRAPH_MAY_TAKE_NODE] = " [--node N]",
    };
    size_t count;
    const struct graph_query *queries = graph_queries(&count);
    struct buf BUF_AUTO known = {0};

    *question = (struct graph_question){
        .query = config->argument_count > 0 ? config->arguments[0] : NULL,
        .node = config->node,
        .from = config->from,
        .to = config->to,
        .types = config->types,
        .limit = (unsigned)config->limit,
        .bounds.timeout_s = (unsigned)config->query_timeout,
    };
    if (config->argument_count == 1)
        return 0;
    buf_init(&known, ERROR_TEXT_CAP);
    for (size_t i = 0; i < count; i++)
        buf_addf(&known, "\n  %s%s: %s", queries[i].name, takes[queries[i].needs],
                 queries[i].summary);
    return error_set(err, ERROR_INVALID, "%s. The queries:%s",
                     config->argument_count == 0 ? "say which query" : "one query at a time",
                     known.data);
}

static int answer(const struct config *config, struct store *store,
                  const struct graph_question *question, struct buf *text, struct error *err)
{
    char sid[SESSION_ID_SIZE];
    struct graph *graph;
    int rc;

    if (config->session && strlen(config->session) >= sizeof sid)
        return error_set(err, ERROR_UNKNOWN_SESSION,
                         "'%.60s' is no session id: it is a UUID of 36 characters.",
                         config->session);
    if (config->session)
        snprintf(sid, sizeof sid, "%s", config->session);
    else if (store_only_session(store, sid, err) < 0)
        return -1;
    graph = graph_of_session(store, sid, NULL, err);
    if (!graph)
        return -1;
    rc = graph_answer(graph, question, text, err);
    graph_destroy(graph);
    return rc;
}

static int run(const struct config *config)
{
    struct buf BUF_AUTO text = {0};
    struct graph_question question;
    struct error err = {0};
    struct store *store;
    int rc;

    if (read_question(config, &question, &err) < 0)
        return command_fail("graph", EXIT_USAGE, &err);
    store = store_open(config->store, STORE_READ, &err);
    if (!store)
        return command_fail("graph", EXIT_FAILED, &err);
    buf_init(&text, 0);
    rc = answer(config, store, &question, &text, &err);
    store_close(store);
    if (rc < 0)
        return command_fail("graph", err.kind == ERROR_INVALID ? EXIT_USAGE : EXIT_FAILED, &err);
    fwrite(text.data, 1, text.len, stdout); /* main tells when it cannot be written */
    return EXIT_OK;
}

const struct command command_graph = {
    .name = "graph",
    .usage = "QUERY [--session SID] [--node N] [--from A --to B] [--types T]... [--limit N] "
             "[--store URL]",
    .summary = "ask about prerequisites, paths, order, cycles and bottlenecks",
    .options = CONFIG_GRAPH,
    .takes_words = true,
    .run = run,
};
