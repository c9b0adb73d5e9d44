/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Does a call in a transaction, reads what is different then, and rolls all of it back: so what a
 * person is shown is what will be, however the operations build on each other.
 */
#include "mcp/tool/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/curriculum/entity.h"
#include "mcp/curriculum/text.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/history/history.h"

#define TITLE_SAID       120 /* bytes */
#define NODES_SAID_MAX   2u  /* deleted nodes that are listed, one per line */
#define NODES_PLACED_MAX 20u /* whose components are shown with their places */

int tool_trial_begin(struct tool_trial *trial, struct tool_call *call, const char *sid,
                     struct error *err)
{
    snprintf(trial->sid, sizeof trial->sid, "%s", sid);
    trial->who = call->who;
    trial->only = call->bound_session;
    trial->tool = call->tool;
    return tool_call_preview(call, &trial->asked, err);
}

/* ---- doing it ---- */

static int apply(struct tool_trial *trial, struct store *store, struct error *err)
{
    const struct writer writer = {
        .who = trial->who, .only = trial->only, .expected_cursor = trial->asked.version};
    const struct change_set set = {.operations = trial->asked.operations,
                                   .keep_going = trial->asked.keep_going};

    return change_set_apply(store, &writer, trial->sid, &set, &trial->outcome, err);
}

static int undo(struct tool_trial *trial, struct store *store, struct error *err)
{
    const struct writer writer = {.who = trial->who};
    const char *set = trial->asked.change_set;
    struct own_import import;
    char found[CHANGE_SET_ID_SIZE];
    int own;

    if (!set && trial->asked.version > 0) {
        if (tool_set_of_version(store, trial->sid, trial->asked.version, found, err) < 0)
            return -1;
        set = found;
    }
    own = trial->only ? 0 : store_find_own_import(store, &writer, trial->sid, set, &import, err);
    if (own == 0)
        return store_undo(store, &writer, trial->sid, set, &trial->undone, err);
    if (own < 0)
        return -1;
    trial->deletes = true;
    snprintf(trial->undone.what, sizeof trial->undone.what, "%s", import.what);
    trial->gone = (struct trial_counts){import.nodes, import.components, import.relationships};
    return 0;
}

static int restore(struct tool_trial *trial, struct store *store, struct error *err)
{
    const struct writer writer = {.who = trial->who};

    return store_restore(store, &writer, trial->sid, trial->asked.version, &trial->undone, err);
}

/* ---- what is otherwise then ---- */

enum fate { GOES, CHANGES, COMES };

static const char *const fates[] = {
    [GOES] = "is deleted", [CHANGES] = "is changed", [COMES] = "is new"};

static enum fate fate_of(const json_t *difference)
{
    if (json_is_null(json_object_get(difference, "after")))
        return GOES;
    return json_is_null(json_object_get(difference, "before")) ? COMES : CHANGES;
}

static bool is_entity(const json_t *difference, const char *entity)
{
    return json_string_is(difference, "entity", entity);
}

/* A component that goes from one node and comes to another is moved: one difference, at its new
 * node, with "moved_from". */
static void join_moves(json_t *differences)
{
    json_auto_t *going = json_object();
    json_t *difference, *from;
    size_t i;

    json_array_foreach(differences, i, difference)
    {
        if (is_entity(difference, "component") && fate_of(difference) == GOES)
            json_object_set(going, json_get_string(difference, "entity_id"), difference);
    }
    json_array_foreach(differences, i, difference)
    {
        const char *id = json_get_string(difference, "entity_id");

        from = id && is_entity(difference, "component") && fate_of(difference) == COMES
                   ? json_object_get(going, id)
                   : NULL;
        if (!from)
            continue;
        json_object_set(difference, "before", json_object_get(from, "before"));
        json_object_set(difference, "moved_from", json_object_get(from, "node_id"));
        json_object_set_new(from, "joined", json_true());
    }
    for (i = json_array_size(differences); i-- > 0;)
        if (json_object_get(json_array_get(differences, i), "joined"))
            json_array_remove(differences, i);
}

struct difference_row {
    const char *node_id; /* "" if it has none */
    size_t place;        /* as the store reports it */
    json_t *value;       /* borrowed */
};

