/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Import: reads the whole file, checks it for the report, and passes every entry to the store
 * unmodified, in one transaction. Export: the store joins the stored texts. Blocks; runs on any
 * thread that may use the store.
 */
#include "mcp/change/curriculum_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/component_type.h"
#include "mcp/curriculum/curriculum_uri.h"
#include "mcp/curriculum/entity.h"
#include "mcp/curriculum/text.h"
#include "mcp/format/file.h"
#include "mcp/store/entities/import.h"
#include "mcp/store/store.h"

/* Violations of the contract's rules, which are imported anyway: one pass over nodes and
 * components, one over relationships. Entries are counted from 1, for people. */

#define SHOWN_CAP 80
#define NAME_CAP  160

/* ---- nodes ---- */

/* "node 17 (N017)" */
static void name_node(char name[NAME_CAP], size_t index, const char *node_id)
{
    char shown[SHOWN_CAP];

    if (node_id)
        snprintf(name, NAME_CAP, "node %zu (%s)", index + 1,
                 text_cut_line(shown, sizeof shown, node_id));
    else
        snprintf(name, NAME_CAP, "node %zu", index + 1);
}

static int compare_orders(const void *a, const void *b)
{
    json_int_t one = *(const json_int_t *)a, other = *(const json_int_t *)b;

    return one < other ? -1 : one > other;
}

/* Orders of one node: how many are not there or no whole numbers, how many are there twice. */
static void check_orders(const json_t *components, const char *name, struct findings *lines)
{
    size_t count = json_array_size(components), found = 0, missing = 0, repeated = 0, i;
    json_int_t *orders = calloc(count + 1, sizeof *orders);
    const json_t *component;

    if (!orders)
        return;
    json_array_foreach((json_t *)components, i, component)
    {
        const json_t *order = json_object_get(component, "order");
        const json_t *order_index = json_object_get(component, "order_index");

        if (!json_is_object(component))
            continue;
        if (order && order_index && !json_equal((json_t *)order, (json_t *)order_index))
            findings_add(lines, FINDING_RULE,
                         PLACE(name, 0, json_string_value(json_object_get(component, "type"))),
                         "order and order_index of a component differ");
        if (!order)
            order = order_index;
        if (json_is_integer(order))
            orders[found++] = json_integer_value(order);
        else
            missing++;
    }
    qsort(orders, found, sizeof *orders, compare_orders);
    for (i = 1; i < found; i++)
        repeated += orders[i] == orders[i - 1];
    if (missing > 0)
        findings_add_count(lines, FINDING_RULE, missing, PLACE(name, 0, NULL),
                           "components have no order, their place counts");
    if (repeated > 0)
        findings_add_count(lines, FINDING_RULE, repeated, PLACE(name, 0, NULL),
                           "components repeat an order");
    free(orders);
}

static void check_component(const json_t *component, const char *name, size_t index,
                            struct findings *lines)
{
    struct error found = {0};
    char place[NAME_CAP * 2];

    snprintf(place, sizeof place, "%s, component %zu", name, index + 1);
    if (!json_is_object(component)) {
        findings_add(lines, FINDING_RULE, PLACE(place, 0, NULL),
                     "a component is not an object: kept for the export only");
        return;
    }
    if (component_type_check(entity_component_type(component),
                             json_object_get(component, "parameters"), NULL, NULL, "", &found) != 0)
        findings_add(lines, FINDING_RULE, PLACE(place, 0, NULL), "%s", found.text);
}

static void check_components(const json_t *components, const char *name, struct findings *lines)
{
    const json_t *component;
    size_t i;

    if (!components)
        return;
    if (!json_is_array(components)) {
        findings_add(lines, FINDING_RULE, PLACE(name, 0, NULL),
                     "components is not an array: kept as it is");
        return;
    }
    json_array_foreach((json_t *)components, i, component)
        check_component(component, name, i, lines);
    check_orders(components, name, lines);
}

static void check_node(const json_t *node, size_t index, json_t *ids, struct findings *lines)
{
    const json_t *id = json_object_get(node, "node_id");
    const char *title = json_get_string(node, "title");
    char name[NAME_CAP];

    name_node(name, index, json_string_value(id));
    if (!json_is_object(node)) {
        findings_add(lines, FINDING_RULE, PLACE(name, 0, NULL),
                     "a node is not an object: kept for the export only");
        return;
    }
    if (!json_is_string(id) || json_string_length(id) == 0) {
        findings_add(lines, FINDING_RULE, PLACE(name, 0, NULL),
                     "a node has no node_id: no tool can reach it");
    } else if (json_object_getn(ids, json_string_value(id), json_string_length(id))) {
        findings_add(lines, FINDING_RULE, PLACE(name, 0, NULL),
                     "a node repeats a node_id: tools reach the first of them only");
    } else {
        json_object_setn_new(ids, json_string_value(id), json_string_length(id), json_true());
    }
    if (!title || !*title)
        findings_add(lines, FINDING_RULE, PLACE(name, 0, NULL), "a node has no title");
    check_components(json_object_get(node, "components"), name, lines);
}

