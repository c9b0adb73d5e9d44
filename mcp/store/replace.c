/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A node's whole sequence anew: {"components": [...], "suggested_template", "overall_confidence"}.
 * Components whose id is given keep it and their history; those not named are deleted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/entity.h"
#include "helpers/base/validation.h"
#include "mcp/store/sqlite_store.h"

static int compare(const void *a, const void *b)
{
    const struct given *one = a, *other = b;

    if (one->order != other->order)
        return one->order < other->order ? -1 : 1;
    return one->place < other->place ? -1 : 1;
}

static double order_of(const json_t *input, size_t place, struct validation_errors *problems)
{
    const json_t *order = json_object_get(input, "order");
    char field[ERROR_LOC_CAP];

    if (!order)
        order = json_object_get(input, "order_index");
    if (!order || json_is_null(order))
        return (double)place + 1;
    if (json_is_number(order))
        return json_number_value(order);
    snprintf(field, sizeof field, "components.%zu.order", place);
    validation_add(problems, field, "must be a number");
    return 0;
}

/* The ids of two components of one body must differ. */
static void check_ids(const struct given *given, size_t count, struct validation_errors *problems)
{
    json_auto_t *seen = json_object();

    for (size_t i = 0; i < count; i++) {
        if (!given[i].component_id)
            continue;
        if (json_object_get(seen, given[i].component_id)) {
            char field[ERROR_LOC_CAP];

            snprintf(field, sizeof field, "components.%zu.component_id", i);
            validation_add(problems, field, "is given twice");
        }
        json_object_set_new(seen, given[i].component_id, json_true());
    }
}

static void check_sequence_fields(const json_t *body, struct validation_errors *problems)
{
    const json_t *template = json_object_get(body, "suggested_template");
    const json_t *confidence = json_object_get(body, "overall_confidence");

    if (template && !json_is_null(template) &&
        (!json_is_string(template) || json_string_length(template) > TITLE_MAX))
        validation_add(problems, "suggested_template", "must be text of at most %d bytes, or null",
                       TITLE_MAX);
    if (confidence && !json_is_null(confidence) &&
        (!json_is_number(confidence) || json_number_value(confidence) < 0 ||
         json_number_value(confidence) > 1))
        validation_add(problems, "overall_confidence", "must be a number from 0 to 1, or null");
}

static int read_given(const json_t *body, struct given *given, size_t *count, struct error *err)
{
    const json_t *components = json_is_array(body) ? body : json_object_get(body, "components");
    struct validation_errors problems;

    *count = json_array_size(components);
    if (!json_is_array(components)) {
        *count = 0;
        return error_set_at(err, "components",
                            "components: send {\"components\": [{type, order, parameters, "
                            "confidence}, ...]}, the node's whole sequence");
    }
    if (*count > BATCH_MAX) {
        size_t sent = *count;

        *count = 0;
        return error_set_at(err, "components", "components: %zu are too many, send %d at most",
                            sent, BATCH_MAX);
    }
    validation_begin(&problems, "");
    for (size_t i = 0; i < *count; i++) {
        const json_t *input = json_array_get(components, i);
        struct validation_errors each;
        struct error found = {.list = validation_begin(&each, "")};
        char loc[ERROR_LOC_CAP];

        snprintf(loc, sizeof loc, "components.%zu", i);
        given[i].component = entity_component(input, loc, &found);
        if (!given[i].component)
            validation_take(&problems, &found);
        given[i].component_id = json_get_string(input, "component_id");
        given[i].order = order_of(input, i, &problems);
        given[i].place = i;
    }
    check_ids(given, *count, &problems);
    check_sequence_fields(body, &problems);
    return validation_end(&problems, "Nothing was written", err);
}

/* What is the same but for its order keys is no change. */
static bool same(const json_t *old, const json_t *given)
{
    json_auto_t *bare = json_copy((json_t *)old);

    json_object_del(bare, "order");
    json_object_del(bare, "order_index");
    return json_equal(bare, (json_t *)given);
}

/* Takes the old item of the id out of old and into *item, changed where what is given differs. */
static int keep_item(struct sqlite_store *store, struct component_write *work, struct sequence *old,
                     size_t index, json_t *component, struct sequence_item *item, struct error *err)
{
    struct sequence_item before = old->items[index];
    json_auto_t *old_component = json_incref(before.component);

    before.component = old_component;
    *item = old->items[index];
    old->items[index].component =
        NULL; /* moved; the key stays behind, cleared, for the deletions */
    old->items[index].key = 0;
    if (same(before.component, component))
        return 0;
    /* An imported component may hold keys that the API never shows. */
    for (size_t i = 0; i < 2; i++) {
        static const char *const hidden[] = {"component_id", "revision"};

        if (json_object_get(before.component, hidden[i]))
            json_object_set(component, hidden[i], json_object_get(before.component, hidden[i]));
    }
    json_object_set_new(component, "order", json_integer(sqlite_item_order(&before)));
    json_object_set_new(component, "order_index", json_integer(sqlite_item_order(&before)));
    if (sqlite_item_update(store, item, component, err) != 0)
        return -1;
    return sqlite_log_component(store, work, &before, item, err);
}

