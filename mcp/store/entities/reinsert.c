/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Changes the database to match images: compares the current state of each wanted entity, and
 * writes and logs the difference. Deletions come before insertions, since a component may have
 * moved between nodes with its id.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/store/history/rewind.h"

/* A restored entity continues after the highest revision at which it was ever deleted. */
static int next_revision(struct store *store, int64_t session, const char *entity,
                         const char *entity_id, int64_t *revision, struct error *err)
{
    int64_t last;

    if (db_number(store->db, &last, err, SQL_CHANGE_REVISION, "iss", session, entity, entity_id) !=
        0)
        return -1;
    *revision = (last > *revision ? last : *revision) + 1;
    return 0;
}

/* Whether the moves of the others follow from what goes and comes: then they get no rows. */
static bool follows(struct rewind_node *is, struct rewind_node *wanted)
{
    bool same = sequence_same_order(&is->sequence, &wanted->sequence); /* sorts both */

    return is->node && wanted->node && same && is->sequence.dense && wanted->sequence.dense;
}

static void begin(struct component_write *work, const struct write *write,
                  const struct rewind_node *node, bool dense)
{
    memset(work, 0, sizeof *work);
    work->write = *write;
    work->node.key = node->key;
    work->node_id = node->node_id;
    work->sequence.dense = dense;
}

/* What goes of a node's components. */
static int reinsert_drop(struct store *store, const struct write *write, struct rewind_node *is,
                         struct rewind_node *wanted, size_t *things, struct error *err)
{
    struct component_write work;

    begin(&work, write, is, follows(is, wanted));
    for (size_t i = is->sequence.count; i-- > 0;) { /* the last first: its place still holds */
        const struct sequence_item *item = &is->sequence.items[i];

        if (sequence_by_id(&wanted->sequence, item->component_id))
            continue;
        ++*things;
        if (db_run(store->db, err, SQL_COMPONENT_DELETE, "i", item->key) != 0 ||
            store_log_component(store, &work, item, NULL, err) != 0)
            return -1;
    }
    return 0;
}

static bool same_place(const struct sequence_item *one, const struct sequence_item *other)
{
    return one->place == other->place && one->order.kind == other->order.kind &&
           one->order.integer == other->order.integer && one->order.real == other->order.real;
}

static int save(struct store *store, const struct component_write *work,
                const struct sequence_item *is, struct sequence_item *wanted, size_t *things,
                struct error *err)
{
    bool same = item_equal(is, wanted);

    if (same && same_place(is, wanted))
        return 0;
    wanted->key = is->key;
    wanted->revision = is->revision + !same;
    if (item_save(store, wanted, err) != 0 ||
        db_run(store->db, err, SQL_COMPONENT_PLACE, "iio", wanted->key, wanted->place,
               &wanted->order) != 0)
        return -1;
    if (same)
        return 0;
    ++*things;
    return store_log_component(store, work, is, wanted, err);
}

static int log_move(struct store *store, const struct component_write *work,
                    const struct sequence_item *is, const struct sequence_item *wanted,
                    size_t *things, struct error *err)
{
    if (work->sequence.dense || same_place(is, wanted))
        return 0;
    ++*things;
    return store_log_renumber(store, &work->write, work->node.key, work->node_id, is, err);
}

static int reinsert_back(struct store *store, const struct component_write *work,
                         struct sequence_item *wanted, size_t *things, struct error *err)
{
    ++*things;
    if (next_revision(store, work->write.session, "component", wanted->component_id,
                      &wanted->revision, err) < 0 ||
        item_add(store, work->node.key, wanted, err) != 0)
        return -1;
    return store_log_component(store, work, NULL, wanted, err);
}

/* And then the rest. */
static int reinsert_components(struct store *store, const struct write *write,
                               struct rewind_node *is, struct rewind_node *wanted, size_t *things,
                               struct error *err)
{
    struct component_write work;
    int rc = 0;

