/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GEXF 1.1, 1.2 and 1.3 as Gephi and NetworkX write it: attributes are declared by class and id;
 * nodes inside a node, or with its pid, are its group, whose label is their chapter. The drawing
 * (viz) and the times of its parts are left out.
 */
#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/limits.h"
#include "mcp/format/file.h"
#include "mcp/format/format.h"
#include "mcp/format/graph_file.h"
#include "mcp/format/xml.h"

#define SUFFIX ".gexf"

enum gexf_class { GEXF_NODE, GEXF_EDGE, GEXF_CLASSES };

struct gexf {
    const char *name; /* of the file */
    struct graph_file graph;
    json_t *attributes[GEXF_CLASSES]; /* id -> {"name", "type"}; owned */
    json_t *defaults[GEXF_CLASSES];   /* name -> value; owned */
    json_t *meta;                     /* owned */
    const char *direction;            /* of edges without a type */
    struct error *err;
};

static void report(struct gexf *file, enum finding_kind kind, const xmlNode *at, const char *value,
                   const char *reason)
{
    findings_add(&file->graph.report->lines, kind, PLACE(file->name, (size_t)xml_line(at), value),
                 "%s", reason);
}

static void set(struct gexf *file, json_t *entry, const char *key, json_t *value, const xmlNode *at)
{
    graph_file_set(&file->graph, entry, key, value, file->name, (size_t)xml_line(at));
}

/* ---- the declarations of attributes ---- */

static void read_attribute(struct gexf *file, const xmlNode *attribute, enum gexf_class class)
{
    json_auto_t *id = xml_attribute(attribute, "id"), *title = xml_attribute(attribute, "title"),
                *type = xml_attribute(attribute, "type");
    const xmlNode *given = xml_child(attribute, "default");
    json_auto_t *text = given ? xml_text(given) : NULL;

    if (!id)
        return;
    if (!title || json_string_length(title) == 0) {
        json_decref(title);
        title = json_incref(id);
    }
    if (!type)
        type = json_string("string");
    json_object_set_new(file->attributes[class], json_string_value(id),
                        json_pack("{s:O, s:O}", "name", title, "type", type));
    if (json_string_length(text) > 0)
        json_object_set_new(file->defaults[class], json_string_value(title),
                            graph_file_value(&file->graph, json_string_value(type), text,
                                             json_string_value(title),
                                             (size_t)xml_line(attribute)));
}

static void read_attributes(struct gexf *file, const xmlNode *graph)
{
    for (const xmlNode *list = xml_child(graph, "attributes"); list;
         list = xml_next(list, "attributes")) {
        json_auto_t *class = xml_attribute(list, "class");

        for (const xmlNode *at = xml_child(list, "attribute"); at; at = xml_next(at, "attribute"))
            read_attribute(file, at,
                           class && strcmp(json_string_value(class), "edge") == 0 ? GEXF_EDGE
                                                                                  : GEXF_NODE);
    }
}

/* ---- the fields of nodes and edges ---- */

static void read_value(struct gexf *file, const xmlNode *value, json_t *entry,
                       enum gexf_class class)
{
    json_auto_t *id = xml_attribute(value, "for"), *text = xml_attribute(value, "value"),
                *start = xml_attribute(value, "start"), *end = xml_attribute(value, "end");
    const json_t *attribute;
    const char *name;

    if (!id)
        id = xml_attribute(value, "id"); /* in GEXF 1.0 and 1.1 */
    if (!text)
        text = xml_text(value);
    attribute = id ? json_object_get(file->attributes[class], json_string_value(id)) : NULL;
    name = attribute ? json_get_string(attribute, "name") : json_string_value(id);
    if (start || end)
        report(file, FINDING_LEFT_OUT, value, name, "the times of values of attributes");
    if (!name || json_string_length(text) == 0)
        return;
    if (!attribute)
        report(file, FINDING_READ, value, name,
               "a value whose attribute is not declared is kept as text");
    set(file, entry, name,
        graph_file_value(&file->graph, attribute ? json_get_string(attribute, "type") : "string",
                         text, name, (size_t)xml_line(value)),
        value);
}

static bool is_viz(const xmlNode *node)
{
    return node->ns && ((node->ns->prefix && strcmp((const char *)node->ns->prefix, "viz") == 0) ||
                        (node->ns->href && strstr((const char *)node->ns->href, "viz")));
}

