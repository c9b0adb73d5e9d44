/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes a node of another one: a part of it (split) or all of it (copy). A split moves components
 * and relationships, as a merge does in the other direction; a copy leaves the node as it is.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "helpers/base/validation.h"
#include "mcp/curriculum/entity.h"
#include "mcp/store/entities/component.h"
#include "mcp/store/store_internal.h"

struct parting {
    struct component_write from, into; /* of one write, in from */
    struct move_state *state;
};

/* ---- the new node ---- */

static void drop_texts(json_t *node)
{
    static const char *const own[] = {"raw_content", "suggested_template", "overall_confidence"};

    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        json_object_del(node, own[i]);
    for (size_t i = 0; entity_categories[i]; i++)
        json_object_del(node, entity_categories[i]);
}

/* The fields of the old node, with the id and the title of the new one; a new reference. */
static json_t *make_node(struct store *store, const struct parting *parting, const json_t *given,
                         bool whole, struct error *err)
{
    static const char *const never[] = {"components", "created_at", "last_modified"};
    json_auto_t *node = entity_node(given, err), *old = NULL;
    unsigned flags;

    old = node ? store_node_load(store, parting->from.node.key, &flags, err) : NULL;
    if (!old)
        return NULL;
    if (!whole)
        drop_texts(old);
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        json_object_del(old, never[i]);
    if (json_object_update_missing(node, old) == 0)
        return json_incref(node);
    error_set(err, ERROR_MEMORY, "out of memory for a node");
    return NULL;
}

static int add_node(struct store *store, struct parting *parting, const json_t *given,
                    const char *after, bool whole, struct error *err)
{
    struct component_write *from = &parting->from, *into = &parting->into;
    json_auto_t *node = make_node(store, parting, given, whole, err);

    if (!node ||
        store_node_insert_new(store, &from->write, node, after ? after : from->node_id, err) < 0)
        return -1;
    into->write = from->write;
    into->node_id = json_get_string(given, "node_id");
    if (store_node_find(store, from->write.session, into->node_id, &into->node, err) < 0)
        return -1;
    return sequence_read(store, into->node.key, false, &into->sequence, err);
}

/* ---- relationships that go with it ---- */

struct bundle {
    json_t **relationships; /* owned, each; of the old node */
    int64_t *keys;          /* owned */
    bool *goes;             /* owned */
    size_t count;
};

static void bundle_finish(struct bundle *bundle)
{
    for (size_t i = 0; bundle->relationships && i < bundle->count; i++)
        json_decref(bundle->relationships[i]);
    free(bundle->relationships);
    free(bundle->keys);
    free(bundle->goes);
}

static int bundle_read(struct store *store, const struct component_write *from,
                       struct bundle *bundle, struct error *err)
{
    int64_t session = from->write.session, place;

    if (store_relationships_of(store, session, from->node_id, &bundle->keys, &bundle->count, err) !=
        0)
        return -1;
    bundle->relationships = calloc(bundle->count + 1, sizeof *bundle->relationships);
    bundle->goes = calloc(bundle->count + 1, sizeof *bundle->goes);
    if (!bundle->relationships || !bundle->goes)
        return error_set(err, ERROR_MEMORY, "out of memory for a node's relationships");
    for (size_t i = 0; i < bundle->count; i++) {
        bundle->relationships[i] =
            store_relationship_load(store, session, bundle->keys[i], &place, err);
        if (!bundle->relationships[i])
            return -1;
    }
    return 0;
}

static bool is_named(const struct bundle *bundle, size_t i, const json_t *entry)
{
    const char *node_id = json_string_value(entry);

    if (!node_id)
        return json_is_integer(entry) && json_integer_value(entry) == bundle->keys[i];
    return json_string_is(bundle->relationships[i], "from_node_id", node_id) ||
           json_string_is(bundle->relationships[i], "to_node_id", node_id);
}

/* Marks those that go. The error names each entry that is none of the node's. */
static int choose(struct bundle *bundle, const json_t *chosen, const char *node_id,
                  struct error *err)
{
    struct validation_errors problems;
    const json_t *entry;
    char field[64];
    size_t at;

    validation_begin(&problems, "");
    json_array_foreach((json_t *)chosen, at, entry)
    {
        bool found = false;

        snprintf(field, sizeof field, "relationships.%zu", at);
        for (size_t i = 0; i < bundle->count; i++) {
            if (!is_named(bundle, i, entry))
                continue;
            bundle->goes[i] = true;
            found = true;
        }
        if (!found)
            validation_add(&problems, field,
                           "is not a relationship of %s: send its id, or the node at its other end",
                           node_id);
    }
    return validation_end(&problems, "Nothing was split", err);
}

