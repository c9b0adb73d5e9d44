/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes to the components of one node. Each takes the write lock, reads the node's sequence,
 * changes it in memory, writes what differs and logs it.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/entity.h"
#include "helpers/base/validation.h"
#include "mcp/store/sqlite_store.h"

#define CURRENT_CAP 1200 /* bytes of the current text that a stale write is answered with */

int sqlite_component_write_begin(struct sqlite_store *store, const struct writer *writer,
                                 const char *sid, const char *node_id, struct component_write *work,
                                 struct error *err)
{
    memset(work, 0, sizeof *work);
    work->node_id = node_id;
    if (sqlite_write_begin(store, writer, sid, &work->write, err) != 0)
        return -1;
    if (sqlite_node_find(store, work->write.session, node_id, &work->node, err) != 0)
        goto failed;
    if (work->write.expected_cursor != 0 && work->write.expected_cursor != work->node.cursor) {
        error_set(err, ERROR_STALE, "the components of node %s have changed since they were read",
                  node_id);
        goto failed;
    }
    if (sqlite_sequence_read(store, work->node.key, &work->sequence, err) != 0)
        goto failed;
    return 0;
failed:
    return sqlite_write_end(store, &work->write, -1, err);
}

int sqlite_component_write_end(struct sqlite_store *store, struct component_write *work, int rc,
                               struct error *err)
{
    rc = sqlite_write_end(store, &work->write, rc, err);
    sqlite_sequence_finish(&work->sequence);
    return rc;
}

static void fill_state(const struct component_write *work, const struct sequence_item *item,
                       struct component_state *state)
{
    const char *type = entity_component_type(item->component);

    if (!state)
        return;
    memset(state, 0, sizeof *state);
    memcpy(state->component_id, item->component_id, sizeof state->component_id);
    text_cut(state->type, sizeof state->type, type);
    text_cut_line(state->node_title, sizeof state->node_title, work->node.title);
    entity_component_summary(item->component, state->summary, sizeof state->summary);
    state->order = (long)sqlite_item_order(item);
    state->revision = (long)item->revision;
    state->total = (long)work->sequence.components;
}

/* Puts count components in at index and logs them. The caller's references are taken over in any
 * case. */
static int put_in(struct sqlite_store *store, struct component_write *work, size_t index,
                  json_t **components, size_t count, struct error *err)
{
    size_t put = 0;
    int rc = -1;

    for (; put < count; put++) {
        struct sequence_item *item = sqlite_sequence_open(&work->sequence, index + put, err);

        if (!item)
            goto out;
        item->component = components[put];
        components[put] = NULL;
        work->sequence.components++;
        if (sqlite_item_insert(store, work->node.key, item, err) != 0)
            goto out;
    }
    if (sqlite_sequence_renumber(store, &work->write, work->node.key, work->node_id,
                                 &work->sequence, err) != 0)
        goto out;
    rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = sqlite_log_component(store, work, NULL, &work->sequence.items[index + i], err);
out:
    for (size_t i = 0; i < count; i++)
        json_decref(components[i]);
    return rc;
}

static int check_position(const struct sequence *sequence, long position, struct error *err)
{
    long most = (long)sequence->components + 1;

    if (position >= 0 && position <= most)
        return 0;
    return error_set_at(err, "position",
                        "position: %ld is no place, the node has %zu components: send 1 to %ld",
                        position, sequence->components, most);
}

int sqlite_component_insert(struct store *base, const struct writer *writer, const char *sid,
                            const char *node_id, long position, const json_t *component,
                            struct component_state *state, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    struct component_write work;
    json_t *given;
    size_t index;
    int rc = -1;

    if (sqlite_component_write_begin(store, writer, sid, node_id, &work, err) != 0)
        return -1;
    given = entity_component(component, "", err);
    if (!given || check_position(&work.sequence, position, err) != 0) {
        json_decref(given);
        return sqlite_component_write_end(store, &work, -1, err);
    }
    index =
        position == 0 ? work.sequence.count : sqlite_sequence_at(&work.sequence, (size_t)position);
    rc = put_in(store, &work, index, &given, 1, err);
    if (rc == 0)
        fill_state(&work, &work.sequence.items[index], state);
    return sqlite_component_write_end(store, &work, rc, err);
}

