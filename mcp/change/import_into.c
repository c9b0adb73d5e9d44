/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Compares the file with the session as it would be exported, then writes the differences in the
 * same transaction. A dry run ends after the comparison.
 */
#include "mcp/change/import_into.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/change/curriculum_file.h"
#include "mcp/curriculum/entity.h"
#include "mcp/curriculum/text.h"
#include "mcp/store/entities/import.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/relationship.h"

#define TITLE_SHOWN 100 /* bytes of a title or an id in a report */

struct into_plan {
    const struct import_into *into;
    struct into_report *report;
    struct findings *lines;
    json_t *nodes, *relationships; /* of the file; borrowed */
    json_t *current;               /* the session's file; owned */
    json_t *there;                 /* its nodes by id; owned */
    json_t *edges;                 /* its relationships by identity; owned */
    json_t *seen, *seen_edges;     /* of the file, by id and by identity; owned */
    /* To write; owned: [{"node", "after", "components"}], [relationship], [node_id] and
     * [relationship]. */
    json_t *put_nodes, *put_relationships, *drop_nodes, *drop_relationships;
};

static int no_memory(struct error *err)
{
    return error_set(err, ERROR_MEMORY, "out of memory for an import");
}

static void count_node(struct into_plan *plan, enum into_kind kind, const json_t *node)
{
    json_t *first = plan->report->first[kind];

    plan->report->nodes[kind]++;
    if (json_array_size(first) < IMPORT_INTO_FIRST_CAP)
        json_array_append_new(first,
                              json_pack("{s:O, s:O*}", "node_id", json_object_get(node, "node_id"),
                                        "title", json_object_get(node, "title")));
}

/* "node 17", for a place. */
static const char *name_entry(char name[64], const char *what, size_t index)
{
    snprintf(name, 64, "%s %zu", what, index + 1);
    return name;
}

/* The string at key; NULL also for one with a NUL in it, which no id has. */
static const char *plain_text(const json_t *object, const char *key)
{
    const char *text = json_get_string(object, key);

    return text && strlen(text) == json_string_length(json_object_get(object, key)) ? text : NULL;
}

/* ---- components ---- */

/* Those that are objects, in their order; a new reference. */
struct into_component {
    const json_t *component;
    double order;
    size_t place;
};

static int compare(const void *a, const void *b)
{
    const struct into_component *one = a, *other = b;

    if (one->order != other->order)
        return one->order < other->order ? -1 : 1;
    return one->place < other->place ? -1 : 1;
}

static struct into_component *in_order(const json_t *components, size_t *count)
{
    struct into_component *ordered = calloc(json_array_size(components) + 1, sizeof *ordered);
    const json_t *component;
    size_t i;

    *count = 0;
    json_array_foreach((json_t *)components, i, component)
    {
        const json_t *order = json_object_get(component, "order");

        if (!ordered || !json_is_object(component))
            continue;
        if (!json_is_number(order))
            order = json_object_get(component, "order_index");
        ordered[(*count)++] = (struct into_component){
            component, json_is_number(order) ? json_number_value(order) : (double)i + 1, i};
    }
    if (ordered)
        qsort(ordered, *count, sizeof *ordered, compare);
    return ordered;
}

/* Without the members that its place gives a component, and without defaults. */
static json_t *bare_component(const json_t *component)
{
    static const char *const left_out[] = {"order", "order_index", "component_id", "revision"};
    json_t *bare = json_copy((json_t *)component);
    const json_t *confidence = json_object_get(bare, "confidence");

    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++)
        json_object_del(bare, left_out[i]);
    if (json_is_number(confidence) && json_number_value(confidence) == 1.0)
        json_object_del(bare, "confidence");
    if (!json_object_get(bare, "type") && json_object_get(bare, "component_type"))
        json_object_set(bare, "type", json_object_get(bare, "component_type"));
    if (json_equal(json_object_get(bare, "type"), json_object_get(bare, "component_type")))
        json_object_del(bare, "component_type");
    return bare;
}

static bool same_component(const json_t *one, const json_t *other)
{
    json_auto_t *left = bare_component(one), *right = bare_component(other);

    return left && right && json_equal(left, right);
}

