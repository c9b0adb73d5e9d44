/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A curriculum as a folder of Markdown.
 */
#include "mcp/format/markdown_folder.h"

#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/curriculum_file.h"
#include "mcp/format/markdown.h"
#include "mcp/format/yaml.h"

/* The shape that most components have. */
static unsigned usual_shape(const json_t *nodes)
{
    size_t counts[SHAPES] = {0}, n, i;
    unsigned best = SHAPE_USUAL;
    json_t *node, *component;

    json_array_foreach((json_t *)nodes, n, node)
    {
        json_array_foreach(json_object_get(node, "components"), i, component)
            counts[shape_of(component, i + 1)]++;
    }
    for (unsigned shape = 0; shape < SHAPES; shape++)
        if (counts[shape] > counts[best])
            best = shape;
    return best;
}

static int add_node(struct folder *folder, const json_t *node, unsigned usual, json_t *taken,
                    json_t *names, struct error *err)
{
    char name[FILE_NAME_CAP + 1];
    struct buf BUF_AUTO text = {0};

    markdown_name(node, taken, name);
    json_array_append_new(names, json_string(name));
    if (node_write(&text, node, usual, err) < 0)
        return error_wrap(err, "%s", name);
    return folder_add(folder, name, &text, err);
}

static int add_index(struct folder *folder, const json_t *curriculum, unsigned usual,
                     const json_t *names, struct error *err)
{
    const json_t *relationships = json_object_get(curriculum, "relationships");
    json_t *further = json_copy((json_t *)curriculum), *index;
    struct buf BUF_AUTO text = {0};
    int rc;

    json_object_del(further, "nodes");
    if (json_is_array(relationships))
        json_object_del(further, "relationships");
    index = json_pack("{s:s, s:o, s:O}", "lectern", MARKDOWN_KIND, "usual", shape_names(usual),
                      "nodes", names);
    if (json_is_array(relationships))
        json_object_set(index, "relationships", (json_t *)relationships);
    json_object_set_new(index, "further", further);
    rc = yaml_write(&text, index, err);
    json_decref(index);
    return rc < 0 ? error_wrap(err, MARKDOWN_INDEX)
                  : folder_add(folder, MARKDOWN_INDEX, &text, err);
}

int markdown_write(const json_t *curriculum, const char *path, struct format_report *report,
                   struct error *err)
{
    const json_t *nodes = json_object_get(curriculum, "nodes"), *node;
    unsigned usual = usual_shape(nodes);
    json_t *names, *taken;
    struct folder folder;
    int rc = 0;
    size_t i;

    (void)report; /* it holds all there is */
    if (json_array_size(nodes) > FORMAT_FILES_CAP)
        return error_set(err, ERROR_TOO_LARGE, "more than %u nodes are no folder of Markdown",
                         FORMAT_FILES_CAP);
    if (folder_begin(&folder, path, err) < 0)
        return -1;
    names = json_array();
    taken = json_object();
    json_array_foreach((json_t *)nodes, i, node)
    {
        if (rc == 0)
            rc = add_node(&folder, node, usual, taken, names, err);
    }
    if (rc == 0)
        rc = add_index(&folder, curriculum, usual, names, err);
    json_decref(names);
    json_decref(taken);
    return folder_end(&folder, rc == 0, rc == 0 ? err : NULL) < 0 || rc < 0 ? -1 : 0;
}
