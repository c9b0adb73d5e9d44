/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Moves components and relationships from one node to another. In the change log a moved component
 * is deleted here and inserted there with the same id, so that each step can be reverted alone; its
 * row in the database stays, with its revision counted on.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "helpers/base/validation.h"
#include "mcp/store/entities/component.h"
#include "mcp/store/store_internal.h"

/* ---- components ---- */

static int compare_indexes(const void *a, const void *b)
{
    const size_t *one = a, *other = b;

    return *one < *other ? -1 : *one > *other;
}

/* In a dense sequence the last first: its place still holds. Otherwise each goes from its own. */
static int log_going(struct store *store, struct component_write *from, const size_t *sorted,
                     size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = from->sequence.dense ? count - 1 - i : i;
        struct sequence_item *item = &from->sequence.items[sorted[at]];

        if (item_load(store, item, err) != 0 ||
            store_log_component(store, from, item, NULL, err) != 0)
            return -1;
    }
    return 0;
}

/* Its place there follows from the renumbering. */
static int move_item(struct store *store, struct sequence_item *item, struct component_write *into,
                     size_t at, struct error *err)
{
    struct sequence_item *moved = sequence_open(&into->sequence, at, err);

    if (!moved)
        return -1;
    *moved = *item;
    item->content = NULL; /* theirs now */
    moved->place = -1;
    moved->revision++;
    into->sequence.components += item_is_component(moved);
    return db_run(store->db, err, SQL_COMPONENT_MOVE, "iii", moved->key, into->node.key,
                  moved->revision);
}

