/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Merges one node into another: appends its components to the other's, moves its relationships
 * there, and deletes it. In the change log a moved component is deleted here and inserted there
 * with the same id, so that each step can be reverted alone.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/store/store_internal.h"

struct merge {
    struct component_write from, into; /* of one write, in into */
    bool last_of_id; /* an imported id may repeat: then relationships and position stay */
    size_t moved, repointed, left_out;
};

/* Moves the item's component to the other node; its place there follows from the renumbering. */
static int move_item(struct store *store, struct merge *merge, struct sequence_item *item,
                     struct error *err)
{
    struct sequence_item *moved =
        sequence_open(&merge->into.sequence, merge->into.sequence.count, err);

    if (!moved)
        return -1;
    *moved = *item;
    item->content = NULL; /* theirs now */
    moved->place = -1;
    moved->revision++;
    if (item_is_component(moved)) {
        merge->into.sequence.components++;
        merge->moved++;
    }
    return db_run(store->db, err, SQL_COMPONENT_MOVE, "iii", moved->key, merge->into.node.key,
                  moved->revision);
}

static int move_components(struct store *store, struct merge *merge, struct error *err)
{
    struct sequence *from = &merge->from.sequence, *into = &merge->into.sequence;
    size_t first = into->count;

    from->dense = false; /* each goes from its own place */
    for (size_t i = 0; i < from->count; i++)
        if (store_log_component(store, &merge->from, &from->items[i], NULL, err) != 0)
            return -1;
    for (size_t i = 0; i < from->count; i++)
        if (move_item(store, merge, &from->items[i], err) != 0)
            return -1;
    if (store_component_renumber(store, &merge->into, err) != 0)
        return -1;
    for (size_t i = first; i < into->count; i++)
        if (store_log_component(store, &merge->into, NULL, &into->items[i], err) != 0)
            return -1;
    return 0;
}

static int repoint(json_t *relationship, const char *end, const struct merge *merge)
{
    const char *node_id = json_get_string(relationship, end);

    if (!node_id || strcmp(node_id, merge->from.node_id) != 0)
        return 0;
    return json_object_set_new(relationship, end, json_string(merge->into.node_id));
}

/* 1: it would be a repeat or the node's own. */
static int is_left_out(struct store *store, const struct merge *merge, int64_t key,
                       const json_t *relationship, struct error *err)
{
    const char *from = json_get_string(relationship, "from_node_id");
    const char *to = json_get_string(relationship, "to_node_id");
    int64_t same;

    if (!from || !to)
        return 0;
    if (strcmp(from, to) == 0)
        return 1;
    return store_relationship_same(store, merge->into.write.session, from, to,
                                   json_get_string(relationship, "relationship_type"), key, &same,
                                   err);
}

static int move_relationship(struct store *store, struct merge *merge, int64_t key,
                             struct error *err)
{
    const struct write *write = &merge->into.write;
    json_auto_t *before = NULL, *after = NULL;
    int64_t place;
    int out;

    before = store_relationship_load(store, write->session, key, &place, err);
    if (!before)
        return -1;
    after = json_copy(before);
    if (!after || repoint(after, "from_node_id", merge) != 0 ||
        repoint(after, "to_node_id", merge) != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for a relationship");
    out = is_left_out(store, merge, key, after, err);
    if (out < 0)
        return -1;
    if (out > 0) {
        merge->left_out++;
        return store_relationship_drop(store, write, key, place, before, err);
    }
    merge->repointed++;
    return store_relationship_save(store, write, key, place, before, after, err);
}

static int move_relationships(struct store *store, struct merge *merge, struct error *err)
{
    int64_t *keys;
    size_t count;
    int rc = store_relationships_of(store, merge->into.write.session, merge->from.node_id, &keys,
                                    &count, err);

    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = move_relationship(store, merge, keys[i], err);
    free(keys);
    return rc;
}

static int find_both(struct store *store, struct merge *merge, long expected, struct error *err)
{
    struct component_write *from = &merge->from, *into = &merge->into;
    int64_t twins;

    if (strcmp(from->node_id, into->node_id) == 0)
        return error_set_at(err, "into_node_id",
                            "into_node_id: a node cannot be merged into itself");
    if (store_node_find(store, into->write.session, from->node_id, &from->node, err) < 0 ||
        store_node_find(store, into->write.session, into->node_id, &into->node, err) < 0 ||
        db_number(store->db, &twins, err, SQL_NODE_TWINS, "is", into->write.session,
                  from->node_id) != 0)
        return -1;
    merge->last_of_id = twins == 1;
    from->write = into->write;
    return store_node_check_revision(store, &from->node, from->node_id, expected, err);
}

static int merge_nodes(struct store *store, struct merge *merge, long expected, struct error *err)
{
    struct component_write *from = &merge->from, *into = &merge->into;

    if (find_both(store, merge, expected, err) < 0 ||
        sequence_read(store, from->node.key, true, &from->sequence, err) != 0 ||
        sequence_read(store, into->node.key, false, &into->sequence, err) != 0 ||
        move_components(store, merge, err) < 0)
        return -1;
    if (merge->last_of_id && move_relationships(store, merge, err) != 0)
        return -1;
    if (store_node_drop(store, &into->write, &from->node, from->node_id, merge->last_of_id, err) !=
        0)
        return -1;
    return store_node_find(store, into->write.session, into->node_id, &into->node, err);
}

static void fill_state(const struct merge *merge, struct node_state *state)
{
    memset(state, 0, sizeof *state);
    text_cut(state->node_id, sizeof state->node_id, merge->into.node_id);
    text_cut(state->title, sizeof state->title, merge->into.node.title);
    state->revision = (long)merge->into.node.revision;
    state->components = merge->moved;
    state->relationships = merge->repointed;
    state->left_out = merge->left_out;
}

int store_node_merge(struct store *store, const struct writer *writer, const char *sid,
                     const char *node_id, const char *into, long expected_revision,
                     struct node_state *state, struct error *err)
{
    struct merge merge = {.from.node_id = node_id, .into.node_id = into};
    int rc;

    if (store_refresh(store, UPSTREAM_NODE, sid, into, err) != 0 ||
        store_write_begin_session(store, writer,
                                  UPSTREAM_NODE | UPSTREAM_TEXTS | UPSTREAM_RELATIONSHIPS |
                                      UPSTREAM_NODE_MAP,
                                  sid, node_id, &merge.into.write, err) < 0)
        return -1;
    rc = merge_nodes(store, &merge, expected_revision, err);
    rc = store_write_end(store, &merge.into.write, rc, err);
    if (rc == 0 && state)
        fill_state(&merge, state);
    sequence_finish(&merge.from.sequence);
    sequence_finish(&merge.into.sequence);
    return rc;
}
