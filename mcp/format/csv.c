/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The form "csv": which files make the pair, and what stands beside it. Read from a folder, from
 * PREFIX-nodes.csv and its like, or from the file of the nodes; written as a folder.
 */
#include "mcp/format/csv.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "helpers/base/json.h"
#include "mcp/session/curriculum_file.h"
#include "mcp/format/csv_read.h"
#include "mcp/format/file.h"

const struct csv_sheet csv_nodes = {
    .file = CSV_NODES_FILE,
    .roles = {{"node_id", "Id", CSV_ID}, {"title", "Label", CSV_TITLE}, {NULL, NULL, CSV_FIELD}},
    .needed = 1,
    .heading_needed =
        "Id (or id, node_id, :ID), and Label (or title, name) where nodes have titles",
};
const struct csv_sheet csv_relationships = {
    .file = CSV_RELATIONSHIPS_FILE,
    .roles = {{"from_node_id", "Source", CSV_SOURCE},
              {"to_node_id", "Target", CSV_TARGET},
              {"relationship_type", "relationship_type", CSV_TYPE},
              {NULL, NULL, CSV_FIELD}},
    .needed = 2,
    .heading_needed = "Source (or from_node_id, :START_ID), Target (or to_node_id, :END_ID), and "
                      "relationship_type (or Type) where they have types",
};

static const char *const node_names[] = {CSV_NODES_FILE, "Nodes.csv", "nodes.tsv", NULL};
static const char *const relationship_names[] = {
    CSV_RELATIONSHIPS_FILE, "edges.csv", "links.csv", "Relationships.csv", "Edges.csv",
    "relationships.tsv",    "edges.tsv", NULL};
static const char *const further_names[] = {CSV_FURTHER_FILE, NULL};
static const char *const joints[] = {"-", "_", ".", NULL};

/* What stands in front of the files' names: "folder/", "folder/algebra-". */
struct place {
    char prefix[PATH_MAX];
};

static bool find(const struct place *place, const char *const *names, char *path, size_t size)
{
    for (size_t i = 0; names[i]; i++)
        if (snprintf(path, size, "%s%s", place->prefix, names[i]) < (int)size &&
            access(path, F_OK) == 0)
            return true;
    return false;
}

static bool is_there(const struct place *place)
{
    char path[PATH_MAX];

    return find(place, node_names, path, sizeof path);
}

static bool find_place(const char *path, struct place *place)
{
    size_t len = strlen(path), size = sizeof place->prefix;

    if (len == 0 || len >= size - 16)
        return false;
    if (file_is_folder(path)) {
        snprintf(place->prefix, size, "%s/", path);
        return is_there(place);
    }
    for (size_t i = 0; node_names[i]; i++) {
        size_t end = strlen(node_names[i]);

        if (len >= end && !strcmp(path + len - end, node_names[i])) {
            snprintf(place->prefix, size, "%.*s", (int)(len - end), path);
            return is_there(place);
        }
    }
    for (size_t i = 0; joints[i]; i++) {
        snprintf(place->prefix, size, "%s%s", path, joints[i]);
        if (is_there(place))
            return true;
    }
    return false;
}

static bool looks_like(const char *path)
{
    size_t len = strlen(path);
    struct place place;

    return find_place(path, &place) ||
           (len >= 3 && (!strcasecmp(path + len - 3, "csv") || !strcasecmp(path + len - 3, "tsv")));
}

/* ---- reading ---- */

static json_t *read_sheet(const struct csv_sheet *sheet, const char *path,
                          struct format_report *report, struct error *err)
{
    struct buf BUF_AUTO text = {0};

    if (file_read(path, CURRICULUM_FILE_CAP, &text, err) < 0)
        return NULL;
    return csv_read_sheet(sheet, path, &text, report, err);
}

/* The file's other fields, where they stand beside: {"further": {...}, "relationships": false}. */
static json_t *read_further(const char *path, bool *relationships, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    json_t *beside, *further;

    if (file_read(path, CURRICULUM_FILE_CAP, &text, err) < 0)
        return NULL;
    beside = json_read(text.data, text.len, path, err);
    further = json_incref(json_object_get(beside, "further"));
    if (beside && !json_is_object(further)) {
        error_set(err, ERROR_INVALID,
                  "%s is not {\"further\": {...}}, as an export writes it; take it away to do "
                  "without",
                  path);
        json_decref(further);
        further = NULL;
    }
    *relationships = !json_is_false(json_object_get(beside, "relationships"));
    json_decref(beside);
    return further;
}