static size_t index_of(const struct sequence *sequence, const char *component_id)
{
    for (size_t i = 0; component_id && i < sequence->count; i++)
        if (sequence->items[i].component && !strcmp(sequence->items[i].component_id, component_id))
            return i;
    return sequence->count;
}

/* What is no object, which no client can see, stays behind the others. */
static int keep_raw(struct component_write *work, struct sequence *old, struct error *err)
{
    for (size_t i = 0; i < old->count; i++) {
        struct sequence_item *item = &old->items[i], *kept;

        if (!item->raw)
            continue;
        kept = sqlite_sequence_open(&work->sequence, work->sequence.count, err);
        if (!kept)
            return -1;
        *kept = *item;
        item->raw = NULL;
        item->key = 0;
    }
    return 0;
}

/* Deletes what was not given, the last first: each is logged at a place that it still has. */
static int delete_left(struct sqlite_store *store, struct component_write *work,
                       const struct sequence *old, struct error *err)
{
    for (size_t i = old->count; i-- > 0;) {
        const struct sequence_item *item = &old->items[i];

        if (item->key != 0 && (sqlite_run(store, err, SQL_COMPONENT_DELETE, "i", item->key) != 0 ||
                               sqlite_log_component(store, work, item, NULL, err) != 0))
            return -1;
    }
    return 0;
}

/* Whether those that were there before are in the order that they had. */
static bool in_old_order(const struct sequence *sequence)
{
    int64_t last = -1;

    for (size_t i = 0; i < sequence->count; i++) {
        if (sequence->items[i].place < 0)
            continue;
        if (sequence->items[i].place < last)
            return false;
        last = sequence->items[i].place;
    }
    return true;
}

static int save_sequence_fields(struct sqlite_store *store, struct component_write *work,
                                const json_t *body, struct error *err)
{
    static const char *const keys[] = {"suggested_template", "overall_confidence"};
    json_auto_t *before = NULL, *after = NULL;
    unsigned flags;
    int64_t place;

    before = sqlite_node_load(store, work->node.key, &flags, &place, err);
    if (!before)
        return -1;
    after = json_copy(before);
    for (size_t i = 0; i < 2; i++) {
        json_t *value = json_object_get(body, keys[i]);

        if (json_is_null(value))
            json_object_del(after, keys[i]);
        else if (value)
            json_object_set(after, keys[i], value);
    }
    if (json_equal(before, after))
        return 0;
    return sqlite_node_save(store, &work->write, work->node.key, after, flags, err);
}

int sqlite_sequence_replace(struct sqlite_store *store, struct component_write *work,
                            struct given *given, size_t count, struct error *err)
{
    struct sequence old = work->sequence;
    bool *inserted = calloc(count + 1, sizeof *inserted);
    int rc = -1;

    work->sequence = (struct sequence){.dense = old.dense};
    for (size_t i = 0; i < count; i++) {
        struct sequence_item *item = sqlite_sequence_open(&work->sequence, i, err);
        size_t index = index_of(&old, given[i].component_id);

        if (!item || !inserted)
            goto out;
        work->sequence.components++;
        if (index < old.count) {
            if (keep_item(store, work, &old, index, given[i].component, item, err) != 0)
                goto out;
        } else {
            item->component = json_incref(given[i].component);
            inserted[i] = true;
            if (sqlite_item_insert(store, work->node.key, item, err) != 0)
                goto out;
        }
    }
    if (keep_raw(work, &old, err) != 0)
        goto out;
    /* Where the kept ones changed places among themselves, that follows from no other row of the
     * log. */
    work->sequence.dense = old.dense && in_old_order(&work->sequence);
    if (delete_left(store, work, &old, err) != 0)
        goto out;
    if (sqlite_sequence_renumber(store, &work->write, work->node.key, work->node_id,
                                 &work->sequence, err) != 0)
        goto out;
    for (size_t i = 0; i < count; i++)
        if (inserted[i] &&
            sqlite_log_component(store, work, NULL, &work->sequence.items[i], err) != 0)
            goto out;
    rc = 0;
out:
    if (!inserted)
        error_set(err, ERROR_MEMORY, "out of memory for a node's components");
    free(inserted);
    sqlite_sequence_finish(&old);
    return rc;
}

int sqlite_components_replace(struct store *base, const struct writer *writer, const char *sid,
                              const char *node_id, const json_t *body, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    struct given *given = calloc(BATCH_MAX, sizeof *given);
    struct component_write work;
    size_t count = 0;
    int rc;

    if (!given)
        return error_set(err, ERROR_MEMORY, "out of memory for a node's components");
    rc = sqlite_component_write_begin(store, writer, sid, node_id, &work, err);
    if (rc == 0) {
        rc = read_given(body, given, &count, err);
        if (rc == 0) {
            qsort(given, count, sizeof *given, compare);
            rc = sqlite_sequence_replace(store, &work, given, count, err);
            if (rc == 0)
                rc = save_sequence_fields(store, &work, body, err);
        }
        rc = sqlite_component_write_end(store, &work, rc, err);
    }
    for (size_t i = 0; i < count; i++)
        json_decref(given[i].component);
    free(given);
    return rc;
}