/* ---- relationships ---- */

static void check_end(const json_t *relationship, const char *key, const json_t *ids,
                      const char *place, struct findings *lines)
{
    const json_t *end = json_object_get(relationship, key);

    if (!json_is_string(end))
        findings_add(lines, FINDING_RULE, PLACE(place, 0, NULL), "a relationship has no %s", key);
    else if (!json_object_getn(ids, json_string_value(end), json_string_length(end)))
        findings_add(lines, FINDING_RULE, PLACE(place, 0, json_string_value(end)),
                     "%s of a relationship does not exist", key);
}

static void check_relationship(const json_t *relationship, size_t index, const json_t *ids,
                               json_t *seen, struct findings *lines)
{
    const json_t *from = json_object_get(relationship, "from_node_id");
    const json_t *to = json_object_get(relationship, "to_node_id");
    const json_t *type = json_object_get(relationship, "relationship_type");
    bool is_link = curriculum_uri_is_node(json_string_value(to));
    struct error found = {0};
    struct buf BUF_AUTO key = {0};
    char place[NAME_CAP];

    snprintf(place, sizeof place, "relationship %zu", index + 1);

    if (!json_is_object(relationship)) {
        findings_add(lines, FINDING_RULE, PLACE(place, 0, NULL),
                     "a relationship is not an object: kept for the export only");
        return;
    }
    check_end(relationship, "from_node_id", ids, place, lines);
    if (!is_link)
        check_end(relationship, "to_node_id", ids, place, lines);
    if (!relationship_is_structure(json_string_value(type)) &&
        relationship_type_check(json_string_value(type), is_link ? link_types : relationship_types,
                                "relationship_type", &found) != 0)
        findings_add(lines, FINDING_RULE, PLACE(place, 0, NULL), "%s", found.text);
    if (!json_is_string(from) || !json_is_string(to))
        return;
    if (json_equal((json_t *)from, (json_t *)to))
        findings_add(lines, FINDING_RULE, PLACE(place, 0, NULL),
                     "a relationship leads from a node to itself");
    buf_init(&key, 0);
    buf_addf(&key, "%zu:%zu:", json_string_length(from), json_string_length(to));
    buf_add(&key, json_string_value(from), json_string_length(from));
    buf_add(&key, json_string_value(to), json_string_length(to));
    if (json_is_string(type))
        buf_add(&key, json_string_value(type), json_string_length(type));
    if (key.failed)
        return;
    if (json_object_getn(seen, key.data, key.len))
        findings_add(lines, FINDING_RULE, PLACE(place, 0, NULL),
                     "a relationship repeats an earlier one");
    json_object_setn_new(seen, key.data, key.len, json_true());
}

void curriculum_check_rules(const json_t *nodes, const json_t *relationships,
                            struct findings *lines)
{
    json_auto_t *ids = json_object();
    json_auto_t *seen = json_object();
    const json_t *entry;
    size_t i;

    if (!lines)
        return;
    findings_clear(lines, FINDING_RULE);
    json_array_foreach((json_t *)nodes, i, entry) check_node(entry, i, ids, lines);
    json_array_foreach((json_t *)relationships, i, entry)
        check_relationship(entry, i, ids, seen, lines);
    if (!relationships)
        findings_add(lines, FINDING_RULE, NULL, "the file has no list of relationships");
}

/* ---- import and export ---- */

#define PROGRESS_STEP 256 /* entries between two tellings */

struct file {
    json_t *root;
    json_t *nodes;         /* borrowed from root */
    json_t *relationships; /* borrowed; NULL if the file has no list of them */
    json_t *further;       /* owned: the top level's other fields */
};

static void close_file(struct file *file)
{
    json_decref(file->further);
    json_decref(file->root);
}

