/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern graph: one graph question from the shell, answered as query_graph answers it.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/terminal.h"
#include "helpers/graph/graph.h"
#include "mcp/change/graph_cache.h"
#include "mcp/command/command.h"
#include "mcp/store/store.h"

static const char *const takes[] = {
    [GRAPH_TAKES_NOTHING] = "",
    [GRAPH_TAKES_NODE] = " NODE",
    [GRAPH_TAKES_FROM_TO] = " FROM TO",
    [GRAPH_MAY_TAKE_NODE] = " [NODE]",
    [GRAPH_TAKES_FRAMEWORK] = " CURRICULUM [NODE]",
};

static void help(struct buf *to)
{
    size_t count;
    const struct graph_query *queries = graph_queries(&count);

    buf_adds(to, "Queries (NODE is an id, or a title that only one node has):\n");
    for (size_t i = 0; i < count; i++) {
        char left[40];

        snprintf(left, sizeof left, "%s%s", queries[i].name, takes[queries[i].needs]);
        buf_addf(to, "  %-24s %s\n", left, queries[i].summary);
    }
}

/* The words after the query's name are its nodes, unless options name them. */
static int read_nodes(const struct config *config, const struct graph_query *query,
                      struct graph_question *question, const char **framework, struct error *err)
{
    const char **nodes[] = {&question->node, &question->node};
    size_t count = query->needs == GRAPH_TAKES_NOTHING ? 0 : 1, given = 0;
    bool wrong = false;

    if (query->needs == GRAPH_TAKES_FROM_TO) {
        nodes[0] = &question->from;
        nodes[1] = &question->to;
        count = 2;
    } else if (query->needs == GRAPH_TAKES_FRAMEWORK) {
        nodes[0] = framework;
        count = 2;
    }
    for (size_t i = 1; i < config->argument_count && !wrong; i++) {
        while (given < count && *nodes[given])
            given++;
        wrong = given == count;
        if (!wrong)
            *nodes[given] = config->arguments[i];
    }
    for (size_t i = 0; i < count; i++)
        wrong = wrong || (!*nodes[i] && query->needs != GRAPH_MAY_TAKE_NODE &&
                          (i == 0 || query->needs != GRAPH_TAKES_FRAMEWORK));
    return wrong ? error_set(err, ERROR_INVALID, "usage: lectern graph %s%s", query->name,
                             takes[query->needs])
                 : 0;
}

static int read_question(const struct config *config, struct graph_question *question,
                         const char **framework, struct error *err)
{
    struct buf BUF_AUTO known = {0};
    const struct graph_query *query;

    if (config->argument_count == 0) {
        buf_init(&known, ERROR_TEXT_CAP);
        help(&known);
        return error_set(err, ERROR_INVALID, "the query is missing. %.*s", (int)known.len - 1,
                         known.data);
    }
    query = graph_query_find(config->arguments[0], err);
    if (!query)
        return -1;
    *question = (struct graph_question){
        .query = query->name,
        .node = config->node,
        .from = config->from,
        .to = config->to,
        .types = config->types,
        .limit = (unsigned)config->limit,
        .words = config->words,
        .parts = (unsigned)config->parts,
        .bounds.timeout_ms = (unsigned)config->query_timeout * 1000,
    };
    return read_nodes(config, query, question, framework, err);
}

static int answer(const struct config *config, struct store *store, struct graph_question *question,
                  const char *name, struct buf *text, struct error *err)
{
    struct framework FRAMEWORK_AUTO framework = {0};
    struct session_facts FACTS_AUTO facts = {0};
    char sid[SESSION_ID_SIZE];
    struct graph *graph;
    int rc;

    if (command_session(store, config->session, sid, err) < 0)
        return -1;
    if ((name && framework_get(&framework, NULL, store, &(struct session_scope){0}, name, question,
                               err) < 0) ||
        session_facts_read(&facts, store, sid, question, err) < 0)
        return -1;
    graph = graph_of_session(store, sid, NULL, err);
    if (!graph)
        return -1;
    rc = graph_answer(graph, question, text, err);
    graph_destroy(graph);
    return rc;
}

static int run(const struct config *config, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    cleanup_store struct store *store = NULL;
    struct graph_question question;
    const char *framework = NULL;

    if (read_question(config, &question, &framework, err) < 0)
        return EXIT_USAGE;
    store = store_open(config->store, STORE_READ, err);
    if (!store)
        return EXIT_FAILED;
    if (answer(config, store, &question, framework, &text, err) < 0)
        return err->kind == ERROR_INVALID ? EXIT_USAGE : EXIT_FAILED;
    terminal_write(stdout, text.data, text.len); /* main tells when it cannot be written */
    return EXIT_OK;
}

const struct command command_graph = {
    .name = "graph",
    .usage = "[OPTIONS] QUERY [NODE | FROM TO]",
    .summary = "Answer a question about prerequisites, paths, cycles, and more",
    .options = CONFIG_GRAPH,
    .most_words = CONFIG_ARGUMENTS_CAP,
    .help = help,
    .run = run,
};
