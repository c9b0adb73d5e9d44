/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GraphML as NetworkX, igraph, Gephi, Neo4j and yEd write it. Keys declare the attributes and their
 * types; yEd's labels stand in the drawing of a node or edge; the graph inside a node is a group,
 * whose title is the chapter of the nodes in it. The drawing is left out.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/limits.h"
#include "mcp/format/file.h"
#include "mcp/format/format.h"
#include "mcp/format/graph_file.h"
#include "mcp/format/xml.h"

#define SUFFIX ".graphml"
#define TYPE   "relationship_type"

struct graphml {
    const char *name; /* of the file */
    struct graph_file graph;
    json_t *keys;        /* id -> {"name", "type"}; owned */
    json_t *defaults[2]; /* of nodes, of edges: name -> value; owned */
    json_t *seen;        /* ids of the graphs before: id -> true; owned */
    json_t *own;         /* id in this graph -> id in the curriculum; owned */
    json_t *meta;        /* owned */
    size_t graphs;
    struct error *err;
};

static void report(struct graphml *file, enum finding_kind kind, const xmlNode *at,
                   const char *value, const char *reason)
{
    findings_add(&file->graph.report->lines, kind, PLACE(file->name, (size_t)xml_line(at), value),
                 "%s", reason);
}

static void set(struct graphml *file, json_t *entry, const char *key, json_t *value,
                const xmlNode *at)
{
    graph_file_set(&file->graph, entry, key, value, file->name, (size_t)xml_line(at));
}

/* ---- keys ---- */

static void read_key(struct graphml *file, const xmlNode *key)
{
    json_auto_t *id = xml_attribute(key, "id"), *name = xml_attribute(key, "attr.name"),
                *type = xml_attribute(key, "attr.type"), *of = xml_attribute(key, "for");
    const xmlNode *given = xml_child(key, "default");
    json_auto_t *text = given ? xml_text(given) : NULL;
    const char *domain = of ? json_string_value(of) : "all";

    if (!id)
        return;
    if (!name || json_string_length(name) == 0) {
        json_decref(name);
        name = json_incref(id);
    }
    if (!type)
        type = json_string("string");
    json_object_set_new(file->keys, json_string_value(id),
                        json_pack("{s:O, s:O}", "name", name, "type", type));
    if (json_string_length(text) == 0 || xml_child(given, NULL))
        return;
    for (size_t i = 0; i < 2; i++)
        if (strcmp(domain, "all") == 0 || strcmp(domain, i == 0 ? "node" : "edge") == 0)
            json_object_set_new(file->defaults[i], json_string_value(name),
                                graph_file_value(&file->graph, json_string_value(type), text,
                                                 json_string_value(name), (size_t)xml_line(key)));
}

/* ---- the drawing of yEd ---- */

/* The text of a label; NULL if it is empty. */
static json_t *label_text(const xmlNode *label)
{
    const xmlNode *inner = xml_child(label, "Label.Text");
    json_t *text = inner ? xml_text(inner) : xml_attribute(label, "Text");

    if (!text)
        text = xml_text(label);
    if (json_string_length(text) > 0)
        return text;
    json_decref(text);
    return NULL;
}

/* A group has a drawing for each of its states, of which one is shown. */
static bool is_shown(const xmlNode *drawing, const xmlNode *at)
{
    for (; at != drawing; at = at->parent) {
        json_auto_t *active =
            xml_is(at->parent, "Realizers") ? xml_attribute(at->parent, "active") : NULL;
        unsigned long shown = active ? strtoul(json_string_value(active), NULL, 10) : 0, place = 0;

        if (!xml_is(at->parent, "Realizers"))
            continue;
        for (const xmlNode *state = xml_child(at->parent, NULL); state && state != at;
             state = xml_next(state, NULL))
            place++;
        return place == shown;
    }
    return true;
}

/* Labels, each text once: the first is the title of a node or the type of a relationship. */
static void read_labels(struct graphml *file, const xmlNode *drawing, json_t *entry, bool is_edge)
{
    const char *first = is_edge ? TYPE : "title";

    for (const xmlNode *at = drawing; at; at = xml_walk(drawing, at)) {
        bool is_label = xml_is(at, "NodeLabel") || xml_is(at, "EdgeLabel") || xml_is(at, "Label"),
             is_other = xml_is(at, "AttributeLabel") || xml_is(at, "MethodLabel");
        json_t *text = is_label || is_other ? label_text(at) : NULL;

        if (!text)
            continue;
        if (!is_shown(drawing, at)) {
            json_decref(text);
            continue;
        }
        if (is_other)
            set(file, entry, (const char *)at->name, text, at);
        else if (!json_object_get(entry, first))
            json_object_set_new(entry, first, text);
        else if (json_equal(json_object_get(entry, first), text))
            json_decref(text);
        else
            set(file, entry, "label", text, at);
    }
}

