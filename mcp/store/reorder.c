/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A node's components in another sequence. What is no object, which no client can see, keeps its
 * place among them.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/validation.h"
#include "mcp/store/sqlite_store.h"

static int check_order(const json_t *order, size_t components, struct error *err)
{
    struct validation_errors problems;
    const json_t *place;
    char field[64];
    bool *seen;
    size_t i;

    if (!json_is_array(order))
        return error_set_at(err, "order",
                            "order: send the old places in their new sequence, such as [3, 1, 2]");
    if (json_array_size(order) != components)
        return error_set_at(err, "order",
                            "order: the node has %zu components, send each of 1 to %zu once, not "
                            "%zu numbers",
                            components, components, json_array_size(order));
    seen = calloc(components + 1, sizeof *seen);
    if (!seen)
        return error_set(err, ERROR_MEMORY, "out of memory for a node's components");
    validation_begin(&problems, "");
    json_array_foreach((json_t *)order, i, place)
    {
        json_int_t at = json_integer_value(place);

        snprintf(field, sizeof field, "order.%zu", i);
        if (!json_is_integer(place) || at < 1 || at > (json_int_t)components)
            validation_add(&problems, field, "must be a whole number from 1 to %zu", components);
        else if (seen[at])
            validation_add(&problems, field, "%" JSON_INTEGER_FORMAT " is there twice", at);
        else
            seen[at] = true;
    }
    free(seen);
    return validation_end(&problems, "Nothing was written", err);
}

static int reorder(struct sqlite_store *store, struct component_write *work, const json_t *order,
                   struct error *err)
{
    struct sequence *sequence = &work->sequence;
    struct sequence_item *old;
    size_t next = 0;

    if (check_order(order, sequence->components, err) != 0)
        return -1;
    if (sequence->components == 0)
        return 0;
    old = malloc(sequence->count * sizeof *old);
    if (!old)
        return error_set(err, ERROR_MEMORY, "out of memory for a node's components");
    memcpy(old, sequence->items, sequence->count * sizeof *old);
    for (size_t i = 0; i < sequence->count; i++) {
        struct sequence was = {.items = old, .count = sequence->count};
        size_t place;

        if (!old[i].component)
            continue;
        place = (size_t)json_integer_value(json_array_get(order, next++));
        sequence->items[i] = old[sqlite_sequence_at(&was, place)];
    }
    free(old);
    sequence->dense = false; /* the moves follow from no other row of the log */
    return sqlite_sequence_renumber(store, &work->write, work->node.key, work->node_id, sequence,
                                    err);
}

int sqlite_components_reorder(struct store *base, const struct writer *writer, const char *sid,
                              const char *node_id, const json_t *order, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    struct component_write work;

    if (sqlite_component_write_begin(store, writer, sid, node_id, &work, err) != 0)
        return -1;
    return sqlite_component_write_end(store, &work, reorder(store, &work, order, err), err);
}
