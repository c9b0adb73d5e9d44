/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Merges one node into another: its components go behind the other's, or before them where the
 * other node needs it; its relationships go there, and it is deleted.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/store_internal.h"

struct merge {
    struct component_write from, into; /* of one write, in into */
    bool last_of_id; /* an imported id may repeat: then relationships and position stay */
    bool first;      /* from is to be taught before into */
    size_t moved, repointed, left_out;
};

/* What is to be learnt first comes first. In a cycle neither does. */
static int find_order(struct store *store, struct merge *merge, struct error *err)
{
    int64_t session = merge->into.write.session;
    const char *from = merge->from.node_id, *into = merge->into.node_id;
    int before = store_relationship_precedes(store, session, from, into, err), after = 0;

    if (before > 0)
        after = store_relationship_precedes(store, session, into, from, err);
    merge->first = before > 0 && after == 0;
    return before < 0 || after < 0 ? -1 : 0;
}

static int move_components(struct store *store, struct merge *merge, struct error *err)
{
    struct sequence *from = &merge->from.sequence;
    cleanup_free size_t *all = malloc((from->count + 1) * sizeof *all);

    if (!all)
        return error_set(err, ERROR_MEMORY, "out of memory for a node's components");
    for (size_t i = 0; i < from->count; i++)
        all[i] = i;
    from->dense = false; /* each goes from its own place */
    merge->moved = from->components;
    return store_items_move(store, &merge->from, all, from->count, &merge->into,
                            merge->first ? 0 : merge->into.sequence.count, err);
}

static int move_relationships(struct store *store, struct merge *merge, struct error *err)
{
    int64_t *keys;
    size_t count;
    int rc = store_relationships_of(store, merge->into.write.session, merge->from.node_id, &keys,
                                    &count, err);

    for (size_t i = 0; rc >= 0 && i < count; i++) {
        rc = store_relationship_move(store, &merge->into.write, keys[i], merge->from.node_id,
                                     merge->into.node_id, err);
        merge->repointed += rc == 0;
        merge->left_out += rc == 1;
    }
    free(keys);
    return rc < 0 ? -1 : 0;
}

static int find_both(struct store *store, struct merge *merge, long expected, struct error *err)
{
    struct component_write *from = &merge->from, *into = &merge->into;
    int64_t twins;

    if (strcmp(from->node_id, into->node_id) == 0)
        return error_set_at(err, "into_node_id",
                            "into_node_id: a node cannot be merged into itself, send another node");
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
        find_order(store, merge, err) < 0 || move_components(store, merge, err) < 0)
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
    state->first =
        merge->first && merge->moved > 0 && merge->into.sequence.components > merge->moved;
}

int store_node_merge(struct store *store, const struct writer *writer, const char *sid,
                     const char *node_id, const char *into, long expected_revision,
                     struct node_state *state, struct error *err)
{
    struct merge merge = {.from.node_id = node_id, .into.node_id = into};
    int rc;

    if (store_refresh(store, MIRROR_NODE, sid, into, err) != 0 ||
        store_write_begin_session(
            store, writer, MIRROR_NODE | MIRROR_TEXTS | MIRROR_RELATIONSHIPS | MIRROR_NODE_MAP, sid,
            node_id, &merge.into.write, err) < 0)
        return -1;
    rc = merge_nodes(store, &merge, expected_revision, err);
    rc = store_write_end(store, &merge.into.write, rc, err);
    if (rc == 0 && state)
        fill_state(&merge, state);
    sequence_finish(&merge.from.sequence);
    sequence_finish(&merge.into.sequence);
    return rc;
}