    if (!wanted->node)
        return 0;
    begin(&work, write, wanted, follows(is, wanted));
    /* In three rounds, the reverse of the order in which the log is rewound: all updates, all
     * moves, all insertions, ascending. */
    for (size_t i = 0; rc == 0 && i < wanted->sequence.count; i++) {
        struct sequence_item *item = &wanted->sequence.items[i];
        const struct sequence_item *old = sequence_by_id(&is->sequence, item->component_id);

        if (old)
            rc = save(store, &work, old, item, things, err);
    }
    for (size_t i = 0; rc == 0 && i < wanted->sequence.count; i++) {
        const struct sequence_item *item = &wanted->sequence.items[i];
        const struct sequence_item *old = sequence_by_id(&is->sequence, item->component_id);

        if (old)
            rc = log_move(store, &work, old, item, things, err);
    }
    for (size_t i = 0; rc == 0 && i < wanted->sequence.count; i++) {
        struct sequence_item *item = &wanted->sequence.items[i];

        if (!sequence_by_id(&is->sequence, item->component_id))
            rc = reinsert_back(store, &work, item, things, err);
    }
    return rc;
}

struct reinsertion {
    struct store *store;
    const struct write *write;
    struct rewind *target, now; /* the same things in both, in the same order */
    size_t things;
};

static int want_all(struct reinsertion *work, struct error *err)
{
    struct rewind *target = work->target, *now = &work->now;
    struct rewind_node *node;

    for (size_t i = 0; i < target->node_count; i++)
        if (rewind_include_node(now, target->nodes[i]->key, target->nodes[i]->node_id, &node,
                                err) != 0)
            return -1;
    for (size_t i = 0; i < target->entry_count; i++)
        if (rewind_include_entry(now, target->entries[i]->entity, target->entries[i]->id, err) != 0)
            return -1;
    return target->further ? rewind_include_session(now, err) : 0;
}

/* ---- relationships, the node map, the session's own fields ---- */

static int drop_relationships(struct reinsertion *work, struct error *err)
{
    for (size_t i = 0; i < work->now.entry_count; i++) {
        const struct rewind_entry *is = work->now.entries[i];

        if (is->entity != REWIND_RELATIONSHIP || !is->value || work->target->entries[i]->value)
            continue;
        work->things++;
        if (store_relationship_drop(work->store, work->write, is->key, is->place, is->value, err) !=
            0)
            return -1;
    }
    return 0;
}

static int reinsert_relationship(struct reinsertion *work, const struct rewind_entry *is,
                                 const struct rewind_entry *wanted, struct error *err)
{
    struct buf BUF_AUTO body = {0};
    int64_t key = wanted->key;

    if (is->value)
        return store_relationship_save(work->store, work->write, is->key, is->place, is->value,
                                       wanted->value, err);
    /* The version as its revision: it had none higher. */
    return store_relationship_add(work->store, work->write, &key, wanted->place,
                                  work->write->version, wanted->value, &body, err);
}

/* Relationships to delete are already deleted (drop_relationships). */
static int reinsert_entry(struct reinsertion *work, const struct rewind_entry *is,
                          const struct rewind_entry *wanted, struct error *err)
{
    bool gone = is->entity == REWIND_RELATIONSHIP && !wanted->value;

    if (gone || is->value == wanted->value ||
        (is->value && wanted->value && json_equal(is->value, wanted->value)))
        return 0;
    work->things++;
    return is->entity == REWIND_RELATIONSHIP
               ? reinsert_relationship(work, is, wanted, err)
               : store_node_map_put(work->store, work->write, is->id, wanted->value, err);
}

static int reinsert_session(struct reinsertion *work, struct error *err)
{
    const struct rewind *now = &work->now, *target = work->target;
    struct session_fields before = {.flags = now->session_flags, .further = now->further};
    struct session_fields after = {.flags = target->session_flags, .further = target->further};

    if (!target->further ||
        (json_equal(now->further, target->further) && json_equal(now->title, target->title) &&
         now->session_flags == target->session_flags))
        return 0;
    if (!json_equal(now->title, target->title)) {
        before.title = json_string_value(now->title);
        after.title = json_string_value(target->title);
    }
    work->things++;
    return store_session_save(work->store, work->write, &before, &after, err);
}

