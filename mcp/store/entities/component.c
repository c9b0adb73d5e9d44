/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes to the components of one node. Each takes the write lock, reads the node's sequence,
 * changes it in memory, writes what differs and logs it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "helpers/base/validation.h"
#include "mcp/curriculum/component_type.h"
#include "mcp/curriculum/entity.h"
#include "mcp/store/entities/component.h"
#include "mcp/store/store_internal.h"

#define CURRENT_CAP 1200 /* bytes of the current text that a stale write is answered with */

int store_component_write_begin(struct store *store, const struct writer *writer, const char *sid,
                                const char *node_id, bool whole, struct component_write *work,
                                struct error *err)
{
    memset(work, 0, sizeof *work);
    work->node_id = node_id;
    if (store_write_begin(store, writer, sid, &work->write, err) < 0)
        return -1;
    if (store_node_find(store, work->write.session, node_id, &work->node, err) < 0)
        goto failed;
    if (work->write.expected_cursor != 0 && work->write.expected_cursor != work->node.cursor) {
        error_set(err, ERROR_STALE, "the components of node %s have changed since they were read",
                  node_id);
        goto failed;
    }
    if (sequence_read(store, work->node.key, whole, &work->sequence, err) != 0)
        goto failed;
    return 0;
failed:
    return store_write_end(store, &work->write, -1, err);
}

/* The same for a call of its own, with what the service has. */
static int begin(struct store *store, const struct writer *writer, const char *sid,
                 const char *node_id, bool whole, struct component_write *work, struct error *err)
{
    if (store_refresh(store, MIRROR_NODE, sid, node_id, err) != 0)
        return -1;
    return store_component_write_begin(store, writer, sid, node_id, whole, work, err);
}

int store_component_write_end(struct store *store, struct component_write *work, int rc,
                              struct error *err)
{
    rc = store_write_end(store, &work->write, rc, err);
    sequence_finish(&work->sequence);
    return rc;
}

int store_component_renumber(struct store *store, struct component_write *work, struct error *err)
{
    if (sequence_renumber(store, &work->write, work->node.key, work->node_id, &work->sequence,
                          err) < 0)
        return -1;
    if (!work->sequence.moved && !store_write_has_changed(store, &work->write))
        return 0;
    return store_node_touch(store, &work->write, work->node.key, err);
}

static void fill_state(const struct component_write *work, const struct sequence_item *item,
                       struct component_state *state)
{
    const char *type = entity_component_type(item->content);

    if (!state)
        return;
    memset(state, 0, sizeof *state);
    memcpy(state->component_id, item->component_id, sizeof state->component_id);
    text_cut(state->type, sizeof state->type, type);
    text_cut_line(state->node_title, sizeof state->node_title, work->node.title);
    entity_component_summary(item->content, state->summary, sizeof state->summary);
    state->order = (long)item_order(item);
    state->revision = (long)item->revision;
    state->total = (long)work->sequence.components;
}

int store_components_put(struct store *store, struct component_write *work, size_t index,
                         json_t **components, size_t count, struct error *err)
{
    size_t put = 0;
    int rc = -1;

    for (; put < count; put++) {
        struct sequence_item *item = sequence_open(&work->sequence, index + put, err);

        if (!item)
            goto out;
        item->content = components[put];
        components[put] = NULL;
        work->sequence.components++;
        if (item_insert(store, work->node.key, item, err) != 0)
            goto out;
    }
    if (store_component_renumber(store, work, err) != 0)
        goto out;
    rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = store_log_component(store, work, NULL, &work->sequence.items[index + i], err);
out:
    for (size_t i = 0; i < count; i++)
        json_decref(components[i]);
    return rc;
}

static int check_sent(const struct writer *writer, const char *type, const json_t *sent,
                      const json_t *kept, const char *loc, struct error *err)
{
    if (!writer->strict)
        return 0;
    return component_type_check_sent(type, json_object_get(sent, "parameters"),
                                     json_object_get(kept, "parameters"), loc, err);
}

static int check_position(const struct sequence *sequence, long position, struct error *err)
{
    long most = (long)sequence->components + 1;

    if (position >= 0 && position <= most)
        return 0;
    return error_set_at(
        err, "position",
        "position %ld is out of range: the node has %zu components, so send 1 to %ld", position,
        sequence->components, most);
}

int store_component_insert(struct store *store, const struct writer *writer, const char *sid,
                           const char *node_id, long position, const json_t *component,
                           struct component_state *state, struct error *err)
{
    struct component_write work;
    json_t *given;
    size_t index;
    int rc = -1;