static bool same_components(const json_t *one, const json_t *other)
{
    size_t count, others;
    struct into_component *left = in_order(one, &count), *right = in_order(other, &others);
    bool same = left && right && count == others;

    for (size_t i = 0; same && i < count; i++)
        same = same_component(left[i].component, right[i].component);
    free(left);
    free(right);
    return same;
}

/* Components that are no list of objects have no place in a session that is there, unless it has
 * the same. */
static void name_raw_components(struct into_plan *plan, const json_t *there,
                                const json_t *components, const char *place)
{
    const json_t *component;
    size_t i;

    if (components && !json_is_array(components) &&
        !json_equal(json_object_get(there, "components"), (json_t *)components))
        findings_add(plan->lines, FINDING_LEFT_OUT, PLACE(place, 0, NULL),
                     "components is not an array");
    json_array_foreach((json_t *)components, i, component)
    {
        if (!json_is_object(component) &&
            !json_equal(json_array_get(json_object_get(there, "components"), i),
                        (json_t *)component))
            findings_add(plan->lines, FINDING_LEFT_OUT, PLACE(place, 0, NULL),
                         "a component is not an object");
    }
}

/* ---- nodes ---- */

/* The members of the file's node that are written: without its components and times. */
static json_t *own_members(const json_t *node, const json_t *there)
{
    json_t *members = json_copy((json_t *)node);

    json_object_del(members, "components");
    json_object_del(members, "last_modified");
    if (there) /* it was made when it was made */
        json_object_del(members, "created_at");
    return members;
}

/* Whether an update by the members would change the object. */
static bool has_members(const json_t *object, const json_t *members)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)members, name, value)
    {
        if (!json_equal(json_object_get(object, name), value))
            return false;
    }
    return true;
}

static int plan_node(struct into_plan *plan, size_t index, const json_t *node, const char *after,
                     struct error *err)
{
    const char *node_id = json_get_string(node, "node_id");
    const json_t *there = json_object_get(plan->there, node_id);
    json_t *components = json_object_get(node, "components"), *entry;
    json_auto_t *members = own_members(node, there);
    char place[64];
    bool replaces;

    if (!members)
        return no_memory(err);
    name_raw_components(plan, there, components, name_entry(place, "node", index));
    replaces = json_is_array(components) &&
               !same_components(json_object_get(there, "components"), components);
    if (there && !replaces && has_members(there, members)) {
        count_node(plan, INTO_UNCHANGED, node);
        return 0;
    }
    count_node(plan, there ? INTO_UPDATED : INTO_ADDED, node);
    plan->report->components += there && replaces;
    entry = json_pack("{s:O, s:s*, s:O*}", "node", members, "after", there ? NULL : after,
                      "components", replaces ? components : NULL);
    return json_array_append_new(plan->put_nodes, entry) == 0 ? 0 : no_memory(err);
}

static int plan_nodes(struct into_plan *plan, struct error *err)
{
    const char *after = NULL;
    const json_t *node;
    char place[64];
    size_t i;

    json_array_foreach(plan->nodes, i, node)
    {
        const char *node_id = plain_text(node, "node_id");

        name_entry(place, "node", i);
        if (!node_id || !*node_id) {
            findings_add(plan->lines, FINDING_LEFT_OUT, PLACE(place, 0, NULL),
                         "a node has no id by which it is found in the session");
            continue;
        }
        if (json_object_get(plan->seen, node_id)) {
            if (!json_equal(json_object_get(plan->seen, node_id), (json_t *)node))
                findings_add(plan->lines, FINDING_LEFT_OUT, PLACE(place, 0, node_id),
                             "a node has the id of a node before it");
            continue;
        }
        if (json_object_set(plan->seen, node_id, (json_t *)node) != 0)
            return no_memory(err);
        if (plan_node(plan, i, node, after, err) < 0)
            return -1;
        after = node_id;
    }
    return 0;
}