static json_t *read_csv(const char *path, struct format_report *report, struct error *err)
{
    json_t *root, *nodes = NULL, *relationships = NULL;
    bool has_relationships = true;
    struct place place;
    char name[PATH_MAX];

    if (!find_place(path, &place)) {
        error_set(err, ERROR_NOT_FOUND,
                  "%s is no pair of CSV files: name a folder with " CSV_NODES_FILE
                  " and " CSV_RELATIONSHIPS_FILE " (or edges.csv), or PREFIX of "
                  "PREFIX-" CSV_NODES_FILE " and PREFIX-" CSV_RELATIONSHIPS_FILE,
                  path);
        return NULL;
    }
    root = find(&place, further_names, name, sizeof name)
               ? read_further(name, &has_relationships, err)
               : json_object();
    if (root && find(&place, node_names, name, sizeof name))
        nodes = read_sheet(&csv_nodes, name, report, err);
    if (nodes && find(&place, relationship_names, name, sizeof name)) {
        relationships = read_sheet(&csv_relationships, name, report, err);
        if (!relationships) {
            json_decref(nodes);
            nodes = NULL;
        }
    } else if (nodes) {
        format_loss(report, "%s%s is not there: the nodes come without relationships", place.prefix,
                    CSV_RELATIONSHIPS_FILE);
    }
    if (!nodes) {
        json_decref(root);
        return NULL;
    }
    json_object_set_new(root, "nodes", nodes);
    if (relationships && (has_relationships || json_array_size(relationships) > 0))
        json_object_set(root, "relationships", relationships);
    json_decref(relationships);
    return root;
}

/* ---- writing ---- */

static int add_sheet(struct folder *folder, const struct csv_sheet *sheet, const json_t *entries,
                     struct format_report *report, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    size_t rest;

    if (csv_write_sheet(sheet, entries, &text, &rest, err) < 0)
        return -1;
    if (rest > 0)
        format_note(report,
                    "%s: what no cell can say (empty texts, null, missing or mixed fields) stands "
                    "in the column " CSV_REST ":json of %zu rows; other tools do not read it",
                    sheet->file, rest);
    return folder_add(folder, sheet->file, &text, err);
}

static int add_further(struct folder *folder, const json_t *curriculum, struct error *err)
{
    const json_t *relationships = json_object_get(curriculum, "relationships");
    struct buf BUF_AUTO text = {0};
    json_t *further = json_copy((json_t *)curriculum), *beside;

    json_object_del(further, "nodes");
    if (json_is_array(relationships))
        json_object_del(further, "relationships");
    beside =
        json_pack("{s:o, s:b}", "further", further, "relationships", json_is_array(relationships));
    json_write(&text, beside);
    json_decref(beside);
    buf_addc(&text, '\n');
    return folder_add(folder, CSV_FURTHER_FILE, &text, err);
}

static int write_csv(const json_t *curriculum, const char *path, struct format_report *report,
                     struct error *err)
{
    struct folder folder;
    int rc;

    if (folder_begin(&folder, path, err) < 0)
        return -1;
    format_note(report,
                "components are one cell of JSON a node, and meta stands in " CSV_FURTHER_FILE
                ": other tools show the one as text and do not read the other");
    rc = add_sheet(&folder, &csv_nodes, json_object_get(curriculum, "nodes"), report, err);
    if (rc == 0)
        rc = add_sheet(&folder, &csv_relationships, json_object_get(curriculum, "relationships"),
                       report, err);
    if (rc == 0)
        rc = add_further(&folder, curriculum, err);
    return folder_end(&folder, rc == 0, rc == 0 ? err : NULL) < 0 || rc < 0 ? -1 : 0;
}

const struct format format_csv = {
    .name = "csv",
    .what =
        "a folder with the CSV pair of graph tools, " CSV_NODES_FILE " and " CSV_RELATIONSHIPS_FILE,
    .looks_like = looks_like,
    .read = read_csv,
    .write = write_csv,
};