    if (begin(store, writer, sid, node_id, false, &work, err) != 0)
        return -1;
    given = entity_component(component, "", err);
    if (!given || check_position(&work.sequence, position, err) < 0 ||
        check_sent(writer, entity_component_type(given), component, NULL, "", err) < 0) {
        json_decref(given);
        return store_component_write_end(store, &work, -1, err);
    }
    index = position == 0 ? work.sequence.count : sequence_at(&work.sequence, (size_t)position);
    rc = store_components_put(store, &work, index, &given, 1, err);
    if (rc == 0)
        fill_state(&work, &work.sequence.items[index], state);
    return store_component_write_end(store, &work, rc, err);
}

/* The i-th component in the stored form, owned by the caller; NULL if it has problems. */
static json_t *check_item(const struct writer *writer, const json_t *input, size_t i,
                          struct validation_errors *problems)
{
    struct validation_errors each;
    struct error found = {.list = validation_begin(&each, "")};
    char loc[ERROR_LOC_CAP];
    json_t *component;

    snprintf(loc, sizeof loc, "components.%zu", i);
    component = entity_component(input, loc, &found);
    if (component &&
        check_sent(writer, entity_component_type(component), input, NULL, loc, &found) == 0)
        return component;
    validation_take(problems, &found);
    json_decref(component);
    return NULL;
}

/* Checks them all before it gives up, so that one answer names every bad one. */
static int check_batch(const struct writer *writer, const json_t *components, json_t **checked,
                       struct error *err)
{
    struct validation_errors problems;
    size_t count = json_array_size(components);

    if (!json_is_array(components) || count == 0)
        return error_set_at(err, "components",
                            "components: send an array of {type, parameters}, one at least");
    if (count > BATCH_MAX)
        return error_set_at(err, "components",
                            "components: %zu are too many at once, send %d at most", count,
                            BATCH_MAX);
    validation_begin(&problems, "");
    for (size_t i = 0; i < count; i++)
        checked[i] = check_item(writer, json_array_get(components, i), i, &problems);
    return validation_end(&problems, "Nothing was written", err);
}

int store_components_append(struct store *store, const struct writer *writer, const char *sid,
                            const char *node_id, const json_t *components,
                            struct component_state *first, struct error *err)
{
    json_t *checked[BATCH_MAX] = {NULL};
    struct component_write work;
    size_t index;
    int rc;

    if (begin(store, writer, sid, node_id, false, &work, err) != 0)
        return -1;
    index = work.sequence.count;
    if (check_batch(writer, components, checked, err) == 0) {
        rc = store_components_put(store, &work, index, checked, json_array_size(components), err);
        if (rc == 0)
            fill_state(&work, &work.sequence.items[index], first);
    } else {
        for (size_t i = 0; i < BATCH_MAX; i++)
            json_decref(checked[i]);
        rc = -1;
    }
    return store_component_write_end(store, &work, rc, err);
}

static int check_revision(const struct sequence_item *item, long expected, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    char current[CURRENT_CAP];

    if (expected == 0 || expected == (long)item->revision)
        return 0;
    buf_init(&text, 0);
    json_write(&text, item->content);
    return error_set(
        err, ERROR_STALE,
        "component %s is at revision %lld, not %ld: another write came between. It reads now: %s",
        item->component_id, (long long)item->revision, expected,
        text_cut(current, sizeof current, text.data));
}

/* Begins a write to the one component that ref names; on -1 nothing is open. */
static int begin_one(struct store *store, const struct writer *writer, const char *sid,
                     const struct component_ref *ref, long expected_revision,
                     struct component_write *work, size_t *index, struct error *err)
{
    if (begin(store, writer, sid, ref->node_id, false, work, err) != 0)
        return -1;
    if (sequence_find(&work->sequence, ref, index, err) == 0 &&
        item_load(store, &work->sequence.items[*index], err) == 0 &&
        check_revision(&work->sequence.items[*index], expected_revision, err) == 0)
        return 0;
    return store_component_write_end(store, work, -1, err);
}

static int update(struct store *store, struct component_write *work, struct sequence_item *item,
                  const json_t *changes, bool merge, struct component_state *state,
                  struct error *err)
{
    struct sequence_item old = *item;
    json_auto_t *before = json_incref(item->content);
    json_auto_t *after = json_copy(before);

