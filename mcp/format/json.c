/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The curriculum file itself, written as one node a line; read too where it is a graph in node-link
 * form, as NetworkX and D3 write it.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/format/file.h"
#include "mcp/format/format.h"
#include "mcp/format/graph_file.h"
#include "mcp/session/curriculum_file.h"

static bool looks_like(const char *path)
{
    return strcmp(path, "-") == 0 || file_ends_in(path, ".json");
}

/* Where a graph in node-link form has its edges; NULL: it is none. */
static const char *links_of(const json_t *root)
{
    static const char *const keys[] = {"links", "edges"};

    if (json_object_get(root, "relationships") || !json_is_array(json_object_get(root, "nodes")))
        return NULL;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (json_array_size(json_object_get(root, keys[i])) > 0)
            return keys[i];
    return NULL;
}

static void add_entries(struct graph_file *graph, const json_t *root, const char *links)
{
    const json_t *directed = json_object_get(root, "directed"), *entry;
    size_t i;

    json_array_foreach(json_object_get(root, "nodes"), i, entry) graph_file_add_node(
        graph, json_is_object(entry) ? json_copy((json_t *)entry) : json_object(), 0, NULL);
    json_array_foreach(json_object_get(root, links), i, entry) graph_file_add_edge(
        graph, json_is_object(entry) ? json_copy((json_t *)entry) : json_object(), 0,
        !json_is_false(directed));
}

json_t *json_curriculum(json_t *root, struct format_report *report, struct error *err)
{
    const char *links = links_of(root);
    struct graph_file graph;
    json_t *curriculum = NULL;
    size_t unread = 0, count;

    if (!links)
        return json_incref(root);
    graph_file_begin(&graph, links, report);
    graph.node_place = "nodes";
    graph.by_place = true;
    add_entries(&graph, root, links);
    if (graph_file_complete(&graph, &unread, err) == 0) {
        curriculum = json_copy(root);
        if (unread > 0) { /* links to pages, say */
            findings_add(&report->lines, FINDING_CHANGED, NULL,
                         "'%s' is kept as a field, and is not read as relationships: %s[0]: it has "
                         "no from_node_id, as source",
                         links, links);
        } else {
            count = json_array_size(graph.edges);
            format_note(report, "%zu relationship%s read from '%s', which is then left out", count,
                        count == 1 ? " is" : "s are", links);
            json_object_set(curriculum, "nodes", graph.nodes);
            json_object_set(curriculum, "relationships", graph.edges);
            json_object_del(curriculum, links);
        }
    }
    graph_file_finish(&graph);
    return curriculum;
}

static json_t *read_json(const char *path, struct format_report *report, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *root = NULL;
    size_t skip;

    if (file_read(path, CURRICULUM_FILE_CAP, &text, err) < 0)
        return NULL;
    skip = file_mark(text.data, text.len);
    root = json_read(text.data + skip, text.len - skip, "the file", err);
    return root ? json_curriculum(root, report, err) : NULL;
}

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
    .looks_like = looks_like,
    .read = read_json,
    .write = write_json,
};
