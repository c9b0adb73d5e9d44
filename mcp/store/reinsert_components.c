/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One node's components made what an image says, in two steps: what goes, and, when all nodes are
 * through with that, what changes, moves and comes.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/store/rewind.h"

/* Whether the moves of the others follow from what goes and comes: then they get no rows. */
static bool follows(struct rewind_node *is, struct rewind_node *wanted)
{
    bool same = rewind_same_order(&is->sequence, &wanted->sequence); /* sorts both */

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

int store_reinsert_drop(struct store *store, const struct write *write, struct rewind_node *is,
                        struct rewind_node *wanted, size_t *things, struct error *err)
{
    struct component_write work;

    begin(&work, write, is, follows(is, wanted));
    for (size_t i = is->sequence.count; i-- > 0;) { /* the last first: its place still holds */
        const struct sequence_item *item = &is->sequence.items[i];

        if (rewind_item(&wanted->sequence, item->component_id))
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
    bool same = rewind_same_component(is, wanted);
    struct buf body BUF_AUTO = {0};
    struct component_row row;

    if (same && same_place(is, wanted))
        return 0;
    component_row(wanted->component ? wanted->component : wanted->raw, &body, &row);
    wanted->revision = is->revision + !same;
    wanted->flags = row.flags;
    if (buf_check(&body, "a component", err) != 0 ||
        db_run(store->db, err, SQL_COMPONENT_UPDATE, "itbioi", is->key, &row.type, &body,
               (int64_t)row.flags, &wanted->order, wanted->revision) != 0 ||
        db_run(store->db, err, SQL_COMPONENT_PLACE, "iio", is->key, wanted->place,
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
    struct buf body BUF_AUTO = {0};
    struct component_row row;

    ++*things;
    component_row(wanted->component ? wanted->component : wanted->raw, &body, &row);
    wanted->flags = row.flags;
    if (buf_check(&body, "a component", err) != 0 ||
        store_next_revision(store, work->write.session, "component", wanted->component_id,
                            &wanted->revision, err) != 0 ||
        db_run(store->db, err, SQL_COMPONENT_REINSERT_BACK, "iiositbi", work->node.key,
               wanted->place, &wanted->order, wanted->component_id, wanted->revision, &row.type,
               &body, (int64_t)row.flags) != 0)
        return -1;
    return store_log_component(store, work, NULL, wanted, err);
}

int store_reinsert_components(struct store *store, const struct write *write,
                              struct rewind_node *is, struct rewind_node *wanted, size_t *things,
                              struct error *err)
{
    struct component_write work;
    int rc = 0;

    if (!wanted->node)
        return 0;
    begin(&work, write, wanted, follows(is, wanted));
    /* In three rounds, as the log is rewound in their reverse: all changes, all moves, all that
     * comes, in ascending order. */
    for (size_t i = 0; rc == 0 && i < wanted->sequence.count; i++) {
        struct sequence_item *item = &wanted->sequence.items[i];
        const struct sequence_item *old = rewind_item(&is->sequence, item->component_id);

        if (old)
            rc = save(store, &work, old, item, things, err);
    }
    for (size_t i = 0; rc == 0 && i < wanted->sequence.count; i++) {
        const struct sequence_item *item = &wanted->sequence.items[i];
        const struct sequence_item *old = rewind_item(&is->sequence, item->component_id);

        if (old)
            rc = log_move(store, &work, old, item, things, err);
    }
    for (size_t i = 0; rc == 0 && i < wanted->sequence.count; i++) {
        struct sequence_item *item = &wanted->sequence.items[i];

        if (!rewind_item(&is->sequence, item->component_id))
            rc = reinsert_back(store, &work, item, things, err);
    }
    return rc;
}