/* Checks them all before it gives up, so that one answer names every bad one. */
static int check_batch(const json_t *components, json_t **checked, struct error *err)
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
    for (size_t i = 0; i < count; i++) {
        struct validation_errors each;
        struct error found = {.list = validation_begin(&each, "")};
        char loc[ERROR_LOC_CAP];

        snprintf(loc, sizeof loc, "components.%zu", i);
        checked[i] = entity_component(json_array_get(components, i), loc, &found);
        if (!checked[i])
            validation_take(&problems, &found);
    }
    return validation_end(&problems, "Nothing was written", err);
}

int sqlite_components_append(struct store *base, const struct writer *writer, const char *sid,
                             const char *node_id, const json_t *components,
                             struct component_state *first, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    json_t *checked[BATCH_MAX] = {NULL};
    struct component_write work;
    size_t index;
    int rc;

    if (sqlite_component_write_begin(store, writer, sid, node_id, &work, err) != 0)
        return -1;
    index = work.sequence.count;
    if (check_batch(components, checked, err) == 0) {
        rc = put_in(store, &work, index, checked, json_array_size(components), err);
        if (rc == 0)
            fill_state(&work, &work.sequence.items[index], first);
    } else {
        for (size_t i = 0; i < BATCH_MAX; i++)
            json_decref(checked[i]);
        rc = -1;
    }
    return sqlite_component_write_end(store, &work, rc, err);
}

static int check_revision(const struct sequence_item *item, long expected, struct error *err)
{
    struct buf text BUF_AUTO = {0};
    char current[CURRENT_CAP];

    if (expected == 0 || expected == (long)item->revision)
        return 0;
    buf_init(&text, 0);
    json_write(&text, item->component);
    return error_set(
        err, ERROR_STALE,
        "component %s is at revision %lld, not %ld: another write came between. It reads now: %s",
        item->component_id, (long long)item->revision, expected,
        text_cut(current, sizeof current, text.data));
}

static int update(struct sqlite_store *store, struct component_write *work, size_t index,
                  const json_t *changes, bool merge, struct error *err)
{
    struct sequence_item *item = &work->sequence.items[index];
    struct sequence_item old = *item;
    json_auto_t *before = json_incref(item->component);
    json_auto_t *after = json_copy(before);

    old.component = before;
    if (!after)
        return error_set(err, ERROR_MEMORY, "out of memory for a component");
    if (entity_component_change(after, changes, merge, err) != 0 ||
        sqlite_item_update(store, item, after, err) != 0 ||
        sqlite_log_component(store, work, &old, item, err) != 0)
        return -1;
    return sqlite_node_touch(store, &work->write, work->node.key, err);
}

int sqlite_component_update(struct store *base, const struct writer *writer, const char *sid,
                            const struct component_ref *ref, const json_t *changes, bool merge,
                            long expected_revision, struct component_state *state,
                            struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    struct component_write work;
    size_t index = 0;
    int rc = -1;

    if (sqlite_component_write_begin(store, writer, sid, ref->node_id, &work, err) != 0)
        return -1;
    if (sqlite_sequence_find(&work.sequence, ref, &index, err) == 0 &&
        check_revision(&work.sequence.items[index], expected_revision, err) == 0)
        rc = update(store, &work, index, changes, merge, err);
    if (rc == 0)
        fill_state(&work, &work.sequence.items[index], state);
    return sqlite_component_write_end(store, &work, rc, err);
}

static int delete_one(struct sqlite_store *store, struct component_write *work, size_t index,
                      struct component_state *state, struct error *err)
{
    struct sequence_item *item = &work->sequence.items[index];

    if (sqlite_run(store, err, SQL_COMPONENT_DELETE, "i", item->key) != 0 ||
        sqlite_log_component(store, work, item, NULL, err) != 0)
        return -1;
    fill_state(work, item, state);
    sqlite_sequence_remove(&work->sequence, index);
    if (state)
        state->total = (long)work->sequence.components;
    return sqlite_sequence_renumber(store, &work->write, work->node.key, work->node_id,
                                    &work->sequence, err);
}

int sqlite_component_delete(struct store *base, const struct writer *writer, const char *sid,
                            const struct component_ref *ref, long expected_revision,
                            struct component_state *state, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    struct component_write work;
    size_t index = 0;
    int rc = -1;

    if (sqlite_component_write_begin(store, writer, sid, ref->node_id, &work, err) != 0)
        return -1;
    if (sqlite_sequence_find(&work.sequence, ref, &index, err) == 0 &&
        check_revision(&work.sequence.items[index], expected_revision, err) == 0)
        rc = delete_one(store, &work, index, state, err);
    return sqlite_component_write_end(store, &work, rc, err);
}
