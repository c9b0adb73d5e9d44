/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The change log's rows, in the short form that they are kept in (store_internal.h).
 */
#include <inttypes.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/patch.h"
#include "mcp/store/store_internal.h"

/* What a row of the log means to those who look on. */
static const struct {
    const char *entity;
    enum store_target target;
} targets[] = {
    {"node", STORE_NODES},
    {"component", STORE_COMPONENTS},
    {"relationship", STORE_RELATIONSHIPS},
    {"position", STORE_POSITIONS},
    {"session", STORE_SESSION},
};

static enum store_target target_of(const char *entity)
{
    size_t i = 0;

    while (i + 1 < sizeof targets / sizeof targets[0] && strcmp(targets[i].entity, entity) != 0)
        i++;
    return targets[i].target;
}

/* Of an update: before, with the patch in place of the thing where that is shorter. */
static int shorten_update(const char *entity, const struct buf *before, const struct buf *after,
                          struct buf *kept, struct error *err)
{
    json_auto_t *old = json_read(before->data, before->len, "a change", err);
    json_auto_t *new = json_read(after->data, after->len, "a change", err);
    json_auto_t *patch = NULL;

    if (!old || !new)
        return -1;
    patch = patch_make(json_object_get(new, entity), json_object_get(old, entity));
    if (patch) {
        json_object_set(old, "patch", patch);
        json_object_del(old, entity);
        json_write(kept, old);
    }
    if (!patch || kept->len >= before->len) {
        buf_clear(kept);
        buf_add(kept, before->data, before->len);
    }
    return buf_check(kept, "a change", err);
}

/* Of an insertion: where the thing went, without the thing. */
static int shorten_insert(const char *entity, const struct buf *after, struct buf *kept,
                          struct error *err)
{
    json_auto_t *new = json_read(after->data, after->len, "a change", err);

    if (!new)
        return -1;
    json_object_del(new, entity);
    if (json_object_size(new) > 0)
        json_write(kept, new);
    return buf_check(kept, "a change", err);
}

static int log_row(struct store *store, const struct write *write, const char *entity,
                   const char *entity_id, const char *node_id, const char *op,
                   const struct buf *before, const struct buf *after, struct error *err)
{
    enum store_target target = target_of(entity);

    dirty_set_add(store->dirty, write, target, target == STORE_POSITIONS ? NULL : node_id);
    return db_run(store->db, err, SQL_CHANGE_INSERT, "iisssssssbb", write->session, write->version,
                  write->change_set, write->now, write->who, entity, entity_id, node_id, op,
                  before && before->len > 0 ? before : NULL,
                  after && after->len > 0 ? after : NULL);
}

int store_log(struct store *store, const struct write *write, const char *entity,
              const char *entity_id, const char *node_id, const char *op, const struct buf *before,
              const struct buf *after, struct error *err)
{
    /* A relationship is short, and history wants to say what it joined when it is gone. */
    bool whole = !strcmp(entity, "relationship");
    struct buf kept BUF_AUTO = {0};

    if (write->silent)
        return 0;
    if ((before && buf_check(before, "a change", err) != 0) ||
        (after && buf_check(after, "a change", err) != 0))
        return -1;
    if (before && after) {
        if (whole)
            buf_add(&kept, before->data, before->len);
        else if (shorten_update(entity, before, after, &kept, err) != 0)
            return -1;
        return log_row(store, write, entity, entity_id, node_id, op, &kept, NULL, err);
    }
    if (after && !whole && !strcmp(op, "insert")) {
        if (shorten_insert(entity, after, &kept, err) != 0)
            return -1;
        after = &kept;
    }
    return log_row(store, write, entity, entity_id, node_id, op, before, after, err);
}

/* ---- components ---- */

static void add_position(struct buf *to, const struct row_order *order)
{
    json_auto_t *real = order->kind == ORDER_REAL ? json_real(order->real) : NULL;

    buf_adds(to, ",\"position\":");
    if (order->kind == ORDER_INTEGER)
        buf_addf(to, "%" PRId64, order->integer);
    else if (real)
        json_write(to, real);
    else
        buf_adds(to, "null");
}

/* {"node", "node_id", "place", "position", ...: the node's key, and both columns. Left open. */
static void begin_component(struct buf *to, int64_t node, const char *node_id,
                            const struct sequence_item *item)
{
    buf_addf(to, "{\"node\":%" PRId64 ",\"node_id\":", node);
    json_write_string(to, node_id, strlen(node_id));
    buf_addf(to, ",\"place\":%" PRId64, item->place);
    add_position(to, &item->order);
}

static void add_component(struct buf *to, const struct sequence_item *item)
{
    buf_adds(to, ",\"component\":");
    json_write(to, item->component ? item->component : item->raw);
}

static void component_text(struct buf *to, const struct component_write *work,
                           const struct sequence_item *item)
{
    begin_component(to, work->node.key, work->node_id, item);
    buf_addf(to, ",\"revision\":%" PRId64, item->revision);
    if (work->sequence.dense)
        buf_adds(to, ",\"shift\":true");
    add_component(to, item);
    buf_addc(to, '}');
}

int store_log_component(struct store *store, const struct component_write *work,
                        const struct sequence_item *before, const struct sequence_item *after,
                        struct error *err)
{
    struct buf old BUF_AUTO = {0}, new BUF_AUTO = {0};
    const char *op = !before ? "insert" : after ? "update" : "delete";

    if (before)
        component_text(&old, work, before);
    if (after)
        component_text(&new, work, after);
    return store_log(store, &work->write, "component", (after ? after : before)->component_id,
                     work->node_id, op, before ? &old : NULL, after ? &new : NULL, err);
}

int store_log_renumber(struct store *store, const struct write *write, int64_t node,
                       const char *node_id, const struct sequence_item *item, struct error *err)
{
    struct buf before BUF_AUTO = {0};

    begin_component(&before, node, node_id, item);
    if (item->component && (item->flags & ROW_ODD)) /* its own keys for it may change with it */
        add_component(&before, item);
    buf_addc(&before, '}');
    return store_log(store, write, "component", item->component_id, node_id, "renumber", &before,
                     NULL, err);
}
