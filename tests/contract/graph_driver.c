/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Graph questions from a script: one JSON object a line in, one a line out. {"nodes": [...],
 * "relationships": [...]} makes a graph of a curriculum file's fields; {"query", "node", "from",
 * "to", "types", "limit"} asks it. An answer is {"text", "seconds"} or {"error", "text"}; with
 * "data": true it is {"data", "seconds"}. It adds nothing to the library: what a test reads is what
 * a model or a program would.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "helpers/base/json.h"
#include "helpers/graph/graph.h"

#define TYPES_CAP 16

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void answer_line(json_t *answer)
{
    char *text = json_dumps(answer, JSON_COMPACT);

    puts(text);
    fflush(stdout);
    free(text);
    json_decref(answer);
}

static json_t *failure(const struct error *err)
{
    return json_pack("{s:s, s:s, s:s}", "error", error_kind_name(err->kind), "text", err->text,
                     "loc", err->loc);
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_get_string(object, key);

    return text ? text : "";
}

static struct graph *make(const json_t *curriculum, struct error *err)
{
    const json_t *nodes = json_object_get(curriculum, "nodes");
    const json_t *edges = json_object_get(curriculum, "relationships");
    struct graph_node *node = calloc(json_array_size(nodes) + 1, sizeof *node);
    struct graph_edge *edge = calloc(json_array_size(edges) + 1, sizeof *edge);
    struct graph *graph = NULL;
    const json_t *item;
    size_t i;

    json_array_foreach(nodes, i, item) node[i] = (struct graph_node){
        text_at(item, "node_id"), text_at(item, "title"), json_get_string(item, "chapter"),
        json_array_size(json_object_get(item, "components")),
        json_get_string(item, "humanCodingScheme")};
    json_array_foreach(edges, i, item) edge[i] =
        (struct graph_edge){text_at(item, "from_node_id"), text_at(item, "to_node_id"),
                            text_at(item, "relationship_type")};
    graph = graph_create(node, json_array_size(nodes), edge, json_array_size(edges), err);
    free(edge);
    free(node);
    return graph;
}

static json_t *answered(const struct buf *answer, bool data, double seconds)
{
    struct error err = {0};
    json_t *value;

    if (!data)
        return json_pack("{s:s#, s:f}", "text", answer->data, (int)answer->len, "seconds", seconds);
    value = json_read(answer->data, answer->len, "the answer", &err);
    return value ? json_pack("{s:o, s:f}", "data", value, "seconds", seconds) : failure(&err);
}

static json_t *ask(struct graph *graph, const json_t *line)
{
    bool data = json_is_true(json_object_get(line, "data"));
    const char *types[TYPES_CAP + 1] = {0};
    const json_t *list = json_object_get(line, "types"), *type;
    struct graph_question question = {
        .query = json_get_string(line, "query"),
        .node = json_get_string(line, "node"),
        .from = json_get_string(line, "from"),
        .to = json_get_string(line, "to"),
        .types = types,
        .limit = (unsigned)json_integer_value(json_object_get(line, "limit")),
    };
    struct buf BUF_AUTO text = {0};
    struct error err = {0};
    double start = now();
    size_t i;

    json_array_foreach(list, i, type)
    {
        if (i < TYPES_CAP)
            types[i] = json_string_value(type);
    }
    buf_init(&text, 0);
    if ((data ? graph_answer_data : graph_answer)(graph, &question, &text, &err) < 0)
        return failure(&err);
    return answered(&text, data, now() - start);
}

static json_t *take(struct graph **graph, const json_t *line)
{
    struct error err = {0};
    double start = now();

    if (!json_object_get(line, "nodes"))
        return ask(*graph, line);
    graph_destroy(*graph);
    *graph = make(line, &err);
    return *graph ? json_pack("{s:f}", "seconds", now() - start) : failure(&err);
}

int main(void)
{
    struct graph *graph = NULL;
    struct error err = {0};
    char *text = NULL;
    size_t size = 0;
    ssize_t len;
    json_t *line;

    while ((len = getline(&text, &size, stdin)) > 0) {
        line = json_read(text, (size_t)len, "the line", &err);
        if (!line || (!graph && !json_object_get(line, "nodes"))) {
            fprintf(stderr, "graph_driver: %s\n", line ? "no graph yet" : err.text);
            json_decref(line);
            break;
        }
        answer_line(take(&graph, line));
        json_decref(line);
    }
    graph_destroy(graph);
    free(text);
    return len > 0;
}