/* Nodes that the file does not have. */
static int plan_missing_nodes(struct into_plan *plan, struct error *err)
{
    const char *node_id;
    json_t *node;

    json_object_foreach(plan->there, node_id, node)
    {
        if (json_object_get(plan->seen, node_id))
            continue;
        count_node(plan, INTO_MISSING, node);
        if (json_array_append_new(plan->drop_nodes, json_string(node_id)) != 0)
            return no_memory(err);
    }
    return 0;
}

/* The nodes of both, in the order of each, are in the same order. */
static bool same_order(const struct into_plan *plan)
{
    const char *node_id;
    void *next = json_object_iter(plan->seen);
    const json_t *node;

    json_object_foreach(plan->there, node_id, node)
    {
        if (!json_object_get(plan->seen, node_id))
            continue;
        while (next && !json_object_get(plan->there, json_object_iter_key(next)))
            next = json_object_iter_next(plan->seen, next);
        if (!next || strcmp(json_object_iter_key(next), node_id) != 0)
            return false;
        next = json_object_iter_next(plan->seen, next);
    }
    return true;
}

/* ---- relationships ---- */

/* The identity of a relationship, as a key; false if it has none. */
static bool identity(const json_t *relationship, struct buf *key)
{
    const char *from = plain_text(relationship, "from_node_id");
    const char *to = plain_text(relationship, "to_node_id");
    const char *type = plain_text(relationship, "relationship_type");

    buf_clear(key);
    if (!from || !to || !type)
        return false;
    buf_addf(key, "%zu:%zu:%s%s%s", strlen(from), strlen(to), from, to, type);
    return !key->failed;
}

static int plan_relationship(struct into_plan *plan, size_t index, json_t *relationship,
                             struct error *err)
{
    struct buf BUF_AUTO key = {0};
    const json_t *there;
    enum into_kind kind;
    char place[64];

    if (!identity(relationship, &key)) {
        findings_add(plan->lines, FINDING_LEFT_OUT,
                     PLACE(name_entry(place, "relationship", index), 0, NULL),
                     "a relationship without an end or a type");
        return 0;
    }
    if (json_object_get(plan->seen_edges, key.data)) {
        if (!json_equal(json_object_get(plan->seen_edges, key.data), relationship))
            findings_add(plan->lines, FINDING_LEFT_OUT,
                         PLACE(name_entry(place, "relationship", index), 0, NULL),
                         "a relationship repeats an earlier one with other fields");
        return 0;
    }
    there = json_object_get(plan->edges, key.data);
    kind = !there ? INTO_ADDED : has_members(there, relationship) ? INTO_UNCHANGED : INTO_UPDATED;
    plan->report->relationships[kind]++;
    if (json_object_set(plan->seen_edges, key.data, relationship) != 0 ||
        (kind != INTO_UNCHANGED && json_array_append(plan->put_relationships, relationship) != 0))
        return no_memory(err);
    return 0;
}

/* Relationships that the file does not have. Those of a missing node are deleted with it. */
static int plan_missing_relationships(struct into_plan *plan, struct error *err)
{
    const char *key;
    json_t *relationship;

    json_object_foreach(plan->edges, key, relationship)
    {
        if (json_object_get(plan->seen_edges, key))
            continue;
        plan->report->relationships[INTO_MISSING]++;
        if (json_array_append(plan->drop_relationships, relationship) != 0)
            return no_memory(err);
    }
    return 0;
}

static int plan_relationships(struct into_plan *plan, struct error *err)
{
    json_t *relationship;
    size_t i;

    json_array_foreach(plan->relationships, i, relationship)
    {
        if (plan_relationship(plan, i, relationship, err) < 0)
            return -1;
    }
    return plan_missing_relationships(plan, err);
}

/* ---- the whole comparison ---- */

/* Fields of the file itself, such as meta, are the session's. */
static void name_further(const struct into_plan *plan, const json_t *root)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)root, name, value)
    {
        if (strcmp(name, "nodes") == 0 ||
            (strcmp(name, "relationships") == 0 && plan->relationships))
            continue;
        if (!json_equal(json_object_get(plan->current, name), value))
            findings_add(plan->lines, FINDING_LEFT_OUT, PLACE(NULL, 0, name),
                         "a field of the file itself: an import into a session changes nodes and "
                         "relationships");
    }
}