/* In the log, relationships come before the node map. */
static int reinsert_others(struct reinsertion *work, struct error *err)
{
    for (int entity = REWIND_RELATIONSHIP; entity <= REWIND_NODE_MAP; entity++)
        for (size_t i = 0; i < work->now.entry_count; i++)
            if ((int)work->now.entries[i]->entity == entity &&
                reinsert_entry(work, work->now.entries[i], work->target->entries[i], err) != 0)
                return -1;
    return reinsert_session(work, err);
}

/* ---- nodes ---- */

static int reinsert_back_node(struct reinsertion *work, struct rewind_node *wanted,
                              struct error *err)
{
    struct node_new new = {.key = wanted->key,
                           .place = wanted->place,
                           .rank = wanted->rank,
                           .revision = wanted->revision,
                           .flags = wanted->flags,
                           .created_at = *wanted->created_at ? wanted->created_at : NULL,
                           .last_modified = work->write->now};
    struct buf BUF_AUTO body = {0};

    work->things++;
    if (store_node_add(work->store, work->write, &new, wanted->node, &body, err) != 0)
        return -1;
    wanted->key = new.key;
    return 0;
}

static int drop_node(struct reinsertion *work, const struct rewind_node *is, struct error *err)
{
    const struct node_found node = {.key = is->key};

    work->things++;
    return store_node_drop(work->store, work->write, &node, is->node_id, false, err);
}

/* Also where its components alone are changed: cursor and time say so. */
static int save_node(struct reinsertion *work, const struct rewind_node *is,
                     const struct rewind_node *wanted, struct error *err)
{
    struct buf BUF_AUTO before = {0};

    if (!json_equal(is->node, wanted->node)) {
        work->things++;
        return store_node_save(work->store, work->write, is->key, is->node, wanted->node,
                               wanted->flags, err);
    }
    if (is->flags != wanted->flags && (store_node_text(work->store, is->key, &before, err) < 0 ||
                                       store_log(work->store, work->write, "node", is->node_id,
                                                 is->node_id, "touch", &before, NULL, err) != 0))
        return -1;
    return db_run(work->store->db, err, SQL_NODE_TOUCH, "iisii", is->key, work->write->version,
                  work->write->now, (int64_t)(ROW_NODE_COMPONENTS | ROW_NODE_TIMES),
                  (int64_t)wanted->flags);
}

/* The time of the last write is not brought back: the column has it from now on. */
static void settle_times(struct rewind_node *wanted)
{
    if (!json_object_get(wanted->node, "last_modified"))
        return;
    json_object_del(wanted->node, "last_modified");
    wanted->flags |= ROW_NODE_TIMES;
}

static int reinsert_nodes(struct reinsertion *work, struct error *err)
{
    for (size_t i = 0; i < work->now.node_count; i++) {
        struct rewind_node *is = work->now.nodes[i], *wanted = work->target->nodes[i];

        settle_times(wanted);
        if (is->node && !wanted->node && drop_node(work, is, err) != 0)
            return -1;
        if (!is->node && wanted->node && reinsert_back_node(work, wanted, err) < 0)
            return -1;
        if (is->node && wanted->node &&
            (!json_equal(is->node, wanted->node) || is->flags != wanted->flags ||
             !sequence_equal(&is->sequence, &wanted->sequence)) &&
            save_node(work, is, wanted, err) != 0)
            return -1;
    }
    return 0;
}

int store_reinsert(struct rewind *target, const struct write *write, size_t *things,
                   struct error *err)
{
    struct reinsertion work = {.store = target->store, .write = write, .target = target};
    int rc;

    rewind_init(&work.now, target->store, target->session);
    rc = want_all(&work, err);
    if (rc == 0)
        rc = drop_relationships(&work, err);
    for (size_t i = 0; rc == 0 && i < target->node_count; i++)
        rc = reinsert_drop(target->store, write, work.now.nodes[i], target->nodes[i], &work.things,
                           err);
    if (rc == 0)
        rc = reinsert_nodes(&work, err);
    for (size_t i = 0; rc == 0 && i < target->node_count; i++)
        rc = reinsert_components(target->store, write, work.now.nodes[i], target->nodes[i],
                                 &work.things, err);
    if (rc == 0)
        rc = reinsert_others(&work, err);
    rewind_finish(&work.now);
    *things = work.things;
    return rc;
}