/* Attributes of the element that are not known are fields, as weight is. */
static void read_fields(struct gexf *file, const xmlNode *element, json_t *entry,
                        enum gexf_class class, const char *const *known)
{
    for (const xmlAttr *at = element->properties; at; at = at->next) {
        const char *name = (const char *)at->name;
        bool skip = at->ns;

        for (size_t i = 0; known[i] && !skip; i++)
            skip = strcmp(known[i], name) == 0;
        if (!skip) {
            json_auto_t *text = xml_attribute(element, name);

            if (json_string_length(text) > 0)
                set(file, entry, name,
                    graph_file_value(&file->graph,
                                     strcmp(name, "weight") == 0 ? "double" : "string", text, name,
                                     (size_t)xml_line(element)),
                    element);
        }
    }
    for (const xmlNode *at = xml_child(element, NULL); at; at = xml_next(at, NULL)) {
        if (is_viz(at))
            report(file, FINDING_LEFT_OUT, at, NULL,
                   "colours, positions, sizes and shapes of a drawing (viz)");
        else if (xml_is(at, "spells") || xml_is(at, "slices"))
            report(file, FINDING_LEFT_OUT, at, NULL, "the times of nodes and edges (spells)");
        else if (xml_is(at, "attvalues"))
            for (const xmlNode *value = xml_child(at, "attvalue"); value;
                 value = xml_next(value, "attvalue"))
                read_value(file, value, entry, class);
        else if (!xml_is(at, "nodes") && !xml_is(at, "edges") && !xml_is(at, "parents"))
            report(file, FINDING_LEFT_OUT, at, (const char *)at->name,
                   "an element inside a node or an edge that is not read");
    }
}

static bool is_undirected(const char *type)
{
    return strcasecmp(type, "undirected") == 0 || strcasecmp(type, "undir") == 0 ||
           strcasecmp(type, "mutual") == 0 || strcasecmp(type, "sim") == 0;
}

static int read_edges(struct gexf *file, const xmlNode *edges)
{
    static const char *const known[] = {"source", "target", "type", "label", NULL};
    int rc = 0;

    for (const xmlNode *at = xml_child(edges, "edge"); at && rc == 0; at = xml_next(at, "edge")) {
        json_auto_t *source = xml_attribute(at, "source"), *target = xml_attribute(at, "target"),
                    *type = xml_attribute(at, "type"), *label = xml_attribute(at, "label");
        json_t *entry = json_object();

        if (source)
            json_object_set(entry, "from_node_id", source);
        if (target)
            json_object_set(entry, "to_node_id", target);
        if (json_string_length(label) > 0)
            json_object_set(entry, "label", label);
        read_fields(file, at, entry, GEXF_EDGE, known);
        rc = graph_file_set_defaults(&file->graph, entry, file->defaults[GEXF_EDGE], file->err);
        graph_file_add_edge(&file->graph, entry, (size_t)xml_line(at),
                            !is_undirected(type ? json_string_value(type) : file->direction));
    }
    return rc;
}

/* The group of a node: that it is inside, its pid, or the first of its parents. */
static json_t *read_group(struct gexf *file, const xmlNode *node, const json_t *group)
{
    json_t *pid = xml_attribute(node, "pid");
    const xmlNode *parents = xml_child(node, "parents");

    for (const xmlNode *at = xml_child(parents, "parent"); at; at = xml_next(at, "parent")) {
        if (!pid)
            pid = xml_attribute(at, "for");
        else
            report(file, FINDING_LEFT_OUT, at, NULL, "parents of a node behind the first");
    }
    return pid ? pid : json_incref((json_t *)group);
}

/* group: the id of the node that the list is inside; NULL: none. Nesting is bounded by xml.h. */
static int read_nodes(struct gexf *file, const xmlNode *nodes, const json_t *group)
{
    static const char *const known[] = {"id", "label", "pid", NULL};
    int rc = 0;

    for (const xmlNode *at = xml_child(nodes, "node"); at && rc == 0; at = xml_next(at, "node")) {
        json_auto_t *id = xml_attribute(at, "id"), *label = xml_attribute(at, "label"),
                    *in = read_group(file, at, group);
        json_t *entry = json_object();

        if (json_string_length(id) > 0)
            json_object_set(entry, "node_id", id);
        /* A label that repeats the id is no title: an attribute may be one. */
        if (json_string_length(label) > 0 && !(id && json_equal(id, label)))
            json_object_set(entry, "title", label);
        read_fields(file, at, entry, GEXF_NODE, known);
        rc = graph_file_set_defaults(&file->graph, entry, file->defaults[GEXF_NODE], file->err);
        graph_file_add_node(&file->graph, entry, (size_t)xml_line(at), in);
        for (const xmlNode *inner = xml_child(at, NULL); inner && rc == 0;
             inner = xml_next(inner, NULL)) {
            if (xml_is(inner, "nodes"))
                rc = read_nodes(file, inner, id);
            else if (xml_is(inner, "edges"))
                rc = read_edges(file, inner);
        }
    }
    return rc;
}

