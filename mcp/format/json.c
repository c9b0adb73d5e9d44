/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The curriculum file itself, written as one node a line; read too where it is a graph of another
 * tool: in node-link form (NetworkX, D3), of Cytoscape.js, or in JSON Graph Format.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/limits.h"
#include "mcp/format/column_role.h"
#include "mcp/format/file.h"
#include "mcp/format/format.h"
#include "mcp/format/graph_file.h"
#include "mcp/format/json_text.h"

/* JSON Lines: a value on each line. */
static bool is_lines(const char *name)
{
    static const char *const suffixes[] = {".jsonl", ".ndjson", NULL};

    return file_ends_in_any(name, suffixes);
}

static bool has_name(const char *name)
{
    return strcmp(name, "-") == 0 || file_ends_in(name, ".json") || is_lines(name);
}

/* ---- graphs of other tools, in their forms ---- */

struct graph_source {
    struct graph_file graph;
    json_t *rest;    /* the file without nodes and edges; owned */
    json_t *title;   /* of the graph; owned; or NULL */
    const char *key; /* where the edges stand, or the nodes if it is a list of them */
    bool is_list;
};

/* An entry with the fields of one of its members, which other fields do not replace. An id alone is
 * a node, and two of them are an edge. */
static json_t *unfold(const json_t *entry, const char *member)
{
    const json_t *fields = json_object_get(entry, member);
    json_t *whole;

    if (json_is_string(entry) || json_is_integer(entry))
        return json_pack("{s:O}", "node_id", entry);
    if (json_array_size(entry) == 2)
        return json_pack("{s:O, s:O}", "from_node_id", json_array_get(entry, 0), "to_node_id",
                         json_array_get(entry, 1));
    if (!json_is_object(entry))
        return json_pack("{s:O}", "value", entry);
    if (!json_is_object(fields))
        return json_copy((json_t *)entry);
    whole = json_copy((json_t *)fields);
    json_object_update_missing(whole, (json_t *)entry);
    json_object_del(whole, member);
    return whole;
}

/* Takes an edge over. JSON Graph Format may say the direction of each. */
static void add_edge(struct graph_source *source, json_t *entry, bool directed)
{
    const json_t *own = json_object_get(entry, "directed");

    if (json_is_boolean(own)) {
        directed = json_is_true(own);
        json_object_del(entry, "directed");
    }
    graph_file_add_edge(&source->graph, entry, 0, directed);
}

/* Where a graph in node-link form has its edges; NULL: it is none. */
static const char *links_of(const json_t *root)
{
    static const char *const keys[] = {"links", "edges"};
    bool is_graph = json_object_get(root, "directed") || json_object_get(root, "multigraph");

    if (!json_is_array(json_object_get(root, "nodes")))
        return NULL;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const json_t *edges = json_object_get(root, keys[i]);

        if (json_array_size(edges) > 0 || (is_graph && json_is_array(edges)))
            return keys[i];
    }
    return NULL;
}

/* NetworkX and D3: {"nodes": [...], "links": [...]}. */
static bool add_node_link(struct graph_source *source, const json_t *root)
{
    const char *links = links_of(root);
    const json_t *entry, *graph = json_object_get(root, "graph");
    size_t i;

    if (!links)
        return false;
    source->key = links;
    json_array_foreach(json_object_get(root, "nodes"), i, entry)
        graph_file_add_node(&source->graph, unfold(entry, NULL), 0, NULL);
    json_array_foreach(json_object_get(root, links), i, entry)
        add_edge(source, unfold(entry, NULL), !json_is_false(json_object_get(root, "directed")));
    source->title = json_incref(json_object_get(graph, "name"));
    json_object_del(source->rest, links);
    return true;
}

