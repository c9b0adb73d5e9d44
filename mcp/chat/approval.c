/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Converts a call to its interrupt: a dry run on the trial work queue, then its effect on the graph
 * on the graph work queue.
 */
#include "mcp/chat/approval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/session/change_set.h"
#include "mcp/session/entity.h"
#include "mcp/session/text.h"

#define TITLE_SAID       120 /* bytes */
#define NODES_SAID_MAX   2u  /* deleted nodes that are listed, one per line */
#define NODES_PLACED_MAX 20u /* whose components are shown with their places */

static const char changed[] =
    "Not done: what it would change is not the same any more as what the editor approved. Read it "
    "again, and send the call again if it is still wanted; then the editor is asked again.";

/* ---- what a call would change ----
 *
 * It is done in a transaction, what is different then is read, and all of it is rolled back; so
 * what is shown is what will be, however the operations build on each other.
 */

struct preview {
    /* What would be done; texts borrowed. */
    char sid[SESSION_ID_SIZE];
    const char *who; /* the author of the call: an undo without a name reverts their own change */
    struct tool_preview asked;

    /* What came of it. */
    struct change_set_outcome outcome; /* of a change set */
    struct undo_state undone;          /* of the others */
    json_t *differences;               /* owned: as store_read_difference reports them */
    json_t *was, *is; /* owned: {component_id: its place}, before and after, of the first nodes */
    json_t *changes;  /* owned: as approval.h describes them */
    size_t more;      /* that are not shown */
    struct buf lost;  /* a line for each of the first nodes that go */
    struct counts {
        size_t nodes, components, relationships;
    } gone, changed, made;
    long remain; /* components of the node after the deletion of one; else -1 */
};

/* ---- doing it ---- */

static int apply(struct preview *preview, struct store *store, struct error *err)
{
    const struct writer writer = {.who = preview->who,
                                  .only = preview->sid,
                                  .expected_cursor = preview->asked.version};
    const struct change_set set = {.operations = preview->asked.operations,
                                   .keep_going = preview->asked.keep_going};

    return change_set_apply(store, &writer, preview->sid, &set, &preview->outcome, err);
}

static int undo(struct preview *preview, struct store *store, struct error *err)
{
    const struct writer writer = {.who = preview->who};
    const char *set = preview->asked.change_set;
    char found[CHANGE_SET_ID_SIZE];

    if (!set && preview->asked.version > 0) {
        if (tool_set_of_version(store, preview->sid, preview->asked.version, found, err) < 0)
            return -1;
        set = found;
    }
    return store_undo(store, &writer, preview->sid, set, &preview->undone, err);
}

static int restore(struct preview *preview, struct store *store, struct error *err)
{
    const struct writer writer = {.who = preview->who};

    if (preview->asked.version <= 0)
        return error_set_at(err, "version",
                            "restore needs version; action list shows the versions.");
    return store_restore(store, &writer, preview->sid, preview->asked.version, &preview->undone,
                         err);
}

/* ---- what is otherwise then ---- */

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