/* The nodes of the file, and ids of those that are only in the session, which a relationship of
 * the file may name. */
static int check_rules(const struct into_plan *plan, struct error *err)
{
    json_auto_t *nodes = json_copy(plan->nodes);
    json_auto_t *no_edges = json_array();
    const char *node_id;
    const json_t *node;

    json_object_foreach(plan->there, node_id, node)
    {
        if (!json_object_get(plan->seen, node_id) &&
            json_array_append_new(nodes,
                                  json_pack("{s:s, s:s}", "node_id", node_id, "title", "-")) != 0)
            return no_memory(err);
    }
    if (!nodes || !no_edges)
        return no_memory(err);
    curriculum_check_rules(nodes, plan->relationships ? plan->relationships : no_edges,
                           plan->lines);
    return 0;
}

static int read_session(struct into_plan *plan, struct store *store, struct error *err)
{
    struct buf BUF_AUTO text = {0}, key BUF_AUTO = {0};
    const json_t *list;
    json_t *entry;
    size_t i;

    if (store_export(store, plan->into->sid, &text, err) < 0)
        return -1;
    plan->current = json_read(text.data, text.len, "the session", err);
    if (!plan->current)
        return -1;
    list = json_object_get(plan->current, "nodes");
    json_array_foreach((json_t *)list, i, entry)
    {
        const char *node_id = plain_text(entry, "node_id");

        if (node_id && !json_object_get(plan->there, node_id) &&
            json_object_set(plan->there, node_id, entry) != 0)
            return no_memory(err);
    }
    list = json_object_get(plan->current, "relationships");
    json_array_foreach((json_t *)list, i, entry)
    {
        if (identity(entry, &key) && !json_object_get(plan->edges, key.data) &&
            json_object_set(plan->edges, key.data, entry) != 0)
            return no_memory(err);
    }
    return 0;
}

static int make_plan(struct into_plan *plan, struct store *store, const json_t *root,
                     struct error *err)
{
    if (read_session(plan, store, err) < 0 || plan_nodes(plan, err) < 0 ||
        plan_missing_nodes(plan, err) < 0 || plan_relationships(plan, err) < 0 ||
        check_rules(plan, err) < 0)
        return -1;
    name_further(plan, root);
    if (!same_order(plan))
        findings_add(plan->lines, FINDING_READ, NULL,
                     "the file has nodes in another order than the session, which stays");
    return 0;
}

static int check_cap(const struct into_plan *plan, struct error *err)
{
    const struct into_report *report = plan->report;
    size_t changes = into_report_changes(report, plan->into->delete_missing);
    struct buf BUF_AUTO counts = {0};

    if (changes <= IMPORT_INTO_CHANGES_MAX)
        return 0;
    into_report_counts(report, plan->into, &counts);
    return error_set(err, ERROR_TOO_LARGE,
                     "%zu changes are too many for one that can be undone, which has at most %d "
                     "(%.400s). Import a part of the files at a time, such as one chapter, or the "
                     "whole into a new session: lectern import PATH. Nothing was changed",
                     changes, IMPORT_INTO_CHANGES_MAX, counts.data ? counts.data : "");
}

/* ---- writing ---- */

static int put_nodes(const struct into_plan *plan, struct store *store, const struct writer *writer,
                     struct error *err)
{
    const char *sid = plan->into->sid;
    const json_t *entry;
    size_t i;

    json_array_foreach(plan->put_nodes, i, entry)
    {
        const json_t *node = json_object_get(entry, "node");
        const json_t *components = json_object_get(entry, "components");
        const char *node_id = json_get_string(node, "node_id");

        if (store_put_node(store, writer, sid, node, json_get_string(entry, "after"), err) < 0 ||
            (components &&
             store_put_components(store, writer, sid, node_id, components, err) < 0)) {
            char shown[TITLE_SHOWN];

            return error_wrap(err, "node %s", text_cut_line(shown, sizeof shown, node_id));
        }
    }
    return 0;
}