/* The parent of a node of Cytoscape.js is its group. */
static void add_element(struct graph_source *source, const json_t *element, bool is_edge)
{
    static const char *const drawn[] = {"position", "removed",   "selected", "selectable",
                                        "locked",   "grabbable", "pannable", "style"};
    json_t *entry = unfold(element, "data"), *parent = json_object_get(entry, "parent");
    const json_t *data = json_object_get(element, "data");
    size_t before = json_object_size(entry);

    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        if (!json_object_get(data, drawn[i]))
            json_object_del(entry, drawn[i]);
    if (json_object_size(entry) < before)
        findings_add(&source->graph.report->lines, FINDING_LEFT_OUT, PLACE("elements", 0, NULL),
                     "positions, styles and states of a drawing");
    if (!json_object_get(data, "group"))
        json_object_del(entry, "group");
    if (is_edge) {
        add_edge(source, entry, true);
        return;
    }
    parent = json_is_string(parent) ? json_incref(parent) : NULL;
    if (parent)
        json_object_del(entry, "parent");
    graph_file_add_node(&source->graph, entry, 0, parent);
    json_decref(parent);
}

/* Cytoscape.js: {"elements": {"nodes": [{"data": {...}}], "edges": [...]}}, or one list of both. */
static bool add_elements(struct graph_source *source, const json_t *root)
{
    const json_t *elements = json_object_get(root, "elements"), *entry,
                 *nodes = json_object_get(elements, "nodes"),
                 *edges = json_object_get(elements, "edges"), *data = json_object_get(root, "data");
    size_t i;

    if (!json_is_array(nodes) &&
        !json_is_object(json_object_get(json_array_get(elements, 0), "data")))
        return false;
    source->key = "elements";
    json_array_foreach(nodes, i, entry) add_element(source, entry, false);
    json_array_foreach(edges, i, entry) add_element(source, entry, true);
    json_array_foreach(elements, i, entry)
        add_element(source, entry,
                    json_string_is(entry, "group", "edges") ||
                        json_object_get(json_object_get(entry, "data"), "source"));
    source->title = json_incref(json_object_get(data, "name"));
    json_object_del(source->rest, "elements");
    return true;
}

static void add_json_graph(struct graph_source *source, const json_t *graph)
{
    const json_t *nodes = json_object_get(graph, "nodes"), *entry,
                 *directed = json_object_get(graph, "directed");
    const char *id;
    json_t *node;
    size_t i;

    json_object_foreach((json_t *)nodes, id, node)
    {
        json_t *whole = unfold(node, "metadata");

        json_object_set_new(whole, "node_id", json_string(id));
        graph_file_add_node(&source->graph, whole, 0, NULL);
    }
    json_array_foreach(nodes, i, entry)
        graph_file_add_node(&source->graph, unfold(entry, "metadata"), 0, NULL);
    json_array_foreach(json_object_get(graph, "edges"), i, entry)
        add_edge(source, unfold(entry, "metadata"), !json_is_false(directed));
    if (!source->title)
        source->title = json_incref(json_object_get(graph, "label"));
}

/* The members of a graph besides its nodes and edges. */
static json_t *rest_of(const json_t *graph)
{
    json_t *rest = json_copy((json_t *)graph);

    json_object_del(rest, "nodes");
    json_object_del(rest, "edges");
    return rest;
}

/* JSON Graph Format: {"graph": {"nodes": {ID: {"label", "metadata"}}, "edges": [...]}}, or a list
 * "graphs" of them. */
static bool add_json_graphs(struct graph_source *source, const json_t *root)
{
    const json_t *graph = json_object_get(root, "graph"), *graphs = json_object_get(root, "graphs");
    size_t i;

    if (json_object_get(graph, "nodes")) {
        source->key = "edges";
        add_json_graph(source, graph);
        json_object_set_new(source->rest, "graph", rest_of(graph));
        return true;
    }
    if (!json_object_get(json_array_get(graphs, 0), "nodes"))
        return false;
    source->key = "edges";
    json_object_set_new(source->rest, "graphs", json_array());
    json_array_foreach(graphs, i, graph)
    {
        add_json_graph(source, graph);
        json_array_append_new(json_object_get(source->rest, "graphs"), rest_of(graph));
    }
    return true;
}