    if (!after)
        return error_set(err, ERROR_MEMORY, "out of memory for a component");
    if (entity_component_change(after, changes, merge, err) != 0)
        return -1;
    if (!json_equal(before, after) &&
        (item_update(store, item, after, err) != 0 ||
         store_log_component(store, work, &old, item, err) != 0 ||
         store_node_touch(store, &work->write, work->node.key, err) != 0))
        return -1;
    fill_state(work, item, state);
    if (state)
        value_change_text(json_object_get(before, "parameters"),
                          json_object_get(after, "parameters"), state->change);
    return 0;
}

int store_component_update(struct store *store, const struct writer *writer, const char *sid,
                           const struct component_ref *ref, const json_t *changes, bool merge,
                           long expected_revision, struct component_state *state, struct error *err)
{
    struct component_write work;
    struct sequence_item *item;
    size_t index = 0;
    int rc;

    if (begin_one(store, writer, sid, ref, expected_revision, &work, &index, err) != 0)
        return -1;
    item = &work.sequence.items[index];
    rc = check_sent(writer, entity_component_type(item->content), changes, item->content, "", err);
    if (rc == 0)
        rc = update(store, &work, item, changes, merge, state, err);
    return store_component_write_end(store, &work, rc, err);
}

static int delete_one(struct store *store, struct component_write *work, size_t index,
                      struct component_state *state, struct error *err)
{
    struct sequence_item *item = &work->sequence.items[index];

    if (db_run(store->db, err, SQL_COMPONENT_DELETE, "i", item->key) != 0 ||
        store_log_component(store, work, item, NULL, err) != 0)
        return -1;
    fill_state(work, item, state);
    sequence_remove(&work->sequence, index);
    if (state)
        state->total = (long)work->sequence.components;
    return store_component_renumber(store, work, err);
}

int store_component_delete(struct store *store, const struct writer *writer, const char *sid,
                           const struct component_ref *ref, long expected_revision,
                           struct component_state *state, struct error *err)
{
    struct component_write work;
    size_t index = 0;

    if (begin_one(store, writer, sid, ref, expected_revision, &work, &index, err) != 0)
        return -1;
    return store_component_write_end(store, &work, delete_one(store, &work, index, state, err),
                                     err);
}

/* ---- replacing the whole sequence. Components whose id is given keep it and their history; those
 * not named are deleted. ---- */

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

static int read_given(const struct writer *writer, const json_t *body, struct given *given,
                      size_t *count, struct error *err)
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

        given[i].component = check_item(writer, input, i, &problems);
        given[i].component_id = json_get_string(input, "component_id");
        given[i].order = order_of(input, i, &problems);
        given[i].place = i;
    }
    check_ids(given, *count, &problems);
    check_sequence_fields(body, &problems);
    return validation_end(&problems, "Nothing was written", err);
}

/* A difference only in order keys is not a change, nor is one in members that an imported component
 * lacks and a reader is given with their default. */
static bool same(const json_t *old, const json_t *given)
{
    json_auto_t *bare = json_copy((json_t *)old), *complete = NULL;

    json_object_del(bare, "order");
    json_object_del(bare, "order_index");
    if (json_equal(bare, (json_t *)given))
        return true;
    complete = entity_component(bare, "", NULL);
    return complete && json_equal(complete, (json_t *)given);
}

/* Takes the old item of the id out of old and into *item, changed where what is given differs. */
static int keep_item(struct store *store, struct component_write *work, struct sequence_item *old,
                     json_t *component, struct sequence_item *item, struct error *err)
{
    static const char *const hidden[] = {"component_id", "revision"};
    json_auto_t *old_content = json_incref(old->content);
    struct sequence_item before = *old;

    *item = before;
    old->content = NULL;
    old->key = 0; /* moved: not to be deleted */
    if (same(before.content, component))
        return 0;
    /* An imported component may hold keys that the API never shows. */
    for (size_t i = 0; i < 2; i++)
        if (json_object_get(before.content, hidden[i]))
            json_object_set(component, hidden[i], json_object_get(before.content, hidden[i]));
    json_object_set_new(component, "order", json_integer(item_order(&before)));
    json_object_set_new(component, "order_index", json_integer(item_order(&before)));
    if (item_update(store, item, component, err) != 0)
        return -1;
    return store_log_component(store, work, &before, item, err);
}

/* NULL if all are moved. */
static struct sequence_item *find_old(const struct sequence *old, const char *component_id)
{
    for (size_t i = 0; component_id && i < old->count; i++)
        if (old->items[i].key != 0 && item_is_component(&old->items[i]) &&
            strcmp(old->items[i].component_id, component_id) == 0)
            return &old->items[i];
    return NULL;
}

