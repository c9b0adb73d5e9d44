/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A node's components in an image: by the two columns that the database has for their order, place
 * and position, and not by where they stand in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "mcp/store/rewind.h"

struct sequence_item *rewind_item(const struct sequence *sequence, const char *component_id)
{
    for (size_t i = 0; i < sequence->count; i++)
        if (!strcmp(sequence->items[i].component_id, component_id))
            return &sequence->items[i];
    return NULL;
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

void rewind_sort(struct sequence *sequence)
{
    int64_t order = 0;

    if (sequence->count > 0)
        qsort(sequence->items, sequence->count, sizeof *sequence->items, compare);
    sequence->dense = true;
    for (size_t i = 0; i < sequence->count; i++) {
        const struct sequence_item *item = &sequence->items[i];

        if (item->component)
            order++;
        sequence->dense = sequence->dense && item->place == (int64_t)i &&
                          (!item->component || item_is_at(item, order));
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

bool rewind_same_component(const struct sequence_item *one, const struct sequence_item *other)
{
    json_auto_t *left = NULL, *right = NULL;

    if (!one->component || !other->component)
        return !one->component && !other->component && json_equal(one->raw, other->raw);
    left = without_number(one->component);
    right = without_number(other->component);
    return left && right && json_equal(left, right);
}

static bool same_order(const struct row_order *one, const struct row_order *other)
{
    return one->kind == other->kind &&
           (one->kind == ORDER_UNKNOWN ||
            (one->kind == ORDER_REAL ? one->real == other->real : one->integer == other->integer));
}

bool rewind_same_arrangement(struct sequence *one, struct sequence *other)
{
    rewind_sort(one);
    rewind_sort(other);
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

bool rewind_same_components(struct sequence *one, struct sequence *other)
{
    if (!rewind_same_arrangement(one, other))
        return false;
    for (size_t i = 0; i < one->count; i++)
        if (!rewind_same_component(&one->items[i], &other->items[i]))
            return false;
    return true;
}

bool rewind_same_order(struct sequence *one, struct sequence *other)
{
    size_t at = 0;

    rewind_sort(one);
    rewind_sort(other);
    for (size_t i = 0; i < one->count; i++) {
        const char *id = one->items[i].component_id;

        if (!rewind_item(other, id))
            continue;
        while (at < other->count && !rewind_item(one, other->items[at].component_id))
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
        if (!components || !item->component || item->order.kind != ORDER_INTEGER)
            continue;
        item->order.integer += by;
        item_set_orders(item->component, item->order.integer);
    }
}

void rewind_take_out(struct sequence *sequence, struct sequence_item *item, bool shift)
{
    int64_t place = item->place;
    bool component = item->component != NULL;

    sequence_remove(sequence, (size_t)(item - sequence->items));
    if (shift)
        move_behind(sequence, place, -1, component);
}

int rewind_put_in(struct sequence *sequence, const struct sequence_item *item, bool shift,
                  struct error *err)
{
    struct sequence_item put = *item, *room;
    int64_t before = 0;

    if (shift) { /* the sequence may have become shorter */
        if (put.place > (int64_t)sequence->count)
            put.place = (int64_t)sequence->count;
        move_behind(sequence, put.place, 1, put.component != NULL);
        for (size_t i = 0; i < sequence->count; i++)
            before += sequence->items[i].component && sequence->items[i].place < put.place;
        if (put.component)
            put.order = (struct row_order){ORDER_INTEGER, before + 1, 0};
    }
    room = sequence_open(sequence, sequence->count, err);
    if (!room)
        return -1;
    *room = put;
    if (room->component) {
        sequence->components++;
        rewind_settle_order(room);
    }
    return 0;
}

void rewind_settle_order(struct sequence_item *item)
{
    json_t *order = json_object_get(item->component, "order");

    if (!order)
        order = json_object_get(item->component, "order_index");
    if (!order)
        return;
    if (is_plain(item->component)) {
        if (item->order.kind != ORDER_INTEGER)
            item->order = (struct row_order){ORDER_INTEGER, item_order(item), 0};
        item_set_orders(item->component, item->order.integer);
    } else if (json_is_integer(order)) {
        item->order = (struct row_order){ORDER_INTEGER, json_integer_value(order), 0};
    } else if (json_is_real(order)) {
        item->order = (struct row_order){ORDER_REAL, 0, json_real_value(order)};
    }
}