enum arrows { ARROWS_NONE_SAID, ARROWS_TO_TARGET, ARROWS_TO_SOURCE, ARROWS_NEITHER, ARROWS_BOTH };

static enum arrows read_arrows(const xmlNode *drawing)
{
    for (const xmlNode *at = drawing; at; at = xml_walk(drawing, at)) {
        json_auto_t *source = xml_is(at, "Arrows") ? xml_attribute(at, "source") : NULL,
                    *target = source ? xml_attribute(at, "target") : NULL;
        bool at_source = source && strcmp(json_string_value(source), "none") != 0,
             at_target = target && strcmp(json_string_value(target), "none") != 0;

        if (source && target)
            return at_source && at_target ? ARROWS_BOTH
                   : at_source            ? ARROWS_TO_SOURCE
                   : at_target            ? ARROWS_TO_TARGET
                                          : ARROWS_NEITHER;
    }
    return ARROWS_NONE_SAID;
}

/* ---- data ---- */

/* Whether the elements in a value are of yFiles: they draw. */
static bool is_drawing(const xmlNode *data)
{
    const xmlNode *inner = xml_child(data, NULL);

    return inner && inner->ns && inner->ns->href && strstr((const char *)inner->ns->href, "yworks");
}

/* A value of a node, an edge or a graph. */
static void read_data(struct graphml *file, const xmlNode *data, json_t *entry)
{
    json_auto_t *id = xml_attribute(data, "key"), *text = xml_text(data);
    const json_t *key = id ? json_object_get(file->keys, json_string_value(id)) : NULL;
    const char *name = key ? json_get_string(key, "name") : json_string_value(id);

    if (xml_child(data, NULL)) {
        report(file, FINDING_LEFT_OUT, data, is_drawing(data) ? NULL : name,
               is_drawing(data) ? "shapes, colours and positions of a drawing"
                                : "a value that is XML, and no text");
        return;
    }
    if (!name || json_string_length(text) == 0)
        return;
    if (!key)
        report(file, FINDING_READ, data, name, "a value whose key is not declared is kept as text");
    set(file, entry, name,
        graph_file_value(&file->graph, key ? json_get_string(key, "type") : "string", text, name,
                         (size_t)xml_line(data)),
        data);
}

/* The other attributes of an element, and its data and description. */
static void read_fields(struct graphml *file, const xmlNode *element, json_t *entry,
                        const char *const *known)
{
    for (const xmlNode *at = xml_child(element, "data"); at; at = xml_next(at, "data"))
        read_data(file, at, entry);
    for (const xmlNode *at = xml_child(element, "desc"); at; at = xml_next(at, "desc")) {
        json_t *text = xml_text(at);

        if (json_string_length(text) > 0)
            set(file, entry, "description", text, at);
        else
            json_decref(text);
    }
    for (const xmlAttr *at = element->properties; at; at = at->next) {
        const char *name = (const char *)at->name;
        bool skip = at->ns || strncmp(name, "yfiles.", 7) == 0 || strncmp(name, "parse.", 6) == 0;

        for (size_t i = 0; known[i] && !skip; i++)
            skip = strcmp(known[i], name) == 0;
        if (!skip)
            set(file, entry, name, xml_attribute(element, name), element);
    }
}

/* ---- nodes and edges ---- */

static int read_graph(struct graphml *file, const xmlNode *graph, const json_t *group);

/* The id in the curriculum of a node of this graph. */
static json_t *own_id(struct graphml *file, const xmlNode *node, const json_t *id)
{
    json_t *own = json_object_get(file->own, json_string_value(id));

    if (own)
        return json_incref(own);
    own = json_incref((json_t *)id);
    for (size_t n = file->graphs; json_object_get(file->seen, json_string_value(own)); n++) {
        json_decref(own);
        own = json_sprintf("%zu::%s", n, json_string_value(id));
        if (n == file->graphs)
            report(file, FINDING_CHANGED, node, json_string_value(id),
                   "an id that an earlier graph of the file has: the number of the graph stands "
                   "before it");
    }
    json_object_set(file->own, json_string_value(id), own);
    return own;
}

