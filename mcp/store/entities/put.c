/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An import into a session that is there: a node with its components, or a relationship, is
 * added, or updated where one with its identity exists. As in an import, no rule is checked; as in
 * any other write, everything is logged.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/entity.h"
#include "mcp/store/entities/import.h"
#include "mcp/store/store_internal.h"

/* ---- nodes ---- */

static int add_node(struct store *store, const struct write *write, const json_t *node,
                    const char *after, struct error *err)
{
    json_auto_t *copy = json_copy((json_t *)node);

    if (!copy)
        return error_set(err, ERROR_MEMORY, "out of memory for a node");
    json_object_del(copy, "last_modified"); /* it is made now */
    return store_node_insert_new(store, write, copy, after, err);
}

static int update_node(struct store *store, const struct write *write,
                       const struct node_found *found, const json_t *fields, struct error *err)
{
    json_auto_t *before = NULL, *after = NULL;
    unsigned flags;

    before = store_node_load(store, found->key, &flags, err);
    if (!before)
        return -1;
    after = json_copy(before);
    if (!after || json_object_update(after, (json_t *)fields) != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for a node");
    if (json_equal(before, after))
        return 0;
    return store_node_save(store, write, found->key, before, after, flags, err);
}

int store_put_node(struct store *store, const struct writer *writer, const char *sid,
                   const json_t *node, const char *after, struct error *err)
{
    const char *node_id = json_get_string(node, "node_id");
    struct node_found found;
    struct write write;
    int64_t count;
    int rc;

    if (store_write_begin_session(store, writer, MIRROR_NODES, sid, NULL, &write, err) < 0)
        return -1;
    rc = db_number(store->db, &count, err, SQL_NODE_TWINS, "is", write.session, node_id);
    if (rc == 0 && count > 0)
        rc = store_node_find(store, write.session, node_id, &found, err);
    if (rc == 0)
        rc = count > 0 ? update_node(store, &write, &found, node, err)
                       : add_node(store, &write, node, after, err);
    return store_write_end(store, &write, rc, err);
}

/* ---- components ---- */

static double order_of(const json_t *component, size_t place)
{
    const json_t *order = json_object_get(component, "order");

    if (!json_is_number(order))
        order = json_object_get(component, "order_index");
    return json_is_number(order) ? json_number_value(order) : (double)place + 1;
}

static int compare(const void *a, const void *b)
{
    const struct given *one = a, *other = b;

    if (one->order != other->order)
        return one->order < other->order ? -1 : 1;
    return one->place < other->place ? -1 : 1;
}

/* A new array without entries that are not objects, and without order keys; NULL with err. */
static struct given *take_given(const json_t *components, size_t *count, struct error *err)
{
    struct given *given = calloc(json_array_size(components) + 1, sizeof *given);
    const json_t *component;
    size_t i;

    *count = 0;
    if (!given) {
        error_set(err, ERROR_MEMORY, "out of memory for a node's components");
        return NULL;
    }
    json_array_foreach((json_t *)components, i, component)
    {
        struct given *next = &given[*count];

        if (!json_is_object(component))
            continue;
        *next = (struct given){.component = json_copy((json_t *)component),
                               .order = order_of(component, i),
                               .place = i};
        json_object_del(next->component, "order");
        json_object_del(next->component, "order_index");
        (*count)++;
    }
    qsort(given, *count, sizeof *given, compare);
    return given;
}

static bool is_like(const json_t *old, const json_t *given, bool equal)
{
    const char *type = entity_component_type(old), *other = entity_component_type(given);

    if (!equal)
        return type && other && strcmp(type, other) == 0;
    return json_equal(json_object_get(old, "parameters"), json_object_get(given, "parameters")) &&
           is_like(old, given, false);
}

/* Each one gets the id of an old component that has its content, else of one that has its type, in
 * their order: it keeps its history. taken: one flag for each old item. */
static void keep_ids(const struct sequence *old, bool *taken, struct given *given, size_t count,
                     bool equal)
{
    for (size_t i = 0, first = 0; i < count; i++) {
        if (given[i].component_id)
            continue;
        while (first < old->count && taken[first])
            first++;
        for (size_t j = first; j < old->count; j++) {
            const struct sequence_item *item = &old->items[j];

            if (taken[j] || !item_is_component(item) || !*item->component_id ||
                !is_like(item->content, given[i].component, equal))
                continue;
            given[i].component_id = item->component_id;
            taken[j] = true;
            break;
        }
    }
}

static int put_components(struct store *store, struct component_write *work,
                          const json_t *components, struct error *err)
{
    bool *taken = calloc(work->sequence.count + 1, sizeof *taken);
    size_t count;
    struct given *given = take_given(components, &count, err);
    int rc = -1;

    if (given && taken) {
        keep_ids(&work->sequence, taken, given, count, true);
        keep_ids(&work->sequence, taken, given, count, false);
        rc = sequence_replace(store, work, given, count, err);
    } else if (given) {
        error_set(err, ERROR_MEMORY, "out of memory for a node's components");
    }
    for (size_t i = 0; given && i < count; i++)
        json_decref(given[i].component);
    free(given);
    free(taken);
    return rc;
}

int store_put_components(struct store *store, const struct writer *writer, const char *sid,
                         const char *node_id, const json_t *components, struct error *err)
{
    struct component_write work;

    if (store_refresh(store, MIRROR_NODE | MIRROR_PASS_OVER, sid, node_id, err) != 0 ||
        store_component_write_begin(store, writer, sid, node_id, true, &work, err) != 0)
        return -1;
    return store_component_write_end(store, &work, put_components(store, &work, components, err),
                                     err);
}

/* ---- relationships ---- */

static int update_relationship(struct store *store, const struct write *write, int64_t key,
                               const json_t *fields, struct error *err)
{
    json_auto_t *before = NULL, *after = NULL;
    int64_t place;

    before = store_relationship_load(store, write->session, key, &place, err);
    if (!before)
        return -1;
    after = json_copy(before);
    if (!after || json_object_update(after, (json_t *)fields) != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for a relationship");
    if (json_equal(before, after))
        return 0;
    return store_relationship_save(store, write, key, place, before, after, err);
}

int store_put_relationship(struct store *store, const struct writer *writer, const char *sid,
                           const json_t *relationship, struct error *err)
{
    struct write write;
    int64_t key;
    int rc;

    if (store_write_begin_session(store, writer, MIRROR_RELATIONSHIPS, sid, NULL, &write, err) < 0)
        return -1;
    rc =
        store_relationship_same(store, write.session, json_get_string(relationship, "from_node_id"),
                                json_get_string(relationship, "to_node_id"),
                                json_get_string(relationship, "relationship_type"), 0, &key, err);
    if (rc >= 0)
        rc = rc > 0 ? update_relationship(store, &write, key, relationship, err)
                    : store_relationship_insert(store, &write, relationship, &key, err);
    return store_write_end(store, &write, rc, err);
}
