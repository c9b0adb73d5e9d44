/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/chat/approval_look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"

#define NODES_PLACED_MAX 20u /* whose components are told by their places */

/* ---- doing it ---- */

static int apply(struct approval_look *look, struct store *store, struct error *err)
{
    const struct writer writer = {.who = look->who, .expected_cursor = look->version};
    const struct change_set set = {.operations = look->operations, .keep_going = look->keep_going};

    return change_set_apply(store, &writer, look->sid, &set, &look->outcome, err);
}

/* The change set that ended with the version. */
static int find_set(struct approval_look *look, struct store *store, char *set, size_t size,
                    struct error *err)
{
    const struct history_page page = {.since = look->version - 1,
                                      .before = look->version,
                                      .limit = HISTORY_LIMIT_MAX,
                                      .without_texts = true};
    struct buf BUF_AUTO text = {0};
    json_auto_t *read = NULL;
    const char *found;

    if (store_read_history(store, look->sid, &page, &text, err) < 0)
        return -1;
    read = json_read(text.data, text.len, "the history", err);
    if (!read)
        return -1;
    found = json_get_string(json_array_get(json_object_get(read, "changes"), 0), "change_set");
    if (!found)
        return error_set_at(err, "version",
                            "version: no change ended at %lld; send one that action list tells.",
                            (long long)look->version);
    snprintf(set, size, "%s", found);
    return 0;
}

static int undo(struct approval_look *look, struct store *store, struct error *err)
{
    const struct writer writer = {.who = look->who};
    const char *set = look->change_set;
    char found[sizeof look->undone.change_set];

    if (!set && look->version > 0) {
        if (find_set(look, store, found, sizeof found, err) < 0)
            return -1;
        set = found;
    }
    return store_undo(store, &writer, look->sid, set, &look->undone, err);
}

static int restore(struct approval_look *look, struct store *store, struct error *err)
{
    const struct writer writer = {.who = look->who};

    if (look->version <= 0)
        return error_set_at(err, "version",
                            "restore needs version; action list tells those there are.");
    return store_restore(store, &writer, look->sid, look->version, &look->undone, err);
}

/* ---- what is otherwise then ---- */

struct difference_row {
    const char *node_id; /* "" where it has none */
    size_t place;        /* as the store tells it */
    json_t *value;       /* borrowed */
};

static int by_node(const void *one, const void *other)
{
    const struct difference_row *a = one, *b = other;
    int order = strverscmp(a->node_id, b->node_id);

    if (!*a->node_id != !*b->node_id) /* relationships behind what they join */
        return *a->node_id ? -1 : 1;
    return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

/* Node by node, as a person reads them; the store tells what was changed last first. A new
 * reference, NULL where there are none or without memory. */
static json_t *in_order(const json_t *differences)
{
    size_t count = json_array_size(differences);
    struct difference_row *rows = calloc(count + 1, sizeof *rows);
    json_t *ordered = json_is_array(differences) && rows ? json_array() : NULL;

    for (size_t i = 0; ordered && i < count; i++) {
        rows[i].value = json_array_get(differences, i);
        rows[i].node_id = json_get_string(rows[i].value, "node_id");
        rows[i].node_id = rows[i].node_id ? rows[i].node_id : "";
        rows[i].place = i;
    }
    if (ordered)
        qsort(rows, count, sizeof *rows, by_node);
    for (size_t i = 0; ordered && i < count; i++)
        json_array_append(ordered, rows[i].value);
    free(rows);
    return ordered;
}

static int read_difference(struct approval_look *look, struct store *store, int64_t from,
                           struct error *err)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *read = NULL;
    int64_t to;

    if (store_session(store, look->sid, NULL, 0, &to, err) < 0 ||
        store_read_difference(store, look->sid, from, to, &text, err) < 0)
        return -1;
    read = json_read(text.data, text.len, "the difference", err);
    if (!read)
        return -1;
    look->differences = in_order(json_object_get(read, "differences"));
    return look->differences ? 0 : error_set(err, ERROR_INTERNAL, "a difference without any");
}