static int by_node(const void *one, const void *other)
{
    const struct difference_row *a = one, *b = other;
    int order = strverscmp(a->node_id, b->node_id);

    if (!*a->node_id != !*b->node_id) /* relationships after what they join */
        return *a->node_id ? -1 : 1;
    return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

/* Sorted by node, for people; the store reports the latest change first. A new reference, NULL if
 * there are none or without memory. */
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

static int read_difference(struct tool_trial *trial, struct store *store, int64_t from,
                           struct error *err)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *read = NULL;
    int64_t to;

    if (store_session(store, trial->sid, NULL, 0, &to, err) < 0 ||
        store_read_difference(store, trial->sid, from, to, &text, err) < 0)
        return -1;
    read = json_read(text.data, text.len, "the difference", err);
    if (!read)
        return -1;
    join_moves(json_object_get(read, "differences"));
    trial->differences = in_order(json_object_get(read, "differences"));
    return trial->differences ? 0 : error_set(err, ERROR_INTERNAL, "a difference without any");
}

/* Of the nodes that the differences name; one that is not there has no places. */
static json_t *read_places(const struct tool_trial *trial, struct store *store)
{
    json_t *places = json_object(), *seen = json_object(), *difference, *component;
    size_t i, k;

    json_array_foreach(trial->differences, i, difference)
    {
        const char *node_id = json_get_string(difference, "node_id");
        const char *entity = json_get_string(difference, "entity");
        struct buf BUF_AUTO text = {0};
        json_auto_t *read = NULL;

        if (!node_id || !entity || strcmp(entity, "component") != 0 ||
            json_object_get(seen, node_id) || json_object_size(seen) == NODES_PLACED_MAX)
            continue;
        json_object_set_new(seen, node_id, json_true());
        if (store_read_components(store, trial->sid, node_id, &text, NULL) == 0)
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

static int count_remaining(struct tool_trial *trial, struct store *store, struct error *err)
{
    const json_t *operation = json_array_get(trial->asked.operations, 0);
    const char *op = json_get_string(operation, "op");
    const char *name = json_get_string(operation, "node_id"), *node_id;
    struct buf BUF_AUTO found = {0};
    struct node_state state = {0};

    trial->remain = -1;
    if (json_array_size(trial->asked.operations) != 1 || !op ||
        strcmp(op, "delete_component") != 0 || !name)
        return 0;
    if (store_node_id(store, trial->sid, name, "node_id", &found, &node_id, err) < 0 ||
        store_node_state(store, trial->sid, node_id, 0, &state, err) < 0)
        return -1;
    trial->remain = (long)state.components;
    return 0;
}

static int work(struct tool_trial *trial, struct store *store, struct error *err)
{
    static int (*const actions[])(struct tool_trial * trial, struct store * store,
                                  struct error * err) = {
        [TOOL_CHANGES] = apply,
        [TOOL_UNDOES] = undo,
        [TOOL_RESTORES] = restore,
    };
    int64_t from;

    /* Changes by others must not be reported as effects of the call. Refreshes once before the
     * transaction, so that components have the same ids in the preview and after it; within it,
     * nothing more is read from the service. */
    if (store_catch_up(store, trial->sid, err) < 0 ||
        store_session(store, trial->sid, NULL, 0, &from, err) < 0 ||
        actions[trial->asked.action](trial, store, err) < 0)
        return -1;
    if (trial->deletes)
        return 0;
    if (read_difference(trial, store, from, err) < 0 || count_remaining(trial, store, err) < 0)
        return -1;
    trial->is = read_places(trial, store);
    return 0;
}

/* ---- a thing as text ---- */

/* Members that say where an entity is, not what it is. */
static const char *const plumbing[] = {"id",         "node_id",         "component_id",
                                       "order",      "revision",        "created_at",
                                       "updated_at", "component_order", "confidence"};

static bool is_plumbing(const char *name)
{
    for (size_t i = 0; i < sizeof plumbing / sizeof plumbing[0]; i++) {
        if (strcmp(plumbing[i], name) == 0)
            return true;
    }
    return false;
}

static void write_value(const json_t *value, struct buf *to)
{
    const json_t *item;
    size_t i;

    if (json_is_string(value)) {
        buf_add(to, json_string_value(value), json_string_length(value));
    } else if (json_is_array(value) && json_is_string(json_array_get(value, 0))) {
        json_array_foreach((json_t *)value, i, item)
        {
            buf_addf(to, "%s%zu. ", i > 0 ? "\n" : "", i + 1);
            write_value(item, to);
        }
    } else {
        json_write(to, value);
    }
}

static void write_members(const json_t *members, struct buf *to)
{
    size_t count = json_object_size(members);
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)members, name, value)
    {
        if (is_plumbing(name) || json_is_null(value))
            continue;
        if (to->len > 0)
            buf_addc(to, '\n');
        if (count > 1)
            buf_addf(to, "%s:%s", name, json_is_array(value) ? "\n" : " ");
        write_value(value, to);
    }
}