static int read_difference(struct preview *preview, struct store *store, int64_t from,
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
static json_t *read_places(const struct preview *preview, struct store *store)
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

static int count_remaining(struct preview *preview, struct store *store, struct error *err)
{
    const json_t *operation = json_array_get(preview->asked.operations, 0);
    const char *op = json_get_string(operation, "op");
    const char *name = json_get_string(operation, "node_id"), *node_id;
    struct buf BUF_AUTO found = {0};
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

static int work(struct preview *preview, struct store *store, struct error *err)
{
    static int (*const actions[])(struct preview * preview, struct store * store,
                                  struct error * err) = {
        [TOOL_CHANGES] = apply,
        [TOOL_UNDOES] = undo,
        [TOOL_RESTORES] = restore,
    };
    int64_t from;

    /* Changes by others must not be reported as effects of the call. Refreshes once before the
     * transaction, so that components have the same ids in the preview and after it; within it,
     * nothing more is read from the service. */
    if (store_catch_up(store, preview->sid, err) < 0 ||
        store_session(store, preview->sid, NULL, 0, &from, err) < 0 ||
        actions[preview->asked.action](preview, store, err) < 0 ||
        read_difference(preview, store, from, err) < 0 || count_remaining(preview, store, err) < 0)
        return -1;
    preview->is = read_places(preview, store);
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
    len = utf8_offset(text.data ? text.data : "", text.len, APPROVAL_TEXT_MAX);
    if (len < text.len) {
        text.len = len;
        buf_adds(&text, "…");
    }
    return json_stringn(text.data ? text.data : "", text.len);
}

/* ---- what happens to it ---- */

enum fate { GOES, CHANGES, COMES };

static const char *const fates[] = {
    [GOES] = "is deleted", [CHANGES] = "is changed", [COMES] = "is new"};

static enum fate fate_of(const json_t *difference)
{
    if (json_is_null(json_object_get(difference, "after")))
        return GOES;
    return json_is_null(json_object_get(difference, "before")) ? COMES : CHANGES;
}

static const json_t *thing_of(const json_t *difference)
{
    return json_object_get(difference, fate_of(difference) == GOES ? "before" : "after");
}

static bool is_entity(const json_t *difference, const char *entity)
{
    return json_string_is(difference, "entity", entity);
}

/* The title of a node, also of a deleted one; "" if it has none. */
static void find_title(const struct preview *preview, struct store *store, const char *node_id,
                       char title[TITLE_SAID])
{
    const json_t *difference;
    size_t i;

    *title = '\0';
    if (!node_id)
        return;
    json_array_foreach(preview->differences, i, difference)
    {
        if (!is_entity(difference, "node") || !json_string_is(difference, "entity_id", node_id))
            continue;
        text_cut_line(title, TITLE_SAID, json_get_string(thing_of(difference), "title"));
        return;
    }
    if (store_node_title(store, preview->sid, node_id, title, TITLE_SAID, NULL) < 0)
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

static void write_component(const struct preview *preview, struct store *store,
                            const json_t *difference, struct buf *to)
{
    const char *id = json_get_string(difference, "entity_id");
    const char *type = entity_component_type(thing_of(difference));
    json_int_t was = place_of(preview->was, id), is = place_of(preview->is, id);
    json_int_t place = fate_of(difference) == COMES ? is : was;

    (void)store;
    buf_adds(to, "component");
    if (place > 0)
        buf_addf(to, " %" JSON_INTEGER_FORMAT, place);
    buf_addf(to, " (%.*s) ", type ? utf8_shown(type, TITLE_SAID) : 0, type ? type : "");
    if (fate_of(difference) == CHANGES && was != is && is_same_content(difference))
        buf_addf(to, "is moved to place %" JSON_INTEGER_FORMAT, is);
    else
        buf_adds(to, fates[fate_of(difference)]);
}

static void write_node(const struct preview *preview, struct store *store, const json_t *difference,
                       struct buf *to)
{
    (void)preview;
    (void)store;
    buf_addf(to, "node %s", fates[fate_of(difference)]);
}

static void write_relationship(const struct preview *preview, struct store *store,
                               const json_t *difference, struct buf *to)
{
    const json_t *thing = thing_of(difference);
    const char *type = json_get_string(thing, "relationship_type");
    const char *target = json_get_string(thing, "to_node_id");
    char title[TITLE_SAID], id[TITLE_SAID];

    find_title(preview, store, target, title);
    buf_addf(to, "relationship %.*s to %s", type ? utf8_shown(type, TITLE_SAID) : 0,
             type ? type : "", text_cut_line(id, sizeof id, target));
    if (*title)
        buf_addf(to, " \"%s\"", title);
    buf_addf(to, " %s", fates[fate_of(difference)]);
}

static void write_session(const struct preview *preview, struct store *store,
                          const json_t *difference, struct buf *to)
{
    (void)preview;
    (void)store;
    (void)difference;
    buf_adds(to, "the curriculum's own fields are changed");
}

/* Positions are not content. */
static const struct entity {
    const char *name, *node; /* the member of the thing that names its node; or NULL */
    size_t count;            /* offset of its count */
    void (*say)(const struct preview *preview, struct store *store, const json_t *difference,
                struct buf *to);
} entities[] = {
    {"node", NULL, offsetof(struct counts, nodes), write_node},
    {"component", NULL, offsetof(struct counts, components), write_component},
    {"relationship", "from_node_id", offsetof(struct counts, relationships), write_relationship},
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

static int add_change(struct preview *preview, struct store *store, const struct entity *entity,
                      const json_t *difference, struct error *err)
{
    const char *node_id = entity->node ? json_get_string(thing_of(difference), entity->node)
                                       : json_get_string(difference, "node_id");
    struct buf BUF_AUTO what = {0};
    char title[TITLE_SAID];
    json_t *change;

    find_title(preview, store, node_id, title);
    entity->say(preview, store, difference, &what);
    change =
        json_pack("{s:s?, s:s, s:s%, s:o, s:o}", "node_id", node_id, "title", title, "what",
                  what.data, what.len, "before", text_of(json_object_get(difference, "before")),
                  "after", text_of(json_object_get(difference, "after")));
    if (!change || json_array_append_new(preview->changes, change) < 0)
        return error_set(err, ERROR_MEMORY, "out of memory for what would change");
    return 0;
}

static void count_one(struct preview *preview, const struct entity *entity, enum fate fate)
{
    struct counts *counts[] = {
        [GOES] = &preview->gone, [CHANGES] = &preview->changed, [COMES] = &preview->made};

    if (entity->count != SIZE_MAX)
        ++*(size_t *)((char *)counts[fate] + entity->count);
}

static int add_all(struct preview *preview, struct store *store, bool going, struct error *err)
{
    const json_t *difference;
    size_t i;

    json_array_foreach(preview->differences, i, difference)
    {
        const struct entity *entity = find_entity(difference);

        if (!entity || (fate_of(difference) == GOES) != going)
            continue;
        count_one(preview, entity, fate_of(difference));
        if (json_array_size(preview->changes) >= APPROVAL_SHOWN_MAX)
            preview->more++;
        else if (add_change(preview, store, entity, difference, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- nodes that go, with what goes with them ---- */

static bool is_at(const json_t *difference, const char *member, const char *node_id)
{
    return json_string_is(json_object_get(difference, "before"), member, node_id);
}

static void write_lost(struct preview *preview, const json_t *node)
{
    const char *node_id = json_get_string(node, "entity_id");
    size_t components = 0, relationships = 0, i;
    char id[TITLE_SAID], title[TITLE_SAID];
    const json_t *difference;

    json_array_foreach(preview->differences, i, difference)
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
    buf_addf(&preview->lost, "Node %s \"%s\" goes, with %zu component%s and %zu relationship%s.\n",
             text_cut_line(id, sizeof id, node_id), title, components, components == 1 ? "" : "s",
             relationships, relationships == 1 ? "" : "s");
}

static int list_changes(struct preview *preview, struct store *store, struct error *err)
{
    const json_t *difference;
    size_t said = 0, i;

    preview->changes = json_array();
    if (!preview->changes)
        return error_set(err, ERROR_MEMORY, "out of memory for what would change");
    if (add_all(preview, store, true, err) < 0 || add_all(preview, store, false, err) < 0)
        return -1;
    json_array_foreach(preview->differences, i, difference)
    {
        if (is_entity(difference, "node") && fate_of(difference) == GOES && said < NODES_SAID_MAX) {
            write_lost(preview, difference);
            said++;
        }
    }
    return buf_check(&preview->lost, "what would be lost", err);
}

/* ---- all of it ---- */

/* On a copy of the session (store_trial_open), or on the store that the call is about to be done
 * on. *preview needs finish_preview in any case. */
static int look(struct preview *preview, struct store *store, struct error *err)
{
    int rc;

    if (store_catch_up(store, preview->sid, err) < 0 || store_begin(store, err) < 0)
        return -1;
    rc = work(preview, store, err);
    if (store_end(store, false, rc == 0 ? err : NULL) < 0)
        rc = -1;
    if (rc < 0)
        return -1;
    preview->was = read_places(preview, store); /* for the deletion: the current state */
    return list_changes(preview, store, err);
}

static void finish_preview(struct preview *preview)
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

/* ---- looking ---- */

struct approval {
    struct workq_job job; /* first */
    const struct store_queues *store;
    const struct tool *tool;
    json_t *arguments; /* owned */
    char *call_id;     /* owned */
    unsigned attempt;
    struct preview preview;
    struct buf effect;
    struct error err;
    void (*on_done)(void *user, json_t *interrupt, const struct error *err);
    void *user;
};

static void free_approval(struct approval *approval)
{
    finish_preview(&approval->preview);
    json_decref(approval->arguments);
    buf_finish(&approval->effect);
    free(approval->call_id);
    free(approval);
}

/* "Lost: 1 node, 4 components. " */
static void add_count(struct buf *to, const char *what, const struct counts *count)
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

static bool is_single(const struct preview *preview)
{
    return json_array_size(preview->asked.operations) == 1 &&
           json_array_size(preview->changes) == 1;
}

/* The first change, if it is the only one. */
static void write_single(const struct preview *preview, struct buf *to)
{
    const json_t *change = json_array_get(preview->changes, 0);
    const char *node_id = json_get_string(change, "node_id");
    const char *title = json_get_string(change, "title");
    char id[TITLE_SAID];

    buf_addf(to, " %s", json_get_string(change, "what"));
    if (node_id)
        buf_addf(to, ", in %s \"%s\"", text_cut_line(id, sizeof id, node_id), title);
    if (preview->remain >= 0)
        buf_addf(to, "; %ld remain%s there", preview->remain, preview->remain == 1 ? "s" : "");
    buf_adds(to, ".\n");
}

static void write_headline(const struct approval *approval, struct buf *to)
{
    const struct preview *preview = &approval->preview;
    size_t operations = json_array_size(preview->asked.operations);

    if (preview->asked.action == TOOL_UNDOES) {
        buf_addf(to, "Undo: %s.\n", preview->undone.what);
    } else if (preview->asked.action == TOOL_RESTORES) {
        buf_addf(to, "Restore version %ld: %s.\n", preview->asked.version, preview->undone.what);
    } else if (is_single(preview)) {
        buf_addf(to, "%s:", approval->tool->title);
        write_single(preview, to);
    } else {
        buf_addf(to, "%s: %zu operation%s", approval->tool->title, operations,
                 operations == 1 ? "" : "s");
        if (preview->outcome.bad > 0)
            buf_addf(to, ", of which %zu cannot be done and are left out", preview->outcome.bad);
        buf_adds(to, ".\n");
    }
}

/* Five lines at most: what, the first nodes that go, how much of what, and that it was asked. */
static void write_message(const struct approval *approval, struct buf *to)
{
    const struct preview *preview = &approval->preview;

    write_headline(approval, to);
    buf_add(to, preview->lost.data, preview->lost.len);
    if (!is_single(preview)) {
        add_count(to, "Lost", &preview->gone);
        add_count(to, "Changed", &preview->changed);
        add_count(to, "New", &preview->made);
        buf_addc(to, '\n');
    }
    if (approval->attempt > 1)
        buf_addf(to, "This is attempt %u: it was declined, or failed, before.", approval->attempt);
    while (to->len > 0 && strchr(" \n", to->data[to->len - 1]))
        to->data[--to->len] = '\0';
}

static void write_effect(const struct approval *approval, struct buf *to)
{
    buf_add(to, approval->preview.outcome.lines.data, approval->preview.outcome.lines.len);
    buf_add(to, approval->effect.data, approval->effect.len);
}

static json_t *make_interrupt(const struct approval *approval, struct error *err)
{
    struct buf BUF_AUTO message = {0}, effect = {0};
    json_t *interrupt = NULL, *metadata;
    char id[UUID_TEXT_SIZE];

    write_message(approval, &message);
    write_effect(approval, &effect);
    if (text_uuid(id, err) < 0)
        return NULL;
    if (!message.failed && !effect.failed) {
        metadata = json_pack("{s:s, s:i, s:O, s:I, s:s%}", "tool", approval->tool->name, "attempt",
                             (int)approval->attempt, "changes", approval->preview.changes, "more",
                             (json_int_t)approval->preview.more, "effect",
                             effect.data ? effect.data : "", effect.len);
        interrupt = json_pack(
            "{s:s, s:s, s:s%, s:s, s:{s:s, s:{s:{s:s}, s:{s:s}}, s:[s]}, s:o}", "id", id, "reason",
            "lectern.approval", "message", message.data, message.len, "toolCallId",
            approval->call_id, "responseSchema", "type", "object", "properties", "approved", "type",
            "boolean", "reason", "type", "string", "required", "approved", "metadata", metadata);
    }
    if (!interrupt)
        error_set(err, ERROR_MEMORY, "out of memory for an approval");
    return interrupt;
}

static void end(struct approval *approval)
{
    json_t *interrupt = NULL;

    if (approval->err.kind == ERROR_NONE)
        interrupt = make_interrupt(approval, &approval->err);
    approval->on_done(approval->user, interrupt, interrupt ? NULL : &approval->err);
    free_approval(approval);
}

static void preview(struct workq_job *job, void *context)
{
    struct approval *approval = (struct approval *)job;

    struct store *copy = store_trial_open(context, approval->preview.sid, true, &approval->err);

    if (copy)
        look(&approval->preview, copy, &approval->err);
    store_close(copy);
}

static void find_effect(struct workq_job *job, void *context)
{
    struct approval *approval = (struct approval *)job;
    struct change_set_outcome *outcome = &approval->preview.outcome;
    struct error err = {0};

    (void)context;
    if (change_effect(&outcome->before, &outcome->after, true, approval->store->graphs, NULL, NULL,
                      &approval->effect, &err) < 0)
        buf_addf(&approval->effect, "(Its effect on the graph is unknown: %s)\n", err.text);
}

static void on_effect_found(struct workq_job *job)
{
    end((struct approval *)job);
}

static void on_looked(struct workq_job *job)
{
    struct approval *approval = (struct approval *)job;
    struct error err = {0};

    job->work = find_effect;
    job->done = on_effect_found;
    if (approval->err.kind == ERROR_NONE && approval->preview.outcome.touches_graph) {
        if (workq_submit(approval->store->graph, job, &err) == 0)
            return;
        buf_addf(&approval->effect, "(Its effect on the graph is unknown: %s)\n", err.text);
    }
    end(approval);
}

/* The session that the call names must be the chat's own, as it is for the tool. */
static int check_session(const json_t *arguments, const char *session_id, struct error *err)
{
    const char *given = json_get_string(arguments, "session_id");

    if (!given || !*given || strcmp(given, session_id) == 0)
        return 0;
    return error_set_at(err, "session_id",
                        "This chat is bound to session %s and reaches no other; leave session_id "
                        "out.",
                        session_id);
}

static bool is_as_shown(const struct preview *preview, const json_t *interrupt)
{
    const json_t *shown = json_object_get(interrupt, "metadata");

    return json_equal(preview->changes, json_object_get(shown, "changes")) &&
           json_integer_value(json_object_get(shown, "more")) == (json_int_t)preview->more;
}

/* Sets what the call would do; its texts are borrowed from *arguments, which are the checked ones
 * afterwards. */
static int begin(struct preview *preview, const struct tool *tool, json_t **arguments,
                 const char *session_id, const char *who, struct error *err)
{
    struct tool_call call = {.tool = tool, .arguments = *arguments};
    int rc;

    snprintf(preview->sid, sizeof preview->sid, "%s", session_id);
    preview->who = who;
    if (check_session(*arguments, session_id, err) < 0)
        return -1;
    rc = tool_call_preview(&call, &preview->asked, err);
    *arguments = call.arguments;
    return rc;
}

int approval_check(const struct tool *tool, const json_t *arguments, const char *session_id,
                   const char *who, const json_t *interrupt, struct store *store, struct error *err)
{
    json_auto_t *own = json_deep_copy(arguments); /* it is another thread's, and is changed */
    struct preview preview = {0};
    int rc = -1;

    if (!own)
        return error_set(err, ERROR_MEMORY, "out of memory for an approval");
    if (begin(&preview, tool, &own, session_id, who, err) == 0 && look(&preview, store, err) == 0) {
        if (is_as_shown(&preview, interrupt))
            rc = 0;
        else
            error_set(err, ERROR_CONFLICT, "%s", changed);
    }
    finish_preview(&preview);
    return rc;
}

int approval_describe(const struct store_queues *store, const char *session_id, const char *who,
                      const char *call_id, const struct tool *tool, const json_t *arguments,
                      unsigned attempt,
                      void (*on_done)(void *user, json_t *interrupt, const struct error *err),
                      void *user, struct error *err)
{
    struct approval *approval = calloc(1, sizeof *approval);

    if (!approval)
        return error_set(err, ERROR_MEMORY, "out of memory for an approval");
    approval->job.work = preview;
    approval->job.done = on_looked;
    approval->store = store;
    approval->tool = tool;
    approval->arguments = json_deep_copy(arguments);
    approval->call_id = strdup(call_id);
    approval->attempt = attempt;
    approval->on_done = on_done;
    approval->user = user;
    if (!approval->arguments || !approval->call_id)
        error_set(err, ERROR_MEMORY, "out of memory for an approval");
    else if (begin(&approval->preview, tool, &approval->arguments, session_id, who, err) == 0) {
        approval->job.key = workq_key(session_id);
        if (workq_submit(store->trial, &approval->job, err) == 0)
            return 0;
    }
    free_approval(approval);
    return -1;
}

/* ---- whether it is needed ---- */

bool approval_needed(const struct tool *tool, const json_t *arguments, enum approvals approvals)
{
    static const enum tool_loss least[] = {
        [APPROVALS_DESTRUCTIVE] = TOOL_LOSS_REPLACED,
        [APPROVALS_EVERY] = TOOL_LOSS_NOTHING,
        [APPROVALS_NONE_ASKED] = TOOL_LOSS_DELETED,
    };

    return tool_call_impact(tool, arguments).loss >= least[approvals];
}

size_t approval_replacements(const struct tool *tool, const json_t *arguments)
{
    struct tool_impact impact = tool_call_impact(tool, arguments);

    return impact.loss < TOOL_LOSS_REPLACED ? 0 : impact.replaces;
}