static int drop_relationships(const struct into_plan *plan, struct store *store,
                              const struct writer *writer, struct error *err)
{
    const json_t *relationship;
    size_t i;

    json_array_foreach(plan->drop_relationships, i, relationship)
    {
        struct relationship_state state = {0};
        int64_t id;

        if (store_relationship_find(
                store, plan->into->sid, json_get_string(relationship, "from_node_id"),
                json_get_string(relationship, "to_node_id"),
                json_get_string(relationship, "relationship_type"), &id, err) < 0 ||
            store_relationship_delete(store, writer, plan->into->sid, id, &state, err) < 0)
            return -1;
    }
    return 0;
}

static int write_plan(const struct into_plan *plan, struct store *store,
                      const struct writer *writer, struct error *err)
{
    const json_t *entry;
    size_t i;

    if (put_nodes(plan, store, writer, err) < 0)
        return -1;
    if (plan->into->delete_missing && drop_relationships(plan, store, writer, err) < 0)
        return -1;
    if (plan->into->delete_missing)
        json_array_foreach(plan->drop_nodes, i, entry)
        {
            if (store_node_delete(store, writer, plan->into->sid, json_string_value(entry), err) <
                0)
                return -1;
        }
    json_array_foreach(plan->put_relationships, i, entry)
    {
        if (store_put_relationship(store, writer, plan->into->sid, entry, err) < 0)
            return error_wrap(err, "relationship %zu", i + 1);
    }
    return 0;
}

/* ---- the whole ---- */

static int begin_plan(struct into_plan *plan, const json_t *root, struct error *err)
{
    json_t **const made[] = {&plan->put_nodes, &plan->put_relationships, &plan->drop_nodes,
                             &plan->drop_relationships};
    json_t **const maps[] = {&plan->there, &plan->edges, &plan->seen, &plan->seen_edges};

    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        if (!(*made[i] = json_array()))
            return no_memory(err);
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        if (!(*maps[i] = json_object()))
            return no_memory(err);
    for (size_t i = 0; i < INTO_KINDS; i++)
        if (!(plan->report->first[i] = json_array()))
            return no_memory(err);
    return curriculum_lists(root, &plan->nodes, &plan->relationships, err);
}

static void finish_plan(struct into_plan *plan)
{
    json_t *const owned[] = {
        plan->current,           plan->there,     plan->edges,      plan->seen,
        plan->seen_edges,        plan->put_nodes, plan->drop_nodes, plan->put_relationships,
        plan->drop_relationships};

    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        json_decref(owned[i]);
}

static int apply(struct into_plan *plan, struct store *store, const struct writer *writer,
                 const json_t *root, struct error *err)
{
    const struct writer own = {
        .who = writer->who, .change_set = plan->report->change_set, .only = writer->only};
    bool changes;
    int rc;

    if (text_uuid(plan->report->change_set, err) < 0 || store_begin(store, err) < 0)
        return -1;
    rc = make_plan(plan, store, root, err);
    changes = rc == 0 && into_report_changes(plan->report, plan->into->delete_missing) > 0;
    if (rc == 0)
        rc = check_cap(plan, err);
    if (rc == 0 && changes)
        rc = write_plan(plan, store, &own, err);
    if (store_end(store, rc == 0 && changes, rc == 0 ? err : NULL) < 0)
        rc = -1;
    if (rc < 0 || !changes)
        plan->report->change_set[0] = '\0';
    return rc;
}

int curriculum_import_into(struct store *store, const struct writer *writer, const json_t *root,
                           const struct import_into *into, struct into_report *report,
                           struct findings *lines, struct error *err)
{
    struct into_plan plan = {.into = into, .report = report, .lines = lines};
    int rc;

    memset(report, 0, sizeof *report);
    rc = begin_plan(&plan, root, err);
    if (rc == 0 && into->dry_run) {
        rc = make_plan(&plan, store, root, err);
        if (rc == 0)
            rc = check_cap(&plan, err);
    } else if (rc == 0) {
        rc = apply(&plan, store, writer, root, err);
    }
    finish_plan(&plan);
    return rc;
}