int store_items_move(struct store *store, struct component_write *from, const size_t *indexes,
                     size_t count, struct component_write *into, size_t at, struct error *err)
{
    cleanup_free size_t *sorted = malloc((count + 1) * sizeof *sorted);

    if (!sorted)
        return error_set(err, ERROR_MEMORY, "out of memory for a node's components");
    memcpy(sorted, indexes, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_indexes);
    if (log_going(store, from, sorted, count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (move_item(store, &from->sequence.items[indexes[i]], into, at + i, err) != 0)
            return -1;
    for (size_t i = count; i-- > 0;)
        sequence_remove(&from->sequence, sorted[i]);
    if (store_component_renumber(store, into, err) != 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (store_log_component(store, into, NULL, &into->sequence.items[at + i], err) != 0)
            return -1;
    return 0;
}

/* ---- the components that a list names: by places, ranges of places and ids ---- */

struct picked {
    const struct component_write *from;
    size_t *indexes, count;
};

static int pick(struct picked *picked, const struct component_ref *ref, struct error *err)
{
    size_t index;

    if (sequence_find(&picked->from->sequence, ref, &index, err) < 0)
        return -1;
    for (size_t i = 0; i < picked->count; i++)
        if (picked->indexes[i] == index)
            return error_set(err, ERROR_INVALID, "names a component that is there before it");
    if (picked->count == BATCH_MAX)
        return error_set(err, ERROR_INVALID, "names more than %d components", BATCH_MAX);
    picked->indexes[picked->count++] = index;
    return 0;
}

static int pick_range(struct picked *picked, long first, long last, struct error *err)
{
    struct component_ref ref = {.node_id = picked->from->node_id};
    long most = (long)picked->from->sequence.components;

    if (first != last && most > 0 && (first < 1 || last < first || last > most)) {
        long low = first < last ? first : last, high = first < last ? last : first;

        low = low < 1 || low > most ? 1 : low;
        high = high < 1 || high > most ? most : high;
        return error_set(err, ERROR_INVALID,
                         "%ld-%ld is not a range of components: node %s has %ld, so send "
                         "%ld-%ld",
                         first, last, ref.node_id, most, low, high);
    }
    for (ref.order = first; ref.order <= last; ref.order++)
        if (pick(picked, &ref, err) < 0)
            return -1;
    return 0;
}

/* "14" or "14-19"; a component's id is a UUID, which has more dashes. */
static bool read_range(const char *text, long *first, long *last)
{
    char *end;

    if (!isdigit((unsigned char)*text))
        return false;
    *first = *last = strtol(text, &end, 10);
    end += strspn(end, " ");
    if (*end == '-') {
        end += 1 + strspn(end + 1, " ");
        if (!isdigit((unsigned char)*end))
            return false;
        *last = strtol(end, &end, 10);
    }
    return *end == '\0';
}

static int pick_part(struct picked *picked, const char *part, struct error *err)
{
    struct component_ref ref = {.node_id = picked->from->node_id, .component_id = part};
    char shown[64];
    long first, last;
    int rc;

    if (read_range(part, &first, &last))
        return pick_range(picked, first, last, err);
    rc = pick(picked, &ref, err);
    if (rc < 0 && err->kind == ERROR_NOT_FOUND)
        error_set(err, ERROR_NOT_FOUND,
                  "node %s has no component '%s'; send a place, a range such as 1-%zu, or a "
                  "component_id that is there now",
                  ref.node_id, text_cut_line(shown, sizeof shown, part),
                  picked->from->sequence.components);
    return rc;
}

/* "14-19, 22" */
static int pick_text(struct picked *picked, const char *text, struct error *err)
{
    cleanup_free char *copy = strdup(text);
    char *rest = copy, *part;
    int rc = 0;

    if (!copy)
        return error_set(err, ERROR_MEMORY, "out of memory for a list of components");
    while (rc == 0 && (part = strsep(&rest, ","))) {
        part += strspn(part, " ");
        for (size_t len = strlen(part); len > 0 && part[len - 1] == ' '; len--)
            part[len - 1] = '\0';
        rc = pick_part(picked, part, err);
    }
    return rc;
}

static int pick_entry(struct picked *picked, const json_t *entry, struct error *err)
{
    struct component_ref ref = {.node_id = picked->from->node_id,
                                .order = (long)json_integer_value(entry)};

    if (json_is_string(entry))
        return pick_text(picked, json_string_value(entry), err);
    if (ref.order < 1)
        return error_set(err, ERROR_INVALID,
                         "must be a component's place, 1 for the first, a range such as 2-3, or "
                         "its component_id");
    return pick(picked, &ref, err);
}

int store_items_find(const struct component_write *from, const json_t *components, size_t *indexes,
                     size_t *count, struct error *err)
{
    struct picked picked = {from, indexes, 0};
    struct validation_errors problems;
    const json_t *entry;
    char field[64];
    size_t i;
    int rc;

    if (!json_is_array(components) || json_array_size(components) == 0 ||
        json_array_size(components) > BATCH_MAX)
        return error_set_at(err, "components",
                            "components: send the places of 1 to %d components, such as [2, 3] or "
                            "[\"14-19\"], or their component_ids",
                            BATCH_MAX);
    validation_begin(&problems, "");
    json_array_foreach((json_t *)components, i, entry)
    {
        struct error found = {0};

        snprintf(field, sizeof field, "components.%zu", i);
        if (pick_entry(&picked, entry, &found) != 0)
            validation_add(&problems, field, "%s", found.text);
    }
    rc = validation_end(&problems, "Nothing was moved", err);
    *count = picked.count;
    return rc;
}

/* ---- relationships ---- */

static int repoint(json_t *relationship, const char *end, const char *from, const char *into)
{
    const char *node_id = json_get_string(relationship, end);

    if (!node_id || strcmp(node_id, from) != 0)
        return 0;
    return json_object_set_new(relationship, end, json_string(into));
}

/* 1: it would be a repeat or the node's own. */
static int is_left_out(struct store *store, const struct write *write, int64_t key,
                       const json_t *relationship, struct error *err)
{
    const char *from = json_get_string(relationship, "from_node_id");
    const char *to = json_get_string(relationship, "to_node_id");
    int64_t same;

    if (!from || !to)
        return 0;
    if (strcmp(from, to) == 0)
        return 1;
    return store_relationship_same(store, write->session, from, to,
                                   json_get_string(relationship, "relationship_type"), key, &same,
                                   err);
}

int store_relationship_move(struct store *store, const struct write *write, int64_t key,
                            const char *from, const char *into, struct error *err)
{
    json_auto_t *before = NULL, *after = NULL;
    int64_t place;
    int out;

    before = store_relationship_load(store, write->session, key, &place, err);
    if (!before)
        return -1;
    after = json_copy(before);
    if (!after || repoint(after, "from_node_id", from, into) != 0 ||
        repoint(after, "to_node_id", from, into) != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for a relationship");
    out = is_left_out(store, write, key, after, err);
    if (out < 0)
        return -1;
    if (out > 0)
        return store_relationship_drop(store, write, key, place, before, err) == 0 ? 1 : -1;
    return store_relationship_save(store, write, key, place, before, after, err);
}

/* ---- components to a place in another node ---- */

static int check_into(const struct component_write *into, const char *node_id, long position,
                      struct error *err)
{
    long most = (long)into->sequence.components + 1;

    if (strcmp(node_id, into->node_id) == 0)
        return error_set_at(err, "into_node_id",
                            "into_node_id: the components are in %s already; reorder_components "
                            "changes their order there",
                            node_id);
    if (position > most)
        return error_set_at(err, "position",
                            "position %ld is out of range: node %s has %zu components, so send 1 "
                            "to %ld",
                            position, into->node_id, into->sequence.components, most);
    return 0;
}

static int move(struct store *store, struct component_write *from, const json_t *components,
                struct component_write *into, long position, struct move_state *state,
                struct error *err)
{
    cleanup_free size_t *indexes = calloc(BATCH_MAX, sizeof *indexes);
    size_t at, count = 0;

    if (!indexes)
        return error_set(err, ERROR_MEMORY, "out of memory for a node's components");
    if (store_node_find(store, into->write.session, into->node_id, &into->node, err) < 0 ||
        sequence_read(store, into->node.key, false, &into->sequence, err) != 0 ||
        check_into(into, from->node_id, position, err) < 0 ||
        store_items_find(from, components, indexes, &count, err) < 0)
        return -1;
    at = position == 0 ? into->sequence.count : sequence_at(&into->sequence, (size_t)position);
    if (store_items_move(store, from, indexes, count, into, at, err) < 0 ||
        store_component_renumber(store, from, err) != 0)
        return -1;
    state->components = count;
    state->remaining = from->sequence.components;
    state->position = item_order(&into->sequence.items[at]);
    text_cut_line(state->title, sizeof state->title, from->node.title);
    text_cut_line(state->into_title, sizeof state->into_title, into->node.title);
    return 0;
}

int store_components_move(struct store *store, const struct writer *writer, const char *sid,
                          const char *node_id, const json_t *components, const char *into_id,
                          long position, struct move_state *state, struct error *err)
{
    struct component_write from, into = {.node_id = into_id};
    int rc;

    if (store_refresh(store, MIRROR_NODE, sid, into_id, err) != 0 ||
        store_refresh(store, MIRROR_NODE, sid, node_id, err) != 0 ||
        store_component_write_begin(store, writer, sid, node_id, false, &from, err) < 0)
        return -1;
    into.write = from.write;
    rc = move(store, &from, components, &into, position, state, err);
    sequence_finish(&into.sequence);
    return store_component_write_end(store, &from, rc, err);
}