/* Entries that are not objects, which no client can see, stay after the others. */
static int keep_raw(struct component_write *work, struct sequence *old, struct error *err)
{
    for (size_t i = 0; i < old->count; i++) {
        struct sequence_item *item = &old->items[i], *kept;

        if (item_is_component(item))
            continue;
        kept = sequence_open(&work->sequence, work->sequence.count, err);
        if (!kept)
            return -1;
        *kept = *item;
        item->content = NULL;
        item->key = 0;
    }
    return 0;
}

/* Deletes what was not given, the last first: each is logged at a place that it still has. */
static int delete_left(struct store *store, struct component_write *work,
                       const struct sequence *old, struct error *err)
{
    for (size_t i = old->count; i-- > 0;) {
        const struct sequence_item *item = &old->items[i];

        if (item->key != 0 && (db_run(store->db, err, SQL_COMPONENT_DELETE, "i", item->key) != 0 ||
                               store_log_component(store, work, item, NULL, err) != 0))
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

static int save_sequence_fields(struct store *store, struct component_write *work,
                                const json_t *body, struct error *err)
{
    static const char *const keys[] = {"suggested_template", "overall_confidence"};
    json_auto_t *before = NULL, *after = NULL;
    unsigned flags;

    before = store_node_load(store, work->node.key, &flags, err);
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
    return store_node_save(store, &work->write, work->node.key, before, after, flags, err);
}

static int replace_items(struct store *store, struct component_write *work, struct sequence *old,
                         struct given *given, size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        struct sequence_item *item = sequence_open(&work->sequence, i, err);
        struct sequence_item *was = find_old(old, given[i].component_id);

        if (!item)
            return -1;
        work->sequence.components++;
        given[i].is_new = !was;
        if (!was)
            item->content = json_incref(given[i].component);
        if ((was ? keep_item(store, work, was, given[i].component, item, err)
                 : item_insert(store, work->node.key, item, err)) != 0)
            return -1;
    }
    if (keep_raw(work, old, err) < 0)
        return -1;
    /* If kept components changed places among themselves, no other log row implies that. */
    work->sequence.dense = old->dense && in_old_order(&work->sequence);
    if (delete_left(store, work, old, err) < 0 || store_component_renumber(store, work, err) != 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (given[i].is_new &&
            store_log_component(store, work, NULL, &work->sequence.items[i], err) != 0)
            return -1;
    return 0;
}

int sequence_replace(struct store *store, struct component_write *work, struct given *given,
                     size_t count, struct error *err)
{
    struct sequence old = work->sequence;
    int rc;

    work->sequence = (struct sequence){.dense = old.dense};
    rc = replace_items(store, work, &old, given, count, err);
    sequence_finish(&old);
    return rc;
}

int store_components_replace(struct store *store, const struct writer *writer, const char *sid,
                             const char *node_id, const json_t *body, struct error *err)
{
    cleanup_free struct given *given = calloc(BATCH_MAX, sizeof *given);
    struct component_write work;
    size_t count = 0;
    int rc;

    if (!given)
        return error_set(err, ERROR_MEMORY, "out of memory for a node's components");
    if (begin(store, writer, sid, node_id, true, &work, err) != 0)
        return -1;
    rc = read_given(writer, body, given, &count, err);
    if (rc == 0) {
        qsort(given, count, sizeof *given, compare);
        rc = sequence_replace(store, &work, given, count, err);
    }
    if (rc == 0)
        rc = save_sequence_fields(store, &work, body, err);
    for (size_t i = 0; i < count; i++)
        json_decref(given[i].component);
    return store_component_write_end(store, &work, rc, err);
}

/* ---- another order. What is not an object, which no client can see, keeps its place. ---- */

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

static int reorder(struct store *store, struct component_write *work, const json_t *order,
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

        if (!item_is_component(&old[i]))
            continue;
        place = (size_t)json_integer_value(json_array_get(order, next++));
        sequence->items[i] = old[sequence_at(&was, place)];
    }
    free(old);
    sequence->dense = false; /* the moves follow from no other row of the log */
    return store_component_renumber(store, work, err);
}

int store_components_reorder(struct store *store, const struct writer *writer, const char *sid,
                             const char *node_id, const json_t *order, struct error *err)
{
    struct component_write work;

    if (begin(store, writer, sid, node_id, false, &work, err) != 0)
        return -1;
    return store_component_write_end(store, &work, reorder(store, &work, order, err), err);
}