static int read_node(struct graphml *file, const xmlNode *node, const json_t *group)
{
    static const char *const known[] = {"id", NULL};
    json_auto_t *id = xml_attribute(node, "id"), *own = NULL;
    json_t *entry = json_object();
    int rc;

    if (id && json_string_length(id) > 0) {
        own = own_id(file, node, id);
        json_object_set(entry, "node_id", own);
    }
    for (const xmlNode *at = xml_child(node, "data"); at; at = xml_next(at, "data"))
        if (xml_child(at, NULL))
            read_labels(file, at, entry, false);
    read_fields(file, node, entry, known);
    rc = graph_file_set_defaults(&file->graph, entry, file->defaults[0], file->err);
    graph_file_add_node(&file->graph, entry, (size_t)xml_line(node), group);
    for (const xmlNode *at = xml_child(node, NULL); at && rc == 0; at = xml_next(at, NULL)) {
        if (xml_is(at, "graph"))
            rc = read_graph(file, at, own);
        else if (xml_is(at, "port"))
            report(file, FINDING_LEFT_OUT, at, json_string_value(id),
                   "ports, places at a node where edges end");
        else if (!xml_is(at, "data") && !xml_is(at, "desc"))
            report(file, FINDING_LEFT_OUT, at, (const char *)at->name,
                   "an element inside a node that is not read");
    }
    return rc;
}

static void swap_ends(json_t *entry)
{
    json_auto_t *from = json_incref(json_object_get(entry, "from_node_id"));

    json_object_set(entry, "from_node_id", json_object_get(entry, "to_node_id"));
    json_object_set(entry, "to_node_id", from);
}

static int read_edge(struct graphml *file, const xmlNode *edge, bool directed)
{
    static const char *const known[] = {"source",     "target",     "directed",
                                        "sourceport", "targetport", NULL};
    json_auto_t *source = xml_attribute(edge, "source"), *target = xml_attribute(edge, "target"),
                *said = xml_attribute(edge, "directed"), *port = xml_attribute(edge, "sourceport"),
                *other_port = xml_attribute(edge, "targetport");
    json_t *entry = json_object();
    enum arrows arrows = ARROWS_NONE_SAID;
    int rc;

    if (source)
        json_object_set(entry, "from_node_id", source);
    if (target)
        json_object_set(entry, "to_node_id", target);
    for (const xmlNode *at = xml_child(edge, "data"); at; at = xml_next(at, "data")) {
        if (!xml_child(at, NULL))
            continue;
        read_labels(file, at, entry, true);
        if (arrows == ARROWS_NONE_SAID)
            arrows = read_arrows(at);
    }
    read_fields(file, edge, entry, known);
    rc = graph_file_set_defaults(&file->graph, entry, file->defaults[1], file->err);
    if (said)
        directed = strcmp(json_string_value(said), "false") != 0;
    if (arrows == ARROWS_NEITHER || arrows == ARROWS_BOTH)
        directed = false;
    if (arrows == ARROWS_TO_SOURCE && source && target) {
        swap_ends(entry);
        report(file, FINDING_CHANGED, edge, NULL,
               "a relationship whose arrow is drawn at its source goes the way of the arrow");
    }
    if (port || other_port)
        report(file, FINDING_LEFT_OUT, edge, NULL, "the ports of an edge");
    for (const xmlNode *at = xml_child(edge, NULL); at; at = xml_next(at, NULL))
        if (!xml_is(at, "data") && !xml_is(at, "desc"))
            report(file, FINDING_LEFT_OUT, at, (const char *)at->name,
                   "an element inside an edge that is not read");
    graph_file_add_edge(&file->graph, entry, (size_t)xml_line(edge), directed);
    return rc;
}

/* group: the id of the node that the graph is inside; NULL: none. Nesting is bounded by xml.h. */
static int read_graph(struct graphml *file, const xmlNode *graph, const json_t *group)
{
    json_auto_t *direction = xml_attribute(graph, "edgedefault");
    bool directed = !direction || strcasecmp(json_string_value(direction), "undirected") != 0;
    int rc = 0;

    for (const xmlNode *at = xml_child(graph, NULL); at && rc == 0; at = xml_next(at, NULL)) {
        if (xml_is(at, "node"))
            rc = read_node(file, at, group);
        else if (xml_is(at, "edge"))
            rc = read_edge(file, at, directed);
        else if (xml_is(at, "hyperedge"))
            report(file, FINDING_LEFT_OUT, at, NULL, "hyperedges, which join more than two nodes");
        else if (!xml_is(at, "data") && !xml_is(at, "desc"))
            report(file, FINDING_LEFT_OUT, at, (const char *)at->name,
                   "an element inside a graph that is not read");
    }
    return rc;
}