int curriculum_lists(const json_t *root, json_t **nodes, json_t **relationships, struct error *err)
{
    json_t *list = json_object_get(root, "relationships");

    *nodes = json_object_get(root, "nodes");
    *relationships = json_is_array(list) ? list : NULL;
    if (!json_is_object(root))
        return error_set_at(
            err, "",
            "the file is JSON but not a curriculum: its top level must be an object "
            "{\"nodes\": [...], \"relationships\": [...]}");
    if (!json_is_array(*nodes))
        return error_set_at(err, "nodes",
                            "the file is JSON but not a curriculum: \"nodes\" must be an array%s",
                            *nodes ? "" : ", it is missing");
    return 0;
}

static int open_file(struct file *file, const char *text, size_t len, struct error *err)
{
    size_t mark;

    if (len > CURRICULUM_FILE_CAP)
        return error_set(err, ERROR_TOO_LARGE, "the file is larger than %zu MiB",
                         CURRICULUM_FILE_CAP >> 20);
    mark = file_mark(text, len);
    file->root = json_read(text + mark, len - mark, "the file", err);
    if (!file->root)
        return -1;
    if (curriculum_lists(file->root, &file->nodes, &file->relationships, err) < 0)
        return -1;
    file->further = json_copy(file->root);
    if (!file->further)
        return error_set(err, ERROR_MEMORY, "out of memory for the file");
    json_object_del(file->further, "nodes");
    if (file->relationships)
        json_object_del(file->further, "relationships");
    return 0;
}

static void choose_title(const struct file *file, const char *title, char *chosen, size_t size)
{
    const char *candidates[] = {title, curriculum_title(file->root), CURRICULUM_UNTITLED};

    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
        if (candidates[i] && *text_cut_line(chosen, size, candidates[i]))
            return;
    }
}

static void report_progress(const struct import_progress *progress, const char *what, size_t done,
                            size_t total)
{
    if (progress && progress->fn && (done % PROGRESS_STEP == 0 || done == total))
        progress->fn(progress->user, what, done, total);
}

static int write_nodes(struct store *store, const struct file *file,
                       const struct import_report *report, const struct import_progress *progress,
                       struct error *err)
{
    size_t done = 0, i, j;
    json_t *node, *component;

    json_array_foreach(file->nodes, i, node)
    {
        if (store_import_node(store, node, err) < 0)
            return error_wrap(err, "node %zu", i + 1);
        json_array_foreach(json_object_get(node, "components"), j, component)
        {
            if (store_import_component(store, component, err) < 0)
                return error_wrap(err, "node %zu, component %zu", i + 1, j + 1);
            report_progress(progress, "components", ++done, report->components);
        }
    }
    return 0;
}

static int write_relationships(struct store *store, const struct file *file,
                               const struct import_progress *progress, struct error *err)
{
    json_t *relationship;
    size_t i;

    json_array_foreach(file->relationships, i, relationship)
    {
        if (store_import_relationship(store, relationship, err) < 0)
            return error_wrap(err, "relationship %zu", i + 1);
        report_progress(progress, "relationships", i + 1, json_array_size(file->relationships));
    }
    return 0;
}

static int write_file(struct store *store, const struct writer *writer, const struct file *file,
                      const char *title, const struct import_progress *progress,
                      struct import_report *report, struct error *err)
{
    char sid[SESSION_ID_SIZE];

    if (store_import_begin(store, writer, title, file->further, file->relationships != NULL, sid,
                           err) < 0)
        return -1;
    if (write_nodes(store, file, report, progress, err) < 0 ||
        write_relationships(store, file, progress, err) < 0) {
        store_import_end(store, false, NULL);
        return -1;
    }
    if (store_import_end(store, true, err) != 0)
        return -1;
    memcpy(report->session_id, sid, sizeof sid);
    return 0;
}

int curriculum_import(struct store *store, const struct writer *writer, const char *text,
                      size_t len, const char *title, bool dry_run,
                      const struct import_progress *progress, struct import_report *report,
                      struct findings *lines, struct error *err)
{
    struct file file = {0};
    char chosen[TITLE_MAX + 1];
    const json_t *node;
    size_t i;
    int rc = -1;

    memset(report, 0, sizeof *report);
    if (open_file(&file, text, len, err) < 0)
        goto out;
    curriculum_check_rules(file.nodes, file.relationships, lines);
    report->nodes = json_array_size(file.nodes);
    report->relationships = json_array_size(file.relationships);
    json_array_foreach(file.nodes, i, node) report->components +=
        json_array_size(json_object_get(node, "components"));
    choose_title(&file, title, chosen, sizeof chosen);
    rc = 0;
    if (!dry_run)
        rc = write_file(store, writer, &file, chosen, progress, report, err);
out:
    close_file(&file);
    return rc;
}