/* A component's parameters, or a node's fields, as a person reads them; a new reference. */
static json_t *text_of(const json_t *thing)
{
    const json_t *parameters = json_object_get(thing, "parameters");
    struct buf BUF_AUTO text = {0};
    size_t len;

    if (!thing || json_is_null(thing))
        return json_null();
    write_members(json_is_object(parameters) ? parameters : thing, &text);
    if (text.failed)
        return NULL;
    len = utf8_offset(text.data ? text.data : "", text.len, TRIAL_TEXT_MAX);
    if (len < text.len) {
        text.len = len;
        buf_adds(&text, "…");
    }
    return json_stringn(text.data ? text.data : "", text.len);
}

/* ---- what happens to it ---- */

static const json_t *thing_of(const json_t *difference)
{
    return json_object_get(difference, fate_of(difference) == GOES ? "before" : "after");
}

/* The title of a node, also of a deleted one; "" if it has none. */
static void find_title(const struct tool_trial *trial, struct store *store, const char *node_id,
                       char title[TITLE_SAID])
{
    const json_t *difference;
    size_t i;

    *title = '\0';
    if (!node_id)
        return;
    json_array_foreach(trial->differences, i, difference)
    {
        if (!is_entity(difference, "node") || !json_string_is(difference, "entity_id", node_id))
            continue;
        text_cut_line(title, TITLE_SAID, json_get_string(thing_of(difference), "title"));
        return;
    }
    if (store_node_title(store, trial->sid, node_id, title, TITLE_SAID, NULL) < 0)
        *title = '\0';
}

static json_int_t place_of(const json_t *places, const char *component_id)
{
    return component_id ? json_integer_value(json_object_get(places, component_id)) : 0;
}

/* Some stores keep the place in the component too. */
static bool is_same_content(const json_t *difference)
{
    const json_t *before = json_object_get(difference, "before");
    const json_t *after = json_object_get(difference, "after");
    const char *one = entity_component_type(before), *other = entity_component_type(after);

    return one && other && strcmp(one, other) == 0 &&
           json_equal(json_object_get(before, "parameters"), json_object_get(after, "parameters"));
}

static void write_component(const struct tool_trial *trial, struct store *store,
                            const json_t *difference, struct buf *to)
{
    const char *id = json_get_string(difference, "entity_id");
    const char *type = entity_component_type(thing_of(difference));
    json_int_t was = place_of(trial->was, id), is = place_of(trial->is, id);
    const char *from = json_get_string(difference, "moved_from");
    json_int_t place = from || fate_of(difference) == COMES ? is : was;
    char shown[TITLE_SAID];

    (void)store;
    buf_adds(to, "component");
    if (place > 0)
        buf_addf(to, " %" JSON_INTEGER_FORMAT, place);
    buf_addf(to, " (%.*s) ", type ? utf8_shown(type, TITLE_SAID) : 0, type ? type : "");
    if (from)
        buf_addf(to, "is moved here from %s", text_cut_line(shown, sizeof shown, from));
    else if (fate_of(difference) == CHANGES && was != is && is_same_content(difference))
        buf_addf(to, "is moved to place %" JSON_INTEGER_FORMAT, is);
    else
        buf_adds(to, fates[fate_of(difference)]);
}

static void write_node(const struct tool_trial *trial, struct store *store,
                       const json_t *difference, struct buf *to)
{
    (void)trial;
    (void)store;
    buf_addf(to, "node %s", fates[fate_of(difference)]);
}

static void write_relationship(const struct tool_trial *trial, struct store *store,
                               const json_t *difference, struct buf *to)
{
    const json_t *thing = thing_of(difference);
    const char *type = json_get_string(thing, "relationship_type");
    const char *target = json_get_string(thing, "to_node_id");
    char title[TITLE_SAID], id[TITLE_SAID];

    find_title(trial, store, target, title);
    buf_addf(to, "relationship %.*s to %s", type ? utf8_shown(type, TITLE_SAID) : 0,
             type ? type : "", text_cut_line(id, sizeof id, target));
    if (*title)
        buf_addf(to, " \"%s\"", title);
    buf_addf(to, " %s", fates[fate_of(difference)]);
}

