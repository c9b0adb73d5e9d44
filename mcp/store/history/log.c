/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rows of the change log in their short form (store_internal.h), and the row of the session's
 * own fields.
 */
#include <inttypes.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/json_difference.h"
#include "mcp/store/store_internal.h"

/* What a row of the log means to those who look on. */
static const struct {
    const char *entity;
    enum store_target target;
} targets[] = {
    {"node", STORE_NODES},
    {"component", STORE_COMPONENTS},
    {"relationship", STORE_RELATIONSHIPS},
    {NODE_MAP_ENTITY, STORE_NODE_MAP},
    {"session", STORE_SESSION},
};

static enum store_target target_of(const char *entity)
{
    size_t i = 0;

    while (i + 1 < sizeof targets / sizeof targets[0] && strcmp(targets[i].entity, entity) != 0)
        i++;
    return targets[i].target;
}

int store_log(struct store *store, const struct write *write, const char *entity,
              const char *entity_id, const char *node_id, const char *op, const struct buf *before,
              const struct buf *after, struct error *err)
{
    enum store_target target = target_of(entity);

    if (write->silent)
        return 0;
    if (store_row_wanted(store, err) < 0)
        return -1;
    if ((before && buf_check(before, "a change", err) < 0) ||
        (after && buf_check(after, "a change", err) < 0))
        return -1;
    store->open.logged++;
    store_note_change(store, write, target, target == STORE_NODE_MAP ? NULL : node_id);
    return db_run(store->db, err, SQL_CHANGE_INSERT, "iisssssssbb", write->session, write->version,
                  write->change_set, write->now, write->who, entity, entity_id, node_id, op, before,
                  after);
}

/* Writes around, then the entity under that name. */
static void add_thing(struct buf *to, const struct buf *around, const char *name,
                      const json_t *thing)
{
    to->failed = to->failed || around->failed;
    to->starved = to->starved || around->starved;
    buf_add(to, around->data, around->len);
    buf_addf(to, "%s\"%s\":", around->len > 1 ? "," : "", name);
    json_write(to, thing);
    buf_addc(to, '}');
}

int store_log_thing(struct store *store, const struct write *write, const char *entity,
                    const char *entity_id, const char *node_id, struct buf *around,
                    const json_t *was, const json_t *is, struct error *err)
{
    struct buf BUF_AUTO whole = {0}, patched BUF_AUTO = {0};
    json_auto_t *patch = NULL;
    bool beside = around->len > 1;

    if (write->silent)
        return 0;
    if (!was) {
        buf_addc(around, '}');
        return store_log(store, write, entity, entity_id, node_id, "insert", NULL,
                         beside ? around : NULL, err);
    }
    add_thing(&whole, around, entity, was);
    patch = is ? patch_make(is, was) : NULL;
    if (patch)
        add_thing(&patched, around, "patch", patch);
    return store_log(store, write, entity, entity_id, node_id, is ? "update" : "delete",
                     patch && patched.len < whole.len ? &patched : &whole, NULL, err);
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

int store_log_component(struct store *store, const struct component_write *work,
                        const struct sequence_item *before, const struct sequence_item *after,
                        struct error *err)
{
    const struct sequence_item *item = before ? before : after;
    struct buf BUF_AUTO around = {0};

    if (work->write.silent)
        return 0;
    begin_component(&around, work->node.key, work->node_id, item);
    buf_addf(&around, ",\"revision\":%" PRId64, item->revision);
    if (work->sequence.dense)
        buf_adds(&around, ",\"shift\":true");
    return store_log_thing(store, &work->write, "component", item->component_id, work->node_id,
                           &around, before ? before->content : NULL, after ? after->content : NULL,
                           err);
}

int store_log_renumber(struct store *store, const struct write *write, int64_t node,
                       const char *node_id, const struct sequence_item *item, struct error *err)
{
    struct buf BUF_AUTO around = {0}, before BUF_AUTO = {0};

    begin_component(&around, node, node_id, item);
    if (item_is_component(item) &&
        (item->flags & ROW_ODD)) { /* its own keys for it may change with it */
        add_thing(&before, &around, "component", item->content);
    } else {
        buf_add(&before, around.data, around.len);
        buf_addc(&before, '}');
    }
    return store_log(store, write, "component", item->component_id, node_id, "renumber", &before,
                     NULL, err);
}

/* ---- a session's own fields ---- */

int store_session_save(struct store *store, const struct write *write,
                       const struct session_fields *before, const struct session_fields *after,
                       struct error *err)
{
    struct buf BUF_AUTO body = {0}, around BUF_AUTO = {0};

    json_write(&body, after->further);
    buf_addf(&around, "{\"flags\":%u", before->flags);
    if (before->title) {
        buf_adds(&around, ",\"title\":");
        json_write_string(&around, before->title, strlen(before->title));
    }
    if (buf_check(&body, "the session's fields", err) < 0 ||
        db_run(store->db, err, SQL_SESSION_SET_FURTHER, "ibis", write->session, &body,
               (int64_t)after->flags, after->title) != 0)
        return -1;
    return store_log_thing(store, write, "session", write->sid, NULL, &around, before->further,
                           after->further, err);
}
