/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A node's components as a list in memory, for the time of one write: read, changed, given new
 * places, written back where something moved. What an import brought keeps its own keys: who had no
 * order key gets none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/array.h"
#include "helpers/base/json.h"
#include "mcp/curriculum/entity.h"
#include "mcp/store/entities/component.h"
#include "mcp/store/history/rewind.h"
#include "mcp/store/store_internal.h"

#define CANDIDATES_CAP 10 /* component ids that a message lists */

int64_t item_order(const struct sequence_item *item)
{
    if (item->order.kind == ORDER_INTEGER)
        return item->order.integer;
    return item->place + 1;
}

static bool has_order(const struct sequence_item *item, int64_t order)
{
    if (!item_is_component(item))
        return false;
    if (item->order.kind == ORDER_REAL)
        return item->order.real == (double)order;
    return item_order(item) == order;
}

static bool says(const struct sequence_item *item, const char *key, int64_t order)
{
    const json_t *value = json_object_get(item->content, key);

    return !value || (json_is_integer(value) && json_integer_value(value) == order);
}

/* Whether its order keys, and its place if it has none, are this order. */
static bool item_is_at(const struct sequence_item *item, int64_t order)
{
    return has_order(item, order) && says(item, "order", order) && says(item, "order_index", order);
}

static json_t *read_content(const struct kept *kept, int64_t order, struct error *err)
{
    struct buf BUF_AUTO text = {0};

    if (kept->flags & ROW_RAW)
        return json_read(kept->body, kept->len, "a kept component", err);
    component_export(&text, kept, order);
    if (buf_check(&text, "a component", err) < 0)
        return NULL;
    return json_read(text.data, text.len, "a kept component", err);
}

static int read_item(struct rows *rows, struct sequence_item *item, struct error *err)
{
    struct kept kept = rows_kept(rows, 0);

    item->key = rows_int(rows, 2);
    item->place = rows_int(rows, 3);
    item->order = rows_order(rows, 4);
    text_cut(item->component_id, sizeof item->component_id, rows_text(rows, 5));
    item->revision = rows_int(rows, 6);
    item->flags = kept.flags;
    if (!kept.body)
        return 0;
    item->content = read_content(&kept, item->order.integer, err);
    return item->content ? 0 : -1;
}

int item_load(struct store *store, struct sequence_item *item, struct error *err)
{
    struct rows *rows ROWS_AUTO = NULL;
    struct kept kept;

    if (item->content)
        return 0;
    rows = db_query(store->db, err, SQL_COMPONENT_BY_KEY, "i", item->key);
    if (rows_next(rows, err) <= 0)
        return -1;
    kept = rows_kept(rows, 0);
    item->content = read_content(&kept, item->order.integer, err);
    return item->content ? 0 : -1;
}

struct sequence_item *sequence_open(struct sequence *sequence, size_t index, struct error *err)
{
    struct sequence_item *items;

    if (!ARRAY_ROOM(sequence->items, sequence->count)) {
        error_set(err, ERROR_MEMORY, "out of memory for a node's components");
        return NULL;
    }
    items = sequence->items;
    memmove(items + index + 1, items + index, (sequence->count - index) * sizeof *items);
    memset(items + index, 0, sizeof *items);
    sequence->count++;
    return items + index;
}

void sequence_remove(struct sequence *sequence, size_t index)
{
    struct sequence_item *item = &sequence->items[index];

    if (item_is_component(item))
        sequence->components--;
    json_decref(item->content);
    sequence->count--;
    memmove(item, item + 1, (sequence->count - index) * sizeof *item);
}

int sequence_read(struct store *store, int64_t node, bool whole, struct sequence *sequence,
                  struct error *err)
{
    struct rows *rows ROWS_AUTO = NULL;
    int row;

    memset(sequence, 0, sizeof *sequence);
    sequence->dense = true;
    rows = db_query(store->db, err, whole ? SQL_COMPONENT_LIST : SQL_COMPONENT_HEADS, "i", node);
    while ((row = rows_next(rows, err)) > 0) {
        struct sequence_item *item = sequence_open(sequence, sequence->count, err);

        if (!item || store_time_left(store, err) < 0 || read_item(rows, item, err) != 0) {
            row = -1;
            break;
        }
        sequence->components += item_is_component(item);
        sequence->dense =
            sequence->dense && item->place == (int64_t)sequence->count - 1 &&
            (!item_is_component(item) || item_is_at(item, (int64_t)sequence->components));
    }
    if (row < 0)
        sequence_finish(sequence);
    return row;
}

void sequence_finish(struct sequence *sequence)
{
    for (size_t i = 0; i < sequence->count; i++)
        json_decref(sequence->items[i].content);
    free(sequence->items);
    json_decref(sequence->places);
    memset(sequence, 0, sizeof *sequence);
}