/* Ends are ids of this graph, which may have been changed. */
static void own_ends(struct graphml *file, size_t from)
{
    static const char *const ends[] = {"from_node_id", "to_node_id"};

    for (size_t i = from; i < json_array_size(file->graph.edges); i++) {
        json_t *edge = json_array_get(file->graph.edges, i);

        for (size_t end = 0; end < 2; end++) {
            const char *id = json_get_string(edge, ends[end]);
            json_t *own = id ? json_object_get(file->own, id) : NULL;

            if (own)
                json_object_set(edge, ends[end], own);
        }
    }
}

/* One of the graphs of the file. */
static int read_top(struct graphml *file, const xmlNode *graph)
{
    static const char *const known[] = {"id", "edgedefault", NULL};
    size_t edges = json_array_size(file->graph.edges);
    int rc;

    file->graphs++;
    rc = read_graph(file, graph, NULL);
    own_ends(file, edges);
    read_fields(file, graph, file->meta, known);
    json_object_update(file->seen, file->own);
    json_object_clear(file->own);
    return rc;
}

static void name_title(json_t *meta)
{
    static const char *const names[] = {"title", "name", "label", NULL};

    for (size_t i = 0; names[i] && !json_object_get(meta, "title"); i++)
        if (json_is_string(json_object_get(meta, names[i])))
            json_object_set(meta, "title", json_object_get(meta, names[i]));
}

static json_t *read_document(struct graphml *file, const xmlNode *root)
{
    size_t unread = 0;

    if (!xml_is(root, "graphml")) {
        error_set(file->err, ERROR_INVALID, "%s line %d: the root is <%s>, and must be <graphml>",
                  file->name, xml_line(root), (const char *)root->name);
        return NULL;
    }
    for (const xmlNode *at = xml_child(root, "key"); at; at = xml_next(at, "key"))
        read_key(file, at);
    for (const xmlNode *at = xml_child(root, NULL); at; at = xml_next(at, NULL)) {
        if (xml_is(at, "graph")) {
            if (read_top(file, at) < 0)
                return NULL;
        } else if (xml_is(at, "data")) {
            if (xml_child(at, NULL) && xml_child(xml_child(at, NULL), NULL))
                report(file, FINDING_LEFT_OUT, at, NULL, "pictures and icons of a drawing");
        } else if (!xml_is(at, "key") && !xml_is(at, "desc")) {
            report(file, FINDING_LEFT_OUT, at, (const char *)at->name,
                   "an element of the file that is not read");
        }
    }
    if (file->graphs == 0) {
        error_set(file->err, ERROR_INVALID,
                  "%s line %d: there is no <graph> in it: write <graphml><graph "
                  "edgedefault=\"directed\"><node id=\"n1\"/></graph></graphml>",
                  file->name, xml_line(root));
        return NULL;
    }
    if (file->graphs > 1)
        format_note(file->graph.report, "%s: %zu graphs are read as one curriculum", file->name,
                    file->graphs);
    name_title(file->meta);
    if (graph_file_complete(&file->graph, &unread, file->err) < 0)
        return NULL;
    findings_add_count(&file->graph.report->lines, FINDING_LEFT_OUT, unread,
                       PLACE(file->name, 0, NULL), "edges without a source or a target");
    return graph_file_curriculum(&file->graph, file->meta);
}

json_t *graphml_curriculum(const char *name, const struct buf *text, bool is_text,
                           struct format_report *to, struct error *err)
{
    xmlDoc *xml_auto document =
        (is_text ? xml_read_text : xml_read)(name, text->data ? text->data : "", text->len, err);
    struct graphml file = {.name = name,
                           .keys = json_object(),
                           .defaults = {json_object(), json_object()},
                           .seen = json_object(),
                           .own = json_object(),
                           .meta = json_object(),
                           .err = err};
    json_t *curriculum = NULL;

    graph_file_begin(&file.graph, name, to);
    file.graph.node_defaults = file.defaults[0];
    if (document)
        curriculum = read_document(&file, xmlDocGetRootElement(document));
    graph_file_finish(&file.graph);
    json_decref(file.keys);
    json_decref(file.defaults[0]);
    json_decref(file.defaults[1]);
    json_decref(file.seen);
    json_decref(file.own);
    json_decref(file.meta);
    return curriculum;
}

static bool has_name(const char *name)
{
    return file_ends_in(name, SUFFIX);
}

static bool has_content(const struct buf *bytes)
{
    return xml_has_root(bytes->data, bytes->len, "graphml");
}

static json_t *read_graphml(const char *name, const struct buf *bytes, struct format_report *to,
                            struct error *err)
{
    return graphml_curriculum(name, bytes, false, to, err);
}

const struct format format_graphml = {
    .name = "graphml",
    .what = "a graph in GraphML, read only",
    .has_name = has_name,
    .has_content = has_content,
    .read = read_graphml,
};