static int move_relationships(struct store *store, struct parting *parting, const json_t *chosen,
                              struct error *err)
{
    const struct component_write *from = &parting->from;
    struct bundle bundle = {0};
    int rc = bundle_read(store, from, &bundle, err);

    if (rc == 0)
        rc = choose(&bundle, chosen, from->node_id, err);
    for (size_t i = 0; rc >= 0 && i < bundle.count; i++) {
        if (!bundle.goes[i])
            continue;
        rc = store_relationship_move(store, &from->write, bundle.keys[i], from->node_id,
                                     parting->into.node_id, err);
        parting->state->relationships += rc == 0;
    }
    bundle_finish(&bundle);
    return rc < 0 ? -1 : 0;
}

/* ---- the two ---- */

static int begin(struct store *store, const struct writer *writer, unsigned scope, const char *sid,
                 const char *node_id, struct parting *parting, struct error *err)
{
    memset(parting->state, 0, sizeof *parting->state);
    if (store_refresh(store, MIRROR_NODE | MIRROR_TEXTS | scope, sid, node_id, err) != 0)
        return -1;
    return store_component_write_begin(store, writer, sid, node_id, true, &parting->from, err);
}

static int end(struct store *store, struct parting *parting, int rc, struct error *err)
{
    struct move_state *state = parting->state;

    state->remaining = parting->from.sequence.components;
    text_cut_line(state->title, sizeof state->title, parting->from.node.title);
    text_cut_line(state->into_title, sizeof state->into_title, parting->into.node.title);
    sequence_finish(&parting->into.sequence);
    return store_component_write_end(store, &parting->from, rc, err);
}

static int split(struct store *store, struct parting *parting, const json_t *given,
                 const char *after, const json_t *components, const json_t *relationships,
                 struct error *err)
{
    struct component_write *from = &parting->from, *into = &parting->into;
    cleanup_free size_t *indexes = calloc(BATCH_MAX, sizeof *indexes);
    size_t count = 0;

    if (!indexes)
        return error_set(err, ERROR_MEMORY, "out of memory for a node's components");
    if (store_items_find(from, components, indexes, &count, err) < 0)
        return -1;
    if (count == from->sequence.components)
        return error_set_at(err, "components",
                            "components: all %zu would go, and %s would be empty; leave one at "
                            "least, or use rename_node",
                            count, from->node_id);
    if (add_node(store, parting, given, after, false, err) < 0 ||
        store_items_move(store, from, indexes, count, into, 0, err) < 0 ||
        store_component_renumber(store, from, err) != 0)
        return -1;
    parting->state->components = count;
    return json_array_size(relationships) > 0
               ? move_relationships(store, parting, relationships, err)
               : 0;
}

int store_node_split(struct store *store, const struct writer *writer, const char *sid,
                     const char *node_id, const json_t *into, const char *after,
                     const json_t *components, const json_t *relationships,
                     struct move_state *state, struct error *err)
{
    struct parting parting = {.state = state};

    if (begin(store, writer, MIRROR_RELATIONSHIPS, sid, node_id, &parting, err) != 0)
        return -1;
    return end(store, &parting, split(store, &parting, into, after, components, relationships, err),
               err);
}

/* The component as a new one; a new reference. Its order is set when it is inserted. */
static json_t *copy_component(const struct sequence_item *item)
{
    json_t *component = json_deep_copy(item->content);

    json_object_del(component, "component_id");
    json_object_del(component, "revision");
    return component;
}

static int drop(json_t **components, size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++)
        json_decref(components[i]);
    return error_set(err, ERROR_MEMORY, "out of memory for a node's components");
}

static int copy(struct store *store, struct parting *parting, const json_t *given,
                const char *after, struct error *err)
{
    const struct sequence *from = &parting->from.sequence;
    cleanup_free json_t **components = calloc(from->count + 1, sizeof *components);
    size_t count = 0;

    if (!components)
        return error_set(err, ERROR_MEMORY, "out of memory for a node's components");
    if (add_node(store, parting, given, after, true, err) < 0)
        return -1;
    for (size_t i = 0; i < from->count; i++) {
        if (!item_is_component(&from->items[i]))
            continue;
        components[count] = copy_component(&from->items[i]);
        if (!components[count++])
            return drop(components, count, err);
    }
    parting->state->components = count;
    return store_components_put(store, &parting->into, 0, components, count, err);
}

int store_node_copy(struct store *store, const struct writer *writer, const char *sid,
                    const char *node_id, const json_t *into, const char *after,
                    struct move_state *state, struct error *err)
{
    struct parting parting = {.state = state};

    if (begin(store, writer, 0, sid, node_id, &parting, err) != 0)
        return -1;
    return end(store, &parting, copy(store, &parting, into, after, err), err);
}