size_t sequence_at(const struct sequence *sequence, size_t position)
{
    size_t seen = 0;

    for (size_t i = 0; i < sequence->count; i++)
        if (item_is_component(&sequence->items[i]) && ++seen == position)
            return i;
    return sequence->count;
}

static int find_by_id(const struct sequence *sequence, const struct component_ref *ref,
                      size_t *index, struct error *err)
{
    char shown[64];

    for (size_t i = 0; i < sequence->count; i++) {
        if (item_is_component(&sequence->items[i]) &&
            strcmp(sequence->items[i].component_id, ref->component_id) == 0) {
            *index = i;
            return 0;
        }
    }
    text_cut_line(shown, sizeof shown, ref->component_id);
    if (strspn(shown, "0123456789") == strlen(shown))
        return error_set_at(
            err, "component_id",
            "component_id: '%s' is not an id; to name a component by its place send "
            "component_order, 1 to %zu",
            shown, sequence->components);
    return error_set(
        err, ERROR_NOT_FOUND,
        "node %s has no component of the id '%s'; it may have been deleted: read the node's %zu "
        "components again",
        ref->node_id, shown, sequence->components);
}

/* Several share the order: their ids, so that the caller can choose. */
static int ambiguous(const struct sequence *sequence, const struct component_ref *ref, size_t found,
                     struct error *err)
{
    struct buf BUF_AUTO ids = {0};
    size_t listed = 0;

    buf_init(&ids, 0);
    for (size_t i = 0; i < sequence->count && listed < CANDIDATES_CAP; i++)
        if (has_order(&sequence->items[i], ref->order))
            buf_addf(&ids, "%s%s", listed++ > 0 ? ", " : "", sequence->items[i].component_id);
    return error_set(
        err, ERROR_CONFLICT,
        "%zu components of node %s have the order %ld; name one by its component_id: %s%s", found,
        ref->node_id, ref->order, ids.data ? ids.data : "", found > listed ? " and others" : "");
}

int sequence_find(const struct sequence *sequence, const struct component_ref *ref, size_t *index,
                  struct error *err)
{
    size_t found = 0;

    if (ref->component_id)
        return find_by_id(sequence, ref, index, err);
    for (size_t i = 0; i < sequence->count; i++) {
        if (has_order(&sequence->items[i], ref->order)) {
            if (found++ == 0)
                *index = i;
        }
    }
    if (found > 1)
        return ambiguous(sequence, ref, found, err);
    if (found == 1)
        return 0;
    if (sequence->components == 0)
        return error_set(err, ERROR_NOT_FOUND, "node %s has no components", ref->node_id);
    return error_set(err, ERROR_NOT_FOUND,
                     "node %s has no component %ld: it has %zu, counted from 1", ref->node_id,
                     ref->order, sequence->components);
}

/* ---- writing back ---- */

int item_add(struct store *store, int64_t node, struct sequence_item *item, struct error *err)
{
    struct buf BUF_AUTO body = {0};
    struct component_row row;

    component_row(item->content, &body, &row);
    item->flags = row.flags;
    if (buf_check(&body, "a component", err) < 0)
        return -1;
    return db_insert(store->db, &item->key, err, SQL_COMPONENT_INSERT, "iiositbi", node,
                     item->place, &item->order, item->component_id, item->revision, &row.type,
                     &body, (int64_t)row.flags);
}

int item_insert(struct store *store, int64_t node, struct sequence_item *item, struct error *err)
{
    if (!*item->component_id && text_uuid(item->component_id, err) < 0)
        return -1;
    /* Place and order are set by the renumbering that follows. */
    json_object_set_new(item->content, "order", json_integer(0));
    json_object_set_new(item->content, "order_index", json_integer(0));
    item->place = -1;
    item->order = (struct row_order){ORDER_INTEGER, 0, 0};
    item->revision = 1;
    return item_add(store, node, item, err);
}

int item_save(struct store *store, struct sequence_item *item, struct error *err)
{
    struct buf BUF_AUTO body = {0};
    struct component_row row;

    component_row(item->content, &body, &row);
    item->flags = row.flags;
    if (row.order.kind != ORDER_UNKNOWN)
        item->order = row.order;
    if (buf_check(&body, "a component", err) < 0)
        return -1;
    return db_run(store->db, err, SQL_COMPONENT_UPDATE, "itbioi", item->key, &row.type, &body,
                  (int64_t)row.flags, &item->order, item->revision);
}

int item_update(struct store *store, struct sequence_item *item, json_t *component,
                struct error *err)
{
    json_decref(item->content);
    item->content = json_incref(component);
    item->revision++;
    return item_save(store, item, err);
}