static void write_session(const struct tool_trial *trial, struct store *store,
                          const json_t *difference, struct buf *to)
{
    (void)trial;
    (void)store;
    (void)difference;
    buf_adds(to, "the curriculum's own fields are changed");
}

/* Positions are not content. */
static const struct entity {
    const char *name, *node; /* the member of the thing that names its node; or NULL */
    size_t count;            /* offset of its count */
    void (*say)(const struct tool_trial *trial, struct store *store, const json_t *difference,
                struct buf *to);
} entities[] = {
    {"node", NULL, offsetof(struct trial_counts, nodes), write_node},
    {"component", NULL, offsetof(struct trial_counts, components), write_component},
    {"relationship", "from_node_id", offsetof(struct trial_counts, relationships),
     write_relationship},
    {"session", NULL, SIZE_MAX, write_session},
};

static const struct entity *find_entity(const json_t *difference)
{
    for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++) {
        if (is_entity(difference, entities[i].name))
            return &entities[i];
    }
    return NULL;
}

static int add_change(struct tool_trial *trial, struct store *store, const struct entity *entity,
                      const json_t *difference, struct error *err)
{
    const char *node_id = entity->node ? json_get_string(thing_of(difference), entity->node)
                                       : json_get_string(difference, "node_id");
    struct buf BUF_AUTO what = {0};
    char title[TITLE_SAID];
    json_t *change;

    find_title(trial, store, node_id, title);
    entity->say(trial, store, difference, &what);
    change =
        json_pack("{s:s?, s:s, s:s%, s:o, s:o}", "node_id", node_id, "title", title, "what",
                  what.data, what.len, "before", text_of(json_object_get(difference, "before")),
                  "after", text_of(json_object_get(difference, "after")));
    if (!change || json_array_append_new(trial->changes, change) < 0)
        return error_set(err, ERROR_MEMORY, "out of memory for what would change");
    return 0;
}

static void count_one(struct tool_trial *trial, const struct entity *entity, enum fate fate)
{
    struct trial_counts *counts[] = {
        [GOES] = &trial->gone, [CHANGES] = &trial->changed, [COMES] = &trial->made};

    if (entity->count != SIZE_MAX)
        ++*(size_t *)((char *)counts[fate] + entity->count);
}