void into_report_finish(struct into_report *report)
{
    for (size_t i = 0; i < INTO_KINDS; i++)
        json_decref(report->first[i]);
    memset(report, 0, sizeof *report);
}

/* ---- the report ---- */

size_t into_report_changes(const struct into_report *report, bool delete_missing)
{
    size_t changes = 0;

    for (unsigned kind = INTO_ADDED; kind <= INTO_UPDATED; kind++)
        changes += report->nodes[kind] + report->relationships[kind];
    if (delete_missing)
        changes += report->nodes[INTO_MISSING] + report->relationships[INTO_MISSING];
    return changes;
}

json_t *into_report_json(const struct into_report *report)
{
    static const char *const names[INTO_KINDS] = {[INTO_ADDED] = "added",
                                                  [INTO_UPDATED] = "updated",
                                                  [INTO_UNCHANGED] = "unchanged",
                                                  [INTO_MISSING] = "missing"};
    json_t *all = json_pack("{s:I}", "components", (json_int_t)report->components);

    for (unsigned kind = 0; kind < INTO_KINDS; kind++)
        json_object_set_new(all, names[kind],
                            json_pack("{s:I, s:I, s:O}", "nodes", (json_int_t)report->nodes[kind],
                                      "relationships", (json_int_t)report->relationships[kind],
                                      "first", report->first[kind]));
    return all;
}

static void add_counts(struct buf *to, const char *what, const size_t counts[INTO_KINDS])
{
    buf_addf(to, "%s: %zu added, %zu updated, %zu unchanged", what, counts[INTO_ADDED],
             counts[INTO_UPDATED], counts[INTO_UNCHANGED]);
}

static void add_missing(const struct into_report *report, const struct import_into *into,
                        struct buf *to)
{
    size_t nodes = report->nodes[INTO_MISSING], edges = report->relationships[INTO_MISSING];
    bool one = nodes + edges == 1;

    if (nodes + edges == 0)
        return;
    buf_adds(to, "; ");
    if (nodes > 0)
        buf_addf(to, "%zu node%s", nodes, nodes == 1 ? "" : "s");
    if (edges > 0)
        buf_addf(to, "%s%zu relationship%s", nodes > 0 ? " and " : "", edges,
                 edges == 1 ? "" : "s");
    if (into->delete_missing)
        buf_addf(to, " that %s not in the file %s deleted", one ? "is" : "are", one ? "is" : "are");
    else
        buf_addf(to, " %s not in the file and stay%s", one ? "is" : "are", one ? "s" : "");
}

void into_report_counts(const struct into_report *report, const struct import_into *into,
                        struct buf *to)
{
    if (into_report_changes(report, into->delete_missing) == 0)
        buf_adds(to, "nothing to change; ");
    add_counts(to, "nodes", report->nodes);
    if (report->components > 0)
        buf_addf(to, " (components of %zu node%s replaced)", report->components,
                 report->components == 1 ? "" : "s");
    add_counts(to, "; relationships", report->relationships);
    add_missing(report, into, to);
}

void into_report_nodes(const struct into_report *report, const struct import_into *into,
                       struct buf *to)
{
    const char *const names[INTO_KINDS] = {"added", "updated", "unchanged",
                                           into->delete_missing ? "would be deleted"
                                                                : "only in the session, kept"};

    for (unsigned kind = 0; kind < INTO_KINDS; kind++) {
        const json_t *node;
        size_t i;

        if (report->nodes[kind] == 0)
            continue;
        buf_addf(to, "%s: %zu\n", names[kind], report->nodes[kind]);
        json_array_foreach(report->first[kind], i, node)
        {
            char id[TITLE_SHOWN], title[TITLE_SHOWN];

            buf_addf(to, "  %s \"%s\"\n",
                     text_cut_line(id, sizeof id, json_get_string(node, "node_id")),
                     text_cut_line(title, sizeof title, json_get_string(node, "title")));
        }
        if (i < report->nodes[kind])
            buf_addf(to, "  and %zu more\n", report->nodes[kind] - i);
    }
}