/* Of the nodes that the differences name; one that is not there has no places. */
static json_t *read_places(const struct approval_look *look, struct store *store)
{
    json_t *places = json_object(), *seen = json_object(), *difference, *component;
    size_t i, k;

    json_array_foreach(look->differences, i, difference)
    {
        const char *node_id = json_get_string(difference, "node_id");
        const char *entity = json_get_string(difference, "entity");
        struct buf BUF_AUTO text = {0};
        json_auto_t *read = NULL;

        if (!node_id || !entity || strcmp(entity, "component") != 0 ||
            json_object_get(seen, node_id) || json_object_size(seen) == NODES_PLACED_MAX)
            continue;
        json_object_set_new(seen, node_id, json_true());
        if (store_read_components(store, look->sid, node_id, &text, NULL) == 0)
            read = json_read(text.data, text.len, "the components", NULL);
        json_array_foreach(json_object_get(read, "components"), k, component)
        {
            const char *id = json_get_string(component, "component_id");

            if (id)
                json_object_set_new(places, id, json_integer((json_int_t)k + 1));
        }
    }
    json_decref(seen);
    return places;
}

static int count_remaining(struct approval_look *look, struct store *store, struct error *err)
{
    const json_t *operation = json_array_get(look->operations, 0);
    const char *op = json_get_string(operation, "op");
    const char *name = json_get_string(operation, "node_id"), *node_id;
    struct buf found BUF_AUTO = {0};
    struct node_state state = {0};

    look->remain = -1;
    if (json_array_size(look->operations) != 1 || !op || strcmp(op, "delete_component") != 0 ||
        !name)
        return 0;
    if (store_node_id(store, look->sid, name, "node_id", &found, &node_id, err) < 0 ||
        store_node_state(store, look->sid, node_id, 0, &state, err) < 0)
        return -1;
    look->remain = (long)state.components;
    return 0;
}

/* Where a service is the truth, what others did there comes into the copy as it is read: all of it
 * before the call's own doing, or it would be told as that. Once to be kept, so that components
 * have the same ids in the look and behind it; and once within, where nothing is read anew any
 * more. */
static int bring_all(const struct approval_look *look, struct store *store, struct error *err)
{
    const struct history_page page = {.limit = 1, .without_texts = true};
    struct buf BUF_AUTO text = {0};

    return store_is_copy(store) ? store_read_history(store, look->sid, &page, &text, err) : 0;
}

static int work(struct approval_look *look, struct store *store, struct error *err)
{
    static int (*const deeds[])(struct approval_look * look, struct store * store,
                                struct error * err) = {
        [APPROVAL_CHANGES] = apply,
        [APPROVAL_UNDOES] = undo,
        [APPROVAL_RESTORES] = restore,
    };
    int64_t from;

    if (bring_all(look, store, err) < 0 ||
        store_session(store, look->sid, NULL, 0, &from, err) < 0 ||
        deeds[look->deed](look, store, err) < 0 || read_difference(look, store, from, err) < 0 ||
        count_remaining(look, store, err) < 0)
        return -1;
    look->is = read_places(look, store);
    return 0;
}

int approval_look(struct approval_look *look, struct store *store, struct error *err)
{
    int rc;

    if (bring_all(look, store, err) < 0 || store_begin(store, err) < 0)
        return -1;
    rc = work(look, store, err);
    if (store_end(store, false, rc == 0 ? err : NULL) < 0)
        rc = -1;
    if (rc < 0)
        return -1;
    look->was = read_places(look, store); /* it is taken back: as things stand */
    return approval_changes(look, store, err);
}

void approval_look_finish(struct approval_look *look)
{
    change_set_outcome_finish(&look->outcome);
    json_decref(look->operations);
    json_decref(look->differences);
    json_decref(look->was);
    json_decref(look->is);
    json_decref(look->changes);
    buf_finish(&look->lost);
    memset(look, 0, sizeof *look);
}