/* ---- the file ---- */

static void read_meta(struct gexf *file, const xmlNode *root, const xmlNode *graph)
{
    const xmlNode *meta = xml_child(root, "meta");
    json_auto_t *date = meta ? xml_attribute(meta, "lastmodifieddate") : NULL,
                *name = xml_attribute(graph, "name");

    for (const xmlNode *at = xml_child(meta, NULL); at; at = xml_next(at, NULL)) {
        json_t *text = xml_text(at);

        if (json_string_length(text) > 0)
            set(file, file->meta, (const char *)at->name, text, at);
        else
            json_decref(text);
    }
    if (date)
        json_object_set(file->meta, "lastmodifieddate", date);
    if (json_string_length(name) > 0)
        json_object_set(file->meta, "title", name);
}

static int read_graph(struct gexf *file, const xmlNode *graph)
{
    int rc = 0;

    read_attributes(file, graph);
    for (const xmlNode *at = xml_child(graph, NULL); at && rc == 0; at = xml_next(at, NULL)) {
        if (xml_is(at, "nodes"))
            rc = read_nodes(file, at, NULL);
        else if (xml_is(at, "edges"))
            rc = read_edges(file, at);
        else if (!xml_is(at, "attributes"))
            report(file, FINDING_LEFT_OUT, at, (const char *)at->name,
                   "an element inside a graph that is not read");
    }
    return rc;
}

static json_t *read_document(struct gexf *file, const xmlNode *root)
{
    const xmlNode *graph = xml_child(root, "graph");
    json_auto_t *direction = graph ? xml_attribute(graph, "defaultedgetype") : NULL;
    size_t unread = 0;

    if (!xml_is(root, "gexf") || !graph) {
        error_set(file->err, ERROR_INVALID,
                  "%s line %d: it must be <gexf><graph defaultedgetype=\"directed\"><nodes><node "
                  "id=\"n1\" label=\"Counting\"/></nodes><edges/></graph></gexf>",
                  file->name, xml_line(root));
        return NULL;
    }
    /* Undirected is GEXF's own default. */
    file->direction = direction ? json_string_value(direction) : "undirected";
    read_meta(file, root, graph);
    if (read_graph(file, graph) < 0)
        return NULL;
    for (graph = xml_next(graph, "graph"); graph; graph = xml_next(graph, "graph"))
        report(file, FINDING_LEFT_OUT, graph, NULL, "graphs behind the first, which GEXF has not");
    if (graph_file_complete(&file->graph, &unread, file->err) < 0)
        return NULL;
    findings_add_count(&file->graph.report->lines, FINDING_LEFT_OUT, unread,
                       PLACE(file->name, 0, NULL), "edges without a source or a target");
    return graph_file_curriculum(&file->graph, file->meta);
}

json_t *gexf_curriculum(const char *name, const struct buf *text, bool is_text,
                        struct format_report *to, struct error *err)
{
    xmlDoc *xml_auto document =
        (is_text ? xml_read_text : xml_read)(name, text->data ? text->data : "", text->len, err);
    struct gexf file = {.name = name,
                        .attributes = {json_object(), json_object()},
                        .defaults = {json_object(), json_object()},
                        .meta = json_object(),
                        .err = err};
    json_t *curriculum = NULL;

    graph_file_begin(&file.graph, name, to);
    file.graph.node_defaults = file.defaults[GEXF_NODE];
    if (document)
        curriculum = read_document(&file, xmlDocGetRootElement(document));
    graph_file_finish(&file.graph);
    for (size_t class = 0; class < GEXF_CLASSES; class ++) {
        json_decref(file.attributes[class]);
        json_decref(file.defaults[class]);
    }
    json_decref(file.meta);
    return curriculum;
}

static bool has_name(const char *name)
{
    return file_ends_in(name, SUFFIX);
}

static bool has_content(const struct buf *bytes)
{
    return xml_has_root(bytes->data, bytes->len, "gexf");
}

static json_t *read_gexf(const char *name, const struct buf *bytes, struct format_report *to,
                         struct error *err)
{
    return gexf_curriculum(name, bytes, false, to, err);
}

const struct format format_gexf = {
    .name = "gexf",
    .what = "a graph in GEXF, read only",
    .has_name = has_name,
    .has_content = has_content,
    .read = read_gexf,
};