void item_set_orders(json_t *component, int64_t order)
{
    if (json_object_get(component, "order"))
        json_object_set_new(component, "order", json_integer(order));
    if (json_object_get(component, "order_index"))
        json_object_set_new(component, "order_index", json_integer(order));
}

static int move_item(struct store *store, struct sequence_item *item, int64_t place, int64_t order,
                     struct error *err)
{
    bool component = item_is_component(item);

    item->place = place;
    item->order = (struct row_order){component ? ORDER_INTEGER : ORDER_UNKNOWN, order, 0};
    if (component)
        item_set_orders(item->content, order);
    /* Orders that the body itself holds, because they were no plain numbers, become plain. */
    if (component && (item->flags & ROW_ODD) && item_save(store, item, err) != 0)
        return -1;
    return db_run(store->db, err, SQL_COMPONENT_PLACE, "iio", item->key, place, &item->order);
}

int sequence_renumber(struct store *store, const struct write *write, int64_t node,
                      const char *node_id, struct sequence *sequence, struct error *err)
{
    int64_t order = 0;

    for (size_t i = 0; i < sequence->count; i++) {
        struct sequence_item *item = &sequence->items[i];

        order += item_is_component(item);
        if (item->place == (int64_t)i && (!item_is_component(item) || item_is_at(item, order)))
            continue;
        /* In a dense sequence the moves follow from what was inserted or deleted: no rows of their
         * own. */
        if (!sequence->dense && item->place >= 0 &&
            store_log_renumber(store, write, node, node_id, item, err) != 0)
            return -1;
        sequence->moved = true;
        if (move_item(store, item, (int64_t)i, order, err) != 0)
            return -1;
    }
    return 0;
}

/* ---- sequences of images: in the order of their place and position columns, not of memory ---- */

#define PLACES_FROM 32 /* items, from which an index is worth its cost */

static void note_place(struct sequence *sequence, size_t i)
{
    if (sequence->places)
        json_object_set_new(sequence->places, sequence->items[i].component_id,
                            json_integer((json_int_t)i));
}

static void build_places(struct sequence *sequence)
{
    sequence->places = json_object();
    for (size_t i = 0; i < sequence->count; i++)
        note_place(sequence, i);
}

/* Items move when others are taken out or all are sorted, so the search begins where the item was,
 * and goes in both directions. */
static struct sequence_item *find_near(const struct sequence *sequence, const char *component_id,
                                       size_t near)
{
    for (size_t away = 0; away <= near || away <= sequence->count; away++) {
        size_t before = near - away, after = near + away;

        if (before < sequence->count &&
            strcmp(sequence->items[before].component_id, component_id) == 0)
            return &sequence->items[before];
        if (after < sequence->count &&
            strcmp(sequence->items[after].component_id, component_id) == 0)
            return &sequence->items[after];
    }
    return NULL;
}

struct sequence_item *sequence_by_id(struct sequence *sequence, const char *component_id)
{
    const json_t *place;

    if (!sequence->places && sequence->count >= PLACES_FROM)
        build_places(sequence);
    if (!sequence->places)
        return find_near(sequence, component_id, 0);
    place = json_object_get(sequence->places, component_id);
    return place ? find_near(sequence, component_id, (size_t)json_integer_value(place)) : NULL;
}

static double sort_key(const struct sequence_item *item)
{
    if (item->order.kind == ORDER_REAL)
        return item->order.real;
    return (double)item_order(item);
}

static int compare(const void *a, const void *b)
{
    const struct sequence_item *one = a, *other = b;
    double left = sort_key(one), right = sort_key(other);

    if (left != right)
        return left < right ? -1 : 1;
    return one->place < other->place ? -1 : one->place > other->place;
}

/* As the API lists them; fills in dense. */
static void sequence_sort(struct sequence *sequence)
{
    int64_t order = 0;

    if (sequence->count > 0)
        qsort(sequence->items, sequence->count, sizeof *sequence->items, compare);
    for (size_t i = 0; i < sequence->count; i++)
        note_place(sequence, i);
    sequence->dense = true;
    for (size_t i = 0; i < sequence->count; i++) {
        const struct sequence_item *item = &sequence->items[i];

        order += item_is_component(item);
        sequence->dense = sequence->dense && item->place == (int64_t)i &&
                          (!item_is_component(item) || item_is_at(item, order));
    }
}

/* Whole numbers or none, and the same in both keys: then they are the column's. */
static bool is_plain(const json_t *component)
{
    const json_t *order = json_object_get(component, "order");
    const json_t *index = json_object_get(component, "order_index");

    return (!order || json_is_integer(order)) && (!index || json_is_integer(index)) &&
           (!order || !index || json_equal((json_t *)order, (json_t *)index));
}

