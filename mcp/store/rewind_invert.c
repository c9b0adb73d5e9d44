/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What each kind of row did, the other way round. One function a kind, one table of all.
 */
#include <inttypes.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/patch.h"
#include "mcp/store/rewind.h"

/* The log and the database do not belong together: somebody wrote past the log. */
static int astray(const struct rewind_row *row, struct error *err)
{
    return error_set(err, ERROR_INTERNAL,
                     "the change log does not fit what is there: version %" PRId64 ", %s %s %s",
                     row->version, row->op_name, row->entity_name,
                     row->entity_id ? row->entity_id : "");
}

/* value as it was before the row, as a new reference. */
static json_t *led_back(const struct rewind_row *row, const json_t *value, struct error *err)
{
    const json_t *patch = json_object_get(row->before, "patch");
    json_t *whole = json_object_get(row->before, row->entity_name), *result;

    if (!patch && !whole) {
        astray(row, err);
        return NULL;
    }
    result = patch ? patch_apply(value, patch) : json_copy(whole);
    if (!result)
        error_set(err, ERROR_MEMORY, "out of memory for what was");
    return result;
}

static int64_t number_of(const json_t *image, const char *key, int64_t otherwise)
{
    const json_t *value = json_object_get(image, key);

    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

/* ---- components ---- */

/* A row of the log's first form does not say it: all moves that do not follow from it had rows. */
static int read_shift(struct rewind *rewind, const struct rewind_row *row, bool *shift,
                      struct error *err)
{
    const json_t *image = row->before ? row->before : row->after;
    struct rows *rows;

    *shift = json_is_true(json_object_get(image, "shift"));
    if (json_object_get(image, "node"))
        return 0;
    rows =
        db_query(rewind->store->db, err, SQL_CHANGE_UNSHIFTED, "ii", rewind->session, row->version);
    if (rows_next(rows, err) <= 0)
        return -1;
    *shift = rows_int(rows, 0) == 0;
    rows_end(rows);
    return 0;
}

static struct sequence_item *item_of(const struct rewind *rewind, const struct rewind_row *row,
                                     struct error *err)
{
    const struct rewind_node *node = rewind_row_node(rewind, row);
    struct sequence_item *item = node ? rewind_item(&node->sequence, row->entity_id) : NULL;

    if (!item)
        astray(row, err);
    return item;
}

static int component_inserted(struct rewind *rewind, const struct rewind_row *row,
                              struct error *err)
{
    struct sequence_item *item = item_of(rewind, row, err);
    bool shift;

    if (!item || read_shift(rewind, row, &shift, err) != 0)
        return -1;
    rewind_take_out(&rewind_row_node(rewind, row)->sequence, item, shift);
    return 0;
}

static void read_position(const json_t *image, struct row_order *order)
{
    const json_t *position = json_object_get(image, "position");

    if (!position) /* the log's first form */
        position = json_object_get(image, "order");
    if (json_is_integer(position))
        *order = (struct row_order){ORDER_INTEGER, json_integer_value(position), 0};
    else if (json_is_real(position))
        *order = (struct row_order){ORDER_REAL, 0, json_real_value(position)};
}

static int component_deleted(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    json_t *content = json_object_get(row->before, "component");
    struct rewind_node *node = rewind_row_node(rewind, row);
    struct sequence_item item = {0};
    bool shift;

    if (!content || !node || rewind_item(&node->sequence, row->entity_id))
        return astray(row, err);
    if (read_shift(rewind, row, &shift, err) != 0)
        return -1;
    item.place = number_of(row->before, "place", 0);
    item.revision = number_of(row->before, "revision", 1);
    read_position(row->before, &item.order);
    if (item.order.kind == ORDER_UNKNOWN && !json_object_get(row->before, "position"))
        read_position(content, &item.order);
    text_cut(item.component_id, sizeof item.component_id, row->entity_id);
    if (json_is_object(content))
        item.component = json_copy(content);
    else
        item.raw = json_incref(content);
    if (rewind_put_in(&node->sequence, &item, shift, err) == 0)
        return 0;
    json_decref(item.component);
    json_decref(item.raw);
    return -1;
}

static int component_updated(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    struct sequence_item *item = item_of(rewind, row, err);
    json_t *component = item ? led_back(row, item->component, err) : NULL;

    if (!component)
        return -1;
    json_decref(item->component);
    item->component = component;
    rewind_settle_order(item);
    return 0;
}

static int component_renumbered(struct rewind *rewind, const struct rewind_row *row,
                                struct error *err)
{
    struct sequence_item *item = item_of(rewind, row, err);
    json_t *component = json_object_get(row->before, "component");

    if (!item)
        return -1;
    item->place = number_of(row->before, "place", item->place);
    item->order.kind = ORDER_UNKNOWN;
    read_position(row->before, &item->order);
    if (component) {
        json_decref(item->component);
        item->component = json_copy(component);
    } else if (item->order.kind == ORDER_INTEGER) {
        item_set_orders(item->component, item->order.integer);
    }
    return 0;
}

/* ---- nodes ---- */

static int node_inserted(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    struct rewind_node *node = rewind_row_node(rewind, row);

    if (!node || !node->node || node->sequence.count > 0)
        return astray(row, err);
    json_decref(node->node);
    node->node = NULL;
    return 0;
}

static int node_deleted(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    struct rewind_node *node = rewind_row_node(rewind, row);
    const char *created_at = json_get_string(row->before, "created_at");

    if (!node || node->node)
        return astray(row, err);
    node->node = led_back(row, NULL, err);
    node->place = number_of(row->before, "place", 0);
    node->revision = number_of(row->before, "revision", 1);
    node->flags = (unsigned)number_of(row->before, "flags", NODE_COMPONENTS);
    text_cut(node->created_at, sizeof node->created_at, created_at);
    return node->node ? 0 : -1;
}

static int node_updated(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    struct rewind_node *node = rewind_row_node(rewind, row);
    json_t *object;

    if (!node || !node->node)
        return astray(row, err);
    object = led_back(row, node->node, err);
    if (!object)
        return -1;
    json_decref(node->node);
    node->node = object;
    node->flags = (unsigned)number_of(row->before, "flags", node->flags);
    return 0;
}

static int node_touched(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    struct rewind_node *node = rewind_row_node(rewind, row);

    if (!node || !node->node)
        return astray(row, err);
    node->flags = (unsigned)number_of(row->before, "flags", node->flags);
    return 0;
}

/* ---- the others ---- */

static int relationship_changed(struct rewind *rewind, const struct rewind_row *row,
                                struct error *err)
{
    struct rewind_relationship *entry = rewind_row_relationship(rewind, row);

    if (!entry || (entry->relationship == NULL) != (row->op == PAST_DELETE))
        return astray(row, err);
    json_decref(entry->relationship);
    entry->relationship = NULL;
    if (row->op == PAST_INSERT)
        return 0;
    entry->relationship = json_incref(json_object_get(row->before, "relationship"));
    entry->place = number_of(row->before, "place", entry->place);
    return entry->relationship ? 0 : astray(row, err);
}

static int position_changed(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    struct rewind_position *entry = rewind_row_position(rewind, row);
    json_t *before = NULL;

    if (!entry || (entry->position == NULL) != (row->op == PAST_DELETE))
        return astray(row, err);
    if (row->op != PAST_INSERT) {
        before = led_back(row, entry->position, err);
        if (!before)
            return -1;
    }
    json_decref(entry->position);
    entry->position = before;
    return 0;
}

static int session_updated(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    json_t *title = json_object_get(row->before, "title"), *further;

    if (!json_object_get(row->before, "flags")) { /* the log's first form: the bare fields */
        further = json_incref(row->before);
        rewind->session_flags &= ~(unsigned)SESSION_RELATIONSHIPS;
    } else {
        further = led_back(row, rewind->further, err);
        rewind->session_flags &= ~(unsigned)SESSION_RELATIONSHIPS;
        rewind->session_flags |=
            (unsigned)number_of(row->before, "flags", 0) & SESSION_RELATIONSHIPS;
        if (further && title) {
            json_decref(rewind->title);
            rewind->title = json_incref(title);
        }
    }
    if (!further)
        return -1;
    json_decref(rewind->further);
    rewind->further = further;
    return 0;
}

static const struct {
    enum rewind_entity entity;
    enum rewind_op op;
    int (*invert)(struct rewind *rewind, const struct rewind_row *row, struct error *err);
} inverses[] = {
    {PAST_COMPONENT, PAST_INSERT, component_inserted},
    {PAST_COMPONENT, PAST_UPDATE, component_updated},
    {PAST_COMPONENT, PAST_DELETE, component_deleted},
    {PAST_COMPONENT, PAST_RENUMBER, component_renumbered},
    {PAST_NODE, PAST_INSERT, node_inserted},
    {PAST_NODE, PAST_UPDATE, node_updated},
    {PAST_NODE, PAST_DELETE, node_deleted},
    {PAST_NODE, PAST_TOUCH, node_touched},
    {PAST_RELATIONSHIP, PAST_INSERT, relationship_changed},
    {PAST_RELATIONSHIP, PAST_UPDATE, relationship_changed},
    {PAST_RELATIONSHIP, PAST_DELETE, relationship_changed},
    {PAST_POSITION, PAST_INSERT, position_changed},
    {PAST_POSITION, PAST_UPDATE, position_changed},
    {PAST_POSITION, PAST_DELETE, position_changed},
    {PAST_SESSION, PAST_UPDATE, session_updated},
};

int rewind_invert(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    for (size_t i = 0; i < sizeof inverses / sizeof inverses[0]; i++)
        if (inverses[i].entity == row->entity && inverses[i].op == row->op)
            return inverses[i].invert(rewind, row, err);
    return astray(row, err);
}

/* ---- what is there ---- */

json_t *rewind_component_value(const struct sequence_item *item)
{
    json_t *value;

    if (!item->component)
        return json_incref(item->raw);
    value = json_copy(item->component);
    json_object_set_new(value, "component_id", json_string(item->component_id));
    return value;
}

json_t *rewind_value(const struct rewind *rewind, const struct rewind_row *row)
{
    const struct rewind_relationship *relationship;
    const struct rewind_position *position;
    const struct sequence_item *item;
    const struct rewind_node *node;

    switch (row->entity) {
    case PAST_NODE:
        node = rewind_row_node(rewind, row);
        return node ? json_incref(node->node) : NULL;
    case PAST_COMPONENT:
        node = rewind_row_node(rewind, row);
        item = node ? rewind_item(&node->sequence, row->entity_id) : NULL;
        return item ? rewind_component_value(item) : NULL;
    case PAST_RELATIONSHIP:
        relationship = rewind_row_relationship(rewind, row);
        return relationship ? json_incref(relationship->relationship) : NULL;
    case PAST_POSITION:
        position = rewind_row_position(rewind, row);
        return position ? json_incref(position->position) : NULL;
    case PAST_SESSION:
        break;
    }
    return json_incref(rewind->further);
}