static int add_all(struct tool_trial *trial, struct store *store, bool going, struct error *err)
{
    const json_t *difference;
    size_t i;

    json_array_foreach(trial->differences, i, difference)
    {
        const struct entity *entity = find_entity(difference);

        if (!entity || (fate_of(difference) == GOES) != going)
            continue;
        count_one(trial, entity, fate_of(difference));
        if (json_array_size(trial->changes) >= TRIAL_SHOWN_MAX)
            trial->more++;
        else if (add_change(trial, store, entity, difference, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- nodes that go, with what goes with them ---- */

static bool is_at(const json_t *difference, const char *member, const char *node_id)
{
    return json_string_is(json_object_get(difference, "before"), member, node_id);
}

static void write_lost(struct tool_trial *trial, const json_t *node)
{
    const char *node_id = json_get_string(node, "entity_id");
    size_t components = 0, relationships = 0, i;
    char id[TITLE_SAID], title[TITLE_SAID];
    const json_t *difference;

    json_array_foreach(trial->differences, i, difference)
    {
        if (fate_of(difference) != GOES)
            continue;
        if (is_entity(difference, "component"))
            components += json_string_is(difference, "node_id", node_id);
        else if (is_entity(difference, "relationship"))
            relationships += is_at(difference, "from_node_id", node_id) ||
                             is_at(difference, "to_node_id", node_id);
    }
    text_cut_line(title, sizeof title, json_get_string(json_object_get(node, "before"), "title"));
    buf_addf(&trial->lost, "Node %s \"%s\" goes, with %zu component%s and %zu relationship%s.\n",
             text_cut_line(id, sizeof id, node_id), title, components, components == 1 ? "" : "s",
             relationships, relationships == 1 ? "" : "s");
}

static int list_changes(struct tool_trial *trial, struct store *store, struct error *err)
{
    const json_t *difference;
    size_t said = 0, i;

    trial->changes = json_array();
    if (!trial->changes)
        return error_set(err, ERROR_MEMORY, "out of memory for what would change");
    if (add_all(trial, store, true, err) < 0 || add_all(trial, store, false, err) < 0)
        return -1;
    json_array_foreach(trial->differences, i, difference)
    {
        if (is_entity(difference, "node") && fate_of(difference) == GOES && said < NODES_SAID_MAX) {
            write_lost(trial, difference);
            said++;
        }
    }
    return buf_check(&trial->lost, "what would be lost", err);
}

static int list_deletion(struct tool_trial *trial, struct error *err)
{
    trial->changes = json_pack(
        "[{s:n, s:s, s:s, s:n, s:n}]", "node_id", "title", "", "what",
        "The curriculum is deleted, with its history; nothing but an import brings it back",
        "before", "after");
    return trial->changes ? 0 : error_set(err, ERROR_MEMORY, "out of memory for the changes");
}

/* ---- all of it ---- */

int tool_trial_run(struct tool_trial *trial, struct store *store, struct error *err)
{
    int rc;

    if (store_catch_up(store, trial->sid, err) < 0 || store_begin(store, err) < 0)
        return -1;
    rc = work(trial, store, err);
    if (store_end(store, false, rc == 0 ? err : NULL) < 0)
        rc = -1;
    if (rc < 0)
        return -1;
    if (trial->deletes)
        return list_deletion(trial, err);
    trial->was = read_places(trial, store); /* for the deletion: the current state */
    return list_changes(trial, store, err);
}

void tool_trial_finish(struct tool_trial *trial)
{
    change_set_outcome_finish(&trial->outcome);
    json_decref(trial->asked.operations);
    json_decref(trial->differences);
    json_decref(trial->was);
    json_decref(trial->is);
    json_decref(trial->changes);
    buf_finish(&trial->lost);
    memset(trial, 0, sizeof *trial);
}

/* ---- as a message ---- */

/* "Lost: 1 node, 4 components. " */
static void add_count(struct buf *to, const char *what, const struct trial_counts *count)
{
    const struct {
        size_t count;
        const char *thing;
    } parts[] = {{count->nodes, "node"},
                 {count->components, "component"},
                 {count->relationships, "relationship"}};
    const char *between = " ";

    if (count->nodes + count->components + count->relationships == 0)
        return;
    buf_addf(to, "%s:", what);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].count == 0)
            continue;
        buf_addf(to, "%s%zu %s%s", between, parts[i].count, parts[i].thing,
                 parts[i].count == 1 ? "" : "s");
        between = ", ";
    }
    buf_adds(to, ". ");
}

static bool is_single(const struct tool_trial *trial)
{
    return json_array_size(trial->asked.operations) == 1 && json_array_size(trial->changes) == 1;
}

/* The first change, if it is the only one. */
static void write_single(const struct tool_trial *trial, struct buf *to)
{
    const json_t *change = json_array_get(trial->changes, 0);
    const char *node_id = json_get_string(change, "node_id");
    const char *title = json_get_string(change, "title");
    char id[TITLE_SAID];

    buf_addf(to, " %s", json_get_string(change, "what"));
    if (node_id)
        buf_addf(to, ", in %s \"%s\"", text_cut_line(id, sizeof id, node_id), title);
    if (trial->remain >= 0)
        buf_addf(to, "; %ld remain%s there", trial->remain, trial->remain == 1 ? "s" : "");
    buf_adds(to, ".\n");
}

static void write_headline(const struct tool_trial *trial, struct buf *to)
{
    size_t operations = json_array_size(trial->asked.operations);

    if (trial->asked.action == TOOL_UNDOES) {
        buf_addf(to, "Undo: %s.\n", trial->undone.what);
    } else if (trial->asked.action == TOOL_RESTORES) {
        buf_addf(to, "Restore version %ld: %s.\n", trial->asked.version, trial->undone.what);
    } else if (is_single(trial)) {
        buf_addf(to, "%s:", trial->tool->title);
        write_single(trial, to);
    } else {
        buf_addf(to, "%s: %zu operation%s", trial->tool->title, operations,
                 operations == 1 ? "" : "s");
        if (trial->outcome.bad > 0)
            buf_addf(to, ", of which %zu cannot be done and are left out", trial->outcome.bad);
        buf_adds(to, ".\n");
    }
}

void tool_trial_write(const struct tool_trial *trial, struct buf *to)
{
    write_headline(trial, to);
    buf_add(to, trial->lost.data, trial->lost.len);
    if (!is_single(trial)) {
        add_count(to, "Lost", &trial->gone);
        add_count(to, "Changed", &trial->changed);
        add_count(to, "New", &trial->made);
    }
    while (to->len > 0 && strchr(" \n", to->data[to->len - 1]))
        to->data[--to->len] = '\0';
}