/* ---- lists of lessons ---- */

/* Whether the value is a list of lessons: an array of objects with a title or an id each. */
static bool is_list_of_lessons(const json_t *list)
{
    const json_t *entry;
    size_t i;

    json_array_foreach((json_t *)list, i, entry)
    {
        bool has_name = false;
        const char *key;
        json_t *value;

        json_object_foreach((json_t *)entry, key, value)
        {
            enum column_fit fit;

            has_name = has_name || ((json_is_string(value) || json_is_integer(value)) &&
                                    (column_role_rank(COLUMN_TITLE, key, strlen(key), &fit) > 0 ||
                                     column_role_rank(COLUMN_ID, key, strlen(key), &fit) > 0));
        }
        if (!has_name)
            return false;
    }
    return json_array_size(list) > 0;
}

/* [{"title": ...}], or the only such list in an object without nodes: {"lessons": [...]}. */
static bool add_list_of_lessons(struct graph_source *source, const json_t *root)
{
    const json_t *list = is_list_of_lessons(root) ? root : NULL, *entry;
    const char *key, *title = NULL;
    size_t lists = list != NULL, i;
    json_t *value;

    if (json_object_get(root, "nodes"))
        return false;
    source->key = "the list";
    json_object_foreach((json_t *)root, key, value)
    {
        enum column_fit fit;

        if (is_list_of_lessons(value)) {
            lists++;
            list = value;
            source->key = key;
        }
        if (json_is_string(value) && column_role_rank(COLUMN_TITLE, key, strlen(key), &fit) > 0)
            title = key;
    }
    if (lists != 1)
        return false;
    json_array_foreach((json_t *)list, i, entry)
        graph_file_add_node(&source->graph, unfold(entry, NULL), 0, NULL);
    source->title = title ? json_incref(json_object_get(root, title)) : NULL;
    json_object_del(source->rest, source->key);
    source->is_list = true;
    return true;
}

static json_t *complete(struct graph_source *source, json_t *root, struct error *err)
{
    struct graph_file *graph = &source->graph;
    size_t unread = 0, count;

    graph->node_place = "nodes";
    graph->edge_place = source->key;
    graph->by_place = true;
    if (graph_file_complete(graph, &unread, err) < 0)
        return NULL;
    if (unread > 0) { /* links to pages, say */
        findings_add(&graph->report->lines, FINDING_CHANGED, NULL,
                     "'%s' is kept as a field, and is not read as relationships: %s[0]: it has no "
                     "from_node_id, as source",
                     source->key, source->key);
        return json_incref(root);
    }
    count = json_array_size(source->is_list ? graph->nodes : graph->edges);
    if (source->is_list)
        format_note(graph->report, "%zu node%s read from '%s'", count, count == 1 ? " is" : "s are",
                    source->key);
    else
        format_note(graph->report, "%zu relationship%s read from '%s'", count,
                    count == 1 ? " is" : "s are", source->key);
    json_object_set(source->rest, "nodes", graph->nodes);
    json_object_set(source->rest, "relationships", graph->edges);
    if (json_string_length(source->title) > 0 && !json_object_get(source->rest, "meta"))
        json_object_set_new(source->rest, "meta", json_pack("{s:O}", "title", source->title));
    return json_incref(source->rest);
}

json_t *json_curriculum(json_t *root, struct format_report *report, struct error *err)
{
    struct graph_source source = {0};
    json_t *curriculum = NULL;

    if (json_object_get(root, "relationships"))
        return json_incref(root);
    graph_file_begin(&source.graph, "nodes", report);
    source.rest = json_is_object(root) ? json_copy(root) : json_object();
    if (add_node_link(&source, root) || add_elements(&source, root) ||
        add_json_graphs(&source, root) || add_list_of_lessons(&source, root))
        curriculum = complete(&source, root, err);
    else
        curriculum = json_incref(root);
    graph_file_finish(&source.graph);
    json_decref(source.rest);
    json_decref(source.title);
    return curriculum;
}

