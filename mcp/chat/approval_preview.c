/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/chat/approval_preview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"

#define NODES_PLACED_MAX 20u /* whose components are told by their places */

/* ---- doing it ---- */

static int apply(struct approval_preview *preview, struct store *store, struct error *err)
{
    const struct writer writer = {.who = preview->who, .expected_cursor = preview->asked.version};
    const struct change_set set = {.operations = preview->asked.operations,
                                   .keep_going = preview->asked.keep_going};

    return change_set_apply(store, &writer, preview->sid, &set, &preview->outcome, err);
}

/* The change set that ended with the version. */
static int find_set(struct approval_preview *preview, struct store *store, char *set, size_t size,
                    struct error *err)
{
    const struct history_page page = {.since = preview->asked.version - 1,
                                      .before = preview->asked.version,
                                      .limit = HISTORY_LIMIT_MAX,
                                      .without_texts = true};
    struct buf BUF_AUTO text = {0};
    json_auto_t *read = NULL;
    const char *found;

    if (store_read_history(store, preview->sid, &page, &text, err) < 0)
        return -1;
    read = json_read(text.data, text.len, "the history", err);
    if (!read)
        return -1;
    found = json_get_string(json_array_get(json_object_get(read, "changes"), 0), "change_set");
    if (!found)
        return error_set_at(err, "version",
                            "version: no change ended at %lld; send one that action list tells.",
                            (long long)preview->asked.version);
    snprintf(set, size, "%s", found);
    return 0;
}

static int undo(struct approval_preview *preview, struct store *store, struct error *err)
{
    const struct writer writer = {.who = preview->who};
    const char *set = preview->asked.change_set;
    char found[sizeof preview->undone.change_set];

    if (!set && preview->asked.version > 0) {
        if (find_set(preview, store, found, sizeof found, err) < 0)
            return -1;
        set = found;
    }
    return store_undo(store, &writer, preview->sid, set, &preview->undone, err);
}

static int restore(struct approval_preview *preview, struct store *store, struct error *err)
{
    const struct writer writer = {.who = preview->who};

    if (preview->asked.version <= 0)
        return error_set_at(err, "version",
                            "restore needs version; action list tells those there are.");
    return store_restore(store, &writer, preview->sid, preview->asked.version, &preview->undone,
                         err);
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

static int read_difference(struct approval_preview *preview, struct store *store, int64_t from,
                           struct error *err)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *read = NULL;
    int64_t to;

    if (store_session(store, preview->sid, NULL, 0, &to, err) < 0 ||
        store_read_difference(store, preview->sid, from, to, &text, err) < 0)
        return -1;
    read = json_read(text.data, text.len, "the difference", err);
    if (!read)
        return -1;
    preview->differences = in_order(json_object_get(read, "differences"));
    return preview->differences ? 0 : error_set(err, ERROR_INTERNAL, "a difference without any");
}

/* Of the nodes that the differences name; one that is not there has no places. */
static json_t *read_places(const struct approval_preview *preview, struct store *store)
{
    json_t *places = json_object(), *seen = json_object(), *difference, *component;
    size_t i, k;

    json_array_foreach(preview->differences, i, difference)
    {
        const char *node_id = json_get_string(difference, "node_id");
        const char *entity = json_get_string(difference, "entity");
        struct buf BUF_AUTO text = {0};
        json_auto_t *read = NULL;

        if (!node_id || !entity || strcmp(entity, "component") != 0 ||
            json_object_get(seen, node_id) || json_object_size(seen) == NODES_PLACED_MAX)
            continue;
        json_object_set_new(seen, node_id, json_true());
        if (store_read_components(store, preview->sid, node_id, &text, NULL) == 0)
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

static int count_remaining(struct approval_preview *preview, struct store *store, struct error *err)
{
    const json_t *operation = json_array_get(preview->asked.operations, 0);
    const char *op = json_get_string(operation, "op");
    const char *name = json_get_string(operation, "node_id"), *node_id;
    struct buf found BUF_AUTO = {0};
    struct node_state state = {0};

    preview->remain = -1;
    if (json_array_size(preview->asked.operations) != 1 || !op ||
        strcmp(op, "delete_component") != 0 || !name)
        return 0;
    if (store_node_id(store, preview->sid, name, "node_id", &found, &node_id, err) < 0 ||
        store_node_state(store, preview->sid, node_id, 0, &state, err) < 0)
        return -1;
    preview->remain = (long)state.components;
    return 0;
}

static int work(struct approval_preview *preview, struct store *store, struct error *err)
{
    static int (*const actions[])(struct approval_preview * preview, struct store * store,
                                  struct error * err) = {
        [TOOL_CHANGES] = apply,
        [TOOL_UNDOES] = undo,
        [TOOL_RESTORES] = restore,
    };
    int64_t from;

    /* What others did is not to be reported as the call's own doing. Once before the transaction,
     * so that components have the same ids in the preview and after it, and once within, where
     * nothing is read from elsewhere any more. */
    if (store_catch_up(store, preview->sid, err) < 0 ||
        store_session(store, preview->sid, NULL, 0, &from, err) < 0 ||
        actions[preview->asked.action](preview, store, err) < 0 ||
        read_difference(preview, store, from, err) < 0 || count_remaining(preview, store, err) < 0)
        return -1;
    preview->is = read_places(preview, store);
    return 0;
}

int approval_preview(struct approval_preview *preview, struct store *store, struct error *err)
{
    int rc;

    if (store_catch_up(store, preview->sid, err) < 0 || store_begin(store, err) < 0)
        return -1;
    rc = work(preview, store, err);
    if (store_end(store, false, rc == 0 ? err : NULL) < 0)
        rc = -1;
    if (rc < 0)
        return -1;
    preview->was = read_places(preview, store); /* it is taken back: as things stand */
    return approval_changes(preview, store, err);
}

void approval_preview_finish(struct approval_preview *preview)
{
    change_set_outcome_finish(&preview->outcome);
    json_decref(preview->asked.operations);
    json_decref(preview->differences);
    json_decref(preview->was);
    json_decref(preview->is);
    json_decref(preview->changes);
    buf_finish(&preview->lost);
    memset(preview, 0, sizeof *preview);
}