static json_t *without_number(const json_t *component)
{
    json_t *copy = json_copy((json_t *)component);

    if (is_plain(copy))
        item_set_orders(copy, 0);
    return copy;
}

bool item_equal(const struct sequence_item *one, const struct sequence_item *other)
{
    json_auto_t *left = NULL, *right = NULL;

    if (!item_is_component(one) || !item_is_component(other))
        return item_is_component(one) == item_is_component(other) &&
               json_equal(one->content, other->content);
    left = without_number(one->content);
    right = without_number(other->content);
    return left && right && json_equal(left, right);
}

static bool same_order(const struct row_order *one, const struct row_order *other)
{
    return one->kind == other->kind &&
           (one->kind == ORDER_UNKNOWN ||
            (one->kind == ORDER_REAL ? one->real == other->real : one->integer == other->integer));
}

bool sequence_same_arrangement(struct sequence *one, struct sequence *other)
{
    sequence_sort(one);
    sequence_sort(other);
    if (one->count != other->count)
        return false;
    for (size_t i = 0; i < one->count; i++) {
        const struct sequence_item *left = &one->items[i], *right = &other->items[i];

        if (strcmp(left->component_id, right->component_id) != 0 || left->place != right->place ||
            !same_order(&left->order, &right->order))
            return false;
    }
    return true;
}

bool sequence_equal(struct sequence *one, struct sequence *other)
{
    if (!sequence_same_arrangement(one, other))
        return false;
    for (size_t i = 0; i < one->count; i++)
        if (!item_equal(&one->items[i], &other->items[i]))
            return false;
    return true;
}

bool sequence_same_order(struct sequence *one, struct sequence *other)
{
    size_t at = 0;

    sequence_sort(one);
    sequence_sort(other);
    for (size_t i = 0; i < one->count; i++) {
        const char *id = one->items[i].component_id;

        if (!sequence_by_id(other, id))
            continue;
        while (at < other->count && !sequence_by_id(one, other->items[at].component_id))
            at++;
        if (at == other->count || strcmp(other->items[at++].component_id, id) != 0)
            return false;
    }
    return true;
}

static void move_behind(struct sequence *sequence, int64_t place, int64_t by, bool components)
{
    for (size_t i = 0; i < sequence->count; i++) {
        struct sequence_item *item = &sequence->items[i];

        if (item->place < place)
            continue;
        item->place += by;
        if (!components || !item_is_component(item) || item->order.kind != ORDER_INTEGER)
            continue;
        item->order.integer += by;
        item_set_orders(item->content, item->order.integer);
    }
}

void sequence_take_out(struct sequence *sequence, struct sequence_item *item, bool shift)
{
    int64_t place = item->place;
    bool component = item_is_component(item);

    if (sequence->places)
        json_object_del(sequence->places, item->component_id);
    sequence_remove(sequence, (size_t)(item - sequence->items));
    if (shift)
        move_behind(sequence, place, -1, component);
}

int sequence_put_in(struct sequence *sequence, const struct sequence_item *item, bool shift,
                    struct error *err)
{
    struct sequence_item put = *item, *room;
    int64_t before = 0;

    if (shift) { /* the sequence may have become shorter */
        if (put.place > (int64_t)sequence->count)
            put.place = (int64_t)sequence->count;
        move_behind(sequence, put.place, 1, item_is_component(&put));
        for (size_t i = 0; i < sequence->count; i++)
            before +=
                item_is_component(&sequence->items[i]) && sequence->items[i].place < put.place;
        if (item_is_component(&put))
            put.order = (struct row_order){ORDER_INTEGER, before + 1, 0};
    }
    room = sequence_open(sequence, sequence->count, err);
    if (!room)
        return -1;
    *room = put;
    note_place(sequence, sequence->count - 1);
    if (item_is_component(room)) {
        sequence->components++;
        item_settle_order(room);
    }
    return 0;
}

void item_settle_order(struct sequence_item *item)
{
    json_t *order = json_object_get(item->content, "order");

    if (!order)
        order = json_object_get(item->content, "order_index");
    if (!order)
        return;
    if (is_plain(item->content)) {
        if (item->order.kind != ORDER_INTEGER)
            item->order = (struct row_order){ORDER_INTEGER, item_order(item), 0};
        item_set_orders(item->content, item->order.integer);
    } else if (json_is_integer(order)) {
        item->order = (struct row_order){ORDER_INTEGER, json_integer_value(order), 0};
    } else if (json_is_real(order)) {
        item->order = (struct row_order){ORDER_REAL, 0, json_real_value(order)};
    }
}