/* Appends a line if it is JSON. */
static int add_line(struct buf *to, const char *line, size_t len, bool is_first, struct error *err)
{
    struct format_report unused = {0};
    json_t *value = json_text_read(line, len, "it", &unused, err);

    findings_finish(&unused.lines);
    if (!value)
        return -1;
    json_decref(value);
    buf_adds(to, is_first ? "" : ",");
    buf_add(to, line, len);
    return 0;
}

/* The values as one array, in a text that has the same lines. Lines without JSON are left out,
 * unless all are. */
static json_t *read_lines(const char *name, const struct buf *bytes, struct format_report *report,
                          struct error *err)
{
    const char *end = bytes->data + bytes->len;
    struct buf BUF_AUTO array = {0};
    struct error first = {0};
    size_t line = 1, values = 0;

    buf_init(&array, 2 * bytes->len + 3);
    buf_addc(&array, '[');
    for (const char *from = bytes->data, *next; from < end; from = next, line++) {
        const char *stop = memchr(from, '\n', (size_t)(end - from));
        size_t len = (size_t)((stop ? stop : end) - from);
        struct error why = {0};

        next = from + len + (stop != NULL);
        if (strspn(from, " \t\r") < len) {
            if (add_line(&array, from, len, values == 0, &why) == 0) {
                values++;
            } else {
                findings_add(&report->lines, FINDING_LEFT_OUT, PLACE(name, line, NULL),
                             "lines that are not JSON");
                if (first.kind == ERROR_NONE)
                    error_set(&first, why.kind, "%s line %zu: %s", name, line, why.text);
            }
        }
        buf_addc(&array, '\n');
    }
    buf_addc(&array, ']');
    if (values == 0 && first.kind != ERROR_NONE) {
        error_set(err, first.kind, "%s", first.text);
        return NULL;
    }
    return buf_check(&array, name, err) < 0
               ? NULL
               : json_text_read(array.data, array.len, name, report, err);
}

static json_t *read_json(const char *name, const struct buf *bytes, struct format_report *report,
                         struct error *err)
{
    const char *shown = strcmp(name, "-") == 0 ? "standard input" : name;
    json_auto_t *root = is_lines(name)
                            ? read_lines(name, bytes, report, err)
                            : json_text_read(bytes->data, bytes->len, shown, report, err);

    return root ? json_curriculum(root, report, err) : NULL;
}

/* ---- writing ---- */

static void add_list(struct buf *text, const json_t *list)
{
    json_t *entry;
    size_t i;

    buf_addc(text, '[');
    json_array_foreach((json_t *)list, i, entry)
    {
        buf_adds(text, i > 0 ? ",\n" : "\n");
        json_write(text, entry);
    }
    buf_adds(text, "\n]");
}

static int write_json(const json_t *curriculum, const char *path, struct format_report *report,
                      struct error *err)
{
    struct buf BUF_AUTO text = {0};
    const char *key, *comma = "{";
    json_t *value;

    (void)report;
    json_object_foreach((json_t *)curriculum, key, value)
    {
        buf_adds(&text, comma);
        comma = ",\n";
        json_write_string(&text, key, strlen(key));
        buf_addc(&text, ':');
        if (json_is_array(value))
            add_list(&text, value);
        else
            json_write(&text, value);
    }
    buf_adds(&text, json_object_size(curriculum) > 0 ? "}\n" : "{}\n");
    if (buf_check(&text, "the export", err) < 0)
        return -1;
    return file_write(path, &text, err);
}

const struct format format_json = {
    .name = "json",
    .what = "one JSON file, Lectern's own",
    .has_name = has_name,
    .read = read_json,
    .write = write_json,
};
